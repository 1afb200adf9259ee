// The driver's functions, which a module calls and does not define: vprintf, __assertfail, malloc and free, and
// launches by threads.
#include <warpkit/base/error.hpp>

#include "harness.hpp"

#include <catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using namespace ptx_test;

namespace {

// A variable with the letters of a text and the 0 behind them.
std::string text_variable(std::string const& name, std::string_view letters,
                          std::string const& space = ".global") {
    std::string list;
    for (auto const c : letters) list += std::to_string(static_cast<unsigned char>(c)) + ", ";
    return space + " .align 1 .b8 " + name + "[" + std::to_string(letters.size() + 1) + "] = {" + list +
           "0};\n";
}
std::string const declared = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.extern .func (.param .b64 r) malloc(.param .b64 a);
.extern .func free(.param .b64 a);
)";
// A call of vprintf with the format in %rd1 and the buffer in %rd2; what it gives is in %r30.
std::string const call_print = R"({
.param .b64 p0; st.param.b64 [p0], %rd1;
.param .b64 p1; st.param.b64 [p1], %rd2;
.param .b32 r0;
call.uni (r0), vprintf, (p0, p1);
ld.param.b32 %r30, [r0];
}
)";
std::string call_malloc(std::string const& result, std::string const& bytes) {
    return "{\n.param .b64 p0; st.param.b64 [p0], " + bytes +
           ";\n.param .b64 r0;\ncall.uni (r0), malloc, (p0);\n" + "ld.param.b64 " + result + ", [r0];\n}\n";
}
std::string call_free(std::string const& pointer) {
    return "{\n.param .b64 p0; st.param.b64 [p0], " + pointer + ";\ncall.uni free, (p0);\n}\n";
}
std::string const take_format = "mov.u64 %rd1, form; cvta.global.u64 %rd1, %rd1;\n";
std::string const take_buffer =
    ".local .align 8 .b8 buffer[128]; mov.u64 %rd3, buffer; cvta.local.u64 %rd2, %rd3;\n";

// What a kernel prints, and what is said where that goes wrong.
struct outcome {
    std::string printed;
    std::string error;
    std::vector<std::uint64_t> out;
};
outcome outcome_of(std::string const& body, std::string const& before, unsigned threads = 1) {
    machine m(module_of(kernel_of(body, declared + before)), "t.ptx");
    auto const out = m.upload(std::vector<std::uint64_t>(64));
    outcome o;
    try {
        m.launch("k", {1, 1, 1}, {threads, 1, 1}, arguments({out}));
    } catch (warpkit::error const& e) {
        o.error = e.what();
    }
    o.printed = m.printed();
    o.out = m.download<std::uint64_t>(out, 64);
    return o;
}

} // namespace

TEST_CASE("vprintf prints values of every kind from its buffer, as the host does", "[ptx][system]") {
    // Each value lies at a multiple of its size.
    auto const o = outcome_of(take_format + take_buffer + R"(
mov.u32 %r1, -7;                  st.local.u32 [%rd3], %r1;
mov.f64 %fd1, 0d400921FB54442D18; st.local.f64 [%rd3+8], %fd1;
mov.u32 %r1, 200;                 st.local.u32 [%rd3+16], %r1;
mov.u64 %rd4, -5000000000;        st.local.u64 [%rd3+24], %rd4;
mov.u64 %rd4, word; cvta.global.u64 %rd4, %rd4; st.local.u64 [%rd3+32], %rd4;
mov.u32 %r1, 6;                   st.local.u32 [%rd3+40], %r1;
mov.u32 %r1, 42;                  st.local.u32 [%rd3+44], %r1;
mov.u32 %r1, 65;                  st.local.u32 [%rd3+48], %r1;
mov.u64 %rd4, 0;                  st.local.u64 [%rd3+56], %rd4;
mov.u64 %rd4, 4096;               st.local.u64 [%rd3+64], %rd4;
)" + call_print + "st.global.u32 [%out], %r30;\n",
                              text_variable("form", "%d %.3f %hhd %lld [%.3s] [%*d] %c %s %p 100%%\n") +
                                  text_variable("word", "letters"));
    CHECK(o.error == "");
    char wanted[128];
    std::snprintf(wanted, sizeof wanted, "%d %.3f %hhd %lld [%.3s] [%*d] %c %s %p 100%%\n", -7,
                  3.141592653589793, static_cast<signed char>(200), -5000000000LL, "letters", 6, 42, 65,
                  "(null)", reinterpret_cast<void*>(4096));
    CHECK(o.printed == wanted);
    CHECK(static_cast<std::uint32_t>(o.out[0]) == 10);
}

TEST_CASE("vprintf prints lane after lane, and only those that call it", "[ptx][system]") {
    auto const o =
        outcome_of(take_format + take_buffer + "st.local.u32 [%rd3], %r31;\nsetp.lt.u32 %p1, %r31, 2;\n" +
                       "@%p1 bra over;\n" + call_print + "over:\n",
                   text_variable("form", "%u;"), 5);
    CHECK(o.error == "");
    CHECK(o.printed == "2;3;4;");
}

TEST_CASE("A format may lie in any memory, and needs no buffer where it takes nothing", "[ptx][system]") {
    auto const o = outcome_of(
        "mov.u64 %rd1, form; cvta.const.u64 %rd1, %rd1; mov.u64 %rd2, 0;\n" + call_print +
            ".shared .align 4 .b8 here[4];\nmov.u32 %r1, 0x00006968; st.shared.u32 [here], %r1;\n" +
            "mov.u64 %rd1, here; cvta.shared.u64 %rd1, %rd1;\n" + call_print + "mov.u64 %rd1, 0;\n" +
            call_print + "st.global.u32 [%out], %r30;\n",
        text_variable("form", "constant ", ".const"));
    CHECK(o.error == "");
    CHECK(o.printed == "constant hi");
    CHECK(static_cast<std::int32_t>(o.out[0]) == -1);
}

TEST_CASE("vprintf that reads what is not there is a fault of the kernel", "[ptx][system]") {
    auto const o =
        outcome_of(take_format + "mov.u64 %rd2, 0;\n" + call_print, text_variable("form", "%d\n"), 2);
    INFO(o.error);
    CHECK(o.error.find("out-of-range access at t.ptx:") != o.error.npos);
    CHECK(o.error.find("thread (0,0,0), 4 bytes at address 0x0 of global memory") != o.error.npos);
    CHECK(o.printed == "");
}

TEST_CASE("__assertfail ends the kernel with what was asserted, and where", "[ptx][system]") {
    auto const call = R"(setp.ne.u32 %p1, %r31, 3;
@%p1 bra over;
{
.param .b64 p0; mov.u64 %rd1, what; cvta.global.u64 %rd1, %rd1; st.param.b64 [p0], %rd1;
.param .b64 p1; mov.u64 %rd1, file; cvta.global.u64 %rd1, %rd1; st.param.b64 [p1], %rd1;
.param .b32 p2; st.param.b32 [p2], 17;
.param .b64 p3; mov.u64 %rd1, where; cvta.global.u64 %rd1, %rd1; st.param.b64 [p3], %rd1;
.param .b64 p4; st.param.b64 [p4], 1;
call.uni __assertfail, (p0, p1, p2, p3, p4);
}
over:
)";
    auto const o = outcome_of(call,
                              text_variable("what", "n < 3") + text_variable("file", "a.cu") +
                                  text_variable("where", "void k(int)"),
                              8);
    INFO(o.error);
    CHECK(o.error.find("kernel k: ") == 0);
    CHECK(o.error.find("thread (3,0,0)") != o.error.npos);
    CHECK(o.error.find("Assertion `n < 3' failed at a.cu:17 in void k(int)") != o.error.npos);
}

TEST_CASE("malloc gives each thread memory of its own, and free takes it back", "[ptx][system]") {
    // Each thread's block keeps its number while all have one; what is freed is given again.
    auto const o = outcome_of(call_malloc("%rd1", "24") + R"(
st.u64 [%rd1+16], %rd1;
cvt.u64.u32 %rd2, %r31; shl.b64 %rd3, %rd2, 3; add.u64 %rd3, %rd3, %out;
st.u64 [%rd1], %rd2;
bar.warp.sync -1;
ld.u64 %rd4, [%rd1];
st.global.u64 [%rd3], %rd4;
)" + call_free("%rd1") + call_free("0") +
                                  call_malloc("%rd5", "24") + "st.u64 [%rd5], 0;\n" + call_free("%rd5"),
                              "", 32);
    CHECK(o.error == "");
    for (unsigned i = 0; i < 32; ++i) CHECK(o.out[i] == i);
}

TEST_CASE("malloc gives null when the heap has no more", "[ptx][system]") {
    // 5 MiB fit once into 8, and again when they have been freed.
    auto const o =
        outcome_of(call_malloc("%rd1", "5242880") + call_malloc("%rd2", "5242880") + call_free("%rd1") +
                       call_malloc("%rd3", "5242880") + call_malloc("%rd4", "-1") +
                       "st.global.u64 [%out], %rd1;\nst.global.u64 [%out+8], %rd2;\n" +
                       "st.global.u64 [%out+16], %rd3;\nst.global.u64 [%out+24], %rd4;\n",
                   "");
    CHECK(o.error == "");
    CHECK(o.out[0] != 0);
    CHECK(o.out[1] == 0);
    CHECK(o.out[2] != 0);
    CHECK(o.out[3] == 0);
}

TEST_CASE("free of what malloc has not given is a fault of the kernel", "[ptx][system]") {
    auto const o = outcome_of("add.u64 %rd1, %out, 8;\n" + call_free("%rd1"), "");
    INFO(o.error);
    CHECK(o.error.find("thread (0,0,0)") != o.error.npos);
    CHECK(o.error.find("free() of an address that malloc()") != o.error.npos);
}

TEST_CASE("A function of another shape is not the driver's, and one that a module defines is its own",
          "[ptx][system]") {
    auto const shaped =
        module_of(".extern .func malloc(.param .b64 a);\n.visible .entry k()\n{\n" +
                  call_free("1").replace(call_free("1").find("free"), 4, "malloc") + "ret;\n}\n");
    CHECK(lower_error(shaped).find("call of external function 'malloc' is not supported") !=
          std::string::npos);
    auto const own = run<std::uint64_t>(call_malloc("%rd1", "5") + "st.global.u64 [%out], %rd1;\n", 1, 1,
                                        ".func (.param .b64 r) malloc(.param .b64 a)\n{\n.reg .b64 %x; "
                                        "ld.param.b64 %x, [a];\nadd.u64 %x, %x, 37;\n"
                                        "st.param.b64 [r], %x;\nret;\n}\n");
    CHECK(own[0] == 42);
}

namespace {

// A kernel to be launched, whose parameters lie with gaps, and what launches it.
std::string const child = R"(
.visible .entry child(.param .u8 c, .param .u64 p, .param .align 4 .b8 s[12])
{ ret; }
.extern .func warpkit_cuda_configure(.param .b32 gx, .param .b32 gy, .param .b32 gz, .param .b32 bx, .param .b32 by,
    .param .b32 bz, .param .b64 s, .param .b64 t);
.extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12],
    .param .b32 s);
.extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 b, .param .b64 s);
.extern .func (.param .b32 r) cudaGetLastError();
.extern .func (.param .b32 r) __cudaCDP2PeekAtLastError();
)";
std::string configure(unsigned x) {
    std::string text = "{\n";
    for (unsigned i = 0; i < 8; ++i) {
        auto const p = "c" + std::to_string(i);
        auto const type = std::string(i < 6 ? ".b32 " : ".b64 ");
        text += ".param " + type + p + "; st.param" + type + "[" + p + "], " + std::to_string(x + i) + ";\n";
    }
    return text + "call.uni warpkit_cuda_configure, (c0, c1, c2, c3, c4, c5, c6, c7);\n}\n";
}
// Its arguments: the thread's number, as clang widens small ones; %out; and three words.
std::string const call_child = R"({
.param .b32 a0; st.param.b32 [a0], %r31;
.param .b64 a1; st.param.b64 [a1], %out;
.param .align 4 .b8 a2[12]; st.param.b32 [a2], 7; st.param.b32 [a2+4], 8; st.param.b32 [a2+8], 9;
call.uni child, (a0, a1, a2);
}
)";
struct launched {
    std::string kernel;
    warpkit::ptx::call_shape shape;
    std::vector<std::uint32_t> words;
};
// What the threads of a CTA launch, and what the kernel's error is.
std::vector<launched> launches_of(std::string const& body, unsigned threads, std::string& failed,
                                  std::vector<std::uint32_t>* out = nullptr) {
    machine m(module_of(child + kernel_of(body)), "t.ptx");
    auto const at = m.upload(std::vector<std::uint32_t>(64));
    std::vector<launched> all;
    m.set_launch([&](warpkit::ptx::kernel_call const& call) {
        launched l{std::string(call.kernel), call.shape,
                   std::vector<std::uint32_t>(call.arguments.size() / 4)};
        std::memcpy(l.words.data(), call.arguments.data(), call.arguments.size());
        all.push_back(std::move(l));
        return all.size() == 2 ? 9U : 0U; // the second one fails
    });
    try {
        m.launch("k", {1, 1, 1}, {threads, 1, 1}, arguments({at}));
    } catch (warpkit::error const& e) {
        failed = e.what();
    }
    if (out != nullptr) *out = m.download<std::uint32_t>(at, 64);
    return all;
}

} // namespace

TEST_CASE("a call of a kernel is a launch by each thread, in the shape that it has told", "[ptx][system]") {
    std::string failed;
    std::vector<std::uint32_t> out;
    auto const all = launches_of("setp.lt.u32 %p1, %r31, 30;\n@%p1 bra over;\n" + configure(4) + call_child +
                                     R"({
.param .b32 r0; call.uni (r0), __cudaCDP2PeekAtLastError, (); ld.param.b32 %r1, [r0];
}
{
.param .b32 r0; call.uni (r0), cudaGetLastError, (); ld.param.b32 %r2, [r0];
}
{
.param .b32 r0; call.uni (r0), cudaGetLastError, (); ld.param.b32 %r3, [r0];
}
mad.lo.u32 %r2, %r2, 10, %r1; mad.lo.u32 %r3, %r3, 100, %r2;
sub.u32 %r4, %r31, 30; mul.wide.u32 %rd1, %r4, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r3;
over:
)",
                                 32, failed, &out);
    CHECK(failed == "");
    REQUIRE(all.size() == 2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        CHECK(all[i].kernel == "child");
        CHECK(all[i].shape.grid.x == 4);
        CHECK(all[i].shape.grid.z == 6);
        CHECK(all[i].shape.block.y == 8);
        CHECK(all[i].shape.shared_bytes == 10);
        CHECK(all[i].shape.stream == 11);
        REQUIRE(all[i].words.size() == 7);
        CHECK((all[i].words[0] & 0xff) == 30 + i);
        CHECK(all[i].words[4] == 7);
        CHECK(all[i].words[6] == 9);
    }
    CHECK(out[0] == 0);
    CHECK(out[1] == 99); // of the thread whose launch failed: told twice, and forgotten
}

TEST_CASE("a launch by way of a buffer of arguments", "[ptx][system]") {
    std::string const get = R"({
.param .b64 p0; mov.u64 %rd1, child; st.param.b64 [p0], %rd1;
.param .align 4 .b8 p1[12]; st.param.b32 [p1], 2; st.param.b32 [p1+4], 3; st.param.b32 [p1+8], 4;
.param .align 4 .b8 p2[12]; st.param.b32 [p2], 5; st.param.b32 [p2+4], 6; st.param.b32 [p2+8], 7;
.param .b32 p3; st.param.b32 [p3], 64;
.param .b64 r0; call.uni (r0), cudaGetParameterBufferV2, (p0, p1, p2, p3);
ld.param.b64 %rd2, [r0];
}
st.u64 [%rd2+8], %out; st.u32 [%rd2+24], 17;
)";
    std::string const launch = R"({
.param .b64 p0; st.param.b64 [p0], %rd2;
.param .b64 p1; st.param.b64 [p1], 3;
.param .b32 r0; call.uni (r0), cudaLaunchDeviceV2, (p0, p1); ld.param.b32 %r1, [r0];
}
)";
    std::string failed;
    std::vector<std::uint32_t> out;
    auto const all = launches_of(get + launch + launch + "st.global.u32 [%out], %r1;\n", 1, failed, &out);
    CHECK(failed == "");
    REQUIRE(all.size() == 1);
    CHECK(all[0].kernel == "child");
    CHECK(all[0].shape.grid.y == 3);
    CHECK(all[0].shape.block.z == 7);
    CHECK(all[0].shape.shared_bytes == 64);
    CHECK(all[0].shape.stream == 3);
    CHECK(all[0].words.at(6) == 17);
    CHECK(out[0] == 1); // a buffer is launched once
    auto other = get;
    other.replace(other.find("child"), 5, "5");
    CHECK(launches_of(other, 1, failed).empty());
    CHECK(failed.find("cudaGetParameterBufferV2 of what is no kernel of this module") != failed.npos);
}

TEST_CASE("launches that cannot be", "[ptx][system]") {
    std::string failed;
    auto all = launches_of(call_child, 1, failed);
    CHECK(failed.find(
              "'child' is a kernel: its call is a launch, for which warpkit_cuda_configure gives the grid") !=
          failed.npos);
    CHECK(all.empty());
    // Where nobody runs what threads launch.
    machine m(module_of(child + kernel_of(configure(1) + call_child)), "t.ptx");
    auto const at = m.upload(std::vector<std::uint32_t>(4));
    failed.clear();
    try {
        m.launch("k", {1, 1, 1}, {1, 1, 1}, arguments({at}));
    } catch (warpkit::error const& e) {
        failed = e.what();
    }
    CHECK(failed.find("a kernel that a thread launches is run where the CUDA runtime executes the program") !=
          failed.npos);
    CHECK(lower_error(module_of(child + kernel_of("{ .param .b32 a; call.uni child, (a); }")))
              .find("'child' takes 3 arguments") != std::string::npos);
    CHECK(
        lower_error(module_of(child + kernel_of("{ .param .b32 a; .param .b32 b; .param .align 4 .b8 s[12]; "
                                                "call.uni child, (a, b, s); }")))
            .find("parameter 'p' of 'child' has 8 bytes") != std::string::npos);
}
