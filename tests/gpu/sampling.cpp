/// Timing parts of a kernel: the estimate of its cycles, its error bar, and that every CTA is executed
/// (gpu/sampling.hpp).

#include <warpkit/frontend/builder.hpp>
#include <warpkit/gpu/sampling.hpp>

#include "catch.hpp"
#include "gpu/machines.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {

gpu_parameters three_cores() {
    auto p = presets::gtx480::parameters();
    p.core.count = 3;
    return p;
}

// A load and 20 multiply-adds, over and over; `loops(cta)` times, each lane of the load in a line of its own where
// `scattered(cta)`.
class looping_kernel {
public:
    template <class Loops, class Scattered>
    looping_kernel(std::uint32_t ctas, Loops loops, Scattered scattered) : k_("looping"),
                                                                           executed_(ctas, 0) {
        auto const load = k_.load(memory_space::global, 4, {8}, {2});
        for (unsigned i = 0; i < 20; ++i) {
            auto const r = static_cast<register_id>(12 + i % 4);
            k_.op(op_class::fp_mad, {r}, {r, 8, r});
        }
        auto const back = k_.branch(0);
        auto const exit = k_.exit();
        k_.grid = {ctas, 1, 1};
        k_.block = {256, 1, 1};
        k_.script = [=, this](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
            executed_[cta] += warp == 0;
            auto const n = loops(cta);
            auto const first = hasher::mix(cta * 8 + warp);
            for (unsigned i = 0; i < n; ++i) {
                out.access(load, [&](unsigned lane) {
                    return scattered(cta)
                               ? 0xC0000000 + hasher::mix(first + i * lanes + lane / 4) % 100'000 * 128
                               : 0xC0000000 + (cta * 256 + warp * 32 + lane) * 4;
                });
                for (auto j = load + 1; j < back; ++j) out.step(j);
                if (i + 1 < n) out.step(back);
            }
            out.step(exit);
        };
    }
    kernel_launch launch() { return k_.launch(); }
    // Whether each CTA was executed so many times.
    bool all_executed(unsigned times) const {
        for (auto const n : executed_)
            if (n != times) return false;
        return true;
    }

private:
    kernel_builder k_;
    std::vector<unsigned> executed_;
};

struct both {
    run_counters full;
    run_counters timed;
    cycle_estimate estimate;

    double error() const { return std::abs(estimate.cycles - static_cast<double>(full.cycles)); }
};
both run_both(looping_kernel& k, sampling_options const& options = {}) {
    both b;
    b.full = gpu<fermi_lrr>(three_cores()).run(k.launch());
    sampler s(options);
    b.timed = gpu<fermi_lrr>(three_cores()).run(k.launch(), no_progress{}, in_turn{}, &s);
    b.estimate = s.estimate();
    INFO("full " << b.full.cycles << ", estimated " << b.estimate.cycles << " +- " << b.estimate.error << ", "
                 << b.estimate.gaps << " gaps");
    CHECK(k.all_executed(2));
    CHECK(b.estimate.warp_instructions == b.full.core.warp_instructions);
    CHECK(b.estimate.skipped_warp_instructions ==
          b.full.core.warp_instructions - b.timed.core.warp_instructions);
    CHECK(b.error() <= b.estimate.error);
    return b;
}

unsigned two(std::uint64_t) { return 2; }
bool never_scattered(std::uint64_t) { return false; }

} // namespace

TEST_CASE("sampling: a steady kernel's cycles are estimated from less than half of it", "[gpu]") {
    looping_kernel k(600, two, never_scattered);
    auto const b = run_both(k);
    CHECK(b.error() < 0.02 * static_cast<double>(b.full.cycles));
    CHECK(b.estimate.error < 0.05 * static_cast<double>(b.full.cycles));
    CHECK(2 * b.timed.core.warp_instructions < b.full.core.warp_instructions);
    CHECK(b.estimate.gaps > 0);
    // The same again is the same.
    sampler s;
    gpu<fermi_lrr> again(three_cores());
    CHECK(again.run(k.launch(), no_progress{}, in_turn{}, &s) == b.timed);
    CHECK(s.estimate() == b.estimate);
}

TEST_CASE("sampling: a kernel that changes half-way does not fool it", "[gpu]") {
    looping_kernel k(600, two, [](std::uint64_t cta) { return cta >= 300; });
    auto const b = run_both(k);
    CHECK(b.estimate.gaps > 1);
    CHECK(b.estimate.error < 0.2 * static_cast<double>(b.full.cycles));
}

TEST_CASE("sampling: neither does another behaviour that lasts two waves", "[gpu]") {
    looping_kernel k(600, two, [](std::uint64_t cta) { return cta >= 300 && cta < 340; });
    CHECK(run_both(k).estimate.gaps > 1);
}

TEST_CASE("sampling: CTAs that grow are weighed by their instructions", "[gpu]") {
    looping_kernel k(
        600, [](std::uint64_t cta) { return static_cast<unsigned>(1 + cta / 150); }, never_scattered);
    auto const b = run_both(k);
    CHECK(b.error() < 0.05 * static_cast<double>(b.full.cycles));
}

TEST_CASE("sampling: a short kernel is timed in full, and exact", "[gpu]") {
    looping_kernel k(100, two, never_scattered);
    auto const b = run_both(k);
    CHECK(b.timed == b.full);
    CHECK(b.estimate.exact());
    CHECK(b.estimate.error == 0);
    CHECK(b.error() == 0);
    CHECK(b.estimate.gaps == 0);
}

TEST_CASE("sampling: where intervals never agree, nothing is left out", "[gpu]") {
    looping_kernel k(600, two, [](std::uint64_t cta) { return cta / 18 % 2 == 0; });
    sampling_options strict;
    strict.tolerance = 1e-6;
    CHECK(run_both(k, strict).estimate.exact());
}

// A machine made up of its rate alone: waves of 20 CTAs of 100 instructions, one CTA after the other.
TEST_CASE("sampling: the error bar holds what it says, nine times in ten and more", "[gpu]") {
    unsigned covered = 0;
    unsigned sampled = 0;
    double widest = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        auto const noise = [&] { return static_cast<double>(random() >> 8) / 16777216.0 - 0.5; };
        std::vector<double> cycles_of(2000);
        for (auto& c : cycles_of) c = 100 * (3 + 1.5 * noise());
        double truth = 0;
        for (auto const c : cycles_of) truth += c;

        sampler s;
        s.begin();
        double age = 0;
        sampled_progress p;
        std::uint64_t skipped = 0;
        for (std::uint64_t next = 20; p.finished + skipped + 20 < 2000;) {
            age += cycles_of[p.finished + skipped];
            ++p.finished;
            p.warp_instructions += 100;
            p.age = static_cast<cycle>(age);
            p.resident = 20;
            p.left = 2000 - next - (next < 2000);
            if (next < 2000) ++next;
            if (auto const n = s.look(p); n != 0) {
                s.skipped(p, n, 100 * n, 0);
                skipped += n;
                next += n;
            }
        }
        for (auto i = p.finished + skipped; i < 2000; ++i) age += cycles_of[i];
        s.end(static_cast<cycle>(age), 100 * (2000 - skipped));
        sampled += !s.estimate().exact();
        covered += std::abs(s.estimate().cycles - truth) <= s.estimate().error + 1;
        if (s.estimate().error > widest) widest = s.estimate().error;
        CHECK(s.estimate().warp_instructions == 200'000);
    }
    CHECK(sampled > 250);
    CHECK(covered >= 270);
    CHECK(widest < 0.2 * 600'000);
}

namespace {

// A machine in lockstep: waves of up to 20 CTAs of 100 instructions, each of 1,000 cycles however full it is. Where
// CTAs are left out while a wave runs, the rest of it goes at a third of its speed.
struct lockstep {
    double truth;
    cycle_estimate estimate;
    explicit lockstep(std::uint64_t ctas) : truth(static_cast<double>((ctas + 19) / 20 * 1000)) {
        sampler s;
        s.begin();
        sampled_progress p;
        p.left = ctas;
        std::uint64_t skipped = 0;
        for (cycle tick = 50; p.left != 0;) {
            p.resident = p.left < 20 ? p.left : 20;
            p.left -= p.resident;
            for (unsigned part = 1; part <= 20; ++part) {
                p.age += tick;
                p.warp_instructions += p.resident * 5;
                if (part == 20) p.finished += p.resident;
                if (auto const n = s.look(p); n != 0) {
                    s.skipped(p, n, 100 * n, 0);
                    p.left -= n;
                    skipped += n;
                    tick = 150;
                }
            }
            tick = 50;
        }
        CHECK(p.finished + skipped == ctas);
        s.end(p.age, p.warp_instructions);
        estimate = s.estimate();
    }
};

} // namespace

TEST_CASE("sampling: the last wave is as full as it would have been, and what follows a gap is not counted",
          "[gpu]") {
    for (std::uint64_t const ctas : {1000U, 1001U, 1003U, 1010U, 1019U, 1020U}) {
        lockstep const l(ctas);
        INFO(ctas << " CTAs: " << l.truth << " cycles, estimated " << l.estimate.cycles << " +- "
                  << l.estimate.error);
        CHECK(l.estimate.skipped_ctas > ctas / 2);
        CHECK(std::abs(l.estimate.cycles - l.truth) < 1);
        CHECK(std::abs(l.estimate.error - 50) < 1); // a CTA's share
    }
}

TEST_CASE("sampling: options that make no sense are refused", "[gpu]") {
    CHECK_NOTHROW(sampler());
    for (auto const wrong : {0, 1, 2, 3}) {
        sampling_options o;
        if (wrong == 0) o.tolerance = 0;
        if (wrong == 1) o.intervals = 1;
        if (wrong == 2) o.interval = std::nan("");
        if (wrong == 3) o.stretch = -1;
        CHECK_THROWS_AS(sampler(o), error);
    }
    CHECK(std::abs(sampler::student(2) - 4.303) < 1e-9);
    CHECK(std::abs(sampler::student(30) - 2.042) < 0.005);
    CHECK(std::abs(sampler::student(1000) - 1.962) < 0.005);
}
