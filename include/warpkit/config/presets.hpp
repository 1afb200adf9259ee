#pragma once
/// \file
/// Published machines: numbers with their provenance (config/preset_numbers.hpp) and the policies that they run.

#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/warp/lrr.hpp>

namespace warpkit::presets {

namespace detail {

struct gtx480_numbers {
    static preset const& numbers() { return preset_numbers::gtx480(); }
};
struct gtx480_v3_numbers {
    static preset const& numbers() { return preset_numbers::gtx480_v3(); }
};
struct gtx480_accelsim_numbers {
    static preset const& numbers() { return preset_numbers::gtx480_accelsim(); }
};
struct elf_numbers {
    static preset const& numbers() { return preset_numbers::elf(); }
};
struct owl_numbers {
    static preset const& numbers() { return preset_numbers::owl(); }
};

} // namespace detail

/// GeForce GTX 480 with the values of GPGPU-Sim 4.x.
using gtx480 = standard_machine<detail::gtx480_numbers>;

/// gtx480 as Accel-Sim ran it on traces (docs/model/machines.md#accelsim-gtx480).
using gtx480_accelsim = standard_machine<detail::gtx480_accelsim_numbers>;

/// GeForce GTX 480 with the values of GPGPU-Sim 3.2.x: there a store that misses the L2 fetches the line.
using gtx480_v3 = standard_machine<detail::gtx480_v3_numbers>::with<
    use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::write_and_fetch>>>>;

/// ELF's machine (SC 2015, table 1): gtx480_v3 with other caches for instructions and at the L2.
using elf = standard_machine<detail::elf_numbers>::with<
    use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::write_and_fetch>>>>;

/// OWL's 28-core machine (ASPLOS 2013, table 1). Its L1 writes back all data. Round-robin among ready warps.
using owl = standard_machine<detail::owl_numbers>::with<
    use::warp_scheduler<lrr>,
    use::l1d<cache<linear_index, lru, on_miss, write_back<write_miss::fetch_on_write>>>,
    use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::fetch_on_write>>>,
    use::network<mesh_network>>;

} // namespace warpkit::presets
