#include "kernels/host.hpp"
#include "sad.ptx.hpp"

#include <algorithm>
#include <cstdlib>

namespace warpkit::kernels::sad {
namespace {

constexpr parameter parameters[] = {
    {"width", "macroblocks", "of 16 x 16 pixels across the frame", 1, 11, 1, 120},
    {"height", "macroblocks", "of 16 x 16 pixels down the frame", 1, 9, 1, 68},
    seed,
};

constexpr int range = 16;             // pixels of displacement each way
constexpr int across = 2 * range + 1; // displacements
constexpr std::size_t padded = 1096;  // sums per block: 33 x 33, and some to spare
constexpr std::size_t shapes_before[] = {0, 1, 3, 5, 9, 17, 25, 41}; // blocks of larger shapes per macroblock

struct shape {
    int width, height; // pixels
};
constexpr shape shapes[] = {{16, 16}, {16, 8}, {8, 16}, {8, 8}, {8, 4}, {4, 8}, {4, 4}};

void run(device& d, values const& v) {
    auto const mb_width = v.u32("width");
    auto const mb_height = v.u32("height");
    auto const width = static_cast<int>(mb_width * 16);
    auto const height = static_cast<int>(mb_height * 16);
    auto const macroblocks = std::size_t{mb_width} * mb_height;
    random_numbers random(v["seed"]);
    auto const pixel = [](random_numbers& r) { return static_cast<std::uint16_t>(r.below(256)); };
    auto const frame = random.vector(macroblocks * 256, pixel);
    auto const reference = random.vector(macroblocks * 256, pixel);
    auto const at = [&](std::vector<std::uint16_t> const& image, int x, int y) {
        return static_cast<int>(image[static_cast<std::size_t>(std::clamp(y, 0, height - 1) * width +
                                                               std::clamp(x, 0, width - 1))]);
    };

    // Sums of the blocks of 4 x 4 first; those of the larger ones are made of them.
    std::vector<std::uint16_t> expected(shapes_before[7] * macroblocks * padded);
    auto const blocks_across = static_cast<std::size_t>(width) / 4;
    std::vector<std::uint16_t> small(blocks_across * static_cast<std::size_t>(height) / 4 * padded);
    for (int y = 0; y < height; y += 4)
        for (int x = 0; x < width; x += 4) {
            auto* const sums =
                &small[(static_cast<std::size_t>(y / 4) * blocks_across + static_cast<std::size_t>(x / 4)) *
                       padded];
            for (int p = 0; p < across * across; ++p) {
                int sum = 0;
                for (int i = 0; i < 16; ++i) {
                    auto const here = at(frame, x + i % 4, y + i / 4);
                    auto const there =
                        at(reference, x + i % 4 + p % across - range, y + i / 4 + p / across - range);
                    sum += std::abs(here - there);
                }
                sums[p] = static_cast<std::uint16_t>(sum);
            }
        }
    for (std::size_t s = 0; s < std::size(shapes); ++s) {
        auto const wide = static_cast<std::size_t>(shapes[s].width) / 4; // in blocks of 4 x 4
        auto const tall = static_cast<std::size_t>(shapes[s].height) / 4;
        auto* to = &expected[shapes_before[s] * macroblocks * padded];
        for (std::size_t m = 0; m < macroblocks; ++m)
            for (std::size_t y = 0; y < 4; y += tall)
                for (std::size_t x = 0; x < 4; x += wide, to += padded)
                    for (std::size_t i = 0; i < wide * tall; ++i) {
                        auto const row = m / mb_width * 4 + y + i / wide;
                        auto const column = m % mb_width * 4 + x + i % wide;
                        auto const* const from = &small[(row * blocks_across + column) * padded];
                        for (std::size_t p = 0; p < across * across; ++p)
                            to[p] = static_cast<std::uint16_t>(to[p] + from[p]);
                    }
    }

    auto const sums = d.allocate<std::uint16_t>(expected.size());
    auto const frame_device = d.upload(frame);
    auto const reference_device = d.upload(reference);
    dim3 const blocks{mb_width * 4, mb_height * 4};
    if (v.of().name == "sad_texture") {
        auto const texture = make_texture(d, reference_device,
                                          {.width = static_cast<std::uint32_t>(width),
                                           .height = static_cast<std::uint32_t>(height),
                                           .kind = texel_kind::unsigned_integer,
                                           .component_bytes = 2});
        d.launch("sad_4x4_texture", blocks, {61}, 0, frame_device, texture, sums, mb_width, mb_height);
    } else {
        d.launch("sad_4x4", blocks, {61}, 0, frame_device, reference_device, sums, mb_width, mb_height);
    }
    d.launch("sad_8", {mb_width, mb_height}, {32, 4}, 0, sums, mb_width, mb_height);
    d.launch("sad_16", {mb_width, mb_height}, {32}, 0, sums, mb_width, mb_height);
    // What lies behind the 33 x 33 sums is nobody's.
    auto found = d.download(sums);
    for (std::size_t i = 0; i < found.size(); ++i)
        if (i % padded >= static_cast<std::size_t>(across * across)) found[i] = 0;
    check_equal(v, "sums", found, expected);
}

constexpr paper_row rows[] = {{paper::owl, "SAD"}};

constexpr workload shipped[] = {
    {
        .name = "sad",
        .title = "sums of absolute differences for motion search, all block shapes",
        .origin = "sad (Parboil), but for its texture",
        .input = "two frames of uniform random pixels",
        .differs = "The reference frame is read through the L1, clamped by the kernel; Parboil reads it "
                   "as a texture. The full size is Parboil's default, a frame of 176 x 144.",
        .ptx = sad_ptx,
        .ptx_name = "sad.ptx",
        .parameters = parameters,
        .run = run,
    },
    {
        .name = "sad_texture",
        .title = "sums of absolute differences for motion search, the reference frame in a texture",
        .origin = "sad (Parboil)",
        .rows = rows,
        .input = "the frames of sad",
        .differs = "The full size is Parboil's default, a frame of 176 x 144.",
        .ptx = sad_ptx,
        .ptx_name = "sad.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::sad
