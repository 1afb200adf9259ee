#pragma once
/// \file
/// The warp schedulers of the catalogue (docs/reference/catalogue.md) as a list of types, their numbers known at run
/// time: for programs that choose one by its name.

#include <warpkit/base/number.hpp>
#include <warpkit/warp/schedulers.hpp>

namespace warpkit {

/// Any<all of them>, as in catalogue_of_schedulers<one_warp_scheduler>.
template <template <class...> class Any>
using catalogue_of_schedulers =
    Any<lrr, strict_round_robin, gto, gty, oldest, youngest, two_level_of<run_time>,
        two_level_any_stall_of<run_time>, two_level_active_of<run_time>, two_level_gpgpusim_of<run_time>,
        two_level_gpgpusim_compat_of<run_time>, static_wavefront_limit<run_time>, static_wavefront_limit_8,
        ccws_of<run_time>, daws_style_of<run_time>, cawa_style, baws, mascar_of<run_time, run_time>,
        producer_first, leader_first_of<run_time, run_time>, pingpong,
        cta_aware_of<run_time>, cta_aware_locality_of<run_time>, cta_aware_locality_blp_of<run_time>,
        cta_aware_locality_fair_of<run_time, run_time>, locality_aware_of<run_time>, elf_of<run_time>,
        elf_exact, elf_greedy_of<run_time>>;

} // namespace warpkit
