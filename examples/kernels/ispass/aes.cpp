#include "aes.ptx.hpp"
#include "kernels/host.hpp"

#include <array>
#include <bit>

namespace warpkit::kernels::aes {
namespace {

constexpr parameter parameters[] = {
    {"blocks", "blocks", "of 16 bytes, to encrypt", 1344, 16448, 1, 1u << 20},
    {"key", "bits", "of the key: 128, 192 or 256", 128, 128, 128, 256},
    seed,
};

using byte = std::uint8_t;
using block = std::array<byte, 16>; // column after column

// FIPS 197, section 4.2: products in GF(2^8).
constexpr byte times(byte a, byte b) {
    unsigned product = 0;
    for (unsigned x = a, bit = 0; bit < 8; ++bit, x = x << 1 ^ (x & 128 ? 0x11b : 0))
        if (b >> bit & 1) product ^= x;
    return static_cast<byte>(product);
}

// Section 5.1.1: the inverse, then an affine map of its bits.
std::array<byte, 256> substitutes() {
    std::array<byte, 256> s{};
    for (unsigned x = 0; x < 256; ++x) {
        byte inverse = 0;
        for (unsigned y = 1; y < 256 && x != 0; ++y)
            if (times(static_cast<byte>(x), static_cast<byte>(y)) == 1) inverse = static_cast<byte>(y);
        s[x] = static_cast<byte>(inverse ^ std::rotl(inverse, 1) ^ std::rotl(inverse, 2) ^
                                 std::rotl(inverse, 3) ^ std::rotl(inverse, 4) ^ 0x63);
    }
    return s;
}

// Section 5.2, in bytes: four for each column of each round.
std::vector<byte> expanded(std::vector<byte> key, std::size_t rounds, std::array<byte, 256> const& s) {
    auto const words = key.size() / 4;
    byte constant = 1;
    for (auto i = words; i < 4 * (rounds + 1); ++i) {
        std::array<byte, 4> last{};
        for (std::size_t b = 0; b < 4; ++b) last[b] = key[4 * i - 4 + b];
        if (i % words == 0) {
            last = {static_cast<byte>(s[last[1]] ^ constant), s[last[2]], s[last[3]], s[last[0]]};
            constant = times(constant, 2);
        } else if (words > 6 && i % words == 4) {
            for (auto& b : last) b = s[b];
        }
        for (std::size_t b = 0; b < 4; ++b)
            key.push_back(static_cast<byte>(key[4 * (i - words) + b] ^ last[b]));
    }
    return key;
}

// Section 5.1.
block encrypted(block state, std::vector<byte> const& keys, std::size_t rounds,
                std::array<byte, 256> const& s) {
    auto const add_key = [&](std::size_t round) {
        for (std::size_t b = 0; b < 16; ++b) state[b] ^= keys[16 * round + b];
    };
    add_key(0);
    for (std::size_t round = 1; round <= rounds; ++round) {
        block shifted{};
        for (std::size_t column = 0; column < 4; ++column)
            for (std::size_t row = 0; row < 4; ++row)
                shifted[4 * column + row] = s[state[4 * ((column + row) % 4) + row]];
        state = shifted;
        if (round < rounds)
            for (std::size_t column = 0; column < 4; ++column)
                for (std::size_t row = 0; row < 4; ++row)
                    state[4 * column + row] = static_cast<byte>(
                        times(shifted[4 * column + row], 2) ^ times(shifted[4 * column + (row + 1) % 4], 3) ^
                        shifted[4 * column + (row + 2) % 4] ^ shifted[4 * column + (row + 3) % 4]);
        add_key(round);
    }
    return state;
}

void run(device& d, values const& v) {
    auto const blocks = v.u32("blocks");
    if (v["key"] % 64 != 0)
        throw error("aes.key = " + std::to_string(v["key"]) + " is impossible: it must be 128, 192 or 256");
    auto const rounds = static_cast<std::size_t>(v["key"] / 32 + 6);
    random_numbers random(v["seed"]);
    auto const any = [](random_numbers& r) { return static_cast<byte>(r.below(256)); };
    auto const s = substitutes();
    auto const keys = expanded(random.vector(v["key"] / 8, any), rounds, s);
    auto const in = random.vector(blocks, [&](random_numbers& r) {
        block one{};
        for (auto& b : one) b = any(r);
        return one;
    });
    std::vector<block> expected;
    for (auto const& one : in) expected.push_back(encrypted(one, keys, rounds, s));

    std::vector<std::uint32_t> tables;
    for (int column = 0; column < 4; ++column)
        for (auto const x : s) {
            auto const products = times(x, 2) | std::uint32_t{x} << 8 | std::uint32_t{x} << 16 |
                                  std::uint32_t{times(x, 3)} << 24;
            tables.push_back(std::rotl(products, 8 * column));
        }
    d.write_symbol("tables", tables);
    auto const key_device = d.upload(keys);
    auto const key = make_texture(d, key_device,
                                  {.width = static_cast<std::uint32_t>(keys.size() / 4),
                                   .kind = texel_kind::unsigned_integer,
                                   .outside = {texture_address_mode::border}});
    auto const out = d.allocate<block>(blocks);
    d.launch("aes", {ceil_div(blocks, 64)}, {256}, 0, d.upload(in), out, key, blocks * 4,
             static_cast<std::int32_t>(rounds));
    auto const found = d.download(out);
    std::vector<byte> found_bytes, expected_bytes;
    for (std::size_t i = 0; i < blocks; ++i) {
        found_bytes.insert(found_bytes.end(), found[i].begin(), found[i].end());
        expected_bytes.insert(expected_bytes.end(), expected[i].begin(), expected[i].end());
    }
    check_equal(v, "bytes", found_bytes, expected_bytes);
}

constexpr paper_row rows[] = {{paper::owl, "AES"}};

constexpr workload shipped[] = {{
    .name = "aes",
    .title = "AES encryption: tables in constant memory, the key in a texture, the state in shared memory",
    .origin = "AES (GPGPU-Sim's set, ISPASS 2009; by Manavski)",
    .rows = rows,
    .input = "random bytes and a random key",
    .differs = "The full size is GPGPU-Sim's, 257 CTAs of 256 threads for a picture of 256 KB, with a key of "
               "128 bits. "
               "Blocks are encrypted each for itself (ECB).",
    .ptx = aes_ptx,
    .ptx_name = "aes.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::aes
