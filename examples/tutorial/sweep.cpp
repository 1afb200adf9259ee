// A sweep: three schedulers, which are types, by three sizes of the L1, which are numbers; the kernel is executed once.

#include <warpkit/config/presets.hpp>
#include <warpkit/config/record.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/config/sweep.hpp>
#include <warpkit/warp/ccws.hpp>
#include <warpkit/warp/lrr.hpp>

#include "tutorial.hpp"

#include <string>

using namespace warpkit;

int main() {
    return tutorial::told("sweep", [] {
        auto const recorded = record(tutorial::program("spmv"));
        std::printf("%-10s %12s %12s %12s   cycles of spmv\n", "L1D", "lrr", "gto", "ccws");
        for (auto const* size : {"8KiB", "16KiB", "48KiB"}) {
            auto numbers = presets::gtx480::parameters();
            set_number(numbers, std::string("l1d.size=") + size);
            std::printf("%-10s", size);
            for (auto const& point : sweep<presets::gtx480, choose<use::warp_scheduler, lrr, gto, ccws>>())
                std::printf(" %12llu", simulate(point.make(numbers), recorded).total.cycles + 0ULL);
            std::printf("\n");
        }
    });
}
