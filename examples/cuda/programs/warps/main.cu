// Lanes of a warp that wait for each other, as independent thread scheduling promises (compute capability 7.0 and
// later). Each check compares what a kernel leaves with what its threads, one by one, would.
#include "warps.hpp"

#include <cstdio>

int main() {
    bool right = true;
    right = report("sums with an assertion", check_sums()) && right;
    right = report("collectives of lanes apart", check_apart()) && right;
    right = report("masks of a part of the warp", check_masks()) && right;
    right = report("locks and hand-overs in a warp", check_waiting()) && right;
    right = report("lanes that have left", check_left()) && right;
    right = report("copies and split barriers", check_copies()) && right;
    right = report("barriers that are missed", check_races()) && right;
    std::puts(right ? "PASSED" : "FAILED");
    return right ? 0 : 1;
}
