// Matches of many short sequences in a long one, through its suffix tree (Schatz, Trapnell, Delcher and Varshney:
// High-throughput sequence alignment using graphics processing units, BMC Bioinformatics 2007). The tree and the
// reference are textures; a thread takes a query, and goes from each of its starts to the next by suffix links.
#include "cuda.hpp"

enum { node_columns = 4096, letter_columns = 65536, root = 0 };

// Begin and end of the label of the edge to it, suffix link (of a leaf: where its suffix begins), parent.
WARPKIT_DEVICE uint4 node(unsigned long long nodes, unsigned i) {
    return tex2d_unsigned(nodes, i % node_columns, i / node_columns);
}
// By their first letters; the root for none.
WARPKIT_DEVICE uint4 children(unsigned long long table, unsigned i) {
    return tex2d_unsigned(table, i % node_columns, i / node_columns);
}
WARPKIT_DEVICE unsigned child(uint4 all, unsigned letter) {
    return letter < 2 ? (letter == 0 ? all.x : all.y) : letter == 2 ? all.z : all.w;
}

// For each start the length of the longest match there, and the node at its end or below.
extern "C" __global__ void mummer_match(unsigned long long nodes, unsigned long long table,
                                        unsigned long long reference, unsigned char const* queries,
                                        uint2* matches, int count, int length, int starts) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned char const* const query = queries + i * length;
    uint2* const to = matches + i * starts;
    unsigned at = root;
    int deep = 0;  // letters from the root to `at`
    int known = 0; // letters that match from this start on, as the last start told
#pragma unroll 1
    for (int start = 0; start < starts; ++start) {
        unsigned below = at;
#pragma unroll 1
        while (start + deep < length) {
            unsigned const next = child(children(table, at), query[start + deep]);
            if (next == root) break;
            below = next;
            uint4 const edge = node(nodes, next);
            int const label = edge.y - edge.x;
            int i = min(known - deep, label); // these need no look
            if (i < 1) i = 1;
#pragma unroll 1
            while (i < label && start + deep + i < length) {
                unsigned const letter = edge.x + i;
                if (tex2d_unsigned(reference, letter % letter_columns, letter / letter_columns).x !=
                    query[start + deep + i])
                    break;
                ++i;
            }
            known = max(known, deep + i);
            if (i < label) break;
            at = next;
            deep += label;
        }
        to[start] = uint2{static_cast<unsigned>(known), below};
        if (at != root) {
            at = node(nodes, at).z;
            --deep;
        }
        known = max(known - 1, 0);
    }
}

// For each match that is long enough, how often it occurs and where first: a walk through all leaves below its node, up
// again by the parents.
extern "C" __global__ void mummer_print(unsigned long long nodes, unsigned long long table,
                                        unsigned const* ending, uint2 const* matches, uint2* found, int count,
                                        unsigned least, unsigned end) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uint2 const match = matches[i];
    unsigned times = 0, first = ~0u;
    if (match.x >= least) {
        unsigned at = match.y, from = root; // from: the child that was left last, none when coming from above
#pragma unroll 1
        while (true) {
            uint4 const own = node(nodes, at);
            bool const leaf = own.y == end;
            unsigned next = root;
            if (leaf) {
                ++times;
                first = min(first, own.z);
            } else {
                if (from == root) {
                    unsigned const here = ending[at]; // a suffix that ends at the node
                    if (here != 0) {
                        ++times;
                        first = min(first, here - 1);
                    }
                }
                uint4 const all = children(table, at);
                bool passed = from == root;
                for (unsigned letter = 0; letter < 4; ++letter) {
                    unsigned const one = child(all, letter);
                    if (passed && one != root && next == root) next = one;
                    if (one == from) passed = true;
                }
            }
            if (next != root) {
                at = next;
                from = root;
            } else {
                if (at == match.y) break;
                from = at;
                at = own.w;
            }
        }
    }
    found[i] = uint2{times, first};
}
