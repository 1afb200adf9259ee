// Logic simulation: the outputs of the gates of one level of a circuit for 32 input patterns at once, a bit
// each. One thread per gate, one launch per level; gates differ in kind from lane to lane.
#include "cuda.hpp"

enum kind : unsigned char { buffer, inverter, and_gate, nand_gate, or_gate, nor_gate, xor_gate, xnor_gate };

extern "C" __global__ void gsim(unsigned char const* kinds, unsigned const* first, unsigned const* source,
                                unsigned* value, int begin, int end) {
    int const gate = begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (gate >= end) return;
    unsigned pin = first[gate];
    unsigned const past = first[gate + 1];
    unsigned out = value[source[pin]];
    ++pin;
    unsigned const what = kinds[gate];
    switch (what) {
    case and_gate:
    case nand_gate:
        for (; pin < past; ++pin) out &= value[source[pin]];
        break;
    case or_gate:
    case nor_gate:
        for (; pin < past; ++pin) out |= value[source[pin]];
        break;
    case xor_gate:
    case xnor_gate:
        for (; pin < past; ++pin) out ^= value[source[pin]];
        break;
    default:
        break;
    }
    value[gate] = what & 1 ? ~out : out;
}
