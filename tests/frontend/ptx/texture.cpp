// Textures against a naive reading of the CUDA C++ Programming Guide, "Texture Fetching".
#include "catch.hpp"
#include "harness.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

using namespace ptx_test;
using namespace warpkit;

namespace {

// Fetches at `count` places: coordinates x, y, z of place i lie at 12 * i, the four results go to 16 * i.
std::string fetching(std::string const& form, std::string const& coordinates, std::string const& type) {
    return R"(.global .texref picture;
.visible .entry k(.param .u64 k_out, .param .u64 k_in)
{
.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b32 %x, %y, %z; .reg .f32 %f<8>;
ld.param.u64 %rd1, [k_out]; ld.param.u64 %rd2, [k_in];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r1, %r2, 32, %r1;
mad.wide.u32 %rd3, %r1, 12, %rd2; mad.wide.u32 %rd4, %r1, 16, %rd1;
ld.global.u32 %x, [%rd3]; ld.global.u32 %y, [%rd3+4]; ld.global.u32 %z, [%rd3+8];
)" + form + " {%" +
           type + "2, %" + type + "3, %" + type + "4, %" + type + "5}, [picture, {" + coordinates +
           "}];\nst.global.v4." + (type == "f" ? "f32" : "u32") + " [%rd4], {%" + type + "2, %" + type +
           "3, %" + type + "4, %" + type + "5};\nret;\n}\n";
}

template <class T>
std::vector<std::uint32_t> fetch(std::string const& form, std::string const& coordinates,
                                 std::string const& type, texture_binding t, std::vector<T> const& texels,
                                 std::vector<std::uint32_t> places) {
    machine m(module_of(fetching(form, coordinates, type)));
    t.address = m.upload(texels);
    m.bind_texture("picture", t);
    places.resize((places.size() + 95) / 96 * 96);
    auto const in = m.upload(places);
    auto const out = m.upload(std::vector<std::uint32_t>(places.size() / 3 * 4));
    m.launch("k", {static_cast<std::uint32_t>(places.size() / 96), 1, 1}, {32, 1, 1}, arguments({out, in}));
    return m.download<std::uint32_t>(out, places.size() / 3 * 4);
}
std::uint32_t as_bits(float x) { return std::bit_cast<std::uint32_t>(x); }

// Texel index i of n, by the coordinate's rule rather than by the index's: -1 is the border.
int texel(int i, int n, texture_address_mode mode, bool normalised) {
    if (mode == texture_address_mode::border && (i < 0 || i >= n)) return -1;
    if (normalised && mode == texture_address_mode::wrap) {
        while (i < 0) i += n;
        while (i >= n) i -= n;
        return i;
    }
    if (normalised && mode == texture_address_mode::mirror)
        while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

} // namespace

TEST_CASE("tex.2d: filters, address modes, coordinates", "[ptx][texture]") {
    constexpr int w = 4;
    constexpr int h = 3;
    constexpr int pitch = 5; // texels from row to row
    std::vector<float> texels(pitch * h);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i * i) - 20.25F;
    for (auto mode : {texture_address_mode::wrap, texture_address_mode::clamp, texture_address_mode::mirror,
                      texture_address_mode::border})
        for (bool normalised : {false, true})
            for (auto filter : {texture_filter::point, texture_filter::linear}) {
                texture_binding t;
                t.width = w;
                t.height = h;
                t.pitch = pitch * 4;
                t.filter = filter;
                t.outside = {mode, mode, mode};
                t.normalised_coordinates = normalised;
                // Multiples of 1/64 of a texel, so that nothing is rounded before the filter.
                std::vector<std::uint32_t> places;
                for (int i = 0; i < 400; ++i) {
                    float const x = static_cast<float>(i * 37 % 1024 - 500) / 64;
                    float const y = static_cast<float>(i * 91 % 768 - 300) / 64;
                    places.insert(places.end(),
                                  {as_bits(normalised ? x / w : x), as_bits(normalised ? y / 4 : y), 0});
                }
                auto const got = fetch("tex.2d.v4.f32.f32", "%x, %y", "f", t, texels, places);
                unsigned wrong = 0;
                for (std::size_t i = 0; i < 400; ++i) {
                    auto const x = double{std::bit_cast<float>(places[3 * i])} * (normalised ? w : 1);
                    auto const y = double{std::bit_cast<float>(places[3 * i + 1])} * (normalised ? h : 1);
                    auto const at = [&](int a, int b) {
                        a = texel(a, w, mode, normalised);
                        b = texel(b, h, mode, normalised);
                        return a < 0 || b < 0 ? 0.0 : double{texels[static_cast<std::size_t>(b * pitch + a)]};
                    };
                    double want = 0;
                    if (filter == texture_filter::point) {
                        want = at(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)));
                    } else {
                        auto const fx = std::floor(x - 0.5);
                        auto const fy = std::floor(y - 0.5);
                        auto const a = std::floor((x - 0.5 - fx) * 256 + 0.5) / 256;
                        auto const b = std::floor((y - 0.5 - fy) * 256 + 0.5) / 256;
                        auto const ix = static_cast<int>(fx);
                        auto const iy = static_cast<int>(fy);
                        want = (1 - a) * (1 - b) * at(ix, iy) + a * (1 - b) * at(ix + 1, iy) +
                               (1 - a) * b * at(ix, iy + 1) + a * b * at(ix + 1, iy + 1);
                    }
                    wrong += std::bit_cast<float>(got[4 * i]) == static_cast<float>(want) ? 0 : 1;
                    wrong += got[4 * i + 1] == 0 && got[4 * i + 3] == 0 ? 0 : 1; // one component
                }
                INFO("mode " << static_cast<int>(mode) << " normalised " << normalised << " filter "
                             << static_cast<int>(filter));
                CHECK(wrong == 0);
            }
}

TEST_CASE("tex: element types, components, normalised values", "[ptx][texture]") {
    auto const one = [](texel_kind kind, unsigned bytes, unsigned components, bool normalised,
                        std::vector<std::uint8_t> const& memory, std::uint32_t x) {
        texture_binding t;
        t.width = static_cast<std::uint32_t>(memory.size() / bytes / components);
        t.kind = kind;
        t.component_bytes = static_cast<std::uint8_t>(bytes);
        t.components = static_cast<std::uint8_t>(components);
        t.normalised_values = normalised;
        auto bits = fetch(normalised || kind == texel_kind::floating ? "tex.1d.v4.f32.s32"
                          : kind == texel_kind::signed_integer       ? "tex.1d.v4.s32.s32"
                                                                     : "tex.1d.v4.u32.s32",
                          "%x", normalised || kind == texel_kind::floating ? "f" : "r", t, memory, {x, 0, 0});
        bits.resize(4);
        return bits;
    };
    using v = std::vector<std::uint32_t>;
    std::vector<std::uint8_t> const m{0x01, 0xff, 0x80, 0x7f, 0x00, 0x80, 0xff, 0xff,
                                      0x00, 0x3c, 0x00, 0xc0, 0x00, 0x7c, 0x01, 0x00};
    CHECK(one(texel_kind::unsigned_integer, 1, 1, false, m, 1) == v{255, 0, 0, 0});
    CHECK(one(texel_kind::signed_integer, 1, 4, false, m, 0) == v{1, 0xffffffff, 0xffffff80, 127});
    CHECK(one(texel_kind::unsigned_integer, 2, 2, false, m, 1) == v{0x8000, 0xffff, 0, 0});
    CHECK(one(texel_kind::signed_integer, 2, 2, false, m, 1) == v{0xffff8000, 0xffffffff, 0, 0});
    CHECK(one(texel_kind::unsigned_integer, 4, 2, false, m, 0) == v{0x7f80ff01, 0xffff8000, 0, 0});
    CHECK(one(texel_kind::signed_integer, 4, 4, false, m, 0) ==
          v{0x7f80ff01, 0xffff8000, 0xc0003c00, 0x00017c00});
    CHECK(one(texel_kind::unsigned_integer, 1, 4, true, m, 0) ==
          v{as_bits(1.0F / 255), as_bits(1), as_bits(128.0F / 255), as_bits(127.0F / 255)});
    CHECK(one(texel_kind::signed_integer, 1, 4, true, m, 0) ==
          v{as_bits(1.0F / 127), as_bits(-1.0F / 127), as_bits(-1), as_bits(1)});
    CHECK(one(texel_kind::signed_integer, 2, 2, true, m, 1) == v{as_bits(-1), as_bits(-1.0F / 32767), 0, 0});
    CHECK(one(texel_kind::floating, 2, 4, false, m, 1) ==
          v{as_bits(1), as_bits(-2), as_bits(INFINITY), as_bits(0x1p-24F)});
    CHECK(one(texel_kind::floating, 4, 1, false, m, 2) == v{0xc0003c00, 0, 0, 0});
    // Outside: the last texel where coordinates clamp.
    CHECK(one(texel_kind::unsigned_integer, 1, 1, false, m, 99) == v{0, 0, 0, 0});
    CHECK(one(texel_kind::unsigned_integer, 1, 1, false, m, 0xfffffff0) == v{1, 0, 0, 0});
}

TEST_CASE("tex.3d and .level, handles in registers, the addresses that timing sees", "[ptx][texture]") {
    std::vector<float> texels(3 * 4 * 5);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
    texture_binding t;
    t.width = 3;
    t.height = 4;
    t.depth = 5;
    CHECK(fetch("tex.3d.v4.f32.s32", "%x, %y, %z, %z", "f", t, texels, {2, 1, 3})[0] == as_bits(41));
    t.filter = texture_filter::linear;
    // Between two texels in z, on one in x and y.
    CHECK(fetch("tex.3d.v4.f32.f32", "%x, %y, %z, %z", "f", t, texels,
                {as_bits(2.5F), as_bits(1.5F), as_bits(3)})[0] == as_bits(35));

    t = {};
    t.outside = {texture_address_mode::border};
    machine m(module_of(R"(.visible .entry k(.param .u64 k_out, .param .u64 k_texture)
{
.reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [k_out]; ld.param.u64 %rd2, [k_texture];
mov.u32 %r1, %tid.x;
tex.level.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd2, {%r1}], 0;
mad.wide.u32 %rd1, %r1, 4, %rd1; st.global.u32 [%rd1], %r2;
ret;
})"));
    std::vector<std::uint32_t> numbers(32);
    for (std::uint32_t i = 0; i < 32; ++i) numbers[i] = 1000 + i;
    t.kind = texel_kind::unsigned_integer;
    t.width = 32;
    t.address = m.upload(numbers);
    auto const handle = m.memory().textures().reserve();
    auto const out = m.upload(std::vector<std::uint32_t>(32));
    auto const launch = [&] { m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out, handle})); };
    CHECK_THROWS_WITH(launch(), Catch::Contains("unbound texture access at test.ptx:9") &&
                                    Catch::Contains("of texture memory"));
    m.memory().textures().bind(handle, t);
    launch();
    CHECK(m.download<std::uint32_t>(out, 32) == numbers);
    auto const& s = m.streams()[0].warps[0];
    auto const& code = m.program().instructions;
    unsigned fetches = 0;
    for (stream_cursor at(s); !at.done(); at.advance(s, code[at.instruction()])) {
        auto const& i = code[at.instruction()];
        if (i.space != memory_space::texture) continue;
        ++fetches;
        CHECK(i.kind == op_class::load);
        CHECK(i.access_bytes == 4);
        CHECK(at.space(s) == memory_space::texture);
        CHECK(at.base(s) == t.address);
        CHECK(at.stride(s) == 4);
    }
    CHECK(fetches == 1);
}

TEST_CASE("Textures that cannot be are refused", "[ptx][texture]") {
    machine m(module_of(".global .texref picture;\n.visible .entry k() { ret; }\n"));
    texture_binding t;
    CHECK_THROWS_WITH(m.bind_texture("picture", t), "texture: expected at least one texel in each direction");
    t.width = 4;
    CHECK_THROWS_WITH(m.bind_texture("image", t),
                      "test.ptx: no .texref variable 'image'; there are: picture");
    t.components = 3;
    CHECK_THROWS_WITH(m.bind_texture("picture", t), "texture: expected 1, 2 or 4 components, found 3");
    t.components = 4;
    t.component_bytes = 1;
    CHECK_THROWS_WITH(m.bind_texture("picture", t),
                      "texture: expected components of 1, 2 or 4 bytes (2 or 4 if floating), found 1");
    t.kind = texel_kind::unsigned_integer;
    t.pitch = 12;
    CHECK_THROWS_WITH(m.bind_texture("picture", t),
                      "texture: expected a pitch of at least 16 bytes, found 12");
    t.pitch = 18;
    CHECK_THROWS_WITH(m.bind_texture("picture", t),
                      "texture: expected address and pitch to be multiples of the texel's 4 bytes");
    t.pitch = 16;
    t.component_bytes = 4;
    t.normalised_values = true;
    CHECK_THROWS_WITH(m.bind_texture("picture", t),
                      "texture: expected integers of 1 or 2 bytes for normalised values");
    CHECK_THROWS_WITH(m.memory().textures().bind(9, t), "texture: there is no handle 9");

    auto const complaint = [](std::string const& line) {
        return parse_error(module_of(".global .texref t;\n" + kernel_of(line)));
    };
    CHECK(complaint("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1}];")
              .find("expected 2 coordinates in braces") != std::string::npos);
    CHECK(complaint("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f1}];")
              .find("the texture a .texref or a 64-bit register") != std::string::npos);
    CHECK(
        complaint("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%f1}];").find("a coordinate of type .s32") !=
        std::string::npos);
    CHECK(complaint("tex.1d.v2.f32.s32 {%f1, %f2}, [t, {%r1}];").find("these modifiers do not go together") !=
          std::string::npos);
    CHECK(complaint("tex.a1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2}];").find("unknown form") !=
          std::string::npos);
}
