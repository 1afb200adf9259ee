#pragma once
/// \file
/// Register banks behind fixed read stages, with a register-file cache (docs/model/operands.md#read-stages).
///
/// In the reference: `read_stages` (reference/read_stages.hpp), `core::start_units` and `core::hand_over`.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/core/execution_units.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/register_banks.hpp>
#include <warpkit/machine/parameters.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit {

/// What lies between the issue of instructions and their units, on a core whose instructions read their operands at a
/// fixed time: Control and Allocate of each sub-core, and the queues of those of variable latency, with their units.
/// The issue stage has units of fixed latency; of the others it has the places of queues, which are released from here.
/// A core without read stages has one of these that is empty, and never asks it.
class read_stages {
    struct operand {
        register_id number = 0;
        std::uint8_t bank = 0; ///< of all sub-cores'
        std::uint8_t slot = 0;
        bool keeps = false;
        friend bool operator==(operand const&, operand const&) = default;
    };
    struct entry {
        std::uint64_t number = 0; ///< in the order of issue
        cycle ready = never;      ///< when its operands have been read, once they are being read
        std::uint32_t instruction = 0;
        warp_slot warp;
        unit_kind unit = unit_kind::sp;
        std::uint8_t operands = 0;
        std::array<operand, static_instruction::max_sources> operand_of{};
        friend bool operator==(entry const&, entry const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(number, ready, instruction, warp, unit, operands);
        }
    };
    /// Of which the first `reading` are being read, or have been.
    struct queue {
        ring<entry> of;
        std::size_t reading = 0;
        bool begins() const noexcept { return of.size() != reading; }
        friend bool operator==(queue const&, queue const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(of, reading);
        }
    };
    static constexpr unit_kind kinds_[] = {unit_kind::sfu, unit_kind::dp, unit_kind::load_store};
    static constexpr unsigned load_store_ = 2; ///< of these
    struct part {
        bool in_control = false;
        bool in_allocate = false;
        entry control;
        entry allocate;
        std::array<queue, 3> queues;
        execution_units units;
        friend bool operator==(part const&, part const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(in_control, in_allocate, queues, units);
            if (in_control) f(control);
            if (in_allocate) f(allocate);
        }
    };
    struct port {
        cycle at = never;
        std::uint32_t booked = 0;
        friend bool operator==(port const&, port const&) = default;
    };
    struct cached {
        warp_slot warp; ///< none: nothing
        register_id number = 0;
        friend bool operator==(cached const&, cached const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(warp, number);
        }
    };

public:
    read_stages() = default;
    [[gnu::cold]] explicit read_stages(core_numbers const& n)
        : window_(n.read_window),
          sub_cores_(n.sub_cores),
          accesses_(n.bank_accesses),
          slots_(n.register_cache),
          writeback_(n.writeback_cycles) {
        if (window_ == 0) return;
        part_ = heap_array<part>(n.sub_cores);
        for (auto& p : part_) {
            p.units = execution_units::of_core(n);
            for (unsigned k = 0; k < 3; ++k)
                p.queues[k].of = ring<entry>(n.latches[static_cast<unsigned>(kinds_[k])] / n.sub_cores);
        }
        auto const longest =
            window_ > static_instruction::max_sources ? window_ : static_instruction::max_sources;
        span_ = std::bit_ceil(longest + 1);
        ports_ = heap_array<port>(std::size_t{n.register_banks} * span_);
        cache_ = heap_array<cached>(std::size_t{n.register_banks} * slots_);
    }

    bool in_use() const noexcept { return window_ != 0; }
    /// A cycle after `now` before which nothing in here moves of itself.
    cycle next() const noexcept { return next_; }

    /// An instruction is in Control, which was free; its number.
    std::uint64_t issue(cycle now, warp_slot w, std::uint32_t index, decoded_instruction const& d,
                        instruction_details const& more, register_banks const& banks) noexcept {
        auto const sub_core = w.index() % sub_cores_;
        auto& p = part_[sub_core];
        auto& e = p.control;
        p.in_control = true;
        e.number = issued_;
        e.ready = never;
        e.instruction = index;
        e.warp = w;
        e.unit = d.unit;
        e.operands = more.operands;
        for (unsigned k = 0; k < more.operands; ++k) {
            auto const slot = more.operand_slot[k];
            e.operand_of[k] = {more.operand[k], banks.bank_of(w, more.operand[k]), slot,
                               (more.control.reuse >> slot & 1) != 0};
        }
        ++held_;
        next_ = now + 1;
        return issued_++;
    }

    /// A cycle begins: `start(warp, instruction, due)` of an instruction that a unit has taken, whose result is written
    /// then; `released(sub_core, kind)` of its place in the queue.
    template <class Start, class Released>
    void start(cycle now, running_kernel const& code, Start start, Released released) {
        if (held_ == 0) return;
        for (unsigned k = 0; k < load_store_; ++k)
            for (unsigned s = 0; s < sub_cores_; ++s) {
                auto& p = part_[s];
                while (has_read(p.queues[k], now) && p.units.is_free(kinds_[k], now)) {
                    auto const e = p.queues[k].of.front();
                    auto const& d = code[e.instruction];
                    p.units.take(kinds_[k], now + d.initiation);
                    pop(p.queues[k]);
                    released(s, kinds_[k]);
                    start(e.warp, e.instruction, now + code.details(d).execution + writeback_);
                }
            }
    }
    /// The load/store unit has room: `load(number)` of the memory instruction that it takes, if there is one, and
    /// `released(sub_core, kind)`.
    template <class Load, class Released>
    void hand_over(cycle now, Load load, Released released) {
        unsigned first = sub_cores_;
        auto oldest = ~std::uint64_t{0};
        for (unsigned s = 0; s < sub_cores_; ++s) {
            auto const& q = part_[s].queues[load_store_];
            if (!has_read(q, now) || q.of.front().number > oldest) continue;
            first = s;
            oldest = q.of.front().number;
        }
        if (first == sub_cores_) return;
        pop(part_[first].queues[load_store_]);
        released(first, unit_kind::load_store);
        load(oldest);
    }
    /// The cycle ends; the load/store unit may have room from `room` on. `moved_on(sub_core)` of a Control stage that
    /// is free again.
    template <class MovedOn>
    void step(cycle now, cycle room, MovedOn moved_on) {
        next_ = never;
        if (held_ == 0) return;
        for (unsigned s = 0; s < sub_cores_; ++s) {
            auto& p = part_[s];
            if (p.in_allocate && reads(now, p.allocate)) {
                p.in_allocate = false;
                --held_;
            }
            for (auto& q : p.queues)
                if (q.begins() && reads(now, q.of[q.reading])) ++q.reading;
            if (p.in_control && (!has_fixed_latency(p.control.unit) || !p.in_allocate)) {
                has_fixed_latency(p.control.unit) ? enter_allocate(p) : enter_queue(p);
                p.in_control = false;
                moved_on(s);
            }
            next_ = sooner(next_, next_of(p, now, room));
        }
    }

    friend bool operator==(read_stages const&, read_stages const&) = default;
    WARPKIT_STORED_MEMBERS(12)
    template <class F>
    constexpr void each_member(F&& f) const {
        if (in_use()) f(held_, issued_, part_, cache_);
    }

private:
    static cycle sooner(cycle a, cycle b) noexcept { return a < b ? a : b; }
    static bool has_read(queue const& q, cycle now) noexcept {
        return q.reading != 0 && q.of.front().ready <= now;
    }
    void pop(queue& q) noexcept {
        q.of.pop();
        --q.reading;
        --held_;
    }
    static void enter_allocate(part& p) noexcept {
        p.allocate = p.control;
        p.in_allocate = true;
    }
    static void enter_queue(part& p) noexcept {
        for (unsigned k = 0; k < 3; ++k)
            if (kinds_[k] == p.control.unit) p.queues[k].of.push(p.control);
    }
    cycle next_of(part const& p, cycle now, cycle room) const noexcept {
        auto next = p.in_control || p.in_allocate ? now + 1 : never;
        for (unsigned k = 0; k < 3; ++k) {
            auto const& q = p.queues[k];
            if (q.begins()) return now + 1;
            if (q.reading == 0) continue;
            auto const taken = k == load_store_ ? room : p.units.free_from(kinds_[k]);
            auto const at = q.of.front().ready > taken ? q.of.front().ready : taken;
            next = sooner(next, at > now ? at : now + 1);
        }
        return next;
    }
    port& port_of(unsigned bank, cycle at) noexcept {
        auto& p = ports_[std::size_t{bank} * span_ + (at & (span_ - 1))];
        if (p.at != at) p = {at, 0};
        return p;
    }
    /// Books a port for each operand that is not in the cache, in the cycles of the window behind this one, and keeps
    /// in the cache what is to be kept; or nothing, if they have not enough.
    bool reads(cycle now, entry& e) noexcept {
        bool const is_cached = slots_ != 0 && has_fixed_latency(e.unit);
        auto const window = window_of(e);
        std::array<cycle, static_instruction::max_sources> when{};
        for (unsigned k = 0; k < e.operands; ++k) {
            auto const& o = e.operand_of[k];
            if (is_cached && in_cache(e.warp, o)) continue;
            auto at = now + 1;
            while (at <= now + window && port_of(o.bank, at).booked == accesses_) ++at;
            if (at > now + window) {
                while (k-- != 0)
                    if (when[k] != 0) --port_of(e.operand_of[k].bank, when[k]).booked;
                return false;
            }
            ++port_of(o.bank, at).booked;
            when[k] = at;
        }
        for (unsigned k = 0; is_cached && k < e.operands; ++k) {
            auto const& o = e.operand_of[k];
            if (o.slot < slots_) cache_[o.bank * slots_ + o.slot] = {o.keeps ? e.warp : no_warp, o.number};
        }
        e.ready = now + 1 + window;
        return true;
    }
    bool in_cache(warp_slot w, operand const& o) const noexcept {
        return o.slot < slots_ && cache_[o.bank * slots_ + o.slot] == cached{w, o.number};
    }
    /// The cycles in which it reads: more than others have, if one bank holds more of its operands than it can give.
    std::uint32_t window_of(entry const& e) const noexcept {
        auto longest = window_;
        if (e.operands <= longest * accesses_) return longest;
        for (unsigned k = 0; k < e.operands; ++k) {
            std::uint32_t of_bank = 0;
            for (unsigned other = 0; other < e.operands; ++other)
                of_bank += e.operand_of[other].bank == e.operand_of[k].bank;
            auto const least = (of_bank + accesses_ - 1) / accesses_;
            longest = least > longest ? least : longest;
        }
        return longest;
    }

    std::uint32_t window_ = 0; ///< 0: not in use
    unsigned sub_cores_ = 1;
    std::uint32_t accesses_ = 0;
    std::uint32_t slots_ = 0; ///< of each bank's entry of the register-file cache
    std::uint32_t writeback_ = 0;
    unsigned held_ = 0; ///< instructions
    cycle next_ = never;
    std::uint64_t issued_ = 0;
    std::uint32_t span_ = 1;
    heap_array<part> part_;    ///< by sub-core
    heap_array<port> ports_;   ///< by bank, and cycle modulo span_
    heap_array<cached> cache_; ///< by bank and operand
};

} // namespace warpkit
