#pragma once
/// \file
/// The concept of a DRAM scheduler: the queue of a channel, and the decision which request a free bank gets next.
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

#include <warpkit/base/hash.hpp>
#include <warpkit/dram/request.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit::dram {

template <class S>
concept scheduler = regular_state<S> && std::constructible_from<S, std::uint32_t, std::uint32_t> &&
    requires(S& s, S const& c, request const& r, std::uint32_t bank, std::uint32_t row) {
    { c.can_accept() } -> std::same_as<bool>;
    { c.size() } -> std::convertible_to<std::uint32_t>;
    { c.waiting() } -> std::same_as<bank_set>;
    { c.pick(bank, row) } -> std::convertible_to<request const&>;
    { c.has_row_hit(bank, row) } -> std::same_as<bool>;
    { s.take(bank, row) } -> std::same_as<request>;
    s.push(r);
};

} // namespace warpkit::dram
