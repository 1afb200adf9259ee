#include "catch.hpp"
#include "harness.hpp"

using namespace ptx_test;

namespace {
constexpr char const* head = ".version 6.3\n.target sm_70\n.address_size 64\n"; // lines 1 to 3
// The body's first line is line 8.
std::string in_kernel(std::string const& body) {
    return std::string(head) +
           ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n" +
           ".reg .pred %p<4>; .reg .b16 %h<4>; .shared .align 4 .b8 tile[64];\n" + body + "\nret;\n}\n";
}
} // namespace

TEST_CASE("What clang and nvcc write around the code is accepted", "[ptx][parser]") {
    CHECK(parse_error(std::string(head) + R"(
//
/* a comment
   over lines */
.file 1 "a.cu"
.weak .func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 s[16]);
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func g() .abi_preserve 12 .abi_preserve_control 2 .noreturn;
.global .align 4 .u32 counter;
.global .align 8 .u64 pointer = counter;
.global .align 8 .u64 pointers[3] = {counter+4, generic(counter), 0};
.const .align 4 .f32 weights[4] = {0f3F800000, 0f40000000, 1.5};
.const .align 1 .b8 bytes[] = {1, 2, 0x03, 255};
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 4 .b8 s[12])
.maxntid 256, 1, 1
.minnctapersm 2
{
.reg .b32 %r<4>, %single;
.loc 1 3 5
.pragma "nounroll";
{
.reg .b32 temp;
mov.u32 temp, 7;
}
$L__BB0_1: mov.u32 %single, WARP_SZ;
bra.uni $L__BB0_1;
}
.section .debug_str { .b8 1, 2 }
)") == "");
    CHECK(parse_error(in_kernel("mov.b32 {%h0, %h1}, %r1;\nld.shared.v2.u32 {%r1, %r2}, [tile+8];")) == "");
    CHECK(parse_error(in_kernel("setp.eq.and.s32 %p1|%p2, %r1, -1, !%p3;")) == "");
}

TEST_CASE("Mistakes in instructions are named with line, column and form", "[ptx][parser]") {
    auto const error_of = [](std::string const& line) { return parse_error(in_kernel(line)); };
    CHECK(error_of("  frobnicate.u32 %r1, %r2;") == "t.ptx:8:3: unknown opcode 'frobnicate.u32'");
    CHECK_THAT(error_of("add.q32 %r1, %r2, %r3;"),
               Catch::StartsWith("t.ptx:8:1: unknown form 'add.q32' of opcode add; known: add."));
    CHECK_THAT(error_of("atom.global.min.f32 %f1, [%rd1], %f2;"),
               Catch::StartsWith("t.ptx:8:1: unknown form 'atom.global.min.f32'"));
    CHECK(error_of("add.s32 %r1, %r9, %r3;") ==
          "t.ptx:8:14: expected an operand of add.s32, found register '%r9', which is not declared");
    CHECK(error_of("add.s32 %r1, %r2;") == "t.ptx:8:1: add.s32 takes 3 operands, found 2");
    CHECK(error_of("add.s32 %r1, %r2, %r3, %r0;") == "t.ptx:8:1: add.s32 takes 3 operands, found 4");
    CHECK(
        error_of("add.f32 %f1, %f2, %rd1;") ==
        "t.ptx:8:19: operand 3 of add.f32: expected a value of type .f32, found register %rd1 of type .b64");
    CHECK(error_of("add.s64 %rd1, %rd2, %f1;") ==
          "t.ptx:8:21: operand 3 of add.s64: expected a value of type .s64, found register %f1 of type .f32");
    CHECK(error_of("add.f32 %f1, %f2, 1;") ==
          "t.ptx:8:19: operand 3 of add.f32: expected a value of type .f32, found an integer");
    CHECK(error_of("add.s32 5, %r2, %r3;") ==
          "t.ptx:8:9: operand 1 of add.s32: expected a destination register of type .s32, found an integer");
    CHECK(error_of("st.shared.u32 %r1, %r2;") ==
          "t.ptx:8:15: operand 1 of st.shared.u32: expected an address in square brackets, found register "
          "%r1 of type .b32");
    CHECK(error_of("ld.global.v4.u32 {%r1, %r2}, [%rd1];") ==
          "t.ptx:8:18: operand 1 of ld.global.v4.u32: expected a vector of 4 elements in braces, found a "
          "vector");
    CHECK(error_of("ld.global.u32 %r1, [tile];") ==
          "t.ptx:8:20: address of ld.global.u32: expected a variable of that space, found 'tile', which is "
          "declared in another");
    CHECK(error_of("ld.global.u32 %r1, [%f1];") ==
          "t.ptx:8:21: expected a 32- or 64-bit integer register as address, found '%f1' of type .f32");
    CHECK(error_of("ld.global.u32 %r1, [nowhere];") ==
          "t.ptx:8:21: expected a register or a variable as address, found 'nowhere', which is not declared");
    CHECK(error_of("@%p7 bra L;\nL:") ==
          "t.ptx:8:2: expected a predicate register, found '%p7', which is not declared");
    CHECK(error_of("@%r1 bra L;\nL:") ==
          "t.ptx:8:2: expected a predicate register, found '%r1' of type .b32");
    CHECK(error_of("bra NOWHERE;") ==
          "t.ptx:8:5: expected a label of this function, found 'NOWHERE', which is not declared");
    CHECK(error_of("bra %r1;") ==
          "t.ptx:8:5: operand 1 of bra: expected a label, found register %r1 of type .b32");
    CHECK(error_of("L:\nL:") == "t.ptx:9:1: label 'L' is declared twice");
    CHECK(error_of("mov.u32 %r1, %envreg33;") ==
          "t.ptx:8:14: expected an operand of mov.u32, found register '%envreg33', which is not declared");
    CHECK(error_of("cvt.s32.f32 %r1, %f1;") ==
          "t.ptx:8:1: unknown form 'cvt.s32.f32' of opcode cvt: these modifiers do not go together");
    CHECK(error_of("mov.f32 %f1, 0f3F80;") ==
          "t.ptx:8:14: expected 8 hexadecimal digits in this floating-point literal, found 4");
    CHECK(error_of(".reg .b32 %r<2>;") == "t.ptx:8:11: registers '%r' are declared twice");
    CHECK(error_of("call.uni nothing, ();") ==
          "t.ptx:8:10: call.uni: expected the name of a declared function");
    CHECK(error_of("call.uni %r1, ();") ==
          "t.ptx:8:10: call.uni: expected a 64-bit register with a function's address");
}

TEST_CASE("Mistakes outside of instructions", "[ptx][parser]") {
    CHECK(parse_error("") == "t.ptx:1:1: expected a .version directive, found none");
    CHECK(
        parse_error("hello") ==
        "t.ptx:1:1: expected a directive such as .version, .entry, .func, .global or .const, found 'hello'");
    CHECK(parse_error(".version 6.3\n.target sm_70\n.address_size 32\n") ==
          "t.ptx:3:15: expected address size 64 (32-bit code is not supported), found '32'");
    CHECK(parse_error(std::string(head) + ".global .u32 a;\n.global .u32 a;") ==
          "t.ptx:5:14: 'a' is declared twice");
    CHECK(parse_error(std::string(head) + ".global .align 3 .u32 a;") ==
          "t.ptx:4:16: expected an alignment that is a power of two up to 4096");
    CHECK(parse_error(std::string(head) + ".global .u32 a[2] = {1, 2, 3};") ==
          "t.ptx:4:14: expected at most 8 bytes of initial values for 'a', found 12");
    CHECK(parse_error(std::string(head) + ".global .u64 a = b;") ==
          "t.ptx:4:18: expected a declared variable, found 'b'");
    CHECK(parse_error(std::string(head) + ".shared .u32 a = 1;") ==
          "t.ptx:4:16: expected no initialiser: only .global and .const variables have one");
    CHECK(parse_error(std::string(head) + ".entry k()\n{\n/* open") ==
          "t.ptx:6:1: expected '*/' to end this comment, found the end of the text");
    CHECK(parse_error(std::string(head) + ".entry k()\n{\nret;\n}\n.entry k()\n{\nret;\n}\n") ==
          "t.ptx:8:8: function 'k' is defined twice");
    CHECK(parse_error(std::string(head) + ".entry k()\n{\n\x01\n}") ==
          "t.ptx:6:1: expected PTX text, found a byte of value 1");
}

TEST_CASE("A text cut off anywhere is an error or a shorter module, never a crash", "[ptx][parser]") {
    auto const whole = in_kernel("L: @!%p1 ld.shared.v2.u32 {%r1, %r2}, [tile+8];\nbra L;");
    REQUIRE(parse_error(whole) == "");
    auto const body = whole.find("{\n.reg");
    for (std::size_t n = body; n + 3 < whole.size(); ++n) {
        INFO(n);
        CHECK(parse_error(whole.substr(0, n)) != "");
    }
    CHECK_THAT(parse_error(whole.substr(0, whole.size() - 2)),
               Catch::Contains("expected '}' to close the block of line 5, found the end of the text"));
}

TEST_CASE("What is parsed but cannot run is refused when the kernel is prepared, with its place",
          "[ptx][lowering]") {
    CHECK(lower_error(in_kernel("sured.b.add.1d.u32.trap [%rd1, {%r0}], %r1;")) ==
          "t.ptx:8:1: kernel k: sured.b.add.1d.u32.trap is not supported");
    CHECK(lower_error(std::string(head) + ".extern .func f(.param .b64 a);\n.entry k()\n{\n{\n.param .b64 "
                                          "q;\ncall.uni f, (q);\n}\nret;\n}") ==
          "t.ptx:9:1: kernel k: call of external function 'f' is not supported");
    CHECK(lower_error(in_kernel(""), "other") == "t.ptx: no kernel 'other'; there are: k");
    CHECK(lower_error(std::string(head) + ".entry _Z3addPf()\n{\nret;\n}\n.entry _Z3subPf()\n{\nret;\n}",
                      "add") == "");
    CHECK(lower_error(std::string(head) + ".entry _Z3addPf()\n{\nret;\n}\n.entry _Z3subPf()\n{\nret;\n}",
                      "_Z3") == "t.ptx: several kernels contain '_Z3'; there are: _Z3addPf, _Z3subPf");
}

TEST_CASE("What drivers and clusters would tell is told: nothing, and a cluster of one CTA",
          "[ptx][parser]") {
    machine m(module_of(R"(
.visible .entry k(.param .u64 k_out, .hidden .param .u64 k_added)
{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd0, [k_out];
mov.u32 %r0, %ctaid.x;
mad.wide.u32 %rd1, %r0, 32, %rd0;
mov.b32 %r1, %envreg3; st.global.u32 [%rd1], %r1;
mov.b32 %r1, %envreg31; st.global.u32 [%rd1+4], %r1;
mov.u32 %r1, %clusterid.x; st.global.u32 [%rd1+8], %r1;
mov.u32 %r1, %nclusterid.x; st.global.u32 [%rd1+12], %r1;
mov.u32 %r1, %cluster_ctaid.y; st.global.u32 [%rd1+16], %r1;
mov.u32 %r1, %cluster_nctaid.z; st.global.u32 [%rd1+20], %r1;
mov.u32 %r1, %cluster_ctarank; st.global.u32 [%rd1+24], %r1;
ld.param.u64 %rd2, [k_added]; cvt.u32.u64 %r1, %rd2; st.global.u32 [%rd1+28], %r1;
ret;
}
)"));
    auto const out = m.upload(std::vector<std::uint32_t>(16, 77));
    m.launch("k", {2, 1, 1}, {1, 1, 1}, arguments({out, 5}));
    CHECK(m.download<std::uint32_t>(out, 16) ==
          std::vector<std::uint32_t>{0, 0, 0, 2, 0, 1, 0, 5, 0, 0, 1, 2, 0, 1, 0, 5});
    for (auto const* name : {"%envreg32", "%envreg", "%envreg4x", "%clusterid.w", "%clusterid"})
        CHECK_THAT(parse_error(module_of(kernel_of(std::string("mov.b32 %r0, ") + name + ";"))),
                   Catch::Contains("is not declared"));
}
