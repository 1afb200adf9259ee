// Whether a scheduler behaves like one: the laws, on the first policy and on one that breaks them.

#include <warpkit/testing/warp_scheduler_laws.hpp>

#include "../first_policy/loads_first.hpp"

#include <cstdio>

/// The same, but it goes on where the kernel before it ended.
class forgetful {
public:
    constexpr warp_slot pick(warp_set candidates, issue_classes const& next) const noexcept {
        auto const loads = candidates & next.loads;
        return (loads ? loads : candidates).next_after(last_);
    }
    constexpr void on(issued const& e) noexcept { last_ = e.warp; }
    friend bool operator==(forgetful const&, forgetful const&) = default;

private:
    warp_slot last_;
};

int main() {
    try {
        testing::require_warp_scheduler_laws<loads_first>(); // throws at the first breach
        try {
            testing::require_warp_scheduler_laws<forgetful>();
        } catch (error const& breach) {
            std::printf("as it should, the second fails: %s\n", breach.what());
        }
    } catch (error const& breach) {
        std::printf("%s\n", breach.what());
        return 1;
    }
}
