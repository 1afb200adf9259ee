// An instruction prefetcher of one's own: whenever a fetch misses, the line behind it is fetched, too.

#include <warpkit/config/presets.hpp>

#include "tutorial.hpp"

using namespace warpkit;

/// The line behind each missing one, while less than half of this many MSHRs are in use.
class behind_each_miss {
public:
    static constexpr char const* name() noexcept { return "behind_each_miss"; }
    constexpr bool wants(fetched const& e, unsigned occupied_mshrs) const noexcept {
        return e.outcome == cache_outcome::miss && occupied_mshrs < 16;
    }
    friend bool operator==(behind_each_miss const&, behind_each_miss const&) = default;
};
static_assert(instruction_prefetch<behind_each_miss>);

using with_prefetch = presets::gtx480::with<use::instruction_prefetch<behind_each_miss>>;

int main() {
    return tutorial::told("prefetcher", [] {
        std::printf("%-12s %10s %10s %12s\n", "cycles", "without", "with", "prefetches");
        for (auto const* kernel : {"sgemm_tiled", "hotspot", "pathfinder"}) {
            auto const with = tutorial::run<with_prefetch>(kernel);
            std::printf("%-12s %10llu %10llu %12llu\n", kernel,
                        tutorial::run<presets::gtx480>(kernel).cycles + 0ULL, with.cycles + 0ULL,
                        with.core.prefetches + 0ULL);
        }
    });
}
