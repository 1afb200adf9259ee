#pragma once

#include <warpkit/warp/greedy_then.hpp>
#include <warpkit/warp/nearest_load.hpp>

namespace warpkit {

/// Earliest load first (ELF; Park, Park and Mahlke, SC 2015): 32 program points, 8 bits per warp, marked recalculation.
/// The paper's highest-priority warp "will continue to issue instructions until it issues the next memory operation":
/// nearest_load is greedy just so far by itself, because each issue takes its warp one nearer.
/// The fetch half is fetch::interleaved<elf>, its prefetch fetch::next_line.
using elf = nearest_load<>;
template <>
inline constexpr char const* common_name<elf> = "elf";

/// With its numbers set by name: elf_of<run_time>.
template <auto Options>
using elf_of = nearest_load<Options>;
template <>
inline constexpr char const* common_name<elf_of<run_time>> = "elf";

/// ELF with greed beyond the load: the last issuer goes on for as long as it can, as in greedy-then-oldest.
using elf_greedy = greedy_then<elf>;
template <>
inline constexpr char const* common_name<elf_greedy> = "elf_greedy";
template <auto Options>
using elf_greedy_of = greedy_then<elf_of<Options>>;
template <>
inline constexpr char const* common_name<elf_greedy_of<run_time>> = "elf_greedy";

/// The numbers of program points of the paper's figure 9 (a).
using elf_16 = nearest_load<program_point_options{.slots = 16}>;
template <>
inline constexpr char const* common_name<elf_16> = "elf_16";
using elf_48 = nearest_load<program_point_options{.slots = 48}>;
template <>
inline constexpr char const* common_name<elf_48> = "elf_48";
using elf_unlimited = nearest_load<program_point_options{.slots = unlimited_points}>;
template <>
inline constexpr char const* common_name<elf_unlimited> = "elf_unlimited";

/// Unlimited points, and each warp's distance calculated at each instruction: what ELF's hardware approximates.
using elf_exact = nearest_load<program_point_options{.slots = unlimited_points}, recalculation::exact>;
template <>
inline constexpr char const* common_name<elf_exact> = "elf_exact";

} // namespace warpkit
