#pragma once
/// \file
/// A DRAM scheduler that is chosen when a machine is made, by its name: gpu_parameters::policy_parameters says
/// `dram_scheduler=atlas:quantum=1000`.

#include <warpkit/base/one_of.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <cstdint>
#include <string_view>

namespace warpkit::dram {

/// One of these request schedulers, at first the first one: for programs that would otherwise compile every machine
/// once for each. Requests say who asks where any of them goes by it. The fast engine compiles the first as if it were
/// alone (gpu/memory/partition_array.hpp); otherwise it is asked at each question which one it is.
template <class... S>
class one_request_scheduler : public one_of<S...> {
    static_assert((request_scheduler<S> && ...));
    using base = one_of<S...>;

public:
    static constexpr char const* name() noexcept { return "one_request_scheduler"; }
    static constexpr bool asks_who = (dram::asks_who<S> || ...);

    using base::base;
    one_request_scheduler() = default;
    one_request_scheduler(std::uint32_t banks, std::uint32_t capacity)
        : base(typename warpkit::detail::first_of<S...>::type(banks, capacity)),
          banks_(banks),
          capacity_(capacity) {}

    /// Becomes the one of this name, with an empty queue; stays what it is where none has it.
    void choose(std::string_view wanted) {
        base::each_alternative([&]<class Q>() {
            if (wanted == common_name<Q>) static_cast<base&>(*this) = base(Q(banks_, capacity_));
        });
    }

    bool can_accept() const noexcept {
        bool may = false;
        this->ask([&](auto const& s) { may = s.can_accept(); });
        return may;
    }
    std::uint32_t size() const noexcept {
        std::uint32_t n = 0;
        this->ask([&](auto const& s) { n = s.size(); });
        return n;
    }
    void push(request const& r) {
        this->change([&](auto& s) { s.push(r); });
    }
    bank_set waiting() const noexcept {
        bank_set w = 0;
        this->ask([&](auto const& s) { w = s.waiting(); });
        return w;
    }
    request const& pick(std::uint32_t bank, std::uint32_t open_row) const noexcept {
        request const* r = nullptr;
        this->ask([&](auto const& s) { r = &s.pick(bank, open_row); });
        return *r;
    }
    request take(std::uint32_t bank, std::uint32_t open_row) {
        request r;
        this->change([&](auto& s) { r = s.take(bank, open_row); });
        return r;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept {
        bool has = false;
        this->ask([&](auto const& s) { has = s.has_row_hit(bank, row); });
        return has;
    }
    void clock(cycle now) requires(hears_clock<S> || ...) {
        this->change([&](auto& s) {
            if constexpr (requires { s.clock(now); }) s.clock(now);
        });
    }
    void ended(std::uint32_t bank) requires(hears_bank_ends<S> || ...) {
        this->change([&](auto& s) {
            if constexpr (requires { s.ended(bank); }) s.ended(bank);
        });
    }
    friend bool operator==(one_request_scheduler const&, one_request_scheduler const&) = default;

private:
    std::uint32_t banks_ = 0;
    std::uint32_t capacity_ = 0;
};

} // namespace warpkit::dram
