#pragma once
/// \file
/// Bank conflicts of shared memory.

#include <warpkit/base/error.hpp>
#include <warpkit/lsu/transaction.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit {

/// Shared memory in banks of words: word w lies in bank w mod banks, a bank delivers one word a cycle, and the same
/// word goes to all lanes that ask for it. So an access takes as many cycles as the most wanted bank has different
/// words to deliver.
/// Source: GPGPU-Sim (docs/model/load_store.md#shared-memory). As there, a lane counts with the word of its first byte,
/// whatever its size: contiguous 8-byte accesses have stride 2 and take 2 cycles, 16-byte ones 4. Atomics are judged
/// like loads.
class shared_banks {
public:
    static constexpr char const* name() noexcept { return "shared_banks"; }
    static constexpr std::uint32_t most_banks = 64;

    constexpr shared_banks() = default;
    /// Throws `error` unless `banks` is 1 to 64 and `word_bytes` a power of two of at most 64.
    explicit shared_banks(std::uint32_t banks, std::uint32_t word_bytes = 4)
        : banks_(banks),
          word_bits_(static_cast<std::uint32_t>(std::countr_zero(word_bytes))) {
        if (banks == 0 || banks > most_banks)
            raise_error(error(
                {"shared_banks: ", banks, " banks; the nearest legal value is ", banks == 0 ? "1" : "64"}));
        if (!std::has_single_bit(word_bytes) || word_bytes > 64)
            raise_error(error(
                {"shared_banks: words of ", word_bytes, " bytes; a power of two of at most 64 is needed"}));
    }
    constexpr std::uint32_t banks() const noexcept { return banks_; }
    constexpr std::uint32_t word_bytes() const noexcept { return 1U << word_bits_; }

    /// Cycles that the access occupies the banks, at least 1; precondition: at least one active lane.
    constexpr unsigned cycles(warp_access const& a) const noexcept {
        if (a.affine && a.active == all_lanes && std::has_single_bit(banks_)) {
            if (a.stride == 0) return 1;
            if ((a.stride & (word_bytes() - 1)) == 0) {
                // Stride s words: every lane its own word, and gcd(s, banks) divides the banks that are used.
                auto const words = a.stride >> word_bits_;
                auto const used = banks_ >> std::countr_zero(words | banks_);
                return used >= lanes ? 1 : lanes / used;
            }
        }
        return count(a);
    }
    friend bool operator==(shared_banks const&, shared_banks const&) = default;

private:
    constexpr std::size_t bank_of(std::uint64_t word) const noexcept {
        auto const banks = std::uint64_t{banks_};
        return (banks & (banks - 1)) == 0 ? word & (banks - 1) : word % banks;
    }
    /// Most accesses want one word of each bank.
    constexpr unsigned count(warp_access const& a) const noexcept {
        std::array<std::uint64_t, most_banks> wanted; // where `used` says so
        std::uint64_t used = 0;
        auto last = ~(a.address(static_cast<unsigned>(std::countr_zero(a.active))) >> word_bits_);
        auto const conflicts = [&](std::uint64_t w) {
            if (w == last) return false; // neighbours often share a word
            last = w;
            auto const bank = bank_of(w);
            bool const taken = (used >> bank & 1) != 0;
            if (taken) return wanted[bank] != w;
            used |= std::uint64_t{1} << bank;
            wanted[bank] = w;
            return false;
        };
        if (a.active == all_lanes && !a.affine) {
            for (auto const address : *a.addresses)
                if (conflicts(address >> word_bits_)) return count_conflicts(a);
            return 1;
        }
        for (auto rest = a.active; rest != 0; rest &= rest - 1)
            if (conflicts(a.address(static_cast<unsigned>(std::countr_zero(rest))) >> word_bits_))
                return count_conflicts(a);
        return 1;
    }
    constexpr unsigned count_conflicts(warp_access const& a) const noexcept {
        std::array<std::uint8_t, most_banks>
            head{}; // lane + 1 of the last different word in this bank; 0 is none
        std::array<std::uint8_t, most_banks> depth{};
        std::array<std::uint8_t, lanes> before{}; // chain, likewise
        std::array<std::uint64_t, lanes> word{};
        unsigned most = 1;
        for (auto rest = a.active; rest != 0; rest &= rest - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(rest));
            auto const w = a.address(lane) >> word_bits_;
            auto const bank = bank_of(w);
            auto other = head[bank];
            while (other != 0 && word[other - 1U] != w) other = before[other - 1U];
            if (other != 0) continue;
            word[lane] = w;
            before[lane] = head[bank];
            head[bank] = static_cast<std::uint8_t>(lane + 1);
            if (++depth[bank] > most) most = depth[bank];
        }
        return most;
    }

    std::uint32_t banks_ = 32;
    std::uint32_t word_bits_ = 2;
};

} // namespace warpkit
