#pragma once
/// \file
/// What warp schedulers are compared with in the same run: nothing at all, gto as a loop over the warps, gto behind
/// virtual functions, and gto as GPGPU-Sim does it, by sorting.

#include <warpkit/base/events.hpp>
#include <warpkit/warp/gto.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpkit::bench {

/// Hears nothing: what the harness costs.
struct first_candidate {
    static constexpr char const* name() noexcept { return "(harness alone)"; }
    warp_slot pick(warp_set c) const noexcept { return c.first(); }
    friend bool operator==(first_candidate const&, first_candidate const&) = default;
};

/// gto behind virtual functions.
class virtual_gto {
    struct interface {
        virtual ~interface() = default;
        virtual warp_slot pick(warp_set candidates) const = 0;
        virtual void on_kernel(kernel_began const& e) = 0;
        virtual void on_launch(cta_launched const& e) = 0;
        virtual void on_issue(issued const& e) = 0;
    };
    struct implementation final : interface {
        warp_slot pick(warp_set candidates) const override { return policy.pick(candidates); }
        void on_kernel(kernel_began const& e) override { policy.on(e); }
        void on_launch(cta_launched const& e) override { policy.on(e); }
        void on_issue(issued const& e) override { policy.on(e); }
        gto policy;
    };

public:
    static constexpr char const* name() noexcept { return "gto, virtual"; }
    warp_slot pick(warp_set c) const {
        benchmark::DoNotOptimize(self_);
        return self_->pick(c);
    }
    void on(kernel_began const& e) { self_->on_kernel(e); }
    void on(cta_launched const& e) { self_->on_launch(e); }
    void on(issued const& e) {
        benchmark::DoNotOptimize(self_);
        self_->on_issue(e);
    }
    friend bool operator==(virtual_gto const&, virtual_gto const&) = default;

private:
    std::shared_ptr<interface> self_ = std::make_shared<implementation>();
};

/// gto as GPGPU-Sim does it: each cycle the list of warps is copied, sorted by dynamic warp id, the greedy one put in
/// front, and tried from the front.
class sorted_gto {
    struct warp {
        unsigned id = 0;
        std::uint64_t dynamic_id = 0;
        bool done = true;
    };

public:
    static constexpr char const* name() noexcept { return "gto, sorted every cycle"; }
    sorted_gto() : warps_(warp_set::width) {
        for (unsigned i = 0; i < warp_set::width; ++i) warps_[i].id = i;
    }
    warp_slot pick(warp_set candidates) const {
        std::vector<warp const*> list;
        for (unsigned i = 0; i < slots_; ++i) list.push_back(&warps_[i]);
        auto const* const greedy = greedy_ ? &warps_[greedy_.index()] : nullptr;
        std::vector<warp const*> order;
        if (greedy != nullptr) order.push_back(greedy);
        std::sort(list.begin(), list.end(), [](warp const* a, warp const* b) {
            return a->done || b->done ? !a->done && b->done : a->dynamic_id < b->dynamic_id;
        });
        for (auto const* w : list)
            if (w != greedy) order.push_back(w);
        for (auto const* w : order)
            if (!w->done && candidates.contains(warp_slot{w->id})) return warp_slot{w->id};
        return no_warp;
    }
    void on(kernel_began const& e) {
        *this = {};
        slots_ = e.warp_slots;
    }
    void on(cta_launched const& e) {
        e.warps.for_each([this](warp_slot w) {
            warps_[w.index()].dynamic_id = next_++;
            warps_[w.index()].done = false;
        });
    }
    void on(warp_exited const& e) { warps_[e.warp.index()].done = true; }
    void on(issued const& e) { greedy_ = e.warp; }
    friend bool operator==(sorted_gto const& a, sorted_gto const& b) { return a.greedy_ == b.greedy_; }

private:
    std::vector<warp> warps_;
    warp_slot greedy_;
    std::uint64_t next_ = 0;
    unsigned slots_ = warp_set::width;
};

/// gto as one would write it down: each warp is looked at.
class plain_gto {
public:
    static constexpr char const* name() noexcept { return "gto, plain twin"; }
    warp_slot pick(warp_set candidates) const {
        if (candidates.contains(greedy_)) return greedy_;
        warp_slot best;
        for (unsigned i = 0; i < warp_set::width; ++i)
            if (candidates.contains(warp_slot{i}) && (!best || born_[i] < born_[best.index()]))
                best = warp_slot{i};
        return best;
    }
    void on(kernel_began const&) { *this = {}; }
    void on(cta_launched const& e) {
        e.warps.for_each([this](warp_slot w) { born_[w.index()] = next_++; });
    }
    void on(issued const& e) { greedy_ = e.warp; }
    friend bool operator==(plain_gto const&, plain_gto const&) = default;

private:
    std::uint64_t born_[warp_set::width]{};
    std::uint64_t next_ = 0;
    warp_slot greedy_;
};

} // namespace warpkit::bench
