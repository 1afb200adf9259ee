/* Cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups"): blocks, tiles of a block, the lanes that are
 * there, clusters, and the grid, which can be synchronised where its launch is cooperative. What several warps share
 * lies in shared memory, which begins as zeros. Asynchronous copies are done at once. */
#ifndef WARPKIT_CUDA_COOPERATIVE_GROUPS_H
#define WARPKIT_CUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"
#include "letters_away.h"

#if defined(__CUDA__) && __cplusplus >= 201103L
namespace cooperative_groups {
namespace __v1 { /* where CCCL declares classes */

#define WARPKIT_CUDA_MEMBER __device__ WARPKIT_CUDA_INLINED

namespace detail {
WARPKIT_CUDA_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
WARPKIT_CUDA_DEVICE unsigned int rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WARPKIT_CUDA_DEVICE unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
WARPKIT_CUDA_DEVICE unsigned int lanes_of_tile(unsigned int size) {
    return (size >= 32 ? 0xffffffffu : (1u << size) - 1) << (lane() & ~(size - 1) & 31);
}

/* Values of any type, word by word. */
template <class T>
struct words {
    unsigned int word[(sizeof(T) + 3) / 4];
    WARPKIT_CUDA_MEMBER explicit words(T const& v) {
        word[sizeof word / 4 - 1] = 0;
        __builtin_memcpy(word, &v, sizeof(T));
    }
    WARPKIT_CUDA_MEMBER T value() const {
        union room {
            T v;
            WARPKIT_CUDA_MEMBER room() {}
            WARPKIT_CUDA_MEMBER ~room() {}
        } r;
        __builtin_memcpy((void*)&r, word, sizeof(T));
        return r.v;
    }
};
#define WARPKIT_CUDA_WORDS(name, parameter)                                                                  \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE T name(unsigned int mask, T const& v, parameter by, int width) {                     \
        words<T> w(v);                                                                                       \
        for (unsigned int i = 0; i < sizeof w.word / 4; ++i)                                                 \
            w.word[i] = __##name##_sync(mask, w.word[i], (int)by, width);                                    \
        return w.value();                                                                                    \
    }
WARPKIT_CUDA_WORDS(shfl, int)
WARPKIT_CUDA_WORDS(shfl_up, unsigned int)
WARPKIT_CUDA_WORDS(shfl_down, unsigned int)
WARPKIT_CUDA_WORDS(shfl_xor, unsigned int)
#undef WARPKIT_CUDA_WORDS

/* A barrier of which one participant adds what is missing to 2^31: its highest bit changes when the last one has
 * come, and the others are as they were. */
WARPKIT_CUDA_DEVICE unsigned int arrive_at(unsigned int* barrier, unsigned int expected, bool first) {
    return atomicAdd(barrier, first ? 0x80000000u - (expected - 1) : 1u);
}
WARPKIT_CUDA_DEVICE void wait_at(unsigned int* barrier, unsigned int before) {
    while (((*(unsigned int volatile*)barrier ^ before) & 0x80000000u) == 0) __nanosleep(100);
}
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
    WARPKIT_CUDA_MEMBER bool is_valid() const { return true; }
    WARPKIT_CUDA_MEMBER void sync() const {
        if (is_block_)
            __syncthreads();
        else
            __syncwarp(mask_);
    }

protected:
    friend WARPKIT_CUDA_MEMBER thread_group tiled_partition(thread_group const& g, unsigned int size);
    unsigned int mask_; /* lanes; of no meaning for a block */
    unsigned int rank_;
    unsigned int size_;
    bool is_block_;
};

/* Memory that tiles of several warps want before compute capability 8.0; not wanted here. */
template <unsigned int Threads = 1024>
struct block_tile_memory {};

class thread_block : public thread_group {
public:
    typedef unsigned int arrival_token;
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
    static WARPKIT_CUDA_MEMBER arrival_token barrier_arrive() {
        __syncthreads();
        return 0;
    }
    static WARPKIT_CUDA_MEMBER void barrier_wait(arrival_token) {}
};
WARPKIT_CUDA_DEVICE thread_block this_thread_block() { return thread_block(); }
template <unsigned int Threads>
WARPKIT_CUDA_DEVICE thread_block this_thread_block(block_tile_memory<Threads>&) {
    return thread_block();
}

namespace detail {
static __device__ unsigned int warpkit_cuda_arrived_in_grid;
} // namespace detail

class grid_group {
public:
    typedef unsigned int arrival_token;
    /* Whether the launch is cooperative (docs/reference/frontend.md, %envreg). */
    static WARPKIT_CUDA_MEMBER bool is_valid() {
        unsigned int cooperative;
        asm("mov.u32 %0, %%envreg1;" : "=r"(cooperative));
        return cooperative != 0;
    }
    static WARPKIT_CUDA_MEMBER unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static WARPKIT_CUDA_MEMBER unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static WARPKIT_CUDA_MEMBER unsigned long long size() { return detail::block_size() * num_blocks(); }
    static WARPKIT_CUDA_MEMBER unsigned long long num_threads() { return size(); }
    static WARPKIT_CUDA_MEMBER unsigned long long thread_rank() {
        return block_rank() * detail::block_size() + detail::rank_in_block();
    }
    static WARPKIT_CUDA_MEMBER dim3 group_dim() { return gridDim; }
    static WARPKIT_CUDA_MEMBER dim3 dim_blocks() { return gridDim; }
    static WARPKIT_CUDA_MEMBER dim3 block_index() { return blockIdx; }
    /* In a cooperative launch; in others, as with CUDA, it is a fault. */
    static WARPKIT_CUDA_MEMBER void sync() { barrier_wait(barrier_arrive()); }
    static WARPKIT_CUDA_MEMBER arrival_token barrier_arrive() {
        if (!is_valid()) __trap();
        unsigned int before = 0;
        __syncthreads();
        if (detail::rank_in_block() == 0) {
            __threadfence();
            before = detail::arrive_at(&detail::warpkit_cuda_arrived_in_grid, (unsigned int)num_blocks(),
                                       block_rank() == 0);
        }
        return before;
    }
    static WARPKIT_CUDA_MEMBER void barrier_wait(arrival_token before) {
        if (detail::rank_in_block() == 0) {
            detail::wait_at(&detail::warpkit_cuda_arrived_in_grid, before);
            __threadfence();
        }
        __syncthreads();
    }
};
WARPKIT_CUDA_DEVICE grid_group this_grid() { return grid_group(); }

/* There is one device: its grid is all. */
class multi_grid_group : public grid_group {
public:
    static WARPKIT_CUDA_MEMBER unsigned int grid_rank() { return 0; }
    static WARPKIT_CUDA_MEMBER unsigned int num_grids() { return 1; }
};
WARPKIT_CUDA_DEVICE multi_grid_group this_multi_grid() { return multi_grid_group(); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
class cluster_group {
public:
    struct arrival_token {};
    static WARPKIT_CUDA_MEMBER dim3 group_index() { return __clusterIdx(); }
    static WARPKIT_CUDA_MEMBER dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static WARPKIT_CUDA_MEMBER dim3 dim_blocks() { return __clusterDim(); }
    static WARPKIT_CUDA_MEMBER dim3 group_dim() { return __clusterDim(); }
    static WARPKIT_CUDA_MEMBER unsigned int block_rank() { return __clusterRelativeBlockRank(); }
    static WARPKIT_CUDA_MEMBER unsigned int num_blocks() { return __clusterSizeInBlocks(); }
    static WARPKIT_CUDA_MEMBER unsigned int num_threads() { return num_blocks() * detail::block_size(); }
    static WARPKIT_CUDA_MEMBER unsigned int size() { return num_threads(); }
    static WARPKIT_CUDA_MEMBER unsigned int thread_rank() {
        return block_rank() * detail::block_size() + detail::rank_in_block();
    }
    static WARPKIT_CUDA_MEMBER dim3 dim_threads() {
        dim3 const blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    static WARPKIT_CUDA_MEMBER dim3 thread_index() {
        dim3 const block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    static WARPKIT_CUDA_MEMBER arrival_token barrier_arrive() {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    static WARPKIT_CUDA_MEMBER void barrier_wait() { __cluster_barrier_wait(); }
    static WARPKIT_CUDA_MEMBER void barrier_wait(arrival_token&&) { barrier_wait(); }
    static WARPKIT_CUDA_MEMBER void sync() {
        barrier_arrive();
        barrier_wait();
    }
    template <class T>
    static WARPKIT_CUDA_MEMBER T* map_shared_rank(T* p, int rank) {
        return (T*)__cluster_map_shared_rank(p, (unsigned int)rank);
    }
    static WARPKIT_CUDA_MEMBER unsigned int query_shared_rank(void const* p) {
        return __cluster_query_shared_rank(p);
    }
};
WARPKIT_CUDA_DEVICE cluster_group this_cluster() { return cluster_group(); }
#endif

/* Lanes of a warp: votes and shuffles among them. Ranks are counted among the lanes that are in the group. */
class coalesced_group : public thread_group {
public:
    WARPKIT_CUDA_MEMBER explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0,
                                                 unsigned int meta_size = 1)
        : thread_group(mask, (unsigned int)__popc(mask & ((1u << detail::lane()) - 1)),
                       (unsigned int)__popc(mask), false),
          meta_rank_(meta_rank),
          meta_size_(meta_size) {}
    WARPKIT_CUDA_MEMBER void sync() const { __syncwarp(mask_); }
    WARPKIT_CUDA_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
    WARPKIT_CUDA_MEMBER unsigned int meta_group_size() const { return meta_size_; }
    WARPKIT_CUDA_MEMBER int any(int p) const { return __any_sync(mask_, p); }
    WARPKIT_CUDA_MEMBER int all(int p) const { return __all_sync(mask_, p); }
    WARPKIT_CUDA_MEMBER unsigned int ballot(int p) const { return packed(__ballot_sync(mask_, p)); }
    template <class T>
    WARPKIT_CUDA_MEMBER unsigned int match_any(T v) const {
        return packed(__match_any_sync(mask_, v));
    }
    template <class T>
    WARPKIT_CUDA_MEMBER unsigned int match_all(T v, int& all_same) const {
        return packed(__match_all_sync(mask_, v, &all_same));
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl(T const& v, unsigned int from) const {
        return detail::shfl(mask_, v, (int)nth(from), 32);
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_down(T const& v, unsigned int by) const {
        return shfl_from(v, rank_ + by < size_ ? rank_ + by : rank_);
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_up(T const& v, unsigned int by) const {
        return shfl_from(v, rank_ >= by ? rank_ - by : rank_);
    }

    WARPKIT_CUDA_MEMBER unsigned int lanes() const { return mask_; }

private:
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_from(T const& v, unsigned int rank) const {
        return detail::shfl(mask_, v, (int)nth(rank), 32);
    }
    WARPKIT_CUDA_MEMBER unsigned int packed(unsigned int lanes) const {
        unsigned int bits = 0;
        for (unsigned int i = 0; i < size_; ++i) bits |= (lanes >> nth(i) & 1) << i;
        return bits;
    }
    /* The lane of this rank. */
    WARPKIT_CUDA_MEMBER unsigned int nth(unsigned int rank) const {
        if (mask_ == 0xffffffffu) return rank;
        unsigned int rest = mask_;
        for (; rank > 0 && rest != 0; --rank) rest &= rest - 1;
        return (unsigned int)(__ffs((int)rest) - 1);
    }
    unsigned int meta_rank_;
    unsigned int meta_size_;
};
WARPKIT_CUDA_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace detail {
/* A tile of at most a warp. */
template <unsigned int Size>
class tile_in_warp : public thread_group {
public:
    WARPKIT_CUDA_MEMBER tile_in_warp()
        : thread_group(lanes_of_tile(Size), lane() & (Size - 1), Size, false) {}
    WARPKIT_CUDA_MEMBER void sync() const { __syncwarp(mask_); }
    WARPKIT_CUDA_MEMBER int any(int p) const { return __any_sync(mask_, p); }
    WARPKIT_CUDA_MEMBER int all(int p) const { return __all_sync(mask_, p); }
    WARPKIT_CUDA_MEMBER unsigned int ballot(int p) const { return own(__ballot_sync(mask_, p)); }
    template <class T>
    WARPKIT_CUDA_MEMBER unsigned int match_any(T v) const {
        return own(__match_any_sync(mask_, v));
    }
    template <class T>
    WARPKIT_CUDA_MEMBER unsigned int match_all(T v, int& all_same) const {
        return own(__match_all_sync(mask_, v, &all_same));
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl(T const& v, int from) const {
        return detail::shfl(mask_, v, from, (int)Size);
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_down(T const& v, unsigned int by) const {
        return detail::shfl_down(mask_, v, by, (int)Size);
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_up(T const& v, unsigned int by) const {
        return detail::shfl_up(mask_, v, by, (int)Size);
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_xor(T const& v, unsigned int by) const {
        return detail::shfl_xor(mask_, v, by, (int)Size);
    }
    WARPKIT_CUDA_MEMBER unsigned int lanes() const { return mask_; }

private:
    WARPKIT_CUDA_MEMBER unsigned int own(unsigned int lanes) const {
        return (lanes & mask_) >> (lane() & ~(Size - 1) & 31);
    }
};

/* A tile of several warps: they meet, and hand over values, in shared memory. */
struct warps_room {
    unsigned int barrier[16];
    unsigned long long values[1024][4];
};
WARPKIT_CUDA_DEVICE warps_room& room_of_warps() {
    static __shared__ warps_room room;
    return room;
}
template <unsigned int Size>
class tile_of_warps : public thread_group {
public:
    WARPKIT_CUDA_MEMBER tile_of_warps()
        : thread_group(0xffffffffu, rank_in_block() & (Size - 1), Size, false) {}
    WARPKIT_CUDA_MEMBER void sync() const {
        __syncwarp();
        if (lane() == 0) {
            unsigned int* const barrier = &room_of_warps().barrier[rank_in_block() / Size];
            __threadfence_block();
            wait_at(barrier, arrive_at(barrier, Size / 32, rank_ == 0));
            __threadfence_block();
        }
        __syncwarp();
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl(T const& v, int from) const {
        static_assert(sizeof(T) <= sizeof room_of_warps().values[0], "at most 32 bytes");
        unsigned int const first = rank_in_block() & ~(Size - 1);
        warps_room& room = room_of_warps();
        __builtin_memcpy(room.values[rank_in_block()], &v, sizeof(T));
        sync();
        words<T> w(v);
        __builtin_memcpy(w.word, room.values[first + ((unsigned int)from & (Size - 1))], sizeof(T));
        sync();
        return w.value();
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_up(T const& v, unsigned int by) const {
        return shfl(v, (int)(rank_ >= by ? rank_ - by : rank_));
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_down(T const& v, unsigned int by) const {
        return shfl(v, (int)(rank_ + by < Size ? rank_ + by : rank_));
    }
    template <class T>
    WARPKIT_CUDA_MEMBER T shfl_xor(T const& v, unsigned int by) const {
        return shfl(v, (int)(rank_ ^ by));
    }
    WARPKIT_CUDA_MEMBER int any(int p) const {
        int const here = __any_sync(0xffffffffu, p);
        int found = 0;
        for (unsigned int i = 0; i < Size; i += 32) found |= shfl(here, (int)i);
        return found;
    }
    WARPKIT_CUDA_MEMBER int all(int p) const { return !any(!p); }
};
template <unsigned int Size, bool InWarp = (Size <= 32)>
struct tile_base {
    typedef tile_in_warp<Size> type;
};
template <unsigned int Size>
struct tile_base<Size, false> {
    typedef tile_of_warps<Size> type;
};
} // namespace detail

template <unsigned int Size, class Parent = void>
class thread_block_tile : public detail::tile_base<Size>::type {
    static_assert(Size >= 1 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "tiles of 1, 2, 4, ... 1024 threads");

public:
    WARPKIT_CUDA_MEMBER thread_block_tile() {}
    template <class Other>
    WARPKIT_CUDA_MEMBER thread_block_tile(thread_block_tile<Size, Other> const&) {}
    static WARPKIT_CUDA_MEMBER constexpr unsigned int size() { return Size; }
    static WARPKIT_CUDA_MEMBER constexpr unsigned int num_threads() { return Size; }
    WARPKIT_CUDA_MEMBER unsigned int meta_group_rank() const { return detail::rank_in_block() / Size; }
    WARPKIT_CUDA_MEMBER unsigned int meta_group_size() const {
        return (detail::block_size() + Size - 1) / Size;
    }
};
/* Tiles of tiles are counted in them. */
template <unsigned int Size, unsigned int Outer, class Parent>
class thread_block_tile<Size, thread_block_tile<Outer, Parent>> : public detail::tile_base<Size>::type {
public:
    WARPKIT_CUDA_MEMBER thread_block_tile() {}
    static WARPKIT_CUDA_MEMBER constexpr unsigned int size() { return Size; }
    static WARPKIT_CUDA_MEMBER constexpr unsigned int num_threads() { return Size; }
    WARPKIT_CUDA_MEMBER unsigned int meta_group_rank() const {
        return detail::rank_in_block() % Outer / Size;
    }
    static WARPKIT_CUDA_MEMBER constexpr unsigned int meta_group_size() { return Outer / Size; }
};

template <unsigned int Size, class Parent>
WARPKIT_CUDA_DEVICE thread_block_tile<Size, Parent> tiled_partition(Parent const&) {
    return thread_block_tile<Size, Parent>();
}
/* The same with the size at run time: at most a warp. */
WARPKIT_CUDA_MEMBER thread_group tiled_partition(thread_group const& g, unsigned int size) {
    unsigned int const lanes = detail::lanes_of_tile(size) & g.mask_;
    return thread_group(lanes, (unsigned int)__popc(lanes & ((1u << detail::lane()) - 1)),
                        (unsigned int)__popc(lanes), false);
}
/* Of the lanes that are there, `size` by `size` in the order of their ranks. */
WARPKIT_CUDA_DEVICE coalesced_group tiled_partition(coalesced_group const& g, unsigned int size) {
    unsigned int const first = g.thread_rank() / size * size;
    unsigned int lanes = 0, rank = 0;
    for (unsigned int rest = g.lanes(); rest != 0; rest &= rest - 1, ++rank)
        if (rank >= first && rank < first + size) lanes |= rest & (0u - rest);
    return coalesced_group(lanes, g.thread_rank() / size, (g.num_threads() + size - 1) / size);
}
template <class Group, class Label>
WARPKIT_CUDA_DEVICE coalesced_group labeled_partition(Group const& g, Label label) {
    unsigned int const same = __match_any_sync(g.lanes(), label);
    /* Groups are counted in the order of their first lanes. */
    unsigned int const leaders =
        __ballot_sync(g.lanes(), (int)(detail::lane() == (unsigned int)__ffs((int)same) - 1));
    unsigned int const first = same & (0u - same);
    return coalesced_group(same, (unsigned int)__popc(leaders & (first - 1)), (unsigned int)__popc(leaders));
}
template <class Group>
WARPKIT_CUDA_DEVICE coalesced_group binary_partition(Group const& g, bool side) {
    return labeled_partition(g, (int)side);
}

template <class Group>
WARPKIT_CUDA_DEVICE void sync(Group const& g) {
    g.sync();
}
template <class Group>
WARPKIT_CUDA_DEVICE auto thread_rank(Group const& g) -> decltype(g.thread_rank()) {
    return g.thread_rank();
}
template <class Group>
WARPKIT_CUDA_DEVICE auto group_size(Group const& g) -> decltype(g.size()) {
    return g.size();
}
template <class Group, class F, class... A>
WARPKIT_CUDA_DEVICE void invoke_one(Group const& g, F&& f, A&&... arguments) {
    if (g.thread_rank() == 0) static_cast<F&&>(f)(static_cast<A&&>(arguments)...);
}
template <class Group, class F, class... A>
WARPKIT_CUDA_DEVICE auto invoke_one_broadcast(Group const& g, F&& f, A&&... arguments)
    -> decltype(f(static_cast<A&&>(arguments)...)) {
    decltype(f(static_cast<A&&>(arguments)...)) result{};
    if (g.thread_rank() == 0) result = static_cast<F&&>(f)(static_cast<A&&>(arguments)...);
    return g.shfl(result, 0);
}

/* Operations. */
#define WARPKIT_CUDA_OPERATION(name, result)                                                                 \
    template <class T = void>                                                                                \
    struct name {                                                                                            \
        WARPKIT_CUDA_MEMBER T operator()(T a, T b) const { return result; }                                  \
    };                                                                                                       \
    template <>                                                                                              \
    struct name<void> {                                                                                      \
        template <class T>                                                                                   \
        WARPKIT_CUDA_MEMBER T operator()(T a, T b) const {                                                   \
            return result;                                                                                   \
        }                                                                                                    \
    };
WARPKIT_CUDA_OPERATION(plus, a + b)
WARPKIT_CUDA_OPERATION(less, b < a ? b : a)
WARPKIT_CUDA_OPERATION(greater, a < b ? b : a)
WARPKIT_CUDA_OPERATION(bit_and, a& b)
WARPKIT_CUDA_OPERATION(bit_or, a | b)
WARPKIT_CUDA_OPERATION(bit_xor, a ^ b)
#undef WARPKIT_CUDA_OPERATION

template <class Group, class T, class Operation>
WARPKIT_CUDA_DEVICE T inclusive_scan(Group const& g, T v, Operation&& operation) {
    for (unsigned int by = 1; by < g.size(); by *= 2) {
        T const other = g.shfl_up(v, by);
        if (g.thread_rank() >= by) v = operation(other, v);
    }
    return v;
}
template <class Group, class T>
WARPKIT_CUDA_DEVICE T inclusive_scan(Group const& g, T v) {
    return inclusive_scan(g, v, plus<T>());
}
/* What comes back in the first thread is T(): with CUDA it is undefined but for sums. */
template <class Group, class T, class Operation>
WARPKIT_CUDA_DEVICE T exclusive_scan(Group const& g, T v, Operation&& operation) {
    T const before = g.shfl_up(inclusive_scan(g, v, operation), 1);
    return g.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
WARPKIT_CUDA_DEVICE T exclusive_scan(Group const& g, T v) {
    return exclusive_scan(g, v, plus<T>());
}

namespace detail {
template <class Group>
struct halves {
    template <class T, class Operation>
    static WARPKIT_CUDA_MEMBER T reduce(Group const& g, T v, Operation& operation) {
        return g.shfl(inclusive_scan(g, v, operation), (int)g.size() - 1);
    }
};
template <unsigned int Size, class Parent>
struct halves<thread_block_tile<Size, Parent>> {
    template <class T, class Operation>
    static WARPKIT_CUDA_MEMBER T reduce(thread_block_tile<Size, Parent> const& g, T v, Operation& operation) {
#pragma unroll
        for (unsigned int by = Size / 2; by > 0; by /= 2) v = operation(v, g.shfl_xor(v, by));
        return v;
    }
};
} // namespace detail
template <class Group, class T, class Operation>
WARPKIT_CUDA_DEVICE T reduce(Group const& g, T v, Operation&& operation) {
    return detail::halves<Group>::reduce(g, v, operation);
}
/* The first thread adds what all have to *to. */
template <class Group, class T>
WARPKIT_CUDA_DEVICE void reduce_update(Group const& g, T& to, T v) {
    T const sum = reduce(g, v, plus<T>());
    if (g.thread_rank() == 0) atomicAdd(&to, sum);
}

/* Copies by all threads of a group, a piece each. */
namespace detail {
template <class Piece, class Group>
WARPKIT_CUDA_DEVICE void copy_pieces(Group const& g, void* to, void const* from, size_t pieces) {
    for (size_t i = g.thread_rank(); i < pieces; i += g.size()) ((Piece*)to)[i] = ((Piece const*)from)[i];
}
template <class Group>
WARPKIT_CUDA_DEVICE void copy_bytes(Group const& g, void* to, void const* from, size_t bytes) {
    size_t const together = (size_t)to | (size_t)from | bytes;
    if (together % 16 == 0)
        copy_pieces<int4>(g, to, from, bytes / 16);
    else if (together % 4 == 0)
        copy_pieces<int>(g, to, from, bytes / 4);
    else
        copy_pieces<char>(g, to, from, bytes);
}
} // namespace detail
template <class Group, class T, class Size>
WARPKIT_CUDA_DEVICE void memcpy_async(Group const& g, T* to, T const* from, Size const& bytes) {
    detail::copy_bytes(g, to, from, (size_t)bytes);
}
template <class Group, class T, class ToSize, class FromSize>
WARPKIT_CUDA_DEVICE void memcpy_async(Group const& g, T* to, ToSize const& to_elements, T const* from,
                                      FromSize const& from_elements) {
    size_t const a = (size_t)to_elements, b = (size_t)from_elements;
    detail::copy_bytes(g, to, from, (a < b ? a : b) * sizeof(T));
}
template <class Group>
WARPKIT_CUDA_DEVICE void wait(Group const& g) {
    g.sync();
}
template <unsigned int Stages, class Group>
WARPKIT_CUDA_DEVICE void wait_prior(Group const& g) {
    g.sync();
}

#undef WARPKIT_CUDA_MEMBER

} // namespace __v1
using namespace __v1;

namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::memcpy_async;
using cooperative_groups::this_thread_block;
using cooperative_groups::thread_block_tile;
using cooperative_groups::tiled_partition;
using cooperative_groups::wait;
using cooperative_groups::wait_prior;
} // namespace experimental
} // namespace cooperative_groups
#endif

#include "letters_back.h"

#endif
