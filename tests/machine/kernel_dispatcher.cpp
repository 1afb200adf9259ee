/// Which kernels of a group are on a machine, and which cores each has (docs/model/dispatch.md#kernels).

#include <warpkit/config/presets.hpp>
#include <warpkit/cta/round_robin_dispatch.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/machine/kernel_dispatcher.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

/// Cores that run what they get until they are told to finish it.
class scripted_cores {
public:
    scripted_cores(unsigned cores, unsigned kernels, bool evenly) {
        numbers_ = presets::gtx480::parameters();
        numbers_.core.count = cores;
        numbers_.core.ctas = 2;
        numbers_.core.kernels = kernels;
        numbers_.core.kernel_cores = evenly ? 1 : 0;
        held_.resize(cores);
        busy.resize(cores);
    }
    gpu_parameters& numbers() { return numbers_; }
    /// A launch of so many CTAs, which waits for these.
    void add(unsigned ctas, std::vector<std::uint32_t> after = {}) {
        auto& k = kernels_.emplace_back("k" + std::to_string(kernels_.size()));
        k.grid = {ctas, 1, 1};
        k.exit();
        group_.push_back({k.launch(), std::move(after)});
    }
    void begin() {
        d_ = {numbers_, 1, {}};
        d_.begin(numbers_, group_, 0, *this);
    }
    /// A window of four cycles.
    void step() {
        d_.run(
            now_, now_ + 4, [this](unsigned c) { return fit_[c]; },
            [this](unsigned, unsigned c, std::uint64_t cta, cycle) {
                held_[c].push_back(cta);
                return std::uint64_t{1};
            });
        now_ += 4;
        for (unsigned c = 0; c < held_.size(); ++c)
            if (finishing_[c] && !held_[c].empty()) {
                for (auto const cta : held_[c]) d_.finished({cta, now_ - 1, c});
                held_[c].clear();
                finishing_[c] = false;
            }
        d_.follow(numbers_, now_, *this);
    }
    /// All CTAs on a core finish in the next window.
    void finish(unsigned core) { finishing_[core] = true; }
    void finish() {
        for (unsigned c = 0; c < held_.size(); ++c)
            if (!held_[c].empty()) finish(c);
    }
    /// By core: the kernel whose CTAs it holds, '-' for none.
    std::string cores() const {
        std::string text;
        for (unsigned c = 0; c < held_.size(); ++c)
            text += held_[c].empty() ? '-' : static_cast<char>('0' + kernel_.at(c));
        return text;
    }
    auto const& dispatcher() const { return d_; }
    cycle end() { return d_.end(*this); }

    std::vector<char> busy; ///< by core: something but CTAs keeps it

    // What the dispatcher asks.
    void begin_kernel(unsigned c, unsigned, kernel_launch const& l, unsigned fit) {
        CHECK(held_[c].empty());
        CHECK(kernel_.count(c) == 0);
        for (unsigned k = 0; k < group_.size(); ++k)
            if (group_[k].launch.program == l.program) kernel_[c] = k;
        fit_[c] = fit;
    }
    void end_kernel(unsigned c, cycle) {
        CHECK(held_[c].empty());
        CHECK(kernel_.erase(c) == 1);
    }
    bool is_free(unsigned c) const { return busy[c] == 0; }
    run_counters counted_on(unsigned) const { return {}; }

private:
    gpu_parameters numbers_;
    std::deque<kernel_builder> kernels_;
    launch_group group_;
    kernel_dispatcher<round_robin_dispatch> d_;
    cycle now_ = 0;
    std::map<unsigned, unsigned> kernel_, fit_;
    std::map<unsigned, bool> finishing_;
    std::vector<std::vector<std::uint64_t>> held_;
};

} // namespace

TEST_CASE("the oldest kernel takes what it can use, the next what it leaves", "[machine]") {
    scripted_cores m(6, 4, false);
    m.add(4);
    m.add(20);
    m.begin();
    m.step();
    CHECK(m.cores() == "000011");
    m.finish(1);
    m.step();
    CHECK(m.cores() == "0-0011");
    m.step(); // the dispatcher knows that it has finished, and the core is the other kernel's
    m.step();
    CHECK(m.cores() == "010011");
    CHECK(m.dispatcher().left() == 14);
}

TEST_CASE("where cores are parted evenly, a kernel that comes later gets its share as they become empty",
          "[machine]") {
    scripted_cores m(6, 4, true);
    m.add(100);
    m.add(1);
    m.add(100, {1});
    m.begin();
    m.step();
    CHECK(m.cores() == "000100"); // it needs no more than one
    m.finish(3);
    for (int k = 0; k < 4; ++k) m.step();
    CHECK(m.cores() == "000200"); // for the third kernel one is empty
    for (unsigned c = 0; c < 6; ++c) {
        m.finish(c);
        m.step();
        m.step();
        m.step();
        m.step();
    }
    auto const shares = m.cores();
    CHECK(std::count(shares.begin(), shares.end(), '0') == 3);
    CHECK(std::count(shares.begin(), shares.end(), '2') == 3);
}

TEST_CASE("no more kernels than the machine has places for, and none before those that it waits for",
          "[machine]") {
    scripted_cores m(8, 2, false);
    m.add(2);
    m.add(2, {0});
    m.add(2);
    m.add(2);
    m.begin();
    m.step();
    CHECK(m.cores() == "0022----");
    m.finish(2);
    m.finish(3);
    for (int k = 0; k < 4; ++k) m.step();
    CHECK(m.cores() == "0033----");
    while (!m.dispatcher().done()) {
        m.finish();
        m.step();
    }
    m.end();
    auto const& s = m.dispatcher().spans();
    CHECK(s[1].began >= s[0].ended);
    CHECK(s[2].began == 0);
    CHECK(s[3].began >= s[2].ended);
    for (auto const& span : s) CHECK(span.ctas == 2);
}

TEST_CASE("a core to which something is still on its way keeps its kernel", "[machine]") {
    scripted_cores m(2, 2, false);
    m.add(2);
    m.add(2);
    m.begin();
    m.step();
    CHECK(m.cores() == "00");
    m.busy[0] = 1;
    m.finish();
    for (int k = 0; k < 4; ++k) m.step();
    CHECK(m.cores() == "-1");
    m.busy[0] = 0;
    m.step();
    m.step();
    CHECK(m.cores() == "11");
}

TEST_CASE("launches that wait for themselves or later ones are refused, and so is an empty group",
          "[machine]") {
    using Catch::Contains;
    scripted_cores m(2, 2, false);
    CHECK_THROWS_WITH(m.begin(), Contains("is empty"));
    m.add(1);
    m.add(1, {1});
    CHECK_THROWS_WITH(m.begin(), Contains("'k1', launch 1 of its group, is to come after launch 1"));
}
