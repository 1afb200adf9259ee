#pragma once
/// \file
/// Register banks behind operand collectors (docs/model/operands.md).
///
/// In the reference: `operand_collector` (reference/operand_collector.hpp), `core::start_units` and
/// `core::hand_over`.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/gpu/core/execution_units.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/register_banks.hpp>
#include <warpkit/machine/parameters.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace warpkit {

/// What lies between the issue of instructions and their units, on a core that has operand collectors: latches,
/// collectors, banks, latches again, and the units, with the buses for their results. The issue stage has the first
/// latches for units: they are taken there, and released from here. A core without collectors has one of these that is
/// empty, and never asks it.
class operand_collector {
    /// An instruction on its way.
    struct collected {
        std::uint64_t number = 0; ///< in the order of issue
        std::uint32_t instruction = 0;
        warp_slot warp;
        unit_kind unit = unit_kind::sp;
        std::uint8_t sub_core = 0;
        std::uint8_t reads = 0; ///< operands
        std::array<std::uint8_t, static_instruction::max_sources> bank{};
        friend bool operator==(collected const&, collected const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(number, instruction, warp, unit, sub_core, reads);
        }
    };
    /// The oldest of those in an output latch may be anywhere in it.
    struct output_latch {
        heap_array<collected> place;
        unsigned held = 0;
        bool full() const noexcept { return held == place.size(); }
        unsigned oldest() const noexcept {
            unsigned o = 0;
            for (unsigned k = 1; k < held; ++k)
                if (place[k].number < place[o].number) o = k;
            return o;
        }
        void remove(unsigned k) noexcept { place[k] = place[--held]; }
        friend bool operator==(output_latch const&, output_latch const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(held);
            for (unsigned k = 0; k < held; ++k) f(place[k]);
        }
    };
    struct collector {
        collected held;
        std::uint8_t missing = 0; ///< operands
        friend bool operator==(collector const&, collector const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(held, missing);
        }
    };
    /// Collectors of a set, and of each way out of it the collector last let out.
    struct set {
        unsigned begin = 0;
        unsigned size = 0;
        heap_array<unsigned> exits;
        friend bool operator==(set const&, set const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(exits);
        }
    };
    struct bus {
        cycle at = never;
        std::uint32_t booked = 0;
        friend bool operator==(bus const&, bus const&) = default;
    };

public:
    operand_collector() = default;
    [[gnu::cold]] explicit operand_collector(core_numbers const& n)
        : banks_(has_collectors(n) ? n.register_banks : 0),
          sub_cores_(n.sub_cores),
          accesses_(n.bank_accesses),
          writeback_(n.writeback_cycles),
          buses_(n.result_buses) {
        if (banks_ == 0) return;
        units_ = heap_array<execution_units>(n.sub_cores, execution_units::of_core(n));
        auto const pairs = std::size_t{n.sub_cores} * unit_kind_count;
        latches_ = heap_array<ring<collected>>(pairs);
        outputs_ = heap_array<output_latch>(pairs);
        for (unsigned s = 0; s < n.sub_cores; ++s)
            for (unsigned k = 0; k < unit_kind_count; ++k) {
                latches_[s * unit_kind_count + k] = ring<collected>(n.latches[k] / n.sub_cores);
                outputs_[s * unit_kind_count + k].place = heap_array<collected>(n.latches[k] / n.sub_cores);
            }
        unsigned all = 0;
        for (unsigned s = 0; s < collector_set_count; ++s) {
            sets_[s].begin = std::exchange(all, all + n.collectors[s]);
            sets_[s].size = n.collectors[s];
            sets_[s].exits = heap_array<unsigned>(n.collectors[s] == 0 ? 0 : n.collector_ports[s]);
        }
        collectors_ = heap_array<collector>(all);
        reads_ = heap_array<ring<std::uint8_t>>(banks_, ring<std::uint8_t>(std::size_t{all} * 12));
        if (buses_ != 0) bus_ = heap_array<bus>(std::bit_ceil(longest_latency(n) + writeback_ + 1));
    }

    bool in_use() const noexcept { return banks_ != 0; }
    bool empty() const noexcept { return held_ == 0; }
    /// A cycle after `now` before which nothing in here moves of itself.
    cycle next() const noexcept { return next_; }

    /// An instruction has taken a latch; its number.
    std::uint64_t issue(cycle now, warp_slot w, std::uint32_t index, decoded_instruction const& d,
                        instruction_details const& more, register_banks const& banks) noexcept {
        auto const sub_core = static_cast<unsigned>(w.index() % sub_cores_);
        auto& c = latches_[place_of(sub_core, d.unit)].extend();
        c.number = issued_;
        c.instruction = index;
        c.warp = w;
        c.unit = d.unit;
        c.sub_core = static_cast<std::uint8_t>(sub_core);
        c.reads = more.operands;
        for (unsigned k = 0; k < more.operands; ++k) c.bank[k] = banks.bank_of(w, more.operand[k]);
        waiting_[static_cast<unsigned>(d.unit)] |= 1U << sub_core;
        ++held_;
        next_ = now + 1;
        return issued_++;
    }

    /// A cycle begins: `start(warp, instruction, due)` of an instruction that a unit has taken, whose result is written
    /// then.
    template <class Start>
    void start(cycle now, running_kernel const& code, Start start) {
        moved_ = false;
        if (held_ == 0) return;
        for (auto const k : order_)
            for (auto subs = offered_[static_cast<unsigned>(k)]; subs != 0; subs &= subs - 1)
                start_units(now, k, static_cast<unsigned>(std::countr_zero(subs)), code, start);
    }
    /// The load/store unit has room: `load(number)` of the memory instruction that it takes, if there is one.
    template <class Load>
    void hand_over(Load load) {
        if (offered_[load_store_] != 0) load_oldest(load);
    }
    /// The cycle ends; the load/store unit may have room from `room` on. `released(sub_core, kind)` of a latch.
    template <class Released>
    void step(cycle now, cycle room, register_banks const& banks, Released released) {
        next_ = never;
        if (held_ == 0) return;
        for (unsigned turn = 0; turn < accesses_; ++turn) {
            if (ready_ != 0)
                for (auto& s : sets_) leave(s);
            if (outstanding_reads_ != 0) read(turn == 0, banks, now);
            enter_all(released);
        }
        next_ = moved_ || outstanding_reads_ != 0 ? now + 1 : next_free();
        if (offered_[load_store_] != 0 && room < next_) next_ = room > now ? room : now + 1;
    }

    friend bool operator==(operand_collector const&, operand_collector const&) = default;
    WARPKIT_STORED_MEMBERS(21)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(held_, issued_, units_, latches_, outputs_, sets_, collectors_, busy_, reads_);
    }

private:
    static constexpr unsigned load_store_ = static_cast<unsigned>(unit_kind::load_store);
    /// Units, the load/store unit apart, in the order of the reference.
    static constexpr unit_kind order_[] = {unit_kind::sp,      unit_kind::sfu,    unit_kind::dp,
                                           unit_kind::integer, unit_kind::branch, unit_kind::tensor,
                                           unit_kind::uniform};
    /// All, as they enter collectors.
    static constexpr unit_kind entering_[] = {unit_kind::sp,     unit_kind::sfu,     unit_kind::load_store,
                                              unit_kind::dp,     unit_kind::integer, unit_kind::branch,
                                              unit_kind::tensor, unit_kind::uniform};

    static std::size_t place_of(unsigned sub_core, unit_kind k) noexcept {
        return std::size_t{sub_core} * unit_kind_count + static_cast<unsigned>(k);
    }
    template <class Start>
    void start_units(cycle now, unit_kind k, unsigned sub_core, running_kernel const& code, Start& start) {
        auto& out = outputs_[place_of(sub_core, k)];
        auto& units = units_[sub_core];
        while (out.held != 0 && units.is_free(k, now)) {
            auto const at = out.oldest();
            auto const c = out.place[at];
            auto const& d = code[c.instruction];
            auto const due = now + code.details(d).execution + writeback_;
            if (buses_ != 0) {
                auto& b = bus_[due & (bus_.size() - 1)];
                if (b.at != due) b = {due, 0};
                if (b.booked == buses_) {
                    moved_ = true; // another cycle has another bus
                    return;
                }
                ++b.booked;
            }
            units.take(k, now + d.initiation);
            remove(out, at, k, sub_core);
            start(c.warp, c.instruction, due);
        }
    }
    template <class Load>
    void load_oldest(Load& load) {
        unsigned first = 0;
        auto oldest = ~std::uint64_t{0};
        for (auto subs = offered_[load_store_]; subs != 0; subs &= subs - 1) {
            auto const s = static_cast<unsigned>(std::countr_zero(subs));
            auto const& out = outputs_[place_of(s, unit_kind::load_store)];
            auto const number = out.place[out.oldest()].number;
            if (number < oldest) {
                oldest = number;
                first = s;
            }
        }
        auto& out = outputs_[place_of(first, unit_kind::load_store)];
        remove(out, out.oldest(), unit_kind::load_store, first);
        load(oldest);
    }
    void remove(output_latch& out, unsigned at, unit_kind k, unsigned sub_core) noexcept {
        out.remove(at);
        if (out.held == 0) offered_[static_cast<unsigned>(k)] &= ~(1U << sub_core);
        --held_;
        moved_ = true;
    }
    /// Each way out of a set lets one out, from behind the last one.
    void leave(set& s) noexcept {
        for (auto& last : s.exits) {
            auto const of_set = ready_ >> s.begin & (~std::uint64_t{0} >> (64 - s.size));
            if (of_set == 0) return;
            auto const share = s.size / sub_cores_;
            auto const first = (last + (sub_cores_ == 1 ? 1 : share - last % share)) % s.size;
            auto const below = (std::uint64_t{1} << first) - 1;
            if (!leave_one(s, of_set & ~below, last) && !leave_one(s, of_set & below, last)) return;
        }
    }
    bool leave_one(set& s, std::uint64_t candidates, unsigned& last) noexcept {
        for (; candidates != 0; candidates &= candidates - 1) {
            auto const number = static_cast<unsigned>(std::countr_zero(candidates));
            auto const& c = collectors_[s.begin + number].held;
            auto& to = outputs_[place_of(c.sub_core, c.unit)];
            if (to.full()) continue;
            to.place[to.held++] = c;
            offered_[static_cast<unsigned>(c.unit)] |= 1U << c.sub_core;
            auto const bit = std::uint64_t{1} << (s.begin + number);
            ready_ &= ~bit;
            busy_ &= ~bit;
            last = number;
            moved_ = true;
            return true;
        }
        return false;
    }
    /// Each bank serves one, but, the first time in a cycle, where it has been written to.
    void read(bool first, register_banks const& banks, cycle now) noexcept {
        for (unsigned b = 0; b < banks_; ++b) {
            auto& queue = reads_[b];
            if (queue.empty() || (first && banks.written(b, now))) continue;
            auto const c = queue.front();
            queue.pop();
            --outstanding_reads_;
            moved_ = true;
            if (--collectors_[c].missing == 0) ready_ |= std::uint64_t{1} << c;
        }
    }
    template <class Released>
    void enter_all(Released& released) {
        for (unsigned port = 0; port < sets_[0].exits.size(); ++port) {
            bool any = false;
            for (auto const k : entering_) any = enter(k, 0, released) || any;
            if (!any) break; // nor at the next one
        }
        for (unsigned s = 1; s < collector_set_count; ++s)
            for (unsigned port = 0; port < sets_[s].exits.size(); ++port)
                if (!enter(static_cast<unit_kind>(s - 1), s, released)) break;
    }
    template <class Released>
    bool enter(unit_kind k, unsigned s, Released& released) {
        auto subs = waiting_[static_cast<unsigned>(k)];
        if (subs == 0) return false;
        auto sub_core = static_cast<unsigned>(std::countr_zero(subs));
        for (subs &= subs - 1; subs != 0; subs &= subs - 1) {
            auto const other = static_cast<unsigned>(std::countr_zero(subs));
            if (latches_[place_of(other, k)].front().number < latches_[place_of(sub_core, k)].front().number)
                sub_core = other;
        }
        if (!enter_set(k, sets_[s], sub_core) && (s == 0 || !enter_set(k, sets_[0], sub_core))) return false;
        released(sub_core, k);
        return true;
    }
    bool enter_set(unit_kind k, set const& s, unsigned sub_core) noexcept {
        auto const share = s.size / sub_cores_;
        if (share == 0) return false;
        auto const begin = s.begin + sub_core * share;
        auto const free = ~busy_ >> begin & (~std::uint64_t{0} >> (64 - share));
        if (free == 0) return false;
        auto const number = begin + static_cast<unsigned>(std::countr_zero(free));
        auto& latch = latches_[place_of(sub_core, k)];
        auto& c = collectors_[number];
        c.held = latch.front();
        c.missing = c.held.reads;
        latch.pop();
        if (latch.empty()) waiting_[static_cast<unsigned>(k)] &= ~(1U << sub_core);
        busy_ |= std::uint64_t{1} << number;
        if (c.missing == 0) ready_ |= std::uint64_t{1} << number;
        for (unsigned r = 0; r < c.held.reads; ++r)
            reads_[c.held.bank[r]].push(static_cast<std::uint8_t>(number));
        outstanding_reads_ += c.held.reads;
        moved_ = true;
        return true;
    }
    /// When a unit that an instruction waits for is free.
    cycle next_free() const noexcept {
        auto next = never;
        for (auto const k : order_)
            for (auto subs = offered_[static_cast<unsigned>(k)]; subs != 0; subs &= subs - 1) {
                auto const at = units_[static_cast<unsigned>(std::countr_zero(subs))].free_from(k);
                next = at < next ? at : next;
            }
        return next;
    }

    unsigned banks_ = 0;
    unsigned sub_cores_ = 1;
    unsigned accesses_ = 0;
    std::uint32_t writeback_ = 0;
    std::uint32_t buses_ = 0;
    unsigned held_ = 0; ///< instructions
    std::uint32_t outstanding_reads_ = 0;
    bool moved_ = false; ///< something, in this cycle
    cycle next_ = never;
    std::uint64_t issued_ = 0;
    std::uint64_t busy_ = 0;                               ///< collectors, as bits
    std::uint64_t ready_ = 0;                              ///< those that have all operands
    std::array<std::uint32_t, unit_kind_count> waiting_{}; ///< by kind: sub-cores whose latch holds something
    std::array<std::uint32_t, unit_kind_count> offered_{}; ///< the same of output latches
    heap_array<execution_units> units_;                    ///< by sub-core
    heap_array<ring<collected>> latches_;                  ///< by sub-core and kind
    heap_array<output_latch> outputs_;
    std::array<set, collector_set_count> sets_;
    heap_array<collector> collectors_;
    heap_array<ring<std::uint8_t>> reads_; ///< by bank, of collectors
    heap_array<bus> bus_;                  ///< by cycle, modulo their number
};

} // namespace warpkit
