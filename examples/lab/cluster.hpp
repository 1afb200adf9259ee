#pragma once
// Sweeps beyond one process: shards for Slurm, for ranks that a launcher of MPI starts, and as commands for any other
// engine. None of them is linked or spoken to but by its commands and environment.

#include "sweep.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lab {

struct cluster_options {
    bool commands = false;
    bool slurm = false;
    bool mpi = false;
    std::size_t shards = 16;
    std::vector<std::string> sbatch;    // more options of it
    std::string start;                  // a name of this start under MPI; empty: the launcher's
    std::string points;                 // only those in this list: this process is a worker
    std::vector<std::string> arguments; // of `lab sweep`, as they were given

    bool any() const { return commands || slurm || mpi || !points.empty(); }
};

// One of the processes that a launcher has started together.
struct started_rank {
    std::size_t rank = 0;
    std::size_t of = 1;
    std::string launch; // what tells this start from others; empty: the launcher does not say
};
// By the variables that launchers set: mpirun of Open MPI, mpiexec of MPICH and its like, srun; none without.
std::optional<started_rank> rank_of(std::function<char const*(char const*)> const& variable);

// Arguments without these options; those named in `valued` have a value behind them or after '='.
std::vector<std::string> without(std::vector<std::string> arguments, std::vector<std::string> const& flags,
                                 std::vector<std::string> const& valued);
// A word of a shell's command line.
std::string quoted(std::string const& word);

// `lab sweep` with any of these. The exit status.
int sweep_on_cluster(sweep_plan const& plan, sweep_options const& options, cluster_options const& how);

} // namespace lab
