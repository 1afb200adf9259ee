#pragma once
// Matrices of which half is stored, with metadata as CUTLASS has them (host_reorder.h, reorder_meta).

#include "matrix_numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ptx_test {

struct sparse_form {
    unsigned k;
    std::string types; ///< D, A, B, C
    unsigned chunk;    ///< columns of which half are stored
    unsigned together; ///< elements for one index
    unsigned selectors;
};
// A matrix of 16 rows of k, of which half is stored.
struct sparse_matrix {
    codes dense;
    std::vector<std::uint8_t> stored; ///< by rows and columns
    codes packed;                     ///< what is stored, chunk after chunk, in the order of the indices
    std::vector<std::vector<unsigned>> nibble; ///< of each row and chunk
};
inline sparse_matrix random_sparse(std::mt19937_64& random, sparse_form const& f, format const& fa,
                                   bool small, bool ordered) {
    sparse_matrix m{codes(16, f.k), std::vector<std::uint8_t>(std::size_t{16} * f.k), codes(16, f.k / 2), {}};
    auto const kept = f.chunk / 2;
    for (unsigned row = 0; row < 16; ++row) {
        m.nibble.emplace_back();
        for (unsigned chunk = 0; chunk < f.k / f.chunk; ++chunk) {
            unsigned first = static_cast<unsigned>(random() % 4);
            unsigned second = (first + 1 + static_cast<unsigned>(random() % 3)) % 4;
            if (ordered && first > second) std::swap(first, second);
            if (f.chunk == 2) {
                first = static_cast<unsigned>(random() % 2);
                m.nibble.back().push_back(first == 1 ? 0b1110 : 0b0100);
            } else {
                m.nibble.back().push_back(first | second << 2);
            }
            for (unsigned i = 0; i < kept; ++i) {
                auto const index = i / f.together == 0 ? first : second;
                auto const column = chunk * f.chunk + index * f.together + i % f.together;
                auto const code = random_code(random, fa, small);
                m.dense(row, column) = code;
                m.stored[row * f.k + column] = 1;
                m.packed(row, chunk * kept + i) = code;
            }
        }
    }
    return m;
}
// The word of metadata that each lane has; what is not chosen is rubbish.
inline std::vector<std::uint32_t> metadata_words(std::mt19937_64& random, sparse_form const& f,
                                                 unsigned bits_of_element,
                                                 std::vector<std::vector<unsigned>> const& nibble,
                                                 unsigned selector) {
    std::vector<std::uint32_t> words(32);
    for (auto& w : words) w = static_cast<std::uint32_t>(random());
    auto const chunks = f.k / f.chunk;
    for (unsigned row = 0; row < 16; ++row)
        for (unsigned chunk = 0; chunk < chunks; ++chunk) {
            unsigned const group = row % 8;
            unsigned lane = 0;
            unsigned bit = 0;
            if (bits_of_element >= 16) { // 16 bits of row g, then of row g + 8; the next 16 in the next lane
                lane = 4 * group + selector * (chunks / 4) + chunk / 4;
                bit = (row < 8 ? 0 : 16) + chunk % 4 * 4;
            } else { // 32 bits of row g, of row g + 8 in the next lane, the rest of both in the two behind
                lane = 4 * group + selector * (chunks / 4) + (row < 8 ? 0 : 1) + (chunk < 8 ? 0 : 2);
                bit = chunk % 8 * 4;
            }
            words[lane] &= ~(15U << bit);
            words[lane] |= nibble[row][chunk] << bit;
        }
    return words;
}

} // namespace ptx_test
