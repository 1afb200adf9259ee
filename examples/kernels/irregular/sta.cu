// Static timing analysis: the latest arrival at each gate of one level of a circuit, from those at the gates
// that drive its pins. One thread per gate, one launch per level.
#include "cuda.hpp"

extern "C" __global__ void sta(unsigned const* first, unsigned const* source, int const* wire_delay,
                               int const* gate_delay, int* arrival, int begin, int end) {
    int const gate = begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (gate >= end) return;
    int latest = 0;
    for (unsigned pin = first[gate]; pin < first[gate + 1]; ++pin)
        latest = max(latest, arrival[source[pin]] + wire_delay[pin]);
    arrival[gate] = latest + gate_delay[gate];
}
