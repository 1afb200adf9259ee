#pragma once
/// \file
/// The streams of a CTA in few bytes, without loss: what is executed once can be kept for many runs.
///
/// Runs are told by how they differ from the run before, or not at all where a warp ran as the warp before it did.
/// Addresses are told by how they differ from what the same instruction did last in this CTA, in whatever warp: a base
/// that goes on with the same step and stride is one byte. Numbers are little-endian in groups of seven bits,
/// differences of either sign folded to small ones (zigzag).

#include <warpkit/program/instruction.hpp>
#include <warpkit/program/stream.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Encodes and decodes the streams of one program's CTAs, each by itself: in any order, as often as wanted.
class stream_code {
public:
    explicit stream_code(static_program const& program) {
        auto const& code = program.instructions;
        next_.assign(code.size() + 1, none);
        place_.assign(code.size(), 0);
        std::uint32_t places = 0;
        for (auto i = static_cast<std::uint32_t>(code.size()); i-- > 0;) {
            bool const has = code[i].is_memory() || code[i].barrier_in_stream;
            bool const words = has_words(code[i].async);
            next_[i] = has || words ? i : next_[i + 1];
            place_[i] = has ? places++ : none;
            if (words && words_.empty()) words_.assign(code.size(), false);
            if (words) words_[i] = true;
        }
        seen_.resize(places);
    }

    /// Appends the streams to `to`.
    void encode(cta_stream const& from, std::vector<std::uint8_t>& to) {
        forget();
        put(to, from.warps.size());
        warp_stream const* before = nullptr;
        for (auto const& w : from.warps) {
            bool const alike = before != nullptr && before->runs() == w.runs();
            put(to, std::uint64_t{w.runs().size()} << 1 | std::uint64_t{alike});
            auto const* word = w.address_data().data();
            warp_stream::run last{0, 0, all_lanes};
            for (auto const& r : w.runs()) {
                if (!alike) put_run(to, r, last);
                each_access(r, [&](std::uint32_t i) {
                    if (place_[i] != none) word = put_addresses(to, i, r.mask, word);
                    if (!words_.empty() && words_[i]) word = put_words(to, word);
                });
                last = r;
            }
            before = &w;
        }
        if (words_.empty()) return;
        put(to, from.phases.size());
        for (auto const events : from.phases) put(to, events);
    }
    /// Fills `to` with the streams that encode() put at `from`.
    void decode(std::uint8_t const* from, cta_stream& to) {
        forget();
        to.reset(static_cast<unsigned>(get(from)));
        warp_stream const* before = nullptr;
        for (auto& w : to.warps) {
            auto const head = get(from);
            warp_stream::run last{0, 0, all_lanes};
            for (std::size_t k = 0; k < head >> 1; ++k) {
                auto const r = (head & 1) != 0 ? before->runs()[k] : get_run(from, last);
                w.append_run(r);
                each_access(r, [&](std::uint32_t i) {
                    if (place_[i] != none) get_addresses(from, i, r.mask, w);
                    if (!words_.empty() && words_[i]) get_words(from, w);
                });
                last = r;
            }
            before = &w;
        }
        if (words_.empty()) return;
        to.phases.resize(static_cast<std::size_t>(get(from)));
        for (auto& events : to.phases) events = static_cast<std::uint32_t>(get(from));
    }

private:
    static constexpr std::uint32_t none = 0xffffffff;
    /// How a record of addresses is told, in the two low bits of its first number.
    enum kind : std::uint64_t {
        goes_on,     ///< base and stride as foreseen but for a difference, which are the other bits
        affine,      ///< the other bits are the space; then the base's difference, and the stride
        list,        ///< the other bits are the space; then each lane's difference to the lane before it
        list_by_lane ///< the same, but to the same lane in the last list of this instruction
    };
    /// What an instruction did last.
    struct seen {
        std::uint64_t base = 0; ///< of a list: its first address
        std::uint64_t step = 0; ///< from the base before to this one
        std::uint64_t stride = 0;
        std::uint32_t list_at = none; ///< where its last list is in lists_, in 32s
        std::uint8_t space = 0;
    };

    void forget() {
        seen_.assign(seen_.size(), {});
        lists_.clear();
    }
    /// Calls `f(instruction)` for those of a run that have addresses.
    template <class F>
    void each_access(warp_stream::run const& r, F&& f) const {
        if (r.mask == 0) return;
        auto const end = r.first + r.count;
        for (auto i = next_[r.first]; i < end; i = next_[i + 1]) f(i);
    }

    // ---- numbers
    static void put(std::vector<std::uint8_t>& to, std::uint64_t n) {
        for (; n >= 0x80; n >>= 7) to.push_back(static_cast<std::uint8_t>(n | 0x80));
        to.push_back(static_cast<std::uint8_t>(n));
    }
    static std::uint64_t get(std::uint8_t const*& from) noexcept {
        std::uint64_t n = *from & 0x7fU;
        for (unsigned at = 7; (*from++ & 0x80U) != 0; at += 7) n |= std::uint64_t{*from & 0x7fU} << at;
        return n;
    }
    static constexpr std::uint64_t folded(std::uint64_t difference) noexcept {
        return difference << 1 ^ (0 - (difference >> 63));
    }
    static constexpr std::uint64_t unfolded(std::uint64_t n) noexcept { return n >> 1 ^ (0 - (n & 1)); }
    static std::size_t bytes_of(std::uint64_t n) noexcept {
        return (static_cast<unsigned>(std::bit_width(n | 1)) + 6) / 7;
    }

    // ---- runs
    static void put_run(std::vector<std::uint8_t>& to, warp_stream::run const& r,
                        warp_stream::run const& last) {
        auto const jump = std::uint64_t{r.first} - (std::uint64_t{last.first} + last.count);
        put(to, folded(jump) << 1 | std::uint64_t{r.mask != last.mask});
        put(to, r.count);
        if (r.mask != last.mask) put(to, r.mask);
    }
    static warp_stream::run get_run(std::uint8_t const*& from, warp_stream::run const& last) noexcept {
        auto const head = get(from);
        warp_stream::run r;
        r.first = static_cast<std::uint32_t>(last.first + last.count + unfolded(head >> 1));
        r.count = static_cast<std::uint32_t>(get(from));
        r.mask = (head & 1) != 0 ? static_cast<lane_mask>(get(from)) : last.mask;
        return r;
    }

    // ---- words of instructions that have such, each by its difference to the one before
    static std::uint64_t const* put_words(std::vector<std::uint8_t>& to, std::uint64_t const* word) {
        auto n = *word++;
        put(to, n);
        for (std::uint64_t before = 0; n != 0; --n) {
            put(to, folded(*word - before));
            before = *word++;
        }
        return word;
    }
    static void get_words(std::uint8_t const*& from, warp_stream& to) {
        auto n = get(from);
        auto* word = to.append_address_data(1 + static_cast<std::size_t>(n));
        *word = n;
        for (std::uint64_t before = 0; n != 0; --n) *++word = before += unfolded(get(from));
    }

    // ---- addresses, as warp_stream::address_data() has them: header, then base and stride or one for each lane
    std::uint64_t const* put_addresses(std::vector<std::uint8_t>& to, std::uint32_t instruction,
                                       lane_mask mask, std::uint64_t const* word) {
        auto& s = seen_[place_[instruction]];
        auto const space = static_cast<std::uint8_t>(*word >> 8);
        if ((*word & 1) != 0) {
            auto const difference = folded(word[1] - (s.base + s.step));
            if (space == s.space && word[2] == s.stride && difference >> 62 == 0) {
                put(to, difference << 2 | goes_on);
            } else {
                put(to, std::uint64_t{space} << 2 | affine);
                put(to, difference);
                put(to, folded(word[2]));
            }
            s.step = word[1] - s.base;
            s.base = word[1];
            s.stride = word[2];
            s.space = space;
            return word + 3;
        }
        auto const n = count_lanes(mask);
        ++word;
        auto* const last = s.list_at == none ? nullptr : lists_.data() + std::size_t{s.list_at} * lanes;
        std::size_t along = 0;
        std::size_t by_lane = 0;
        auto before = s.base;
        for (unsigned k = 0, m = mask; k < n; ++k, m &= m - 1) {
            along += bytes_of(folded(word[k] - before));
            if (last != nullptr) by_lane += bytes_of(folded(word[k] - last[std::countr_zero(m)]));
            before = word[k];
        }
        bool const as_before = last != nullptr && by_lane < along;
        put(to, std::uint64_t{space} << 2 | (as_before ? list_by_lane : list));
        before = s.base;
        for (unsigned k = 0, m = mask; k < n; ++k, m &= m - 1) {
            put(to, folded(word[k] - (as_before ? last[std::countr_zero(m)] : before)));
            before = word[k];
        }
        keep(s, space, mask, word);
        return word + n;
    }
    void get_addresses(std::uint8_t const*& from, std::uint32_t instruction, lane_mask mask,
                       warp_stream& to) {
        auto& s = seen_[place_[instruction]];
        auto const head = get(from);
        auto const how = head & 3;
        if (how == goes_on || how == affine) {
            auto const space = how == affine ? static_cast<std::uint8_t>(head >> 2) : s.space;
            auto const base = s.base + s.step + unfolded(how == affine ? get(from) : head >> 2);
            if (how == affine) s.stride = unfolded(get(from));
            s.step = base - s.base;
            s.base = base;
            s.space = space;
            auto* const word = to.append_address_data(3);
            word[0] = 1 | std::uint64_t{space} << 8;
            word[1] = base;
            word[2] = s.stride;
            return;
        }
        auto const n = count_lanes(mask);
        auto* const word = to.append_address_data(1 + n) + 1;
        auto const* const last = s.list_at == none ? nullptr : lists_.data() + std::size_t{s.list_at} * lanes;
        auto before = s.base;
        for (unsigned k = 0, m = mask; k < n; ++k, m &= m - 1)
            before = word[k] =
                (how == list_by_lane ? last[std::countr_zero(m)] : before) + unfolded(get(from));
        word[-1] = head >> 2 << 8;
        keep(s, static_cast<std::uint8_t>(head >> 2), mask, word);
    }
    /// Remembers a list.
    void keep(seen& s, std::uint8_t space, lane_mask mask, std::uint64_t const* word) {
        if (s.list_at == none) {
            s.list_at = static_cast<std::uint32_t>(lists_.size() / lanes);
            lists_.resize(lists_.size() + lanes, word[0]);
        }
        auto* const lane = lists_.data() + std::size_t{s.list_at} * lanes;
        s.step = 0;
        s.base = word[0];
        s.space = space;
        for (; mask != 0; mask &= mask - 1) lane[std::countr_zero(mask)] = *word++;
    }

    std::vector<std::uint32_t> next_;  ///< by instruction: the first from it on that has addresses or words
    std::vector<std::uint32_t> place_; ///< by one that has addresses: where in seen_ its own is
    std::vector<bool> words_;          ///< by instruction: whether it has words; empty: none has
    std::vector<seen> seen_;
    std::vector<std::uint64_t>
        lists_; ///< 32 addresses each: what the lanes did last, for instructions with lists
};

} // namespace warpkit
