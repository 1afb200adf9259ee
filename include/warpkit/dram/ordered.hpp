#pragma once
/// \file
/// A DRAM scheduler made of an order among requests alone.

#include <warpkit/base/hash.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/dram/bank_lists.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit::dram {

/// What decides which of two requests to one bank goes first.
///
/// Contract:
///   - `static constexpr char const* name()`.
///   - `before(a, b, open_row)`: a goes before b, given the row in the bank's row buffer (`no_row` when closed). It is
///     a strict weak order; of requests of which none goes before the other, the older one goes first.
///   - Regular values: copy, compare, hash.
/// Optional, each found by its name:
///   - `came(r)` and `served(r, open_row)` are told of each request that enters and leaves the queue.
///   - `static constexpr bool asks_who = true`, `clock(now)`, `ended(bank)`, parameters: as a request_scheduler's.
template <class O>
concept request_order = regular_state<O> && requires(O const& o, request const& r, std::uint32_t row) {
    { o.before(r, r, row) } -> std::same_as<bool>;
};

/// A queue of requests, each bank's served as Order says: FR-FCFS is `a.row == open && b.row != open`. A pick looks at
/// all of the bank's requests.
/// Differs from a scheduler that keeps its queue itself (fr_fcfs) in speed alone.
template <class Order, class BankSet = bank_set>
class ordered {
    using bank_set = BankSet;
    static_assert(
        request_order<Order>,
        "warpkit: an order of DRAM requests is a regular value that says which of two goes first: write "
        "`bool before(dram::request const& a, dram::request const& b, std::uint32_t open_row) const`");

public:
    static constexpr char const* name() noexcept { return Order::name(); }
    static constexpr bool asks_who = dram::asks_who<Order>;

    ordered() = default;
    /// A queue of `capacity` requests (1 to 65535) for `banks` banks, 1 to most_banks<BankSet>.
    ordered(std::uint32_t banks, std::uint32_t capacity) : queue_("ordered", banks, capacity) {}

    bool can_accept() const noexcept { return !queue_.full(); }
    std::uint32_t size() const noexcept { return queue_.size(); }
    bank_set waiting() const noexcept { return queue_.waiting(); }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept {
        return queue_.has_row(bank, row);
    }
    void push(request const& r) {
        if constexpr (requires { order_.came(r); }) order_.came(r);
        queue_.push(r);
    }
    request const& pick(std::uint32_t bank, std::uint32_t open_row) const {
        return queue_[choose(bank, open_row)];
    }
    request take(std::uint32_t bank, std::uint32_t open_row) {
        auto const r = queue_.take(choose(bank, open_row));
        if constexpr (requires { order_.served(r, open_row); }) order_.served(r, open_row);
        return r;
    }
    void clock(cycle now) requires hears_clock<Order> { order_.clock(now); }
    void ended(std::uint32_t bank) requires hears_bank_ends<Order> { order_.ended(bank); }
    Order const& order() const noexcept { return order_; }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.order_);
    }
    void parameters_set() { tell_parameters_set(order_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(order_, queue_);
    }
    friend bool operator==(ordered const&, ordered const&) = default;

private:
    struct nothing {
        template <class F>
        constexpr void each_member(F&& f) const {
            f();
        }
        friend bool operator==(nothing const&, nothing const&) = default;
    };
    using queue = bank_lists<nothing, bank_set>;
    typename queue::index choose(std::uint32_t bank, std::uint32_t open_row) const {
        return queue_.best(bank,
                           [&](auto a, auto b) { return order_.before(queue_[a], queue_[b], open_row); });
    }

    [[no_unique_address]] Order order_;
    queue queue_;
};

} // namespace warpkit::dram
