#pragma once
/// \file
/// The two concepts of a DRAM scheduler. A request scheduler decides which request a free bank gets next; a command
/// scheduler decides each command. `channel` takes either.

#include <warpkit/base/hash.hpp>
#include <warpkit/dram/device.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>
#include <warpkit/dram/write_drain.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace warpkit::dram {

/// How a scheduler tells banks apart: the set that its `waiting()` or `serving()` returns, bank_set or a wide_bank_set
/// (wide_bank_set.hpp).
template <class S>
struct bank_set_of_scheduler {};
template <class S>
requires requires(S const& s) { s.serving(); }
struct bank_set_of_scheduler<S> {
    using type = decltype(std::declval<S const&>().serving());
};
template <class S>
requires(
    requires(S const& s) { s.waiting(); } &&
    !requires(S const& s) { s.serving(); }) struct bank_set_of_scheduler<S> {
    using type = decltype(std::declval<S const&>().waiting());
};
template <class S>
using bank_set_of = typename bank_set_of_scheduler<S>::type;
namespace detail {
template <class Set>
concept set_of_banks = std::same_as<Set, bank_set> || requires {
    { Set::capacity } -> std::convertible_to<unsigned>;
};
} // namespace detail

/// The queue of a channel, and the decision which request a free bank gets next (GPGPU-Sim's kind of scheduler).
///
/// Contract:
///   - `S(banks, capacity)` makes an empty queue for `capacity` requests; impossible numbers throw `warpkit::error`.
///   - `can_accept()` tells whether there is room for one more; `push(r)` takes it (precondition: can_accept()).
///   - `waiting()` is the set of banks for which `pick` has an answer now. It may leave out banks whose requests must
///     not be served yet (fcfs: all but the oldest request's).
///   - `pick(bank, open_row)` is the request that this bank should get, given the row in its row buffer (`no_row` when
///     closed). It is const: being picked is not being served. Precondition: the bank is in `waiting()`.
///   - `take(bank, open_row)` removes that same request and returns it: it is being served now.
///   - `has_row_hit(bank, row)` tells whether the queue holds a request for this row of this bank (page policies ask).
///   - Nothing depends on time but the order of calls. Regular values: copy, compare, hash.
/// Optional, each found by its name:
///   - Its parameters (base/parameters.hpp), which are set before the first request comes.
///   - `static constexpr bool asks_who = true`: its requests say in `by` who asks; else nobody takes the trouble.
///   - `clock(now)` is told the cycle before each push, take and end, and `ended(bank)` that the last column command of
///     what the bank was given is sent. They may change which request it picks, but not `waiting()`.
template <class S>
concept request_scheduler = regular_state<S> && std::constructible_from<S, std::uint32_t, std::uint32_t> &&
    requires(S& s, S const& c, request const& r, std::uint32_t bank, std::uint32_t row) {
    { c.can_accept() } -> std::same_as<bool>;
    { c.size() } -> std::convertible_to<std::uint32_t>;
    { c.waiting() } -> detail::set_of_banks;
    { c.pick(bank, row) } -> std::convertible_to<request const&>;
    { c.has_row_hit(bank, row) } -> std::same_as<bool>;
    { s.take(bank, row) } -> std::same_as<request>;
    s.push(r);
};

/// A scheduler that goes by who asks.
template <class S>
concept asks_who = requires {
    requires S::asks_who;
};
/// A request scheduler that goes by time.
template <class S>
concept hears_clock = requires(S& s, cycle now) {
    s.clock(now);
};
/// One that hears when a bank is done.
template <class S>
concept hears_bank_ends = requires(S& s, std::uint32_t bank) {
    s.ended(bank);
};

/// What may share one command cycle.
enum class command_bus : std::uint8_t {
    single,         ///< one command; a column command goes first
    single_and_row, ///< GPGPU-Sim's single bus: a row command and, of a bank behind it in the round, a column command
    dual            ///< one column and one row command (HBM)
};

/// The sizes of a controller's queues, in requests.
struct queue_sizes {
    std::uint32_t reads = 64;  ///< a scheduler without separate writes keeps all its requests here
    std::uint32_t writes = 32; ///< requests that write, where they wait separately
    std::uint32_t bank = 8;    ///< commands of one bank, where each bank has a queue
    drain_numbers drain;       ///< of a scheduler with separate writes
    friend bool operator==(queue_sizes const&, queue_sizes const&) = default;
};

/// What became of a pushed request.
struct push_result {
    bool answered = false; ///< it needs no DRAM access (a queued write has the data): done in the next tick
    cycle wake = 0;        ///< the first cycle in which it can make a difference
};

/// What the channel tells a command scheduler of the cycle.
template <class BankSet>
struct basic_cycle_rules {
    using bank_set = BankSet;
    bank_set refreshing = 0;  ///< the banks that the refresh that is due waits for
    bank_set prefetching = 0; ///< banks whose open row the memory prefetcher would read from
    bank_set insisting = 0;   ///< of these, the ones whose demands to other rows shall wait for it
    bank_set closing = 0;     ///< banks that the page policy wants closed
    static constexpr bool none = false;
    friend bool operator==(basic_cycle_rules const&, basic_cycle_rules const&) = default;
};
/// What it says where there is nothing to say: the same, known to the compiler.
template <class BankSet>
struct basic_no_rules {
    using bank_set = BankSet;
    static constexpr bank_set refreshing = 0;
    static constexpr bank_set prefetching = 0;
    static constexpr bank_set insisting = 0;
    static constexpr bank_set closing = 0;
    static constexpr bool none = true;
    constexpr operator basic_cycle_rules<BankSet>() const noexcept { return {}; }
};
/// Those of at most 64 banks.
using cycle_rules = basic_cycle_rules<bank_set>;
using no_rules = basic_no_rules<bank_set>;

namespace detail {
/// A bus that takes every command: what a command scheduler may call.
template <class BankSet>
struct basic_any_bus {
    static constexpr bool dual = false;
    void serves(bool) {}
    void begins(bool) {}
    void ends(bool) {}
    bool column(request const&, std::uint32_t, bool = false) { return false; }
    void shares(request const&) {}
    static bool prefetch(unsigned, request&) { return false; }
    void activate(request const&) {}
    void precharge(unsigned) {}
    bool refresh(BankSet) { return false; }
};
using any_bus = basic_any_bus<bank_set>;
} // namespace detail

/// All queues of a channel, and the decision about each command.
///
/// Contract:
///   - `S(timing, queue_sizes, command_bus)` makes it empty; impossible numbers throw `warpkit::error`.
///   - `can_accept(write)` tells whether there is room for one more read or write, `can_accept(r)` whether this very
///     request can be taken (it may need no room); `push(r, device)` takes it.
///   - Each cycle that matters, `prepare(now, device, rules, bus)`, then `schedule(now, device, rules, bus)`. Both
///     return whether how many banks work is to be asked, and whether anything is queued; else nothing has changed but
///     what they have told by `bus.begins(first)` (a bank works from this cycle on; none has before) and
///     `bus.ends(last)` (not from the next one on; none does any more). `rules` is a cycle_rules or `no_rules`.
///     `schedule` sends commands that are legal now by the device: `bus.activate(r)` opens the row of r, `bus.column(r,
///     atom)` sends the atom-th column command of r (with a third argument true: the row must stay open) and returns
///     whether the row closed by itself, `bus.precharge(bank)`, and `bus.refresh(banks to spare)`, which sends whatever
///     the refresh that is due needs next and returns whether it sent anything. The device has changed when the call
///     returns. When the last column command of r is sent, r has left all queues. `bus.serves(row hit)` is called once
///     for each request, or `bus.shares(r)` if it is answered by the column command that was sent just now.
///   - Banks in `rules.refreshing` get no new activates. Banks in `rules.closing` are closed when nothing else asks for
///     their row.
///   - `earliest(now, device, rules)` is the earliest cycle after `now` in which `schedule` could send a command if
///     nothing is pushed; too early is allowed, too late is not.
///   - `serving()` are the banks that work and `working()` how many, `queued()` the requests that wait for one;
///     `empty()`: no request anywhere.
///   - `has_row_hit(bank, row)`: a request to this row waits.
///   - `answers_at_once`: `push` may answer a request at once.
///   - `tells_work`: it tells whenever a bank begins or ends to work, so that how many do need not be asked.
///   - `prefetches`: it serves banks in `rules.prefetching`, for which `bus.prefetch(bank, r)` names the next line, if
///     any.
///   - `closes_together`: an all-bank refresh is preceded by one command for all banks, not by one for each.
template <class S>
concept command_scheduler = regular_state<S> &&
    std::constructible_from<S, timing const&, queue_sizes const&, command_bus> &&
    requires(S& s, S const& c, request const& r, basic_device<bank_set_of<S>> const& d,
             basic_cycle_rules<bank_set_of<S>> const& rules, cycle now, unsigned bank, std::uint32_t row,
             detail::basic_any_bus<bank_set_of<S>> bus) {
    { c.can_accept(true) } -> std::same_as<bool>;
    { c.can_accept(r) } -> std::same_as<bool>;
    { s.push(r, d) } -> std::same_as<push_result>;
    { s.prepare(now, d, rules, bus) } -> std::same_as<bool>;
    { s.schedule(now, d, basic_no_rules<bank_set_of<S>>{}, bus) } -> std::same_as<bool>;
    { c.earliest(now, d, rules) } -> std::same_as<cycle>;
    { c.serving() } -> detail::set_of_banks;
    { c.working() } -> std::same_as<std::uint32_t>;
    { c.queued() } -> std::convertible_to<std::uint32_t>;
    { c.empty() } -> std::same_as<bool>;
    { c.has_row_hit(bank, row) } -> std::same_as<bool>;
    { S::answers_at_once } -> std::convertible_to<bool>;
    { S::closes_together } -> std::convertible_to<bool>;
    { S::tells_work } -> std::convertible_to<bool>;
    { S::prefetches } -> std::convertible_to<bool>;
};

/// Either kind.
template <class S>
concept scheduler = request_scheduler<S> || command_scheduler<S>;

} // namespace warpkit::dram
