// The database of finished runs. All SQL is here.
#include "store.hpp"

#include <warpkit/base/error.hpp>
#include <warpkit/version.hpp>

#include "code_hash.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace lab {

using warpkit::error;

namespace {

// "wkrs": tells our databases from others (PRAGMA application_id).
constexpr int application = 0x776b7273;
// Of the tables below; a lab reads its own and older ones.
constexpr int format = 1;
constexpr char const* tables = R"(
CREATE TABLE runs (
    version     TEXT NOT NULL,  -- of the code
    key         TEXT NOT NULL,  -- the hash of point
    point       TEXT NOT NULL,  -- JSON: what determines the result
    record      TEXT NOT NULL,  -- JSON: what came of it, as lab run --json has it
    fingerprint TEXT NOT NULL,
    verified    INTEGER NOT NULL,
    problem     TEXT NOT NULL,
    seconds     REAL NOT NULL,  -- host time
    PRIMARY KEY (version, key)
) WITHOUT ROWID;
CREATE TABLE claims (
    version TEXT NOT NULL,
    key     TEXT NOT NULL,
    owner   TEXT NOT NULL,      -- host, process and its start
    expires INTEGER NOT NULL,   -- milliseconds since 1970
    lease   INTEGER NOT NULL,   -- milliseconds
    PRIMARY KEY (version, key)
) WITHOUT ROWID;
)";

std::int64_t now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string first_line(char const* file) {
    std::string line;
    std::ifstream in(file);
    std::getline(in, line);
    return line;
}
// When a process started, in clock ticks since the host did; empty if there is none.
std::string start_of(std::string const& process) {
    auto const line = first_line(("/proc/" + process + "/stat").c_str());
    auto const name_end = line.rfind(')'); // the name may hold anything
    if (name_end == line.npos) return {};
    std::istringstream rest(line.substr(name_end + 1));
    std::string field;
    for (int i = 3; i <= 22; ++i)
        if (!(rest >> field)) return {};
    return field;
}
// The host since it was started, and the processes that can be seen from here.
std::string host() {
    std::error_code none;
    auto const seen = std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
    return first_line("/proc/sys/kernel/random/boot_id") + ' ' + seen;
}
std::string this_process() {
    auto const process = std::to_string(getpid());
    return host() + ' ' + process + ' ' + start_of(process);
}
// Whether it ran on this host and is gone: its lease need not be waited for.
bool is_gone(std::string const& owner) {
    auto const here = host();
    if (here.size() < 2 || owner.compare(0, here.size(), here) != 0) return false;
    std::istringstream rest(owner.substr(here.size()));
    std::string process;
    std::string start;
    if (!(rest >> process >> start)) return false;
    return start_of(process) != start;
}

} // namespace

std::string const& code_version() {
    static std::string const version = std::to_string(WARPKIT_VERSION_MAJOR) + '.' +
                                       std::to_string(WARPKIT_VERSION_MINOR) + '.' +
                                       std::to_string(WARPKIT_VERSION_PATCH) + '+' + WARPKIT_CODE_HASH;
    return version;
}

// A statement with its values bound; throws what run_store::fail says.
class run_store::statement {
public:
    statement(run_store& store, char const* sql) : store_(&store) {
        check(sqlite3_prepare_v2(store.db_, sql, -1, &statement_, nullptr));
    }
    statement(statement const&) = delete;
    statement& operator=(statement const&) = delete;
    ~statement() { sqlite3_finalize(statement_); }

    statement& with(std::string const& text) {
        check(sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                                SQLITE_TRANSIENT));
        return *this;
    }
    statement& with(std::int64_t number) {
        check(sqlite3_bind_int64(statement_, ++bound_, number));
        return *this;
    }
    statement& with(double number) {
        check(sqlite3_bind_double(statement_, ++bound_, number));
        return *this;
    }
    // The next row; false at the end.
    bool next() {
        auto const code = sqlite3_step(statement_);
        if (code != SQLITE_ROW && code != SQLITE_DONE) store_->fail(code);
        return code == SQLITE_ROW;
    }
    std::string text(int column) const {
        auto const* const bytes = reinterpret_cast<char const*>(sqlite3_column_text(statement_, column));
        return bytes == nullptr
                   ? std::string()
                   : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
    }
    std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
    double real(int column) const { return sqlite3_column_double(statement_, column); }

private:
    void check(int code) {
        if (code != SQLITE_OK) store_->fail(code);
    }
    run_store* store_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

namespace {
// In the order of their points.
constexpr char const* all_runs =
    "SELECT version, key, point, record, fingerprint, verified, problem, seconds FROM runs "
    "WHERE ?1 = '' OR version = ?1 ORDER BY point, version";
} // namespace

stored_run run_store::run_in(statement const& s) {
    return {s.text(1), s.text(0), s.text(2), s.text(3), s.text(4), s.number(5) != 0, s.text(6), s.real(7)};
}

void run_store::fail(int code) const {
    switch (code & 0xff) {
    case SQLITE_FULL:
        throw error(path_ +
                    ": the disk is full; what was finished before is kept: make room, and start again");
    case SQLITE_READONLY:
    case SQLITE_PERM:
        throw error(path_ + ": may not be written; name a database in a folder of your own");
    case SQLITE_CANTOPEN:
        throw error(path_ + ": cannot be opened; is there such a folder, and may it be written?");
    case SQLITE_NOTADB:
        throw error(path_ + ": is no database of runs; name another file");
    case SQLITE_CORRUPT:
        throw error(path_ + ": is damaged; sqlite3's .recover saves what can be read");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        throw store_busy(path_ + ": another process holds it, and did all of the " +
                         std::to_string(wait_ / 1000) +
                         " seconds that were waited; is one stopped, or is it on a network disk?");
    case SQLITE_IOERR:
        throw error(path_ + ": cannot be read or written (" + sqlite3_errmsg(db_) +
                    "); is the disk full? what was finished before is kept");
    default:
        throw error(path_ + ": " + (db_ != nullptr ? sqlite3_errmsg(db_) : sqlite3_errstr(code)));
    }
}

void run_store::execute(char const* sql) {
    if (auto const code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) fail(code);
}

run_store::run_store(std::string path, access how, std::int64_t lease, int wait)
    : path_(std::move(path)),
      lease_(lease),
      wait_(wait),
      owner_(this_process()) {
    try {
        open(how);
    } catch (...) {
        sqlite3_close(db_);
        throw;
    }
}
run_store::~run_store() { sqlite3_close(db_); }

void run_store::open(access how) {
    if (path_.empty()) throw error("the database has an empty name; give a file, as runs.db");
    std::error_code none;
    if (std::filesystem::is_directory(path_, none)) throw error(path_ + ": is a folder; name a file in it");
    if (how == access::read && !std::filesystem::exists(path_, none))
        throw error(path_ + ": there is no such database; lab sweep --db makes one");
    auto const flags =
        how == access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    // "./": no name is a URI or one of SQLite's own.
    auto const name = path_.front() == '/' ? path_ : "./" + path_;
    auto const number = [&](char const* sql) {
        statement s(*this, sql);
        return s.next() ? s.number(0) : 0;
    };
    auto const connect = [&](std::string const& to, int with) {
        sqlite3_close(db_);
        db_ = nullptr;
        if (auto const code = sqlite3_open_v2(to.c_str(), &db_, with | SQLITE_OPEN_FULLMUTEX, nullptr);
            code != SQLITE_OK)
            fail(code);
        sqlite3_busy_timeout(db_, wait_);
        sqlite3_extended_result_codes(db_, 0);
    };
    connect(name, flags);
    if (how == access::read) {
        // A reader of a WAL database makes files beside it. Where it may not, and nobody is writing, none are needed.
        sqlite3_stmt* probe = nullptr;
        auto code = sqlite3_prepare_v2(db_, "SELECT count(*) FROM sqlite_master", -1, &probe, nullptr);
        if (code == SQLITE_OK) code = sqlite3_step(probe) == SQLITE_ROW ? SQLITE_OK : sqlite3_errcode(db_);
        sqlite3_finalize(probe);
        auto const cannot = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
        if (cannot && !std::filesystem::exists(path_ + "-wal", none)) {
            std::string escaped;
            for (char const c : std::filesystem::absolute(path_, none).string())
                escaped += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
            connect("file:" + escaped + "?immutable=1", flags | SQLITE_OPEN_URI);
        }
    } else if (sqlite3_db_readonly(db_, "main") == 1) {
        fail(SQLITE_READONLY);
    }
    // Before anything is read: the index of the WAL is then in this process alone.
    if (how == access::alone) execute("PRAGMA locking_mode = EXCLUSIVE");
    if (how != access::read) prepare_new(how);
    if (number("PRAGMA application_id") != application)
        throw error(path_ + ": is no database of runs; name another file");
    if (auto const found = number("PRAGMA user_version"); found > format)
        throw error(path_ + ": was made by a newer lab (format " + std::to_string(found) +
                    ", this one knows " + std::to_string(format) + "); use that lab, or another file");
}

void run_store::prepare_new(access how) {
    auto const number = [&](char const* sql) {
        statement s(*this, sql);
        return s.next() ? s.number(0) : 0;
    };
    if (number("SELECT count(*) FROM sqlite_master") == 0 && number("PRAGMA application_id") == 0) {
        // SQLite itself does not wait here while another process makes the tables.
        auto const begin = std::chrono::steady_clock::now();
        auto const waited = [&] { return std::chrono::steady_clock::now() - begin; };
        for (int code; (code = sqlite3_exec(db_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr)) !=
                       SQLITE_OK;) {
            if ((code & 0xff) != SQLITE_BUSY || waited() >= std::chrono::milliseconds(wait_)) fail(code);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        execute("BEGIN IMMEDIATE");
        if (number("SELECT count(*) FROM sqlite_master") == 0) { // nobody else was quicker
            execute(tables);
            execute(("PRAGMA application_id = " + std::to_string(application)).c_str());
            execute(("PRAGMA user_version = " + std::to_string(format)).c_str());
        }
        execute("COMMIT");
    }
    if (how == access::alone) { // taken now, and kept
        execute("BEGIN IMMEDIATE");
        execute("COMMIT");
    }
    execute("PRAGMA synchronous = NORMAL"); // whole after any end of the process, and after one of the host
}

std::set<std::string> run_store::finished(std::string const& version) {
    std::lock_guard const lock(mutex_);
    std::set<std::string> keys;
    statement s(*this, "SELECT key FROM runs WHERE (?1 = '' OR version = ?1) AND verified");
    s.with(version);
    while (s.next()) keys.insert(s.text(0));
    return keys;
}

run_store::claim_state run_store::claim(std::string const& key, std::string const& version) {
    std::lock_guard const lock(mutex_);
    execute("BEGIN IMMEDIATE");
    try {
        auto state = claim_state::mine;
        {
            statement done(*this, "SELECT 1 FROM runs WHERE version = ? AND key = ? AND verified");
            if (done.with(version).with(key).next()) state = claim_state::finished;
        }
        auto const at = now();
        if (state == claim_state::mine) {
            statement held(*this, "SELECT owner, expires, lease FROM claims WHERE version = ? AND key = ?");
            // One that would last longer than its lease was made before the clock was set back.
            if (held.with(version).with(key).next() && held.text(0) != owner_ && held.number(1) > at &&
                held.number(1) <= at + held.number(2) && !is_gone(held.text(0)))
                state = claim_state::others;
        }
        if (state == claim_state::mine) {
            statement take(*this, "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)");
            take.with(version).with(key).with(owner_).with(at + lease_).with(lease_).next();
        }
        execute("COMMIT");
        return state;
    } catch (...) {
        sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
}

void run_store::release(std::string const& key, std::string const& version) {
    std::lock_guard const lock(mutex_);
    statement s(*this, "DELETE FROM claims WHERE version = ? AND key = ? AND owner = ?");
    s.with(version).with(key).with(owner_).next();
}
void run_store::release_all() {
    std::lock_guard const lock(mutex_);
    statement s(*this, "DELETE FROM claims WHERE owner = ?");
    s.with(owner_).next();
}
void run_store::renew() {
    std::lock_guard const lock(mutex_);
    statement s(*this, "UPDATE claims SET expires = ? WHERE owner = ?");
    s.with(now() + lease_).with(owner_).next();
}

bool run_store::insert(stored_run const& run) {
    {
        statement s(*this, "SELECT fingerprint FROM runs WHERE version = ? AND key = ? AND verified");
        if (s.with(run.version).with(run.key).next()) {
            if (run.verified && s.text(0) != run.fingerprint)
                throw error(path_ + ": two runs of one point differ: fingerprints " + s.text(0) + " and " +
                            run.fingerprint + " of " + run.point);
            return false;
        }
    }
    statement s(*this, "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    s.with(run.version).with(run.key).with(run.point).with(run.record).with(run.fingerprint);
    s.with(std::int64_t{run.verified}).with(run.problem).with(run.seconds).next();
    return true;
}

void run_store::put(stored_run const& run) {
    std::lock_guard const lock(mutex_);
    execute("BEGIN IMMEDIATE");
    try {
        insert(run);
        {
            statement s(*this, "DELETE FROM claims WHERE version = ? AND key = ? AND owner = ?");
            s.with(run.version).with(run.key).with(owner_).next();
        }
        execute("COMMIT");
    } catch (...) {
        sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
}

std::pair<std::size_t, std::size_t> run_store::take(run_store& from) {
    std::scoped_lock const lock(mutex_, from.mutex_);
    std::pair<std::size_t, std::size_t> counts;
    execute("BEGIN IMMEDIATE");
    try {
        statement s(from, all_runs);
        s.with(std::string());
        while (s.next()) ++(insert(run_in(s)) ? counts.first : counts.second);
        execute("COMMIT");
    } catch (...) {
        sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
    return counts;
}

std::string run_store::digest() {
    std::lock_guard const lock(mutex_);
    std::string all;
    statement s(*this, all_runs);
    s.with(std::string());
    while (s.next()) {
        auto const run = run_in(s);
        auto record = nlohmann::json::parse(run.record);
        record.erase("host");
        all = content_hash(all + run.version + '\n' + run.key + '\n' + run.point + '\n' + record.dump() +
                           '\n' + run.fingerprint + '\n' + (run.verified ? "verified" : run.problem));
    }
    return all;
}

std::vector<run_store::past_cost> run_store::costs() {
    std::lock_guard const lock(mutex_);
    std::vector<past_cost> all;
    statement s(*this, "SELECT key, point, seconds FROM runs");
    while (s.next()) all.push_back({s.text(0), s.text(1), s.real(2)});
    return all;
}

std::vector<std::pair<std::string, std::size_t>> run_store::versions() {
    std::lock_guard const lock(mutex_);
    std::vector<std::pair<std::string, std::size_t>> all;
    statement s(*this, "SELECT version, count(*) FROM runs GROUP BY version ORDER BY version");
    while (s.next()) all.emplace_back(s.text(0), static_cast<std::size_t>(s.number(1)));
    return all;
}

std::vector<run_store::past_program> run_store::programs_of(char const* kind, std::string const& version) {
    std::lock_guard const lock(mutex_);
    std::vector<past_program> all;
    statement s(*this,
                "SELECT DISTINCT json_extract(point, '$.labels.' || ?1), json_extract(point, '$.code') "
                "FROM runs WHERE version = ?2 AND json_extract(point, '$.labels.' || ?1) IS NOT NULL");
    s.with(std::string(kind)).with(version);
    while (s.next()) all.push_back({s.text(0), s.text(1)});
    return all;
}

std::vector<stored_run> run_store::runs(std::string const& version) {
    std::lock_guard const lock(mutex_);
    std::vector<stored_run> all;
    statement s(*this, all_runs);
    s.with(version);
    while (s.next()) all.push_back(run_in(s));
    return all;
}

} // namespace lab
