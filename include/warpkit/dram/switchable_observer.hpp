#pragma once
/// \file
/// All that can listen to a machine's DRAM, to be switched on when the machine is made.

#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstdint>
#include <type_traits>

namespace warpkit::dram {

/// A protocol checker, and who shares rows, each if it is wanted; off, they cost a test per command and per L2 miss.
class switchable_observer {
public:
    static constexpr char const* name() noexcept { return "protocol_checker and row_sharing, if on"; }
    switchable_observer() = default;
    switchable_observer(timing const& t, unsigned per_cycle, bool checks, bool shares)
        : checks_(checks),
          shares_(shares),
          checker_(checks ? protocol_checker(t, per_cycle) : protocol_checker()) {}

    void on(command const& c) {
        if (checks_) checker_.on(c);
    }
    void on(row_access const& a) { rows_.on(a); }
    template <class E>
    bool listens() const noexcept {
        return (std::is_same_v<E, command> && checks_) || (std::is_same_v<E, row_access> && shares_);
    }

    auto first() const { return checker_.first(); }
    std::uint64_t seen() const noexcept { return checker_.seen(); }
    std::uint64_t broken() const noexcept { return checker_.broken(); }
    void add_to(row_sharing& sum) const { sum += rows_; }

    template <class F>
    constexpr void each_member(F&& f) const {
        if (checks_) f(checker_);
        if (shares_) f(rows_);
    }
    friend bool operator==(switchable_observer const&, switchable_observer const&) = default;

private:
    bool checks_ = false;
    bool shares_ = false;
    protocol_checker checker_;
    row_sharing rows_;
};

} // namespace warpkit::dram
