// Video instructions beside the PTX ISA's pseudocode, written out part by part.
#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;

namespace {
__extension__ typedef __int128 wide;

struct part {
    std::string text; ///< "", ".b0" ... ".h1"
    unsigned shift;
    unsigned bits;
};
part const parts[] = {{"", 0, 32},    {".b0", 0, 8},  {".b1", 8, 8},  {".b2", 16, 8},
                      {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}};
wide cut(bits word, unsigned shift, unsigned count, bool is_signed) {
    auto v = static_cast<wide>(word >> shift & ((bits{1} << count) - 1));
    if (is_signed && v >= static_cast<wide>(1) << (count - 1)) v -= static_cast<wide>(1) << count;
    return v;
}
wide clamped(wide v, unsigned count, bool is_signed) {
    wide const low = is_signed ? -(static_cast<wide>(1) << (count - 1)) : 0;
    wide const high = (static_cast<wide>(1) << (count - (is_signed ? 1 : 0))) - 1;
    return std::min(std::max(v, low), high);
}
bool holds(std::string const& how, wide a, wide b) {
    return how == "eq"   ? a == b
           : how == "ne" ? a != b
           : how == "lt" ? a < b
           : how == "le" ? a <= b
           : how == "gt" ? a > b
                         : a >= b;
}
wide combined(std::string const& op, wide a, wide b, std::string const& mode) {
    if (op == "vadd") return a + b;
    if (op == "vsub") return a - b;
    if (op == "vavrg") return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    if (op == "vabsdiff") return a > b ? a - b : b - a;
    if (op == "vmin") return std::min(a, b);
    if (op == "vmax") return std::max(a, b);
    if (op == "vset") return holds(mode, a, b) ? 1 : 0;
    b = mode == "wrap" ? b & 31 : std::min<wide>(b, 32);
    return op == "vshl" ? a * (static_cast<wide>(1) << static_cast<int>(b)) : a >> static_cast<int>(b);
}
std::uint32_t low(wide v) { return static_cast<std::uint32_t>(v); }

std::vector<std::vector<bits>> triples(std::mt19937& random) {
    std::vector<std::vector<bits>> cases;
    std::vector<bits> const corners{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f80ff01, 0x00ff8000, 33};
    for (auto a : corners)
        for (auto b : corners) cases.push_back({a, b, corners[(a + b) % corners.size()]});
    for (unsigned i = 0; i < 40; ++i) cases.push_back({random(), random(), random()});
    return cases;
}
template <class F>
void check(std::string const& text, std::vector<std::vector<bits>> const& cases, F wanted) {
    auto const got = evaluate(text, "b32", {"b32", "b32", "b32"}, cases);
    unsigned wrong = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) wrong += got[i] == wanted(cases[i]) ? 0 : 1;
    if (wrong != 0) {
        INFO(text);
        CHECK(wrong == 0);
    }
}
} // namespace

TEST_CASE("Scalar video instructions: parts, saturation, second operations, merges", "[ptx][video]") {
    std::mt19937 random(1);
    auto const cases = triples(random);
    unsigned number = 0;
    for (std::string const op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"})
        for (unsigned types = 0; types < 8; ++types) {
            bool const shifts = op == "vshl" || op == "vshr";
            bool const sets = op == "vset";
            bool const ds = !sets && (types & 1) != 0;
            bool const as = (types & 2) != 0;
            bool const bs = !shifts && (types & 4) != 0;
            auto const name = [](bool s) { return std::string(s ? ".s32" : ".u32"); };
            for (std::string const saturates : {"", ".sat"})
                for (std::string const second : {"", ".add", ".min", ".max", "merge"}) {
                    if (sets && !saturates.empty()) continue;
                    auto const& pa = parts[number % 7];
                    auto const& pb = parts[number / 7 % 7];
                    auto const& pd = parts[1 + number % 6];
                    auto const how =
                        sets     ? std::vector<std::string>{"eq", "ne", "lt", "le", "gt", "ge"}[number % 6]
                        : shifts ? std::string(number % 2 == 0 ? "wrap" : "clamp")
                                 : std::string();
                    ++number;
                    bool const merges = second == "merge";
                    auto const form = op + (sets ? "" : name(ds)) + name(as) + name(bs) + saturates +
                                      (how.empty() ? "" : "." + how) + (merges ? "" : second);
                    check(form + " %d" + (merges ? pd.text : "") + ", %a" + pa.text + ", %b" + pb.text +
                              (second.empty() ? "" : ", %c") + ";",
                          cases, [&](std::vector<bits> const& v) {
                              auto t = combined(op, cut(v[0], pa.shift, pa.bits, as),
                                                cut(v[1], pb.shift, pb.bits, bs), how);
                              if (!saturates.empty()) t = clamped(t, merges ? pd.bits : 32, ds);
                              auto const r = low(t);
                              auto const c = static_cast<std::uint32_t>(v[2]);
                              if (merges) {
                                  auto const ones =
                                      static_cast<std::uint32_t>(((bits{1} << pd.bits) - 1) << pd.shift);
                                  return bits{(r << pd.shift & ones) | (c & ~ones)};
                              }
                              if (second.empty()) return bits{r};
                              if (second == ".add") return bits{r + c};
                              auto const x = cut(r, 0, 32, ds);
                              auto const y = cut(c, 0, 32, ds);
                              return bits{low(second == ".min" ? std::min(x, y) : std::max(x, y))};
                          });
                }
        }
}

TEST_CASE("vmad: products of parts, scaled", "[ptx][video]") {
    std::mt19937 random(2);
    auto const cases = triples(random);
    unsigned number = 0;
    for (unsigned types = 0; types < 8; ++types)
        for (std::string const po : {"", ".po"})
            for (std::string const saturates : {"", ".sat"})
                for (std::string const scale : {"", ".shr7", ".shr15"}) {
                    auto const& pa = parts[number % 7];
                    auto const& pb = parts[number++ / 7 % 7];
                    bool const as = (types & 2) != 0;
                    bool const bs = (types & 4) != 0;
                    auto const name = [](bool s) { return std::string(s ? ".s32" : ".u32"); };
                    check("vmad" + name((types & 1) != 0) + name(as) + name(bs) + po + saturates + scale +
                              " %d, %a" + pa.text + ", %b" + pb.text + ", %c;",
                          cases, [&](std::vector<bits> const& v) {
                              auto t = cut(v[0], pa.shift, pa.bits, as) * cut(v[1], pb.shift, pb.bits, bs) +
                                       cut(v[2], 0, 32, as || bs) + (po.empty() ? 0 : 1);
                              t >>= scale.empty() ? 0 : scale == ".shr7" ? 7 : 15;
                              if (!saturates.empty()) t = clamped(t, 32, as || bs);
                              return bits{low(t)};
                          });
                }
}

TEST_CASE("SIMD video instructions: two halves and four bytes", "[ptx][video]") {
    std::mt19937 random(3);
    auto const cases = triples(random);
    unsigned number = 0;
    for (std::string const each : {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2",
                                   "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4"}) {
        auto const op = each.substr(0, each.size() - 1);
        auto const count = static_cast<unsigned>(each.back() - '0');
        for (unsigned types = 0; types < 8; ++types)
            for (std::string const saturates : {"", ".sat"})
                for (std::string const adds : {"", ".add"}) {
                    bool const sets = op == "vset";
                    if (sets && !saturates.empty()) continue;
                    bool const ds = !sets && (types & 1) != 0;
                    bool const as = (types & 2) != 0;
                    bool const bs = (types & 4) != 0;
                    auto const name = [](bool s) { return std::string(s ? ".s32" : ".u32"); };
                    unsigned const width = 32 / count;
                    // Selectors: which of the parts of both sources each part is, the highest first; and a mask.
                    std::vector<unsigned> sa;
                    std::vector<unsigned> sb;
                    std::string ta;
                    std::string tb;
                    std::string td;
                    std::vector<bool> taken(count, true);
                    ++number;
                    char const letter = count == 2 ? 'h' : 'b';
                    for (unsigned i = 0; i < count; ++i) {
                        sa.push_back(number % 3 == 0 ? i : static_cast<unsigned>(random() % (2 * count)));
                        sb.push_back(number % 3 == 0 ? i + count
                                                     : static_cast<unsigned>(random() % (2 * count)));
                    }
                    if (number % 3 != 0) {
                        ta = tb = std::string(".") + letter;
                        for (auto i = count; i-- > 0;) ta += std::to_string(sa[i]);
                        for (auto i = count; i-- > 0;) tb += std::to_string(sb[i]);
                    }
                    if (number % 2 != 0) {
                        td = std::string(".") + letter;
                        auto const mask = 1 + random() % ((1U << count) - 1);
                        for (auto i = count; i-- > 0;) {
                            taken[i] = (mask >> i & 1) != 0;
                            if (taken[i]) td += std::to_string(i);
                        }
                    }
                    std::string const how =
                        sets ? std::vector<std::string>{".eq", ".ne", ".lt", ".le", ".gt", ".ge"}[number % 6]
                             : "";
                    check(each + (sets ? "" : name(ds)) + name(as) + name(bs) + saturates + how + adds +
                              " %d" + td + ", %a" + ta + ", %b" + tb + ", %c;",
                          cases, [&](std::vector<bits> const& v) {
                              auto const both = v[1] << 32 | (v[0] & 0xffffffff);
                              auto d = static_cast<std::uint32_t>(v[2]);
                              for (unsigned i = 0; i < count; ++i) {
                                  if (!taken[i]) continue;
                                  auto t = combined(op, cut(both, sa[i] * width, width, as),
                                                    cut(both, sb[i] * width, width, bs),
                                                    how.empty() ? how : how.substr(1));
                                  if (!saturates.empty()) t = clamped(t, width, ds);
                                  auto const ones =
                                      static_cast<std::uint32_t>(((bits{1} << width) - 1) << (i * width));
                                  d = adds.empty() ? (low(t) << (i * width) & ones) | (d & ~ones)
                                                   : d + low(t);
                              }
                              return bits{d};
                          });
                }
    }
}

TEST_CASE("Video instructions: selectors that do not fit are refused", "[ptx][video]") {
    using Catch::Contains;
    auto const says = [](std::string const& body) { return lower_error(module_of(kernel_of(body))); };
    CHECK(says("vadd.u32.u32.u32 %r0, %r1.b0, %r2.h1;") == "");
    CHECK_THAT(says("vadd.u32.u32.u32 %r0, %r1.b4, %r2;"),
               Contains("operand 2") && Contains(".b0 to .b3, .h0 or .h1"));
    CHECK_THAT(says("vadd.u32.u32.u32 %r0.b1, %r1, %r2;"), Contains("operand 1"));
    CHECK_THAT(says("vadd.u32.u32.u32 %r0, %r1, %r2, %r3;"), Contains("takes 3 operands, found 4"));
    CHECK_THAT(says("vadd2.u32.u32.u32 %r0, %r1.h14, %r2, %r3;"), Contains("two digits from 0 to 3"));
    CHECK_THAT(says("vadd4.u32.u32.u32 %r0.b01, %r1, %r2, %r3;"), Contains("digits from 3 to 0"));
    CHECK_THAT(says("vadd4.u32.u32.u32 %r0, %r1.b321, %r2, %r3;"), Contains("four digits from 0 to 7"));
    CHECK_THAT(says("add.u32 %r0, %r1.b0, %r2;"), Contains("operand 2"));
    CHECK_THAT(says("ld.global.v2.u32 {%r0, %r1.b0}, [%out];"), Contains("operand 1"));
}
