// Traces of Accel-Sim: read for `lab run --trace`, written by `lab trace`.
#include "traces.hpp"

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/accelsim/compression.hpp>
#include <warpkit/frontend/accelsim/writer.hpp>
#include <warpkit/report/text.hpp>

#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace lab {

using namespace warpkit;

std::shared_ptr<accelsim::trace_program> open_trace(std::string const& path) {
    auto const program = std::make_shared<accelsim::trace_program>(path, accelsim::codecs());
    program->look_through();
    if (auto const unknown = program->unknown_opcodes(); !unknown.empty()) {
        std::string list;
        for (auto const& [name, count] : unknown)
            list += (list.empty() ? "" : ", ") + name + " (" + report::with_thousands(count) + " times)";
        std::cerr << "lab: warning: " << path << ": unknown opcodes run as class other: " << list << '\n';
    }
    if (auto const n = program->missing_blocks(); n != 0)
        std::cerr << "lab: warning: " << path << ": " << report::with_thousands(n)
                  << " thread blocks are in no file and run as empty ones\n";
    return program;
}

std::string trace_name(std::string const& path) {
    std::error_code ignored;
    auto const file = std::filesystem::absolute(path, ignored);
    auto const name = file.filename().string();
    if (name.find("kernelslist") == name.npos) return name.substr(0, name.find(".trace"));
    auto const folder = file.parent_path().filename().string();
    return folder.empty() ? name : folder;
}

std::vector<std::string> trace_files(std::string const& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return {}; // a pipe is read once
    std::vector<std::string> files;
    accelsim::trace_program const program(path, accelsim::codecs());
    for (auto const& c : program.commands())
        if (!c.is_copy) files.push_back(accelsim::trace_path(path, c.file, accelsim::codecs()));
    return files;
}

trace_folder::trace_folder(trace_output const& to, run_files& files) : to_(to), run_(&files) {
    if (!to_.compression.empty()) {
        for (auto const& c : accelsim::codecs())
            if (c.name == to_.compression) codec_ = c;
        if (codec_.encode == nullptr)
            throw error("--compress " + to_.compression +
                        ": this lab was built without the library for it; install " +
                        std::string(codec_.package) + " and build again");
    }
    std::error_code failed;
    made_ = std::filesystem::create_directories(to_.folder, failed);
    if (failed || !std::filesystem::is_directory(to_.folder, failed))
        throw error("--output: cannot make the folder " + to_.folder +
                    (failed ? ": " + failed.message() : ": it is a file"));
}
trace_folder::~trace_folder() {
    files_.clear();
    std::error_code not_empty;
    if (made_) std::filesystem::remove(to_.folder, not_empty);
}

engine trace_folder::writer() {
    return engine::calling([this](kernel_launch const& launch, engine::progress_sink const&) {
        write(launch);
        return run_counters();
    });
}

output_file trace_folder::begin(std::string const& name) {
    auto const path = (std::filesystem::path(to_.folder) / name).string();
    run_->writes(path, "--output");
    names_.push_back(name);
    return output_file(path);
}

void trace_folder::write(kernel_launch const& launch) {
    auto const id = static_cast<unsigned>(files_.size() + 1);
    auto file = begin("kernel-" + std::to_string(id) + ".traceg" + std::string(codec_.suffix));
    accelsim::byte_sink const to_file = [&](std::string_view bytes) { file.write(bytes); };
    auto const out = codec_.encode != nullptr ? codec_.encode(to_file) : accelsim::compressor{to_file, [] {}};
    auto const set = to_.isa == "ampere"  ? accelsim::instruction_set::ampere
                     : to_.isa == "volta" ? accelsim::instruction_set::volta
                                          : accelsim::instruction_set::kepler;
    instructions_ += accelsim::write_trace(launch, id, out.write, set);
    out.finish();
    file.close();
    files_.push_back(std::move(file));
}

void trace_folder::finish() {
    std::string names;
    for (auto const& n : names_) names += n + '\n';
    auto const kernels = files_.size();
    auto list = begin("kernelslist.g");
    list.write(names);
    list.close();
    files_.push_back(std::move(list));
    for (auto& f : files_) f.commit();
    std::cout << files_.back().name() << ": " << kernels << " kernels, "
              << report::with_thousands(instructions_) << " warp instructions\n";
    made_ = false;
}

} // namespace lab
