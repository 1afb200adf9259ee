#pragma once
/// \file
/// Banks of the register file, and when each was written to (docs/model/operands.md).
///
/// In the reference: what `operand_collector` (reference/operand_collector.hpp) and `read_stages`
/// (reference/read_stages.hpp) know of banks.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstdint>

namespace warpkit {

/// The banks of a core that has any: each takes one result a cycle. A sub-core has its share of them.
class register_banks {
public:
    register_banks() = default;
    [[gnu::cold]] explicit register_banks(core_numbers const& n)
        : share_(n.register_banks / n.sub_cores),
          sub_cores_(n.sub_cores),
          skew_(has_collectors(n) ? 1 : 0),
          written_(n.register_banks, never) {}

    std::uint8_t bank_of(warp_slot w, register_id r) const noexcept {
        return static_cast<std::uint8_t>((r + skew_ * w.index()) % share_ + w.index() % sub_cores_ * share_);
    }
    /// Whether each bank that `w` writes to has not been written to in this cycle.
    bool can_write(cycle now, warp_slot w, instruction_details const& more) const noexcept {
        for (unsigned k = 0; k < more.results; ++k)
            if (written(bank_of(w, more.result[k]), now)) return false;
        return true;
    }
    void write(cycle now, warp_slot w, instruction_details const& more) noexcept {
        for (unsigned k = 0; k < more.results; ++k) written_[bank_of(w, more.result[k])] = now;
    }
    /// Whether the bank has been written to in this cycle.
    bool written(unsigned bank, cycle now) const noexcept { return written_[bank] == now; }

    WARPKIT_STORED_MEMBERS(4)
    friend bool operator==(register_banks const&, register_banks const&) = default;

private:
    unsigned share_ = 1; ///< of a sub-core, of the banks
    unsigned sub_cores_ = 1;
    unsigned skew_ = 0;         ///< banks from a warp's first one to the next warp's
    heap_array<cycle> written_; ///< by bank, when last
};

} // namespace warpkit
