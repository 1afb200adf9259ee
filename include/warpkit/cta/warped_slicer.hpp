#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// Intra-SM slicing by water-filling: cores first try the kernels one by one with different numbers of CTAs; from what
/// comes of it each core is then cut among the kernels so that the one that loses most of its best performance loses as
/// little as can be.
///
/// A trial begins when a core without CTAs is served, and ends with the first CTA that ends there, if all that it was
/// sent are of one kernel: that kernel's rate with n CTAs is n divided by the cycles in between. What was not tried is
/// between its neighbours in proportion. Then each core is filled from 0: of the kernel at the lowest part of its best
/// rate, the oldest of several, as many CTAs more as raise its rate, as long as these fit.
/// Source: Xu, Jeon, Kim, Ro, Annavaram: Warped-Slicer: Efficient Intra-SM Slicing through Dynamic Resource
/// Partitioning for GPU Multiprogramming, ISCA 2016, abstract; the rest from memory.
/// Differs from the paper: rates are those of CTAs, not of instructions in some thousand cycles, and not corrected for
/// the memory bandwidth that others take; nor does it fall back on whole cores, or try again when a kernel changes its
/// ways (docs/model/dispatch.md#warped-slicer).
class warped_slicer {
public:
    static constexpr char const* name() noexcept { return "warped_slicer"; }
    static constexpr char const* summary() noexcept {
        return "kernels share each core by water-filling, after trials with different numbers of CTAs";
    }

    unsigned pick(kernels_on_core const& core) const noexcept {
        auto const picked = trying(core) ? pick_to_try(core) : pick_for_slice(core);
        if (picked != no_kernel) return picked;
        for (unsigned i = 0; i < core.size(); ++i)
            if (core[i].ctas != 0) return no_kernel;
        for (unsigned i = 0; i < core.size(); ++i)
            if (core.may(i)) return i;
        return no_kernel;
    }

    void on(group_began const& e) {
        core_.assign(e.cores, {});
        kernel_.clear();
    }
    void on(kernel_served const& e) {
        auto& c = core_[e.core];
        if (c.held++ == 0)
            c.on_trial = {e.kernel, 0, e.at};
        else if (c.on_trial.kernel != e.kernel)
            c.on_trial.kernel = no_kernel;
        ++c.on_trial.ctas;
    }
    void on(kernel_cta_retired const& e) {
        auto& c = core_[e.core];
        if (c.held != 0) --c.held;
        auto const t = std::exchange(c.on_trial, {});
        if (t.kernel == no_kernel) return;
        if (kernel_.size() <= t.kernel) kernel_.resize(t.kernel + 1);
        auto& k = kernel_[t.kernel];
        k.tried.resize(core_.size());
        if (k.tried[e.core] == 0) ++k.trials;
        k.tried[e.core] = 1;
        if (k.rate.size() <= t.ctas) k.rate.resize(t.ctas + 1);
        auto const cycles = e.at > t.began ? e.at - t.began : 1;
        if (k.rate[t.ctas] == 0) k.rate[t.ctas] = (std::uint64_t{t.ctas} << rate_bits_) / cycles;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const kernels = std::uint64_t{kernels_on_core::most_kernels};
        return hardware_cost_list{}
            .add("trial: kernel, CTAs and cycles",
                 bits_for(kernels) + bits_for(shape.cta_slots + 1) + rate_bits_)
            .add("rates of each kernel", kernels * shape.cta_slots * rate_bits_)
            .add("cores that have tried each kernel", kernels)
            .add("CTAs due to each kernel", kernels * bits_for(shape.cta_slots + 1));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(core_, kernel_);
    }
    friend bool operator==(warped_slicer const&, warped_slicer const&) = default;

private:
    static constexpr unsigned rate_bits_ = 40;  ///< of CTAs in a cycle
    static constexpr unsigned level_bits_ = 16; ///< of the part of the best rate

    struct trial {
        unsigned kernel = no_kernel; ///< by its number; none: nothing is on trial
        unsigned ctas = 0;
        cycle began = 0;
        friend bool operator==(trial const&, trial const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(kernel, ctas, began);
        }
    };
    struct core_state {
        unsigned held = 0; ///< CTAs
        trial on_trial;
        friend bool operator==(core_state const&, core_state const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(held, on_trial);
        }
    };
    struct kernel_state {
        std::vector<std::uint64_t> rate; ///< by CTAs; 0: not known
        std::vector<std::uint8_t> tried; ///< by core
        unsigned trials = 0;             ///< such cores
        friend bool operator==(kernel_state const&, kernel_state const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(rate, tried, trials);
        }
    };

    /// Cores that the i-th kernel of `kernels` is tried on: every so many, from the i-th on.
    unsigned cores_for(unsigned i, unsigned kernels) const noexcept {
        auto const cores = static_cast<unsigned>(core_.size());
        return i < cores ? (cores - i + kernels - 1) / kernels : 0;
    }
    bool is_known(kernels_on_core const& core, unsigned i) const noexcept {
        auto const wanted = cores_for(i, core.size());
        auto const number = core[i].kernel;
        return (number < kernel_.size() ? kernel_[number].trials : 0) >=
               (wanted < core[i].most ? wanted : core[i].most);
    }
    /// Whether there are several to cut the core among, of which one has not been tried enough.
    bool trying(kernels_on_core const& core) const noexcept {
        unsigned waiting = 0;
        bool known = true;
        for (unsigned i = 0; i < core.size(); ++i) {
            if (!core[i].waits) continue;
            ++waiting;
            known = known && is_known(core, i);
        }
        return waiting > 1 && !known;
    }
    /// This core's part in it: it has one kernel alone, and only so many CTAs of it.
    unsigned pick_to_try(kernels_on_core const& core) const noexcept {
        auto const i = core.core % core.size();
        auto const turn = core.core / core.size();
        auto const cores = cores_for(i, core.size());
        auto const most = core[i].most;
        auto const ctas = cores < most ? (turn + 1) * most / cores : 1 + turn % most;
        if (!core.may(i) || core[i].ctas >= ctas) return no_kernel;
        for (unsigned j = 0; j < core.size(); ++j)
            if (j != i && core[j].ctas != 0) return no_kernel;
        return is_known(core, i) || core[i].ctas == 0 || has_tried(core, i) ||
                       core_[core.core].on_trial.kernel == core[i].kernel
                   ? i
                   : no_kernel;
    }
    bool has_tried(kernels_on_core const& core, unsigned i) const noexcept {
        auto const number = core[i].kernel;
        return number < kernel_.size() && core.core < kernel_[number].tried.size() &&
               kernel_[number].tried[core.core] != 0;
    }

    /// With so many CTAs. Without any trial it grows with them.
    std::uint64_t rate(kernel_on_core const& k, unsigned ctas) const noexcept {
        if (k.kernel >= kernel_.size() || kernel_[k.kernel].rate.empty()) return ctas;
        auto const& known = kernel_[k.kernel].rate;
        unsigned below = ctas, above = ctas;
        while (below != 0 && (below >= known.size() || known[below] == 0)) --below;
        while (above < known.size() && known[above] == 0) ++above;
        if (above >= known.size()) return known[below];
        if (below == above || above == 0) return known[below];
        auto const low = known[below], high = known[above]; // of 0 CTAs it is 0
        auto const part = std::uint64_t{ctas - below}, whole = std::uint64_t{above - below};
        return high >= low ? low + (high - low) * part / whole : low - (low - high) * part / whole;
    }
    std::uint64_t best_rate(kernel_on_core const& k) const noexcept {
        std::uint64_t best = 1;
        for (unsigned n = 1; n <= k.most; ++n)
            if (auto const r = rate(k, n); r > best) best = r;
        return best;
    }
    unsigned pick_for_slice(kernels_on_core const& core) const noexcept {
        unsigned goal[kernels_on_core::most_kernels]{};
        bool full[kernels_on_core::most_kernels]{};
        std::uint64_t best[kernels_on_core::most_kernels]{};
        for (unsigned i = 0; i < core.size(); ++i) best[i] = best_rate(core[i]);
        auto const level = [&](unsigned i, unsigned ctas) {
            return (rate(core[i], ctas) << level_bits_) / best[i];
        };
        for (auto left = core.has;;) {
            auto lowest = no_kernel;
            for (unsigned i = 0; i < core.size(); ++i)
                if (!full[i] && (lowest == no_kernel || level(i, goal[i]) < level(lowest, goal[lowest])))
                    lowest = i;
            if (lowest == no_kernel) break;
            auto const& k = core[lowest];
            auto const most = k.waits ? k.most : k.ctas; // it keeps what it has
            auto next = goal[lowest] + 1;
            while (next <= most && next != 1 && rate(k, next) <= rate(k, goal[lowest])) ++next;
            full[lowest] = next > most || room_for(k.cta, left).ctas < next - goal[lowest];
            if (full[lowest]) continue;
            left = left_by(left, k.cta, next - goal[lowest]);
            goal[lowest] = next;
        }
        auto lowest = no_kernel;
        for (unsigned i = 0; i < core.size(); ++i)
            if (core.may(i) && core[i].ctas < goal[i] &&
                (lowest == no_kernel || level(i, core[i].ctas) < level(lowest, core[lowest].ctas)))
                lowest = i;
        return lowest;
    }

    std::vector<core_state> core_;
    std::vector<kernel_state> kernel_; ///< by number
};
static_assert(kernel_dispatch<warped_slicer>);

} // namespace warpkit
