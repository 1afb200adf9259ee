#include "kernels/host.hpp"
#include "store_gpu.ptx.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace warpkit::kernels::store_gpu {
namespace {

constexpr parameter parameters[] = {
    {"chunks", "chunks", "of data, a thread each", 500, 49152, 1, 1u << 20},
    {"blocks", "blocks", "of 64 bytes in each chunk", 2, 8, 1, 1024},
    seed,
};

using digest = std::array<std::uint32_t, 4>;

// RFC 1321, section 3, for messages of whole 32-bit words.
digest md5(std::uint32_t const* message, std::size_t words) {
    std::vector<std::uint32_t> padded(message, message + words);
    padded.push_back(0x80);
    while (padded.size() % 16 != 14) padded.push_back(0);
    padded.push_back(static_cast<std::uint32_t>(words * 32));
    padded.push_back(0);
    constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    digest state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    for (std::size_t block = 0; block < padded.size(); block += 16) {
        auto [a, b, c, d] = state;
        for (std::uint32_t i = 0; i < 64; ++i) {
            std::uint32_t f = 0, k = 0;
            switch (i / 16) {
            case 0:
                f = (b & c) | (~b & d);
                k = i;
                break;
            case 1:
                f = (b & d) | (c & ~d);
                k = 5 * i + 1;
                break;
            case 2:
                f = b ^ c ^ d;
                k = 3 * i + 5;
                break;
            default:
                f = c ^ (b | ~d);
                k = 7 * i;
                break;
            }
            auto const sine = static_cast<std::uint32_t>(std::floor(std::abs(std::sin(i + 1.0)) * 0x1p32));
            auto const next = b + std::rotl(a + f + padded[block + k % 16] + sine, shifts[i / 16][i % 4]);
            a = d;
            d = c;
            c = b;
            b = next;
        }
        state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
    }
    return state;
}

void run(device& d, values const& v) {
    auto const chunks = v.u32("chunks");
    auto const blocks = v.u32("blocks");
    random_numbers random(v["seed"]);
    auto const data = random.vector(std::size_t{chunks} * blocks * 16,
                                    [](random_numbers& r) { return static_cast<std::uint32_t>(r.next()); });
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < chunks; ++i) {
        auto const one = md5(&data[i * blocks * 16], std::size_t{blocks} * 16);
        expected.insert(expected.end(), one.begin(), one.end());
    }

    auto const digests = d.allocate<std::uint32_t>(expected.size());
    d.launch("store_gpu", {ceil_div(chunks, 128)}, {128}, 0, d.upload(data), digests, chunks, blocks);
    check_equal(v, "digests", d.download(digests), expected);
}

constexpr paper_row rows[] = {{paper::owl, "STO"}};

constexpr workload shipped[] = {{
    .name = "store_gpu",
    .title = "MD5 digests of many chunks of data, a chunk per thread, through shared memory",
    .origin = "StoreGPU (GPGPU-Sim's set, ISPASS 2009; Al-Kiswany et al., HPDC 2008)",
    .rows = rows,
    .input = "random data",
    .differs = "Direct hashing only, where StoreGPU hashes sliding windows as well. The full size has "
               "GPGPU-Sim's 384 CTAs "
               "of 128 threads, each with 512 bytes.",
    .ptx = store_gpu_ptx,
    .ptx_name = "store_gpu.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::store_gpu
