#pragma once
/// \file
/// Random kernels and random legal machines: what the conservation tests run. Same seed, same work, everywhere.

#include <warpkit/base/warp_set.hpp>
#include <warpkit/config/check.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/testing/random_core.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace warpkit::gpu_test {

using testing::random_numbers;

template <class T>
T one_of(random_numbers& r, std::initializer_list<T> list) {
    return list.begin()[r.below(static_cast<unsigned>(list.size()))];
}

/// What a random kernel may contain.
struct work_options {
    unsigned body = 14;      ///< instructions in the loop
    unsigned iterations = 3; ///< at most
    unsigned max_warps = 16; ///< per CTA
    unsigned max_ctas = 12;
    unsigned footprint = 1U << 16; ///< bytes of global memory touched
    bool asynchronous = false;     ///< uses the units beside the warps
};

/// A kernel of random instructions in a loop: loads, stores and atomics of all widths and patterns (coalesced, strided,
/// scattered, across lines), shared, constant and local memory, generic addresses of several of these at once, barriers
/// of three kinds, fences, divergence, warps without instructions, warps that leave early, a partial last warp.
class random_kernel {
public:
    random_kernel(std::uint64_t seed, work_options const& o = {})
        : builder_("random " + std::to_string(seed)),
          options_(o),
          seed_(seed) {
        random_numbers r(seed);
        warps_ = 1 + r.below(o.max_warps);
        builder_.block = {warps_ * lanes - (r.chance(40) ? r.below(lanes) : 0), 1, 1};
        builder_.grid = {1 + r.below(o.max_ctas), 1 + r.below(2), 1};
        builder_.shared_bytes = r.below(4) * 1024;
        builder_.registers_per_thread(r.below(24));
        iterations_ = 1 + r.below(o.iterations);
        leaves_early_ = r.chance(30) && !o.asynchronous;
        has_empty_ = r.chance(20) && !o.asynchronous;
        counted_ = !leaves_early_ && !has_empty_;
        for (unsigned i = 0; i < o.body; ++i) kinds_.push_back(add(r));
        last_ = builder_.branch(0, {1});
        exit_ = builder_.exit();
        builder_.script = [this](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
            write(cta, warp, out);
        };
    }
    random_kernel(random_kernel const&) = delete;

    kernel_builder& builder() noexcept { return builder_; }
    unsigned warps() const noexcept { return warps_; }
    bool has_atomics() const noexcept { return has_atomics_; }

private:
    enum class what {
        plain,
        memory,
        barrier,
        arrive_or_wait,
        skip,
        phase_arrival,
        phase_wait,
        bulk,
        columns,
        product,
        phases_of_products
    };

    what add(random_numbers& r) {
        auto const reg = [&] { return static_cast<register_id>(r.below(90)); };
        auto const space = one_of(r, {memory_space::global, memory_space::global, memory_space::global,
                                      memory_space::shared, memory_space::local, memory_space::constant,
                                      memory_space::parameter, memory_space::texture, memory_space::generic});
        bool const read_only = space == memory_space::constant || space == memory_space::parameter ||
                               space == memory_space::texture;
        auto const bytes = one_of(r, {1U, 2U, 4U, 4U, 4U, 8U, 16U});
        if (options_.asynchronous && r.chance(60)) return add_asynchronous(r, reg());
        switch (r.below(16)) {
        case 0:
        case 1:
        case 2:
        case 3:
            builder_.load(space, bytes, {reg()}, {reg()});
            if (r.chance(15)) builder_.past_l1();
            return what::memory;
        case 4:
        case 5:
            builder_.store(read_only ? memory_space::global : space, bytes, {reg(), reg()});
            return what::memory;
        case 6:
            has_atomics_ = true;
            if (r.chance(50))
                builder_.atomic(one_of(r, {memory_space::global, memory_space::global, memory_space::shared,
                                           memory_space::generic}),
                                4, {reg()}, {reg()});
            else
                builder_.atomic(memory_space::global, one_of(r, {4U, 8U}), {}, {reg()});
            return what::memory;
        case 7:
            builder_.barrier();
            return what::barrier;
        case 8:
            if (!counted_) break;
            builder_.barrier(1 + r.below(15), warps_, true);
            builder_.barrier(builder_.program().instructions.back().barrier, warps_, false);
            builder_.barrier();
            return what::arrive_or_wait;
        case 9:
            builder_.op(op_class::fence);
            return what::plain;
        case 10:
            builder_.branch(0, {reg()});
            return what::skip;
        default:
            break;
        }
        auto const kind = r.chance(85)
                              ? static_cast<op_class>(r.below(static_cast<unsigned>(op_class::special) + 1))
                              : one_of(r, {op_class::tensor, op_class::uniform, op_class::other});
        auto const i = builder_.op(kind, {reg()}, {reg(), reg(), reg()});
        if (kind == op_class::tensor && i % 4 != 0) // some are of no known shape, as in old traces
            builder_.product(i, static_cast<matrix_type>(1 + i % matrix_element_count), 16,
                             i % 2 == 0 ? 8 : 16, 4U << i % 3);
        return what::plain;
    }
    what add_asynchronous(random_numbers& r, register_id reg) {
        auto const with_role = [&](async_role role) {
            builder_.async(builder_.op(op_class::other, {}, {reg}), role, r.below(3));
            return what::plain;
        };
        switch (r.below(16)) {
        case 0:
        case 1:
            builder_.arrive();
            return what::phase_arrival;
        case 2:
        case 3:
            builder_.await_phase({reg});
            return what::phase_wait;
        case 4:
        case 5:
            builder_.bulk_copy({reg});
            return what::bulk;
        case 6:
            return with_role(one_of(r, {async_role::bulk_commit, async_role::product_commit}));
        case 7:
            return with_role(
                one_of(r, {async_role::bulk_wait, async_role::bulk_wait_read, async_role::product_wait}));
        case 8:
        case 9:
            builder_.tensor(async_role::tensor_product, 0, {reg});
            return what::product;
        case 10:
            builder_.tensor(async_role::tensor_commit);
            return what::phases_of_products;
        case 11:
            builder_.tensor(async_role::tensor_allocate);
            builder_.tensor(async_role::tensor_free);
            return what::columns;
        case 12:
            builder_.tensor(one_of(r, {async_role::tensor_load, async_role::tensor_store}), 1 + r.below(40),
                            {reg});
            return what::plain;
        case 13:
            builder_.tensor(one_of(r, {async_role::tensor_wait_loads, async_role::tensor_wait_stores}));
            return what::plain;
        default:
            builder_.group_product(8 * (1 + r.below(32)), r.chance(50), {reg});
            return what::plain;
        }
    }
    // Phases belong to the step in which their events come, two to each; who waits, waits for those of earlier steps.
    // So none waits for what comes behind it.
    std::uint64_t phase(unsigned iteration, std::size_t step, unsigned which) const {
        return (iteration * kinds_.size() + step) * 2 + which;
    }
    std::vector<std::uint64_t> some_phases(random_numbers& r, unsigned iteration, std::size_t step) const {
        std::vector<std::uint64_t> some;
        for (unsigned which = 0; which < 2; ++which)
            if (r.chance(60)) some.push_back(phase(iteration, step, which));
        return some;
    }
    std::vector<std::uint64_t> some_copies(random_numbers& r, unsigned iteration, std::size_t step) const {
        std::vector<std::uint64_t> words;
        for (unsigned n = r.below(3); n != 0; --n) {
            bulk_copy_words c;
            c.way = one_of(r, {bulk_way::load, bulk_way::load, bulk_way::store, bulk_way::reduction});
            if (c.way == bulk_way::load) c.signals = phase(iteration, step, r.below(2));
            c.reads_map = r.chance(50);
            for (unsigned pieces = r.below(4); pieces != 0; --pieces)
                c.add(0xC0000000 + r.below(options_.footprint / 4) * 4, 0,
                      one_of(r, {4U, 16U, 48U, 128U, 512U, 1040U}));
            c.append_to(words);
        }
        return words;
    }
    void write(std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) const {
        random_numbers r(seed_ * 1000003 + cta * 257 + warp);
        if (has_empty_ && r.chance(25)) return;
        auto const full = out.lanes_present();
        for (unsigned k = 0; k < iterations_; ++k) {
            std::uint32_t at = 0;
            for (std::size_t j = 0; j < kinds_.size(); ++j) {
                if (leaves_early_ && r.below(60) == 0) return out.step(exit_);
                auto mask = full;
                if (r.chance(30)) mask &= static_cast<lane_mask>(r.next());
                switch (kinds_[j]) {
                case what::plain:
                    out.step(at++, mask);
                    break;
                case what::barrier:
                    out.step(at++);
                    break;
                case what::memory:
                    access(out, at++, mask, pattern(r), r.next());
                    break;
                case what::arrive_or_wait: // some wait there, the others only arrive; then all meet
                    if (r.chance(50))
                        out.step(at);
                    else
                        out.step(at + 1);
                    out.step(at + 2);
                    at += 3;
                    break;
                case what::phase_arrival:
                    access(out, at++, r.chance(10) ? 0 : mask, {0, 0, 0}, 0);
                    out.words(some_phases(r, k, j));
                    break;
                case what::phase_wait: {
                    access(out, at++, mask, {0, 0, 0}, 0);
                    auto const before = r.below(static_cast<unsigned>(k * kinds_.size() + j + 1));
                    out.words(before == 0 ? std::vector<std::uint64_t>()
                                          : some_phases(r, 0, before - 1)); // of whatever iteration
                    break;
                }
                case what::bulk:
                    out.step(at++, mask);
                    out.words(some_copies(r, k, j));
                    break;
                case what::columns: { // at once, so that nobody waits for who waits
                    auto const many = std::uint64_t{32} << r.below(5);
                    for (unsigned i = 0; i < 2; ++i) {
                        out.step(at++, mask);
                        out.words(std::vector<std::uint64_t>{many});
                    }
                    break;
                }
                case what::product:
                    out.step(at++, mask);
                    out.words(std::vector<std::uint64_t>{
                        tensor_product_words{8 * (1 + r.below(32)), 512 * r.below(20)}.word()});
                    break;
                case what::phases_of_products:
                    out.step(at++, mask);
                    out.words(some_phases(r, k, j));
                    break;
                case what::skip: // over the next instruction, unless all must meet there
                    out.step(at++, mask);
                    if (j + 1 < kinds_.size() &&
                        (kinds_[j + 1] == what::plain || kinds_[j + 1] == what::memory) && r.chance(50)) {
                        ++j;
                        ++at;
                    }
                }
            }
            if (k + 1 < iterations_) out.step(last_);
        }
        out.step(exit_);
    }
    struct addresses {
        std::uint64_t base, stride, scatter;
        std::uint64_t operator()(unsigned lane) const {
            if (scatter == 0) return base + stride * lane;
            return base + random_numbers(scatter + lane).next() % stride;
        }
    };
    // Generic addresses: any lane in any space that can be written, or all in one.
    void access(kernel_builder::warp_writer& out, std::uint32_t at, lane_mask mask, addresses const& pattern,
                std::uint64_t choice) const {
        if (builder_.program().instructions[at].space != memory_space::generic)
            return out.access(at, mask, pattern);
        auto const several = (choice & 3U) != 0 ? all_lanes : 0;
        out.access(at, mask, [&](unsigned lane) {
            auto const space = generic_spaces[(choice >> (lane & several) & 0xffffU) % 3];
            return window_of(space) | pattern(lane);
        });
    }
    addresses pattern(random_numbers& r) const {
        std::uint64_t const base = 0xC0000000 + r.below(options_.footprint / 4) * 4;
        switch (r.below(6)) {
        case 0:
            return {base & ~std::uint64_t{127}, 4, 0};
        case 1:
            return {base, 4, 0};
        case 2:
            return {base, 0, 0};
        case 3:
            return {base + r.below(4), one_of<std::uint64_t>(r, {1, 2, 8, 12, 16, 64, 128, 132, 1024}), 0};
        case 4:
            return {base, 512, r.next() | 1};
        default:
            return {base, options_.footprint, r.next() | 1};
        }
    }

    kernel_builder builder_;
    work_options options_;
    std::uint64_t seed_;
    unsigned warps_ = 1;
    unsigned iterations_ = 1;
    bool leaves_early_ = false;
    bool has_empty_ = false;
    bool counted_ = false;
    bool has_atomics_ = false;
    std::vector<what> kinds_;
    std::uint32_t last_ = 0;
    std::uint32_t exit_ = 0;
};

/// What cores have from Kepler and Volta on: sub-cores, more kinds of units, wide issue and fetch, perfect front ends.
inline void modern_core(random_numbers& r, gpu_parameters& p) {
    auto& c = p.core;
    c.sub_cores = c.schedulers % 2 == 0 ? one_of(r, {1U, 2U, c.schedulers}) : one_of(r, {1U, c.schedulers});
    for (auto* units : {&c.sp_units, &c.sfu_units}) *units *= c.sub_cores;
    for (auto* units : {&c.int_units, &c.dp_units, &c.tensor_units, &c.branch_units, &c.uniform_units})
        *units = c.sub_cores * r.below(3);
    c.issue_width = 1 + r.below(3);
    c.issue_to_different = r.below(2);
    c.fetches = 1 + r.below(4);
    c.perfect_branches = r.below(2);
}

/// Operand collectors: those for all, those for some kinds of units alone, or both.
inline void collectors(random_numbers& r, core_numbers& c) {
    c.register_banks = c.sub_cores * (1 + r.below(8));
    c.bank_accesses = 1 + r.below(3);
    c.result_buses = r.below(4);
    bool const for_all = r.chance(70);
    for (unsigned s = 0; s < collector_set_count; ++s) {
        bool const any = s == 0 ? for_all : !for_all || r.chance(30);
        c.collectors[s] = any ? c.sub_cores * (s == 0 || !for_all ? 1 + r.below(2) : 1) : 0;
        c.collector_ports[s] = c.collectors[s] == 0 ? r.below(2) : 1 + r.below(4);
    }
    for (auto& l : c.latches) l = c.sub_cores * (1 + r.below(2));
}

/// Fixed read stages in the place of collectors, with or without a register-file cache.
inline void read_stages(random_numbers& r, core_numbers& c) {
    c.register_banks = c.sub_cores * (1 + r.below(4));
    c.bank_accesses = 1 + r.below(2);
    c.read_window = 1 + r.below(4);
    c.register_cache = r.below(5);
    c.collectors = {};
    for (auto& l : c.latches) l = c.sub_cores * (1 + r.below(5));
}

/// TLBs of a few pages, and page walks.
inline void translation(random_numbers& r, translation_numbers& t) {
    t.l1_ways = 1 + r.below(4);
    t.l1_entries = t.l1_ways * (1 + r.below(3));
    t.l1_mshrs = 1 + r.below(5);
    t.l2_ways = 1 + r.below(4);
    t.l2_entries = t.l2_ways * r.below(4);
    t.l2_ports = 1 + r.below(2);
    t.l2_latency = one_of(r, {0U, 1U, 10U, 70U});
    t.walkers = 1 + r.below(4);
    t.walk_levels = 1 + r.below(4);
    t.walk_latency = one_of(r, {1U, 7U, 100U});
    t.walk_cache = r.below(5);
}

/// Units beside the warps, small ones.
inline void asynchronous(random_numbers& r, gpu_parameters& p) {
    auto& a = p.async;
    a.wait_latency = one_of(r, {0U, 1U, 2U, 34U});
    a.copy_queue = 1 + r.below(4);
    a.copy_hold = one_of(r, {0U, 1U, 3U, 40U});
    a.copy_setup = one_of(r, {0U, 1U, 10U, 200U});
    a.tensor_setup = one_of(r, {0U, 1U, 70U});
    a.copy_request = std::min(one_of(r, {32U, 64U, 128U}), longest_line(p));
    a.copy_interval = 1 + r.below(4);
    a.copy_requests = one_of(r, {1U, 2U, 5U, 64U});
    a.product_columns = one_of(r, {1U, 2U, 3U, 16U});
    a.product_latency = one_of(r, {0U, 1U, 20U});
    a.tensor_memory = 512;
    a.tensor_columns = one_of(r, {1U, 2U, 5U});
    a.tensor_latency = one_of(r, {0U, 1U, 30U});
    a.tensor_access = one_of(r, {0U, 3U});
}

/// A legal machine of random numbers, most of them small, on which a CTA of `warps` warps fits.
inline gpu_parameters random_machine(std::uint64_t seed, unsigned warps) {
    random_numbers r(seed ^ 0xabcdef);
    auto p = presets::gtx480::parameters();
    p.name = "random machine " + std::to_string(seed);
    auto const clock = [&] {
        return one_of<std::uint64_t>(r, {325'000, 650'000, 700'000, 700'000, 924'000, 1'400'000});
    };
    p.clock = {clock(), clock(), clock(), clock()};

    auto& c = p.core;
    c.count = one_of(r, {1U, 1U, 2U, 3U, 5U});
    c.threads = lanes * (r.chance(30) ? warps : warps + r.below(warp_set::width - warps + 1));
    c.ctas = one_of(r, {1U, 2U, 3U, 8U});
    c.schedulers = 1 + r.below(4);
    c.instruction_buffer = 1 + r.below(4);
    c.instruction_bytes = one_of(r, {4U, 8U, 16U});
    c.fetch_bytes = c.instruction_bytes * (1 + r.below(4));
    c.sp_units = 1 + r.below(3);
    c.sfu_units = 1 + r.below(2);
    c.dp_units = 1 + r.below(2);
    if (r.chance(50)) modern_core(r, p);
    c.operand_cycles = r.below(4);
    c.writeback_cycles = r.below(4);
    for (auto& l : c.latency) l = r.chance(90) ? 1 + r.below(20) : 1 + r.below(2500);
    for (auto& i : c.initiation) i = 1 + r.below(9);

    p.l1i.line = one_of(r, {32U, 64U, 128U});
    p.l1i.sector = p.l1i.line;
    p.l1i.ways = 1 + r.below(4);
    p.l1i.size = r.chance(10) ? 0 : p.l1i.line * p.l1i.ways * one_of(r, {1U, 2U, 4U});
    p.l1i.mshr_entries = 1 + r.below(3);
    p.l1i.mshr_merges = one_of(r, {1U, 2U, 32U});
    p.l1i.miss_queue = 1 + r.below(4);

    auto& d = p.l1d;
    d.line = one_of(r, {32U, 64U, 128U, 128U});
    d.sector = r.chance(40) ? 32 : d.line;
    d.ways = 1 + r.below(4);
    d.size = r.chance(20) ? 0 : d.line * d.ways * (1 + r.below(4));
    d.mshr_entries = 1 + r.below(8);
    d.mshr_merges = 1 + r.below(4);
    d.miss_queue = 2 + r.below(3);
    if (d.size != 0 && c.operand_cycles == 3) { // a kernel with much shared memory leaves half of the L1
        c.shared_bytes = 3072;
        c.unified_bytes = c.shared_bytes + std::max(d.line, d.size / 2);
    }
    p.lsu.l1_latency = one_of(r, {1U, 1U, 2U, 7U, 35U});

    for (auto* small : {&p.l1c, &p.l1t}) {
        small->line = one_of(r, {32U, 64U, 128U});
        small->sector = small == &p.l1c && r.chance(30) ? 32 : small->line;
        small->ways = 1 + r.below(4);
        small->size = r.chance(20) ? 0 : small->line * small->ways * (1 + r.below(4));
        small->mshr_entries = 1 + r.below(4);
        small->mshr_merges = 1 + r.below(8);
        small->miss_queue = 1 + r.below(3);
    }
    p.lsu.shared_latency = 1 + r.below(30);
    p.lsu.shared_banks = one_of(r, {16U, 32U, 20U, 64U});
    p.lsu.constant_latency = 1 + r.below(10);
    p.lsu.queue = 1 + r.below(4);

    auto& l2 = p.l2;
    l2.line = one_of(r, {32U, 64U, 128U, 128U});
    l2.sector = r.chance(50) ? 32 : l2.line;
    l2.ways = 1 + r.below(4);
    l2.size = r.chance(20) ? 0 : l2.line * l2.ways * (1 + r.below(4));
    l2.mshr_entries = 1 + r.below(8);
    l2.mshr_merges = 1 + r.below(4);
    l2.miss_queue = 3 + r.below(2);

    auto& n = p.network;
    n.flit = one_of(r, {8U, 16U, 32U, 40U, 136U, 200U});
    n.link_cycles = 1 + r.below(5);
    n.speedup = 1 + r.below(3);
    auto const whole = (8 + 128 + n.flit - 1) / n.flit;
    n.input_flits = whole + r.below(8);
    n.output_flits = whole + r.below(8);
    n.ejection = 1 + r.below(6);
    n.allocation = r.below(3);
    n.outputs_in_turn = n.speedup == 1 && n.allocation == 0 && r.chance(50) ? 1 : 0;

    auto& m = p.memory;
    m.channels = one_of(r, {1U, 2U, 3U, 6U});
    m.slices = one_of(r, {1U, 2U, 4U});
    m.rop_latency = one_of(r, {0U, 1U, 10U, 120U});
    m.dram_latency = one_of(r, {0U, 1U, 100U});
    m.l2_input_queue = 1 + r.below(8);
    m.l2_to_dram_queue = 1 + r.below(8);
    m.dram_to_l2_queue = 1 + r.below(8);
    m.l2_output_queue = 1 + r.below(8);
    m.dram_queue = 1 + r.below(16);
    m.dram_return_queue = 1 + r.below(16);
    if (r.chance(30)) {
        p.dram = dram::gddr3_owl;
        p.address_mapping = presets::owl::parameters().address_mapping;
    }
    auto const nodes = c.count + m.channels * m.slices;
    n.columns = 1 + r.below(6);
    n.rows = (nodes + n.columns - 1) / n.columns + r.below(2);
    n.virtual_channels = 1 + r.below(4);
    n.channel_flits = 1 + r.below(8);
    n.router_cycles = 1 + r.below(3);
    n.channel_cycles = 1 + r.below(2);
    check(p);
    p.core.blocking_loads = r.chance(20) ? 1 : 0;
    p.core.blocking_atomics = r.chance(20) ? 1 : 0;
    if (r.chance(40)) {
        collectors(r, c);
        p.lsu.writeback_port = r.below(2);
        c.first_fetch = r.below(c.threads / lanes);
    }
    if (r.chance(20)) {
        c.kernel_launch_cycles = r.below(700);
        c.cta_launch_cycles = r.below(9);
    }
    if (r.chance(30)) {
        read_stages(r, c);
        p.lsu.writeback_port = r.below(2);
    }
    c.control_bits = r.chance(25) ? 1 : 0;
    for (auto* level : {&p.l0i, &p.l15i}) {
        auto const lines = 1 + r.below(4); // of a set
        *level = p.l1i;
        level->ways = lines;
        level->size = r.chance(25) ? level->line * lines * one_of(r, {1U, 2U, 4U}) : 0;
        level->mshr_entries = 1 + r.below(4);
        level->mshr_merges = 1 + r.below(8);
    }
    if (r.chance(40)) {
        for (auto& rate : c.tensor_rate) rate = r.chance(70) ? 1 + r.below(400) : 0;
        c.tensor_start = r.below(3);
        c.tensor_passes = r.below(4);
        c.tensor_pipeline = 1 + r.below(20);
    }
    m.far_latency = r.chance(30) ? r.below(200) : 0;
    c.l1i_cycles = 1 + r.below(30);
    c.l15i_cycles = 1 + r.below(30);
    if (r.chance(30)) translation(r, p.tlb);
    if (d.size != 0 && c.unified_bytes == 0 && r.chance(15)) {
        d.ways = 65 + r.below(60);
        d.size = d.line * d.ways;
    }
    c.kernels = 1 + r.below(4);
    c.fetch_into_room = c.perfect_branches == 0 && r.chance(25) ? 1 : 0;
    check(p);
    return p;
}

} // namespace warpkit::gpu_test
