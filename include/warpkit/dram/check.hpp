#pragma once
/// \file
/// Explains, in one message each, what is wrong with a type that wants a seat of the DRAM: a scheduler, a page policy,
/// a memory-side prefetcher.

#include <warpkit/base/check.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit::dram {

namespace detail {
using warpkit::detail::acceptable;

/// S has the one member that request schedulers have no use for.
template <class S>
concept means_commands = requires(S& s, cycle now, device const& d, any_bus bus) {
    s.schedule(now, d, no_rules{}, bus);
};

template <class S>
constexpr void check_request_scheduler() {
    if constexpr (!std::constructible_from<S, std::uint32_t, std::uint32_t>)
        static_assert(acceptable<S>,
                      "warpkit: a DRAM scheduler is built for a number of banks and of requests: write a "
                      "constructor `(std::uint32_t banks, std::uint32_t capacity)`");
    else if constexpr (!requires(S const& c) {
                           { c.can_accept() } -> std::same_as<bool>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM scheduler says whether there is room for one more request: write "
                      "`bool can_accept() const noexcept`");
    else if constexpr (!requires(S & s, request const& r) { s.push(r); })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM scheduler takes requests: write `void push(dram::request const&)`");
    else if constexpr (!requires(S const& c) {
                           { c.size() } -> std::convertible_to<std::uint32_t>;
                       })
        static_assert(acceptable<S>, "warpkit: a DRAM scheduler says how many requests it holds: write "
                                     "`std::uint32_t size() const noexcept`");
    else if constexpr (!requires(S const& c) {
                           { c.waiting() } -> set_of_banks;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM scheduler says for which banks it has a request now: write "
                      "`dram::bank_set waiting() const noexcept`");
    else if constexpr (!requires(S const& c, std::uint32_t bank, std::uint32_t row) {
                           { c.pick(bank, row) } -> std::convertible_to<request const&>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM scheduler names the request that a bank gets: write `dram::request "
                      "const& pick(std::uint32_t bank, std::uint32_t open_row) const`; being picked is "
                      "not being served");
    else if constexpr (!requires(S & s, std::uint32_t bank, std::uint32_t row) {
                           { s.take(bank, row) } -> std::same_as<request>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM scheduler gives up the request that it has picked: write "
                      "`dram::request take(std::uint32_t bank, std::uint32_t open_row)`");
    else if constexpr (!requires(S const& c, std::uint32_t bank, std::uint32_t row) {
                           { c.has_row_hit(bank, row) } -> std::same_as<bool>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM scheduler says whether a request to this row waits: write `bool "
                      "has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept`");
    else
        static_assert(request_scheduler<S>,
                      "warpkit: this is no DRAM scheduler; the contract is in dram/scheduler.hpp");
}

template <class S>
constexpr void check_command_scheduler() {
    if constexpr (!std::constructible_from<S, timing const&, queue_sizes const&, command_bus>)
        static_assert(acceptable<S>,
                      "warpkit: a DRAM command scheduler is built from timing, queues and bus: write a "
                      "constructor `(dram::timing const&, dram::queue_sizes const&, dram::command_bus)`");
    else if constexpr (!requires(S const& c, request const& r) {
                           { c.can_accept(true) } -> std::same_as<bool>;
                           { c.can_accept(r) } -> std::same_as<bool>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM command scheduler says whether there is room: write `bool "
                      "can_accept(bool write) const` and `bool can_accept(dram::request const&) const`");
    else if constexpr (!requires(S & s, request const& r, device const& d) {
                           { s.push(r, d) } -> std::same_as<push_result>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM command scheduler takes requests: write `dram::push_result "
                      "push(dram::request const&, dram::device const&)`");
    else if constexpr (!requires(S & s, cycle now, device const& d, cycle_rules const& rules, any_bus bus) {
                           { s.prepare(now, d, rules, bus) } -> std::same_as<bool>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM command scheduler prepares each cycle: write `template <class Rules, "
                      "class Bus> bool prepare(cycle, dram::device const&, Rules const&, Bus&)`");
    else if constexpr (!requires(S const& c, cycle now, device const& d, cycle_rules const& rules) {
                           { c.earliest(now, d, rules) } -> std::same_as<cycle>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM command scheduler says when it could send a command next: write "
                      "`template <class Rules> cycle earliest(cycle, dram::device const&, Rules const&) "
                      "const`");
    else if constexpr (!requires(S const& c, unsigned bank, std::uint32_t row) {
                           { c.serving() } -> set_of_banks;
                           { c.working() } -> std::same_as<std::uint32_t>;
                           { c.queued() } -> std::convertible_to<std::uint32_t>;
                           { c.empty() } -> std::same_as<bool>;
                           { c.has_row_hit(bank, row) } -> std::same_as<bool>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM command scheduler tells of its queues: write `dram::bank_set "
                      "serving()`, `std::uint32_t working()`, `std::uint32_t queued()`, `bool empty()` and "
                      "`bool has_row_hit(unsigned bank, std::uint32_t row)`, all const");
    else if constexpr (!requires {
                           { S::answers_at_once } -> std::convertible_to<bool>;
                           { S::closes_together } -> std::convertible_to<bool>;
                           { S::tells_work } -> std::convertible_to<bool>;
                           { S::prefetches } -> std::convertible_to<bool>;
                       })
        static_assert(acceptable<S>,
                      "warpkit: a DRAM command scheduler says what it does: write `static constexpr bool` "
                      "answers_at_once, closes_together, tells_work and prefetches (dram/scheduler.hpp)");
    else
        static_assert(command_scheduler<S>,
                      "warpkit: this is no DRAM command scheduler; the contract is in dram/scheduler.hpp");
}
} // namespace detail

/// Refuses, with one message that names the first member that is missing, a type that is no DRAM scheduler of either
/// kind: one that has `schedule` is taken for a command scheduler, any other for a request scheduler
/// (dram/scheduler.hpp).
template <class S>
constexpr bool check_scheduler() {
    if constexpr (!check_value<S>()) {
        return false;
    } else {
        if constexpr (scheduler<S>) {
        } else if constexpr (detail::means_commands<S>)
            detail::check_command_scheduler<S>();
        else
            detail::check_request_scheduler<S>();
        return scheduler<S>;
    }
}

/// Refuses, with one message that names the first member that is missing, a type that is no page policy
/// (dram/page_policy.hpp).
template <class P>
constexpr bool check_page_policy() {
    if constexpr (!check_value<P>()) {
        return false;
    } else {
        using detail::acceptable;
        if constexpr (!requires(P const& p, page_use use) {
                          { p.closes_after(use) } -> std::same_as<cycle>;
                      })
            static_assert(acceptable<P>,
                          "warpkit: a page policy says for how many cycles a row stays open: write `cycle "
                          "closes_after(dram::page_use) const noexcept`, 0 for none, `never` for ever");
        else if constexpr (!requires(P const& p, page_use use) {
                               { p.closes_itself(use) } -> std::same_as<bool>;
                           })
            static_assert(acceptable<P>,
                          "warpkit: a page policy says whether the last column command closes the row by "
                          "auto-precharge: write `bool closes_itself(dram::page_use) const noexcept`");
        else if constexpr (!page_policy<P>)
            static_assert(acceptable<P>,
                          "warpkit: a page policy says whether it looks at the use of the row at all: write "
                          "`static constexpr bool asks = true;`");
        return page_policy<P>;
    }
}

/// Refuses, with one message that names the first member that is missing, a type that is no memory-side prefetcher
/// (dram/prefetch.hpp).
template <class P>
constexpr bool check_memory_prefetcher() {
    if constexpr (!check_value<P>()) {
        return false;
    } else {
        using detail::acceptable;
        if constexpr (!std::constructible_from<P, timing const&, prefetch_numbers const&>)
            static_assert(acceptable<P>,
                          "warpkit: a memory prefetcher is built from timing and numbers: write a "
                          "constructor `(dram::timing const&, dram::prefetch_numbers const&)`");
        else if constexpr (!requires(P & p, unsigned bank, std::uint32_t n) {
                               p.opened(bank, n);
                               p.closed(bank);
                               p.accessed(bank, n, true);
                               p.arrived(n);
                           })
            static_assert(
                acceptable<P>,
                "warpkit: a memory prefetcher hears what happens: write `void opened(unsigned bank, "
                "std::uint32_t row)`, `void closed(unsigned bank)`, `void accessed(unsigned bank, "
                "std::uint32_t column, bool write)` and `void arrived(std::uint32_t pending)`");
        else if constexpr (!requires(P const& c, std::uint32_t n) {
                               { c.wants() } -> std::same_as<bank_set>;
                               { c.insists(n) } -> std::same_as<bank_set>;
                           })
            static_assert(acceptable<P>,
                          "warpkit: a memory prefetcher says of which banks it would read: write "
                          "`dram::bank_set wants() const noexcept` and `dram::bank_set "
                          "insists(std::uint32_t pending) const noexcept`");
        else if constexpr (!requires(P & p, P const& c, unsigned bank) {
                               { c.next(bank) } -> std::same_as<std::uint32_t>;
                               p.read(bank);
                               p.skip(bank);
                           })
            static_assert(
                acceptable<P>,
                "warpkit: a memory prefetcher names the line that it would read: write "
                "`std::uint32_t next(unsigned bank) const noexcept`, `void read(unsigned bank)` and "
                "`void skip(unsigned bank)`");
        else if constexpr (!memory_prefetcher<P>)
            static_assert(
                acceptable<P>,
                "warpkit: a memory prefetcher says how much it reads, and whether it leaves out what "
                "the L2 has: write `std::uint32_t line_bytes() const noexcept` and `bool "
                "skips_resident() const noexcept`");
        return memory_prefetcher<P>;
    }
}

} // namespace warpkit::dram
