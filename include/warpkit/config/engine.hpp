#pragma once
/// \file
/// A machine whose policies' types are forgotten, so that a table can hold it and a user can pick it by name. One
/// machine's code is one function that is never inlined into another's: a whole catalogue compiles in linear time, and
/// can be spread over translation units.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/config/check.hpp>
#include <warpkit/config/checkpoint.hpp>
#include <warpkit/cta/read_growth.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/gpu/intervals.hpp>
#include <warpkit/gpu/sampling.hpp>
#include <warpkit/gpu/threads/worker_pool.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/kernel_span.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/machine/state_archive.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit {

template <class P>
class gpu; // gpu/gpu.hpp, for who uses engine::of() or with_values()

/// A simulated GPU that runs one kernel after the other, or several at once; caches stay warm in between.
class engine {
public:
    using progress_sink = std::function<void(kernel_progress const&)>;

    /// Runs a kernel to its end, or a group that may run at once; throws as gpu::run does. `progress` may be empty.
    run_counters run(launch_group const& launches, progress_sink const& progress = {}) const {
        if (keeper_) return keeper_->run(kept(), launches, progress);
        return run_(launches, progress, *workers_, sampling_.get(), intervals_.get(), {});
    }
    /// What became of each launch that it ran last; none where it does not tell.
    std::vector<kernel_span> spans() const {
        if (auto const* const o = before()) return o->spans;
        return spans_ ? spans_() : std::vector<kernel_span>();
    }
    /// How many kernels there may be at once: core.kernels.
    std::uint32_t kernels_at_once() const noexcept { return kernels_at_once_; }
    /// Whether PTX is to be executed in the order of a compiler: core.scheduled_code.
    bool wants_scheduled_code() const noexcept { return scheduled_code_; }
    /// Times only parts of long kernels from now on (gpu/sampling.hpp); run() then returns what was counted in them.
    /// Throws `error` for options that make no sense.
    void sample(sampling_options const& options) { sampling_ = std::make_shared<sampler>(options); }
    /// The cycles of the last kernel as its sampling tells them; null where nothing is sampled.
    cycle_estimate const* estimate() const noexcept { return sampling_ ? &sampling_->estimate() : nullptr; }
    /// Keeps what each `every` core cycles count from now on (gpu/intervals.hpp). Throws `error` for 0.
    void keep_intervals(cycle every) { intervals_ = std::make_shared<interval_recorder>(every); }
    /// Those of the last kernel; none where none are kept.
    std::vector<counted_interval> intervals() const {
        return intervals_ ? intervals_->kept() : std::vector<counted_interval>();
    }
    /// Makes checkpoints of the run of launches that comes now, and may go on from one (config/checkpoint.hpp). Throws
    /// `error` where the machine cannot be kept, and for a checkpoint that cannot be read.
    void keep(checkpoint_options options) {
        if (!store_) throw error("checkpoints are of the fast engine alone");
        if (sampling_) throw error("a run that is sampled cannot be kept in a checkpoint");
        if (intervals_) throw error("a run whose intervals are kept cannot be kept in a checkpoint");
        if (kernels_at_once_ > 1)
            throw error("kernels that run at once cannot be kept in a checkpoint; set core.kernels=1");
        keeper_ = std::make_shared<run_keeper>(std::move(options));
    }
    /// What tells machines apart that store their state differently.
    std::string state_layout() const { return layout_; }
    /// Lets these threads, which may serve several engines one after the other, advance this GPU from now on. The
    /// results are the same for any number of them.
    void share(std::shared_ptr<worker_pool> workers) { workers_ = std::move(workers); }

    /// The host has copied these bytes to the device: gpu::copied_from_host.
    void copied_from_host(std::uint64_t address, std::uint64_t bytes) const {
        if (copied_) copied_(address, bytes);
    }

    /// What its choice of block has to say of the last kernel's grid; null for nothing.
    char const* dispatch_note() const {
        if (auto const* const o = before()) return o->note.empty() ? nullptr : o->note.c_str();
        return note_ ? note_() : nullptr;
    }
    /// The CTAs per core that its occupancy limit decided on for all cores in the last kernel; 0 for none.
    unsigned announced_degree() const {
        if (auto const* const o = before()) return o->degree;
        return degree_ ? degree_() : 0;
    }
    /// What that limit had seen; nothing where none has decided.
    degree_report announced_report() const {
        if (auto const* const o = before()) return o->report;
        return report_ ? report_() : degree_report{};
    }

    /// The rows that its DRAM observers have seen shared in all kernels so far; none if they do not look at that.
    dram::row_sharing row_sharing() const { return rows_ ? rows_() : dram::row_sharing{}; }

    /// The GPU of `Machine` with these numbers, which are checked.
    template <class Machine>
    [[gnu::noinline]] static engine of(gpu_parameters const& numbers) {
        return with_values<Machine>(numbers, {});
    }
    /// The same with these instances of its policies: a sweep over a policy's run-time number needs no further type.
    template <class Machine>
    [[gnu::noinline]] static engine with_values(gpu_parameters const& numbers,
                                                policy_values<typename Machine::policies> const& values) {
        check(numbers);
        using machine = gpu<typename Machine::policies>;
        auto const made = std::make_shared<machine>(numbers, values);
        auto e = on(made);
        e.is_held_by_ = [made, numbers, values](std::string_view state, launch_group const& launches) {
            machine other(numbers, values);
            other.begin(launches);
            load_bytes(other, state);
            return other == *made;
        };
        return e;
    }
    /// Whatever `run` does with a launch: writes its trace, say. One after the other.
    static engine calling(std::function<run_counters(kernel_launch const&, progress_sink const&)> run) {
        engine e;
        e.run_ = [run = std::move(run)](launch_group const& launches, progress_sink const& progress,
                                        worker_pool&, sampler*, interval_recorder*,
                                        std::function<void()> const&) {
            run_counters sum;
            for (auto const& l : launches) sum += run(l.launch, progress);
            return sum;
        };
        return e;
    }
    /// A GPU that the caller keeps, to look at its observers, say: a gpu<P>, or a reference::gpu<P>
    /// (reference/gpu.hpp), which has neither threads nor sampling.
    template <class Gpu>
    static engine on(std::shared_ptr<Gpu> machine) {
        engine e;
        e.note_ = [machine] { return machine->dispatch_note(); };
        e.degree_ = [machine] { return machine->announced_degree(); };
        e.report_ = [machine] { return machine->announced_report(); };
        e.rows_ = [machine] { return machine->row_sharing(); };
        e.spans_ = [machine] { return machine->spans(); };
        e.kernels_at_once_ = machine->numbers().core.kernels;
        e.scheduled_code_ = machine->numbers().core.scheduled_code != 0;
        e.copied_ = [machine](std::uint64_t address, std::uint64_t bytes) {
            machine->copied_from_host(address, bytes);
        };
        if constexpr (requires(state_archive & a) { machine->each_stored(a); }) {
            e.layout_ = layout_of<Gpu>();
            e.store_ = [machine](state_archive& a) {
                a(*machine);
                return machine->dispatched_ctas();
            };
        }
        e.run_ = [machine = std::move(machine)](launch_group const& launch, progress_sink const& progress,
                                                [[maybe_unused]] worker_pool& workers, sampler* sampling,
                                                interval_recorder* intervals,
                                                [[maybe_unused]] std::function<void()> const& begun) {
            auto const tell = [&progress](kernel_progress const& p) {
                if (progress) progress(p);
            };
            if constexpr (requires { machine->run(launch, tell, workers, sampling, intervals); }) {
                return machine->run(launch, tell, workers, sampling, intervals, [&begun] {
                    if (begun) begun();
                });
            } else {
                if (intervals != nullptr)
                    throw error("the reference counts whole kernels: it has no intervals");
                if (sampling != nullptr) throw error("the reference times whole kernels: it has no sampling");
                return machine->run(launch, tell);
            }
        };
        return e;
    }

private:
    /// Of a machine's type, whose name has all its policies.
    template <class Gpu>
    static std::string layout_of() {
        std::uint64_t hash = 0;
        for (auto const* at = __PRETTY_FUNCTION__; *at != 0; ++at)
            hash = hasher::mix(hash ^ static_cast<unsigned char>(*at));
        return std::to_string(hash);
    }
    kept_machine kept() const {
        return {[this](launch_group const& launches, progress_sink const& progress,
                       std::function<void()> const& begun) {
                    return run_(launches, progress, *workers_, nullptr, nullptr, begun);
                },
                store_, is_held_by_,
                [this] {
                    auto const* const note = note_();
                    return launch_outcome{{}, spans_(), note == nullptr ? "" : note, degree_(), report_()};
                }};
    }
    launch_outcome const* before() const noexcept { return keeper_ ? keeper_->outcome() : nullptr; }

    std::function<run_counters(launch_group const&, progress_sink const&, worker_pool&, sampler*,
                               interval_recorder*, std::function<void()> const&)>
        run_;
    std::function<std::uint64_t(state_archive&)> store_; ///< or loads; the CTAs that have gone out
    std::function<bool(std::string_view, launch_group const&)> is_held_by_;
    std::string layout_;
    std::shared_ptr<run_keeper> keeper_;
    std::function<std::vector<kernel_span>()> spans_;
    std::uint32_t kernels_at_once_ = 1;
    bool scheduled_code_ = false;
    std::shared_ptr<worker_pool> workers_ = std::make_shared<worker_pool>(1);
    std::shared_ptr<sampler> sampling_;
    std::shared_ptr<interval_recorder> intervals_;
    std::function<void(std::uint64_t, std::uint64_t)> copied_;
    std::function<char const*()> note_;
    std::function<unsigned()> degree_;
    std::function<degree_report()> report_;
    std::function<dram::row_sharing()> rows_;
};

} // namespace warpkit
