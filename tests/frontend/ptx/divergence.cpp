// Random control flow in lock-step against every thread on its own.
#include "catch.hpp"
#include "harness.hpp"

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ptx_test;
using warpkit::stream_cursor;

namespace {

class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    unsigned below(unsigned n) {
        auto z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return static_cast<unsigned>((z ^ z >> 31) >> 33) % n;
    }

private:
    std::uint64_t state_;
};

// What every block does to a thread's value: it says which way the thread came.
std::uint32_t stirred(std::uint32_t v, std::uint32_t block) {
    v = (v ^ (block * 0x85ebca6bU + 1)) * 0x9e3779b1U;
    return v ^ v >> 15;
}
std::string stir(std::uint32_t block) {
    return "xor.b32 %r1, %r1, " + std::to_string(block * 0x85ebca6bU + 1) +
           "; mul.lo.u32 %r1, %r1, 0x9e3779b1; shr.u32 %r3, %r1, 15; xor.b32 %r1, %r1, %r3; st.global.u32 "
           "[%rd31], %r1;\n";
}
std::string const start = "mul.wide.u32 %rd31, %r31, 4;\nadd.s64 %rd31, %out, %rd31;\nmov.u32 %r1, %r31;\n";

// A block of a program that jumps as it likes: loops with several entries, exits anywhere.
struct block {
    enum class end { both, next, away, leave, table } how = end::next;
    unsigned bit = 0; // of the value: chooses
    bool negated = false;
    bool ret = false;
    unsigned target[4]{};
};
std::vector<block> random_blocks(random_numbers& r, unsigned count) {
    std::vector<block> blocks(count);
    for (auto& b : blocks) {
        static constexpr block::end ends[] = {block::end::both, block::end::next, block::end::next,
                                              block::end::next, block::end::away, block::end::leave,
                                              block::end::table};
        b.how = ends[r.below(7)];
        b.bit = r.below(28);
        b.negated = r.below(2) != 0;
        b.ret = r.below(2) != 0;
        for (auto& t : b.target) t = r.below(count + 1); // `count` is the end
    }
    return blocks;
}
std::string text_of(std::vector<block> const& blocks, unsigned fuel) {
    std::string t = start + "mov.u32 %r2, " + std::to_string(fuel) + ";\n";
    auto const label = [](unsigned b) { return "B" + std::to_string(b); };
    for (unsigned i = 0; i < blocks.size(); ++i) {
        auto const& b = blocks[i];
        t += label(i) + ":\n" + stir(i);
        t += "sub.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra " +
             label(static_cast<unsigned>(blocks.size())) + ";\n";
        t += "shr.u32 %r4, %r1, " + std::to_string(b.bit) +
             "; and.b32 %r5, %r4, 1; setp.ne.u32 %p2, %r5, 0;\n";
        std::string const guard = b.negated ? "@!%p2 " : "@%p2 ";
        if (b.how == block::end::both || b.how == block::end::next)
            t += guard + "bra " + label(b.target[0]) + ";\n";
        if (b.how == block::end::both || b.how == block::end::away) t += "bra " + label(b.target[1]) + ";\n";
        if (b.how == block::end::leave) t += guard + (b.ret ? "ret;\n" : "exit;\n");
        if (b.how == block::end::table) {
            auto const list = "T" + std::to_string(i);
            t += "and.b32 %r4, %r4, 3;\n" + list + ": .branchtargets ";
            for (unsigned k = 0; k < 4; ++k) t += (k == 0 ? "" : ", ") + label(b.target[k]);
            t += ";\nbrx.idx %r4, " + list + ";\n";
        }
    }
    return t + label(static_cast<unsigned>(blocks.size())) + ":\n";
}
std::uint32_t alone(std::vector<block> const& blocks, unsigned fuel, std::uint32_t thread) {
    auto v = thread;
    for (unsigned at = 0; at < blocks.size();) {
        auto const& b = blocks[at];
        v = stirred(v, at);
        if (--fuel == 0) return v;
        bool const taken = (v >> b.bit & 1) != (b.negated ? 1U : 0U);
        switch (b.how) {
        case block::end::both:
            at = b.target[taken ? 0 : 1];
            break;
        case block::end::next:
            at = taken ? b.target[0] : at + 1;
            break;
        case block::end::away:
            at = b.target[1];
            break;
        case block::end::leave:
            if (taken) return v;
            ++at;
            break;
        case block::end::table:
            at = b.target[v >> b.bit & 3];
            break;
        }
    }
    return v;
}

// Structured flow: sequences, ifs with and without else, and loops that every lane leaves in its own time.
class structured {
public:
    structured(std::uint64_t seed, bool loops) : random_(seed), loops_(loops) {
        text_ = start;
        sequence(0, values_);
    }
    // Values of the threads, run one by one through the same choices.
    std::string const& text() const { return text_; }
    std::vector<std::uint32_t> const& values() const { return values_.value; }
    // How many threads of each warp ran a block, by the line of its text.
    std::map<unsigned, std::vector<unsigned>> const& visits() const { return visits_; }

private:
    static constexpr unsigned threads = 64;
    struct state {
        std::vector<std::uint32_t> value = [] {
            std::vector<std::uint32_t> v(threads);
            for (unsigned i = 0; i < threads; ++i) v[i] = i;
            return v;
        }();
        std::vector<bool> active = std::vector<bool>(threads, true);
    };
    void line(std::string const& t) { text_ += t + "\n"; }
    unsigned lines() const {
        unsigned n = 1;
        for (auto c : text_) n += c == '\n' ? 1 : 0;
        return n;
    }
    void work(state& s) {
        auto const id = blocks_++;
        auto& seen = visits_[lines()];
        seen.resize(2);
        text_ += stir(id);
        for (unsigned i = 0; i < threads; ++i)
            if (s.active[i]) s.value[i] = stirred(s.value[i], id), ++seen[i / 32];
    }
    std::string label() { return "S" + std::to_string(labels_++); }
    void sequence(unsigned depth, state& s) {
        auto const n = 1 + random_.below(3);
        for (unsigned i = 0; i < n; ++i) {
            work(s);
            if (depth < 3) choice(depth, s);
        }
    }
    void choice(unsigned depth, state& s) {
        auto const bit = random_.below(28);
        auto const outer = s.active;
        line("shr.u32 %r4, %r1, " + std::to_string(bit) + "; and.b32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0;");
        auto const other = label();
        auto const join = label();
        bool const has_else = random_.below(2) != 0;
        line("@%p2 bra " + (has_else ? other : join) + ";");
        std::vector<bool> taken(threads);
        for (unsigned i = 0; i < threads; ++i) taken[i] = (s.value[i] >> bit & 1) != 0;
        for (unsigned i = 0; i < threads; ++i) s.active[i] = outer[i] && !taken[i];
        sequence(depth + 1, s);
        if (has_else) {
            line("bra " + join + ";");
            line(other + ":");
            for (unsigned i = 0; i < threads; ++i) s.active[i] = outer[i] && taken[i];
            sequence(depth + 1, s);
        }
        line(join + ":");
        s.active = outer;
        if (loops_) loop(s);
    }
    void loop(state& s) {
        auto const id = blocks_++;
        auto const head = label();
        line("and.b32 %r6, %r1, 7;");
        line(head + ":");
        text_ += stir(id);
        line("sub.u32 %r6, %r6, 1; setp.ge.s32 %p3, %r6, 0; @%p3 bra " + head + ";");
        for (unsigned i = 0; i < threads; ++i) {
            if (!s.active[i]) continue;
            for (auto n = static_cast<int>(s.value[i] & 7); n >= 0; --n) s.value[i] = stirred(s.value[i], id);
        }
    }

    random_numbers random_;
    bool loops_;
    std::string text_;
    state values_;
    std::map<unsigned, std::vector<unsigned>> visits_;
    unsigned blocks_ = 0;
    unsigned labels_ = 0;
};

struct outcome {
    std::vector<std::uint32_t> values;
    std::unique_ptr<machine> m;
};
outcome run_64(std::string const& body) {
    outcome o;
    o.m = std::make_unique<machine>(module_of(kernel_of(body)));
    auto const out = o.m->upload(std::vector<std::uint32_t>(64));
    o.m->launch("k", {1, 1, 1}, {64, 1, 1}, arguments({out}));
    o.values = o.m->download<std::uint32_t>(out, 64);
    return o;
}

} // namespace

TEST_CASE("Random flow, reducible or not: every thread goes its own way", "[ptx][divergence]") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        random_numbers r(seed);
        auto const blocks = random_blocks(r, 2 + r.below(14));
        unsigned const fuel = 40;
        auto const got = run_64(text_of(blocks, fuel)).values;
        std::vector<std::uint32_t> expected;
        for (std::uint32_t t = 0; t < 64; ++t) expected.push_back(alone(blocks, fuel, t));
        INFO("seed " << seed << "\n" << text_of(blocks, fuel));
        REQUIRE(got == expected);
    }
}

TEST_CASE("Structured flow with loops: every thread goes its own way", "[ptx][divergence]") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        structured const s(seed, true);
        INFO("seed " << seed);
        REQUIRE(run_64(s.text()).values == s.values());
    }
}

TEST_CASE("Structured flow without loops: a warp runs a block once, with all lanes that reach it",
          "[ptx][divergence]") {
    for (std::uint64_t seed = 100; seed < 130; ++seed) {
        structured const s(seed, false);
        auto const ran = run_64(s.text());
        REQUIRE(ran.values == s.values());
        auto const& code = ran.m->program().instructions;
        unsigned offset = 0; // lines in front of the body
        for (auto const c : module_of(kernel_of("@"))) {
            if (c == '@') break;
            offset += c == '\n' ? 1 : 0;
        }
        unsigned wrong = 0;
        for (unsigned w = 0; w < 2; ++w) {
            std::map<unsigned, unsigned> times;
            std::map<unsigned, unsigned> lanes;
            std::map<unsigned, std::uint32_t> first; // a block's first instruction stands for it
            for (std::uint32_t i = 0; i < code.size(); ++i) first.try_emplace(code[i].source_line, i);
            auto const& stream = ran.m->streams()[0].warps[w];
            for (stream_cursor c(stream); !c.done(); c.advance(stream, code[c.instruction()])) {
                auto const line = code[c.instruction()].source_line;
                if (first[line] != c.instruction()) continue;
                ++times[line];
                lanes[line] += static_cast<unsigned>(std::popcount(c.mask()));
            }
            for (auto const& [line, visits] : s.visits()) {
                auto const at = line + offset;
                wrong += lanes[at] == visits[w] && times[at] == (visits[w] != 0 ? 1U : 0U) ? 0 : 1;
            }
        }
        INFO("seed " << seed << "\n" << s.text());
        REQUIRE(wrong == 0);
    }
}

TEST_CASE("Lanes that leave inside of divergence, whole warps among them, are not waited for",
          "[ptx][divergence]") {
    // Warps 0 and 3 leave: by exit in one branch, by ret in a loop of the other. Half of warp 1 leaves too.
    auto const got = run<std::uint32_t>(start + R"(
shr.u32 %r2, %r31, 5;
setp.eq.u32 %p1, %r2, 0;
setp.eq.u32 %p2, %r2, 3;
@%p1 bra FIRST;
mov.u32 %r3, 0;
LOOP:
add.u32 %r3, %r3, 1;
setp.gt.u32 %p3, %r3, %r31;
@%p2 ret;
@!%p3 bra LOOP;
bra MEET;
FIRST:
st.global.u32 [%rd31], 5;
exit;
MEET:
setp.ge.u32 %p4, %r31, 48;
setp.lt.and.u32 %p4, %r31, 64, %p4;
@%p4 exit;
atom.shared.add.u32 %r5, [cell], 1;
bar.sync 0;
ld.shared.u32 %r6, [cell];
st.global.u32 [%rd31], %r6;
)",
                                        128, 128, ".shared .align 4 .u32 cell;\n");
    for (std::uint32_t t = 0; t < 128; ++t)
        CHECK(got[t] == (t < 32 ? 5U : t < 48 || (t >= 64 && t < 96) ? 48U : 0U));
}
