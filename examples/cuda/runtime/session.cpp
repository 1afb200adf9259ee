#include "session.hpp"

#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/config/timed_launch.hpp>
#include <warpkit/cta/fit.hpp>
#include <warpkit/cta/occupancy.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/program/stored_launch.hpp>
#include <warpkit/report/progress.hpp>

#include "machines.hpp"
#include "report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace warpkit::cuda {

// Whether an instruction of a kernel may use an address from `first` on; it stands in the instruction or among the
// constants.
static bool uses(ptx::kernel const& k, device_address first, std::size_t bytes) {
    auto const is_there = [&](std::uint64_t a) { return a - first < bytes; };
    for (auto const& o : k.operations())
        if (is_there(o.offset)) return true;
    auto const& constants = k.constants();
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= constants.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t a = 0;
        std::memcpy(&a, constants.data() + at, sizeof a);
        if (is_there(a)) return true;
    }
    return false;
}

class module_entry {
public:
    module_entry(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}

    ptx::loaded_module& loaded(device_memory& memory) {
        if (!loaded_) {
            try {
                loaded_ = std::make_unique<ptx::loaded_module>(ptx::parse(text_, name_), memory);
                for (auto const& m : managed_) { // the host may have written to it since cudaDeviceReset
                    auto const* const bytes = static_cast<std::byte const*>(m.host);
                    std::vector<std::byte> const kept(bytes, bytes + m.bytes);
                    place(memory, m);
                    std::memcpy(m.host, kept.data(), kept.size());
                }
            } catch (error const& e) {
                throw failure(cudaErrorInvalidPtx, e.what());
            }
        }
        return *loaded_;
    }
    ptx::kernel const& kernel(device_memory& memory, std::string const& name, ptx::code_order order) {
        auto const known = kernels_.find(name);
        if (known != kernels_.end()) return known->second;
        auto& module = loaded(memory);
        try {
            return kernels_.emplace(name, ptx::kernel(module, name, order)).first->second;
        } catch (error const& e) {
            throw failure(cudaErrorInvalidDeviceFunction, e.what());
        }
    }
    // Whether a kernel prints, or asserts (include/device/printf.h): its text is in the order of its CTAs.
    bool prints(device_memory& memory, ptx::kernel const& k) {
        auto& module = loaded(memory);
        auto const& variables = module.source().variables;
        for (std::uint32_t i = 0; i < variables.size(); ++i)
            if (variables[i].space == memory_space::global &&
                variables[i].name.find("warpkit_cuda_printf_used") != std::string::npos)
                return uses(k, module.address(i), sizeof(std::uint64_t));
        return false;
    }
    // A __managed__ variable, which lies where the host has it. All are told before the first kernel is made.
    void manage(device_memory& memory, void* host, std::string name, std::size_t bytes) {
        static_cast<void>(loaded(memory));
        managed_.push_back({host, std::move(name), bytes});
        place(memory, managed_.back());
    }
    // The number behind these words, such as that of a .target directive; 0 if they are not at its beginning.
    int number_behind(std::string_view words) const {
        auto const at = std::string_view(text_).substr(0, 4096).find(words);
        return at == text_.npos ? 0 : std::atoi(text_.c_str() + at + words.size());
    }
    void forget() {
        kernels_.clear();
        loaded_.reset();
    }

private:
    struct managed_variable {
        void* host;
        std::string name;
        std::size_t bytes;
    };
    void place(device_memory& memory, managed_variable const& v) {
        memory.map(address(v.host), static_cast<std::byte*>(v.host), v.bytes);
        loaded_->move_variable(v.name, address(v.host));
    }
    std::string text_;
    std::string name_;
    std::vector<managed_variable> managed_;
    std::unique_ptr<ptx::loaded_module> loaded_;
    std::map<std::string, ptx::kernel> kernels_;
};

struct session::engine_holder {
    std::optional<engine> gpu;
    // Launches that have been executed, but not been timed: of some that may run at once the next may be another one.
    struct pending {
        std::string name;
        std::shared_ptr<stream_store> store;
        std::unique_ptr<stored_launch> ctas;
        launch_place place;
    };
    std::vector<pending> waiting;
    std::shared_ptr<stream_store> store; ///< of those that wait
    group_boundaries boundaries;

    bool times_later() const { return gpu && gpu->kernels_at_once() > 1; }
};
struct session::totals {
    run_report report;
    std::vector<double> ended; ///< seconds, by launch
    std::uint64_t grids = 0;
    bool told = false; ///< the report is made
};

// Not by way of std::cerr: modules register before main(), and streams may come to life after them.
void complain(std::string const& message) { std::fputs(("warpkit: " + message + '\n').c_str(), stderr); }

namespace {

std::string variable(char const* name) {
    auto const* const text = std::getenv(name);
    return text == nullptr ? std::string() : std::string(text);
}
bool is_on(char const* name, bool otherwise) {
    auto const text = variable(name);
    if (text.empty()) return otherwise;
    if (text == "on" || text == "1") return true;
    if (text == "off" || text == "0") return false;
    throw error(std::string(name) + "=" + text + ": expected on or off");
}
// Refuses before the work what cannot be written after it.
void require_place(std::string const& file) {
    auto const folder = std::filesystem::path(file).parent_path();
    std::error_code ignored;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
        throw error("WARPKIT_JSON=" + file + ": there is no folder " + folder.string());
    if (std::filesystem::is_directory(file, ignored))
        throw error("WARPKIT_JSON=" + file + ": this is a folder, expected a file's name");
}
// The parts between commas.
std::vector<std::string> list_in(char const* name) {
    std::vector<std::string> all;
    auto const text = variable(name);
    for (std::size_t at = 0; at < text.size();) {
        auto const end = std::min(text.find(',', at), text.size());
        all.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return all;
}
// Host threads: a number, or 0 for all that there are.
unsigned threads_in(char const* name) {
    constexpr unsigned most = 1024;
    auto const text = variable(name);
    if (text.empty()) return 1;
    if (text == "all") return 0;
    bool const digits = text.size() <= 4 && text.find_first_not_of("0123456789") == text.npos;
    auto const number = digits ? static_cast<unsigned>(std::stoul(text)) : most + 1;
    if (number > most)
        throw error(std::string(name) + "=" + text + ": expected a number of host threads, 1 to " +
                    std::to_string(most) + ", or all");
    return number;
}
settings from_environment() {
    settings s;
    s.gpu = variable("WARPKIT_GPU");
    s.scheduler = variable("WARPKIT_SCHEDULER");
    s.dram_scheduler = variable("WARPKIT_DRAM_SCHEDULER");
    s.numbers = list_in("WARPKIT_SET");
    for (auto const& use : list_in("WARPKIT_USE")) {
        auto const equals = use.find('=');
        if (equals == use.npos || equals == 0)
            throw error("WARPKIT_USE=" + use + ": expected seat=policy, as in kernel_dispatch=smk");
        s.uses.push_back({use.substr(0, equals), use.substr(equals + 1)});
    }
    s.timing = is_on("WARPKIT_TIMING", true);
    s.report = is_on("WARPKIT_REPORT", true);
    s.progress = is_on("WARPKIT_PROGRESS", true);
    s.json = variable("WARPKIT_JSON");
    auto const limit = variable("WARPKIT_LIMIT");
    if (!limit.empty()) s.instruction_limit = parse_number(limit, "", "WARPKIT_LIMIT");
    auto const streams = variable("WARPKIT_STREAM_LIMIT");
    if (!streams.empty()) s.stream_limit = parse_number(streams, "bytes", "WARPKIT_STREAM_LIMIT");
    s.function_threads = threads_in("WARPKIT_FUNCTION_THREADS");
    if (!s.json.empty()) require_place(s.json);
    return s;
}

// Where constant banks are seen in global memory: below the heap.
constexpr device_address first_constants = 0x40000000;
constexpr device_address constants_apart = 1 << 20;

// The code for what went wrong while a kernel ran.
cudaError_t code_of(std::string_view message) {
    auto const says = [&](std::string_view words) { return message.find(words) != message.npos; };
    if (says("Assertion `")) return cudaErrorAssert;
    if (says("out-of-range") || says("forbidden write")) return cudaErrorIllegalAddress;
    if (says("misaligned")) return cudaErrorMisalignedAddress;
    if (says("has not ended")) return cudaErrorLaunchTimeout;
    if (says("executed and not timed")) return cudaErrorNotSupported;
    return cudaErrorLaunchFailure;
}

} // namespace

session& session::instance() {
    static auto* const only = new session;
    return *only;
}

session::session() : memory_(total_memory()), engine_(new engine_holder), totals_(new totals) {
    try {
        settings_ = from_environment();
        choose_machine();
    } catch (std::exception const& e) {
        complain(e.what());
        std::exit(2);
    }
    std::atexit([] { instance().report(); });
}

void session::choose_machine() {
    auto const& all = machines();
    sweep_point const* chosen = nullptr;
    for (auto const& m : all) {
        bool const fits = (settings_.gpu.empty() || settings_.gpu == m.preset) &&
                          (settings_.scheduler.empty() || settings_.scheduler == m.chosen[0]) &&
                          (settings_.dram_scheduler.empty() || m.chosen.size() < 2 ||
                           settings_.dram_scheduler == m.chosen[1]);
        if (fits && chosen == nullptr) chosen = &m;
    }
    if (chosen == nullptr) {
        std::string list;
        for (auto const& m : all) {
            if (m.chosen.size() > 2 && m.chosen[2] != all.front().chosen[2])
                continue; // replay queues are the lab's
            list += "\n  WARPKIT_GPU=" + m.preset + " WARPKIT_SCHEDULER=" + m.chosen[0];
            if (m.chosen.size() > 1) list += " WARPKIT_DRAM_SCHEDULER=" + m.chosen[1];
        }
        throw error("no such machine among those compiled in; there are:" + list);
    }
    for (auto const* p : preset_numbers::all())
        if (p->name == chosen->preset) numbers_ = parameters(*p);
    for (auto const& n : settings_.numbers) set_number(numbers_, n);
    check(numbers_);
    machine_name_ = chosen->preset + ", " + chosen->chosen[0];
    if (chosen->chosen.size() > 1) machine_name_ += ", " + chosen->chosen[1];
    if (settings_.timing) engine_->gpu = chosen->make(numbers_, settings_.uses);
    totals_->report.machine = machine_name_;
    totals_->report.numbers = numbers_;
    totals_->report.timing = settings_.timing;
}

int session::capability() const {
    auto const found = modules_.empty() ? 0 : modules_.front()->number_behind(".target sm_");
    return found == 0 ? 70 : found;
}
bool session::of_toolkit_13() const {
    return !modules_.empty() && modules_.front()->number_behind(".version ") >= 9;
}

module_entry* session::add_module(std::string ptx) {
    modules_.push_back(
        new module_entry(std::move(ptx), "module " + std::to_string(modules_.size() + 1) + ".ptx"));
    return modules_.back();
}
void session::add_function(void const* host, module_entry* home, std::string name) {
    functions_[host] = {home, std::move(name)};
}
void session::add_variable(void const* host, module_entry* home, std::string name, std::size_t bytes) {
    variables_[host] = {home, std::move(name), bytes};
}
void session::add_managed(void* host, module_entry* home, std::string name, std::size_t bytes) {
    try {
        home->manage(memory_, host, name, bytes);
    } catch (error const& e) { // a text that cannot be read is told again by the first call that needs it
        complain("the __managed__ variable " + name + ": " + e.what());
    }
    add_variable(host, home, std::move(name), bytes);
}
void session::add_texture(textureReference const* host, module_entry* home, std::string name,
                          bool normalised_values) {
    textures_[host] = {home, std::move(name), normalised_values, false, {}};
}

cudaError_t session::remember(cudaError_t code) {
    if (code != cudaSuccess) last_error_ = code;
    return code;
}
cudaError_t session::take_last_error() {
    auto const e = last_error_;
    last_error_ = sticky_;
    return e;
}
void session::reset() {
    run_pending(); // before the code goes
    order.host_waits();
    last_error_ = sticky_ = cudaSuccess;
    for (auto* m : modules_) m->forget();
    while (!host_memory.empty()) release_block(host_memory.begin());
    release_reservations();
    streams.clear();
    events.clear();
    arrays.clear();
    mipmapped_arrays.clear();
    texture_objects.clear();
    surfaces.clear();
    pools.clear();
    graphs.clear();
    executables.clear();
    graph_memory = {};
    default_pool = {};
    current_pool = &default_pool;
    pushed.clear();
    memory_ = device_memory(total_memory());
    for (auto& [host, t] : textures_) t.bound = false;
    constants_.clear();
    heap_ = 0;
    stream_attributes_.clear();
}

std::byte* session::find(void const* p, std::size_t bytes) { return memory_.find(address(p), bytes); }

std::map<std::uint64_t, session::host_block>::iterator session::block_at(void const* p, std::size_t bytes) {
    auto const first = address(p);
    auto const end = saturated_sum(first, bytes);
    for (auto b = host_memory.begin(); b != host_memory.end(); ++b)
        if (b->first < end && first < b->first + b->second.bytes) return b;
    return host_memory.end();
}
void session::release_block(std::map<std::uint64_t, host_block>::iterator block) {
    memory_.unmap(block->first);
    if (block->second.mapped != 0) munmap(pointer(block->first), block->second.mapped);
    auto const first = block->first;
    auto const end = first + block->second.bytes;
    host_memory.erase(block);
    advised.erase(advised.lower_bound(first), advised.lower_bound(end));
}

variable_entry const& session::symbol(void const* symbol) const {
    auto const known = variables_.find(symbol);
    if (known != variables_.end()) return known->second;
    // Programs from before CUDA 5 give its name.
    if (symbol != nullptr)
        for (auto const& [host, v] : variables_)
            if (std::strncmp(static_cast<char const*>(symbol), v.name.c_str(), v.name.size() + 1) == 0)
                return v;
    throw failure(cudaErrorInvalidSymbol, "this is no __device__ or __constant__ variable");
}

std::byte* session::symbol_bytes(void const* which, std::size_t bytes, std::size_t offset) {
    auto const& v = symbol(which);
    if (!lies_within(offset, bytes, v.bytes))
        throw failure(cudaErrorInvalidValue, "variable '" + v.name + "' has " + std::to_string(v.bytes) +
                                                 " bytes, " + std::to_string(bytes) + " at offset " +
                                                 std::to_string(offset) + " do not fit");
    auto const a = symbol_address(which);
    auto* const found = find(pointer(a + offset), bytes);
    if (found == nullptr) throw failure(cudaErrorInvalidSymbol, "variable '" + v.name + "' has no memory");
    return found;
}

device_address session::address_of(module_entry& home, std::uint32_t variable) {
    auto& module = home.loaded(memory_);
    if (module.source().variables[variable].space == memory_space::global) return module.address(variable);
    // Kernels that are handed this address read it as global memory: there the bank is mapped, once.
    auto const [known, is_new] =
        constants_.try_emplace(&home, first_constants + constants_.size() * constants_apart);
    auto& bank = module.constants();
    if (is_new) memory_.map(known->second, bank.data(), bank.size());
    return known->second + module.address(variable);
}
device_address session::symbol_address(void const* which) {
    auto const& v = symbol(which);
    try {
        return address_of(*v.home, v.home->loaded(memory_).find_variable(v.name));
    } catch (error const&) {
        throw failure(cudaErrorInvalidSymbol,
                      "variable '" + v.name +
                          "' is used by no kernel of its source file, so the compiler left it out");
    }
}
session::placed_variable session::variable_of(module_entry& home, std::string const& name) {
    auto& module = home.loaded(memory_);
    try {
        auto const i = module.find_variable(name);
        return {address_of(home, i), static_cast<std::size_t>(module.source().variables[i].size)};
    } catch (error const&) {
        throw failure(cudaErrorSymbolNotFound, "the module has no variable '" + name + "'");
    }
}

void session::require_texture(textureReference const* texture) const {
    if (textures_.count(texture) == 0) throw failure(cudaErrorInvalidTexture, "this is no texture reference");
}
void session::bind(textureReference const* texture, texture_binding const* to) {
    require_texture(texture);
    auto& t = textures_.find(texture)->second;
    if (to == nullptr) {
        if (t.bound) memory_.textures().unbind(t.home->loaded(memory_).texture(t.name));
        t.bound = false;
        return;
    }
    t.binding = *to;
    t.bound = true;
}

// What a reference says of filtering and addressing holds when a kernel is launched.
void session::settle_textures() {
    for (auto const& [host, t] : textures_) {
        if (!t.bound) continue;
        auto b = t.binding;
        bool const array = b.outside[0] != texture_address_mode::border;
        if (array) {
            for (std::size_t i = 0; i < 3; ++i)
                b.outside[i] = static_cast<texture_address_mode>(host->addressMode[i]);
            b.normalised_coordinates = host->normalized != 0;
        }
        b.filter = static_cast<texture_filter>(host->filterMode);
        b.normalised_values = t.normalised_values;
        std::uint64_t handle = 0;
        try {
            handle = t.home->loaded(memory_).texture(t.name);
        } catch (error const&) {
            continue; // no kernel reads it
        }
        try {
            memory_.textures().bind(handle, b);
        } catch (error const& e) {
            throw failure(cudaErrorInvalidTextureBinding, e.what());
        }
    }
}

function_entry const& session::function(void const* host) const {
    auto const known = functions_.find(host);
    if (known == functions_.end())
        throw failure(cudaErrorInvalidDeviceFunction, "this is no __global__ function");
    return known->second;
}

std::vector<session::placed_parameter> session::parameters_of(void const* host) {
    auto const& f = function(host);
    std::vector<placed_parameter> all;
    for (auto const& p : f.home->kernel(memory_, f.name, order_of_code()).parameters())
        all.push_back({p.offset, p.size});
    return all;
}
void session::check_text(std::string const& text) const {
    try {
        static_cast<void>(ptx::parse(text, "the linked text"));
    } catch (error const& e) {
        throw failure(cudaErrorInvalidPtx, e.what());
    }
}
std::vector<std::string> session::kernels_of(module_entry& home) {
    std::vector<std::string> all;
    for (auto const& f : home.loaded(memory_).source().functions)
        if (f.is_entry && f.is_defined) all.push_back(f.name);
    return all;
}

// Shared memory of a CTA; what no core can have stays too much.
static std::uint32_t shared_together(std::size_t fixed, std::size_t dynamic) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(saturated_sum(fixed, dynamic), 0xffffffff));
}

kernel_facts session::facts(void const* host) {
    auto const& f = function(host);
    auto const& k = f.home->kernel(memory_, f.name, order_of_code());
    return {k.program().registers_per_thread, k.shared_bytes(), static_cast<std::size_t>(k.local_bytes()),
            k.home().constants().size()};
}

unsigned session::resident_ctas(void const* host, unsigned threads, std::size_t dynamic_shared_bytes) {
    auto const k = facts(host);
    auto const& c = numbers_.core;
    auto const registers = std::min(k.registers, c.max_registers_per_thread);
    return occupancy_of({threads, registers, shared_together(k.shared_bytes, dynamic_shared_bytes)},
                        {c.threads, c.ctas, c.registers, c.shared_bytes, lanes})
        .ctas;
}

// What CUDA calls an invalid configuration, and what no core of this machine holds: refused whether kernels are timed
// or not.
void session::check_shape(std::string const& kernel, launch_shape const& shape, unsigned registers,
                          std::size_t static_shared_bytes) const {
    auto const limit = [&](char const* what, std::uint64_t found, std::uint64_t most) {
        if (found == 0 || found > most)
            throw failure(cudaErrorInvalidConfiguration, "kernel " + kernel + ": " + what + " must be 1 to " +
                                                             std::to_string(most) + ", not " +
                                                             std::to_string(found));
    };
    limit("the grid's x", shape.grid.x, max_grid[0]);
    limit("the grid's y", shape.grid.y, max_grid[1]);
    limit("the grid's z", shape.grid.z, max_grid[2]);
    limit("the block's x", shape.block.x, max_block[0]);
    limit("the block's y", shape.block.y, max_block[1]);
    limit("the block's z", shape.block.z, max_block[2]);
    limit("the block's number of threads", shape.block.count(), max_threads_per_block());
    auto const& c = numbers_.core;
    try {
        require_fit(kernel,
                    {static_cast<unsigned>(shape.block.count()),
                     std::min(registers, c.max_registers_per_thread),
                     shared_together(static_shared_bytes, shape.shared_bytes)},
                    {c.threads, c.ctas, c.registers, c.shared_bytes, lanes});
    } catch (error const& e) {
        throw failure(cudaErrorLaunchOutOfResources, e.what());
    }
}

std::vector<std::byte> session::packed(void const* host, void* const* arguments) {
    auto const& f = function(host);
    std::vector<std::byte> block;
    std::size_t i = 0;
    for (auto const& p : f.home->kernel(memory_, f.name, order_of_code()).parameters()) {
        if (arguments == nullptr || arguments[i] == nullptr)
            throw failure(cudaErrorInvalidValue,
                          "kernel " + f.name + ": argument " + std::to_string(i + 1) + " is a null pointer");
        block.resize(p.offset + p.size);
        std::memcpy(block.data() + p.offset, arguments[i], p.size);
        ++i;
    }
    return block;
}
std::vector<void*> session::arguments_in(void const* host, std::vector<std::byte>& block) {
    auto const& f = function(host);
    std::vector<void*> all;
    for (auto const& p : f.home->kernel(memory_, f.name, order_of_code()).parameters())
        all.push_back(block.data() + p.offset);
    return all;
}

// What a launch and the threads of its kernels launch (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"):
// executed where a thread launches it, which is an order that the guide allows, and timed as a kernel of its own, when
// its parent has been.
struct session::family {
    session& of;
    module_entry& home;
    stream_store* store; ///< of what is timed; null: nothing is
    struct member {
        std::string name;
        std::unique_ptr<stored_launch> ctas;
    };
    std::vector<member> to_time = {}; ///< parents before their children
    unsigned depth = 0;

    static constexpr unsigned most_deep = 24;
    static constexpr std::uint64_t tail_launch = 3; ///< cudaStreamTailLaunch

    /// What an executor is told of a launch; `last` is launched when that has ended.
    ptx::execution_limits limits(std::vector<ptx::kernel_call>& last) {
        ptx::execution_limits l;
        l.instructions = of.settings_.instruction_limit;
        l.stream_bytes = of.settings_.stream_limit;
        l.stream_option = "WARPKIT_STREAM_LIMIT";
        l.sm_count = of.numbers_.core.count;
        l.grid_id = ++of.totals_->grids;
        l.heap_bytes = of.heap_bytes_;
        l.stack_bytes = of.stack_bytes();
        // Warps take turns often, nearly as on hardware: many a program lacks a barrier that no GPU makes it miss.
        l.time_slice = 64;
        l.launch = [this, &last](ptx::kernel_call const& call) { return launch(call, last); };
        return l;
    }
    std::uint32_t launch(ptx::kernel_call const& call, std::vector<ptx::kernel_call>& last) {
        if (depth == most_deep) return cudaErrorLaunchMaxDepthExceeded;
        std::string const name(call.kernel);
        try {
            auto const& kernel = home.kernel(of.memory_, name, of.order_of_code());
            of.check_shape(
                name, {call.shape.grid, call.shape.block, static_cast<std::size_t>(call.shape.shared_bytes)},
                kernel.program().registers_per_thread, kernel.shared_bytes());
        } catch (failure const& e) {
            complain(std::string("a launch by a thread: ") + e.what());
            return static_cast<std::uint32_t>(e.code());
        }
        if (call.shape.stream == tail_launch)
            last.push_back(call);
        else
            run(call);
        return 0;
    }
    void run(ptx::kernel_call const& call) {
        ++depth;
        std::string const name(call.kernel);
        std::vector<ptx::kernel_call> last;
        auto const& kernel = home.kernel(of.memory_, name, of.order_of_code());
        ptx::parallel_executor executor(kernel, of.memory_,
                                        {name, call.shape.grid, call.shape.block,
                                         static_cast<std::uint32_t>(call.shape.shared_bytes), call.arguments},
                                        limits(last), threads(kernel));
        ++of.totals_->report.of(name).launches;
        if (store != nullptr) {
            auto const place = to_time.size();
            to_time.push_back({name, nullptr});
            to_time[place].ctas =
                std::make_unique<stored_launch>(executor.front().launch(), *store, [](std::uint64_t) {});
        } else {
            count(name, executed(executor, call.shape.grid.count(), [](std::uint64_t) {}));
        }
        run_all(last);
        --depth;
    }
    void run_all(std::vector<ptx::kernel_call> const& calls) {
        for (auto const& call : calls) run(call);
    }

    // Host threads that a kernel has when it is executed and not timed.
    unsigned threads(ptx::kernel const& kernel) const {
        auto const wanted = of.settings_.function_threads;
        return wanted == 1 || home.prints(of.memory_, kernel) ? 1 : wanted;
    }
    template <class Show>
    run_counters executed(ptx::parallel_executor& executor, std::uint64_t ctas, Show const& show) const {
        executor.run(show);
        // Without a timing model a core is taken to issue one warp instruction per cycle.
        auto const cores = of.numbers_.core.count;
        run_counters counters;
        counters.cycles = (executor.executed() + cores - 1) / cores;
        counters.kernels = 1;
        counters.core.warp_instructions = executor.executed();
        counters.core.ctas = ctas;
        return counters;
    }
    void count(std::string const& name, run_counters const& counters) {
        of.totals_->report.of(name).counters += counters;
        of.totals_->report.all += counters;
        of.seconds_ +=
            static_cast<double>(counters.cycles) / (static_cast<double>(of.numbers_.clock.core) * 1000);
    }
};

void session::launch(void const* host, launch_shape const& shape, std::vector<std::byte> arguments,
                     cudaStream_t stream) {
    auto const& f = function(host);
    auto& home = *f.home;
    auto const& name = f.name;
    if (totals_->told)
        throw failure(cudaErrorCudartUnloading,
                      "kernel " + name +
                          ": the program is over and its report is written; launch before exit()");
    using clock = std::chrono::steady_clock;
    auto const& kernel = home.kernel(memory_, name, order_of_code());
    check_shape(name, shape, kernel.program().registers_per_thread, kernel.shared_bytes());
    settle_textures();
    provide_heap(home);
    auto const& parameters = kernel.parameters();
    arguments.resize(parameters.empty() ? 0 : parameters.back().offset + parameters.back().size);
    launch_request request{name, shape.grid, shape.block, static_cast<std::uint32_t>(shape.shared_bytes),
                           std::move(arguments)};
    request.cluster = shape.cluster;
    request.cooperative = shape.cooperative;
    if (shape.cooperative) {
        auto const most = std::uint64_t{numbers_.core.count} *
                          resident_ctas(host, static_cast<unsigned>(shape.block.count()), shape.shared_bytes);
        if (shape.grid.count() > most)
            throw failure(cudaErrorCooperativeLaunchTooLarge,
                          "kernel " + name + ": a cooperative launch of " +
                              std::to_string(shape.grid.count()) + " CTAs, of which the machine holds " +
                              std::to_string(most) + " at once");
    }
    stream_store own;
    family kin{*this, home, engine_->gpu ? &own : nullptr};
    std::vector<ptx::kernel_call> last;
    std::optional<ptx::parallel_executor> executor;
    try {
        executor.emplace(kernel, memory_, request, kin.limits(last), kin.threads(kernel));
    } catch (error const& e) {
        throw failure(cudaErrorInvalidConfiguration, e.what());
    }

    auto& of = totals_->report.of(name);
    std::optional<report::progress_bar> bar;
    if (settings_.progress && isatty(STDERR_FILENO) != 0) bar.emplace(std::cerr, true);
    auto const show = [&](std::uint64_t done) {
        if (bar) bar->update(static_cast<double>(done) / static_cast<double>(shape.grid.count()), of.title);
    };
    auto const start = clock::now();
    try {
        if (engine_->times_later()) {
            auto const place = [&] {
                launch_place p{number_of(stream), order.launch(number_of(stream))};
                if (engine_->boundaries.begins(p.after)) run_pending();
                if (!engine_->store) engine_->store = std::make_shared<stream_store>();
                return p;
            };
            auto first = place();
            auto const store = engine_->store;
            kin.store = store.get();
            engine_->waiting.push_back(
                {name, store, std::make_unique<stored_launch>(executor->front().launch(), *store, show),
                 std::move(first)});
            kin.run_all(last);
            for (auto& m : kin.to_time) {
                auto next = place();
                engine_->waiting.push_back({m.name, store, std::move(m.ctas), std::move(next)});
            }
            ++of.launches;
            of.host_seconds += std::chrono::duration<double>(clock::now() - start).count();
            static_cast<void>(print_from_kernel(home));
            return;
        }
        ++of.launches;
        auto const timed = [&](kernel_launch const& l) {
            return engine_->gpu->run(l, [&](kernel_progress const& p) { show(p.finished_ctas); });
        };
        kin.count(name, engine_->gpu ? timed(executor->front().launch())
                                     : kin.executed(*executor, shape.grid.count(), show));
        kin.run_all(last);
        for (auto& m : kin.to_time) kin.count(m.name, timed(m.ctas->launch()));
        order.launch(number_of(stream));
        totals_->ended.push_back(seconds_);
        of.host_seconds += std::chrono::duration<double>(clock::now() - start).count();
        static_cast<void>(print_from_kernel(home));
    } catch (error const& e) {
        bar.reset();
        auto const code = print_from_kernel(home) ? cudaErrorAssert : code_of(e.what());
        make_sticky(code);
        throw failure(code, e.what());
    }
}

// Times the launches that wait for it, all of which may run at once, as far as they do not come after each other.
void session::run_pending() {
    auto const pending = std::move(engine_->waiting);
    engine_->waiting.clear();
    engine_->store.reset();
    if (pending.empty()) return;
    auto const first = totals_->ended.size();
    launch_group group;
    for (auto const& p : pending) {
        group.push_back({p.ctas->launch()});
        for (auto const a : p.place.after)
            if (a >= first) group.back().after.push_back(a - static_cast<std::uint32_t>(first));
    }
    stopwatch const watch;
    auto const counters = engine_->gpu->run(group);
    auto const spans = engine_->gpu->spans();
    auto const second = 1 / (static_cast<double>(numbers_.clock.core) * 1000);
    for (std::size_t k = 0; k < pending.size(); ++k) {
        auto& of = totals_->report.of(pending[k].name);
        of.counters += group.size() == 1 ? counters : spans[k].counted;
        of.host_seconds += watch.seconds() / static_cast<double>(pending.size());
        totals_->report.kernels_at_once.push_back({totals_->report.of(pending[k].name).title,
                                                   pending[k].place.stream, totals_->report.all.cycles,
                                                   spans[k]});
        totals_->ended.push_back(seconds_ + static_cast<double>(spans[k].ended) * second);
    }
    totals_->report.all += counters;
    seconds_ += static_cast<double>(counters.cycles) * second;
}
double session::ended(stream_order::launches const& all) {
    if (all.empty()) return seconds_;
    run_pending();
    double last = 0;
    for (auto const a : all) last = std::max(last, totals_->ended.at(a));
    return last;
}
double session::now() {
    run_pending();
    return seconds_;
}

// Tells the module's malloc where the heap is, with the words that include/device/heap.h begins it with.
void session::provide_heap(module_entry& home) {
    auto& module = home.loaded(memory_);
    auto const& variables = module.source().variables;
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
        auto const& v = variables[i];
        if (v.space != memory_space::global || v.name.find("warpkit_cuda_heap") == v.name.npos) continue;
        constexpr std::size_t words = 2 + 136;
        if (heap_ == 0) {
            auto const bytes = std::max(heap_bytes_, (words + 8) * sizeof(std::uint64_t));
            try {
                heap_ = memory_.allocate(bytes);
            } catch (error const& e) {
                throw failure(cudaErrorMemoryAllocation,
                              std::string("the heap of malloc in kernels: ") + e.what());
            }
            std::uint64_t head[words] = {bytes, sizeof head};
            std::memcpy(memory_.find(heap_, sizeof head), head, sizeof head);
        }
        std::memcpy(memory_.find(module.address(i), sizeof heap_), &heap_, sizeof heap_);
    }
}

// Prints what kernels of a module printed (include/device/printf.h) and empties the buffer; says whether an assertion
// failed.
bool session::print_from_kernel(module_entry& home) {
    auto& module = home.loaded(memory_);
    auto const& variables = module.source().variables;
    std::byte* used_at = nullptr;
    std::byte* buffer = nullptr;
    std::size_t size = 0;
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
        auto const& v = variables[i];
        if (v.space != memory_space::global) continue;
        if (v.name.find("warpkit_cuda_printf_used") != v.name.npos)
            used_at = memory_.find(module.address(i), sizeof(std::uint64_t));
        if (v.name.find("warpkit_cuda_printf_buffer") != v.name.npos) {
            size = v.size;
            buffer = memory_.find(module.address(i), size);
        }
    }
    if (used_at == nullptr || buffer == nullptr) return false;
    std::uint64_t used = 0;
    std::memcpy(&used, used_at, sizeof used);
    if (used == 0) return false;
    std::memset(used_at, 0, sizeof used);
    std::fflush(stdout);
    bool failed = false;
    auto const text_at = [&](std::uint64_t a) {
        std::string text;
        for (auto const* c = find(pointer(a), 1); c != nullptr && *c != std::byte{0};
             c = find(pointer(++a), 1))
            text += static_cast<char>(*c);
        return text;
    };
    std::size_t at = 0;
    for (printed_record record; at < used && read_record(buffer, size, at, record);) {
        std::string format;
        if (record.format != 0) {
            format = text_at(record.format);
        } else if (!record.values.empty()) {
            format = record.values.front().text;
            record.values.erase(record.values.begin());
        }
        auto const text = formatted(format, record.values, text_at);
        failed = failed || text.find("Assertion `") != text.npos;
        std::fwrite(text.data(), 1, text.size(), stdout);
    }
    if (used > size)
        complain("printf: the buffer of " + std::to_string(size) + " bytes was too small; output is lost");
    std::fflush(stdout);
    return failed;
}

void session::report() {
    totals_->told = true;
    try {
        run_pending();
    } catch (std::exception const& e) {
        complain(e.what());
        std::fflush(nullptr);
        std::_Exit(1);
    }
    std::fflush(stdout);
    if (settings_.report) print(totals_->report, std::cerr);
    if (settings_.json.empty()) return;
    try {
        write_json(totals_->report, settings_.json);
    } catch (std::exception const& e) {
        // The program's status is settled when handlers of exit() run; what would run behind this one is lost with it.
        complain("WARPKIT_JSON: " + std::string(e.what()));
        std::fflush(nullptr);
        std::_Exit(1);
    }
}

} // namespace warpkit::cuda
