// Parts of a sweep that are run apart, and how they come together.
#include "shards.hpp"

#include <warpkit/base/input_file.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/report/text.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>
#include <system_error>

namespace lab {

using namespace warpkit;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr char const* first_words = "# lab sweep, shard ";

fs::path with_end(std::string const& name, char const* end) { return name + end; }

// Of a point: its program, with its input.
std::string program_of(json const& point) {
    return point.at("labels").value("kernel", "") + ' ' + point.at("parameters").dump() + ' ' +
           point.value("code", "");
}

double mean_of(std::pair<double, std::size_t> const& sum) {
    return sum.first / static_cast<double>(std::max<std::size_t>(sum.second, 1));
}

} // namespace

std::vector<std::pair<std::size_t, std::size_t>> pieces_of(std::vector<double> const& costs,
                                                           std::size_t most) {
    std::vector<std::pair<std::size_t, std::size_t>> pieces;
    if (costs.empty()) return pieces;
    most = std::clamp<std::size_t>(most, 1, costs.size());
    // Pieces that cost no more than `limit` each; a single point may.
    auto const cut = [&](double limit) {
        pieces.assign(1, {0, 0});
        double sum = 0;
        for (std::size_t i = 0; i < costs.size(); ++i) {
            if (pieces.back().first != i && sum + costs[i] > limit) {
                pieces.emplace_back(i, i);
                sum = 0;
            }
            sum += costs[i];
            pieces.back().second = i + 1;
        }
        return pieces.size() <= most;
    };
    double low = *std::max_element(costs.begin(), costs.end());
    double high = std::accumulate(costs.begin(), costs.end(), 0.0);
    for (int i = 0; i < 60 && !cut(low); ++i) {
        auto const middle = low + (high - low) / 2;
        if (cut(middle))
            high = middle;
        else
            low = middle;
        if (high - low <= 1e-9 * high) low = high;
    }
    if (pieces.size() > most) cut(high);
    // As many as may be: the dearest of several points in two.
    while (pieces.size() < most) {
        auto const cost = [&](auto const& p) {
            return p.second - p.first < 2
                       ? -1.0
                       : std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(p.first),
                                         costs.begin() + static_cast<std::ptrdiff_t>(p.second), 0.0);
        };
        auto const dearest = std::max_element(
            pieces.begin(), pieces.end(), [&](auto const& a, auto const& b) { return cost(a) < cost(b); });
        auto const half = cost(*dearest) / 2;
        auto at = dearest->first + 1;
        for (auto sum = costs[dearest->first]; at + 1 < dearest->second && sum + costs[at] <= half; ++at)
            sum += costs[at];
        auto const end = std::exchange(dearest->second, at);
        pieces.insert(dearest + 1, {at, end});
    }
    return pieces;
}

fs::path shards_of(std::string const& database) { return with_end(database, ".shards"); }

shard_folder shards_in(fs::path const& folder) {
    shard_folder found{folder, 0};
    std::error_code none;
    while (fs::exists(found.points(found.shards), none)) ++found.shards;
    return found;
}

std::vector<double> expected_costs(sweep_jobs const& jobs, run_store& past) {
    std::map<std::string, double> of_point;
    std::map<std::string, std::pair<double, std::size_t>> of_program;
    std::pair<double, std::size_t> of_all;
    for (auto const& run : past.costs()) {
        of_point[run.key] = run.seconds;
        for (auto* const sum : {&of_program[program_of(json::parse(run.point))], &of_all}) {
            sum->first += run.seconds;
            ++sum->second;
        }
    }
    std::vector<double> costs;
    for (auto const& p : jobs.points) {
        if (auto const same = of_point.find(p.key); same != of_point.end()) {
            costs.push_back(same->second);
            continue;
        }
        auto const alike =
            of_program.empty() ? of_program.end() : of_program.find(program_of(json::parse(p.text)));
        costs.push_back(alike != of_program.end() ? mean_of(alike->second)
                        : of_all.second != 0      ? mean_of(of_all)
                                                  : 1.0);
    }
    return costs;
}

made_shards make_shards(sweep_jobs const& jobs, run_store& store, std::size_t most, fs::path const& folder) {
    made_shards made;
    auto const there = store.finished(code_version());
    auto const all = expected_costs(jobs, store);
    std::vector<double> costs;
    std::vector<std::string const*> keys;
    for (std::size_t i = 0; i < jobs.points.size(); ++i)
        if (there.count(jobs.points[i].key) == 0) {
            keys.push_back(&jobs.points[i].key);
            costs.push_back(all[i]);
        }
    made.missing = keys.size();
    made.folder.path = folder;
    if (keys.empty()) return made;
    // It appears with all that is in it.
    auto const unfinished = with_end(folder.string(), ".new");
    std::error_code failed;
    fs::remove_all(unfinished, failed);
    if (!fs::create_directories(unfinished, failed) || failed)
        throw error(unfinished.string() + ": cannot be made: " + failed.message());
    auto const pieces = pieces_of(costs, most);
    shard_folder const lists{unfinished, pieces.size()};
    for (std::size_t n = 0; n < pieces.size(); ++n) {
        double cost = 0;
        std::string text;
        for (auto i = pieces[n].first; i < pieces[n].second; ++i) {
            text += *keys[i] + '\n';
            cost += costs[i];
        }
        made.seconds += cost;
        made.most = std::max(made.most, cost);
        write_file(lists.points(n).string(), first_words + std::to_string(n) + " of " +
                                                 std::to_string(pieces.size()) + ", version " +
                                                 code_version() + '\n' + text);
    }
    fs::rename(unfinished, folder, failed);
    if (failed) throw error(folder.string() + ": cannot be made: " + failed.message());
    made.folder.shards = pieces.size();
    return made;
}

fs::path new_folder(std::string const& database) {
    auto const all = shards_of(database);
    std::error_code none;
    for (unsigned n = 1;; ++n)
        if (auto folder = all / std::to_string(n); !fs::exists(folder, none)) return folder;
}

std::set<std::string> points_in(fs::path const& list) {
    std::istringstream text(read_file(list.string()));
    std::string line;
    std::getline(text, line);
    auto const version = line.rfind(", version ");
    if (line.rfind(first_words, 0) != 0 || version == line.npos)
        throw error(list.string() + ": is no list of points, as lab sweep --commands writes them");
    if (auto const made_by = line.substr(version + 10); made_by != code_version())
        throw error(list.string() + ": is of version " + made_by + ", and this lab of " + code_version() +
                    "; their results are not mixed: make the shards anew");
    std::set<std::string> keys;
    while (std::getline(text, line))
        if (!line.empty()) keys.insert(line);
    return keys;
}

void keep_only(sweep_jobs& jobs, std::set<std::string> const& keys, std::string const& list) {
    auto const other = std::remove_if(jobs.points.begin(), jobs.points.end(),
                                      [&](auto const& p) { return keys.count(p.key) == 0; });
    jobs.points.erase(other, jobs.points.end());
    if (jobs.points.size() != keys.size())
        throw error(list + ": " + std::to_string(keys.size() - jobs.points.size()) + " of its " +
                    std::to_string(keys.size()) +
                    " points are not in this plan, which has changed since; make the shards anew");
}

static void refuse_folder(std::string const& path) {
    throw error(path + ": has no shards of a sweep (0.points); name databases, or such a folder");
}

merged merge(std::vector<std::string> const& from, run_store& into, int wait) {
    merged all;
    std::error_code none;
    auto const take = [&](std::string const& path, run_store::access how) {
        try {
            run_store store(path, how, 60'000, wait);
            auto const [added, there] = into.take(store);
            all.added += added;
            all.there += there;
            ++all.databases;
        } catch (store_busy const&) {
            all.busy.push_back(path);
        }
    };
    std::set<std::string> finished;
    std::vector<shard_folder> folders;
    for (auto const& path : from) {
        if (!fs::is_directory(path, none)) {
            take(path, run_store::access::read);
            continue;
        }
        auto const folder = shards_in(path);
        if (folder.shards == 0) refuse_folder(path);
        for (std::size_t n = 0; n < folder.shards; ++n)
            if (fs::exists(folder.database(n), none))
                take(folder.database(n).string(), run_store::access::alone);
        folders.push_back(folder);
    }
    if (!folders.empty()) finished = into.finished("");
    for (auto const& folder : folders) {
        auto const before = all.missing;
        for (std::size_t n = 0; n < folder.shards; ++n) {
            std::istringstream text(read_file(folder.points(n).string()));
            std::size_t lacking = 0;
            std::string line;
            while (std::getline(text, line))
                lacking += !line.empty() && line[0] != '#' && finished.count(line) == 0;
            if (lacking == 0) continue;
            all.missing += lacking;
            all.lacking.push_back(folder.points(n).string() + " (" + std::to_string(lacking) + ')');
        }
        if (all.missing == before) mark_complete(folder.path);
    }
    return all;
}

void mark_complete(fs::path const& folder) { write_file((folder / "complete").string(), "\n"); }

void take_over(run_store& into) {
    std::error_code none;
    std::vector<std::string> folders;
    for (auto const& entry : fs::directory_iterator(shards_of(into.path()), none)) {
        auto const& path = entry.path();
        if (fs::exists(path / "complete", none)) {
            if (path.filename().string().rfind("mpi-", 0) == 0) fs::remove_all(path, none);
        } else if (path.extension() != ".new" && shards_in(path).shards != 0) {
            folders.push_back(path.string());
        }
    }
    if (folders.empty()) return;
    std::sort(folders.begin(), folders.end());
    auto const done = merge(folders, into, 0);
    if (done.added != 0)
        std::cerr << "lab: " << done.added << (done.added == 1 ? " run" : " runs")
                  << " of earlier shards taken over\n";
    for (auto const& busy : done.busy)
        std::cerr << "lab: note: " << busy
                  << " is being written by a shard that runs; what it has not yet counts as missing\n";
}

int merge(std::vector<std::string> const& from, std::string const& into) {
    for (auto const& path : from)
        if (std::error_code none; !fs::exists(path, none))
            throw error(path + ": there is no such database or folder of shards");
    // What cannot be merged is refused before there is a new database.
    for (auto const& path : from) {
        if (std::error_code none; fs::is_directory(path, none)) {
            if (shards_in(path).shards == 0) refuse_folder(path);
            continue;
        }
        if (std::error_code none; fs::equivalent(path, into, none))
            throw error(path + ": is what the others are to be merged into; name it with --db alone");
        try {
            run_store(path, run_store::access::read, 60'000, 0);
        } catch (store_busy const&) { // merge() below waits
        }
    }
    run_store store(into, run_store::access::alone);
    auto const done = merge(from, store, 60'000);
    std::cout << done.added << (done.added == 1 ? " run" : " runs") << " added, " << done.there
              << " were there; from " << done.databases << (done.databases == 1 ? " database" : " databases")
              << "; " << into << '\n';
    for (auto const& path : done.busy)
        std::cerr << "lab: " << path << ": a process is writing it; merge again when that has ended\n";
    if (done.missing != 0) {
        std::cerr << "lab: " << done.missing << " points are still missing, of " << done.lacking.front();
        if (done.lacking.size() > 1) std::cerr << " and " << done.lacking.size() - 1 << " more shards";
        std::cerr << "; run these shards again, or submit the sweep again\n";
    }
    return done.busy.empty() && done.missing == 0 ? 0 : 1;
}

} // namespace lab
