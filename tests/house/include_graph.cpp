#include "house/include_graph.hpp"

#include "catch.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace house {

namespace {

words const policies = {"warp", "fetch", "cta", "cache", "lsu", "noc", "dram"};

words with_policies(words folders) {
    folders.insert(policies.begin(), policies.end());
    return folders;
}

bool is_word_in(std::string_view word, std::string_view line) {
    auto const part_of_a_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    for (auto at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
        auto const end = at + word.size();
        if ((at == 0 || !part_of_a_word(line[at - 1])) &&
            (end == line.size() || !part_of_a_word(line[end]))) {
            return true;
        }
    }
    return false;
}

/// What an include line names, with its brackets or quotes.
std::optional<std::string> included(std::string_view line) {
    std::istringstream in{std::string(line)};
    std::string rest;
    std::getline(in >> std::ws, rest);
    rest.erase(std::remove_if(rest.begin(), rest.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
               rest.end());
    std::string_view const directive = "#include";
    if (rest.compare(0, directive.size(), directive) != 0) return std::nullopt;
    return rest.substr(directive.size());
}

/// "warp" of "warpkit/warp/catalogue/gto.hpp"; empty for headers that lie at the root.
std::string folder_of(std::string_view path) {
    auto const first = path.find('/') + 1;
    auto const second = path.find('/', first);
    return second == path.npos ? std::string() : std::string(path.substr(first, second - first));
}

std::string file_of(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

/// "core" of "warpkit/gpu/core/front_end.hpp"; empty for headers at the top of their floor.
std::string room_of(std::string_view path) {
    auto const floor_ends = path.find('/', path.find('/') + 1);
    auto const room_ends = path.find('/', floor_ends + 1);
    return room_ends == path.npos ? std::string()
                                  : std::string(path.substr(floor_ends + 1, room_ends - floor_ends - 1));
}

room const* room_named(std::string_view name) {
    auto const found =
        std::find_if(rooms().begin(), rooms().end(), [&](room const& r) { return r.folder == name; });
    return found == rooms().end() ? nullptr : &*found;
}

/// Why a header of gpu/ must not include another one of gpu/; nothing if it may.
std::optional<std::string> refusal_in_gpu(std::string_view header, std::string_view name) {
    auto const from = room_of(header);
    auto const to = room_of(name);
    if (from.empty() || from == to) return std::nullopt;
    auto const* const r = room_named(from);
    if (!r) return std::nullopt; // there is a complaint of it already
    if (to.empty()) return "gpu/" + from + "/ must not include what puts the rooms together";
    if (!r->below.count(to)) return "gpu/" + from + "/ must not include gpu/" + to + "/";
    return std::nullopt;
}

floor const* floor_of(std::string_view folder) {
    auto const found =
        std::find_if(floors().begin(), floors().end(), [&](floor const& f) { return f.folder == folder; });
    return found == floors().end() ? nullptr : &*found;
}

/// Why a header of `from` must not include `target` (as `included` gives it); nothing if it may.
std::optional<std::string> refusal(floor const& from, std::string_view header, std::string_view target) {
    if (target.size() < 3 || target.front() != '<' || target.back() != '>') {
        return "include by the full path in angle brackets, so that the arrow can be seen";
    }
    auto const name = target.substr(1, target.size() - 2);
    if (name.find("..") != name.npos) return "no way around: include by the full path";
    if (name.substr(0, 8) == "warpkit/") {
        if (name == "warpkit/version.hpp") return std::nullopt;
        auto const folder = folder_of(name);
        if (folder.empty()) return "the headers at the root are for users, not for the library";
        if (folder == from.folder) return folder == "gpu" ? refusal_in_gpu(header, name) : std::nullopt;
        if (!floor_of(folder)) return "there is no floor " + folder + "/";
        // A network is one between the fast engine's links, so its laws are tried there.
        bool const laws_of_networks = header == "warpkit/testing/network_laws.hpp" && folder == "gpu";
        if (!from.below.count(folder) && !laws_of_networks)
            return from.folder + "/ must not include " + folder + "/";
        return std::nullopt;
    }
    if (name.substr(0, 11) == "boost/hana/" || name == "boost/hana.hpp") {
        if (!from.hana) return "Boost.Hana stays in config/ and report/";
        return std::nullopt;
    }
    if (name == "sys/stat.h" && header == "warpkit/base/output_file.hpp")
        return std::nullopt; // POSIX, where it is
    if (name.find('/') != name.npos)
        return "the headers need the standard library and Boost.Hana, nothing else";
    if (!from.heavy && heavy_headers().count(name) && !from.heavy_exceptions.count(file_of(header))) {
        return from.folder + "/ stays light and does without it";
    }
    return std::nullopt;
}

} // namespace

std::string without_comments(std::string_view text) {
    enum class inside { code, line_comment, block_comment, string, character };
    std::string out(text);
    auto where = inside::code;
    bool include_line = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        char const next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (c == '\n') {
            if (where == inside::line_comment) where = inside::code;
            include_line = false;
            continue;
        }
        switch (where) {
        case inside::code:
            if (c == '#') include_line = true;
            if (c == '/' && next == '/') where = inside::line_comment;
            if (c == '/' && next == '*') {
                where = inside::block_comment;
                out[i] = ' ';
                out[++i] = ' ';
                continue;
            }
            if (!include_line && c == '"') where = inside::string;
            // 1'000 is a number.
            if (c == '\'' && !(i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])))) {
                where = inside::character;
            }
            if (where == inside::line_comment) out[i] = ' ';
            break;
        case inside::block_comment:
            if (c == '*' && next == '/') {
                where = inside::code;
                out[i++] = ' ';
            }
            out[i] = ' ';
            break;
        case inside::line_comment:
            out[i] = ' ';
            break;
        case inside::string:
        case inside::character:
            if (c == (where == inside::string ? '"' : '\'')) {
                where = inside::code;
            } else {
                if (c == '\\') out[i++] = ' ';
                out[i] = ' ';
            }
            break;
        }
    }
    return out;
}

std::vector<floor> const& floors() {
    static std::vector<floor> const all = [] {
        std::vector<floor> f;
        f.push_back({.folder = "base",
                     .below = {},
                     .heavy = false,
                     .heavy_exceptions = {"error.hpp", "input_file.hpp", "number_text.hpp", "output_file.hpp",
                                          "policy_text.hpp"}});
        f.push_back({.folder = "program", .below = {"base"}});
        for (auto const& policy : policies) {
            f.push_back({.folder = policy, .below = {"base", "program"}, .heavy = false});
        }
        f.push_back({.folder = "testing", .below = with_policies({"base", "program", "machine"})});
        f.push_back({.folder = "frontend", .below = {"base", "program"}});
        f.push_back({.folder = "machine", .below = with_policies({"base", "program"})});
        for (auto const& door : {"adapters", "facade"}) {
            f.push_back({.folder = door, .below = with_policies({"base", "program"})});
        }
        for (auto const& engine : {"reference", "gpu"}) {
            f.push_back({.folder = engine, .below = with_policies({"base", "program", "machine"})});
        }
        f.push_back({.folder = "config",
                     .below = with_policies({"base", "program", "machine", "reference", "gpu", "frontend"}),
                     .hana = true});
        f.push_back(
            {.folder = "report", .below = {"base", "program", "warp", "machine", "config"}, .hana = true});
        return f;
    }();
    return all;
}

std::vector<room> const& rooms() {
    static std::vector<room> const all = {
        {"common", {}}, {"core", {"common"}}, {"memory", {"common"}}, {"threads", {"common"}}};
    return all;
}

words const& heavy_headers() {
    static words const names = {"iostream",      "sstream",    "string", "algorithm", "map",
                                "unordered_map", "functional", "regex",  "memory",    "format"};
    return names;
}

std::vector<std::string> complaints(std::string_view path, std::string_view text) {
    std::vector<std::string> found;
    auto const complain = [&](std::size_t line, std::string const& why) {
        found.push_back(std::string(path) + ":" + std::to_string(line) + ": " + why);
    };

    auto const folder = folder_of(path);
    auto const* const home = floor_of(folder);
    bool const at_the_root = folder.empty();
    if (at_the_root && path != "warpkit/version.hpp" && path != "warpkit/warpkit.hpp") {
        complain(1, "only version.hpp and warpkit.hpp lie at the root");
    }
    if (!at_the_root && !home) complain(1, "there is no floor " + folder + "/");
    bool const in_gpu = folder == "gpu";
    // What sits in another simulator's class is as virtual as that, and may ask the system for memory.
    bool const in_host = folder == "adapters";
    if (auto const room = room_of(path); in_gpu && !room.empty() && !room_named(room))
        complain(1, "there is no room gpu/" + room + "/");

    std::istringstream lines(without_comments(text));
    std::string line;
    bool once = false;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        if (line.find("#pragma once") == 0) once = true;
        if (is_word_in("virtual", line) && !in_host) complain(number, "nothing under include/ is virtual");
        if (in_gpu && is_word_in("friend", line) && line.find("operator") == line.npos)
            complain(number,
                     "no friends in gpu/: what others may do is public, and a concept if it is a host's");
        // The file that is missing in order to be missed.
        if (path == "warpkit/base/standard.hpp" && line.find("warpkit_needs_cxx20") != line.npos) continue;
        if (auto const target = included(line); target && home && !(in_host && *target == "<sys/mman.h>")) {
            if (auto const why = refusal(*home, path, *target)) complain(number, *target + ": " + *why);
        }
    }
    if (!once) complain(1, "#pragma once is missing");
    return found;
}

std::vector<std::string> complaints(std::filesystem::path const& include_dir) {
    std::vector<std::filesystem::path> headers;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(include_dir)) {
        if (entry.is_regular_file() && entry.path().extension() != ".h")
            headers.push_back(entry.path()); // but C's
    }
    std::sort(headers.begin(), headers.end());
    std::vector<std::string> found;
    for (auto const& header : headers) {
        std::ifstream in(header);
        std::string const text{std::istreambuf_iterator<char>(in), {}};
        for (auto& complaint : complaints(header.lexically_relative(include_dir).generic_string(), text)) {
            found.push_back(std::move(complaint));
        }
    }
    return found;
}

} // namespace house

namespace {

/// Whether the header at `path` may hold the line `#include <target>`.
bool may(std::string const& path, std::string const& target) {
    return house::complaints("warpkit/" + path, "#pragma once\n#include <" + target + ">\n").empty();
}

std::string const policy_folders[] = {"warp", "fetch", "cta", "cache", "lsu", "noc", "dram"};

} // namespace

TEST_CASE("the house keeps to its floors") {
    auto const found = house::complaints(std::filesystem::path(WARPKIT_SOURCE_DIR) / "include");
    for (auto const& complaint : found) UNSCOPED_INFO(complaint);
    CHECK(found.empty());
}

TEST_CASE("the top level holds what it shall hold, and nothing else") {
    house::words const known = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "bench",
                                "docs",           "examples",          "include", "tests"};
    for (auto const& entry : std::filesystem::directory_iterator(WARPKIT_SOURCE_DIR)) {
        auto const name = entry.path().filename().string();
        if (name[0] == '.' || name.rfind("build", 0) == 0 || name == "CMakeUserPresets.json") continue;
        INFO(name);
        CHECK(known.count(name) == 1);
    }
}

TEST_CASE("a tree that breaks the rules is refused, each breach with its place") {
    auto const found =
        house::complaints(std::filesystem::path(WARPKIT_SOURCE_DIR) / "tests/house/fixtures/include_graph");
    std::vector<std::string> const expected = {
        "warpkit/base/upward.hpp:4: <warpkit/warp/good.hpp>: base/ must not include warp/",
        "warpkit/elsewhere/lost.hpp:1: there is no floor elsewhere/",
        "warpkit/frontend/reaches_gpu.hpp:4: <warpkit/gpu/core.hpp>: frontend/ must not include gpu/",
        "warpkit/gpu/attic/lost.hpp:1: there is no room gpu/attic/",
        "warpkit/gpu/core/reaches_memory.hpp:4: <warpkit/gpu/memory/good.hpp>: gpu/core/ must not include "
        "gpu/memory/",
        "warpkit/gpu/memory/reaches_up.hpp:4: <warpkit/gpu/core.hpp>: gpu/memory/ must not include what puts "
        "the "
        "rooms together",
        "warpkit/gpu/threads/friendly.hpp:8: no friends in gpu/: what others may do is public, and a concept "
        "if it "
        "is a host's",
        "warpkit/gpu/virtual.hpp:5: nothing under include/ is virtual",
        "warpkit/report/reaches_core.hpp:4: <warpkit/gpu/core.hpp>: report/ must not include gpu/",
        "warpkit/stray.hpp:1: only version.hpp and warpkit.hpp lie at the root",
        "warpkit/warp/hana.hpp:3: <boost/hana/map.hpp>: Boost.Hana stays in config/ and report/",
        "warpkit/warp/heavy.hpp:3: <functional>: warp/ stays light and does without it",
        "warpkit/warp/not_once.hpp:1: #pragma once is missing",
        "warpkit/warp/relative.hpp:3: \"../gpu/core.hpp\": include by the full path in angle brackets, so "
        "that the "
        "arrow can be seen",
        "warpkit/warp/sibling.hpp:3: <warpkit/cta/good.hpp>: warp/ must not include cta/",
    };
    CHECK(found == expected);
}

TEST_CASE("arrows go down, never up") {
    CHECK(may("base/a.hpp", "warpkit/base/b.hpp"));
    CHECK_FALSE(may("base/a.hpp", "warpkit/program/b.hpp"));
    CHECK(may("program/a.hpp", "warpkit/base/b.hpp"));
    CHECK_FALSE(may("program/a.hpp", "warpkit/gpu/b.hpp"));
    for (auto const& policy : policy_folders) {
        CAPTURE(policy);
        CHECK(may(policy + "/a.hpp", "warpkit/base/b.hpp"));
        CHECK(may(policy + "/a.hpp", "warpkit/program/b.hpp"));
        CHECK(may(policy + "/deeper/a.hpp", "warpkit/" + policy + "/b.hpp"));
        for (auto const& higher : {"gpu", "config", "frontend", "report", "testing"}) {
            CHECK_FALSE(may(policy + "/a.hpp", std::string("warpkit/") + higher + "/b.hpp"));
        }
        CHECK(may("gpu/a.hpp", "warpkit/" + policy + "/b.hpp"));
        CHECK(may("config/a.hpp", "warpkit/" + policy + "/b.hpp"));
        CHECK(may("testing/a.hpp", "warpkit/" + policy + "/b.hpp"));
        CHECK_FALSE(may("base/a.hpp", "warpkit/" + policy + "/b.hpp"));
        CHECK_FALSE(may("program/a.hpp", "warpkit/" + policy + "/b.hpp"));
        CHECK_FALSE(may("frontend/a.hpp", "warpkit/" + policy + "/b.hpp"));
    }
    CHECK_FALSE(may("gpu/a.hpp", "warpkit/config/b.hpp"));
    CHECK_FALSE(may("gpu/a.hpp", "warpkit/frontend/b.hpp"));
    CHECK(may("config/a.hpp", "warpkit/gpu/b.hpp"));
    CHECK(may("config/a.hpp", "warpkit/frontend/b.hpp"));
    CHECK_FALSE(may("config/a.hpp", "warpkit/report/b.hpp"));
    CHECK(may("report/a.hpp", "warpkit/config/b.hpp"));
    CHECK(may("report/a.hpp", "warpkit/machine/counters.hpp"));
    CHECK_FALSE(may("testing/a.hpp", "warpkit/gpu/b.hpp"));
}

TEST_CASE("the two engines share what is below both, and never know each other") {
    for (auto const& engine : {"reference", "gpu"}) {
        CAPTURE(engine);
        for (auto const& below : {"base", "program", "machine", "cache", "dram"})
            CHECK(may(std::string(engine) + "/a.hpp", std::string("warpkit/") + below + "/b.hpp"));
        CHECK(may("config/a.hpp", std::string("warpkit/") + engine + "/b.hpp"));
        CHECK_FALSE(may("machine/a.hpp", std::string("warpkit/") + engine + "/b.hpp"));
    }
    CHECK_FALSE(may("reference/a.hpp", "warpkit/gpu/b.hpp"));
    CHECK_FALSE(may("gpu/a.hpp", "warpkit/reference/b.hpp"));
}

TEST_CASE("the rooms of the engine share what is at the bottom, and know nothing else of each other") {
    for (auto const& one : house::rooms()) {
        CHECK(may("gpu/a.hpp", "warpkit/gpu/" + one.folder + "/b.hpp"));
        CHECK(may("gpu/" + one.folder + "/a.hpp", "warpkit/gpu/" + one.folder + "/b.hpp"));
        CHECK(may("gpu/" + one.folder + "/a.hpp", "warpkit/machine/b.hpp"));
        CHECK_FALSE(may("gpu/" + one.folder + "/a.hpp", "warpkit/gpu/b.hpp"));
        CHECK_FALSE(may("gpu/" + one.folder + "/a.hpp", "warpkit/reference/b.hpp"));
        for (auto const& other : house::rooms()) {
            CAPTURE(one.folder, other.folder);
            CHECK(may("gpu/" + one.folder + "/a.hpp", "warpkit/gpu/" + other.folder + "/b.hpp") ==
                  (one.folder == other.folder || other.folder == "common"));
        }
    }
}

TEST_CASE("each file of the engine says at its head which part of the reference it is") {
    auto const engine = std::filesystem::path(WARPKIT_SOURCE_DIR) / "include/warpkit/gpu";
    auto const reference = std::filesystem::path(WARPKIT_SOURCE_DIR) / "include/warpkit/reference";
    for (auto const& entry : std::filesystem::recursive_directory_iterator(engine)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream in(entry.path());
        std::string line;
        std::string head;
        while (std::getline(in, line) && (line == "#pragma once" || line.rfind("///", 0) == 0))
            head += line + '\n';
        INFO(entry.path() << ":\n" << head);
        std::string const folder = "(reference/";
        unsigned named = 0;
        for (auto at = head.find(folder); at != head.npos; at = head.find(folder, at + 1)) {
            auto const begin = at + folder.size();
            auto const file = head.substr(begin, head.find(')', begin) - begin);
            INFO(file);
            CHECK(std::filesystem::exists(reference / file));
            ++named;
        }
        CHECK((named != 0 || head.find("The reference has no ") != head.npos));
    }
}

TEST_CASE("lines of the headers keep to 120 columns, and so do comments elsewhere") {
    auto const top = std::filesystem::path(WARPKIT_SOURCE_DIR);
    for (auto const* folder : {"include", "examples", "tests", "bench"})
        for (auto const& entry : std::filesystem::recursive_directory_iterator(top / folder)) {
            auto const ending = entry.path().extension();
            if (!entry.is_regular_file() || (ending != ".hpp" && ending != ".cpp")) continue;
            std::ifstream in(entry.path());
            std::string line;
            while (std::getline(in, line)) {
                auto const text = line.find_first_not_of(' ');
                bool const is_comment = text != line.npos && line.compare(text, 2, "//") == 0;
                bool const is_expected = line.starts_with("// expect: "); // a message, as it is
                if (line.size() <= 120 || is_expected ||
                    (!is_comment && folder != std::string_view("include")))
                    continue;
                INFO(entry.path() << ": " << line);
                CHECK(line.size() <= 120);
            }
        }
}

TEST_CASE(
    "the reference stays small: one file for each thing, no attributes, and no more lines than it has") {
    std::set<std::string> files;
    unsigned lines = 0;
    for (auto const& entry : std::filesystem::directory_iterator(std::filesystem::path(WARPKIT_SOURCE_DIR) /
                                                                 "include/warpkit/reference")) {
        auto const name = entry.path().filename().string();
        files.insert(name);
        INFO(name);
        std::ifstream in(entry.path());
        std::string line;
        while (std::getline(in, line)) {
            ++lines;
            INFO(line);
            CHECK(line.find("[[gnu::") == line.npos);
            CHECK(line.size() <= 120);
        }
    }
    CHECK(files == std::set<std::string>{"cache.hpp", "cluster_network.hpp", "core.hpp", "dram_channel.hpp",
                                         "gpu.hpp", "l2_partition.hpp", "link.hpp", "load_store_unit.hpp",
                                         "network.hpp", "operand_collector.hpp", "read_stages.hpp",
                                         "translation.hpp"});
    CHECK(lines <= 4123);
}

TEST_CASE(
    "one load goes through the reference in at most seven files and fifteen functions, which are there") {
    std::ifstream page(std::filesystem::path(WARPKIT_SOURCE_DIR) / "docs/explanation/reference.md");
    std::set<std::string> files{"link.hpp"};
    unsigned steps = 0;
    std::string line;
    while (std::getline(page, line)) {
        std::istringstream cells(line);
        unsigned number = 0;
        char bar = 0;
        std::string file, function, rest;
        if (!(cells >> bar >> number >> bar >> file >> rest >> function) || bar != '|') continue;
        CHECK(number == ++steps);
        file = file.substr(1, file.size() - 2);
        function = function.substr(1, function.size() - 2);
        files.insert(file);
        INFO(file << ": " << function);
        std::ifstream in(std::filesystem::path(WARPKIT_SOURCE_DIR) / "include/warpkit/reference" / file);
        bool defined = false;
        while (std::getline(in, rest))
            defined =
                defined || (rest.find(' ' + function + '(') != rest.npos && rest.find(';') == rest.npos);
        CHECK(defined);
    }
    CHECK(steps > 10);
    CHECK(steps <= 15);
    CHECK(files.size() <= 7);
}

TEST_CASE("policy folders are siblings, and siblings do not know each other") {
    for (auto const& one : policy_folders) {
        for (auto const& other : policy_folders) {
            CAPTURE(one, other);
            CHECK(may(one + "/a.hpp", "warpkit/" + other + "/b.hpp") == (one == other));
        }
    }
}

TEST_CASE("policies and the ground stay light") {
    for (auto const& heavy : house::heavy_headers()) {
        CAPTURE(heavy);
        for (auto const& policy : policy_folders) CHECK_FALSE(may(policy + "/a.hpp", heavy));
        CHECK_FALSE(may("base/a.hpp", heavy));
        CHECK(may("base/error.hpp", heavy));
        CHECK(may("gpu/a.hpp", heavy));
    }
    CHECK(may("warp/a.hpp", "bit"));
    CHECK(may("warp/a.hpp", "string_view"));
}

TEST_CASE("Hana stays in config/ and report/, and no other library enters") {
    for (auto const& floor : house::floors()) {
        CAPTURE(floor.folder);
        bool const allowed = floor.folder == "config" || floor.folder == "report";
        CHECK(may(floor.folder + "/a.hpp", "boost/hana.hpp") == allowed);
        CHECK(may(floor.folder + "/a.hpp", "boost/hana/map.hpp") == allowed);
        CHECK_FALSE(may(floor.folder + "/a.hpp", "boost/optional.hpp"));
        CHECK_FALSE(may(floor.folder + "/a.hpp", "nlohmann/json.hpp"));
        CHECK_FALSE(may(floor.folder + "/a.hpp", "warpkit/warpkit.hpp"));
        CHECK(may(floor.folder + "/a.hpp", "warpkit/version.hpp"));
    }
}

TEST_CASE("comments and literals are not code, and code is found between them") {
    auto const good = [](std::string const& text) {
        return house::complaints("warpkit/warp/a.hpp", "#pragma once\n" + text).empty();
    };
    CHECK(good("// #include <warpkit/gpu/core.hpp>, virtual\n"));
    CHECK(good("/* virtual\n#include <string>\n virtual */\n"));
    CHECK(good("char const* word = \"virtual // \\\" virtual\";\n"));
    CHECK(good("char const quote = '\"'; int virtually = 1'000;\n"));
    CHECK_FALSE(good("/* */ struct a { virtual ~a(); };\n"));
    CHECK_FALSE(good("char const* url = \"http://\"; struct a { virtual ~a(); };\n"));
    CHECK_FALSE(good("char const quote = '\"'; struct a { virtual ~a(); };\n"));
    CHECK_FALSE(good("int const a = 1'000; struct b { virtual ~b(); };\n"));
    CHECK_FALSE(good("  #  include   <string> // why\n"));
    CHECK_FALSE(good("/* one */ #include <string>\n"));
    CHECK_FALSE(good("#include \"warpkit/warp/b.hpp\"\n"));
}
