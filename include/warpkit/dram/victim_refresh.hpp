#pragma once
/// \file
/// What controller plug-ins against read disturbance (RowHammer) share: each sees the activates and has the neighbours of
/// rows that are opened too often refreshed in time. What they promise depends on the rows that a device's wires disturb;
/// here an order to refresh the victims of a row takes as long as opening and closing each of them.

#include <warpkit/base/error.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/dram/plugin.hpp>

#include <cstdint>

namespace warpkit::dram {

namespace detail {
/// The orders that a plug-in has ready: what came first goes first. Where none has room, it is counted and lost, as in
/// the hardware.
class ready_orders {
public:
    void attach(std::uint32_t room) { waiting_ = ring<refresh_order>(room); }
    void add(refresh_order const& o) noexcept { waiting_.full() ? void(++lost_) : waiting_.push(o); }
    bool next(refresh_order& o) noexcept {
        if (waiting_.empty()) return false;
        o = waiting_.front();
        waiting_.pop();
        return true;
    }
    std::uint64_t lost() const noexcept { return lost_; }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(waiting_, lost_);
    }
    friend bool operator==(ready_orders const&, ready_orders const&) = default;

private:
    ring<refresh_order> waiting_;
    std::uint64_t lost_ = 0;
};
/// The victims of a row are refreshed: `rows` of them.
inline refresh_order victims_of(command const& c, timing const& t, std::uint32_t rows) noexcept {
    return {command_kind::refresh_victims, c.bank, c.row, rows * t.rc};
}
[[gnu::cold]] inline void at_least_one(char const* plugin, char const* name, std::uint64_t value) {
    if (value == 0)
        raise_error(
            error({"dram plug-in ", plugin, ": ", name, " = 0 is not possible; nearest legal value: 1"}));
}
} // namespace detail

} // namespace warpkit::dram
