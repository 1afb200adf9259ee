#pragma once
/// \file
/// The numbers of the published machines. Each stands once: in the file of its generation, in preset_rows.hpp where
/// several have it in common, or, for DRAM, in dram/standards.hpp.

#include <warpkit/config/preset.hpp>
#include <warpkit/config/presets_before_volta.hpp>
#include <warpkit/config/presets_from_hopper.hpp>
#include <warpkit/config/presets_volta_to_ampere.hpp>

#include <vector>

namespace warpkit::preset_numbers {

/// All of them.
inline std::vector<preset const*> all() {
    return {&gtx480(), &gtx480_v3(), &gtx480_accelsim(), &elf(),     &owl(),
            &qv100(),  &titan_v(),   &rtx2060(),         &rtx3070(), &a100(),
            &h100(),   &h200(),      &rtx5090(),         &b200()};
}

} // namespace warpkit::preset_numbers
