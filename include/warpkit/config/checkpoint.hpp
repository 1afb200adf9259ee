#pragma once
/// \file
/// Checkpoints of a run: what it takes to go on from the middle of a kernel, now and then, as bytes
/// (config/checkpoint_file.hpp keeps them in a file).
///
/// A checkpoint holds the machine's state (machine/state_archive.hpp) and what became of the launches before. Function
/// comes first, so it needs nothing of the program: who goes on runs the program again, which executes its CTAs in the
/// order in which they went out, without timing, and so leaves in the device's memory what was there. Then the state is
/// loaded over a machine that has begun with the same launch.

#include <warpkit/base/error.hpp>
#include <warpkit/cta/read_growth.hpp>
#include <warpkit/gpu/intervals.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/kernel_span.hpp>
#include <warpkit/machine/state_archive.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/program/stream.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit {

/// What a machine tells of the launch that it ran last.
struct launch_outcome {
    run_counters counters;
    std::vector<kernel_span> spans;
    std::string note; ///< of the choice of block; empty for nothing
    unsigned degree = 0;
    degree_report report;
};

/// The order in which CTAs were executed: mostly that of their numbers.
class cta_order {
public:
    void add(std::uint64_t cta) {
        if (others_.empty() && cta == in_order_)
            ++in_order_;
        else
            others_.push_back(cta);
    }
    /// The first so many alone: others may have been executed ahead, which are then in the order of their numbers.
    cta_order first(std::uint64_t count) const {
        auto o = *this;
        if (o.others_.empty() && count < o.in_order_) o.in_order_ = count;
        return o;
    }
    std::uint64_t size() const noexcept { return in_order_ + others_.size(); }
    template <class F>
    void each(F&& f) const {
        for (std::uint64_t cta = 0; cta < in_order_; ++cta) f(cta);
        for (auto const cta : others_) f(cta);
    }
    template <class F>
    void each_stored(F&& f) {
        f(in_order_, others_);
    }

private:
    std::uint64_t in_order_ = 0;        ///< CTAs 0 to before this one
    std::vector<std::uint64_t> others_; ///< behind these
};

/// Where a run was when a checkpoint of it was made.
struct checkpoint_place {
    std::uint64_t launches = 0; ///< that had ended
    std::string kernel;         ///< that ran
    std::uint64_t cycles = 0;   ///< core cycles of the whole run
};

/// How a run is to be kept.
struct checkpoint_options {
    double seconds = 60;      ///< of the host between two; where `cycles` is not 0, that counts
    std::uint64_t cycles = 0; ///< core cycles of the run
    /// Takes a checkpoint. What it throws ends the run.
    std::function<void(std::string const& bytes, checkpoint_place const& at)> keep;
    std::string resume; ///< the bytes of one to go on from; empty: from the beginning
    std::function<void(checkpoint_place const&)> resumed; ///< hears where the run goes on; may be empty
};

/// The machine that is kept, by what it can do.
struct kept_machine {
    using sink = std::function<void(kernel_progress const&)>;
    /// Runs them; `begun` is called when they have begun.
    std::function<run_counters(launch_group const&, sink const&, std::function<void()> const& begun)> run;
    /// Writes its state, or reads it; answers how many CTAs have gone out.
    std::function<std::uint64_t(state_archive&)> store;
    /// Whether a new machine that begins with these and loads this state is equal to it; may be empty.
    std::function<bool(std::string_view state, launch_group const&)> is_held_by;
    std::function<launch_outcome()> outcome;
};

/// Keeps a run, and takes it up again: one of each run, in the order of its launches.
class run_keeper {
public:
    /// Throws `error` where what is to be resumed cannot be read.
    explicit run_keeper(checkpoint_options options) : options_(std::move(options)) {
        if (options_.resume.empty()) return;
        state_archive from(options_.resume);
        from(was_);
        from.end();
        options_.resume = {};
        resumes_ = true;
    }

    /// Runs a launch, or, where it had ended when the checkpoint was made, only executes it. Throws `error` where it is
    /// not the one that the checkpoint is of, and as the machine does.
    run_counters run(kept_machine const& machine, launch_group const& launches,
                     kept_machine::sink const& progress) {
        if (launches.size() != 1)
            throw error("kernels that run at once cannot be kept in a checkpoint; set core.kernels=1");
        auto const& launch = launches.front().launch;
        now_ = {launch.program->name, launch.grid, launch.block, launch.cluster, launch.shared_bytes, {}, {}};
        source_ = launch;
        launch_group const recorded(recording());
        if (resumes_ && ended_.size() < was_.ended.size()) return execute(was_.ended[ended_.size()]);
        ended_before_ = false;
        auto const begun = [&] {
            if (resumes_)
                take_up(machine);
            else
                look(machine, launches, 0);
        };
        auto const counters = machine.run(
            recorded,
            [&](kernel_progress const& p) {
                if (progress) progress(p);
                look(machine, launches, p.cycles);
            },
            begun);
        now_.outcome = machine.outcome();
        now_.outcome.counters = counters;
        cycles_ += counters.cycles;
        ended_.push_back(std::move(now_));
        return counters;
    }
    /// What the last launch was found to do, if it was not run again; otherwise null.
    launch_outcome const* outcome() const noexcept {
        return ended_before_ ? &ended_.back().outcome : nullptr;
    }

private:
    using clock = std::chrono::steady_clock;
    /// A launch, and what became of it.
    struct told_launch {
        std::string kernel;
        dim3 grid, block, cluster;
        std::uint32_t shared_bytes = 0;
        cta_order order;
        launch_outcome outcome;
        bool is_as(told_launch const& o) const noexcept {
            return kernel == o.kernel && grid == o.grid && block == o.block && cluster == o.cluster &&
                   shared_bytes == o.shared_bytes;
        }
    };
    struct content {
        std::vector<told_launch> ended;
        told_launch running;
        std::string state;
        checkpoint_place at;
    };

    kernel_launch recording() {
        auto l = source_;
        l.source = this;
        l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            auto& k = *static_cast<run_keeper*>(self);
            k.source_.fill(k.source_.source, cta, out);
            k.now_.order.add(cta);
        };
        return l;
    }
    /// The program runs again: it must launch what it did.
    void check(told_launch const& was) const {
        if (now_.is_as(was)) return;
        auto const shape = [](told_launch const& l) {
            return joined(
                {"'", l.kernel, "' with ", l.grid.count(), " CTAs of ", l.block.count(), " threads"});
        };
        throw error({"the checkpoint is of another run: its launch ", ended_.size(), " was ", shape(was),
                     ", and is ", shape(now_)});
    }
    void execute(cta_order const& order) {
        cta_stream stream;
        order.each([&](std::uint64_t cta) {
            if (cta >= source_.ctas()) state_archive::damaged("it names a CTA that is not there");
            stream.reset(source_.warps_per_cta());
            source_.fill(source_.source, cta, stream);
        });
        now_.order = order;
    }
    run_counters execute(told_launch& was) {
        check(was);
        execute(was.order);
        cycles_ += was.outcome.counters.cycles;
        ended_before_ = true;
        ended_.push_back(std::move(was));
        return ended_.back().outcome.counters;
    }
    void take_up(kept_machine const& machine) {
        check(was_.running);
        execute(was_.running.order);
        state_archive from(was_.state);
        (void)machine.store(from);
        from.end();
        if (options_.resumed) options_.resumed(was_.at);
        resumes_ = false;
        was_ = {};
        rest(cycles_);
    }

    /// Makes a checkpoint, if it is time for one.
    void look(kept_machine const& machine, launch_group const& launches, std::uint64_t in_kernel) {
        auto const cycles = cycles_ + in_kernel;
        if (options_.cycles != 0 ? cycles < next_cycles_ : clock::now() < next_) return;
        state_archive state;
        auto const dispatched = machine.store(state);
        if (!checked_ && machine.is_held_by && !machine.is_held_by(state.bytes(), launches))
            throw error(
                "a checkpoint would not hold all of this machine's state: a policy has members that its "
                "each_member leaves out; give it `template <class F> void each_stored(F&& f)`, which "
                "calls f with all of them (docs/howto/policy.md)");
        checked_ = true;
        content c{std::move(ended_), now_, state.take(), {0, now_.kernel, cycles}};
        c.running.order = now_.order.first(dispatched);
        c.at.launches = c.ended.size();
        state_archive to;
        to(c);
        ended_ = std::move(c.ended);
        options_.keep(to.bytes(), c.at);
        rest(cycles);
    }
    void rest(std::uint64_t cycles) {
        next_cycles_ = cycles + options_.cycles;
        next_ = clock::now() + wait();
    }
    clock::duration wait() const {
        return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(options_.seconds));
    }

    checkpoint_options options_;
    content was_; ///< what is resumed, as long as it is
    bool resumes_ = false;
    bool ended_before_ = false;
    bool checked_ = false; ///< that all is held
    std::vector<told_launch> ended_;
    told_launch now_;
    kernel_launch source_;     ///< of now_
    std::uint64_t cycles_ = 0; ///< of what has ended
    std::uint64_t next_cycles_ = options_.cycles;
    clock::time_point next_ = clock::now() + wait();
};

} // namespace warpkit
