// Launches executed once and kept: the streams that come back are those that went in, wherever they were kept.
#include <warpkit/program/stored_launch.hpp>

#include "catch.hpp"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace warpkit;

namespace {

/// A program of 40 instructions, some of which have addresses, and CTAs whose warps run any of it.
struct random_launch {
    explicit random_launch(std::uint64_t seed, std::uint32_t ctas = 24) : random(seed), grid(ctas) {
        program.name = "random";
        program.instructions.resize(40);
        for (auto& i : program.instructions) {
            i.kind = random() % 3 == 0 ? op_class::load : op_class::int_add;
            if (random() % 9 == 0) {
                i.kind = op_class::barrier;
                i.barrier_in_stream = random() % 2 == 0;
            } else if (seed % 2 == 0 && random() % 5 == 0) { // with words of its own
                i.async = i.is_memory() ? async_role::arrive : async_role::bulk_copy;
            }
        }
        for (std::uint32_t c = 0; c < ctas; ++c) all.push_back(cta());
    }
    kernel_launch launch() {
        kernel_launch l;
        l.program = &program;
        l.grid = {grid, 1, 1};
        l.block = {128, 1, 1};
        l.source = this;
        l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            auto& r = *static_cast<random_launch*>(self);
            r.asked.push_back(cta);
            out = r.all[cta];
        };
        return l;
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); }
    std::uint64_t number() {
        auto const bits = random() % 65;
        return bits == 0 ? 0 : random() >> (64 - bits);
    }
    lane_mask mask() {
        switch (random() % 4) {
        case 0:
            return static_cast<lane_mask>(random());
        case 1:
            return static_cast<lane_mask>(random()) & static_cast<lane_mask>(random() >> 32);
        default:
            return random() % 8 == 0 ? 0 : all_lanes;
        }
    }
    cta_stream cta() {
        cta_stream c;
        c.reset(4);
        for (auto& w : c.warps) {
            if (random() % 6 == 0 && &w != &c.warps[0]) {
                w = *(&w - 1); // as the warp before, address by address
                continue;
            }
            auto const blocks = random() % 12;
            for (unsigned b = 0; b < blocks; ++b) {
                auto const m = mask();
                auto const begin = below(40);
                auto const last = begin + below(40 - begin);
                for (auto i = begin; i <= last; ++i) {
                    append(w, i, m);
                    if (!has_words(program.instructions[i].async) || m == 0) continue;
                    std::vector<std::uint64_t> words(random() % 6);
                    for (auto& x : words) x = number();
                    w.append_words(words);
                    c.phases.push_back(below(100));
                }
            }
        }
        return c;
    }
    void append(warp_stream& w, std::uint32_t i, lane_mask m) {
        auto const& s = program.instructions[i];
        auto const space = static_cast<memory_space>(1 + random() % 7);
        if (s.barrier_in_stream) return w.append_barrier(i, m, below(16), below(5));
        if (!s.is_memory()) return w.append(i, m);
        lane_addresses a{};
        switch (random() % 4) {
        case 0: // anything
            for (auto& x : a) x = number();
            return w.append(i, m, space, a);
        case 1: // a gather close by
            for (auto& x : a) x = 0x1000 + 4 * (random() % 64);
            return w.append(i, m, space, a);
        case 2:
            return w.append(i, m, space, number(), number());
        default:
            return w.append(i, m, space, 0x8000 + 128 * (random() % 8), 4);
        }
    }

    std::mt19937_64 random;
    std::uint32_t grid;
    static_program program;
    std::vector<cta_stream> all;
    std::vector<std::uint64_t> asked;
};

void nobody(std::uint64_t) {}

std::filesystem::path empty_folder() {
    auto const folder = std::filesystem::current_path() / "stored_launch_test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    return folder;
}

} // namespace

TEST_CASE("a kept launch is the launch, in any order and as often as wanted, in memory and in a file") {
    auto const folder = empty_folder();
    unsigned wrong = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        random_launch from(seed);
        for (std::uint64_t const budget : {std::uint64_t{1} << 30, std::uint64_t{0}, std::uint64_t{20000}}) {
            stream_store store({budget, folder});
            std::uint64_t finished = 0;
            from.asked.clear();
            stored_launch kept(from.launch(), store, [&](std::uint64_t n) { wrong += n != ++finished; });
            wrong += finished != from.grid || from.asked.size() != from.grid;
            for (std::uint64_t c = 0; c < from.grid; ++c)
                wrong += from.asked[c] != c; // in their order, each once
            wrong += budget == 0 && (store.memory() != 0 || store.disk() == 0);
            wrong += budget > 20000 && store.disk() != 0;
            wrong += budget == 20000 && (store.memory() > budget || store.memory() == 0 || store.disk() == 0);
            wrong += !std::filesystem::is_empty(folder); // the file has no name
            auto const l = kept.launch();
            wrong += l.program != &from.program || l.ctas() != from.grid;
            cta_stream out;
            std::uint64_t instructions = 0;
            for (std::uint64_t n = 0; n < 2 * from.grid; ++n) {
                auto const c = n * 7 % from.grid;
                l.fill(l.source, c, out);
                wrong += !(out == from.all[c]);
                for (auto const& w : out.warps) instructions += w.size();
            }
            wrong += instructions != 2 * kept.instructions();
        }
    }
    CHECK(wrong == 0);
    std::filesystem::remove(folder);
}

TEST_CASE("several threads read a kept launch at once, each in its own order, in memory and in a file") {
    auto const folder = empty_folder();
    random_launch from(7, 200);
    for (std::uint64_t const budget : {std::uint64_t{1} << 30, std::uint64_t{0}, std::uint64_t{20000}}) {
        stream_store store({budget, folder});
        stored_launch const kept(from.launch(), store, nobody);
        std::vector<unsigned> wrong(4, 0);
        std::vector<std::thread> readers;
        for (unsigned t = 0; t < wrong.size(); ++t)
            readers.emplace_back([&, t] {
                stored_launch::reader reader(kept);
                auto const l = reader.launch();
                cta_stream out;
                for (std::uint64_t n = 0; n < 3 * from.grid; ++n) {
                    auto const c = n * (2 * t + 3) % from.grid;
                    l.fill(l.source, c, out);
                    wrong[t] += !(out == from.all[c]);
                }
            });
        for (auto& r : readers) r.join();
        CHECK(wrong == std::vector<unsigned>(4, 0));
    }
    std::filesystem::remove(folder);
}

TEST_CASE("what is regular takes hardly any room") {
    // z[i] = x[i] + y[i] in a loop: 4 warps, 50 turns, two loads and a store in each.
    static_program program;
    program.instructions.resize(8);
    for (auto const i : {1, 2}) program.instructions[static_cast<unsigned>(i)].kind = op_class::load;
    program.instructions[4].kind = op_class::store;
    program.instructions[7].kind = op_class::exit;
    cta_stream streams;
    streams.reset(4);
    for (unsigned w = 0; w < 4; ++w) {
        auto& s = streams.warps[w];
        s.append(0, all_lanes);
        for (unsigned turn = 0; turn < 50; ++turn)
            for (std::uint32_t i = 1; i < 7; ++i)
                if (program.instructions[i].is_memory())
                    s.append(i, all_lanes, memory_space::global, i << 20 | (turn * 4 + w) * 128, 4);
                else
                    s.append(i, all_lanes);
        s.append(7, all_lanes);
    }
    std::vector<std::uint8_t> bytes;
    stream_code(program).encode(streams, bytes);
    // Each of the 600 accesses is a byte, but for some where warps begin; 51 runs of two bytes, told once.
    CHECK(bytes.size() < 600 + 2 * 51 + 80);
    cta_stream again;
    stream_code(program).decode(bytes.data(), again);
    CHECK(again == streams);
}

TEST_CASE("a full disk and a missing folder are one clear error, and leave nothing behind") {
    random_launch from(5);
    stream_store nowhere({0, "no such folder"});
    CHECK_THROWS_WITH(stored_launch(from.launch(), nowhere, nobody),
                      Catch::Contains("cannot make a temporary file in no such folder"));
    auto const folder = empty_folder();
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    auto small = before;
    small.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    {
        stream_store store({0, folder});
        try {
            stored_launch(from.launch(), store, nobody);
        } catch (error const& e) {
            message = e.what();
        }
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK_THAT(message, Catch::Contains("cannot write to it; is the disk full?"));
    CHECK(std::filesystem::is_empty(folder));
    std::filesystem::remove(folder);
}

TEST_CASE("without a folder of its own, what does not fit lies where the system keeps temporary files") {
    auto const folder = empty_folder();
    auto const* const before = std::getenv("TMPDIR");
    std::string const kept_variable = before == nullptr ? "" : before;
    random_launch from(3);
    ::setenv("TMPDIR", folder.c_str(), 1);
    {
        stream_store store({0, {}});
        stored_launch const kept(from.launch(), store, nobody);
        CHECK(store.disk() != 0);
    }
    ::setenv("TMPDIR", (folder / "not_there").c_str(), 1);
    stream_store nowhere({0, {}});
    CHECK_THROWS_WITH(stored_launch(from.launch(), nowhere, nobody),
                      Catch::Contains("TMPDIR names one that is not there"));
    before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept_variable.c_str(), 1);
    std::filesystem::remove(folder);
}
