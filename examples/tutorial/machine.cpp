// A machine of one's own: another one's numbers where nothing else is said, and policies in the seats that differ.

#include <warpkit/cache/srrip.hpp>
#include <warpkit/config/presets.hpp>

#include "tutorial.hpp"

#include <vector>

using namespace warpkit;

/// Half a GTX 480 with twice its L2. Every number says where it comes from.
struct half_numbers {
    static preset const& numbers() {
        static preset const mine{.name = "half_gtx480",
                                 .title = "half a GTX 480 with a large L2",
                                 .base = &preset_numbers::gtx480(),
                                 .numbers = [] {
                                     return std::vector<preset_number>{
                                         {"core.count", 8, provenance::estimated, "half of a GTX 480's 15"},
                                         {"l2.size", 131072, provenance::estimated, "twice a GTX 480's"}};
                                 }};
        return mine;
    }
};
using half_gtx480 = standard_machine<half_numbers>::with<
    use::l2<cache<linear_index, srrip, on_miss, write_back<write_miss::lazy_fetch>>>>;

int main() {
    return tutorial::told("machine", [] {
        for (auto const& seat : half_gtx480::describe())
            if (seat.slot == "l2") std::printf("%s: %s\n", seat.slot.c_str(), seat.policy.c_str());
        std::printf("%-12s %12s %12s\n", "cycles", "gtx480", "half_gtx480");
        for (auto const* kernel : {"vecadd", "sgemm_tiled"})
            std::printf("%-12s %12llu %12llu\n", kernel, tutorial::run<presets::gtx480>(kernel).cycles + 0ULL,
                        tutorial::run<half_gtx480>(kernel).cycles + 0ULL);
    });
}
