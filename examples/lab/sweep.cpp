// The runner of sweeps: one GPU on each core, each program executed once.
#include "sweep.hpp"

#include <warpkit/config/record.hpp>
#include <warpkit/gpu/threads/worker_pool.hpp>
#include <warpkit/report/progress.hpp>
#include <warpkit/report/text.hpp>

#include "shards.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unistd.h>

namespace lab {

using namespace warpkit;

namespace {

using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point start) {
    return std::chrono::duration<double>(steady::now() - start).count();
}

// Ctrl-C and SIGTERM ask for an end; the second time they end at once, which loses nothing that is finished.
volatile std::sig_atomic_t asked_to_end = 0;
class end_signals {
public:
    end_signals() {
        struct sigaction action = {};
        asked_to_end = 0;
        action.sa_handler = [](int signal) { asked_to_end = signal; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        for (auto const& [signal, before] : {std::pair(SIGINT, &before_[0]), {SIGTERM, &before_[1]}}) {
            sigaction(signal, &action, before);
            if (before->sa_handler == SIG_IGN)
                sigaction(signal, before, nullptr); // as shells want of background jobs
        }
    }
    end_signals(end_signals const&) = delete;
    end_signals& operator=(end_signals const&) = delete;
    ~end_signals() {
        sigaction(SIGINT, &before_[0], nullptr);
        sigaction(SIGTERM, &before_[1], nullptr);
    }

private:
    struct sigaction before_[2];
};

// What a run is left by in the middle; no `error`, since it is not the run's.
struct left_early {};

class runner {
public:
    runner(sweep_jobs const& jobs, run_store& store, sweep_options const& options)
        : jobs_(&jobs),
          store_(&store),
          state_(jobs.points.size(), point_state::to_do),
          workers_(options.jobs == 0 ? host_cores() : options.jobs),
          progress_(options.progress) {
        auto const there = store.finished(code_version());
        for (std::size_t i = 0; i < jobs.points.size(); ++i) {
            if (there.count(jobs.points[i].key) != 0) {
                state_[i] = point_state::done;
                ++outcome_.there;
            } else {
                ++program_[jobs.points[i].what.program].left;
            }
        }
        if (!options.quiet) bar_.emplace(std::cerr, isatty(STDERR_FILENO) != 0);
    }

    sweep_outcome run() {
        auto const start = steady::now();
        end_signals const signals;
        std::vector<std::thread> threads;
        std::thread alive([&] { renew(); });
        try {
            auto const missing = state_.size() - outcome_.there;
            for (std::size_t t = 1; t < std::min<std::size_t>(workers_, missing); ++t)
                threads.emplace_back([&] { work(); });
        } catch (std::system_error const&) { // as many as the host gives
        }
        work();
        for (auto& t : threads) t.join();
        {
            std::lock_guard const lock(mutex_);
            ended_ = true;
        }
        changed_.notify_all();
        alive.join();
        if (bar_) bar_->clear();
        if (failure_) {
            try {
                store_->release_all();
            } catch (error const&) { // the first failure says more
            }
            std::rethrow_exception(failure_);
        }
        outcome_.signal = asked_to_end;
        outcome_.seconds = seconds_since(start);
        return std::move(outcome_);
    }

private:
    enum class point_state { to_do, taken, others, done };
    // A program that points have in common.
    struct program_state {
        std::size_t left = 0; // points to be run
        bool executing = false;
        std::unique_ptr<recorded_program> executed;
        std::string problem;      // why it can not be executed
        std::mutex reading_trace; // which is read by one at a time
    };

    bool ending() const { return asked_to_end != 0 || failed_; }

    // One worker's work.
    void work() {
        try {
            while (auto const i = next()) {
                auto const& point = jobs_->points[*i];
                auto const claimed = store_->claim(point.key, code_version());
                if (claimed != run_store::claim_state::mine) {
                    std::lock_guard const lock(mutex_);
                    auto const finished = claimed == run_store::claim_state::finished;
                    state_[*i] = finished ? point_state::done : point_state::others;
                    if (finished) {
                        ++outcome_.others;
                        forget(point.what.program);
                    }
                    continue;
                }
                auto const start = steady::now();
                std::unique_lock<std::mutex> reading;
                try {
                    auto const done = carry_out(point.what, jobs_->how, nullptr, progress_of(point),
                                                [&] { return executed(point, reading); }, {});
                    keep(point, done.record);
                } catch (left_early const&) {
                    store_->release(point.key, code_version());
                    continue;
                }
                std::lock_guard const lock(mutex_);
                state_[*i] = point_state::done;
                ++outcome_.here;
                outcome_.busy += seconds_since(start);
                forget(point.what.program);
            }
        } catch (...) {
            std::lock_guard const lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            failed_ = true;
        }
        changed_.notify_all();
    }

    // A point to run: of a program that is there if possible, so that few programs are kept at once. None: all is done,
    // or to be left.
    std::optional<std::size_t> next() {
        std::unique_lock lock(mutex_);
        while (!ending()) {
            std::optional<std::size_t> first;
            bool others = false;
            for (std::size_t i = first_open_; i < state_.size(); ++i) {
                if (state_[i] == point_state::done && i == first_open_) ++first_open_;
                others = others || state_[i] == point_state::others;
                if (state_[i] != point_state::to_do) continue;
                if (!first) first = i;
                if (program_[jobs_->points[i].what.program].executing) continue;
                first = i;
                break;
            }
            if (first) {
                state_[*first] = point_state::taken;
                return first;
            }
            if (!others) break;
            // Others are at the rest: they finish it, or their claims end.
            show("waiting for other processes");
            changed_.wait_for(lock, std::chrono::milliseconds(300));
            for (auto& s : state_)
                if (s == point_state::others) s = point_state::to_do;
        }
        return {};
    }

    // The point's program, executed; null if the point must execute it. `reading` is of its trace, if it has one.
    recorded_program const* executed(sweep_jobs::point const& point, std::unique_lock<std::mutex>& reading) {
        auto const* const subject = point.what.program;
        std::unique_lock lock(mutex_);
        auto& p = program_[subject];
        auto const read_trace = [&] {
            if (subject->trace) reading = std::unique_lock(p.reading_trace);
        };
        auto const by_itself = [&]() -> recorded_program const* {
            lock.unlock();
            read_trace();
            return nullptr;
        };
        if (!jobs_->how.reuse || !point.what.shares_function) return by_itself();
        while (p.executing) {
            changed_.wait_for(lock, std::chrono::milliseconds(100));
            if (ending()) throw left_early();
        }
        if (!p.problem.empty()) throw error(p.problem);
        if (p.executed) return p.executed.get();
        if (p.left < 2) return by_itself();
        p.executing = true;
        lock.unlock();
        read_trace();
        std::unique_ptr<recorded_program> result;
        std::string problem;
        bool left = false;
        try {
            result = std::make_unique<recorded_program>(
                lab::executed(*subject, jobs_->how, jobs_->how.reuse_memory / workers_, progress_of(point)));
        } catch (error const& e) {
            problem = e.what();
        } catch (left_early const&) {
            left = true;
        } catch (...) {
            lock.lock();
            p.executing = false;
            throw;
        }
        if (reading) reading.unlock();
        lock.lock();
        p.executing = false;
        p.executed = std::move(result);
        p.problem = problem;
        if (p.executed) ++outcome_.executed;
        changed_.notify_all();
        if (left) throw left_early();
        if (!problem.empty()) throw error(problem);
        return p.executed.get();
    }
    // A point of it is done.
    void forget(subject const* program) {
        auto& p = program_[program];
        if (p.left != 0 && --p.left == 0) p.executed.reset();
    }

    void keep(sweep_jobs::point const& point, report::run_record const& record) {
        report::json_writer w;
        append_json(w, record);
        store_->put({point.key, code_version(), point.text, w.text(), report::hexadecimal(record.fingerprint),
                     record.verified, record.problem, record.seconds});
        if (record.verified) return;
        std::lock_guard const lock(mutex_);
        outcome_.problems.push_back(record.label("kernel") + " under " + record.label("scheduler") + " on " +
                                    record.label("preset") + ": " + record.problem);
    }

    run_progress_sink progress_of(sweep_jobs::point const& point) {
        return [this, &point](run_progress const&) {
            if (ending()) throw left_early();
            std::unique_lock const lock(mutex_, std::try_to_lock);
            if (lock) show(point.what.program->name + ' ' + point.what.text_of("warp_scheduler"));
        };
    }
    void show(std::string const& at) {
        auto const missing = state_.size() - outcome_.there;
        auto const done = outcome_.here + outcome_.others;
        if (progress_) progress_(outcome_.there + done, state_.size(), at);
        if (!bar_) return;
        bar_->update(missing == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(missing),
                     std::to_string(outcome_.there + done) + " of " + std::to_string(state_.size()) + "  " +
                         at);
    }

    // Tells the store that this process lives.
    void renew() {
        std::unique_lock lock(mutex_);
        auto last = steady::now();
        while (!ended_) {
            changed_.wait_for(lock, std::chrono::seconds(1));
            if (ended_ || seconds_since(last) < 15) continue;
            last = steady::now();
            lock.unlock();
            try {
                store_->renew();
                lock.lock();
            } catch (...) {
                lock.lock();
                if (!failure_) failure_ = std::current_exception();
                failed_ = true;
            }
        }
    }

    sweep_jobs const* jobs_;
    run_store* store_;
    std::vector<point_state> state_;
    unsigned workers_;
    std::function<void(std::size_t, std::size_t, std::string const&)> progress_;
    std::map<subject const*, program_state> program_;
    std::size_t first_open_ = 0; // all points before it are done
    sweep_outcome outcome_;
    std::optional<report::progress_bar> bar_;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    bool ended_ = false;
    std::mutex mutex_; // for all of these
    std::condition_variable changed_;
};

} // namespace

sweep_outcome carry_out(sweep_jobs const& jobs, run_store& store, sweep_options const& options) {
    refuse_changed_files(jobs, store);
    return runner(jobs, store, options).run();
}

int sweep(sweep_plan const& plan, sweep_options const& options) {
    auto const jobs = jobs_of(plan); // what is misspelt is refused before there is a database
    if (!options.quiet) jobs.without.tell();
    if (options.dry) {
        std::set<std::string> there;
        if (std::error_code none; std::filesystem::exists(options.database, none)) {
            run_store store(options.database, run_store::access::read);
            refuse_changed_files(jobs, store);
            there = store.finished(code_version());
        }
        std::size_t missing = 0;
        std::set<subject const*> programs;
        for (auto const& p : jobs.points) {
            missing += there.count(p.key) == 0 ? 1 : 0;
            programs.insert(p.what.program);
        }
        std::cout << report::counted(jobs.points.size(), "point") << " of "
                  << report::counted(programs.size(), "program") << ", " << jobs.skipped << " left out; "
                  << missing << " missing in " << options.database << '\n';
        return 0;
    }
    run_store store(options.database, run_store::access::write);
    take_over(store);
    std::size_t other = 0;
    for (auto const& [version, n] : store.versions())
        if (version != code_version()) other += n;
    if (other != 0)
        std::cerr << "lab: note: " << options.database << " also has " << report::counted(other, "result")
                  << " of other versions of the code; they are kept apart, and are no part of this sweep\n";
    auto const done = carry_out(jobs, store, options);
    auto const finished = done.there + done.here + done.others;
    std::cout << report::counted(jobs.points.size(), "point") << ": " << done.there << " were there, "
              << done.here << " run here";
    if (done.others != 0) std::cout << ", " << done.others << " by other processes";
    if (jobs.skipped != 0) std::cout << ", " << jobs.skipped << " left out";
    std::cout << "; " << options.database << '\n';
    if (done.here != 0)
        std::cout << report::fixed(done.seconds, 1) << " s, " << report::fixed(done.busy / done.seconds, 2)
                  << " cores busy; " << report::counted(done.executed, "program")
                  << " executed once for several points\n";
    for (auto const& problem : done.problems) std::cerr << "lab: " << problem << '\n';
    if (done.signal != 0 && finished < jobs.points.size()) {
        std::cerr << "lab: ended early; " << finished << " of " << jobs.points.size()
                  << " points are in the database, and the same command goes on from there\n";
        return 130;
    }
    return done.problems.empty() ? 0 : 1;
}

} // namespace lab
