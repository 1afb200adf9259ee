#pragma once
/// \file
/// Signature-based hit prediction.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/cache/way_set.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// By what lines are told apart.
enum class ship_signature : std::uint8_t {
    instruction, ///< that brought the line in: SHiP-PC
    memory,      ///< region of 16 KiB that it lies in: SHiP-Mem
    warp         ///< slot of the warp that brought it in
};
inline constexpr parameter_word<ship_signature> ship_signature_words[] = {
    {"instruction", ship_signature::instruction},
    {"memory", ship_signature::memory},
    {"warp", ship_signature::warp}};

/// Lines are kept as SRRIP keeps them (srrip.hpp, 2 bits), but those are brought in as distant whose kind has been of
/// no use lately: a table of counters of 3 bits, one for each signature, goes up when a line is used for the first
/// time and down when one leaves that never was; a line whose counter is 0 is not expected to be used. So an
/// instruction that streams through memory does not drive out what others use again. Bits, of a signature, is fixed
/// by the template argument, or set by name: 1 to 16.
///
/// Source: Wu, Jaleel, Hasenplaugh, Martonosi, Steely and Emer, "SHiP: Signature-based Hit Predictor for High
/// Performance Caching", MICRO 2011, sections 3 and 4: SHiP-PC and SHiP-Mem over SRRIP, 14 bits, 16K counters. A
/// signature of the warp is ours.
/// Differs from the paper: a line counts as used once, however often it is (there each hit counts); counters begin at
/// 1 (there nothing is said), or nothing would be kept at first. A merge with a miss on its way, or another sector of
/// the line, is a use, as in srrip. An L2 is told no instruction: there all lines have one signature but for
/// SHiP-Mem.
template <ship_signature Signature = ship_signature::instruction, std::uint64_t Bits = run_time>
class ship_of {
    static_assert(Bits == run_time || (Bits >= 1 && Bits <= 16),
                  "warpkit: ship_of<Signature, Bits> needs 1 to 16 bits");

public:
    static constexpr char const* name() noexcept {
        return Signature == ship_signature::instruction ? "ship"
               : Signature == ship_signature::memory    ? "ship_mem"
                                                        : "ship_warp";
    }
    ship_of() = default;
    ship_of(std::uint32_t sets, std::uint32_t ways)
        : lines_(sets, ways),
          line_(std::size_t{sets} * ways),
          counter_(std::size_t{1} << bits_.get(), 1),
          ways_(ways) {}

    void used(std::uint32_t set, std::uint32_t way, line_use const&) noexcept {
        lines_.used(set, way);
        auto& l = line_[std::size_t{set} * ways_ + way];
        if (l.used) return;
        l.used = true;
        if (auto& c = counter_[l.signature]; c != most_) ++c;
    }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const& by) noexcept {
        left(set, way);
        lines_.inserted(set, way);
        auto& l = line_[std::size_t{set} * ways_ + way];
        l = {signature_of(by), true, false};
        if (counter_[l.signature] == 0) lines_.removed(set, way); // as one that is not there: distant
    }
    void removed(std::uint32_t set, std::uint32_t way) noexcept {
        left(set, way);
        lines_.removed(set, way);
    }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        return lines_.victim(set, eligible);
    }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"bits", "of a signature", 1, 16}, self.bits_);
        f(parameter{"signature", "by what lines are told apart"}, signature_, ship_signature_words);
    }
    /// All lines and counters are as good as new.
    void parameters_set() {
        counter_.assign(std::size_t{1} << bits_.get(), 1);
        for (auto& l : line_) l = {};
        lines_.parameters_set();
    }
    /// Of an L1 data cache.
    static constexpr hardware_cost_list hardware_cost(core_shape const& s) noexcept {
        constexpr unsigned bits = Bits == run_time ? 14 : static_cast<unsigned>(Bits);
        return hardware_cost_list()
            .add("prediction of each line", std::uint64_t{s.l1_lines} * 2)
            .add("signature and use of each line", std::uint64_t{s.l1_lines} * (bits + 1))
            .add("counters", std::uint64_t{3} << bits);
    }

    template <class F>
    void each_member(F&& f) const {
        f(bits_.get(), lines_, line_, counter_);
    }
    friend bool operator==(ship_of const&, ship_of const&) = default;

private:
    static constexpr std::uint8_t most_ = 7;
    static constexpr ship_signature signature_ = Signature;
    struct line {
        std::uint16_t signature = 0;
        bool here = false;
        bool used = false;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(signature, here, used);
        }
        friend bool operator==(line const&, line const&) = default;
    };
    std::uint16_t signature_of(line_use const& by) const noexcept {
        std::uint64_t const what = Signature == ship_signature::instruction ? by.pc
                                   : Signature == ship_signature::memory    ? by.address >> 14
                                                                            : by.warp.index();
        return static_cast<std::uint16_t>(what * 0x9e3779b97f4a7c15U >> (64 - bits_.get()));
    }
    /// The line there goes.
    void left(std::uint32_t set, std::uint32_t way) noexcept {
        auto& l = line_[std::size_t{set} * ways_ + way];
        if (l.here && !l.used && counter_[l.signature] != 0) --counter_[l.signature];
        l = {};
    }

    [[no_unique_address]] number<std::uint32_t, Bits> bits_{
        Bits == run_time ? 14 : static_cast<std::uint32_t>(Bits)};
    srrip lines_;
    std::vector<line> line_;            // by way within a set
    std::vector<std::uint8_t> counter_; // by signature
    std::uint32_t ways_ = 0;
};
using ship = ship_of<ship_signature::instruction, 14>;
using ship_mem = ship_of<ship_signature::memory, 14>;
using ship_warp = ship_of<ship_signature::warp, 14>;

} // namespace warpkit
