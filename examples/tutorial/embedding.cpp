// One header in a simulator of one's own: a core of four warps, each of which waits five cycles behind every third
// instruction. Nothing of warpkit's pipeline is here, only its greedy-then-oldest scheduler.

#include <warpkit/warp/gto.hpp>

#include <array>
#include <cstdio>

using namespace warpkit;

int main() {
    struct warp {
        unsigned left = 12;
        unsigned ready_at = 0;
    };
    std::array<warp, 4> warps;
    gto scheduler;
    scheduler.on(
        cta_launched{cta_slot{0}, 0, warp_set::first_n(4), 0}); // whatever it hears, told when it happens

    unsigned now = 0;
    for (unsigned left = 4 * 12; left != 0; ++now) {
        warp_set candidates;
        for (unsigned i = 0; i < 4; ++i)
            if (warps[i].left != 0 && warps[i].ready_at <= now) candidates.insert(warp_slot{i});
        auto const picked = scheduler.pick(candidates); // asking changes nothing
        if (!picked) {
            std::printf(".");
            continue;
        }
        auto& w = warps[picked.index()];
        w.ready_at = now + (--w.left % 3 == 0 ? 6 : 1);
        --left;
        notify(issued{.warp = picked, .at = now}, scheduler); // issuing does
        if (w.left == 0) notify(warp_exited{picked}, scheduler);
        std::printf("%u", static_cast<unsigned>(picked.index()));
    }
    std::printf("\n%u cycles for 48 instructions\n", now);
    return 0;
}
