#pragma once
/// \file
/// Register banks behind fixed read stages, with a register-file cache (docs/model/operands.md#read-stages).

#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/reference/link.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpkit::reference {

/// Each sub-core has a Control stage that all its instructions pass, and an Allocate stage behind it for those of fixed
/// latency, which wait there until their operands can be read in the cycles of the window. Others wait in a queue of
/// their kind of unit, and read what those leave.
class read_stages {
    struct operand {
        register_id number = 0;
        unsigned slot = 0; ///< which of the instruction's operands it is
        bool keeps = false;
        friend bool operator==(operand const&, operand const&) = default;
    };

public:
    /// An instruction on its way from issue to its unit.
    struct entry {
        std::uint64_t number = 0; ///< in the order of issue
        warp_slot warp;
        std::uint32_t instruction = 0;
        unit_kind unit{};
        std::vector<operand> operands;
        std::optional<unsigned> left; ///< cycles until all operands have been read, once they are being read
        friend bool operator==(entry const&, entry const&) = default;
    };

    explicit read_stages(core_numbers const& n)
        : n_(n),
          part_(n.sub_cores, part(n.register_banks / n.sub_cores)) {}

    unsigned sub_core_of(warp_slot w) const { return w.index() % n_.sub_cores; }
    bool has_latch(unsigned sub_core, unit_kind k) const {
        auto const& p = part_[sub_core];
        return !p.control &&
               (has_fixed_latency(k) || p.queue[at(k)].size() < n_.latches[at(k)] / n_.sub_cores);
    }
    /// Takes over an instruction; its number.
    std::uint64_t issue(warp_slot w, std::uint32_t index, static_instruction const& i, unit_kind k) {
        entry e{issued_++, w, index, k, {}, {}};
        unsigned slot = 0;
        for (unsigned r = 0; r < i.sources; ++r) {
            if ((i.further_sources >> r & 1) != 0) continue;
            auto const same = [&](operand const& o) { return o.number == i.source[r]; };
            if (std::none_of(e.operands.begin(), e.operands.end(), same))
                e.operands.push_back({i.source[r], slot, (i.control.reuse >> slot & 1) != 0});
            ++slot;
        }
        part_[sub_core_of(w)].control = std::move(e);
        return issued_ - 1;
    }
    /// The oldest that waits for a unit of this kind in this sub-core, or in any, and has its operands; null if none.
    entry const* front(unit_kind k, std::optional<unsigned> sub_core = {}) const {
        entry const* oldest = nullptr;
        for (unsigned s = 0; s < n_.sub_cores; ++s) {
            auto const& queue = part_[s].queue[at(k)];
            if (sub_core.value_or(s) != s || queue.empty() || queue.front().left != 0U) continue;
            if (oldest == nullptr || queue.front().number < oldest->number) oldest = &queue.front();
        }
        return oldest;
    }
    /// Its unit has it.
    void pop(entry const& e) { part_[sub_core_of(e.warp)].queue[at(e.unit)].pop_front(); }
    /// Whether a result can be written to each of its banks in this cycle, in which none has been.
    bool can_write(cycle now, warp_slot w, static_instruction const& i) const {
        auto const& written = part_[sub_core_of(w)].written;
        for (unsigned r = 0; r < i.destinations; ++r)
            if ((i.further_destinations >> r & 1) == 0 && written[bank_of(i.destination[r])] == now)
                return false;
        return true;
    }
    void write(cycle now, warp_slot w, static_instruction const& i) {
        auto& written = part_[sub_core_of(w)].written;
        for (unsigned r = 0; r < i.destinations; ++r)
            if ((i.further_destinations >> r & 1) == 0) written[bank_of(i.destination[r])] = now;
    }
    /// A cycle, back to front.
    void tick(cycle now) {
        for (auto& p : part_) {
            if (p.allocate && reads(now, p, *p.allocate)) p.allocate.reset();
            for (auto& queue : p.queue) {
                for (auto& e : queue)
                    if (e.left && *e.left != 0) --*e.left;
                auto const next = std::find_if(queue.begin(), queue.end(), [](auto& e) { return !e.left; });
                if (next != queue.end() && reads(now, p, *next)) next->left = window(*next);
            }
            if (p.control && !has_fixed_latency(p.control->unit)) {
                p.queue[at(p.control->unit)].push_back(*std::exchange(p.control, {}));
            } else if (p.control && !p.allocate) {
                p.allocate = std::exchange(p.control, {});
            }
        }
    }

    friend bool operator==(read_stages const&, read_stages const&) = default;

private:
    struct bank {
        std::map<cycle, unsigned> booked;                            ///< ports
        std::map<unsigned, std::pair<warp_slot, register_id>> cache; ///< by operand
        friend bool operator==(bank const&, bank const&) = default;
    };
    struct part {
        explicit part(std::size_t n) : banks(n), written(n, never) {}
        std::optional<entry> control, allocate;
        std::array<fifo_queue<entry>, unit_kind_count> queue;
        std::vector<bank> banks;
        std::vector<cycle> written; ///< by bank, when last
        friend bool operator==(part const&, part const&) = default;
    };

    static unsigned at(unit_kind k) { return static_cast<unsigned>(k); }
    unsigned bank_of(register_id r) const { return r % (n_.register_banks / n_.sub_cores); }
    /// The cycles in which it reads: more than others have, if one bank holds more of its operands than it can give.
    unsigned window(entry const& e) const {
        std::map<unsigned, unsigned> in_bank;
        auto longest = n_.read_window;
        for (auto const& o : e.operands) {
            auto const reads = ++in_bank[bank_of(o.number)];
            longest = std::max(longest, (reads + n_.bank_accesses - 1) / n_.bank_accesses);
        }
        return longest;
    }
    /// Books a port for each operand that is not in the cache, in the cycles behind this one, and keeps in the cache
    /// what is to be kept; or nothing, if they have not enough.
    bool reads(cycle now, part& p, entry const& e) {
        auto banks = p.banks;
        bool const cached = has_fixed_latency(e.unit);
        for (auto const& o : e.operands) {
            auto& b = banks[bank_of(o.number)];
            b.booked.erase(b.booked.begin(), b.booked.upper_bound(now));
            auto const is = std::pair(e.warp, o.number);
            bool const in_cache = cached && b.cache.count(o.slot) != 0 && b.cache[o.slot] == is;
            auto when = now + 1;
            while (b.booked[when] == n_.bank_accesses) ++when;
            if (!in_cache && when > now + window(e)) return false;
            if (!in_cache) ++b.booked[when];
            if (cached) b.cache.erase(o.slot);
            if (cached && o.keeps && o.slot < n_.register_cache) b.cache[o.slot] = is;
        }
        p.banks = std::move(banks);
        return true;
    }

    core_numbers n_;
    std::uint64_t issued_ = 0;
    std::vector<part> part_; ///< by sub-core
};

} // namespace warpkit::reference
