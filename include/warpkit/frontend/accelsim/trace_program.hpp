#pragma once
/// \file
/// A program as a list of traces: a kernelslist.g and the kernels that it names.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/accelsim/files.hpp>
#include <warpkit/frontend/accelsim/trace.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::accelsim {

/// The traces of a program. What has been looked through is kept, so that it can be run many times.
class trace_program {
public:
    /// `path`: a kernelslist.g, or one kernel's trace. Throws `error` when it cannot be read, or lists no kernel.
    trace_program(std::string const& path, std::vector<codec> codecs)
        : path_(path),
          codecs_(std::move(codecs)) {
        if (std::filesystem::path(path).filename().string().find(".trace") != std::string::npos) {
            trace_command c;
            c.file = std::filesystem::path(path).filename().string();
            commands_.push_back(c);
        } else {
            commands_ = read_kernel_list(file_source(path, codecs_));
        }
        for (auto const& c : commands_) kernels_ += c.is_copy ? 0 : 1;
        if (kernels_ == 0)
            throw error(
                path +
                ": no kernel's trace is listed; expected lines such as kernel-1.traceg or kernel-1.trace");
    }

    std::string const& path() const noexcept { return path_; }
    std::vector<trace_command> const& commands() const noexcept { return commands_; }
    /// How many of the commands are kernels.
    std::size_t kernels() const noexcept { return kernels_; }
    /// The kernel of a command. Throws `error` when its file cannot be read.
    trace_kernel& kernel(trace_command const& c) {
        auto found = loaded_.find(c.file);
        if (found == loaded_.end()) {
            auto const file = trace_path(path_, c.file, codecs_);
            if (!detail::exists(file) && c.line != 0)
                throw error(path_ + ':' + std::to_string(c.line) + ": there is no file " + file);
            found = loaded_.emplace(c.file, std::make_unique<trace_kernel>(file_source(file, codecs_))).first;
        }
        return *found->second;
    }
    /// Looks through all kernels. Throws `error` as kernel() does, and where one stands behind a later launch: a list
    /// whose lines are in another order is another program.
    void look_through() {
        trace_kernel const* last = nullptr;
        std::string last_file;
        for (auto const& c : commands_) {
            if (c.is_copy) continue;
            auto const& now = kernel(c);
            auto const id = now.header().id;
            if (last != nullptr && id != 0 && id < last->header().id)
                throw error(path_ + ':' + std::to_string(c.line) + ": " + c.file + " is launch " +
                            std::to_string(id) + ", but stands behind launch " +
                            std::to_string(last->header().id) + " (" + last_file +
                            "); list the launches in the order of their numbers");
            last = &now;
            last_file = c.file;
        }
    }
    /// Of all kernels that have been looked through: opcodes that are in no table, and how often they stand there.
    std::map<std::string, std::uint64_t> unknown_opcodes() const {
        std::map<std::string, std::uint64_t> all;
        for (auto const& [file, kernel] : loaded_)
            for (auto const& [name, count] : kernel->unknown_opcodes()) all[name] += count;
        return all;
    }
    /// ... how far apart the PCs of instructions are that hardware executed; 0 if all traces are our own.
    std::uint32_t instruction_bytes() const noexcept {
        std::uint32_t n = 0;
        for (auto const& [file, kernel] : loaded_)
            if (!kernel->is_own() && kernel->program().instruction_bytes > n)
                n = kernel->program().instruction_bytes;
        return n;
    }
    /// ... and the thread blocks that are in no file.
    std::uint64_t missing_blocks() const {
        std::uint64_t n = 0;
        for (auto const& [file, kernel] : loaded_) n += kernel->missing_blocks();
        return n;
    }

private:
    std::string path_;
    std::vector<codec> codecs_;
    std::vector<trace_command> commands_;
    std::size_t kernels_ = 0;
    std::map<std::string, std::unique_ptr<trace_kernel>> loaded_;
};

} // namespace warpkit::accelsim
