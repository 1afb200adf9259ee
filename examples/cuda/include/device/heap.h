/* malloc and free in kernels, and so new and delete (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation"). The
 * runtime makes the heap when the first kernel of a module that has one is launched: words that say how many bytes there
 * are, how many of them have been in use, and where each list of free blocks begins; then the blocks. A block is 16
 * bytes, the first of which say its class, and what the program asked for. Classes are four to a power of two; a block
 * that is free keeps its class. No lock is taken: the lists are stacks whose heads are counted (Treiber 1986). */
#ifndef WARPKIT_CUDA_DEVICE_HEAP_H
#define WARPKIT_CUDA_DEVICE_HEAP_H

static __device__ unsigned long long volatile warpkit_cuda_heap; /* its address; written by the runtime */

namespace warpkit_cuda {
enum {
    heap_limit,
    heap_used,
    heap_lists,
    heap_classes = 136,
    heap_head = (heap_lists + heap_classes) * 8 /* bytes before the first block */
};
/* The class of the smallest blocks of so many bytes, 64 or more, and the bytes of a class. */
WARPKIT_CUDA_DEVICE int heap_class(unsigned long long bytes) {
    int const power = 63 - __clzll((long long)bytes);
    unsigned long long const step = 1ull << (power - 2);
    return 4 * (power - 6) + (int)((bytes - (1ull << power) + step - 1) / step);
}
WARPKIT_CUDA_DEVICE unsigned long long heap_bytes(int of) {
    return (1ull << (6 + of / 4)) + (unsigned long long)(of % 4) * (1ull << (4 + of / 4));
}
/* A list's head: how often it was changed, and which 16 bytes of the heap the first block begins with, 0 for none. */
WARPKIT_CUDA_DEVICE char* heap_pop(unsigned long long* heap, int of) {
    unsigned long long* const list = heap + heap_lists + of;
    for (unsigned long long seen = *(unsigned long long volatile*)list;;) {
        unsigned int const at = (unsigned int)seen;
        if (at == 0) return 0;
        char* const block = (char*)heap + 16ull * at;
        unsigned long long const next = *(unsigned int volatile*)(block + 8);
        unsigned long long const before = atomicCAS(list, seen, ((seen >> 32) + 1) << 32 | next);
        if (before == seen) return block;
        seen = before;
    }
}
WARPKIT_CUDA_DEVICE void heap_push(unsigned long long* heap, int of, char* block) {
    unsigned long long* const list = heap + heap_lists + of;
    unsigned long long const at = (unsigned long long)(block - (char*)heap) / 16;
    for (unsigned long long seen = *(unsigned long long volatile*)list;;) {
        *(unsigned int volatile*)(block + 8) = (unsigned int)seen;
        __threadfence();
        unsigned long long const before = atomicCAS(list, seen, ((seen >> 32) + 1) << 32 | at);
        if (before == seen) return;
        seen = before;
    }
}
/* A block that nobody has had. */
WARPKIT_CUDA_DEVICE char* heap_cut(unsigned long long* heap, unsigned long long bytes) {
    unsigned long long const limit = heap[heap_limit];
    for (unsigned long long seen = *(unsigned long long volatile*)(heap + heap_used);;) {
        if (bytes > limit - seen) return 0;
        unsigned long long const before = atomicCAS(heap + heap_used, seen, seen + bytes);
        if (before == seen) return (char*)heap + seen;
        seen = before;
    }
}
} // namespace warpkit_cuda

WARPKIT_CUDA_DEVICE void* malloc(size_t bytes) {
    unsigned long long* const heap = (unsigned long long*)warpkit_cuda_heap;
    if (heap == 0 || bytes == 0 || bytes > heap[warpkit_cuda::heap_limit]) return 0;
    int const of = warpkit_cuda::heap_class(bytes < 48 ? 64 : bytes + 16);
    char* block = warpkit_cuda::heap_pop(heap, of);
    if (block == 0) {
        block = warpkit_cuda::heap_cut(heap, warpkit_cuda::heap_bytes(of));
        if (block != 0) *(int*)block = of;
    }
    /* Before it gives up, blocks up to four times as large. */
    for (int larger = of + 1; block == 0 && larger <= of + 8; ++larger)
        block = warpkit_cuda::heap_pop(heap, larger);
    return block == 0 ? 0 : block + 16;
}
WARPKIT_CUDA_DEVICE void free(void* p) {
    if (p == 0) return;
    char* const block = (char*)p - 16;
    warpkit_cuda::heap_push((unsigned long long*)warpkit_cuda_heap, *(int*)block, block);
}

#endif
