// Textures against a naive reading of the CUDA C++ Programming Guide, "Texture Fetching".
#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
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

TEST_CASE("Layers, and the faces of a cube", "[ptx][texture]") {
    constexpr std::uint32_t n = 4;
    constexpr std::uint32_t faces = 12; // two cubes
    std::vector<float> texels(n * n * faces);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
    texture_binding t;
    t.width = t.height = n;
    t.layers = faces;
    auto const of_layer = [&](int layer, int x, int y) {
        auto const kept = layer < 0 ? 0 : layer >= 12 ? 11 : layer;
        return as_bits(static_cast<float>(kept * 16 + y * 4 + x));
    };
    std::vector<std::uint32_t> places;
    for (int layer = -2; layer < 14; ++layer)
        places.insert(places.end(), {static_cast<std::uint32_t>(layer), as_bits(2.5F), as_bits(1.5F)});
    auto got = fetch("tex.a2d.v4.f32.f32", "%x, %y, %z, %z", "f", t, texels, places);
    for (int layer = -2; layer < 14; ++layer)
        CHECK(got[4 * static_cast<std::size_t>(layer + 2)] == of_layer(layer, 2, 1));
    places.clear();
    for (std::uint32_t layer = 0; layer < 12; ++layer) places.insert(places.end(), {layer, 3, layer % 4});
    got = fetch("tex.a2d.v4.f32.s32", "%x, %y, %z, %z", "f", t, texels, places);
    for (std::uint32_t layer = 0; layer < 12; ++layer)
        CHECK(got[4 * layer] == of_layer(static_cast<int>(layer), 3, static_cast<int>(layer % 4)));
    auto lines = t;
    lines.height = 1;
    lines.layers = 48;
    CHECK(fetch("tex.a1d.v4.f32.f32", "%x, %y", "f", lines, texels, {7, as_bits(2.25F), 0})[0] ==
          as_bits(30));

    // Random directions, by the table of the CUDA C++ Programming Guide, "Cubemap Textures".
    t.normalised_coordinates = true;
    places.clear();
    std::uint32_t random = 12345;
    auto const next = [&] {
        random = random * 1664525 + 1013904223;
        return static_cast<float>(static_cast<int>(random >> 20) - 2048) / 1024;
    };
    for (int i = 0; i < 300; ++i)
        places.insert(places.end(), {as_bits(next()), as_bits(next()), as_bits(next())});
    got = fetch("tex.cube.v4.f32.f32", "%x, %y, %z, %z", "f", t, texels, places);
    unsigned wrong = 0;
    unsigned seen = 0;
    for (std::size_t i = 0; i < 300; ++i) {
        auto const x = std::bit_cast<float>(places[3 * i]);
        auto const y = std::bit_cast<float>(places[3 * i + 1]);
        auto const z = std::bit_cast<float>(places[3 * i + 2]);
        struct face {
            float major, s, t;
        };
        face const of[6]{{x, -z, -y}, {-x, z, -y}, {y, x, z}, {-y, x, -z}, {z, x, -y}, {-z, -x, -y}};
        unsigned best = 0;
        for (unsigned f = 1; f < 6; ++f)
            if (of[f].major > of[best].major) best = f;
        auto const at = [&](float part) {
            auto const k = static_cast<int>(std::floor((part / of[best].major + 1) / 2 * 4));
            return k < 0 ? 0 : k > 3 ? 3 : k;
        };
        wrong += got[4 * i] == of_layer(static_cast<int>(best), at(of[best].s), at(of[best].t)) ? 0 : 1;
        seen |= 1U << best;
    }
    CHECK(wrong == 0);
    CHECK(seen == 63);
    // The second cube, and one that there is not, by a constant layer.
    auto const second = [&](char const* layer) {
        return fetch("tex.acube.v4.f32.f32", std::string(layer) + ", %x, %y, %z", "f", t, texels,
                     {as_bits(0), as_bits(0), as_bits(-1)})[0];
    };
    CHECK(second("1") == of_layer(11, 2, 2));
    CHECK(second("5") == of_layer(11, 2, 2));
    CHECK(second("-1") == of_layer(5, 2, 2));
}

TEST_CASE("Levels of a mipmap: asked for, and by gradients", "[ptx][texture]") {
    // 8 x 8, 4 x 4, 2 x 2, 1 x 1 texels, all of a level alike: 1, 2, 4, 8.
    std::vector<float> texels;
    texture_binding t;
    t.width = t.height = 8;
    t.normalised_coordinates = true;
    t.highest_level = 100;
    for (unsigned k = 0; k < 4; ++k) texels.insert(texels.end(), 64U >> (2 * k), static_cast<float>(1 << k));
    auto const at = [&](std::string const& form, std::string const& behind, texture_binding b,
                        std::vector<std::uint32_t> places) {
        auto text = fetching(form, "%x, %x", "f");
        text.replace(text.find("}];") + 2, 1, behind + ";");
        machine m(module_of(text));
        auto const base = m.upload(texels);
        b.address = base;
        for (std::uint32_t k = 1, offset = 64; k < 4; offset += 64U >> (2 * k), ++k) {
            texel_array level;
            level.address = base + 4 * offset;
            level.width = level.height = 8U >> k;
            b.smaller.push_back(level);
        }
        m.bind_texture("picture", b);
        places.resize((places.size() + 95) / 96 * 96);
        auto const out = m.upload(std::vector<std::uint32_t>(places.size() / 3 * 4));
        m.launch("k", {static_cast<std::uint32_t>(places.size() / 96), 1, 1}, {32, 1, 1},
                 arguments({out, m.upload(places)}));
        return std::bit_cast<float>(m.download<std::uint32_t>(out, 1)[0]);
    };
    auto const level = [&](float lod, texture_binding const& b) {
        return at("tex.level.2d.v4.f32.f32", ", %y", b, {as_bits(0.4F), as_bits(lod), 0});
    };
    CHECK(level(-3, t) == 1);
    CHECK(level(0.49F, t) == 1);
    CHECK(level(0.51F, t) == 2);
    CHECK(level(2, t) == 4);
    CHECK(level(50, t) == 8);
    CHECK(level(std::nanf(""), t) == 1);
    t.between_levels = texture_filter::linear;
    CHECK(level(0.25F, t) == 1.25F);
    CHECK(level(1.5F, t) == 3);
    CHECK(level(2.75F, t) == 7);
    CHECK(level(9, t) == 8);
    t.level_bias = 0.5F;
    CHECK(level(0, t) == 1.5F);
    t.lowest_level = 2;
    CHECK(level(0, t) == 4);
    t.highest_level = 2.5F;
    CHECK(level(3, t) == 6);
    CHECK(at("tex.2d.v4.f32.f32", "", t, {as_bits(0.4F), 0, 0}) == 4); // without a level: of level 0
    CHECK(at("tex.level.2d.v4.f32.s32", ", %y",
             [&] {
                 auto b = t;
                 b.lowest_level = b.level_bias = 0;
                 b.normalised_coordinates = false;
                 return b;
             }(),
             {0, 1, 0}) == 2);
    // A texel of level k is 2^k of level 0: of an eighth of the width each.
    t.level_bias = t.lowest_level = 0;
    t.highest_level = 100;
    auto const gradient = [&](float dx, float dy) {
        return at("tex.grad.2d.v4.f32.f32", ", {%y, 0f00000000}, {0f00000000, %z}", t,
                  {as_bits(0.4F), as_bits(dx), as_bits(dy)});
    };
    CHECK(gradient(0.125F, 0.01F) == 1);
    CHECK(gradient(0, 0.25F) == 2);
    CHECK(gradient(-0.5F, 0.25F) == 4);
    CHECK(gradient(0.001F, 0) == 1);
    CHECK(gradient(0, 0) == 1);
    CHECK(gradient(1e30F, 0) == 8);
    // Half a level: 2^0.5 texels, to 8 bits of fraction.
    CHECK(std::fabs(gradient(0.125F * std::sqrt(2.0F), 0) - 1.5F) <= 1 / 256.0F);
}

TEST_CASE("tld4 gathers a component, txq and suq tell what there is", "[ptx][texture]") {
    std::vector<std::uint32_t> texels(4 * 3 * 2);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint32_t>(i);
    texture_binding t;
    t.width = 4;
    t.height = 3;
    t.components = 2;
    t.kind = texel_kind::unsigned_integer;
    auto const gathered = [&](char const* form, float x, float y) {
        auto got = fetch(form, "%x, %y", "r", t, texels, {as_bits(x), as_bits(y), 0});
        got.resize(4);
        return got;
    };
    using v = std::vector<std::uint32_t>;
    auto const at = [](unsigned x, unsigned y) { return 2 * (4 * y + x); };
    CHECK(gathered("tld4.r.2d.v4.u32.f32", 2, 1) == v{at(1, 1), at(2, 1), at(2, 0), at(1, 0)});
    CHECK(gathered("tld4.g.2d.v4.u32.f32", 2, 1) ==
          v{at(1, 1) + 1, at(2, 1) + 1, at(2, 0) + 1, at(1, 0) + 1});
    CHECK(gathered("tld4.b.2d.v4.u32.f32", 2, 1) == v{0, 0, 0, 0});
    CHECK(gathered("tld4.r.2d.v4.u32.f32", 0, 0) == v{0, 0, 0, 0}); // clamped
    t.outside = {texture_address_mode::border, texture_address_mode::border, texture_address_mode::border};
    CHECK(gathered("tld4.g.2d.v4.u32.f32", 4, 3) == v{0, 0, 0, at(3, 2) + 1});

    machine m(module_of(R"(.visible .entry k(.param .u64 k_out, .param .u64 k_texture)
{
.reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [k_out]; ld.param.u64 %rd2, [k_texture];
txq.width.b32 %r1, [%rd2]; txq.height.b32 %r2, [%rd2]; txq.array_size.b32 %r3, [%rd2];
txq.num_mipmap_levels.b32 %r4, [%rd2]; txq.level.width.b32 %r5, [%rd2], 1; suq.height.b32 %r6, [%rd2];
st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; st.global.v2.u32 [%rd1+16], {%r5, %r6};
ret;
})"));
    t.layers = 5;
    t.height = 7;
    t.smaller.resize(1);
    t.smaller[0].width = 2;
    t.smaller[0].height = 3;
    auto const handle = m.memory().textures().reserve();
    m.memory().textures().bind(handle, t);
    auto const out = m.upload(std::vector<std::uint32_t>(6));
    m.launch("k", {1, 1, 1}, {1, 1, 1}, arguments({out, handle}));
    CHECK(m.download<std::uint32_t>(out, 6) == v{4, 7, 5, 2, 2, 7});
}

TEST_CASE("A border has a colour, which filters mix in", "[ptx][texture]") {
    texture_binding t;
    t.width = 2;
    t.components = 2;
    t.border = {10, 20, 30, 40};
    t.outside = {texture_address_mode::border, texture_address_mode::border, texture_address_mode::border};
    std::vector<float> const texels{1, 2, 3, 4};
    auto const at = [&](float x) {
        auto got = fetch("tex.1d.v4.f32.f32", "%x", "f", t, texels, {as_bits(x), 0, 0});
        got.resize(4);
        return got;
    };
    using v = std::vector<std::uint32_t>;
    CHECK(at(-1) == v{as_bits(10), as_bits(20), 0, 0});
    CHECK(at(1) == v{as_bits(3), as_bits(4), 0, 0});
    t.filter = texture_filter::linear;
    CHECK(at(0) == v{as_bits(5.5F), as_bits(11), 0, 0});
    CHECK(at(2.25F) == v{as_bits(3 * 0.25F + 10 * 0.75F), as_bits(4 * 0.25F + 20 * 0.75F), 0, 0});
}

TEST_CASE("Surfaces: elements of each size in arrays of each shape, and what is outside", "[ptx][texture]") {
    constexpr std::uint32_t width = 32; // bytes
    constexpr std::uint32_t height = 3;
    constexpr std::uint32_t depth = 2;
    constexpr std::uint32_t pitch = 48;
    struct shape {
        char const* name;
        char const* coordinates; // of x, y, z
        bool rows, slices, layered;
    };
    shape const shapes[]{{"1d", "{%x}", false, false, false},
                         {"2d", "{%x, %y}", true, false, false},
                         {"3d", "{%x, %y, %z, %z}", true, true, false},
                         {"a1d", "{%z, %x}", false, true, true},
                         {"a2d", "{%z, %x, %y, %y}", true, true, true}};
    struct element {
        char const* type;
        char reg;
        unsigned count, bytes;
    };
    element const elements[]{{"b8", 'h', 1, 1},      {"b16", 'h', 1, 2},    {"b32", 'r', 1, 4},
                             {"b64", 'd', 1, 8},     {"v2.b8", 'h', 2, 2},  {"v4.b8", 'h', 4, 4},
                             {"v2.b16", 'h', 2, 4},  {"v4.b16", 'h', 4, 8}, {"v2.b32", 'r', 2, 8},
                             {"v4.b32", 'r', 4, 16}, {"v2.b64", 'd', 2, 16}};
    auto const kernel = [](shape const& s, element const& e, std::string const& mode) {
        std::string list;
        for (unsigned k = 0; k < e.count; ++k)
            list += (k == 0 ? "%" : ", %") + std::string(1, e.reg) + std::to_string(k);
        return R"(.visible .entry k(.param .u64 k_places, .param .u64 k_from, .param .u64 k_to)
{
.reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .b32 %x, %y, %z; .reg .b64 %p<4>;
ld.param.u64 %p1, [k_places]; ld.param.u64 %p2, [k_from]; ld.param.u64 %p3, [k_to];
mov.u32 %x, %tid.x; mad.wide.u32 %p1, %x, 12, %p1;
ld.global.u32 %x, [%p1]; ld.global.u32 %y, [%p1+4]; ld.global.u32 %z, [%p1+8];
suld.b.)" + std::string(s.name) +
               "." + e.type + mode + " {" + list + "}, [%p2, " + s.coordinates + "];\nsust.b." + s.name +
               "." + e.type + mode + " [%p3, " + s.coordinates + "], {" + list + "};\nret;\n}\n";
    };
    for (auto const& s : shapes)
        for (auto const& e : elements)
            for (std::string const mode : {".zero", ".clamp", ".trap"}) {
                INFO(s.name << " " << e.type << mode);
                machine m(module_of(kernel(s, e, mode)));
                auto const rows = s.rows ? height : 1;
                auto const slices = s.slices ? depth : 1;
                std::vector<std::uint8_t> source(std::size_t{pitch} * rows * slices);
                for (std::size_t i = 0; i < source.size(); ++i)
                    source[i] = static_cast<std::uint8_t>(i * 7 + 1);
                std::vector<std::uint8_t> expected(source.size(), 0xee);
                texture_binding t;
                t.width = width;
                t.height = rows;
                (s.layered ? t.layers : t.depth) = slices;
                t.pitch = pitch;
                t.kind = texel_kind::unsigned_integer;
                t.component_bytes = 1;
                auto const bind = [&](std::vector<std::uint8_t> const& bytes) {
                    t.address = m.upload(bytes);
                    auto const handle = m.memory().textures().reserve();
                    m.memory().textures().bind(handle, t);
                    return handle;
                };
                auto const from = bind(source);
                auto const to = bind(expected);
                bool const outside = mode != ".trap";
                std::vector<std::uint32_t> places;
                for (std::uint32_t l = 0; l < 32; ++l) {
                    auto const spread = static_cast<int>(width / e.bytes);
                    auto const x =
                        outside ? (static_cast<int>(l) * 5 % (spread + 4) - 2) * static_cast<int>(e.bytes)
                                : static_cast<int>(l) % spread * static_cast<int>(e.bytes);
                    auto const y = outside ? static_cast<int>(l % 6) - 2 : static_cast<int>(l % 3);
                    auto const z = outside ? static_cast<int>(l % 5) - 2 : static_cast<int>(l % 2);
                    places.insert(places.end(), {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                                                 static_cast<std::uint32_t>(z)});
                    int const at[3]{x, s.rows ? y : 0, s.slices ? z : 0};
                    int const last[3]{static_cast<int>(width - e.bytes), static_cast<int>(rows) - 1,
                                      static_cast<int>(slices) - 1};
                    int kept[3];
                    for (int d = 0; d < 3; ++d) kept[d] = at[d] < 0 ? 0 : at[d] > last[d] ? last[d] : at[d];
                    bool const inside = std::equal(at, at + 3, kept);
                    if (!inside && mode == ".zero") continue;
                    auto const offset = static_cast<std::size_t>(
                        (kept[2] * static_cast<int>(rows) + kept[1]) * static_cast<int>(pitch) + kept[0]);
                    std::copy_n(&source[offset], e.bytes, &expected[offset]);
                }
                m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({m.upload(places), from, to}));
                CHECK(m.download<std::uint8_t>(t.address, expected.size()) == expected);
            }
    // Zeros are read outside, and an error is told with .trap.
    for (auto const* mode : {".zero", ".trap"}) {
        machine m(module_of(std::string(R"(.visible .entry k(.param .u64 k_out, .param .u64 k_surface)
{
.reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [k_out]; ld.param.u64 %rd2, [k_surface];
mov.u32 %r1, -4;
suld.b.1d.b32)") + mode + " {%r2}, [%rd2, {%r1}];\nst.global.u32 [%rd1], %r2;\nret;\n}\n"));
        std::vector<std::uint32_t> const ones(8, 1);
        texture_binding t;
        t.address = m.upload(ones);
        t.width = 8;
        auto const handle = m.memory().textures().reserve();
        auto const out = m.upload(ones);
        auto const launch = [&] { m.launch("k", {1, 1, 1}, {1, 1, 1}, arguments({out, handle})); };
        CHECK_THROWS_WITH(launch(), Catch::Contains("unbound texture access"));
        m.memory().textures().bind(handle, t);
        if (mode[1] == 't') {
            CHECK_THROWS_WITH(launch(), Catch::Contains("out-of-range surface access at test.ptx:9"));
            continue;
        }
        launch();
        CHECK(m.download<std::uint32_t>(out, 2) == std::vector<std::uint32_t>{0, 1});
        // An access of global memory, for timing.
        auto const& code = m.program().instructions;
        CHECK(std::count_if(code.begin(), code.end(), [](auto const& i) {
                  return i.kind == op_class::load && i.space == memory_space::global && i.access_bytes == 4;
              }) == 1);
    }
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
    CHECK(complaint("tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f4, %f1, %f2, %f2}];")
              .find("a layer of type .s32") != std::string::npos);
    CHECK(complaint("tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%r1, %f1}];")
              .find("expected 4 coordinates in braces") != std::string::npos);
    CHECK(complaint("tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}], {%f1}, {%f2, %f3};")
              .find("expected 2 numbers in braces") != std::string::npos);
    CHECK(complaint("tex.5d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2}];").find("unknown form") !=
          std::string::npos);
    auto const refusal = [](std::string const& line) {
        return lower_error(module_of(".global .texref t;\n" + kernel_of(line)));
    };
    CHECK(refusal("tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2, %r3, %r3}];")
              .find("these modifiers do not go together") != std::string::npos);
    for (auto const* line :
         {"suld.b.2d.v4.b64.trap {%rd1, %rd2, %rd3, %rd4}, [t, {%r1, %r2}];",
          "suld.b.2d.b32 {%r1}, [t, {%r1, %r2}];", "sust.p.2d.b32.trap [t, {%r1, %r2}], {%r3};",
          "txq.width.b32 %r1, [t, {%r1}];", "txq.channel_order.b32 %r1, [t];"}) {
        INFO(line);
        CHECK(refusal(line).find("not supported") != std::string::npos);
    }
}
