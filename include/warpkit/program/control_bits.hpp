#pragma once
/// \file
/// What the compiler tells the issue stage of a current NVIDIA core with each instruction
/// (docs/model/issue.md#control-bits).

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// The control bits of one instruction; `given` is false where there are none, and the scoreboard decides.
/// Source: Huerta et al. 2025, and the layout that their decoder reads (docs/model/issue.md#control-bits).
struct control_bits {
    static constexpr unsigned counters = 6;
    static constexpr std::uint8_t no_counter = 7;

    bool given = false;
    bool yield = false;                      ///< the warp does not issue in the next cycle
    std::uint8_t stall = 0;                  ///< cycles until the warp's next instruction may issue, 0 to 15
    std::uint8_t write_counter = no_counter; ///< up at issue, down when the result is written
    std::uint8_t read_counter = no_counter;  ///< up at issue, down when the operands have been read
    std::uint8_t wait_mask = 0;              ///< bit i: issue only when counter i is 0
    std::uint8_t threshold_counter = no_counter; ///< issue only when this one is at most ...
    std::uint8_t threshold = 0;                  ///< ... so high, 0 to 63: DEPBAR.LE
    std::uint8_t reuse =
        0; ///< bit i: operand i is kept in the register-file cache; also where nothing else is given

    /// Cycles until the warp may issue again. Yield without a stall is a long pause (docs/model/issue.md#control-bits).
    constexpr std::uint32_t pause() const noexcept {
        if (stall == 0 && yield) return 46;
        std::uint32_t const least = yield ? 2 : 1;
        return stall > least ? stall : least;
    }

    friend bool operator==(control_bits const&, control_bits const&) = default;
};

/// From the word in which instructions carry them: stall in bits 0 to 3, yield in bit 4 (0: yields), write counter from
/// bit 5, read counter from bit 8, wait mask in bits 11 to 16, reuse in bits 17 to 20. Behind them are what DEPBAR has
/// for operands [ours]: its counter in bits 21 to 23, inverted, so that 0 is none, and its threshold in bits 24 to 29.
constexpr control_bits decode_control(std::uint32_t word) noexcept {
    control_bits c;
    c.given = true;
    c.stall = word & 15;
    c.yield = (word >> 4 & 1) == 0;
    c.write_counter = word >> 5 & 7;
    c.read_counter = word >> 8 & 7;
    c.wait_mask = word >> 11 & 63;
    c.reuse = word >> 17 & 15;
    c.threshold_counter = ~word >> 21 & 7;
    c.threshold = word >> 24 & 63;
    return c;
}
/// The word for these bits.
constexpr std::uint32_t encode_control(control_bits const& c) noexcept {
    return (c.stall & 15U) | (c.yield ? 0U : 16U) | (c.write_counter & 7U) << 5 | (c.read_counter & 7U) << 8 |
           (c.wait_mask & 63U) << 11 | (c.reuse & 15U) << 17 | ((c.threshold_counter & 7U) ^ 7U) << 21 |
           (c.threshold & 63U) << 24;
}

/// Bits of such a word.
inline constexpr unsigned control_word_bits = 30;

} // namespace warpkit
