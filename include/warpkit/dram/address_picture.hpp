#pragma once
/// \file
/// A picture of an address map: which bit is what.

#include <warpkit/dram/address_mapping.hpp>

#include <cstdint>

namespace warpkit::dram {

/// Three lines that are read downwards, one column for each address bit in use: bit number (tens, ones), letter (D
/// channel, R row, B bank, C column) and, below, the place of the bit in its field; then, in words, what is divided or
/// hashed.
inline std::string picture(address_mapping const& map) {
    std::uint32_t bits = 64;
    while (bits > 1 && map.letter(bits - 1) == '0') --bits;
    std::string tens, ones, letters, places, high_places;
    bool two_digits = false;
    for (auto b = bits; b-- > 0;) {
        bool const gap = b % 8 == 7 && b + 1 != bits;
        for (auto* line : {&tens, &ones, &letters, &places, &high_places})
            if (gap) *line += ' ';
        auto const place = map.place(b);
        tens += static_cast<char>('0' + b / 10);
        ones += static_cast<char>('0' + b % 10);
        letters += map.letter(b);
        high_places += place >= 10 ? static_cast<char>('0' + place / 10) : ' ';
        places += static_cast<char>('0' + place % 10);
        two_digits |= place >= 10;
    }
    auto text = "bit    " + tens + "\n       " + ones + "\nfield  " + letters + "\nplace  " +
                (two_digits ? high_places + "\n       " : "") + places + '\n';
    auto const n = std::to_string(map.channels());
    auto const s = std::to_string(map.split_bit());
    if (map.divides())
        text += "channel = (address >> " + s + ") mod " + n + "; the letters describe ((address >> " + s +
                ") div " + n + ") << " + s + " | the " + s + " low bits\n";
    auto const hashed = [&](char const* what, std::uint32_t b, char const* how, std::uint64_t with) {
        if (with == 0) return;
        text += std::string(what) + " bit " + std::to_string(b) + ' ' + how + " address bits";
        for (std::uint32_t i = 0; i < 64; ++i)
            if ((with >> i & 1) != 0) text += ' ' + std::to_string(i);
        text += '\n';
    };
    auto const all = std::to_string(map.channels() * map.sub_partitions_per_channel());
    for (std::uint32_t b = 0; b < 8; ++b)
        if (map.skews())
            hashed("skew", b, "is the parity of", map.hashed_with(b));
        else
            hashed("sub-partition", b, "^=", map.hashed_with(b));
    if (map.folds()) text += "of which the remainder by " + all + " is taken\n";
    if (map.skews()) text += "which is added to the sub-partition, modulo " + all + "\n";
    for (std::uint32_t b = 0; b < 8; ++b) hashed("bank", b, "^=", map.bank_hashed_with(b));
    return text;
}

} // namespace warpkit::dram
