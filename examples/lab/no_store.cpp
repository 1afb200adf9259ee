// In place of the database, where there is no SQLite.
#include <warpkit/base/error.hpp>

#include "store.hpp"

namespace lab {

namespace {
[[noreturn]] void missing() {
    throw warpkit::error(
        "this lab was built without SQLite, which sweeps are kept in; install it (Debian and Ubuntu: "
        "apt-get install libsqlite3-dev) and build the lab again");
}
} // namespace

std::string const& code_version() { missing(); }
run_store::run_store(std::string, access, std::int64_t, int) { missing(); }
run_store::~run_store() = default;
std::set<std::string> run_store::finished(std::string const&) { missing(); }
run_store::claim_state run_store::claim(std::string const&, std::string const&) { missing(); }
void run_store::release(std::string const&, std::string const&) { missing(); }
void run_store::release_all() { missing(); }
void run_store::renew() { missing(); }
void run_store::put(stored_run const&) { missing(); }
std::pair<std::size_t, std::size_t> run_store::take(run_store&) { missing(); }
std::string run_store::digest() { missing(); }
std::vector<run_store::past_cost> run_store::costs() { missing(); }
std::vector<std::pair<std::string, std::size_t>> run_store::versions() { missing(); }
std::vector<run_store::past_program> run_store::programs_of(char const*, std::string const&) { missing(); }
std::vector<stored_run> run_store::runs(std::string const&) { missing(); }

} // namespace lab
