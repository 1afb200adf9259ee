/// Which kernels of a group are on a machine, and which cores each has (docs/model/dispatch.md#kernels).

#include <warpkit/config/presets.hpp>
#include <warpkit/cta/policies.hpp>
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
    scripted_cores(unsigned cores, unsigned kernels, any_kernel_dispatch const& policy) : policy_(policy) {
        numbers_ = presets::gtx480::parameters();
        numbers_.core.count = cores;
        numbers_.core.ctas = 2;
        numbers_.core.kernels = kernels;
        held_.resize(cores);
        busy.resize(cores);
    }
    gpu_parameters& numbers() { return numbers_; }
    /// A launch of so many CTAs, of so many warps each, which waits for these.
    void add(unsigned ctas, std::vector<std::uint32_t> after = {}, unsigned warps = 1) {
        auto& k = kernels_.emplace_back("k" + std::to_string(kernels_.size()));
        k.grid = {ctas, 1, 1};
        k.block = {warps * lanes, 1, 1};
        k.exit();
        group_.push_back({k.launch(), std::move(after)});
    }
    void begin(cycle at = 0) {
        now_ = at;
        d_ = {numbers_, 1, {}, policy_};
        d_.begin(numbers_, group_, at, *this);
    }
    /// A window of four cycles.
    void step() {
        d_.run(
            now_, now_ + 4, [this](unsigned c) { return fit_[c]; },
            [this](unsigned n, unsigned c, std::uint64_t cta, cycle) {
                cta_stream s;
                s.reset(d_.launch_in(n).warps_per_cta());
                s.warps[0].append(0, all_lanes);
                held_[c].push_back({kernel_of(d_.launch_in(n)), d_.on_core(n, cta, s)});
                first_instruction_[held_[c].back().id] = s.warps[0].runs()[0].first;
                return std::uint64_t{1};
            });
        now_ += 4;
        for (unsigned c = 0; c < held_.size(); ++c)
            if (finishing_[c] && !held_[c].empty()) {
                for (auto const& cta : held_[c]) d_.finished({cta.id, now_ - 1, c});
                held_[c].clear();
                finishing_[c] = false;
            }
        d_.follow(numbers_, now_, *this);
    }
    /// One CTA of this kernel that this core holds has finished.
    void finish_one(unsigned core, unsigned kernel) {
        auto& all = held_[core];
        auto const cta =
            std::find_if(all.begin(), all.end(), [&](held const& h) { return h.kernel == kernel; });
        REQUIRE(cta != all.end());
        d_.finished({cta->id, now_ - 1, core});
        all.erase(cta);
    }
    /// The kernels of the CTAs that a core holds, in their order.
    std::string on(unsigned core) const {
        std::string text;
        for (auto const& h : held_[core]) text += static_cast<char>('0' + h.kernel);
        std::sort(text.begin(), text.end());
        return text;
    }
    std::map<std::uint64_t, std::uint32_t> const& first_instructions() const { return first_instruction_; }
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
        kernel_[c] = kernel_of(l);
        fit_[c] = fit;
    }
    void end_kernel(unsigned c, cycle) {
        CHECK(held_[c].empty());
        CHECK(kernel_.erase(c) == 1);
    }
    bool is_free(unsigned c) const { return busy[c] == 0; }
    run_counters counted_on(unsigned) const { return {}; }

private:
    struct held {
        unsigned kernel = 0;
        std::uint64_t id = 0;
    };
    unsigned kernel_of(kernel_launch const& l) const {
        unsigned k = 0;
        while (k < group_.size() && group_[k].launch.program != l.program) ++k;
        return k;
    }

    gpu_parameters numbers_;
    any_kernel_dispatch policy_;
    std::deque<kernel_builder> kernels_;
    launch_group group_;
    kernel_dispatcher<round_robin_dispatch, any_kernel_dispatch> d_;
    cycle now_ = 0;
    std::map<unsigned, unsigned> kernel_, fit_;
    std::map<unsigned, bool> finishing_;
    std::vector<std::vector<held>> held_;
    std::map<std::uint64_t, std::uint32_t> first_instruction_; ///< of a CTA, by its number on cores
};

} // namespace

TEST_CASE("the oldest kernel takes what it can use, the next what it leaves", "[machine]") {
    scripted_cores m(6, 4, leftover{});
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
    scripted_cores m(6, 4, spatial_multitasking{});
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
    scripted_cores m(8, 2, leftover{});
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
    scripted_cores m(2, 2, leftover{});
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
    scripted_cores m(2, 2, leftover{});
    CHECK_THROWS_WITH(m.begin(), Contains("is empty"));
    m.add(1);
    m.add(1, {1});
    CHECK_THROWS_WITH(m.begin(), Contains("'k1', launch 1 of its group, is to come after launch 1"));
}

namespace {

/// A core with room for eight warps and as many CTAs.
scripted_cores one_core(any_kernel_dispatch const& policy, unsigned kernels = 4) {
    scripted_cores m(1, kernels, policy);
    m.numbers().core.threads = 8 * lanes;
    m.numbers().core.ctas = 8;
    return m;
}
void steps(scripted_cores& m, int n = 10) {
    while (n-- != 0) m.step();
}

} // namespace

TEST_CASE("cycles of a group's kernels count from where it begins, whenever that is", "[machine]") {
    for (cycle const at : {0U, 4000U}) {
        scripted_cores m(2, 2, leftover{});
        m.add(2);
        m.add(1, {0});
        m.begin(at);
        m.step();
        m.finish();
        m.step(); // both end in cycle 7
        for (int k = 0; k < 3; ++k) m.step();
        m.finish();
        m.step(); // in cycle 23
        m.step(); // in which it is heard
        CHECK(m.end() == at + 24);
        auto const& spans = m.dispatcher().spans();
        REQUIRE(spans.size() == 2);
        CHECK((spans[0].began == 0 && spans[0].first_cta == 0 && spans[0].ended == 8));
        CHECK((spans[1].began == 12 && spans[1].first_cta == 12 && spans[1].ended == 24));
        CHECK((spans[0].counted.cycles == 8 && spans[1].counted.cycles == 12));
        CHECK((spans[0].ctas == 2 && spans[1].ctas == 1));
    }
}

TEST_CASE("on shared cores the left-over policy begins with the next kernel when all CTAs of one are out",
          "[machine]") {
    auto m = one_core(leftover(core_use::shared));
    m.add(10, {}, 2);
    m.add(10);
    m.begin();
    steps(m);
    CHECK(m.on(0) == "0000");
    for (int k = 0; k < 6; ++k) {
        m.finish_one(0, 0);
        steps(m);
        CHECK(m.on(0) == "0000");
    }
    m.finish_one(0, 0); // the last has gone out: two warps are left over
    steps(m);
    CHECK(m.on(0) == "00011");
}

TEST_CASE("kernels that take turns on a core", "[machine]") {
    auto m = one_core(kernel_round_robin{});
    m.add(20);
    m.add(20, {}, 3);
    m.begin();
    steps(m);
    CHECK(m.on(0) == "0011"); // 1 + 3 + 1 + 3
    m.finish_one(0, 0);
    steps(m);
    CHECK(m.on(0) == "0011"); // three warps have no room
}

TEST_CASE("dominant resource fairness: equal shares, which a kernel that comes later is kept room for",
          "[machine]") {
    auto m = one_core(smk{});
    m.add(40);
    m.add(1, {}, 2);
    m.add(40, {1}, 2);
    m.begin();
    steps(m);
    CHECK(m.on(0) == "0000001"); // the second kernel has no more, so the first one has the rest
    m.finish_one(0, 1);
    steps(m);
    CHECK(m.on(0) == "00000000"); // nobody was kept room for before its successor had begun
    m.finish_one(0, 0);
    steps(m);
    CHECK(m.on(0) == "0000000"); // kept, one warp being too little
    m.finish_one(0, 0);
    steps(m);
    CHECK(m.on(0) == "0000002");
    m.finish_one(0, 2);
    steps(m);
    CHECK(m.on(0) == "0000002");
    m.finish_one(0, 0);
    m.finish_one(0, 0);
    steps(m);
    CHECK(m.on(0) == "000022");
    m.finish_one(0, 0);
    steps(m);
    CHECK(m.on(0) == "000022"); // four warps each
}

TEST_CASE("CTAs of kernels that share cores have numbers and code of their own", "[machine]") {
    auto m = one_core(kernel_round_robin{});
    m.add(3);
    m.add(4);
    m.add(5);
    m.begin();
    while (!m.dispatcher().done()) {
        m.finish();
        m.step();
    }
    m.end();
    auto const& first = m.first_instructions();
    REQUIRE(first.size() == 12);
    for (auto const& [id, instruction] : first) CHECK(instruction == (id < 3 ? 0U : id < 7 ? 1U : 2U));
    std::uint64_t const ctas[] = {3, 4, 5};
    auto const& spans = m.dispatcher().spans();
    for (unsigned k = 0; k < 3; ++k) {
        CHECK(spans[k].ctas == ctas[k]);
        CHECK(spans[k].counted.core.warp_instructions == ctas[k]);
        CHECK(spans[k].counted.core.thread_instructions == ctas[k] * lanes);
        CHECK(spans[k].counted.core.ctas == ctas[k]);
        CHECK(spans[k].ended > spans[k].first_cta);
    }
}

TEST_CASE("linked kernels: jumps, tables, code where it lies, and control bits of all or none", "[machine]") {
    auto const p = presets::gtx480::parameters();
    auto const program = [](char const* name, std::uint32_t begin, unsigned length) {
        static_program s;
        s.name = name;
        s.code_begin = begin;
        s.instructions.resize(length);
        s.instructions[1].kind = op_class::branch;
        s.instructions[1].target = 0;
        s.instructions[1].jump_table = 0;
        s.jump_tables = {{2, static_instruction::no_target}};
        s.registers = length;
        return s;
    };
    auto const launch = [](static_program const& s) {
        kernel_launch l;
        l.program = &s;
        l.block = {lanes, 1, 1};
        return ordered_launch{l};
    };
    auto const high = program("high", 107, 3), low = program("low", 100, 4), inside = program("in", 102, 3);
    launch_group group;
    for (auto const* one : {&high, &low, &inside, &low}) group.push_back(launch(*one));
    linked_kernels const linked(p, group);
    auto const& all = linked.program();
    CHECK(all.code_begin == 100);
    CHECK(all.instructions.size() == 10); // 100 to 103, 104 to 106 behind it, 107 to 109
    CHECK(all.instructions[1].target == 0);
    CHECK(all.instructions[5].target == 4);
    CHECK(all.instructions[8].target == 7);
    CHECK(all.instructions[8].jump_table == 2);
    CHECK(all.jump_tables[2] == std::vector<std::uint32_t>{9, static_instruction::no_target});
    CHECK(all.registers == 4);
    CHECK(linked.first_cta(3) == 3);
    auto const far = program("far", 112, 3);
    group = {};
    for (auto const* one : {&low, &far}) group.push_back(launch(*one));
    CHECK(linked_kernels(p, group).program().instructions.size() == 15); // with a gap
    auto const away = program("away", 1000000, 3);
    group.back() = launch(away);
    CHECK(linked_kernels(p, group).program().instructions.size() == 4 + 65536 + 3);

    auto controlled = program("controlled", 0, 2);
    for (auto& i : controlled.instructions) i.control.given = true;
    group.push_back(launch(controlled));
    CHECK_THROWS_WITH(linked_kernels(p, group), Catch::Contains("control bits"));
}
