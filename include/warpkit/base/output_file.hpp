#pragma once
/// \file
/// How programs write their results: whole or not at all, wherever the name leads.

#include <warpkit/base/error.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#if __has_include(<unistd.h>)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace warpkit {

namespace detail {

inline std::string reason(int number) { return std::generic_category().message(number); }

/// A name as a message can show it.
inline std::string shown(std::string const& name) {
    return name.size() < 1000 ? name : name.substr(0, 60) + "... (" + std::to_string(name.size()) + " bytes)";
}
[[noreturn]] inline void refuse_output(std::string const& name, std::string const& why) {
    throw error("cannot write " + shown(name) + ": " + why);
}

/// The stream that a path stands for; null if it is none of the two.
inline std::FILE* standard_stream(std::filesystem::path const& path) {
    for (auto const* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
        if (path == name) return stdout;
    for (auto const* name : {"/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"})
        if (path == name) return stderr;
    return nullptr;
}
/// Whether a path stands for a file that the caller has opened, which is not to be replaced.
inline bool is_open_file(std::filesystem::path const& path) {
    return path.parent_path() == "/dev/fd" || path.parent_path() == "/proc/self/fd";
}

/// Where the name of an output leads.
struct output_place {
    std::filesystem::path path;  ///< behind all links at the end of the name
    std::FILE* stream = nullptr; ///< that it is
    bool direct = false;         ///< not a regular file: written to as it is
    std::filesystem::file_status status;

    bool is_there() const { return std::filesystem::exists(status); }
    std::filesystem::path folder() const { return path.has_parent_path() ? path.parent_path() : "."; }
};

/// Follows links, also those that lead to nothing yet. Throws `error` on what can not be written.
inline output_place output_place_of(std::string const& name) {
    namespace fs = std::filesystem;
    if (name.empty()) throw error("an output has an empty name: give a file, or - for standard output");
    output_place place;
    place.path = name;
    std::error_code failed;
    for (unsigned links = 0;; ++links) {
        place.stream = standard_stream(place.path);
        place.direct = place.stream != nullptr || is_open_file(place.path);
        if (place.stream != nullptr) return place;
        place.status = fs::symlink_status(place.path, failed);
        if (place.direct && fs::exists(place.status)) return place;
        if (!fs::is_symlink(place.status)) break;
        if (links == 40) refuse_output(name, "its links lead in a circle");
        auto const to = fs::read_symlink(place.path, failed);
        if (failed) refuse_output(name, failed.message());
        place.path = place.folder() / to;
    }
    if (failed && failed != std::errc::no_such_file_or_directory && failed != std::errc::not_a_directory)
        refuse_output(name, failed.message());
    if (fs::is_directory(place.status)) refuse_output(name, "it is a folder; name a file in it");
    if (fs::is_socket(place.status)) refuse_output(name, "it is a socket; write to - and pipe that into it");
    place.direct = place.is_there() && !fs::is_regular_file(place.status);
    if (place.direct) return place;
    if (!fs::is_directory(place.folder(), failed) || !place.path.has_filename())
        refuse_output(name, "there is no folder " + place.folder().string());
    return place;
}

/// A database (SQLite's) may have hours of work in it, and no result is meant to replace one.
inline void refuse_database(std::string const& name, std::filesystem::path const& path) {
    auto* const file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return;
    constexpr std::string_view begin("SQLite format 3\0", 16);
    char found[begin.size()];
    bool const is_one = std::fread(found, 1, begin.size(), file) == begin.size() &&
                        std::string_view(found, begin.size()) == begin;
    std::fclose(file);
    if (is_one) refuse_output(name, "it is a database, which no result replaces; name another file");
}

} // namespace detail

/// Whether a result of this name goes to standard output, so that nothing else should.
inline bool is_standard_output(std::string const& name) {
    return !name.empty() && detail::output_place_of(name).stream == stdout;
}

/// A result that is being written. Where its name leads to a regular file, or to none yet, all goes to a new file in
/// the same folder, which takes the name when commit() is called: until then, and after every error, what was there is
/// untouched. The new file has no name before close(), so that nothing is left where the program is killed; where the
/// file system has no such files (O_TMPFILE), it is `.warpkit-<number>`. Links are followed, and stay. Devices, pipes
/// and open files (/dev/fd/3) are written to as they are; `-` is standard output. A database (SQLite's) is never
/// replaced. All members throw `error` that names the file.
class output_file {
public:
    explicit output_file(std::string name) : name_(std::move(name)), place_(detail::output_place_of(name_)) {
        if (place_.stream != nullptr) {
            std::cout.flush(); // what was printed before comes before
            file_ = place_.stream;
        } else if (place_.direct) {
            file_ = std::fopen(place_.path.c_str(), "ab");
            if (file_ == nullptr) refuse(detail::reason(errno));
        } else {
            open_part();
        }
    }
    output_file(output_file&& other) noexcept
        : name_(std::move(other.name_)),
          place_(std::move(other.place_)),
          part_(std::exchange(other.part_, {})),
          nameless_(std::exchange(other.nameless_, false)),
          file_(std::exchange(other.file_, nullptr)) {}
    output_file& operator=(output_file&&) = delete;
    ~output_file() { give_up(); }

    void write(std::string_view bytes) {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) refuse(detail::reason(errno));
    }
    /// Everything has been written. The name is still another one's: a program that writes several files closes all of
    /// them before it commits the first.
    void close() {
        auto* const file = std::exchange(file_, nullptr);
        if (file == nullptr) return;
        bool good = std::fflush(file) == 0;
        auto why = errno;
        if (good && nameless_) {
            good = name_part(file);
            why = errno;
        }
        if (place_.stream == nullptr && std::fclose(file) != 0 && good) refuse(detail::reason(errno));
        if (!good) refuse(detail::reason(why));
    }
    /// The file takes its name.
    void commit() {
        close();
        if (part_.empty()) return;
        std::error_code failed;
        std::filesystem::rename(part_, place_.path, failed);
        if (failed) refuse(failed.message());
        part_.clear();
    }
    std::string const& name() const noexcept { return name_; }

private:
    void open_part() {
        namespace fs = std::filesystem;
        if (place_.is_there()) { // a file that may not be written is not to be replaced
            auto* const file = std::fopen(place_.path.c_str(), "r+b");
            if (file == nullptr) refuse(detail::reason(errno));
            std::fclose(file);
            detail::refuse_database(name_, place_.path);
        } else {
            // A name that can not be is found now, not at the end.
            auto* const file = std::fopen(place_.path.c_str(), "rb");
            if (file == nullptr && errno != ENOENT) refuse(detail::reason(errno));
            if (file != nullptr) std::fclose(file);
        }
        if (open_nameless()) return;
        while (file_ == nullptr) {
            part_ = part_name();
            file_ = std::fopen(part_.c_str(), "wbx"); // x: never another one's file
            if (file_ != nullptr || errno == EEXIST) continue;
            auto const why = errno;
            part_.clear();
            refuse("its folder can not be written to: " + detail::reason(why));
        }
        std::error_code ignored;
        if (place_.is_there()) fs::permissions(part_, place_.status.permissions(), ignored);
    }
    /// A name in the same folder, most likely a new one; short, as the file's own may be as long as can be.
    std::filesystem::path part_name() const {
        return place_.folder() / (".warpkit-" + std::to_string(std::random_device()()));
    }
#ifdef O_TMPFILE
    /// Whether there is a new file, without a name, that can be given one.
    bool open_nameless() {
        auto const d = ::open(place_.folder().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
        if (d == -1) return false;
        bool const nameable = ::access(("/proc/self/fd/" + std::to_string(d)).c_str(), F_OK) == 0;
        if (nameable) file_ = ::fdopen(d, "wb");
        if (file_ == nullptr) {
            ::close(d);
            return false;
        }
        if (place_.is_there())
            static_cast<void>(::fchmod(d, static_cast<mode_t>(place_.status.permissions())));
        nameless_ = true;
        return true;
    }
    /// Whether it has got its first name; if not, errno tells why.
    bool name_part(std::FILE* file) {
        auto const from = "/proc/self/fd/" + std::to_string(::fileno(file));
        int failed = 0;
        do {
            part_ = part_name();
            failed = ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, part_.c_str(), AT_SYMLINK_FOLLOW);
        } while (failed != 0 && errno == EEXIST);
        if (failed != 0) {
            part_.clear();
            return false;
        }
        nameless_ = false;
        return true;
    }
#else
    static bool open_nameless() { return false; }
    static bool name_part(std::FILE*) { return true; }
#endif
    void give_up() noexcept {
        if (file_ != nullptr && place_.stream == nullptr) std::fclose(file_);
        file_ = nullptr;
        std::error_code ignored;
        if (!part_.empty()) std::filesystem::remove(part_, ignored);
        part_.clear();
    }
    [[noreturn]] void refuse(std::string const& why) {
        give_up();
        detail::refuse_output(name_, why);
    }

    std::string name_;
    detail::output_place place_;
    std::filesystem::path
        part_; ///< the new file until it has its name; none: it has no name at all, or there is none
    bool nameless_ = false;
    std::FILE* file_ = nullptr;
};

/// Writes one result as a whole: see output_file.
inline void write_file(std::string const& name, std::string_view content) {
    output_file file(name);
    file.write(content);
    file.commit();
}

/// The files of one run by what they are for, so that no output takes the place of an input or of another output,
/// whatever their names are: files are the same when device and inode are. What is no regular file may be named more
/// than once.
class run_files {
public:
    /// `use` is what it is for, as "--ptx". Throws `error` if it is an output.
    void reads(std::string const& name, std::string const& use) {
        if (!name.empty()) add(name, name, use, false);
    }

    /// Throws `error` if it is an input, another output or where standard output goes, or if it can not be.
    void writes(std::string const& name, std::string const& use) {
        detail::output_place place;
        try {
            place = detail::output_place_of(name);
        } catch (error const& e) {
            throw error(use + ": " + e.what());
        }
        if (place.stream == stdout) {
            if (!standard_output_.empty())
                throw error(standard_output_ + " and " + use +
                            " both go to standard output; name a file for one");
            standard_output_ = use;
        }
        if (place.direct) return;
        for (auto const& [stream, what] :
             {std::pair("/dev/stdout", "standard output"), {"/dev/stderr", "standard error"}})
            if (same(place.path, stream)) refuse(use, name, what, "");
        add(name, place.path, use, true);
        try {
            detail::refuse_database(name, place.path);
        } catch (error const& e) {
            throw error(use + ": " + e.what());
        }
    }

private:
    struct file {
        std::string name;
        std::filesystem::path path;
        std::string use;
        bool output;
    };
    static bool same(std::filesystem::path const& a, std::filesystem::path const& b) {
        namespace fs = std::filesystem;
        std::error_code missing;
        bool const both = fs::exists(a, missing) && fs::exists(b, missing);
        if (both) return fs::is_regular_file(a, missing) && fs::equivalent(a, b, missing);
        if (fs::exists(a, missing) || fs::exists(b, missing) || a.filename() != b.filename()) return false;
        auto const folder = [](fs::path const& p) {
            return p.has_parent_path() ? p.parent_path() : fs::path(".");
        };
        return fs::equivalent(folder(a), folder(b), missing);
    }
    [[noreturn]] static void refuse(std::string const& use, std::string const& name, std::string const& other,
                                    std::string const& other_name) {
        throw error(use + ": " + name + " is also " + other +
                    (other_name.empty() || other_name == name ? "" : " (" + other_name + ')') +
                    "; an output needs a file of its own");
    }
    void add(std::string const& name, std::filesystem::path const& path, std::string const& use,
             bool output) {
        for (auto const& f : files_) {
            if (!(output || f.output) || !same(path, f.path)) continue;
            if (output) refuse(use, name, f.use, f.name);
            refuse(f.use, f.name, use, name);
        }
        files_.push_back({name, path, use, output});
    }

    std::vector<file> files_;
    std::string standard_output_; ///< what goes there
};

/// Whatever was printed has arrived; throws `error` if it has not, as on a full disk. The last thing a program does.
inline void finish_standard_output() {
    errno = 0;
    std::cout.flush();
    bool const failed = std::fflush(stdout) != 0 || !std::cout || std::ferror(stdout) != 0;
    auto const why = errno;
    if (failed) throw error("cannot write to standard output" + (why == 0 ? "" : ": " + detail::reason(why)));
}

} // namespace warpkit
