#pragma once
// The database of finished runs: what `lab sweep` fills, and `lab results` asks.
//
// An SQLite file in WAL mode. A run is found by its key, which stands for everything that determines its result, within
// one version of the code. Whoever computes a run claims it first; a claim is a lease, renewed while its process lives,
// so that several processes share the work and what a killed one had begun is taken over.

#include <warpkit/base/error.hpp>

#include "content_hash.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

struct sqlite3;

namespace lab {

// The version of all that can change a result: the library's, and a hash of its sources and of the kernels'.
std::string const& code_version();

// A run as the database holds it.
struct stored_run {
    std::string key;     // content_hash(point)
    std::string version; // code_version() of the lab that made it
    std::string point;   // what determines the result, as JSON: program, input, numbers, policies
    std::string record;  // what came of it, as JSON (report::append_json)
    std::string fingerprint;
    bool verified = false;
    std::string problem;
    double seconds = 0; // host time
};

// What a database's `fail` throws where another process holds it.
struct store_busy : warpkit::error {
    using error::error;
};

class run_store {
public:
    // `alone`: to be written by this process only, which needs no memory shared with others: on a network disk, too.
    enum class access { write, read, alone };
    enum class claim_state {
        mine,     // it is to be run here
        finished, // there is a good result
        others    // a process that lives is at it
    };

    // Opens it, and makes it if it is to be written and there is none. Throws `error` for what is no such database, one
    // of a newer lab, and what can not be read or written. `lease` is in milliseconds, as is `wait` for a database that
    // others hold.
    run_store(std::string path, access how, std::int64_t lease = 60'000, int wait = 60'000);
    run_store(run_store const&) = delete;
    run_store& operator=(run_store const&) = delete;
    ~run_store();

    // All members may be called by several threads.

    // The keys with a good result of this version (empty: of any).
    std::set<std::string> finished(std::string const& version);
    claim_state claim(std::string const& key, std::string const& version);
    // Gives claims of this process back.
    void release(std::string const& key, std::string const& version);
    void release_all();
    // This process is alive: its claims last for another lease.
    void renew();
    // Keeps a result and ends its claim. A good result that is there stays; throws `error` if its fingerprint differs.
    void put(stored_run const& run);

    // Takes what another database has and this one has not; a good result takes the place of a bad one. How many, and
    // how many were here. Throws `error` where two good results of one point differ; nothing is taken then.
    std::pair<std::size_t, std::size_t> take(run_store& from);
    // A hash of all that is not host time: two databases with the same have the same content, to the last bit.
    std::string digest();
    // What each point took, of all versions.
    struct past_cost {
        std::string key;
        std::string point;
        double seconds = 0;
    };
    std::vector<past_cost> costs();

    // The programs of files that results are of: the names of these files, by the label `kind` (ptx, launch, trace),
    // and the hash of what was in them.
    struct past_program {
        std::string file;
        std::string code;
    };
    std::vector<past_program> programs_of(char const* kind, std::string const& version);
    // The versions of the code that results are of, with their numbers.
    std::vector<std::pair<std::string, std::size_t>> versions();
    // The results of one version (empty: of all) in the order of their points.
    std::vector<stored_run> runs(std::string const& version);
    std::string const& path() const noexcept { return path_; }

private:
    class statement;
    static stored_run run_in(statement const& s); // the row of all_runs
    void open(access how);
    void prepare_new(access how);
    void execute(char const* sql);
    // Whether it was kept, or there was a good result already; throws where that differs. Within a transaction.
    bool insert(stored_run const& run);
    [[noreturn]] void fail(int code) const;

    std::string path_;
    std::int64_t lease_;
    int wait_;
    std::string owner_;
    sqlite3* db_ = nullptr;
    std::mutex mutex_;
};

} // namespace lab
