// Lane 0 alone checks and stores each sum; all lanes must be there for the next.
#include "warps.hpp"

#include <cassert>

namespace {

__global__ void asserted_sums(int* out) {
    int const t = threadIdx.x;
    for (int s = 0; s < 4; ++s) {
        int v = t;
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
        if (t == 0) {
            out[s] = v;
            assert(out[s] >= 0 && out[s] < 4000);
        }
        __syncthreads();
    }
}

// A thread that finds something stops; those that go on vote at the end of each turn.
__global__ void returning_threads(int* out) {
    int const t = threadIdx.x;
    for (int turn = 0; turn < 8; ++turn) {
        if (t % 2 == 0) {
            if (t == 4 * turn) return;
            out[t] += 1;
        }
        out[t] += __popc(__ballot_sync(~0u, t > turn)) * 100;
    }
}

int returning(int t) {
    int value = 0;
    for (int turn = 0; turn < 8; ++turn) {
        if (t % 4 == 0 && t == 4 * turn) return value;
        if (t % 2 == 0) ++value;
        int votes = 0;
        for (int k = turn + 1; k < 32; ++k) votes += k % 4 == 0 && k <= 4 * turn ? 0 : 1;
        value += votes * 100;
    }
    return value;
}

} // namespace

int check_sums() {
    return wrong_values(asserted_sums, 32, 5, [](int i) { return i < 4 ? 496 : 0; }) +
           wrong_values(returning_threads, 32, 32, [](int i) { return returning(i); });
}
