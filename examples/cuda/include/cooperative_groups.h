/* Cooperative groups: blocks, tiles of a warp, the lanes that are there. A grid can be asked, and not synchronised: CTAs
 * are executed one after the other. */
#ifndef WARPKIT_CUDA_COOPERATIVE_GROUPS_H
#define WARPKIT_CUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#include "letters_away.h"

#if defined(__CUDA__) && __cplusplus >= 201103L
namespace cooperative_groups {

#define WARPKIT_CUDA_MEMBER __device__ WARPKIT_CUDA_INLINED

namespace detail {
WARPKIT_CUDA_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
WARPKIT_CUDA_DEVICE unsigned int rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WARPKIT_CUDA_DEVICE unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
} // namespace detail

/* Any group: some threads of a block. */
class thread_group {
public:
    WARPKIT_CUDA_MEMBER thread_group(unsigned int mask, unsigned int rank, unsigned int size, bool is_block)
        : mask_(mask),
          rank_(rank),
          size_(size),
          is_block_(is_block) {}
    WARPKIT_CUDA_MEMBER unsigned int thread_rank() const { return rank_; }
    WARPKIT_CUDA_MEMBER unsigned int size() const { return size_; }
    WARPKIT_CUDA_MEMBER unsigned int num_threads() const { return size_; }
    WARPKIT_CUDA_MEMBER void sync() const {
        if (is_block_)
            __syncthreads();
        else
            __syncwarp(mask_);
    }

protected:
    unsigned int mask_; /* lanes; of no meaning for a block */
    unsigned int rank_;
    unsigned int size_;
    bool is_block_;
};

class thread_block : public thread_group {
public:
    WARPKIT_CUDA_MEMBER thread_block()
        : thread_group(0xffffffffu, detail::rank_in_block(), detail::block_size(), true) {}
    static WARPKIT_CUDA_MEMBER void sync() { __syncthreads(); }
    static WARPKIT_CUDA_MEMBER unsigned int thread_rank() { return detail::rank_in_block(); }
    static WARPKIT_CUDA_MEMBER unsigned int size() { return detail::block_size(); }
    static WARPKIT_CUDA_MEMBER unsigned int num_threads() { return detail::block_size(); }
    static WARPKIT_CUDA_MEMBER dim3 group_index() { return blockIdx; }
    static WARPKIT_CUDA_MEMBER dim3 thread_index() { return threadIdx; }
    static WARPKIT_CUDA_MEMBER dim3 group_dim() { return blockDim; }
    static WARPKIT_CUDA_MEMBER dim3 dim_threads() { return blockDim; }
};
WARPKIT_CUDA_DEVICE thread_block this_thread_block() { return thread_block(); }

class grid_group {
public:
    static WARPKIT_CUDA_MEMBER bool is_valid() { return false; }
    static WARPKIT_CUDA_MEMBER unsigned long long size() {
        return (unsigned long long)detail::block_size() * gridDim.x * gridDim.y * gridDim.z;
    }
    static WARPKIT_CUDA_MEMBER unsigned long long num_threads() { return size(); }
    static WARPKIT_CUDA_MEMBER unsigned long long thread_rank() {
        unsigned long long const block =
            ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * detail::block_size() + detail::rank_in_block();
    }
    static WARPKIT_CUDA_MEMBER dim3 group_dim() { return gridDim; }
    static WARPKIT_CUDA_MEMBER dim3 dim_blocks() { return gridDim; }
    /* No two CTAs are there at once: this cannot be. */
    static WARPKIT_CUDA_MEMBER void sync() { __trap(); }
};
WARPKIT_CUDA_DEVICE grid_group this_grid() { return grid_group(); }

/* A tile of a warp: votes and shuffles among its lanes. */
template <class Derived>
class lanes_of_warp : public thread_group {
public:
    WARPKIT_CUDA_MEMBER lanes_of_warp(unsigned int mask, unsigned int rank, unsigned int size)
        : thread_group(mask, rank, size, false) {}
    WARPKIT_CUDA_MEMBER void sync() const { __syncwarp(this->mask_); }
    WARPKIT_CUDA_MEMBER int any(int p) const { return __any_sync(this->mask_, p); }
    WARPKIT_CUDA_MEMBER int all(int p) const { return __all_sync(this->mask_, p); }
};

template <unsigned int Size, class Parent = thread_block>
class thread_block_tile : public lanes_of_warp<thread_block_tile<Size, Parent>> {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "tiles of 1, 2, 4, 8, 16 or 32 threads");

public:
    WARPKIT_CUDA_MEMBER thread_block_tile()
        : lanes_of_warp<thread_block_tile<Size, Parent>>((Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1)
                                                             << (detail::lane() & ~(Size - 1)),
                                                         detail::lane() & (Size - 1), Size) {}
    static WARPKIT_CUDA_MEMBER constexpr unsigned int size() { return Size; }
    static WARPKIT_CUDA_MEMBER constexpr unsigned int num_threads() { return Size; }
    WARPKIT_CUDA_MEMBER unsigned int meta_group_rank() const { return detail::rank_in_block() / Size; }
    WARPKIT_CUDA_MEMBER unsigned int meta_group_size() const {
        return (detail::block_size() + Size - 1) / Size;
    }
    WARPKIT_CUDA_MEMBER unsigned int ballot(int p) const {
        return (__ballot_sync(this->mask_, p) & this->mask_) >> (detail::lane() & ~(Size - 1));
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl(T v, int from) const {
        return __shfl_sync(this->mask_, v, from, (int)Size);
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_down(T v, unsigned int by) const {
        return __shfl_down_sync(this->mask_, v, (int)by, (int)Size);
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_up(T v, unsigned int by) const {
        return __shfl_up_sync(this->mask_, v, (int)by, (int)Size);
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_xor(T v, unsigned int by) const {
        return __shfl_xor_sync(this->mask_, v, (int)by, (int)Size);
    }
};
template <unsigned int Size, class Parent>
WARPKIT_CUDA_DEVICE thread_block_tile<Size, Parent> tiled_partition(Parent const&) {
    return thread_block_tile<Size, Parent>();
}
/* The same with the size at run time. */
WARPKIT_CUDA_DEVICE thread_group tiled_partition(thread_group const&, unsigned int size) {
    unsigned int const first = detail::lane() & ~(size - 1);
    unsigned int const mask = (size >= 32 ? 0xffffffffu : (1u << size) - 1) << first;
    return thread_group(mask, detail::lane() - first, size, false);
}

class coalesced_group : public lanes_of_warp<coalesced_group> {
public:
    WARPKIT_CUDA_MEMBER explicit coalesced_group(unsigned int mask)
        : lanes_of_warp<coalesced_group>(mask, (unsigned int)__popc(mask & ((1u << detail::lane()) - 1)),
                                         (unsigned int)__popc(mask)) {}
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl(T v, unsigned int from) const {
        return __shfl_sync(mask_, v, (int)nth(from));
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_down(T v, unsigned int by) const {
        return __shfl_sync(mask_, v, rank_ + by < size_ ? (int)nth(rank_ + by) : (int)detail::lane());
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_up(T v, unsigned int by) const {
        return __shfl_sync(mask_, v, rank_ >= by ? (int)nth(rank_ - by) : (int)detail::lane());
    }
    WARPKIT_CUDA_MEMBER unsigned int ballot(int p) const {
        unsigned int const votes = __ballot_sync(mask_, p);
        unsigned int packed = 0;
        for (unsigned int i = 0; i < size_; ++i) packed |= (votes >> nth(i) & 1) << i;
        return packed;
    }

private:
    /* The lane of this rank. */
    WARPKIT_CUDA_MEMBER unsigned int nth(unsigned int rank) const {
        unsigned int rest = mask_;
        for (; rank > 0 && rest != 0; --rank) rest &= rest - 1;
        return (unsigned int)(__ffs((int)rest) - 1);
    }
};
WARPKIT_CUDA_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
WARPKIT_CUDA_DEVICE void sync(Group const& g) {
    g.sync();
}

template <class T>
struct plus {
    WARPKIT_CUDA_MEMBER T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
    WARPKIT_CUDA_MEMBER T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
    WARPKIT_CUDA_MEMBER T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
    WARPKIT_CUDA_MEMBER T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
    WARPKIT_CUDA_MEMBER T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
    WARPKIT_CUDA_MEMBER T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned int Size, class Parent, class T, class Operation>
WARPKIT_CUDA_DEVICE T reduce(thread_block_tile<Size, Parent> const& tile, T v, Operation operation) {
#pragma unroll
    for (unsigned int by = Size / 2; by > 0; by /= 2) v = operation(v, tile.shfl_xor(v, by));
    return v;
}

#undef WARPKIT_CUDA_MEMBER

} // namespace cooperative_groups
#endif

#include "letters_back.h"

#endif
