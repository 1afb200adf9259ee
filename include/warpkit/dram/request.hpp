#pragma once
/// \file
/// What a DRAM channel is asked, and what it says on its command bus.

#include <warpkit/base/cycle.hpp>

#include <bit>
#include <cstdint>

namespace warpkit::dram {

/// A set of banks, one bit each, of a channel with at most 64 of them; for more, a scheduler tells its banks apart by
/// a `wide_bank_set` (wide_bank_set.hpp).
using bank_set = std::uint64_t;

/// How many banks a set can hold.
template <class Set>
inline constexpr unsigned most_banks = Set::capacity;
template <>
inline constexpr unsigned most_banks<bank_set> = 64;

/// The lowest bank of a set, which is not empty.
constexpr unsigned lowest_bank(bank_set s) noexcept { return static_cast<unsigned>(std::countr_zero(s)); }
/// How many banks a set has.
constexpr unsigned bank_count(bank_set s) noexcept { return static_cast<unsigned>(std::popcount(s)); }

/// "No row": what the row buffer of a closed bank holds.
inline constexpr std::uint32_t no_row = ~std::uint32_t{0};

/// On whose behalf a request is. Unknown for write-backs, for what a memory prefetcher reads, and wherever the
/// scheduler does not ask (scheduler.hpp, `asks_who`); its warp alone where a core asks for itself, for code.
struct requester {
    std::uint16_t core = 0xffff;
    std::uint16_t warp = 0xffff;              ///< slot in that core
    std::uint32_t kernel = ~std::uint32_t{0}; ///< counted from 0 since the machine was made

    constexpr explicit operator bool() const noexcept { return core != 0xffff; }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(core, warp, kernel);
    }
    friend bool operator==(requester const&, requester const&) = default;
};

/// One read or write of consecutive atoms in one row of one bank.
struct request {
    std::uint64_t token = 0;  ///< the caller's own name for it; the channel only hands it back
    std::uint32_t row = 0;    ///< below `no_row`
    std::uint32_t column = 0; ///< byte offset in the row
    std::uint16_t bank = 0;   ///< 0 to timing::banks - 1
    bool write = false;
    bool prefetch = false;   ///< the memory's own: a line that nobody asked for
    std::uint32_t atoms = 1; ///< column commands it takes, at least 1 (timing::atoms_for)
    requester by;

    template <class F>
    constexpr void each_member(F&& f) const {
        f(token, row, column, bank, atoms, write, prefetch, by);
    }
    friend bool operator==(request const&, request const&) = default;
};

/// When a write counts as done.
enum class write_end : std::uint8_t {
    data,      ///< wl cycles after its last column command: the first beat
    command,   ///< with its last column command
    acceptance ///< in the first cycle that is ticked behind its push
};

/// When a request counts as done.
struct answer_times {
    bool whole_burst = false; ///< reads end with their last beat; else with the first, as GPGPU-Sim counts
    write_end writes = write_end::data;
    friend bool operator==(answer_times const&, answer_times const&) = default;
};

/// What the command bus can carry.
enum class command_kind : std::uint8_t {
    activate,
    precharge,
    read,
    write,
    precharge_all,      ///< closes all banks of a rank
    refresh,            ///< refreshes all banks of a rank
    refresh_bank,       ///< refreshes one bank
    refresh_same_bank,  ///< refreshes the bank of one place in each bank group of a rank (DDR5's REFsb)
    refresh_management, ///< lets a rank refresh what its activates have disturbed (RFMab)
    refresh_victims     ///< refreshes the neighbours of a row of one bank (VRR, directed RFM)
};
inline constexpr unsigned command_kinds = 10;
/// By kind.
inline constexpr char const* command_names[command_kinds] = {
    "activate",           "precharge",      "read",         "write",
    "precharge_all",      "refresh",        "refresh_bank", "refresh_same_bank",
    "refresh_management", "refresh_victims"};

/// One command on the bus, as told to listeners of `channel::tick`.
struct command {
    command_kind kind = command_kind::activate;
    std::uint16_t bank = 0; ///< where it is to several banks: the first of them
    std::uint32_t row = 0; ///< the row opened, closed or accessed, the aggressor; `no_row` where many or none
    std::uint32_t column = 0; ///< byte offset of the atom; 0 for row commands
    cycle at = 0;
    bool auto_precharge = false; ///< of reads and writes: the row closes by itself

    template <class F>
    constexpr void each_member(F&& f) const {
        f(kind, bank, row, column, at, auto_precharge);
    }
    friend bool operator==(command const&, command const&) = default;
};

/// Reads and writes are column commands, the others are row commands.
constexpr bool is_column_command(command_kind k) noexcept {
    return k == command_kind::read || k == command_kind::write;
}

/// The banks of `s` in the order of a round that begins with bank `first`: the lowest bit is the first of them.
constexpr bank_set in_round(bank_set s, unsigned first) noexcept {
    return std::rotr(s, static_cast<int>(first));
}
/// The first bank of such a round, which is not empty.
template <class Set>
constexpr unsigned first_of(Set const& round, unsigned first) noexcept {
    return (lowest_bank(round) + first) & (most_banks<Set> - 1);
}
/// The lowest bank of `s` at or above `first`, circularly; `s` is not empty.
template <class Set>
constexpr unsigned next_bank(Set const& s, unsigned first) noexcept {
    return first_of(in_round(s, first), first);
}

} // namespace warpkit::dram
