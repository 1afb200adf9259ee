#pragma once
// Parts of a sweep that are run apart: each a list of points, and a database that one process at a time writes.

#include "plan.hpp"
#include "store.hpp"

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lab {

// Cuts a row of costs into at most so many pieces that follow each other, none of them empty, so that the dearest is as
// cheap as can be: by bisection of its cost. [first, last) of each.
std::vector<std::pair<std::size_t, std::size_t>> pieces_of(std::vector<double> const& costs,
                                                           std::size_t most);

// The folder of a sweep's shards: `N.points`, a header and a key a line; `N.db`; `N.state` of a worker that tells.
struct shard_folder {
    std::filesystem::path path;
    std::size_t shards = 0;

    std::filesystem::path points(std::size_t shard) const { return file(shard, ".points"); }
    std::filesystem::path database(std::size_t shard) const { return file(shard, ".db"); }
    std::filesystem::path state(std::size_t shard) const { return file(shard, ".state"); }

private:
    std::filesystem::path file(std::size_t shard, char const* end) const {
        return path / (std::to_string(shard) + end);
    }
};
// Where the shards of a database's sweeps are: DATABASE.shards.
std::filesystem::path shards_of(std::string const& database);
// How many shards a folder has.
shard_folder shards_in(std::filesystem::path const& folder);

// What a point is expected to cost, in seconds of one core: what it took before (of any version), or the mean of its
// program, or that of all; 1 where nothing is known.
std::vector<double> expected_costs(sweep_jobs const& jobs, run_store& past);

// Writes the points that are missing in the database into a new folder of this name, as at most so many shards;
// programs stay together where they can, since each shard executes its own. Nothing is made where nothing is missing.
struct made_shards {
    shard_folder folder;
    std::size_t missing = 0;
    double seconds = 0; // expected of all
    double most = 0;    // of one shard
};
made_shards make_shards(sweep_jobs const& jobs, run_store& store, std::size_t most,
                        std::filesystem::path const& folder);
// The next free name for one: 1, 2, ...
std::filesystem::path new_folder(std::string const& database);

// The keys in a list of points. Throws `error` where it is none, or of another version of the code.
std::set<std::string> points_in(std::filesystem::path const& list);
// Leaves only these of a sweep's points. Throws `error` where it has not all of them.
void keep_only(sweep_jobs& jobs, std::set<std::string> const& keys, std::string const& list);

struct merged {
    std::size_t added = 0;
    std::size_t there = 0;            // before
    std::size_t databases = 0;        // that were read
    std::vector<std::string> busy;    // that a process is writing
    std::vector<std::string> lacking; // lists of points that are not all there, with how many
    std::size_t missing = 0;          // points of these
};
// Takes what databases have into one: each a database, or a folder of shards. `wait`: milliseconds for those that are
// being written. Throws `error` where two results of one point differ.
merged merge(std::vector<std::string> const& from, run_store& into, int wait);
// Notes that all points of a folder are where they belong.
void mark_complete(std::filesystem::path const& folder);
// Takes what earlier shards of this database have done into it, and says so; folders that are complete are passed over,
// and those of ranks taken away.
void take_over(run_store& into);
// `lab merge`. The exit status.
int merge(std::vector<std::string> const& from, std::string const& into);

} // namespace lab
