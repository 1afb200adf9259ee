#pragma once
/// \file
/// Published machines: numbers with their provenance (config/preset_numbers.hpp) and the policies that they run.

#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/ipoly_index.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/cache/xor_index.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/lsu/sectored_coalescing.hpp>
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
struct qv100_numbers {
    static preset const& numbers() { return preset_numbers::qv100(); }
};
struct titan_v_numbers {
    static preset const& numbers() { return preset_numbers::titan_v(); }
};
struct rtx2060_numbers {
    static preset const& numbers() { return preset_numbers::rtx2060(); }
};
struct rtx3070_numbers {
    static preset const& numbers() { return preset_numbers::rtx3070(); }
};
struct a100_numbers {
    static preset const& numbers() { return preset_numbers::a100(); }
};
struct h100_numbers {
    static preset const& numbers() { return preset_numbers::h100(); }
};
struct h200_numbers {
    static preset const& numbers() { return preset_numbers::h200(); }
};
struct rtx5090_numbers {
    static preset const& numbers() { return preset_numbers::rtx5090(); }
};
struct b200_numbers {
    static preset const& numbers() { return preset_numbers::b200(); }
};

/// What Accel-Sim's machines from Volta on have in common: sectored coalescing, an L1 that writes through and fetches
/// lazily, and a hash of the L2's sets.
template <class Numbers, class L2Index = ipoly_index>
using accelsim_machine = typename standard_machine<Numbers>::template with<
    use::warp_scheduler<lrr>, use::coalescer<sectored_coalescing>,
    use::l1d<cache<linear_index, lru, on_miss, write_through<write_miss::lazy_fetch>>>,
    use::l2<cache<L2Index, lru, on_miss, write_back<write_miss::lazy_fetch>>>>;

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

/// Volta, Turing and Ampere as Accel-Sim's tested configurations have them, for traces. Loose round-robin, as they say.
using qv100 = detail::accelsim_machine<detail::qv100_numbers>;
using titan_v = detail::accelsim_machine<detail::titan_v_numbers>;
using rtx2060 = detail::accelsim_machine<detail::rtx2060_numbers>;
using rtx3070 = detail::accelsim_machine<detail::rtx3070_numbers>;

/// The A100, as proposed for Accel-Sim: its L2 slices have 256 sets, which XOR is for.
using a100 = detail::accelsim_machine<detail::a100_numbers, xor_index>;

/// Hopper and Blackwell: what Accel-Sim's machines have in every seat, with their numbers. Slices have 128 or 256 sets.
using h100 = detail::accelsim_machine<detail::h100_numbers, xor_index>;
using h200 = detail::accelsim_machine<detail::h200_numbers, xor_index>;
using rtx5090 = detail::accelsim_machine<detail::rtx5090_numbers, xor_index>;
using b200 = detail::accelsim_machine<detail::b200_numbers, xor_index>;

} // namespace warpkit::presets

#ifdef WARPKIT_COMPILED
namespace warpkit::detail {
extern template gpu_parameters numbers_of<presets::detail::gtx480_numbers>();
}
#endif
