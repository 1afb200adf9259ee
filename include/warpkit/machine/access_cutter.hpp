#pragma once
/// \file
/// What a load/store unit makes of an instruction, apart from time (docs/model/load_store.md): an access for each
/// memory space that it looks into, transactions for each access, and where they go. In both engines.

#include <warpkit/base/error.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/lsu/cut_transactions.hpp>
#include <warpkit/lsu/line_coalescing.hpp>
#include <warpkit/lsu/local_interleaving.hpp>
#include <warpkit/lsu/shared_banks.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/stream.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// Where the transactions of an access go: nowhere (it has none), to the L1 data cache, past it, or to the constant or
/// texture cache; or, without any, to another core of its cluster.
enum class transaction_lane : std::uint8_t { none, l1, past_l1, read_only, cluster };

/// A cache of size 0 is not there: what it would serve goes where all else does, constants nowhere.
template <class Coalescer>
class access_cutter {
public:
    access_cutter() = default;
    /// That of core number `core`. `fetches_on_store`: stores may fetch the sector that they lie in, so they are cut at
    /// sectors. `sends_past`: loads that are to go past the L1 do; those in front of a replay queue do not. Throws
    /// `error` for sectors that no transaction fits in.
    [[gnu::cold]] access_cutter(gpu_parameters const& p, bool fetches_on_store, Coalescer const& coalescer,
                                unsigned core, bool sends_past = true)
        : has_l1_(p.l1d.size != 0),
          sends_past_(sends_past),
          has_constants_(p.l1c.size != 0),
          has_textures_(p.l1t.size != 0),
          load_block_(p.l1d.sector),
          store_block_(fetches_on_store ? p.l1d.sector : p.l1d.line),
          constant_sector_(p.l1c.sector),
          constant_lines_{p.l1c.line},
          texture_lines_{p.l1t.line},
          banks_(p.lsu.shared_banks),
          places_{core, p.core.count},
          coalesce_(coalescer) {
        if (has_l1_) check_sector("l1d", p.l1d.sector);
        if (has_constants_) check_sector("l1c", p.l1c.sector);
    }
    /// A kernel of which a core holds so many CTAs at most begins.
    void begin_kernel(std::uint32_t ctas, std::uint32_t warps_per_cta) noexcept {
        places_.ctas = ctas;
        places_.warps_per_cta = warps_per_cta;
    }

    /// Calls `f(space, access, alone)` for each access that `a`, the memory instruction under the cursor of warp `w`,
    /// is in one memory space (generic_spaces); to local memory, which lies interleaved, for each word. `alone`: it is
    /// the only one.
    template <class F>
    void each_part(warp_access const& a, warp_slot w, stream_cursor const& at, warp_stream const& s,
                   F&& f) const {
        each_part(a, w, at, s, cta_cluster(), f, [](unsigned, warp_access const&, bool) {});
    }
    /// The same where the warp's CTA is in this cluster: `remote(core, access, alone)` is called for each other core in
    /// whose shared memory it looks, in the order of the lowest lanes.
    template <class F, class Remote>
    void each_part(warp_access a, warp_slot w, stream_cursor const& at, warp_stream const& s,
                   cta_cluster const& cluster, F&& f, Remote&& remote) const {
        auto const whole = a.active;
        auto const part = [&](memory_space space) {
            if (space == memory_space::shared && cluster) return each_core(a, whole, cluster, f, remote);
            if (space != memory_space::local) return f(space, a, a.active == whole);
            lane_addresses placed;
            local_interleaving const local{local_base, places_.threads()};
            auto const first = places_.first_thread(w.index());
            auto const words = local_interleaving::words(a);
            for (std::uint32_t k = 0; k != words; ++k)
                f(space, local.word_of(a, first, k, placed), words == 1 && a.active == whole);
        };
        auto const found = at.space(s);
        if (found != memory_space::generic) return part(found);
        lane_addresses address;
        a.affine = false;
        a.addresses = &address;
        for (auto const space : generic_spaces) {
            a.active = at.addresses_in(s, space, address);
            if (a.active != 0) part(space);
        }
    }
    /// The transactions of an access to one space, by addresses behind the caches, and where they go.
    [[gnu::always_inline]] transaction_lane cut(memory_space space, warp_access const& a,
                                                transaction_list& out) {
        if (a.kind == access_kind::load && serves_read_only(space)) return cut_read_only(space, a, out);
        if (space != memory_space::global && space != memory_space::local && space != memory_space::texture)
            return transaction_lane::none;
        bool const past = a.kind == access_kind::atomic || !has_l1_ || (a.past_l1 && sends_past_);
        coalesce_(a, past, out);
        auto const block = a.kind == access_kind::store ? store_block_ : load_block_;
        if (block < largest_ && !past) cut_transactions(out, block);
        transactions_ += out.size();
        return past ? transaction_lane::past_l1 : transaction_lane::l1;
    }
    /// What is sent to another core for an access to its shared memory.
    cluster_message message(unsigned core, warp_access const& a, warp_slot w) {
        cluster_message m;
        m.from = static_cast<std::uint16_t>(places_.core);
        m.to = static_cast<std::uint16_t>(core);
        m.kind = a.kind;
        m.warp = static_cast<packet_warp>(w.index());
        m.data = count_lanes(a.active) * a.bytes;
        m.cycles = shared_cycles(a);
        return m;
    }
    /// Cycles for which an access to shared memory has its port.
    std::uint32_t shared_cycles(warp_access const& a) {
        auto const cycles = banks_.cycles(a);
        conflict_cycles_ += cycles - 1;
        return cycles;
    }
    std::uint64_t transactions() const noexcept { return transactions_; }
    std::uint64_t bank_conflict_cycles() const noexcept { return conflict_cycles_; }

    friend bool operator==(access_cutter const&, access_cutter const&) = default;
    WARPKIT_STORED_MEMBERS(14)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(transactions_, conflict_cycles_);
    }

private:
    template <class F, class Remote>
    void each_core(warp_access a, lane_mask whole, cta_cluster const& cluster, F& f, Remote& remote) const {
        auto const own = static_cast<unsigned>(places_.core);
        auto left = a.active;
        auto const take = [&](unsigned core) {
            a.active = 0;
            for (auto rest = left; rest != 0; rest &= rest - 1)
                if (core_of_address(cluster, a.address(static_cast<unsigned>(std::countr_zero(rest))), own) ==
                    core)
                    a.active |= rest & (0 - rest);
            left &= ~a.active;
            return a.active != 0;
        };
        if (take(own)) f(memory_space::shared, a, a.active == whole);
        while (left != 0) {
            auto const lane = static_cast<unsigned>(std::countr_zero(left));
            auto const core = core_of_address(cluster, a.address(lane), own);
            take(core);
            remote(core, a, a.active == whole);
        }
    }
    static constexpr std::uint32_t largest_ = 128; ///< bytes of a transaction

    [[gnu::cold]] static void check_sector(char const* cache, std::uint32_t bytes) {
        if (bytes < 32)
            throw error({cache, ".sector = ", bytes,
                         " B is below 32 B, the smallest transaction; nearest legal value: 32 B"});
    }
    bool serves_read_only(memory_space s) const noexcept {
        return s == memory_space::texture
                   ? has_textures_
                   : (s == memory_space::constant || s == memory_space::parameter) && has_constants_;
    }
    /// The lines that the warp touches, or the sectors of lines that have some. None of parameters of inlined
    /// functions, which are no memory.
    transaction_lane cut_read_only(memory_space space, warp_access const& a, transaction_list& out) {
        if (space == memory_space::texture) {
            texture_lines_(a, false, out);
            transactions_ += out.size();
            return transaction_lane::read_only;
        }
        constant_lines_(a, false, out);
        if (space == memory_space::parameter && out[0].address >= call_frame) {
            out.clear();
            return transaction_lane::none;
        }
        if (constant_sector_ < constant_lines_.line_bytes) cut_transactions(out, constant_sector_);
        for (auto& t : out) t.address += space == memory_space::constant ? constant_base : parameter_base;
        return transaction_lane::read_only;
    }

    bool has_l1_ = true;
    bool sends_past_ = true;
    bool has_constants_ = false;
    bool has_textures_ = false;
    std::uint32_t load_block_ = 128; ///< the most bytes of one access to the L1
    std::uint32_t store_block_ = 128;
    std::uint32_t constant_sector_ = 128;
    line_coalescing constant_lines_;
    line_coalescing texture_lines_;
    shared_banks banks_{};
    resident_places places_;
    [[no_unique_address]] Coalescer coalesce_{};
    std::uint64_t transactions_ = 0;
    std::uint64_t conflict_cycles_ = 0;
};

} // namespace warpkit
