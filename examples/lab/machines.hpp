#pragma once
// What each part of the catalogue is made of: a preset with a scheduler, under each DRAM scheduler.

#include <warpkit/config/presets.hpp>
#include <warpkit/config/sweep.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/warp/schedulers.hpp>

#include <vector>

namespace lab {

// The policies of a preset's memory under a DRAM scheduler.
template <class Preset, class Dram>
using memory = typename Preset::template with<warpkit::use::dram_scheduler<Dram>>::policies::memory;

template <class Preset, class Scheduler>
void append(std::vector<warpkit::sweep_point>& points) {
    using namespace warpkit;
    for (auto& point : sweep<Preset, choose<use::warp_scheduler, Scheduler>,
                             choose<use::dram_scheduler, dram::fr_fcfs, dram::fcfs>>())
        points.push_back(point);
}

} // namespace lab
