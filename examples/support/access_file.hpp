#pragma once
// Files of accesses, as the examples take them: an address (decimal or 0x...), a letter, and perhaps bytes and a warp,
// a line each; # begins a comment.

#include <warpkit/base/error.hpp>
#include <warpkit/base/input_file.hpp>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace examples {

struct access_record {
    std::uint64_t address = 0;
    std::size_t letter = 0; // its place among those that were asked for
    std::uint32_t bytes = 4, warp = 0;
};

// The lines as --help describes them.
inline std::string access_lines(std::string const& letters) {
    return "\nA line is an access: address (decimal or 0x...), " + letters +
           ",\nbytes (4 by default) and warp (0). # begins a comment.";
}

// Cut where blocks of `block` bytes end, if not 0. Throws `warpkit::error` with file and line on what is no access by
// one of these letters.
inline std::vector<access_record> read_accesses(std::string const& file, std::string const& letters,
                                                std::uint32_t block = 0) {
    std::istringstream in(warpkit::read_file(file));
    std::vector<access_record> all;
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        std::istringstream words(line.substr(0, line.find('#')));
        access_record a;
        std::string address;
        char letter = 0;
        if (!(words >> address)) continue;
        std::size_t end = 0;
        try {
            a.address = std::stoull(address, &end, 0);
        } catch (std::exception const&) {}
        bool const read = end == address.size() && address[0] != '-' && words >> letter &&
                          (a.letter = letters.find(letter)) != letters.npos &&
                          (words >> a.bytes || words.eof()) && (words >> a.warp || words.eof());
        if (!read || a.bytes == 0 || a.bytes > 4096 || a.warp > 63)
            throw warpkit::error(file + ':' + std::to_string(number) + ": '" + line +
                                 "' is no access; write an address, one of the letters " + letters +
                                 ", and perhaps bytes (1 to 4096) and warp (0 to 63), as in: 0x1000 R 128 3");
        for (auto const last = a.address + a.bytes; a.address < last; a.address += a.bytes) {
            if (block != 0)
                a.bytes = static_cast<std::uint32_t>(std::min(last - a.address, block - a.address % block));
            all.push_back(a);
        }
    }
    return all;
}

// 64-bit little-endian words, address * 2 + 1 for a write, which is letter 1.
inline std::vector<access_record> read_binary_accesses(std::string const& file) {
    std::istringstream in(warpkit::read_file(file, ~std::size_t{0} >> 1));
    std::vector<access_record> all;
    for (unsigned char b[8]; in.read(reinterpret_cast<char*>(b), 8);) {
        std::uint64_t word = 0;
        for (unsigned i = 8; i-- > 0;) word = word << 8 | b[i];
        all.push_back({word >> 1, word & 1});
    }
    return all;
}

} // namespace examples
