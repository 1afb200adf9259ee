// Address slices: what they predict, held against what execution touches. And program points of the shipped kernels.

#include <warpkit/program/point_use.hpp>
#include <warpkit/program/program_points.hpp>

#include "catch.hpp"
#include "kernels/workload.hpp"
#include "ptx/harness.hpp"
#include "source_tree.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

enum class verdict : std::uint8_t { exact, covering, wrong };

// How well one launch's predictions fit. CTAs are executed in order.
class comparison {
public:
    explicit comparison(ptx_test::observed_launch const& launch)
        : slices(launch.slices),
          addresses(slices, launch.request.grid, launch.request.block, launch.request.arguments),
          found(slices.slices().size(), verdict::exact),
          use(launch.program) {
        for (std::uint32_t a = 0; a < view().accesses(); ++a) index_[view().access(a).instruction] = a;
        for (std::uint64_t cta = 0; cta < launch.request.grid.count(); ++cta) {
            launch.run_cta(cta, stream_);
            run(cta, launch.program);
            use.add(launch.program, stream_);
        }
    }
    predicted_addresses const& view() const { return addresses.view(); }

    address_slices slices;
    launch_addresses addresses;
    std::vector<verdict> found;
    std::string first_wrong;
    point_use use;

private:
    void run(std::uint64_t cta, static_program const& program) {
        std::vector<address_range> whole(view().accesses());
        for (unsigned w = 0; w < stream_.warps.size(); ++w) {
            std::vector<address_range> touched(view().accesses());
            auto const& s = stream_.warps[w];
            for (stream_cursor c(s); !c.done();) {
                auto const i = c.instruction();
                bool const memory = program.instructions[i].is_memory();
                auto const known = index_.find(i);
                if (memory && c.mask() != 0 && known != index_.end()) {
                    lane_addresses lane{};
                    auto const there = c.addresses_in(s, memory_space::global, lane);
                    auto const bytes = view().access(known->second).bytes;
                    for (unsigned l = 0; l < lanes; ++l)
                        if ((there >> l & 1U) != 0)
                            touched[known->second].include({lane[l], lane[l] + bytes});
                }
                c.advance(s, program.instructions[i]);
            }
            for (std::uint32_t a = 0; a < view().accesses(); ++a) {
                whole[a].include(touched[a]);
                if (!view().access(a).predictable) continue;
                judge(a, view().warp_range(a, cta, w), touched[a],
                      "cta " + std::to_string(cta) + " warp " + std::to_string(w));
                address_range each;
                view().each_access(a, cta, w, [&](address_range const& r) { each.include(r); });
                judge(a, each, touched[a], "each of cta " + std::to_string(cta));
            }
        }
        for (std::uint32_t a = 0; a < view().accesses(); ++a)
            if (view().access(a).predictable)
                judge(a, view().cta_range(a, cta), whole[a], "cta " + std::to_string(cta));
    }
    void judge(std::uint32_t a, address_range const& predicted, address_range const& touched,
               std::string const& where) {
        bool const covers = touched.empty() || (!predicted.empty() && predicted.first <= touched.first &&
                                                predicted.last >= touched.last);
        if (!covers && first_wrong.empty())
            first_wrong = where + ", access " + std::to_string(a) + ": predicted " +
                          std::to_string(predicted.first) + " to " + std::to_string(predicted.last) +
                          ", touched " + std::to_string(touched.first) + " to " +
                          std::to_string(touched.last);
        auto const v = !covers ? verdict::wrong : predicted == touched ? verdict::exact : verdict::covering;
        if (v > found[a]) found[a] = v;
    }

    cta_stream stream_;
    std::map<std::uint32_t, std::uint32_t> index_;
};

std::string entry(std::string const& body) {
    return R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_a, .param .u32 k_n, .param .u32 k_m)
{
.reg .b32 %r<64>;
.reg .b64 %rd<64>;
.reg .pred %p<32>;
ld.param.u64 %rd0, [k_a];
ld.param.u32 %r0, [k_n];
ld.param.u32 %r1, [k_m];
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mov.u32 %r5, %tid.y;
)" + body + "\nret;\n}\n";
}

// One kernel of the text above, run with n and m over a buffer of `bytes` bytes.
std::unique_ptr<comparison> check(std::string const& body, std::uint32_t n, std::uint32_t m, dim3 grid,
                                  dim3 block, std::size_t bytes = 1U << 20) {
    std::unique_ptr<comparison> c;
    ptx_test::observe(
        entry(body), "test.ptx",
        [&](device& d) { d.launch("k", grid, block, 0, d.allocate<std::byte>(bytes), n, m); },
        [&](ptx_test::observed_launch const& launch) { c = std::make_unique<comparison>(launch); });
    INFO(c->first_wrong);
    CHECK(c->first_wrong.empty());
    return c;
}

char const* text_of(address_pattern p) {
    static constexpr char const* names[] = {"uniform", "affine", "computed", "unknown"};
    return names[static_cast<unsigned>(p)];
}

} // namespace

TEST_CASE("slices: the thesis' example of address calculation code (figure 3.2)") {
    // index = blockid * BLOCK_SIZE + threadid; ... = J_cuda[index];
    auto const c = check("mad.lo.s32 %r8, %r3, %r0, %r2;\n"
                         "mul.wide.s32 %rd1, %r8, 4;\n"
                         "add.s64 %rd2, %rd0, %rd1;\n"
                         "add.s32 %r9, %r8, %r8;\n" // computation: no part of the slice
                         "ld.global.f32 %r10, [%rd2];",
                         128, 0, {5, 1, 1}, {128, 1, 1});
    auto const& s = c->slices.slices().at(0);
    CHECK(s.pattern == address_pattern::affine);
    CHECK(s.code == std::vector<std::uint32_t>{0, 1, 3, 4, 7, 8, 9});
    CHECK(c->found[0] == verdict::exact);
    auto const numbers = c->addresses.affine(0).value();
    CHECK((numbers.thread == std::array<std::int64_t, 3>{4, 0, 0}));
    CHECK((numbers.block == std::array<std::int64_t, 3>{512, 0, 0}));
    // Figure 3.6: byte (128, 0) is line (1, 0) of 128 bytes; CTA 2 has lines 8 to 11.
    CHECK((c->view().cta_rectangle(0, 2, 128) == line_rectangle{8, 0, 4, 1}));
}

TEST_CASE("slices: rectangles of a two-dimensional array (thesis 3.3.1)") {
    // a[(ctaid.x * 4 + tid.y) * n + tid.x], n = 256 floats to a row: CTA 3 begins in row 12.
    auto const c = check("mad.lo.s32 %r8, %r3, 4, %r5;\n"
                         "mad.lo.s32 %r9, %r8, %r0, %r2;\n"
                         "mul.wide.s32 %rd1, %r9, 4;\n"
                         "add.s64 %rd2, %rd0, %rd1;\n"
                         "ld.global.f32 %r10, [%rd2];",
                         256, 0, {8, 1, 1}, {64, 4, 1});
    CHECK(c->found[0] == verdict::exact);
    CHECK(c->view().access(0).pitch == 1024);
    CHECK((c->view().cta_rectangle(0, 3, 128) == line_rectangle{0, 12, 2, 4}));
}

TEST_CASE("slices: rectangles of CTAs that are numbered along diagonals") {
    // Tile (column (ctaid.x + 3) % 8, row ctaid.x) of 16 x 16 floats, rows of 1024 bytes: not affine, but its rows are
    // known.
    auto const c = check("add.s32 %r8, %r3, 3;\n"
                         "rem.u32 %r8, %r8, 8;\n"
                         "mad.lo.s32 %r8, %r8, 16, %r2;\n"
                         "mad.lo.s32 %r9, %r3, 16, %r5;\n"
                         "mad.lo.s32 %r9, %r9, %r0, %r8;\n"
                         "mul.wide.s32 %rd1, %r9, 4;\n"
                         "add.s64 %rd2, %rd0, %rd1;\n"
                         "ld.global.f32 %r10, [%rd2];",
                         256, 0, {8, 1, 1}, {16, 16, 1}, 1U << 17);
    CHECK(c->slices.slices().at(0).pattern == address_pattern::computed);
    CHECK(c->found[0] == verdict::exact);
    CHECK(c->view().access(0).pitch == 1024);
    CHECK((c->view().cta_rectangle(0, 3, 128) == line_rectangle{3, 48, 1, 16}));
    CHECK((c->view().cta_rectangle(0, 5, 128) == line_rectangle{0, 80, 1, 16}));
}

TEST_CASE("slices: what is evaluated but is not affine") {
    auto const c = check("and.b32 %r8, %r2, 7;\n" // tid & 7
                         "mul.wide.u32 %rd1, %r8, 4;\n"
                         "add.s64 %rd2, %rd0, %rd1;\n"
                         "ld.global.u32 %r9, [%rd2];\n"
                         "div.u32 %r10, %r2, 10;\n" // tid / 10
                         "mul.wide.u32 %rd3, %r10, 4;\n"
                         "add.s64 %rd4, %rd0, %rd3;\n"
                         "ld.global.u32 %r11, [%rd4];\n"
                         "mul.wide.u32 %rd5, %r9, 4;\n" // what was loaded
                         "add.s64 %rd6, %rd0, %rd5;\n"
                         "ld.global.u32 %r12, [%rd6];\n"
                         "shl.b32 %r13, %r3, 6;\n" // disjoint bits: an addition
                         "or.b32 %r14, %r13, 5;\n"
                         "mul.wide.u32 %rd7, %r14, 4;\n"
                         "add.s64 %rd8, %rd0, %rd7;\n"
                         "ld.global.u32 %r15, [%rd8];",
                         0, 0, {3, 1, 1}, {96, 1, 1});
    CHECK(c->slices.slices()[0].pattern == address_pattern::computed);
    CHECK(c->slices.slices()[1].pattern == address_pattern::computed);
    CHECK(c->slices.slices()[2].pattern == address_pattern::unknown);
    CHECK_FALSE(c->view().access(2).predictable);
    CHECK(c->slices.slices()[3].pattern == address_pattern::affine);
    CHECK((c->addresses.affine(3).value().block == std::array<std::int64_t, 3>{256, 0, 0}));
    CHECK((c->found == std::vector<verdict>(4, verdict::exact)));
}

TEST_CASE("slices: loops, their bounds, and values behind them") {
    // for (i = tid; i < n; i += ntid) read a[i]; then read a[i] behind the loop, and a row of 3 in a row of m.
    auto const c = check("mov.u32 %r8, %r2;\n"
                         "setp.ge.u32 %p0, %r8, %r0;\n"
                         "@%p0 bra BEHIND;\n"
                         "LOOP:\n"
                         "mul.wide.u32 %rd1, %r8, 4;\n"
                         "add.s64 %rd2, %rd0, %rd1;\n"
                         "ld.global.u32 %r9, [%rd2];\n"
                         "add.s32 %r8, %r8, %r4;\n"
                         "setp.lt.u32 %p1, %r8, %r0;\n"
                         "@%p1 bra LOOP;\n"
                         "BEHIND:\n"
                         "mul.wide.u32 %rd3, %r8, 4;\n"
                         "add.s64 %rd4, %rd0, %rd3;\n"
                         "ld.global.u32 %r10, [%rd4];\n"
                         "mov.u32 %r11, 0;\n"
                         "OUTER:\n"
                         "setp.eq.u32 %p2, %r11, %r1;\n" // tested first: none for m = 0
                         "@%p2 bra DONE;\n"
                         "mov.u32 %r12, 3;\n"
                         "mul.lo.s32 %r13, %r11, 100;\n"
                         "add.s32 %r13, %r13, %r2;\n"
                         "INNER:\n"
                         "mul.wide.s32 %rd5, %r13, 4;\n"
                         "add.s64 %rd6, %rd0, %rd5;\n"
                         "st.global.u32 [%rd6], %r11;\n"
                         "add.s32 %r13, %r13, 40;\n"
                         "add.s32 %r12, %r12, -1;\n"
                         "setp.ne.s32 %p3, %r12, 0;\n"
                         "@%p3 bra INNER;\n"
                         "add.s32 %r11, %r11, 1;\n"
                         "bra.uni OUTER;\n"
                         "DONE:",
                         1000, 7, {1, 1, 1}, {96, 1, 1});
    CHECK((c->found == std::vector<verdict>(3, verdict::exact)));
    CHECK(c->slices.slices()[0].pattern == address_pattern::affine);
    CHECK(c->slices.slices()[1].pattern == address_pattern::computed); // how often depends on the thread
    CHECK(c->slices.slices()[2].pattern == address_pattern::affine);
    CHECK((c->addresses.affine(2).value().iteration == std::vector<std::int64_t>{400, 160}));
    CHECK(c->slices.slices()[2].loops[0].behind_exit);
    CHECK_FALSE(c->slices.slices()[2].loops[1].behind_exit);
}

TEST_CASE("slices: a loop that memory ends, a join of many paths, and a value that doubles") {
    auto const c = check("mul.wide.u32 %rd1, %r2, 4;\n"
                         "add.s64 %rd2, %rd0, %rd1;\n"
                         "LOOP:\n"
                         "ld.global.u32 %r8, [%rd2];\n" // the same in each turn: needs no bound
                         "ld.global.u32 %r9, [%rd2+4096];\n"
                         "setp.ne.u32 %p0, %r8, %r9;\n"
                         "@%p0 bra LOOP;\n"
                         "mov.u32 %r10, 1;\n"
                         "mov.u32 %r11, 5;\n"
                         "TWICE:\n"
                         "mul.wide.u32 %rd3, %r10, 4;\n"
                         "add.s64 %rd4, %rd0, %rd3;\n"
                         "ld.global.u32 %r12, [%rd4];\n"
                         "shl.b32 %r10, %r10, 1;\n"
                         "add.s32 %r11, %r11, -1;\n"
                         "setp.ne.u32 %p1, %r11, 0;\n"
                         "@%p1 bra TWICE;",
                         0, 0, {1, 1, 1}, {64, 1, 1});
    CHECK(c->view().access(0).predictable);
    CHECK(c->found[0] == verdict::exact);
    CHECK(c->found[1] == verdict::exact);
    CHECK(c->slices.slices()[2].pattern == address_pattern::unknown);
}

TEST_CASE("slices: a CTA's threads side by side touch what each touches by itself") {
    // The guards: none, the last CTA in part and those behind it whole, a window that only unsigned arithmetic sees, a
    // product, parity, what a selection and a remainder make of the index, and two of them at once.
    std::vector<std::string> const guards{
        "setp.lt.u32 %p1, %r2, 100000;\n",
        "setp.lt.s32 %p1, %r20, %r0;\n",
        "sub.s32 %r21, %r20, 100;\nsetp.lt.u32 %p1, %r21, 3;\n",
        "sub.s32 %r21, %r2, 5;\nsetp.ge.u32 %p1, %r21, 4000000000;\n",
        "mul.lo.s32 %r21, %r20, 1073741824;\nsetp.lt.s32 %p1, %r21, 0;\n",
        "mul.lo.s32 %r21, %r2, %r5;\nsetp.gt.s32 %p1, %r21, %r1;\n",
        "and.b32 %r21, %r2, 1;\nsetp.eq.u32 %p1, %r21, 1;\n",
        "setp.lt.s32 %p2, %r2, 9;\nselp.b32 %r21, %r0, %r2, %p2;\nrem.u32 %r21, %r21, 7;\nsetp.le.u32 %p1, "
        "%r21, 2;\n",
        "setp.lt.s32 %p1, %r20, %r0;\nsetp.gt.s32 %p2, %r20, %r1;\nand.pred %p1, %p1, %p2;\n",
        "setp.lt.s32 %p2, %r2, 4;\nsetp.lt.s32 %p3, %r5, 3;\nor.pred %p1, %p2, %p3;\n"};
    std::vector<std::string> const places{
        "mov.u32 %r22, %r20;\n", "and.b32 %r22, %r20, 63;\n", "shr.u32 %r22, %r20, 2;\n",
        "min.s32 %r22, %r20, %r0;\nmax.s32 %r22, %r22, %r1;\n", "mad.lo.s32 %r22, %r5, 1000, %r2;\n"};
    std::size_t touching = 0;
    std::size_t compared = 0;
    for (auto const& guard : guards)
        for (auto const& place : places)
            for (dim3 const block : {dim3{128, 1, 1}, dim3{100, 1, 1}, dim3{16, 16, 1}, dim3{7, 5, 3},
                                     dim3{33, 3, 1}, dim3{1, 90, 1}, dim3{256, 1, 1}, dim3{20, 1, 1}}) {
                auto const c =
                    check("mad.lo.s32 %r20, %r3, %r4, %r2;\n" + guard + place +
                              "mul.wide.s32 %rd1, %r22, 4;\nadd.s64 %rd2, %rd0, %rd1;\n@!%p1 bra OUT;\n"
                              "ld.global.u32 %r10, [%rd2];\nOUT:\n",
                          300, 40, {4, 1, 1}, block);
                REQUIRE(c->view().access(0).predictable);
                for (std::uint32_t cta = 0; cta < 4; ++cta) {
                    address_range all;
                    for (std::uint32_t z = 0; z < block.z; ++z)
                        for (std::uint32_t y = 0; y < block.y; ++y)
                            for (std::uint32_t x = 0; x < block.x; ++x)
                                all.include(c->addresses.thread_range(0, {cta, 0, 0}, {x, y, z}));
                    INFO(guard << place << block.x << " x " << block.y << " x " << block.z << ", CTA "
                               << cta);
                    CHECK(c->addresses.cta_range(0, cta) == all);
                    ++compared;
                    touching += all.empty() ? 0 : 1;
                }
            }
    // Some guards let nobody pass, and most somebody.
    CHECK(touching > compared / 2);
    CHECK(touching < compared);
}

TEST_CASE("slices: conditions inside loops shut out turns") {
    // As pathfinder has it: thread t reads a[i * n + t] in the turns i < m in which i < t && t < 63 - i, and 8 <= t.
    auto const narrowing = check("mov.u32 %r8, 0;\n"
                                 "LOOP:\n"
                                 "sub.s32 %r9, 63, %r8;\n"
                                 "setp.gt.s32 %p0, %r2, %r8;\n"
                                 "setp.lt.s32 %p1, %r2, %r9;\n"
                                 "and.pred %p2, %p0, %p1;\n"
                                 "setp.lt.s32 %p3, %r2, 8;\n"
                                 "not.pred %p4, %p3;\n"
                                 "and.pred %p2, %p2, %p4;\n"
                                 "@!%p2 bra NEXT;\n"
                                 "mad.lo.s32 %r10, %r8, %r0, %r2;\n"
                                 "mul.wide.s32 %rd1, %r10, 4;\n"
                                 "add.s64 %rd2, %rd0, %rd1;\n"
                                 "ld.global.u32 %r11, [%rd2];\n"
                                 "NEXT:\n"
                                 "add.s32 %r8, %r8, 1;\n"
                                 "setp.lt.s32 %p5, %r8, %r1;\n"
                                 "@%p5 bra LOOP;",
                                 1000, 20, {2, 1, 1}, {64, 1, 1});
    CHECK(narrowing->slices.slices()[0].conditions.size() == 3);
    CHECK(narrowing->found[0] == verdict::exact);
    auto const thread = [&](std::uint32_t t) {
        auto r = narrowing->addresses.thread_range(0, {0, 0, 0}, {t, 0, 0});
        return r.empty() ? 0 : (r.last - r.first - 4) / 4000 + 1;
    };
    CHECK(thread(7) == 0);
    CHECK(thread(8) == 8);
    CHECK(thread(30) == 20);
    CHECK(thread(60) == 3); // 60 < 63 - i
    CHECK(thread(63) == 0);

    // Two exits with the access between them; a row of j < i in which every third is skipped; an access after a loop
    // whose length depends on the turn of the one around it.
    auto const several = check("mov.u32 %r8, 0;\n"
                               "FIRST:\n"
                               "setp.eq.s32 %p0, %r8, %r0;\n"
                               "@%p0 bra DONE;\n"
                               "mad.lo.s32 %r9, %r8, 64, %r2;\n"
                               "mul.wide.s32 %rd1, %r9, 4;\n"
                               "add.s64 %rd2, %rd0, %rd1;\n"
                               "ld.global.u32 %r10, [%rd2];\n"
                               "add.s32 %r8, %r8, 1;\n"
                               "setp.ge.s32 %p1, %r8, %r2;\n"
                               "@%p1 bra DONE;\n"
                               "bra.uni FIRST;\n"
                               "DONE:\n"
                               "mov.u32 %r8, 0;\n"
                               "OUTER:\n"
                               "mov.u32 %r9, 0;\n"
                               "setp.eq.s32 %p2, %r8, 0;\n"
                               "@%p2 bra BEHIND;\n"
                               "INNER:\n"
                               "rem.u32 %r11, %r9, 3;\n"
                               "setp.eq.s32 %p3, %r11, 0;\n"
                               "@%p3 bra SKIP;\n"
                               "mad.lo.s32 %r12, %r9, 100, %r2;\n"
                               "mul.wide.s32 %rd3, %r12, 4;\n"
                               "add.s64 %rd4, %rd0, %rd3;\n"
                               "st.global.u32 [%rd4], %r12;\n"
                               "SKIP:\n"
                               "add.s32 %r9, %r9, 1;\n"
                               "setp.lt.s32 %p4, %r9, %r8;\n"
                               "@%p4 bra INNER;\n"
                               "BEHIND:\n"
                               "setp.lt.s32 %p5, %r9, 3;\n"
                               "@%p5 bra SHORT;\n"
                               "mul.wide.s32 %rd5, %r9, 4;\n"
                               "add.s64 %rd6, %rd0, %rd5;\n"
                               "ld.global.u32 %r13, [%rd6];\n"
                               "SHORT:\n"
                               "add.s32 %r8, %r8, 1;\n"
                               "setp.ne.s32 %p6, %r8, 7;\n"
                               "@%p6 bra OUTER;",
                               9, 0, {1, 1, 1}, {64, 1, 1});
    CHECK((several->found == std::vector<verdict>(3, verdict::exact)));
    CHECK(several->slices.loops()[0].exits.size() == 2);
}

TEST_CASE("slices: generic addresses touch global memory where they are not of shared memory") {
    auto const c = check(".shared .align 4 .b8 near[256];\n"
                         "mov.u64 %rd1, near;\n"
                         "cvta.shared.u64 %rd2, %rd1;\n"
                         "mul.wide.u32 %rd3, %r2, 4;\n"
                         "add.s64 %rd2, %rd2, %rd3;\n"
                         "add.s64 %rd4, %rd0, %rd3;\n"
                         "setp.lt.u32 %p0, %r2, %r0;\n"
                         "selp.b64 %rd5, %rd4, %rd2, %p0;\n"
                         "ld.u32 %r8, [%rd5];\n"
                         "ld.u32 %r9, [%rd2];",
                         32, 0, {1, 1, 1}, {64, 1, 1});
    CHECK((c->found == std::vector<verdict>(2, verdict::exact)));
    CHECK(c->view().access(0).array == 0);
    CHECK(c->view().warp_range(0, 0, 0).last - c->view().warp_range(0, 0, 0).first == 128);
    CHECK(c->view().warp_range(0, 0, 1).empty());
    CHECK(c->view().cta_range(1, 0).empty());
    // In one warp some lanes look into global memory and some into shared memory, whichever comes first.
    for (auto const* const which : {"lt", "ge"}) {
        auto const split = check(".shared .align 4 .b8 near[256];\n"
                                 "mov.u64 %rd1, near;\n"
                                 "cvta.shared.u64 %rd2, %rd1;\n"
                                 "mul.wide.u32 %rd3, %r2, 4;\n"
                                 "add.s64 %rd2, %rd2, %rd3;\n"
                                 "add.s64 %rd4, %rd0, %rd3;\n"
                                 "setp." +
                                     std::string(which) +
                                     ".u32 %p0, %r2, %r0;\n"
                                     "selp.b64 %rd5, %rd4, %rd2, %p0;\n"
                                     "ld.u32 %r8, [%rd5];",
                                 40, 0, {1, 1, 1}, {64, 1, 1});
        CHECK((split->found == std::vector<verdict>(1, verdict::exact)));
    }
}

TEST_CASE("slices: values that go on and on are followed in bounded time, or not at all") {
    std::string chain = "mov.u32 %r8, %r2;\n";
    for (unsigned i = 0; i < 2000; ++i) chain += "add.s32 %r8, %r8, 1;\n";
    std::string const load =
        "mul.wide.s32 %rd1, %r8, 4;\nadd.s64 %rd2, %rd0, %rd1;\nld.global.u32 %r9, [%rd2];\n";
    auto const c = check(chain + load, 0, 0, {1, 1, 1}, {32, 1, 1});
    CHECK(c->slices.slices()[0].pattern == address_pattern::unknown);
    std::string joins = "mov.u32 %r8, %r2;\n";
    for (unsigned i = 0; i < 60; ++i) {
        auto const n = std::to_string(i);
        joins += "setp.lt.s32 %p1, %r2, " + n + ";\n@%p1 bra L" + n + ";\nadd.s32 %r8, %r8, 1;\n" + load +
                 "L" + n + ":\n";
    }
    auto const d = check(joins + load, 0, 0, {1, 1, 1}, {64, 1, 1});
    CHECK(d->slices.slices().size() == 61);
    CHECK((d->found == std::vector<verdict>(61, verdict::exact)));
    // An address that jumps about from turn to turn: every turn is evaluated, unless there are too many.
    std::string const jumps =
        "mov.u32 %r8, 0;\nLOOP:\nxor.b32 %r9, %r8, %r2;\nand.b32 %r9, %r9, 1023;\n"
        "mul.wide.u32 %rd1, %r9, 4;\nadd.s64 %rd2, %rd0, %rd1;\nld.global.u32 %r10, [%rd2];\n"
        "add.s32 %r8, %r8, 1;\nsetp.lt.u32 %p0, %r8, %r0;\n@%p0 bra LOOP;\n";
    auto const few = check(jumps, 700, 0, {1, 1, 1}, {64, 1, 1});
    CHECK(few->slices.slices()[0].pattern == address_pattern::computed);
    CHECK(few->view().access(0).predictable);
    CHECK(few->found[0] == verdict::exact);
    CHECK_FALSE(check(jumps, 5000, 0, {1, 1, 1}, {64, 1, 1})->view().access(0).predictable);
}

namespace {
/// A load of word %r9 of the buffer, in each of n turns that %r8 counts.
std::string in_turns(std::string const& address) {
    return "mov.u32 %r8, 0;\nand.b32 %r12, %r2, 7;\nsetp.eq.s32 %p0, %r3, 0;\nLOOP:\n" + address +
           "mul.wide.u32 %rd1, %r9, 4;\nadd.s64 %rd2, %rd0, %rd1;\nld.global.u32 %r10, [%rd2];\n"
           "add.s32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, %r0;\n@%p1 bra LOOP;\n";
}
} // namespace

TEST_CASE(
    "slices: of what grows evenly from turn to turn the first and the last tell, however many there are") {
    // More turns than are looked at one by one. `tid & 7` is not affine, nor is a choice by the CTA.
    for (std::string const address :
         {"mad.lo.s32 %r9, %r8, 3, %r12;\n", "mad.lo.s32 %r9, %r1, %r8, %r12;\n",
          "shl.b32 %r9, %r8, 2;\nadd.s32 %r9, %r9, %r12;\n",
          "sub.s32 %r9, 100000, %r8;\nsub.s32 %r9, %r9, %r12;\n",
          "neg.s32 %r9, %r8;\nadd.s32 %r9, %r9, %r12;\nadd.s32 %r9, %r9, 5000;\n",
          "not.b32 %r9, %r8;\nadd.s32 %r9, %r9, %r12;\nadd.s32 %r9, %r9, 5001;\n",
          "cvt.s64.s32 %rd5, %r8;\ncvt.u32.u64 %r9, %rd5;\nadd.s32 %r9, %r9, %r12;\n",
          "shl.b32 %r9, %r8, 2;\nadd.s32 %r11, %r8, %r2;\n"
          "selp.b32 %r9, %r9, %r11, %p0;\n"}) {
        INFO(address);
        auto const c = check(in_turns(address), 4100, 3, {2, 1, 1}, {8, 1, 1});
        CHECK(c->slices.slices().at(0).pattern == address_pattern::computed);
        CHECK(c->view().access(0).predictable);
        CHECK(c->found[0] == verdict::exact);
    }
    // What grows by a factor that grows, or is chosen by the turn, does not.
    for (std::string const address : {"mul.lo.s32 %r9, %r8, %r8;\nand.b32 %r9, %r9, 65535;\n",
                                      "and.b32 %r9, %r8, 3;\nshl.b32 %r9, %r8, %r9;\n",
                                      "setp.lt.s32 %p2, %r8, 9;\nselp.b32 %r9, %r8, %r2, %p2;\n"}) {
        INFO(address);
        CHECK_FALSE(check(in_turns(address), 4100, 3, {1, 1, 1}, {8, 1, 1})->view().access(0).predictable);
        CHECK(check(in_turns(address), 50, 3, {1, 1, 1}, {8, 1, 1})->found[0] == verdict::exact);
    }
    // Nor what wraps on the way: the last turn is where the second one is.
    auto const wraps =
        check(in_turns("mul.lo.u32 %r9, %r8, 16384;\ncvt.u16.u32 %r9, %r9;\nadd.s32 %r9, %r9, %r12;\n"), 6, 0,
              {1, 1, 1}, {64, 1, 1});
    CHECK(wraps->found[0] == verdict::exact);
    CHECK(wraps->view().cta_range(0, 0).last - wraps->view().cta_range(0, 0).first == 4 * (3 * 16384 + 8));
}

TEST_CASE("slices: a choice of paths within a turn is a choice, one by which a loop is left is not") {
    auto const within = check(in_turns("setp.lt.s32 %p2, %r2, 4;\nmov.u32 %r9, %r8;\n@%p2 bra BOTH;\n"
                                       "add.s32 %r9, %r9, 100;\nBOTH:\n"),
                              20, 0, {1, 1, 1}, {8, 1, 1});
    CHECK(within->view().access(0).predictable);
    CHECK(within->found[0] == verdict::exact);
    CHECK(within->addresses.thread_range(0, {0, 0, 0}, {3, 0, 0}).last -
              within->addresses.thread_range(0, {0, 0, 0}, {3, 0, 0}).first ==
          4 * 20);
    auto const left =
        check("mov.u32 %r8, 0;\nmov.u32 %r9, 7;\nLOOP:\nsetp.eq.s32 %p0, %r8, %r2;\n@%p0 bra OUT;\n"
              "add.s32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, %r0;\n@%p1 bra LOOP;\n"
              "mov.u32 %r9, 3;\nOUT:\nmul.wide.u32 %rd1, %r9, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
              "ld.global.u32 %r10, [%rd2];\n",
              5, 0, {1, 1, 1}, {8, 1, 1});
    CHECK(left->slices.slices().at(0).pattern == address_pattern::unknown);
    CHECK_FALSE(left->view().access(0).predictable);
}

TEST_CASE("slices: which threads take part may have gaps, of which the corners of a CTA know nothing") {
    for (std::string const condition :
         {"and.b32 %r8, %r2, 7;\nsetp.ne.s32 %p0, %r8, 3;\n", "setp.ne.s32 %p0, %r2, 17;\n",
          "setp.lt.s32 %p0, %r2, 40;\n", "setp.ge.u32 %p0, %r2, 9;\n"}) {
        INFO(condition);
        auto const c =
            check(condition + "@%p0 bra DONE;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
                              "ld.global.u32 %r10, [%rd2];\nDONE:\n",
                  0, 0, {1, 1, 1}, {64, 1, 1});
        CHECK(c->slices.slices().at(0).pattern == address_pattern::affine);
        CHECK(c->found[0] == verdict::exact);
    }
}

TEST_CASE("slices: an or of bits that are 0 for certain is an addition, as far as that is looked for") {
    for (unsigned const additions : {0U, 1U, 9U, 10U}) {
        std::string body = "shl.b32 %r8, %r3, 6;\nmov.u32 %r9, %r8;\n";
        for (unsigned i = 0; i < additions; ++i) body += "add.s32 %r9, %r9, %r8;\n";
        auto const c =
            check(body + "or.b32 %r9, %r9, 63;\nmul.wide.u32 %rd1, %r9, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
                         "ld.global.u32 %r10, [%rd2];\n",
                  0, 0, {3, 1, 1}, {32, 1, 1});
        CHECK((c->slices.slices().at(0).pattern == address_pattern::affine) == (additions < 10));
        CHECK(c->found[0] == verdict::exact);
    }
    auto const not_free = check("shl.b32 %r8, %r3, 6;\nor.b32 %r9, %r8, 64;\nmul.wide.u32 %rd1, %r9, 4;\n"
                                "add.s64 %rd2, %rd0, %rd1;\nld.global.u32 %r10, [%rd2];\n",
                                0, 0, {3, 1, 1}, {32, 1, 1});
    CHECK(not_free->slices.slices().at(0).pattern == address_pattern::computed);
    CHECK(not_free->found[0] == verdict::exact);
}

TEST_CASE(
    "slices: rows are told of what lies in steps within a CTA, and not of what a loop before has moved") {
    std::string const access = "mad.lo.s32 %r9, %r5, 256, %r8;\nmul.wide.u32 %rd1, %r9, 4;\n"
                               "add.s64 %rd2, %rd0, %rd1;\nld.global.u32 %r10, [%rd2];\n";
    auto const rows =
        check("and.b32 %r8, %r3, 1;\nadd.s32 %r8, %r8, %r2;\n" + access, 0, 0, {2, 1, 1}, {16, 4, 1});
    CHECK(rows->slices.slices().at(0).pattern == address_pattern::computed);
    CHECK(rows->view().access(0).pitch == 1024);
    auto const behind = check("mov.u32 %r8, %r2;\nLOOP:\nadd.s32 %r8, %r8, 16;\n"
                              "setp.lt.u32 %p0, %r8, %r0;\n@%p0 bra LOOP;\n" +
                                  access,
                              100, 0, {2, 1, 1}, {16, 4, 1});
    CHECK(behind->slices.slices().at(0).pattern == address_pattern::computed);
    CHECK(behind->view().access(0).pitch == 0);
    CHECK(behind->found[0] == verdict::exact);
    // Turns that are as many for all threads: the address is affine, its numbers would be those before the loop.
    auto const moved = check("mov.u32 %r8, %r2;\nmov.u32 %r11, 0;\nLOOP:\nadd.s32 %r8, %r8, 16;\n"
                             "add.s32 %r11, %r11, 1;\nsetp.lt.u32 %p0, %r11, %r0;\n@%p0 bra LOOP;\n" +
                                 access,
                             100, 0, {2, 1, 1}, {16, 4, 1});
    CHECK_FALSE(moved->addresses.affine(0).has_value());
    CHECK(moved->view().access(0).pitch == 0);
    CHECK(moved->found[0] == verdict::exact);
}

TEST_CASE("slices: random address calculations agree with execution") {
    std::uint64_t state = 7;
    auto const below = [&](std::uint32_t n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>((state >> 33) % n);
    };
    static constexpr char const* operations[] = {
        "add.s32 %r{d}, %r{a}, %r{b};",
        "sub.s32 %r{d}, %r{a}, %r{b};",
        "mul.lo.s32 %r{d}, %r{a}, %r{b};",
        "mad.lo.s32 %r{d}, %r{a}, %r{b}, %r{c};",
        "and.b32 %r{d}, %r{a}, %r{b};",
        "or.b32 %r{d}, %r{a}, %r{b};",
        "xor.b32 %r{d}, %r{a}, %r{b};",
        "not.b32 %r{d}, %r{a};",
        "neg.s32 %r{d}, %r{a};",
        "abs.s32 %r{d}, %r{a};",
        "min.s32 %r{d}, %r{a}, %r{b};",
        "max.u32 %r{d}, %r{a}, %r{b};",
        "shl.b32 %r{d}, %r{a}, {i};",
        "shr.s32 %r{d}, %r{a}, {i};",
        "shr.u32 %r{d}, %r{a}, %r{b};",
        "div.u32 %r{d}, %r{a}, 7;",
        "div.s32 %r{d}, %r{a}, -3;",
        "rem.s32 %r{d}, %r{a}, 10;",
        "mul.hi.u32 %r{d}, %r{a}, %r{b};",
        "mul.hi.s32 %r{d}, %r{a}, %r{b};",
        "mul24.lo.s32 %r{d}, %r{a}, %r{b};",
        "add.s32 %r{d}, %r{a}, {i};",
        "setp.lt.s32 %p1, %r{a}, %r{b};\nselp.b32 %r{d}, %r{a}, %r{c}, %p1;",
        "setp.hi.u32 %p2, %r{a}, %r{b};\n@!%p2 add.s32 %r{d}, %r{a}, {i};",
        "cvt.s64.s32 %rd4, %r{a};\nshr.s64 %rd5, %rd4, {i};\ncvt.u32.u64 %r{d}, %rd5;",
        "cvt.u16.u32 %r{d}, %r{a};",
        "cvt.s32.s8 %r{d}, %r{a};",
        "mul.wide.s32 %rd6, %r{a}, %r{b};\nadd.s64 %rd6, %rd6, {i};\ncvt.u32.u64 %r{d}, %rd6;",
        "mov.u32 %r{d}, %laneid;",
        "mov.u32 %r{d}, %nctaid.x;"};
    unsigned exact = 0;
    for (unsigned k = 0; k < 60; ++k) {
        std::string body = "mov.u32 %r6, %ntid.y;\nmov.u32 %r7, %warpid;\n";
        for (unsigned i = 0; i < 12; ++i) {
            std::string line = operations[below(std::size(operations))];
            auto const replace = [&](std::string const& what, std::uint32_t by) {
                for (auto at = line.find(what); at != std::string::npos; at = line.find(what))
                    line.replace(at, what.size(), std::to_string(by));
            };
            replace("{a}", below(12));
            replace("{b}", below(12));
            replace("{c}", below(12));
            replace("{d}", below(3) == 0 ? below(8) : 8 + below(4)); // overwrites, too
            replace("{i}", below(20));
            body += line + "\n";
        }
        // r8 to r11 need a value before they are read.
        body = "mov.u32 %r8, 3;\nmov.u32 %r9, -5;\nmov.u32 %r10, %tid.z;\nmov.u32 %r11, 1000003;\n" + body;
        body += "and.b32 %r12, %r8, 4092;\ncvt.u64.u32 %rd1, %r12;\nadd.s64 %rd2, %rd0, %rd1;\n"
                "ld.global.u32 %r13, [%rd2];\n";
        INFO(body);
        auto const c = check(body, below(100), below(1U << 31), {2, 1, 1}, {24, 2, 2}, 4096);
        exact += c->found[0] == verdict::exact && c->view().access(0).predictable ? 1 : 0;
    }
    CHECK(exact == 60);
}

TEST_CASE("slices: random loops with random conditions agree with execution") {
    std::uint64_t state = 11;
    auto const below = [&](std::uint32_t n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>((state >> 33) % n);
    };
    auto const number = [&](int from, unsigned count) {
        return std::to_string(from + static_cast<int>(below(count)));
    };
    unsigned accesses = 0;
    unsigned exact = 0;
    for (unsigned k = 0; k < 80; ++k) {
        // r8 and r9 count the turns of two loops; r10 and r11 are made of the first `known` of them, thread and CTA.
        auto const mix = [&](std::string const& to, unsigned known) {
            std::string code = "mul.lo.s32 " + to + ", %r2, " + number(-2, 5) + ";\n";
            for (unsigned of = 0; of <= known; ++of)
                if (below(3) != 0)
                    code += "mad.lo.s32 " + to + ", " +
                            (of == 0   ? "%r3, "
                             : of == 1 ? "%r8, "
                                       : "%r9, ") +
                            number(-3, 7) + ", " + to + ";\n";
            return code + "add.s32 " + to + ", " + to + ", " + number(-20, 41) + ";\n";
        };
        static constexpr char const* compared[] = {"lt", "le", "gt", "ge", "lt", "ne", "eq"};
        auto const compare = [&](char const* type, char const* predicate, int from) {
            return "setp." + std::string(compared[below(std::size(compared))]) + type + predicate +
                   ", %r10, " + number(from, 41) + ";\n";
        };
        auto const test = [&](char const* predicate,
                              unsigned known) { // any, also of what jumps about or wraps
            auto code = mix("%r10", known);
            if (below(8) == 0) code += "and.b32 %r10, %r10, 3;\n";
            return code + (below(8) == 0 ? compare(".u32 ", predicate, 0) : compare(".s32 ", predicate, -20));
        };
        auto const access = [&](std::string const& label, unsigned known) {
            auto code = test("%p0", known) + test("%p1", known);
            static constexpr char const* both[] = {"and.pred %p0, %p0, %p1;\n", "or.pred %p0, %p0, %p1;\n",
                                                   "not.pred %p0, %p1;\n", ""};
            code += both[below(4)];
            code += (below(2) == 0 ? "@%p0 bra " : "@!%p0 bra ") + label + ";\n" + mix("%r11", known);
            ++accesses;
            return code +
                   "add.s32 %r11, %r11, 1000;\nmul.wide.s32 %rd1, %r11, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
                   "ld.global.u32 %r12, [%rd2];\n" +
                   label + ":\n";
        };
        auto const leave = [&](std::string const& label, unsigned known) {
            return mix("%r10", known) + compare(".s32 ", "%p2", -20) + "@%p2 bra " + label + ";\n";
        };
        std::string body = "mov.u32 %r8, " + number(0, 3) + ";\nOUTER:\n" + access("A", 1);
        if (below(2) == 0) {
            body += below(2) == 0 ? "mov.u32 %r9, " + number(0, 3) + ";\n" : "add.s32 %r9, %r8, -2;\n";
            body += "INNER:\n" + access("B", 2);
            if (below(2) == 0) body += leave("LEFT", 2) + access("C", 2);
            body += "add.s32 %r9, %r9, " + number(1, 3) + ";\n";
            body += below(2) == 0 ? "setp.lt.s32 %p3, %r9, 9;\n" : "setp.le.s32 %p3, %r9, %r8;\n";
            body += "@%p3 bra INNER;\nLEFT:\n";
        }
        bool const two_exits = below(2) == 0; // behind them, r8 may be either turn's
        if (two_exits) body += leave("DONE", 1) + access("D", 1);
        body += "add.s32 %r8, %r8, " + number(1, 3) +
                ";\nsetp.lt.s32 %p3, %r8, 12;\n@%p3 bra OUTER;\nDONE:\n" + access("E", two_exits ? 0 : 1);
        INFO(body);
        auto const c = check(body, 0, 0, {2, 1, 1}, {40, 1, 1}, 1U << 14);
        for (std::uint32_t a = 0; a < c->found.size(); ++a)
            exact += c->found[a] == verdict::exact && c->view().access(a).predictable;
    }
    INFO(exact << " of " << accesses << " exact");
    CHECK(exact == accesses);
}

TEST_CASE("shipped kernels: address slices and program points, as the page on program/ says") {
    std::ostringstream table;
    std::ostringstream points;
    // Not all of them: the page need not grow with every kernel.
    for (auto const* shipped :
         {"vecadd", "compute", "transpose_naive", "transpose_tiled", "sgemm_tiled", "hotspot", "bfs", "spmv",
          "reduction", "histogram", "kmeans", "pathfinder", "scalar_product", "gather"}) {
        auto const* w = &kernels::find(shipped);
        struct account {
            static_program program;
            address_slices slices;
            std::vector<verdict> found;
            std::uint64_t instructions = 0;
            std::uint64_t recalculations = 0;
        };
        std::map<std::string, account> known;
        std::vector<std::string> order;
        std::string wrong;
        ptx_test::observe(
            w->ptx, w->ptx_name, [&](device& d) { w->run(d, kernels::values(*w)); },
            [&](ptx_test::observed_launch const& launch) {
                comparison const c(launch);
                if (wrong.empty()) wrong = c.first_wrong;
                auto const [at, fresh] = known.try_emplace(launch.request.kernel,
                                                           account{launch.program, c.slices, c.found, 0, 0});
                if (fresh) order.push_back(launch.request.kernel);
                at->second.instructions += c.use.instructions();
                at->second.recalculations += c.use.recalculations();
                for (std::size_t a = 0; a < c.found.size(); ++a)
                    at->second.found[a] = std::max(at->second.found[a], c.found[a]);
            });
        INFO(w->name);
        CHECK(wrong.empty());
        for (auto const& name : order) {
            auto const& a = known.at(name);
            auto const& code = a.program.instructions;
            auto const count = static_cast<std::uint32_t>(code.size());
            program_points<> const few(code.data(), count);
            program_points<program_point_options{.slots = unlimited_points, .forward_branches = true}> const
                forward(code.data(), count);
            std::uint32_t loads = 0;
            for (auto const& i : code) loads += is_program_load(i) ? 1 : 0;
            points << "| `" << name << "` | " << count << " | " << loads << " | " << few.found() << " | "
                   << forward.found() << " | " << (1000 - 1000 * a.recalculations / a.instructions) / 10
                   << " % |\n";
            for (std::size_t i = 0; i < a.found.size(); ++i) {
                auto const& s = a.slices.slices()[i];
                table << "| `" << name << "` | " << a.program.instructions[s.instruction].source_line << " | "
                      << (s.reads && s.writes ? "atomic"
                          : s.reads           ? "load"
                                              : "store")
                      << " | " << text_of(s.pattern) << " | " << s.code.size() << " | "
                      << (!s.predictable                 ? "not predicted"
                          : a.found[i] == verdict::exact ? "exact"
                                                         : "covering")
                      << " |\n";
            }
        }
    }
    auto const page = source_text("docs/reference/program.md");
    INFO("the tables that docs/reference/program.md should hold:\n" << table.str() << points.str());
    CHECK(page.find(table.str()) != std::string::npos);
    CHECK(page.find(points.str()) != std::string::npos);
}
