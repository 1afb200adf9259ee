// Launch files: what they say is done, and what is wrong is named by its place.
#include "launch/launch_file.hpp"

#include <warpkit/base/error.hpp>

#include "catch.hpp"
#include "kernels/functional.hpp"

#include <cstring>
#include <map>
#include <string>

using namespace warpkit;

namespace {

char const* const ptx = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry _Z5scalePffi(.param .u64 x, .param .f32 a, .param .u32 n)
{
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .pred %p;
.extern .shared .align 4 .b8 scratch[];
ld.param.u64 %rd1, [x]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r2, %r3, 4, %r2;
setp.ge.u32 %p, %r2, %r1;
@%p exit;
mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
ld.global.f32 %f2, [%rd1];
mul.f32 %f2, %f2, %f1;
st.global.f32 [%rd1], %f2;
ret;
}
.visible .entry empty() { ret; }
)";

using files = std::map<std::string, std::string>;
launch_file::file_reader reading(files const& f) {
    return [f](std::string const& name, std::size_t most) {
        auto const i = f.find(name);
        if (i == f.end()) throw error("cannot read " + name);
        if (i->second.size() > most) throw error("too long");
        return i->second;
    };
}

struct ran {
    std::string text;
    files written;
};
ran run(std::string const& json, files given = {}) {
    given["k.ptx"] = ptx;
    launch_file const file(json, "l.json", reading(given));
    kernels::functional_device machine(file.ptx(), file.ptx_name());
    ran r;
    r.text = file.run(machine.device(), [&](std::string const& name, std::string_view bytes) {
        r.written[name] = std::string(bytes);
    });
    return r;
}
std::string error_of(std::string const& json, files given = {}) {
    try {
        run(json, std::move(given));
    } catch (error const& e) {
        return e.what();
    }
    return {};
}
// A good file with one member replaced.
std::string with(std::string const& key, std::string const& value) {
    std::map<std::string, std::string> members{
        {"ptx", "\"k.ptx\""},
        {"kernel", "\"scale\""},
        {"grid", "2"},
        {"block", "[4]"},
        {"buffers", R"({"x": {"type": "f32", "count": 8, "fill": "iota"}})"},
        {"arguments", R"([{"buffer": "x"}, {"f32": 2.5}, {"u32": 6}])"},
        {"outputs", R"([{"buffer": "x"}])"}};
    members[key] = value;
    std::string text = "{";
    for (auto const& [k, v] : members) {
        if (v.empty()) continue;
        text.append(text.size() > 1 ? ", \"" : "\"").append(k).append("\": ").append(v);
    }
    return text + "}";
}

} // namespace

TEST_CASE("launch file: buffers, arguments, shape and outputs", "[launch]") {
    CHECK(run(with("", "")).text == "x: 0 2.5 5 7.5 10 12.5 6 7 \n");
    auto const r = run(with("outputs", R"([{"buffer": "x", "first": 2, "file": "x.txt"},
                                           {"buffer": "x", "first": 2, "file": "x.bin"}, {"buffer": "x", "first": 1}])"));
    CHECK(r.text == "x: 0 \n");
    CHECK(r.written.at("x.txt") == "0\n2.5\n");
    float two[2];
    REQUIRE(r.written.at("x.bin").size() == sizeof two);
    std::memcpy(two, r.written.at("x.bin").data(), sizeof two);
    CHECK(two[1] == 2.5F);
    // A pointer into a buffer, the whole name of the kernel.
    CHECK(run(with("arguments", R"([{"buffer": "x", "offset": 8}, {"f32": -1}, {"s32": 1}])")).text ==
          "x: 0 1 -2 3 4 5 6 7 \n");
    CHECK(run(with("kernel", "\"_Z5scalePffi\"")).text == run(with("", "")).text);
    CHECK(
        run(R"({"ptx": "k.ptx", "kernel": "empty", "grid": [1, 2, 3], "block": [2, 2], "dynamic_shared_bytes": 64})")
            .text.empty());
}

TEST_CASE("launch file: all ways to fill a buffer of every type", "[launch]") {
    auto const filled = [](std::string const& type, std::string const& fill, files const& given = {}) {
        return run(R"({"ptx": "k.ptx", "kernel": "empty", "grid": 1, "block": 1, "buffers": {"b": {"type": ")" +
                       type + R"(", "count": 3, "fill": )" + fill + R"(}}, "outputs": [{"buffer": "b"}]})",
                   given)
            .text;
    };
    for (auto const* type : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"}) {
        INFO(type);
        CHECK(filled(type, R"("zeros")") == "b: 0 0 0 \n");
        CHECK(filled(type, R"("iota")") == "b: 0 1 2 \n");
        CHECK(filled(type, R"({"value": 7})") == "b: 7 7 7 \n");
        CHECK(filled(type, "[3, 1, 2]") == "b: 3 1 2 \n");
        auto const random = R"({"random": {"seed": 5, "from": 3, "to": 5}})";
        auto const first = filled(type, random);
        CHECK(first == filled(type, random));
        for (auto const c : first.substr(3, 1)) CHECK((c == '3' || c == '4'));
    }
    CHECK(filled("s8", "[-128, 127, -1]") == "b: -128 127 -1 \n");
    CHECK(filled("u64", "[18446744073709551615, 0, 1]") == "b: 18446744073709551615 0 1 \n");
    CHECK(filled("s64", "[-9223372036854775808, 9223372036854775807, 0]") ==
          "b: -9223372036854775808 9223372036854775807 0 \n");
    CHECK(filled("f32", "[0.1, -1e30, 3]") == "b: 0.1 -1e+30 3 \n");
    CHECK(filled("f32", R"({"random": {"seed": 1}})") != filled("f32", R"({"random": {"seed": 2}})"));
    CHECK(filled("u16", R"({"file": "b.bin"})", {{"b.bin", std::string("\1\0\0\1\xff\xff", 6)}}) ==
          "b: 1 256 65535 \n");
}

TEST_CASE("launch file: what is wrong is named by its place", "[launch]") {
    CHECK(error_of("{\n \"ptx\": }") ==
          "l.json:2:9: this is not JSON: expected another character here, or the text ends too soon");
    CHECK(error_of("[]") ==
          "l.json: expected an object with ptx, kernel, grid, block, dynamic_shared_bytes, buffers, "
          "arguments, outputs, found an array");
    CHECK(error_of(with("gird", "1")) ==
          "l.json: gird: there is no such member; there are: ptx, kernel, grid, block, "
          "dynamic_shared_bytes, buffers, arguments, outputs");
    CHECK(error_of(with("ptx", "")) == "l.json: ptx: expected a string, found nothing");
    CHECK(error_of(with("ptx", "\"z.ptx\"")) == "l.json: ptx: cannot read z.ptx");
    CHECK(error_of(with("ptx", "\"bad.ptx\""), {{"bad.ptx", "x"}}).substr(0, 12) == "bad.ptx:1:1:");
    CHECK(error_of(with("kernel", "\"q\"")) ==
          "l.json: kernel: no kernel of k.ptx with this name; there are: _Z5scalePffi, empty");
    CHECK(error_of(with("kernel", "")) ==
          "l.json: kernel: several kernels of k.ptx with this name; there are: _Z5scalePffi, empty");
    CHECK(error_of(with("grid", "")) == "l.json: grid: expected one to three whole numbers, found nothing");
    CHECK(error_of(with("grid", "[1, 0]")) ==
          "l.json: grid[1]: expected a whole number from 1 to 65535, found 0");
    CHECK(error_of(with("grid", "[1, 1, 1, 1]")) ==
          "l.json: grid: expected one to three whole numbers, found 4");
    CHECK(error_of(with("block", "[32, 33]")) == "l.json: block: expected at most 1024 threads, found 1056");
    CHECK(error_of(with("block", "1.5")) ==
          "l.json: block: expected a whole number from 1 to 1024, found 1.5");
    CHECK(error_of(with("dynamic_shared_bytes", "-4")) ==
          "l.json: dynamic_shared_bytes: expected a whole number from 0 to 16777216, found -4");
    auto const buffer = [](std::string const& spec) {
        return error_of(with("buffers", R"({"x": )" + spec + "}"));
    };
    CHECK(buffer("3") == "l.json: buffers.x: expected an object with type, count, fill, found 3");
    CHECK(buffer(R"({"type": "f31", "count": 1})") == "l.json: buffers.x.type: expected one of u8, s8, u16, "
                                                      "s16, u32, s32, u64, s64, f32, f64, found \"f31\"");
    CHECK(buffer(R"({"type": "f32"})") == "l.json: buffers.x.count: expected a whole number, found nothing");
    CHECK(buffer(R"({"type": "f32", "count": 99999999999})") ==
          "l.json: buffers.x.count: expected a whole number from 1 to 4294967296, found 99999999999");
    CHECK(buffer(R"({"type": "f32", "count": 2, "fill": [1]})") ==
          "l.json: buffers.x.fill: expected 2 values, found 1");
    CHECK(buffer(R"({"type": "u8", "fill": [1, 256]})") ==
          "l.json: buffers.x.fill[1]: expected a number that .u8 can hold, found 256");
    CHECK(buffer(R"({"type": "s8", "fill": [-129]})") ==
          "l.json: buffers.x.fill[0]: expected a number that .s8 can hold, found -129");
    CHECK(buffer(R"({"type": "u32", "fill": [1.5]})") ==
          "l.json: buffers.x.fill[0]: expected a number that .u32 can hold, found 1.5");
    CHECK(buffer(R"({"type": "f32", "fill": [1e39]})") ==
          "l.json: buffers.x.fill[0]: expected a number that .f32 can hold, found 1e+39");
    CHECK(buffer(R"({"type": "f64", "fill": [1e320]})") ==
          "l.json: there is a number in it that .f64 cannot hold");
    CHECK(buffer(R"({"type": "u32", "fill": ["1"]})") ==
          "l.json: buffers.x.fill[0]: expected a number, found \"1\"");
    CHECK(buffer(R"({"type": "u32", "count": 1, "fill": "ones"})") ==
          "l.json: buffers.x.fill: expected \"zeros\", \"iota\", an array of values, or an object with "
          "value, random "
          "or file, found \"ones\"");
    CHECK(buffer(R"({"type": "u32", "count": 1, "fill": {"value": 1, "file": "x"}})") ==
          "l.json: buffers.x.fill: expected just one of value, random, file");
    CHECK(buffer(R"({"type": "u32", "count": 1, "fill": {"random": {"from": 5, "to": 5}}})") ==
          "l.json: buffers.x.fill.random.to: expected a number above from");
    CHECK(buffer(R"({"type": "u32", "count": 1, "fill": {"file": "b"}})") ==
          "l.json: buffers.x.fill.file: cannot read b");
    auto const argument = [](std::string const& first) {
        return error_of(with("arguments", "[" + first + R"(, {"f32": 1}, {"u32": 1}])"));
    };
    CHECK(error_of(with("arguments", "[]")) ==
          "l.json: arguments: kernel _Z5scalePffi takes 3 arguments, found 0");
    CHECK(argument(R"({"buffer": "y"})") ==
          "l.json: arguments[0].buffer: there is no buffer \"y\"; there are: x");
    CHECK(argument(R"({"buffer": "x", "offset": 32})") ==
          "l.json: arguments[0].offset: expected a whole number from 0 to 31, found 32");
    CHECK(argument(R"({"u32": 1})") == "l.json: arguments[0]: parameter x has 8 bytes, found 4");
    CHECK(argument("7").find(
              "l.json: arguments[0]: expected {\"buffer\": name} or {type: number} with one of u8") == 0);
    CHECK(argument(R"({"u64": -1})") ==
          "l.json: arguments[0].u64: expected a number that .u64 can hold, found -1");
    CHECK(error_of(with("outputs", R"([{"first": 1}])")) ==
          "l.json: outputs[0].buffer: expected the name of a buffer, found nothing");
    CHECK(error_of(with("outputs", R"([{"buffer": "x", "first": 9}])")) ==
          "l.json: outputs[0].first: expected a whole number from 1 to 8, found 9");
}
