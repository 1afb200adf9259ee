// A replacement policy of one's own in the L1 data cache: a bit for each line, beside least recently used.

#include <warpkit/config/presets.hpp>

#include "tutorial.hpp"

#include <bit>
#include <cstdint>
#include <vector>

using namespace warpkit;

/// Not recently used: each use sets the line's bit, the victim is the lowest way without it; when all eligible ways
/// have theirs, all of the set lose it. One bit for each line, where least recently used takes several.
class not_recently_used {
public:
    static constexpr char const* name() noexcept { return "not_recently_used"; }
    not_recently_used() = default;
    not_recently_used(std::uint32_t sets, std::uint32_t) : used_(sets) {}

    void used(std::uint32_t set, std::uint32_t way) { used_[set] |= std::uint64_t{1} << way; }
    void inserted(std::uint32_t set, std::uint32_t way) {
        if ((used_[set] >> way & 1) != 0) used_[set] = 0; // no other could be found
        used(set, way);
    }
    std::uint32_t victim(std::uint32_t set, std::uint64_t eligible) const {
        auto const idle = eligible & ~used_[set];
        return static_cast<std::uint32_t>(std::countr_zero(idle != 0 ? idle : eligible));
    }
    template <class F>
    void each_member(F&& f) const {
        f(used_);
    }
    friend bool operator==(not_recently_used const&, not_recently_used const&) = default;

private:
    std::vector<std::uint64_t> used_; // by set: a bit for each way
};
static_assert(replacement_policy<not_recently_used>);

template <class Replacement>
using with_l1 = presets::gtx480::with<
    use::l1d<cache<fermi_index, Replacement, on_miss, local_back_global_evict<write_miss::no_allocate>>>>;

int main() {
    return tutorial::told("replacement", [] {
        std::printf("%-12s %18s %18s\n", "L1D misses", "lru", "not_recently_used");
        for (auto const* kernel : {"bfs", "spmv", "kmeans"}) {
            auto const lines = [](cache_counters const& c) { return c.misses + c.sector_misses; };
            std::printf("%-12s %18llu %18llu\n", kernel,
                        lines(tutorial::run<with_l1<lru>>(kernel).l1d) + 0ULL,
                        lines(tutorial::run<with_l1<not_recently_used>>(kernel).l1d) + 0ULL);
        }
    });
}
