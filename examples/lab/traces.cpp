// Traces of Accel-Sim: read for `lab run --trace`, written by `lab trace`.
#include "traces.hpp"

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/accelsim/compression.hpp>
#include <warpkit/frontend/accelsim/writer.hpp>
#include <warpkit/report/text.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

namespace lab {

using namespace warpkit;

std::shared_ptr<accelsim::trace_program> open_trace(std::string const& path) {
    auto const program = std::make_shared<accelsim::trace_program>(path, accelsim::codecs());
    for (auto const& c : program->commands())
        if (!c.is_copy) program->kernel(c);
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
    if (name.find("kernelslist") == name.npos) return name.substr(0, name.find(".traceg"));
    auto const folder = file.parent_path().filename().string();
    return folder.empty() ? name : folder;
}

trace_folder::trace_folder(trace_output const& to) : to_(to) {
    if (!to_.compression.empty()) {
        for (auto const& c : accelsim::codecs())
            if (c.name == to_.compression) codec_ = c;
        if (codec_.encode == nullptr)
            throw error("--compress " + to_.compression +
                        ": this lab was built without the library for it; install " +
                        std::string(codec_.package) + " and build again");
    }
    std::error_code failed;
    std::filesystem::create_directories(to_.folder, failed);
    if (failed) throw error("cannot make the folder " + to_.folder + ": " + failed.message());
}

engine trace_folder::writer() {
    return engine::calling([this](kernel_launch const& launch, engine::progress_sink const&) {
        write(launch);
        return run_counters();
    });
}

void trace_folder::write(kernel_launch const& launch) {
    auto const id = static_cast<unsigned>(files_.size() + 1);
    auto const name = "kernel-" + std::to_string(id) + ".traceg" + std::string(codec_.suffix);
    auto const path = (std::filesystem::path(to_.folder) / name).string();
    std::ofstream file(path, std::ios::binary);
    accelsim::byte_sink const to_file = [&](std::string_view bytes) {
        if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
            throw error("cannot write " + path);
    };
    auto const out = codec_.encode != nullptr ? codec_.encode(to_file) : accelsim::compressor{to_file, [] {}};
    auto const set =
        to_.isa == "volta" ? accelsim::instruction_set::volta : accelsim::instruction_set::kepler;
    instructions_ += accelsim::write_trace(launch, id, out.write, set);
    out.finish();
    if (!file.flush()) throw error("cannot write " + path);
    files_.push_back(name);
}

void trace_folder::finish() const {
    auto const path = (std::filesystem::path(to_.folder) / "kernelslist.g").string();
    std::ofstream list(path);
    for (auto const& f : files_) list << f << '\n';
    if (!list.flush()) throw error("cannot write " + path);
    std::cout << path << ": " << files_.size() << " kernels, " << report::with_thousands(instructions_)
              << " warp instructions\n";
}

} // namespace lab
