#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cta/block_rectangles.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

struct capacity_aware_options {
    std::uint64_t capacity = 768; ///< KiB of the shared cache
    std::uint64_t set = 0;        ///< lines that a CTA touches; 0: as many as are foretold
    friend bool operator==(capacity_aware_options const&, capacity_aware_options const&) = default;
};

/// CTAs in steps whose working sets fit the shared cache together: consecutive CTAs make a step for as long as the
/// lines that they touch are no more than it holds. The CTAs of a step go out in order, each to the next core with
/// room; those of the next step wait until all of this one have finished.
///
/// Source: Kuo, Yen, Lai and Jou, Cache Capacity Aware Thread Scheduling for Irregular Memory Access on Many-Core
/// GPGPUs, ASP-DAC 2013, as the thesis on the multithreading degree tells of it (Yen, 2014, section 3.2;
/// docs/model/dispatch.md#capacity).
/// Differs from the paper, of which the abstract could be read: it shows that the best steps are NP-hard to find and
/// has two algorithms, which neither account tells; here a step is what follows in the order of numbers. It is
/// software, and measures working sets before; here they are foretold by the address slices of the launch, or given.
/// What CTAs share counts for each of them. A core that is empty does not wait for the step to end, but begins with the
/// next one; so at most a CTA for each core is too many.
/// Hardware cost: where the step ends, and how many of it run.
class capacity_aware {
public:
    static constexpr char const* name() noexcept { return "capacity_aware"; }
    static constexpr char const* summary() noexcept {
        return "in steps whose working sets fit the shared cache, one after the other";
    }

    capacity_aware() = default;
    explicit capacity_aware(capacity_aware_options const& options) noexcept : options_(options) {}

    cta_assignment choose(core_rooms rooms) const noexcept {
        if (next_cta_ == ctas_) return {};
        bool const step_is_out = next_cta_ >= step_end_;
        auto core = next_core_;
        for (unsigned tried = 0; tried < rooms.size(); ++tried, ++core) {
            if (core >= rooms.size()) core = 0;
            if (rooms[core] != 0 && (!step_is_out || resident_[core] == 0)) return {core, next_cta_, 1};
        }
        return {};
    }
    static constexpr bool keeps_order() noexcept { return true; }

    void on(grid_began const& e) {
        rectangles_ = block_rectangles(e, {});
        ctas_ = e.ctas();
        lines_ = options_.capacity * 1024 / e.line;
        next_cta_ = 0;
        next_core_ = 0;
        step_end_ = 0;
        running_.clear();
        resident_.assign(e.cores, 0);
        begin_step();
    }
    void on(cta_dispatched const& e) {
        next_cta_ = e.linear_id + 1;
        next_core_ = e.core + 1;
        ++resident_[e.core];
        running_.push_back(e.linear_id);
    }
    void on(cta_retired const& e) {
        --resident_[e.core];
        std::size_t at = 0;
        while (at != running_.size() && running_[at] != e.linear_id) ++at;
        if (at == running_.size()) return; // of a grid before
        running_[at] = running_.back();
        running_.pop_back();
        while (step_end_ != ctas_ && next_cta_ >= step_end_ && !runs_of_step()) begin_step();
    }

    /// The CTA behind the last one of the step that runs.
    std::uint64_t step_end() const noexcept { return step_end_; }
    char const* note() const noexcept {
        return options_.set == 0 && rectangles_.size() == 0 ? "no access of this kernel is predictable: give "
                                                              "the lines of a CTA (set), or all is one step"
                                                            : nullptr;
    }
    capacity_aware_options const& options() const noexcept { return options_; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("last core", bits_for(shape.cores))
            .add("next CTA and end of the step", 64)
            .add("CTAs of the step that run", bits_for(std::uint64_t{shape.cores} * shape.cta_slots + 1));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"capacity", "of the shared cache, in KiB", 1, 1 << 20}, self.options_.capacity);
        f(parameter{"set", "lines that a CTA touches; 0: as many as are foretold", 0, 1 << 20},
          self.options_.set);
    }
    WARPKIT_STORED_MEMBERS(9)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.capacity, options_.set, ctas_, lines_, next_cta_, next_core_, step_end_, running_,
          resident_);
    }
    friend bool operator==(capacity_aware const&, capacity_aware const&) = default;

private:
    bool runs_of_step() const noexcept {
        for (auto const cta : running_)
            if (cta < step_end_) return true;
        return false;
    }
    /// The next CTAs that fit; at least one.
    void begin_step() {
        auto const first = step_end_;
        std::uint64_t used = 0;
        for (; step_end_ != ctas_; ++step_end_)
            if (used += lines_of(step_end_); used > lines_ && step_end_ != first) break;
    }
    std::uint64_t lines_of(std::uint64_t cta) const {
        if (options_.set != 0) return options_.set;
        std::uint64_t lines = 0;
        for (auto const& r : rectangles_.of(cta)) lines += r.width * r.height;
        return lines;
    }

    capacity_aware_options options_;
    block_rectangles rectangles_;
    std::uint64_t ctas_ = 0;
    std::uint64_t lines_ = 0; ///< of the shared cache
    std::uint64_t next_cta_ = 0;
    unsigned next_core_ = 0;
    std::uint64_t step_end_ = 0;
    std::vector<std::uint64_t> running_; ///< CTAs, in no order that means anything
    std::vector<unsigned> resident_;     ///< by core
};
static_assert(cta_choice<capacity_aware>);

} // namespace warpkit
