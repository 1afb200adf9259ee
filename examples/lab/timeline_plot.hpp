#pragma once
// Pictures of timelines: what lab run --timeline has written.

#include <string>
#include <vector>

namespace lab {

// banks: which rows each bank of the DRAM had open, and what its reads and writes found; occupancy: what the warps of
// the cores did, and how many CTAs there were.
std::vector<std::string> timeline_kinds();
// As SVG. Throws `error` where the file is no timeline, or one without what is to be drawn.
std::string timeline_svg(std::string const& file, std::string const& kind);

} // namespace lab
