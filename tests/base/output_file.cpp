// Results are whole or not at all, wherever the name leads, and never in an input's place.
#include <warpkit/base/output_file.hpp>

#include "catch.hpp"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace warpkit;
namespace fs = std::filesystem;

namespace {

// A folder of its own, gone at the end.
struct scratch {
    scratch() {
        std::string name = (fs::temp_directory_path() / "warpkit_output_XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        folder = name;
    }
    ~scratch() { fs::remove_all(folder); }
    std::string operator/(std::string const& name) const { return (folder / name).string(); }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
    }
    fs::path folder;
};
std::string content(std::string const& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
std::string refusal(std::string const& name) {
    try {
        write_file(name, "x");
    } catch (error const& e) {
        return e.what();
    }
    return "written";
}

} // namespace

TEST_CASE("a regular file is replaced as a whole, keeps its mode, and is untouched until then", "[output]") {
    scratch const at;
    write_file(at / "a", "first\n");
    CHECK(content(at / "a") == "first\n");
    fs::permissions(at / "a", fs::perms::owner_read | fs::perms::owner_write);
    {
        output_file file(at / "a");
        file.write("sec");
        file.write("ond\n");
        CHECK(content(at / "a") == "first\n");
        file.close();
        CHECK(content(at / "a") == "first\n");
        file.commit();
    }
    CHECK(content(at / "a") == "second\n");
    CHECK(fs::status(at / "a").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(at.entries() == 1);
}

TEST_CASE("what is not committed leaves nothing behind", "[output]") {
    scratch const at;
    {
        output_file given_up(at / "a");
        given_up.write("half");
    }
    CHECK(at.entries() == 0);
    std::string const longest(255, 'n');
    write_file(at / longest, "x");
    CHECK(content(at / longest) == "x");
}

// Ends in the middle of a result, as by Ctrl-C or worse.
static void die_writing(std::string const& name, int signal) {
    auto const child = fork();
    if (child == 0) {
        std::signal(signal, SIG_DFL); // not Catch2's
        output_file file(name);
        file.write(std::string(100'000, 'x'));
        raise(signal);
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
}

TEST_CASE("who is killed while writing leaves nothing behind, and what was there as it was", "[output]") {
    scratch const at;
    auto const probe = open(at.folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
    if (probe == -1) {
        WARN("the file system of " << at.folder << " has no files without a name");
        return;
    }
    close(probe);
    write_file(at / "old", "whole\n");
    for (int const signal : {SIGINT, SIGTERM, SIGKILL}) {
        die_writing(at / "new", signal);
        CHECK(at.entries() == 1);
        die_writing(at / "old", signal);
        CHECK(at.entries() == 1);
        CHECK(content(at / "old") == "whole\n");
    }
}

TEST_CASE("links are followed and stay, those to nothing and those to links too", "[output]") {
    scratch const at;
    fs::create_directory(at / "sub");
    write_file(at / "sub/real", "old");
    fs::create_symlink("sub/real", at / "one");
    fs::create_symlink("one", at / "two");
    write_file(at / "two", "new");
    CHECK(content(at / "sub/real") == "new");
    CHECK((fs::is_symlink(at / "one") && fs::is_symlink(at / "two") && !fs::is_symlink(at / "sub/real")));
    fs::create_symlink("sub/later", at / "dangling");
    write_file(at / "dangling", "made");
    CHECK((content(at / "sub/later") == "made" && fs::is_symlink(at / "dangling")));
    fs::create_symlink("round", at / "round");
    CHECK_THAT(refusal(at / "round"), Catch::Contains("circle"));
    fs::create_symlink("/dev/null", at / "null");
    write_file(at / "null", "x");
    CHECK(fs::is_symlink(at / "null"));
}

TEST_CASE("devices, pipes are written to, and stay what they are, and so do sockets", "[output]") {
    scratch const at;
    write_file("/dev/null", "x");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK_THAT(refusal("/dev/full"), Catch::Contains("cannot write /dev/full: No space left"));
    CHECK(fs::is_character_file("/dev/full"));

    REQUIRE(mkfifo((at / "pipe").c_str(), 0600) == 0);
    auto reader = std::async(std::launch::async, [&] { return content(at / "pipe"); });
    write_file(at / "pipe", "through");
    CHECK(reader.get() == "through");
    CHECK(fs::is_fifo(at / "pipe"));

    auto const path = at / "socket";
    int const listener = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    REQUIRE(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    CHECK_THAT(refusal(path), Catch::Contains("it is a socket; write to - and pipe"));
    close(listener);
    CHECK(fs::is_socket(path));
}

TEST_CASE("- and /dev/stdout are standard output, wherever that goes", "[output]") {
    scratch const at;
    fs::create_symlink("/dev/stdout", at / "link");
    CHECK((is_standard_output("-") && is_standard_output("/dev/stdout") && is_standard_output(at / "link")));
    CHECK_FALSE(
        (is_standard_output("") || is_standard_output(at / "-") || is_standard_output("/dev/stderr")));

    std::cout.flush();
    int const before = dup(STDOUT_FILENO);
    int const other = open((at / "out").c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(other, STDOUT_FILENO);
    std::cout << "ahead ";
    write_file("-", "dash ");
    write_file("/dev/stdout", "device ");
    std::cout << "behind";
    std::cout.flush();
    dup2(before, STDOUT_FILENO);
    close(before);
    close(other);
    CHECK(content(at / "out") == "ahead dash device behind");
    CHECK(at.entries() == 2);

    int const opened = open((at / "opened").c_str(), O_CREAT | O_WRONLY, 0600);
    fs::create_hard_link(at / "opened", at / "same");
    write_file("/dev/fd/" + std::to_string(opened), "number");
    close(opened);
    CHECK(
        (content(at / "opened") == "number" && content(at / "same") == "number")); // written to, not replaced
    CHECK_THAT(refusal("/dev/fd/987"), Catch::Contains("cannot write /dev/fd/987"));
}

TEST_CASE("what can not be written is said in one line, and nothing is left", "[output]") {
    scratch const at;
    CHECK_THAT(refusal(""), Catch::Contains("empty name"));
    CHECK_THAT(refusal(at / "none/a"), Catch::Contains("there is no folder " + (at / "none")));
    CHECK_THAT(refusal(at.folder.string()), Catch::Contains("it is a folder"));
    CHECK_THAT(refusal(at / "none/"), Catch::Contains("there is no folder"));
    write_file(at / "file", "x");
    CHECK_THAT(refusal(at / "file/a"), Catch::Contains("there is no folder"));
    write_file(at / "file", std::string("SQLite format 3") + '\0');
    CHECK_THAT(refusal(at / "file"), Catch::Contains("it is a database, which no result replaces"));
    fs::remove(at / "file");
    write_file(at / "file", "SQLite format 3"); // not all of such a beginning
    CHECK(refusal(at / "file") == "written");
    CHECK_THAT(refusal(at / std::string(300, 'n')), Catch::Contains("too long"));
    if (geteuid() != 0) {
        fs::permissions(at / "file", fs::perms::owner_read);
        CHECK_THAT(refusal(at / "file"), Catch::Contains("Permission denied"));
    }
    CHECK(at.entries() == 1);
}

TEST_CASE("an output never takes an input's place, nor another output's", "[output]") {
    scratch const at;
    write_file(at / "input", "x");
    fs::create_symlink("input", at / "link");
    fs::create_hard_link(at / "input", at / "hard");
    run_files files;
    files.reads(at / "input", "--ptx");
    files.reads(at / "link", "--again"); // two inputs may be one
    for (auto const* name : {"input", "link", "hard", "./input"})
        CHECK_THROWS_WITH(files.writes(at / name, "--json"),
                          Catch::Contains("--json: ") && Catch::Contains("is also --ptx"));
    files.writes(at / "new", "--json");
    fs::create_symlink("new", at / "to_new");
    CHECK_THROWS_WITH(files.writes(at / "to_new", "--csv"), Catch::Contains("is also --json"));
    files.writes(at / "other", "--csv");
    CHECK_THROWS_WITH(files.reads(at / "new", "--late"), Catch::Contains("is also --late"));
    write_file(at / "other", "y");
    files.writes("/dev/null", "--svg"); // of devices there is no end
    files.writes("/dev/null", "--picture");
    files.writes("-", "--a");
    CHECK_THROWS_WITH(files.writes("/dev/stdout", "--b"),
                      Catch::Contains("--a and --b both go to standard output"));
    CHECK_THROWS_WITH(files.writes("", "--c"), Catch::Contains("--c: an output has an empty name"));
    CHECK_THROWS_WITH(files.writes(at / "no/a", "--d"), Catch::Contains("--d: cannot write"));
    write_file(at / "new", std::string("SQLite format 3") + '\0');
    CHECK_THROWS_WITH(run_files().writes(at / "new", "--e"),
                      Catch::Contains("--e: ") && Catch::Contains("a database"));
    CHECK(at.entries() == 6);
}

TEST_CASE("the file that standard output goes to is no other output", "[output]") {
    scratch const at;
    std::cout.flush();
    int const before = dup(STDOUT_FILENO);
    int const other = open((at / "out").c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(other, STDOUT_FILENO);
    std::string said;
    try {
        run_files files;
        files.writes("-", "--csv");
        files.writes(at / "out", "--json");
    } catch (error const& e) {
        said = e.what();
    }
    dup2(before, STDOUT_FILENO);
    close(before);
    close(other);
    CHECK_THAT(said, Catch::Contains("--json: ") && Catch::Contains("is also standard output"));
}

TEST_CASE("what standard output does not take is an error at the end", "[output]") {
    std::cout.flush();
    int const before = dup(STDOUT_FILENO);
    int const full = open("/dev/full", O_WRONLY);
    dup2(full, STDOUT_FILENO);
    std::string said;
    std::cout << "lost";
    try {
        finish_standard_output();
    } catch (error const& e) {
        said = e.what();
    }
    std::cout.clear();
    clearerr(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(full);
    CHECK_THAT(said, Catch::Contains("cannot write to standard output: No space left"));
    CHECK_NOTHROW(finish_standard_output());
}
