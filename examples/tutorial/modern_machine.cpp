// A modern machine of one's own in 30 lines: where a GeForce RTX 3080 differs from the preset rtx3070. The same as a
// file is rtx3080.toml, beside this program.

#include <warpkit/base/input_file.hpp>
#include <warpkit/config/machine_file.hpp>
#include <warpkit/config/presets.hpp>

#include "tutorial.hpp"

#include <vector>

using namespace warpkit;

/// Numbers by name, each with where it is from; what is not named is the base's.
struct rtx3080_numbers {
    static preset const& numbers() {
        static constexpr auto documented = provenance::documented;
        static constexpr auto estimated = provenance::estimated;
        static constexpr auto paper = "NVIDIA Ampere GA102 GPU Architecture (2020), GeForce RTX 3080 10 GB";
        static preset const mine{
            .name = "rtx3080",
            .title = "GeForce RTX 3080 by its data sheet, else as rtx3070",
            .base = &preset_numbers::rtx3070(),
            .numbers =
                [] {
                    return std::vector<preset_number>{
                        {"clock.core", 1'710'000, documented, paper},
                        {"clock.interconnect", 1'710'000, estimated, "as the cores"},
                        {"clock.l2", 1'710'000, estimated, "as the cores"},
                        {"clock.dram", 4'750'000, documented, "the same: 19 Gbit/s a pin, four a cycle"},
                        {"core.count", 68, documented, paper},
                        {"core.ctas", 16, documented, "CUDA C Programming Guide, compute capability 8.6"},
                        {"memory.channels", 20, documented, "the same: 320 bits, 16 to a channel"}};
                },
            .address_mapping =
                "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
            .address_mapping_source =
                "estimated: as rtx3070, without its hash, which would fold 20 channels"};
        return mine;
    }
};
/// The policies are rtx3070's; any seat can be filled otherwise: with<use::warp_scheduler<gto>>.
using rtx3080 = presets::rtx3070::with_numbers<rtx3080_numbers>;

int main(int count, char** values) {
    return tutorial::told("modern_machine", [&] {
        check(rtx3080::parameters());
        std::printf("%-12s %12s %12s\n", "cycles", "rtx3070", "rtx3080");
        for (auto const* kernel : {"vecadd", "sgemm_tiled"})
            std::printf("%-12s %12llu %12llu\n", kernel,
                        tutorial::run<presets::rtx3070>(kernel).cycles + 0ULL,
                        tutorial::run<rtx3080>(kernel).cycles + 0ULL);
        if (count < 2) return;
        auto const file = parameters(read_machine(read_file(values[1], 1 << 20), values[1]));
        if (!(file == rtx3080::parameters())) throw error({values[1], " is another machine"});
        std::printf("%s is the same machine: %llu cycles of vecadd\n", file.name.c_str(),
                    tutorial::run<rtx3080>("vecadd", file).cycles + 0ULL);
    });
}
