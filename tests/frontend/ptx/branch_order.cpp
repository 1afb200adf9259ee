// Which side of a divergent branch runs first: the lanes that take it (docs/reference/frontend.md).
#include "catch.hpp"
#include "harness.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace ptx_test;
using warpkit::stream_cursor;

namespace {

/// Where a warp passes, and with which lanes, as in "A ffffffff, B 0000000f": a place is a `mov.u32 %r20, 'letter'` of
/// the text, written as "<letter>".
std::string way_of(std::string const& body) {
    std::string text;
    for (std::size_t i = 0; i < body.size(); ++i)
        if (body[i] == '<') {
            text += "mov.u32 %r20, " + std::to_string(static_cast<unsigned>(body[i + 1])) + ";";
            i += 2;
        } else {
            text += body[i];
        }
    auto const source = module_of(kernel_of(text));
    std::vector<char> place{'?', '?'}; // by line, from 1
    for (auto const c : source)
        if (c == '\n') place.push_back('?');
    std::size_t line = 1;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\n') ++line;
        constexpr char mark[] = "mov.u32 %r20, ";
        if (source.compare(i, sizeof mark - 1, mark) == 0)
            place[line] = static_cast<char>(std::stoi(source.substr(i + sizeof mark - 1)));
    }
    machine m(source);
    auto const out = m.upload(std::vector<std::uint32_t>(32));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
    auto const& code = m.program().instructions;
    auto const& stream = m.streams()[0].warps[0];
    std::string way;
    for (stream_cursor c(stream); !c.done(); c.advance(stream, code[c.instruction()])) {
        auto const at = place[code[c.instruction()].source_line];
        if (at == '?') continue;
        char step[16];
        std::snprintf(step, sizeof step, "%c %08x", at, c.mask());
        way += way.empty() ? step : std::string(", ") + step;
    }
    return way;
}

} // namespace

TEST_CASE("the lanes that take a branch go first, then those that fall through, then all together",
          "[ptx][divergence]") {
    std::string const sides = "<F>\nbra JOIN;\nTAKEN:\n<T>\nJOIN:\n<J>\n";
    CHECK(way_of("setp.lt.u32 %p1, %r31, 8;\n<A>\n@%p1 bra TAKEN;\n" + sides) ==
          "A ffffffff, T 000000ff, F ffffff00, J ffffffff");
    CHECK(way_of("setp.lt.u32 %p1, %r31, 8;\n<A>\n@!%p1 bra TAKEN;\n" + sides) ==
          "A ffffffff, T ffffff00, F 000000ff, J ffffffff");
    CHECK(way_of("setp.lt.u32 %p1, %r31, 32;\n<A>\n@%p1 bra TAKEN;\n" + sides) ==
          "A ffffffff, T ffffffff, J ffffffff");
    CHECK(way_of("setp.lt.u32 %p1, %r31, 0;\n<A>\n@%p1 bra TAKEN;\n" + sides) ==
          "A ffffffff, F ffffffff, J ffffffff");
}

TEST_CASE("who takes a branch to where all meet waits there", "[ptx][divergence]") {
    CHECK(way_of("setp.lt.u32 %p1, %r31, 8;\n@%p1 bra JOIN;\n<F>\nJOIN:\n<J>\n") == "F ffffff00, J ffffffff");
}

TEST_CASE("branches in both sides of a branch: each side is done before the other begins",
          "[ptx][divergence]") {
    CHECK(way_of(R"(
setp.lt.u32 %p1, %r31, 16;
and.b32 %r1, %r31, 1;
setp.eq.u32 %p2, %r1, 0;
@%p1 bra TAKEN;
<F>
@%p2 bra EVEN;
<o>
bra MEET;
EVEN:
<e>
MEET:
<f>
bra JOIN;
TAKEN:
<T>
@%p2 bra EVENS;
<O>
bra MEETS;
EVENS:
<E>
MEETS:
<t>
JOIN:
<J>
)") == "T 0000ffff, E 00005555, O 0000aaaa, t 0000ffff, F ffff0000, e 55550000, o aaaa0000, f ffff0000, J "
       "ffffffff");
}

TEST_CASE("lanes that branch back go on, those that leave the loop wait", "[ptx][divergence]") {
    CHECK(way_of(R"(
mov.u32 %r1, 0;
LOOP:
<L>
add.u32 %r1, %r1, 8;
setp.lt.u32 %p1, %r31, 8;
setp.lt.and.u32 %p1, %r1, 24, %p1;
@%p1 bra LOOP;
<X>
)") == "L ffffffff, L 000000ff, L 000000ff, X ffffffff");
}

TEST_CASE("what a side writes, the one behind it overwrites", "[ptx][divergence]") {
    CHECK(run<std::uint32_t>(R"(
setp.lt.u32 %p1, %r31, 8;
@%p1 bra TAKEN;
st.global.u32 [%out], 1;
bra JOIN;
TAKEN:
st.global.u32 [%out], 2;
JOIN:
)",
                             1)[0] == 1);
}
