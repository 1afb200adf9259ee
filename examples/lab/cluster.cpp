// Sweeps beyond one process.
#include "cluster.hpp"

#include <warpkit/base/input_file.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/gpu/threads/worker_pool.hpp>
#include <warpkit/report/text.hpp>

#include "shards.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <sys/wait.h>
#include <thread>

namespace lab {

using namespace warpkit;
namespace fs = std::filesystem;

namespace {

using steady = std::chrono::steady_clock;
constexpr std::chrono::seconds beat{5};  // how often a rank says that it lives
constexpr std::chrono::seconds lost{60}; // and is taken for dead

std::string this_program() {
    std::error_code failed;
    auto const path = fs::read_symlink("/proc/self/exe", failed);
    return failed ? "lab" : path.string();
}

// The sweep's own command line, for shards: in this folder, by this program.
std::vector<std::string> worker_arguments(cluster_options const& how) {
    return without(how.arguments, {"--commands", "--slurm", "--mpi", "-q", "--quiet"},
                   {"--shards", "--sbatch", "--start", "--db", "--points", "-j", "--jobs"});
}
// `shard` is a number, or what a shell makes one of.
std::string worker_command(cluster_options const& how, fs::path const& folder, std::string const& shard,
                           std::string const& jobs) {
    auto line = quoted(this_program()) + " sweep";
    for (auto const& a : worker_arguments(how)) line += ' ' + quoted(a);
    auto const file = [&](char const* end) {
        return quoted(fs::absolute(folder).string() + '/') + shard + end;
    };
    return line + " --points " + file(".points") + " --db " + file(".db") + " --jobs " + jobs + " --quiet";
}

made_shards shards_for(sweep_jobs const& jobs, sweep_options const& options, std::size_t most,
                       fs::path const& folder) {
    run_store store(options.database, run_store::access::alone); // it may be on a network disk
    take_over(store);
    refuse_changed_files(jobs, store);
    return make_shards(jobs, store, most, folder);
}

void say_what(made_shards const& made, sweep_jobs const& jobs) {
    std::cerr << "lab: " << made.missing << " of " << report::counted(jobs.points.size(), "point")
              << " missing";
    if (made.missing != 0)
        std::cerr << ", in " << report::counted(made.folder.shards, "shard") << " in "
                  << made.folder.path.string() << "; expected are " << report::fixed(made.seconds, 1)
                  << " s of one core, " << report::fixed(made.most, 1) << " s the longest shard";
    std::cerr << '\n';
}

unsigned jobs_of_each(sweep_options const& options) { return std::max(options.jobs, 1U); }

int print_commands(sweep_jobs const& jobs, sweep_options const& options, cluster_options const& how) {
    auto const made = shards_for(jobs, options, how.shards, new_folder(options.database));
    say_what(made, jobs);
    for (std::size_t n = 0; n < made.folder.shards; ++n)
        std::cout << "cd " << quoted(fs::current_path().string()) << " && "
                  << worker_command(how, made.folder.path, std::to_string(n),
                                    std::to_string(jobs_of_each(options)))
                  << '\n';
    if (made.missing != 0)
        std::cerr << "lab: when they have run: lab merge " << quoted(made.folder.path.string()) << " --db "
                  << quoted(options.database) << '\n';
    return 0;
}

// ---- Slurm

// Runs a command and gives what it printed; throws `error` where it fails.
std::string output_of(std::string const& command, char const* name) {
    auto* const pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) throw error(std::string(name) + ": no process can be started");
    std::string text;
    std::array<char, 512> part{};
    while (auto const n = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), n);
    auto const status = pclose(pipe);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (status != 0) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
            throw error(std::string(name) +
                        " is not there; submit where Slurm is, or use --commands for another engine");
        std::replace(text.begin(), text.end(), '\n', ' ');
        throw error(std::string(name) + " refuses the sweep: " + text);
    }
    return text;
}

// A shard ends with 130 where it was told to end and had finished something since it was started: it is to go on. Where
// its time is over Slurm signals the script, a minute before.
constexpr char const* script_end = R"(
shard=$!
trap 'kill -TERM "$shard" 2>/dev/null' TERM
wait "$shard"
status=$?
while kill -0 "$shard" 2>/dev/null; do
    wait "$shard"
    status=$?
done
if [ "$status" = 130 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
)";

int submit(sweep_jobs const& jobs, sweep_options const& options, cluster_options const& how) {
    (void)output_of("command -v sbatch >/dev/null || exit 127", "sbatch"); // before anything is made
    auto const made = shards_for(jobs, options, how.shards, new_folder(options.database));
    say_what(made, jobs);
    if (made.missing == 0) return 0;
    auto const folder = fs::absolute(made.folder.path);
    std::string more;
    for (auto const& option : how.sbatch) more += ' ' + quoted(option);
    auto const script = (folder / "shards.sh").string();
    write_file(
        script,
        "#!/bin/bash\n# One shard of a sweep, by the number of its task; lab sweep --slurm has written it.\n"
        "cd " +
            quoted(fs::current_path().string()) + " || exit 1\n" +
            worker_command(how, folder, "\"$SLURM_ARRAY_TASK_ID\"", "\"${SLURM_CPUS_PER_TASK:-1}\"") + " &" +
            script_end);
    auto const last = std::to_string(made.folder.shards - 1);
    auto job = output_of("sbatch --parsable --job-name=lab-sweep --array=0-" + last +
                             " --requeue --open-mode=append --signal=B:TERM@60 --cpus-per-task=" +
                             std::to_string(jobs_of_each(options)) + " --output=" +
                             quoted((folder / "%a.log").string()) + more + ' ' + quoted(script),
                         "sbatch");
    job = job.substr(job.rfind('\n') + 1); // remarks stand before it
    auto const number = job.substr(0, job.find(';'));
    auto const joining = (folder / "merge.sh").string();
    write_file(joining, "#!/bin/bash\ncd " + quoted(fs::current_path().string()) + " || exit 1\nexec " +
                            quoted(this_program()) + " merge " + quoted(folder.string()) + " --db " +
                            quoted(options.database) + '\n');
    auto merging = output_of(
        "sbatch --parsable --job-name=lab-merge --open-mode=append --dependency=afterany:" + number +
            " --output=" + quoted((folder / "merge.log").string()) + more + ' ' + quoted(joining),
        "sbatch");
    merging = merging.substr(merging.rfind('\n') + 1);
    std::cout << "job " << number << ", tasks 0-" << last << ", and job "
              << merging.substr(0, merging.find(';')) << " that merges them into " << options.database
              << "; what they say is in " << folder.string() << '\n';
    return 0;
}

// ---- ranks

// Writes what a rank is at, while it lives.
class living {
public:
    explicit living(fs::path state) : state_(std::move(state)), thread_([this] { run(); }) {}
    living(living const&) = delete;
    ~living() {
        if (thread_.joinable()) end("failed");
    }
    void end(std::string const& how) {
        {
            std::lock_guard const lock(mutex_);
            ended_ = true;
        }
        changed_.notify_all();
        thread_.join();
        write(how);
    }

private:
    void run() {
        std::unique_lock lock(mutex_);
        for (unsigned n = 0; !ended_; ++n) {
            write("running " + std::to_string(n));
            changed_.wait_for(lock, beat);
        }
    }
    void write(std::string const& text) const {
        try {
            write_file(state_.string(), text + '\n');
        } catch (error const&) { // a full disk ends the sweep by itself
        }
    }

    fs::path state_;
    bool ended_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
};

std::string state_of(shard_folder const& folder, std::size_t shard) {
    try {
        auto text = read_file(folder.state(shard).string());
        while (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    } catch (error const&) {
        return {};
    }
}

sweep_outcome run_shard(sweep_jobs jobs, shard_folder const& folder, std::size_t shard,
                        sweep_options options) {
    auto const list = folder.points(shard);
    keep_only(jobs, points_in(list), list.string());
    run_store store(folder.database(shard).string(), run_store::access::alone);
    options.quiet = true;
    options.jobs = jobs_of_each(options);
    return carry_out(jobs, store, options);
}

// Waits until the folder is there, or nothing is missing.
shard_folder awaited(fs::path const& folder) {
    auto const begin = steady::now();
    std::error_code none;
    while (!fs::exists(folder, none)) {
        if (steady::now() - begin > std::chrono::minutes(10))
            throw error("--mpi: rank 0 has made no shards in " + folder.string() +
                        " for ten minutes; do all ranks see this folder?");
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return shards_in(folder);
}

int run_rank(sweep_jobs const& jobs, sweep_options const& options, cluster_options const& how) {
    auto const me = rank_of([](char const* name) { return std::getenv(name); });
    if (!me)
        throw error(
            "--mpi: no launcher that it knows has started this process; start it with mpirun or srun: mpirun "
            "-n 8 lab sweep plan.toml --db runs.db --mpi");
    auto launch = how.start.empty() ? me->launch : how.start;
    if (launch.empty())
        throw error("--mpi: this launcher gives a start no name; give each one of its own: --start NAME");
    auto const path = shards_of(options.database) / ("mpi-" + content_hash(launch).substr(0, 16));
    shard_folder folder{path, 0};
    std::size_t missing_before = 0;
    if (me->rank == 0) {
        if (std::error_code none; fs::exists(path, none))
            throw error("--mpi: there has been a start of this name, " + path.string() +
                        "; give this one a name of its own: --start NAME");
        auto const made = shards_for(jobs, options, me->of, path);
        say_what(made, jobs);
        folder = made.folder;
        missing_before = made.missing;
        if (made.missing == 0) { // the others look for a folder, and find that there is nothing to do in it
            std::error_code none;
            fs::create_directories(path, none);
        }
    } else {
        folder = awaited(path);
    }
    int status = 0; // a run that failed is no reason for the launcher to end the others
    if (me->rank < folder.shards) {
        living alive(folder.state(me->rank));
        auto const done = run_shard(jobs, folder, me->rank, options);
        for (auto const& problem : done.problems) std::cerr << "lab: " << problem << '\n';
        if (done.signal != 0) status = 130;
        alive.end(done.signal != 0 ? "ended early" : "done");
    }
    if (me->rank != 0) return status;

    // Rank 0 takes in what each has done as soon as that has ended.
    run_store store(options.database, run_store::access::alone);
    std::map<std::size_t, std::pair<std::string, steady::time_point>> open;
    for (std::size_t n = 0; n < folder.shards; ++n) open[n] = {std::string(), steady::now()};
    while (!open.empty()) {
        for (auto at = open.begin(); at != open.end();) {
            auto const shard = at->first;
            auto const text = state_of(folder, shard);
            auto const ended = !text.empty() && text.rfind("running", 0) != 0;
            if (text != at->second.first) at->second = {text, steady::now()};
            auto const silent = steady::now() - at->second.second > lost;
            if (!ended && !silent) {
                ++at;
                continue;
            }
            if (silent && !ended)
                std::cerr << "lab: rank " << shard
                          << " has said nothing for a minute, and is taken for dead\n";
            if (std::error_code none; fs::exists(folder.database(shard), none)) {
                run_store part(folder.database(shard).string(), run_store::access::alone);
                store.take(part);
            }
            at = open.erase(at);
        }
        if (!open.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    auto const finished = store.finished(code_version());
    std::size_t missing = 0;
    for (auto const& p : jobs.points) missing += finished.count(p.key) == 0 ? 1 : 0;
    std::cout << report::counted(jobs.points.size(), "point") << ": " << jobs.points.size() - missing_before
              << " were there, " << missing_before - missing << " run by "
              << report::counted(folder.shards, "rank") << "; " << options.database << '\n';
    if (missing != 0) {
        std::cerr << "lab: " << report::counted(missing, "point")
                  << " missing; the same command goes on from there\n";
        return status == 0 ? 1 : status;
    }
    mark_complete(path);
    return status;
}

// ---- a worker

int run_points(sweep_jobs jobs, sweep_options const& options, cluster_options const& how) {
    keep_only(jobs, points_in(how.points), how.points);
    run_store store(options.database, run_store::access::alone);
    auto const done = carry_out(jobs, store, options);
    auto const finished = done.there + done.here;
    std::cout << report::counted(jobs.points.size(), "point") << ": " << done.there << " were there, "
              << done.here << " run here; " << options.database << '\n';
    for (auto const& problem : done.problems) std::cerr << "lab: " << problem << '\n';
    if (done.signal == 0 || finished == jobs.points.size()) return done.problems.empty() ? 0 : 1;
    std::cerr << "lab: ended early; " << finished << " of " << jobs.points.size()
              << " points are in the database";
    if (done.here == 0) {
        std::cerr << ", none of them of this start: it needs more time to finish one\n";
        return 1;
    }
    std::cerr << ", and the same command goes on from there\n";
    return 130;
}

} // namespace

std::optional<started_rank> rank_of(std::function<char const*(char const*)> const& variable) {
    auto const text = [&](char const* name) {
        auto const* const value = variable(name);
        return std::string(value == nullptr ? "" : value);
    };
    auto const started = [&](char const* rank, char const* of) -> std::optional<started_rank> {
        auto const r = text(rank);
        auto const n = text(of);
        auto const number = [](std::string const& s) {
            return !s.empty() && s.size() < 10 && s.find_first_not_of("0123456789") == s.npos;
        };
        if (!number(r) || !number(n)) return {};
        started_rank me{std::stoul(r), std::stoul(n), {}};
        if (me.rank >= me.of) return {};
        return me;
    };
    auto const in_slurm = [&] {
        auto const job = text("SLURM_JOB_ID");
        if (job.empty()) return std::string();
        return "slurm " + job + ' ' + text("SLURM_STEP_ID") + ' ' + text("SLURM_RESTART_COUNT");
    };
    if (auto me = started("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) {
        me->launch = text("PMIX_NAMESPACE");
        if (me->launch.empty())
            me->launch = text("OMPI_MCA_orte_ess_jobid") + text("OMPI_MCA_ess_base_jobid");
        if (!me->launch.empty()) me->launch = "openmpi " + me->launch + ' ' + in_slurm();
        return me;
    }
    if (auto me = started("PMI_RANK", "PMI_SIZE")) { // MPICH, Intel MPI, MVAPICH
        me->launch = text("PMI_PORT").empty() ? in_slurm() : "pmi " + text("PMI_PORT");
        return me;
    }
    if (auto me = started("SLURM_PROCID", "SLURM_NTASKS"); me && !text("SLURM_STEP_ID").empty()) {
        me->launch = in_slurm();
        return me;
    }
    return {};
}

std::vector<std::string> without(std::vector<std::string> arguments, std::vector<std::string> const& flags,
                                 std::vector<std::string> const& valued) {
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        auto const& a = arguments[i];
        auto const is = [&](std::string const& name) {
            auto const is_short = name.size() == 2;
            return a == name || a.rfind(is_short ? name : name + '=', 0) == 0;
        };
        if (std::find(flags.begin(), flags.end(), a) != flags.end()) continue;
        if (auto const found = std::find_if(valued.begin(), valued.end(), is); found != valued.end()) {
            if (a == *found) ++i;
            continue;
        }
        rest.push_back(a);
    }
    return rest;
}

std::string quoted(std::string const& word) {
    constexpr char const* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
    std::string text = "'";
    for (char const c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + '\'';
}

int sweep_on_cluster(sweep_plan const& plan, sweep_options const& options, cluster_options const& how) {
    if (int{how.commands} + int{how.slurm} + int{how.mpi} + int{!how.points.empty()} > 1)
        throw error("--commands, --slurm, --mpi and --points are ways of their own; give one of them");
    if (!how.sbatch.empty() && !how.slurm) throw error("--sbatch: it is for --slurm");
    auto jobs = jobs_of(plan);
    if (!options.quiet) jobs.without.tell();
    if (!how.points.empty()) return run_points(std::move(jobs), options, how);
    if (options.dry) throw error("--dry-run: leave --commands, --slurm and --mpi out");
    if (how.commands) return print_commands(jobs, options, how);
    if (how.slurm) return submit(jobs, options, how);
    return run_rank(jobs, options, how);
}

} // namespace lab
