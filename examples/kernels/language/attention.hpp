#pragma once
/// \file
/// What the kernels of attention of many tokens share on the host: input, and the check.

#include "kernels/language/halves.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::kernels::attention {

/// Defaults of a parameter, as `parameter` has them.
struct defaults {
    std::uint64_t small;
    std::uint64_t full;
};
/// What run() reads, for kernels whose tiles have 64 or 128 rows, two of them at the small size.
constexpr std::array<parameter, 6> inputs(std::uint64_t rows, defaults sequences, defaults heads,
                                          defaults key_heads) {
    auto const whole_tiles = rows == 64 ? parameter::rule::multiple_of_64 : parameter::rule::multiple_of_128;
    return {{
        {"sequences", "sequences", "of a batch", sequences.small, sequences.full, 1, 1024},
        {"heads", "heads", "of queries", heads.small, heads.full, 1, 128},
        {"key_heads", "heads", "of keys and values; the heads are a multiple", key_heads.small,
         key_heads.full, 1, 128},
        {"tokens", "tokens", "of a sequence", 2 * rows, 1024, rows, 16384, whole_tiles},
        {"causal", "", "1: a token attends to none behind it; 0: to all", 1, 1, 0, 1},
        seed,
    }};
}

/// Tensors of [sequence][token][head][element].
struct input {
    std::uint32_t sequences;
    std::uint32_t tokens;
    std::uint32_t heads;
    std::uint32_t key_heads;
    std::uint32_t dim;
    std::vector<halves::half> q;
    std::vector<halves::half> k;
    std::vector<halves::half> v;

    double scale() const { return 1 / std::sqrt(static_cast<double>(dim)); }
    float scale_to_base_2() const { return static_cast<float>(scale() / std::log(2.0)); }
};

/// Throws error unless `found` is softmax(q k' / sqrt(dim)) v. The kernels round shares of the softmax, of which the
/// greatest is 1, and out to half precision.
inline void check(values const& v, input const& in, bool causal, std::vector<halves::half> const& found) {
    auto const q = halves::doubles_of(in.q);
    auto const k = halves::doubles_of(in.k);
    auto const values_of = halves::doubles_of(in.v);
    std::size_t const dim = in.dim;
    std::vector<double> shares(in.tokens);
    std::vector<double> expected(dim);
    for (std::size_t sequence = 0; sequence < in.sequences; ++sequence)
        for (std::size_t head = 0; head < in.heads; ++head)
            for (std::size_t token = 0; token < in.tokens; ++token) {
                auto const first = sequence * in.tokens;
                auto const row = [&](std::size_t other) {
                    return ((first + other) * in.key_heads + head / (in.heads / in.key_heads)) * dim;
                };
                auto const own = ((first + token) * in.heads + head) * dim;
                auto const seen = causal ? token + 1 : std::size_t{in.tokens};
                double greatest = -1e300;
                for (std::size_t other = 0; other < seen; ++other) {
                    double dot[4] = {};
                    auto const* const a = &q[own];
                    auto const* const b = &k[row(other)];
                    for (std::size_t i = 0; i < dim; i += 4)
                        for (std::size_t j = 0; j < 4; ++j) dot[j] += a[i + j] * b[i + j];
                    shares[other] = (dot[0] + dot[1] + dot[2] + dot[3]) * in.scale();
                    greatest = std::max(greatest, shares[other]);
                }
                double sum = 0;
                std::fill(expected.begin(), expected.end(), 0.0);
                for (std::size_t other = 0; other < seen; ++other) {
                    auto const share = std::exp(shares[other] - greatest);
                    sum += share;
                    auto const* const b = &values_of[row(other)];
                    for (std::size_t i = 0; i < dim; ++i) expected[i] += share * b[i];
                }
                for (std::size_t i = 0; i < dim; ++i)
                    halves::check_number(v, "out", own + i, halves::double_of(found[own + i]),
                                         expected[i] / sum, halves::rounding, 0x1p-11);
            }
}

/// Makes the input by the workload's parameters, has `launch` (input const&) compute the output, and checks it.
template <class Launch>
void run(values const& v, std::uint32_t dim, Launch const& launch) {
    input in;
    in.sequences = v.u32("sequences");
    in.tokens = v.u32("tokens");
    in.heads = v.u32("heads");
    in.key_heads = v.u32("key_heads");
    in.dim = dim;
    if (in.heads % in.key_heads != 0)
        throw error(std::string(v.of().name) + ".heads = " + std::to_string(in.heads) +
                    " is impossible: it must be a multiple of key_heads, " + std::to_string(in.key_heads));
    random_numbers random(v["seed"]);
    auto const tokens = std::size_t{in.sequences} * in.tokens;
    in.q = halves::random_halves(random, tokens * in.heads * dim, 8);
    in.k = halves::random_halves(random, tokens * in.key_heads * dim);
    in.v = halves::random_halves(random, tokens * in.key_heads * dim);
    check(v, in, v["causal"] != 0, launch(in));
}

} // namespace warpkit::kernels::attention
