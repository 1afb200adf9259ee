#pragma once
/// \file
/// Random kernels of clusters, and what a machine needs for them.

#include <warpkit/frontend/builder.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/program/async_words.hpp>

#include "gpu/random_work.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpkit::gpu_test {

/// CTAs in clusters that meet at their barriers, with work between arrival and wait; loads, stores and atomics of
/// shared memory, each lane in that of any CTA of the cluster, by addresses of that space or generic ones; barriers of
/// the CTA, fences, loads of global memory; warps without instructions, and such that leave early.
class random_clusters {
public:
    explicit random_clusters(std::uint64_t seed) : seed_(seed) {
        random_numbers r(seed);
        auto& b = builder_;
        b.cluster = {1 + r.below(4), 1 + r.below(2), 1 + r.below(2)};
        b.grid = {b.cluster.x * (1 + r.below(3)), b.cluster.y * (1 + r.below(2)), b.cluster.z};
        b.block = {lanes * (1 + r.below(4)) - (r.chance(30) ? r.below(lanes) : 0), 1, 1};
        b.shared_bytes = 1024;
        meets_ = r.chance(80) || b.cluster.count() == 1;
        leaves_early_ = r.chance(30);
        has_empty_ = r.chance(20);
        iterations_ = 1 + r.below(3);
        tells_ = r.chance(50);
        if (tells_) leaves_early_ = has_empty_ = false; // they would be waited for
        auto const body = [&] {
            for (auto n = r.below(6); n != 0; --n) kinds_.push_back(add(r));
        };
        body();
        if (meets_) builder_.arrive_in_cluster(), kinds_.push_back(what::arrive);
        body();
        if (meets_) builder_.wait_in_cluster(), kinds_.push_back(what::wait);
        body();
        if (tells_) {
            if (r.chance(50)) builder_.bulk_copy(), kinds_.push_back(what::copy);
            builder_.arrive(), kinds_.push_back(what::tell);
            body();
            builder_.await_phase({1}), kinds_.push_back(what::await);
        }
        last_ = b.branch(0, {1});
        exit_ = b.exit();
        b.script = [this](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
            write(cta, warp, out);
        };
    }
    random_clusters(random_clusters const&) = delete;

    kernel_builder& builder() noexcept { return builder_; }
    unsigned warps() const noexcept { return static_cast<unsigned>((builder_.block.x + lanes - 1) / lanes); }
    std::uint64_t ctas() const noexcept { return builder_.cluster.count(); }

private:
    enum class what { plain, memory, arrive, wait, copy, tell, await };

    what add(random_numbers& r) {
        auto const reg = [&] { return static_cast<register_id>(r.below(20)); };
        auto const space = one_of(r, {memory_space::shared, memory_space::shared, memory_space::shared,
                                      memory_space::generic, memory_space::global});
        auto const bytes = one_of(r, {4U, 4U, 8U, 16U});
        switch (r.below(8)) {
        case 0:
        case 1:
            builder_.load(space, bytes, {reg()}, {reg()});
            return what::memory;
        case 2:
            builder_.store(space, bytes, {reg(), reg()});
            return what::memory;
        case 3:
            if (r.chance(50))
                builder_.atomic(space, 4, {reg()}, {reg()});
            else
                builder_.atomic(space, 4, {}, {reg()});
            return what::memory;
        case 4:
            builder_.barrier();
            return what::plain;
        case 5:
            builder_.op(op_class::fence);
            return what::plain;
        default:
            builder_.op(one_of(r, {op_class::int_add, op_class::fp_mad, op_class::special}), {reg()},
                        {reg(), reg()});
            return what::plain;
        }
    }
    void write(std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) const {
        random_numbers r(seed_ * 1000003 + cta * 257 + warp);
        if (has_empty_ && r.chance(25)) return;
        for (std::uint32_t k = 0; k < iterations_; ++k) {
            for (std::uint32_t i = 0; i < kinds_.size(); ++i) {
                if (leaves_early_ && r.below(40) == 0) return out.step(exit_);
                auto mask = out.lanes_present();
                if (r.chance(30)) mask &= static_cast<lane_mask>(r.next());
                switch (kinds_[i]) {
                case what::memory:
                    access(out, i, mask, r);
                    break;
                case what::wait:
                    out.wait_in_cluster(i, k + 1);
                    break;
                case what::arrive:
                    out.step(i);
                    break;
                case what::copy:
                    out.step(i);
                    copy(cta, warp, k, out);
                    break;
                case what::tell:
                    tell(cta, warp, i, k, out);
                    break;
                case what::await: // what this CTA's own phase of the iteration is completed by
                    out.access(i, 1U, [](unsigned) { return std::uint64_t{0}; });
                    out.words({phase_name{rank_of(cta), k}.word()});
                    break;
                default:
                    out.step(i, builder_.program().instructions[i].kind == op_class::barrier
                                    ? out.lanes_present()
                                    : mask);
                }
            }
            if (k + 1 < iterations_) out.step(last_);
        }
        out.step(exit_);
    }
    std::uint32_t rank_of(std::uint64_t cta) const {
        auto const &g = builder_.grid, &c = builder_.cluster;
        auto const x = cta % g.x % c.x, y = cta / g.x % g.y % c.y, z = cta / g.x / g.y % c.z;
        return static_cast<std::uint32_t>(x + c.x * (y + c.y * z));
    }
    /// Arrives at its own CTA's mbarrier, and at that of one or two others.
    void tell(std::uint64_t cta, unsigned warp, std::uint32_t i, std::uint32_t k,
              kernel_builder::warp_writer& out) const {
        auto const n = static_cast<std::uint32_t>(ctas());
        std::vector<std::uint32_t> ranks{rank_of(cta)};
        for (auto const other : {(rank_of(cta) + 1) % n, (rank_of(cta) + warp) % n})
            if (std::find(ranks.begin(), ranks.end(), other) == ranks.end()) ranks.push_back(other);
        auto const mask = (lane_mask{1} << ranks.size()) - 1;
        out.access(i, mask & out.lanes_present(), [&](unsigned lane) {
            return lane == 0 ? 0 : (ranks[lane] + first_cluster_rank) << cluster_shift;
        });
        std::vector<std::uint64_t> words;
        for (auto const rank : ranks) words.push_back(phase_name{rank, k}.word());
        out.words(words);
    }
    /// The first warp copies to all CTAs.
    void copy(std::uint64_t cta, unsigned warp, std::uint32_t k, kernel_builder::warp_writer& out) const {
        if (warp != 0) return out.words(std::vector<std::uint64_t>());
        bulk_copy_words c;
        c.add(0xC0000000 + 512 * cta, 0, 256);
        for (std::uint32_t rank = 0; rank < ctas(); ++rank) c.signal(phase_name{rank, k}.word());
        out.words({c});
    }
    void access(kernel_builder::warp_writer& out, std::uint32_t i, lane_mask mask, random_numbers& r) const {
        auto const in = builder_.program().instructions[i].space;
        auto const n = static_cast<unsigned>(builder_.cluster.count());
        bool const alike = r.chance(50); // all lanes in one CTA's
        auto const one = r.below(n + 1);
        auto const stride = one_of(r, {4U, 4U, 8U, 64U, 0U});
        std::uint32_t spaces = 0;
        if (in == memory_space::generic) spaces = r.chance(50) ? 1 : static_cast<std::uint32_t>(r.next());
        out.access(i, mask, [&](unsigned lane) -> std::uint64_t {
            bool const shared = in == memory_space::shared ||
                                (in == memory_space::generic && (spaces == 1 || (spaces >> lane & 1) != 0));
            if (!shared) return 0xC0000000 + 4 * lane + 128 * one;
            std::uint64_t const offset = stride * lane % 1024;
            auto const chosen = alike ? one : r.below(n + 1); // 0: its own
            auto const rank = chosen == 0 ? 0 : (chosen - 1 + first_cluster_rank) << cluster_shift;
            return offset | rank | (in == memory_space::generic ? window_of(memory_space::shared) : 0);
        });
    }

    kernel_builder builder_{"random clusters"};
    std::uint64_t seed_;
    unsigned iterations_ = 1;
    bool meets_ = true;
    bool tells_ = false;
    bool leaves_early_ = false;
    bool has_empty_ = false;
    std::vector<what> kinds_;
    std::uint32_t last_ = 0;
    std::uint32_t exit_ = 0;
};

/// Groups of a random machine that hold clusters of so many CTAs, and what joins their cores.
inline void clusters(random_numbers& r, gpu_parameters& p, std::uint64_t ctas) {
    p.core.count = one_of(r, {1U, 2U, 4U, 5U, 8U});
    auto& n = p.cluster;
    n.cores = 1 + r.below(p.core.count);
    auto const each = static_cast<std::uint32_t>((ctas + n.cores - 1) / n.cores);
    p.core.ctas = std::max(p.core.ctas, each);
    p.core.threads = std::max(p.core.threads, std::min(each * 4 * lanes, warp_set::width * lanes));
    p.core.shared_bytes = std::max(p.core.shared_bytes, 1024 * each);
    p.core.unified_bytes = 0;
    auto const link = static_cast<std::uint32_t>(cycles_of_link(p));
    n.latency = link + (r.chance(30) ? 0 : r.below(80));
    n.bandwidth = one_of(r, {1U, 8U, 16U, 32U, 256U});
    n.barrier_latency = link + r.below(90);
    asynchronous(r, p);
}

} // namespace warpkit::gpu_test
