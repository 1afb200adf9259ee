#pragma once
// What the runtime knows: the device, the modules registered, what ran. The API's functions are thin calls of it.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/frontend/memory.hpp>
#include <warpkit/frontend/ptx/code_order.hpp>
#include <warpkit/frontend/texture.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/program/stream_order.hpp>

#include "cuda_runtime_api.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// A CUDA array is a piece of device memory, row by row.
struct cudaArray {
    warpkit::device_address address = 0;
    cudaChannelFormatDesc format{};
    std::size_t width = 0;
    std::size_t height = 0; ///< 0: one dimension
    std::size_t depth = 0;  ///< 0: at most two
    std::size_t pitch = 0;  ///< bytes from row to row
    std::size_t layers = 0; ///< the depth, where it counts layers or faces
    bool is_level = false;  ///< of a mipmapped array

    std::size_t element_bytes() const {
        return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
    }
    std::size_t row_bytes() const { return width * element_bytes(); }
    std::size_t rows() const { return (height == 0 ? 1 : height) * (depth == 0 ? 1 : depth); }
};
// Each level is an array, freed with the whole.
struct cudaMipmappedArray {
    std::vector<cudaArray*> levels;
};
// A node of a graph, and what it does.
// What a node of a graph was made of, for those who ask.
using kernel_attributes = std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue>;
struct kernel_contents {
    cudaKernelNodeParams parameters;
    std::vector<std::byte> block;    ///< of the arguments
    std::vector<void*> in_the_block; ///< where `parameters` finds each
    kernel_attributes attributes = {};
};
using node_contents =
    std::variant<std::monostate, std::shared_ptr<kernel_contents>, cudaMemcpy3DParms, cudaMemsetParams,
                 cudaHostNodeParams, cudaGraph_t, cudaEvent_t, cudaMemAllocNodeParams, cudaMemFreeNodeParams>;
struct CUgraphNode_st {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::vector<CUgraphNode_st*> after;
    std::function<void()> run;
    node_contents contents;
    std::vector<CUgraph_st*> bodies = {}; ///< of a condition
    std::function<std::function<void()>()> settle =
        {};                                   ///< of a condition: `run`, when the graph is instantiated
    CUgraphNode_st const* original = nullptr; ///< of a clone's node: a name
};
// What a program keeps until nobody refers to it any more, neither itself nor a graph.
struct CUuserObject_st {
    void* data = nullptr;
    void (*destroy)(void* data) = nullptr;

    CUuserObject_st(void* d, void (*f)(void*)) : data(d), destroy(f) {}
    CUuserObject_st(CUuserObject_st const&) = delete;
    CUuserObject_st& operator=(CUuserObject_st const&) = delete;
    ~CUuserObject_st() { destroy(data); }
};
struct object_references {
    std::shared_ptr<CUuserObject_st> object;
    std::uint64_t count = 0;
};
using held_objects = std::map<CUuserObject_st const*, object_references>;
struct CUgraph_st {
    std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
    std::vector<std::function<void()>> at_launch = {}; ///< conditions get their defaults
    held_objects objects = {};

    CUgraphNode_st* add(cudaGraphNodeType type, std::vector<CUgraphNode_st*> after, std::function<void()> run,
                        node_contents contents);
};
struct CUgraphExec_st {
    struct step {
        CUgraphNode_st const* from = nullptr; ///< the node that it was made of: a name
        cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
        std::function<void()> run;
        bool enabled = true;
        kernel_attributes attributes = {};
    };
    std::vector<step> steps;
    std::vector<std::function<void()>> at_launch = {};
    held_objects objects = {};
    unsigned long long flags = 0;

    void run() const {
        for (auto const& begin : at_launch) begin();
        for (auto const& s : steps)
            if (s.enabled) s.run();
    }
};
struct CUstream_st {
    unsigned flags = 0;
    // While it is captured: the graph to be, and the nodes that the next one comes after.
    CUgraph_st* captures = nullptr;
    bool began = false;             ///< the capture
    unsigned long long capture = 0; ///< its number
    std::vector<CUgraphNode_st*> last;
};
// A pool of memory: what was taken from it and not given back, and what it was told.
struct CUmemPoolHandle_st {
    std::map<std::uint64_t, std::size_t> taken; ///< bytes by address
    std::uint64_t high = 0;                     ///< most bytes at once since it was asked to forget
    std::uint64_t release_threshold = 0;

    std::uint64_t used() const {
        std::uint64_t sum = 0;
        for (auto const& [address, bytes] : taken) sum += bytes;
        return sum;
    }
};
struct CUevent_st {
    bool timed = true;
    bool shared = false; ///< cudaEventInterprocess
    bool recorded = false;
    double seconds = 0;                   ///< simulated, when it was recorded
    warpkit::stream_order::launches done; ///< what its stream had been given
    // Recorded in a stream that is captured: where that one stood.
    CUgraph_st* captured = nullptr;
    std::vector<CUgraphNode_st*> last;
};

namespace warpkit::cuda {

// An error with the code that the program is given.
class failure : public error {
public:
    failure(cudaError_t code, std::string const& message) : error(message), code_(code) {}
    cudaError_t code() const noexcept { return code_; }

private:
    cudaError_t code_;
};

// The objects of a kind that programs hold handles of, from their creation to their destruction. What is no such
// handle, or is no longer, is told from one without looking at it.
template <class T>
class handles {
public:
    T* add(T const& object) {
        auto made = std::make_unique<T>(object);
        auto* const handle = made.get();
        live_.emplace(handle, std::move(made));
        return handle;
    }
    // The object itself becomes the handle.
    T* keep(std::unique_ptr<T> object) {
        auto* const handle = object.get();
        live_.emplace(handle, std::move(object));
        return handle;
    }
    bool holds(T const* handle) const { return live_.count(handle) != 0; }
    // Fails with `code` for what is no handle.
    void require(T const* handle, cudaError_t code, char const* what) const {
        if (!holds(handle))
            throw failure(
                code, std::string(handle == nullptr ? "no " : "not, or no longer, the handle of a ") + what);
    }
    void remove(T const* handle) { live_.erase(handle); }
    void clear() { live_.clear(); }
    template <class F>
    void for_each(F f) {
        for (auto& [handle, object] : live_) f(*object);
    }

private:
    std::map<T const*, std::unique_ptr<T>> live_;
};

// One text of PTX, registered by one object file. It is parsed when it is first needed.
class module_entry;

struct function_entry {
    module_entry* home = nullptr;
    std::string name; ///< in the PTX
};
struct variable_entry {
    module_entry* home = nullptr;
    std::string name;
    std::size_t bytes = 0;
};
struct texture_entry {
    module_entry* home = nullptr;
    std::string name;
    bool normalised_values = false;
    bool bound = false;
    texture_binding binding; ///< where and what; how it is read stands in the reference
};

// What the environment asks for (docs/howto/cuda.md).
struct settings {
    std::string gpu;
    std::string scheduler;
    std::string dram_scheduler;
    std::vector<std::string> numbers;  ///< of WARPKIT_SET: name=value
    std::vector<slot_and_policy> uses; ///< of WARPKIT_USE: seat=policy
    bool timing = true;
    bool report = true;
    bool progress = true; ///< on a terminal
    std::string json;
    std::uint64_t instruction_limit = 1'000'000'000; ///< warp instructions per CTA
    std::uint64_t stream_limit = std::uint64_t{1}
                                 << 29; ///< bytes of streams per CTA, where kernels are timed
    unsigned function_threads =
        1; ///< host threads of a kernel that is not timed; 0: as many as there are cores
};

// Static facts about a kernel.
struct kernel_facts {
    unsigned registers = 0;
    std::size_t shared_bytes = 0;
    std::size_t local_bytes = 0;
    std::size_t constant_bytes = 0;
};

struct launch_shape {
    warpkit::dim3 grid;
    warpkit::dim3 block;
    std::size_t shared_bytes = 0;
    warpkit::dim3 cluster{0, 0, 0}; // CTAs of one; zeros: as the kernel says
    bool cooperative = false;
};

class session {
public:
    // The only one; made at the first call, never destroyed: programs call the runtime until they have ended.
    static session& instance();

    session(session const&) = delete;
    session& operator=(session const&) = delete;

    std::recursive_mutex mutex;

    // Registration, before main().
    module_entry* add_module(std::string ptx);
    void add_function(void const* host, module_entry* home, std::string name);
    void add_variable(void const* host, module_entry* home, std::string name, std::size_t bytes);
    // One that host and kernels see at the same address.
    void add_managed(void* host, module_entry* home, std::string name, std::size_t bytes);
    void add_texture(textureReference const* host, module_entry* home, std::string name,
                     bool normalised_values);

    // The last error and, after a kernel's fault, the one that stays.
    cudaError_t remember(cudaError_t code);
    cudaError_t take_last_error();
    cudaError_t last_error() const { return last_error_; }
    cudaError_t sticky_error() const { return sticky_; }
    void make_sticky(cudaError_t code) { sticky_ = code; }
    void reset();

    device_memory& memory() { return memory_; }
    // CUDA's limits of a launch (compute capability 7.0), and the machine's.
    static constexpr std::uint32_t max_grid[3] = {0x7fffffff, 65535, 65535};
    static constexpr std::uint32_t max_block[3] = {1024, 1024, 64};
    std::uint32_t max_threads_per_block() const {
        return numbers_.core.threads < 1024 ? numbers_.core.threads : 1024;
    }
    gpu_parameters const& machine() const { return numbers_; }
    std::string const& machine_name() const { return machine_name_; }
    // Of the newest of CUDA's functions that there are: graphs whose nodes run by a condition.
    static constexpr int driver_version = 12080;
    static std::size_t total_memory() { return std::size_t{4} << 30; }
    // The compute capability that the first module was compiled for, 70 for 7.0; 70 where there is none.
    int capability() const;
    // Whether the first module is of CUDA 13 or newer (PTX 9), some of whose functions take other arguments.
    bool of_toolkit_13() const;
    // Simulated time since the start, in seconds: when the last of what was launched ends.
    double now();

    // What streams, events and the host's waits say of the order of launches. A launch is executed when it is made;
    // where core.kernels is above 1, it is timed when it is known what may run beside it.
    stream_order order;
    std::uint32_t number_of(cudaStream_t stream) {
        return numbers_of_streams_.of(reinterpret_cast<std::uint64_t>(stream));
    }
    // When these launches, or what came before them, had ended.
    double ended(stream_order::launches const& all);
    // Something is done in a stream that is no kernel. The default one waits for others, and others for it.
    void use(cudaStream_t stream) {
        if (number_of(stream) == stream_order::default_stream) order.host_copies();
    }

    // Bytes of the device at this address, or null.
    std::byte* find(void const* address, std::size_t bytes);
    // The same of a symbol, by its host variable or by its name; fails with cudaErrorInvalidSymbol.
    std::byte* symbol_bytes(void const* symbol, std::size_t bytes, std::size_t offset);
    variable_entry const& symbol(void const* symbol) const;
    device_address symbol_address(void const* symbol);
    // A variable of a module by its name in the PTX; fails with cudaErrorSymbolNotFound.
    struct placed_variable {
        device_address address = 0;
        std::size_t bytes = 0;
    };
    placed_variable variable_of(module_entry& home, std::string const& name);

    // Fails with cudaErrorInvalidTexture for what is no texture reference.
    void require_texture(textureReference const* texture) const;
    // Binds, without a binding unbinds, the texture of a reference.
    void bind(textureReference const* texture, texture_binding const* to);

    // What streams were told (cudaStreamSetAttribute): it is kept, and means nothing.
    std::map<std::pair<cudaStream_t, int>, cudaLaunchAttributeValue>& stream_attributes() {
        return stream_attributes_;
    }

    // The heap of malloc in kernels (include/device/heap.h): one for all modules, made with the first launch of a
    // kernel whose module has malloc. Its size can be chosen until then.
    /// cudaLimitStackSize, in bytes per thread.
    std::size_t stack_limit() const { return stack_limit_; }
    void set_stack_limit(std::size_t bytes) { stack_limit_ = bytes; }
    /// A thread's stack where functions call themselves. PTX, before register allocation, keeps there up to some four
    /// times what a chip's code does.
    std::uint64_t stack_bytes() const {
        auto const wanted = std::max<std::uint64_t>(stack_limit_, 4096);
        return wanted > (std::uint64_t{1} << 30) ? std::uint64_t{1} << 32 : (wanted + 15) / 16 * 64;
    }
    std::size_t heap_bytes() const { return heap_bytes_; }
    void set_heap_bytes(std::size_t bytes) {
        if (heap_ != 0)
            throw failure(
                cudaErrorInvalidValue,
                "the heap of malloc in kernels is in use: choose its size before they are launched");
        heap_bytes_ = bytes;
    }

    // Whether this is a __global__ function, or what cuModuleGetFunction gave.
    bool knows(void const* function) const { return functions_.count(function) != 0; }
    kernel_facts facts(void const* function);
    // Of a __global__ function; fails with cudaErrorInvalidDeviceFunction.
    function_entry const& function(void const* host) const;
    // A parameter of a kernel, in the block of its arguments.
    struct placed_parameter {
        std::size_t offset = 0;
        std::size_t bytes = 0;
    };
    std::vector<placed_parameter> parameters_of(void const* function);
    // Fails with cudaErrorInvalidPtx for a text that is no module.
    void check_text(std::string const& text) const;
    // The kernels of a module, in the order of its text.
    std::vector<std::string> kernels_of(module_entry& home);
    unsigned resident_ctas(void const* function, unsigned threads, std::size_t dynamic_shared_bytes);
    // The arguments of a launch, byte by byte.
    std::vector<std::byte> packed(void const* function, void* const* arguments);
    void launch(void const* function, launch_shape const& shape, std::vector<std::byte> arguments,
                cudaStream_t stream);
    // The stream that the running graph was launched in.
    cudaStream_t graph_stream = nullptr;

    // Configurations pushed by <<<>>> and not yet taken by the kernel's stub.
    struct configuration {
        ::dim3 grid;
        ::dim3 block;
        std::size_t shared_bytes = 0;
        cudaStream_t stream = nullptr;
        std::vector<std::byte> arguments;
    };
    std::vector<configuration> pushed;

    // Host memory that kernels see. Managed memory is released by cudaFree, pinned memory by cudaFreeHost, what was
    // registered by nobody.
    struct host_block {
        enum class kind { managed, pinned, registered };
        std::size_t bytes = 0;
        std::size_t mapped = 0; ///< with what is in front of the next page; 0 if it was registered
        kind what = kind::managed;
    };
    std::map<std::uint64_t, host_block> host_memory; ///< by address
    // The block that has a byte of this range, or the end.
    std::map<std::uint64_t, host_block>::iterator block_at(void const* address, std::size_t bytes);
    void release_block(std::map<std::uint64_t, host_block>::iterator block);

    // What a program said of its managed memory (ranges_api.cpp): it is kept, and means nothing. Ranges lie apart.
    struct advice {
        std::uint64_t end = 0;
        bool read_mostly = false;
        int preferred = cudaInvalidDeviceId;
        bool by_device = false; ///< cudaMemAdviseSetAccessedBy
        bool by_host = false;
        int prefetched = cudaInvalidDeviceId; ///< where to, the last time

        bool operator==(advice const&) const = default;
    };
    std::map<std::uint64_t, advice> advised; ///< by address

    // Addresses that are reserved, the pieces of physical memory that are mapped there, and where runs of these begin
    // that kernels see (virtual_memory_api.cpp).
    struct reservation {
        struct piece {
            std::size_t bytes = 0;
            unsigned long long handle = 0;
            bool accessible = false;
        };
        std::size_t bytes = 0;
        std::map<std::uint64_t, piece> pieces;
        std::vector<std::uint64_t> seen;
    };
    struct physical_memory {
        int file = -1;
        std::size_t bytes = 0;
        unsigned handles = 0; ///< it goes with the last of these and of
        unsigned mappings = 0;
    };
    std::map<std::uint64_t, reservation> reservations;
    std::map<unsigned long long, physical_memory> physical;
    unsigned long long last_physical = 0;
    void release_reservations();

    handles<CUstream_st> streams;
    handles<CUevent_st> events;
    handles<cudaArray> arrays;
    handles<cudaMipmappedArray> mipmapped_arrays;
    // What texture and surface objects were made of; both are among the textures.
    struct texture_object {
        cudaResourceDesc resource;
        cudaTextureDesc texture;
    };
    std::map<std::uint64_t, texture_object> texture_objects;
    std::map<std::uint64_t, cudaResourceDesc> surfaces;
    handles<CUmemPoolHandle_st> pools;
    CUmemPoolHandle_st default_pool;
    CUmemPoolHandle_st* current_pool = &default_pool;
    handles<CUgraph_st> graphs;
    handles<CUgraphExec_st> executables;
    // What the program itself refers to; an object that graphs alone hold is no longer among these.
    held_objects objects;
    unsigned device_flags = cudaDeviceMapHost;
    // Adds what a stream is given to the graph that it is captured into; false if it is not captured.
    bool capture(cudaStream_t stream, cudaGraphNodeType type, std::function<void()> run,
                 node_contents contents = {});
    // The graph itself, if a stream is being captured into it.
    CUgraph_st* captured_graph(CUgraph_st const* graph);
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal; ///< as a thread exchanges it
    // A kernel's arguments where they lie in the block that packed() has made of them.
    std::vector<void*> arguments_in(void const* function, std::vector<std::byte>& block);
    unsigned long long captures = 0; ///< so far
    void capture_event(cudaEvent_t event, cudaStream_t stream);
    // A stream that waits for an event of a capture belongs to it from then on; false if the event is of none.
    bool join_capture(cudaStream_t stream, cudaEvent_t event);
    // Fails while any stream is captured: what the default stream is given would have to wait for it.
    void require_no_capture();
    // The same for what the default stream is given in its order: streams that do not wait for it do not matter.
    void require_no_blocking_capture();
    // What graphs allocate has its address from the moment that its node is made, and keeps it until the device is
    // reset; `live` while a launch has allocated it and nothing has freed it.
    struct graph_block {
        std::size_t bytes = 0;
        bool live = false;
    };
    struct {
        std::map<std::uint64_t, graph_block> blocks;
        std::uint64_t used_high = 0;
        std::uint64_t used() const {
            std::uint64_t n = 0;
            for (auto const& [at, b] : blocks) n += b.live ? b.bytes : 0;
            return n;
        }
        std::uint64_t reserved() const {
            std::uint64_t n = 0;
            for (auto const& [at, b] : blocks) n += b.bytes;
            return n;
        }
    } graph_memory;
    // A new block, and what its node does; and the same for the node that frees it.
    std::uint64_t add_graph_block(std::size_t bytes);
    void take_graph_block(std::uint64_t address);
    // False if this address is not that of a graph's block.
    bool free_graph_block(std::uint64_t address);

    // What was at this address is of no pool any more.
    void leave_pools(std::uint64_t address) {
        default_pool.taken.erase(address);
        pools.for_each([address](CUmemPoolHandle_st& p) { p.taken.erase(address); });
    }

private:
    session();
    ~session() = delete;

    struct totals;
    struct engine_holder;
    struct family;

    void choose_machine();
    ptx::code_order order_of_code() const {
        return numbers_.core.scheduled_code != 0 ? ptx::code_order::scheduled : ptx::code_order::as_written;
    }
    void check_shape(std::string const& kernel, launch_shape const& shape, unsigned registers,
                     std::size_t static_shared_bytes) const;
    void settle_textures();
    device_address address_of(module_entry& home, std::uint32_t variable);
    bool print_from_kernel(module_entry& home);
    void provide_heap(module_entry& home);
    void report();
    void run_pending();

    settings settings_;
    gpu_parameters numbers_;
    std::string machine_name_;
    device_memory memory_;
    std::vector<module_entry*> modules_;
    std::map<void const*, function_entry> functions_;
    std::map<void const*, variable_entry> variables_;
    std::map<textureReference const*, texture_entry> textures_;
    std::map<module_entry*, device_address> constants_; ///< where banks are mapped
    cudaError_t last_error_ = cudaSuccess;
    cudaError_t sticky_ = cudaSuccess;
    stream_numbers numbers_of_streams_;
    double seconds_ = 0;
    engine_holder* engine_ = nullptr;
    totals* totals_ = nullptr;
    std::map<std::pair<cudaStream_t, int>, cudaLaunchAttributeValue> stream_attributes_;
    device_address heap_ = 0; ///< 0: there is none yet
    std::size_t heap_bytes_ = std::size_t{8} << 20;
    std::size_t stack_limit_ = 1024;
};

// One is always there, and so are the two names of CUDA's default streams.
inline void require_stream(session const& s, cudaStream_t stream) {
    if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return;
    s.streams.require(stream, cudaErrorInvalidResourceHandle, "stream");
    if (stream->captures != nullptr)
        throw failure(cudaErrorStreamCaptureUnsupported, "the stream is being captured, and this cannot be");
}
// Before something is done in a stream that is no kernel, and cannot be captured.
inline void take_turn(session& s, cudaStream_t stream) {
    require_stream(s, stream);
    if (stream == nullptr || stream == cudaStreamLegacy) s.require_no_blocking_capture();
    s.use(stream);
}
// Before something that the host waits for.
inline void take_turn(session& s) {
    s.require_no_capture();
    s.order.host_copies();
}
inline void require_event(session const& s, cudaEvent_t event) {
    s.events.require(event, cudaErrorInvalidResourceHandle, "event");
}
// Fails with cudaErrorInvalidValue.
inline void require(void const* p, char const* what) {
    if (p == nullptr) throw failure(cudaErrorInvalidValue, std::string(what) + " is a null pointer");
}
inline void require_flags(unsigned flags, unsigned known) {
    if ((flags & ~known) != 0)
        throw failure(cudaErrorInvalidValue, "unknown flags: " + std::to_string(flags));
}

// Writes "warpkit: ..." to the standard error stream.
void complain(std::string const& message);

// The address that a kernel sees, as a pointer of the host, and back.
inline void* pointer(device_address a) { return reinterpret_cast<void*>(a); }
inline device_address address(void const* p) { return reinterpret_cast<device_address>(p); }
inline std::string hexadecimal(void const* p) {
    auto a = address(p);
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[a & 15]);
        a >>= 4;
    } while (a != 0);
    return "0x" + digits;
}
inline void require_device(int device) {
    if (device != 0) throw failure(cudaErrorInvalidDevice, "there is one device, 0");
}

// Runs the body of an API function: one thread at a time; errors become codes, each told in one line that begins with
// the function's name.
template <class Body>
cudaError_t call(char const* name, Body body) {
    auto& s = session::instance();
    std::lock_guard const guard(s.mutex);
    if (s.sticky_error() != cudaSuccess) return s.remember(s.sticky_error());
    try {
        body(s);
        return cudaSuccess;
    } catch (failure const& e) {
        complain(std::string(name) + ": " + e.what());
        return s.remember(e.code());
    } catch (std::bad_alloc const&) {
        complain(std::string(name) + ": out of memory on the host");
        return s.remember(cudaErrorMemoryAllocation);
    } catch (std::exception const& e) {
        complain(std::string(name) + ": " + e.what());
        return s.remember(cudaErrorUnknown);
    }
}

} // namespace warpkit::cuda
