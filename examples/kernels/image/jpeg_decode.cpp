#include "jpeg_decode.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>
#include <cmath>

namespace warpkit::kernels::jpeg_decode {
namespace {

constexpr parameter parameters[] = {
    {"width", "pixels", "across the image", 64, 1536, 16, 8192, parameter::rule::multiple_of_16},
    {"height", "pixels", "down the image", 48, 1536, 16, 8192, parameter::rule::multiple_of_16},
    seed,
};

// ITU-T T.81, tables K.1 and K.2.
constexpr int quantisation[2][64] = {
    {16, 11,  10,  16, 24, 40, 51, 61, 12,  12,  14,  19,  26, 58, 60, 55,  14,  13,  16,  24, 40, 57,
     69, 56,  14,  17, 22, 29, 51, 87, 80,  62,  18,  22,  37, 56, 68, 109, 103, 77,  24,  35, 55, 64,
     81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98,  112, 100, 103, 99},
    {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
     99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99},
};

struct plane {
    std::uint32_t width, height;
    std::size_t table;
    std::vector<std::int16_t> coefficients; // block by block
    std::vector<std::uint8_t> samples;
};

// A bright or dark block with few, low frequencies, as a picture has.
plane make_plane(std::uint32_t width, std::uint32_t height, std::size_t table,
                 std::vector<std::int32_t> const& cosines, random_numbers& random) {
    plane p{width, height, table, {}, std::vector<std::uint8_t>(std::size_t{width} * height)};
    for (std::uint32_t by = 0; by < height / 8; ++by)
        for (std::uint32_t bx = 0; bx < width / 8; ++bx) {
            std::int32_t c[64]{};
            for (int i = 0; i < 64; ++i) {
                auto const frequency = static_cast<std::uint32_t>(i % 8 + i / 8);
                auto const reach = (i == 0 ? 1000 : 400 / (1 + frequency * frequency)) /
                                   static_cast<std::uint32_t>(quantisation[table][i]);
                auto const level =
                    static_cast<std::int32_t>(random.below(2 * reach + 1)) - static_cast<std::int32_t>(reach);
                p.coefficients.push_back(static_cast<std::int16_t>(level));
                c[i] = level * quantisation[table][i];
            }
            std::int32_t rows[64];
            for (std::size_t y = 0; y < 8; ++y)
                for (std::size_t x = 0; x < 8; ++x) {
                    std::int32_t sum = 1 << 8;
                    for (std::size_t u = 0; u < 8; ++u) sum += c[y * 8 + u] * cosines[x * 8 + u];
                    rows[y * 8 + x] = sum >> 9;
                }
            for (std::size_t y = 0; y < 8; ++y)
                for (std::size_t x = 0; x < 8; ++x) {
                    std::int32_t sum = 1 << 14;
                    for (std::size_t u = 0; u < 8; ++u) sum += rows[u * 8 + x] * cosines[y * 8 + u];
                    p.samples[(by * 8 + y) * width + bx * 8 + x] =
                        static_cast<std::uint8_t>(std::clamp((sum >> 15) + 128, 0, 255));
                }
        }
    return p;
}

void run(device& d, values const& v) {
    auto const width = v.u32("width");
    auto const height = v.u32("height");
    random_numbers random(v["seed"]);
    auto const pi = std::acos(-1.0);
    std::vector<std::int32_t> cosines;
    for (int x = 0; x < 8; ++x)
        for (int u = 0; u < 8; ++u)
            cosines.push_back(static_cast<std::int32_t>(
                std::lround(4096 * (u == 0 ? std::sqrt(0.125) : 0.5 * std::cos((2 * x + 1) * u * pi / 16)))));
    plane const planes[] = {make_plane(width, height, 0, cosines, random),
                            make_plane(width / 2, height / 2, 1, cosines, random),
                            make_plane(width / 2, height / 2, 1, cosines, random)};
    std::vector<std::uint8_t> expected;
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            auto const sample = [&](std::size_t p) {
                auto const half = p == 0 ? 1u : 2u;
                return std::int32_t{planes[p].samples[std::size_t{y / half} * planes[p].width + x / half]};
            };
            auto const light = sample(0) * 65536;
            auto const b = sample(1) - 128;
            auto const r = sample(2) - 128;
            for (auto const colour : {light + 91881 * r, light - 22554 * b - 46802 * r, light + 116130 * b})
                expected.push_back(static_cast<std::uint8_t>(std::clamp((colour + 32768) >> 16, 0, 255)));
        }

    std::vector<std::int32_t> tables(std::begin(quantisation[0]), std::end(quantisation[0]));
    tables.insert(tables.end(), std::begin(quantisation[1]), std::end(quantisation[1]));
    d.write_symbol("cosines", cosines);
    d.write_symbol("quantisation", tables);
    device_array<std::uint8_t> samples[3];
    for (std::size_t p = 0; p < 3; ++p) {
        auto const& [w, h, table, coefficients, expected_samples] = planes[p];
        samples[p] = d.allocate<std::uint8_t>(expected_samples.size());
        d.launch("jpeg_transform", {ceil_div(w, 32), h / 8}, {8, 8, 4}, 0, d.upload(coefficients), samples[p],
                 w, static_cast<std::int32_t>(table));
        check_equal(v, "plane " + std::to_string(p), d.download(samples[p]), expected_samples);
    }
    auto const rgb = d.allocate<std::uint8_t>(expected.size());
    d.launch("jpeg_colour", {ceil_div(width / 4, 32), ceil_div(height, 4)}, {32, 4}, 0, samples[0],
             samples[1], samples[2], rgb, width, height);
    check_equal(v, "rgb", d.download(rgb), expected);
}

constexpr paper_row rows[] = {{paper::owl, "JPEG"}};

constexpr workload shipped[] = {{
    .name = "jpeg_decode",
    .title = "JPEG decoding after the entropy code: dequantised, transformed back, turned into colours",
    .origin = "JPEG decoding of OWL's third-party applications",
    .rows = rows,
    .input = "random coefficients, large where frequencies are low",
    .differs = "OWL names neither source nor image. Huffman decoding is the host's part; chroma is halved "
               "each way; the "
               "full size is 1536 x 1536, 14 MB of coefficients, planes and colours.",
    .ptx = jpeg_decode_ptx,
    .ptx_name = "jpeg_decode.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::jpeg_decode
