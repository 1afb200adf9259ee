#pragma once
/// \file
/// Register banks behind operand collectors (docs/model/operands.md).

#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/reference/link.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace warpkit::reference {

/// An instruction on its way from issue to its unit.
struct collected {
    std::uint64_t number = 0; ///< in the order of issue
    warp_slot warp;
    std::uint32_t instruction = 0;
    unit_kind unit{};
    std::vector<unsigned> reads; ///< the banks of its operands
    friend bool operator==(collected const&, collected const&) = default;
};

/// Instructions wait in the latch of their kind of unit for a collector, there until each operand has been read from
/// its bank, which serves one at a time, and in a second latch for their unit. Each sub-core has a share of all.
class operand_collector {
public:
    explicit operand_collector(core_numbers const& n)
        : n_(n),
          latches_(n.sub_cores),
          outputs_(n.sub_cores),
          reads_(n.register_banks),
          written_(n.register_banks, never) {
        for (unsigned s = 0; s < collector_set_count; ++s) {
            sets_[s] = {collectors_.size(), collectors_.size() + n.collectors[s]};
            collectors_.resize(sets_[s].end);
            exits_[s].assign(n.collectors[s] == 0 ? 0 : n.collector_ports[s], 0);
        }
    }

    bool in_use() const { return n_.register_banks != 0; }
    unsigned sub_core_of(warp_slot w) const { return w.index() % n_.sub_cores; }
    bool has_latch(unsigned sub_core, unit_kind k) const {
        return latches_[sub_core][at(k)].size() < room(at(k));
    }
    /// Takes over an instruction; its number.
    std::uint64_t issue(warp_slot w, std::uint32_t index, static_instruction const& i, unit_kind k) {
        collected c{issued_++, w, index, k, {}};
        std::set<register_id> known;
        for (unsigned r = 0; r < i.sources; ++r)
            if ((i.further_sources >> r & 1) == 0 && known.insert(i.source[r]).second)
                c.reads.push_back(bank_of(w, i.source[r]));
        latches_[sub_core_of(w)][at(k)].push_back(c);
        return c.number;
    }
    /// The oldest that waits for a unit of this kind in this sub-core, or in any; null if none does.
    collected const* front(unit_kind k, std::optional<unsigned> sub_core = {}) const {
        collected const* oldest = nullptr;
        for (unsigned s = 0; s < n_.sub_cores; ++s)
            for (auto const& c : outputs_[s][at(k)])
                if (sub_core.value_or(s) == s && (oldest == nullptr || c.number < oldest->number))
                    oldest = &c;
        return oldest;
    }
    /// Its unit has it.
    void pop(collected const& c) {
        auto& from = outputs_[sub_core_of(c.warp)][at(c.unit)];
        from.erase(std::find(from.begin(), from.end(), collected(c)));
    }
    /// Whether a result can be written to each of its banks in this cycle, in which none has been.
    bool can_write(cycle now, warp_slot w, static_instruction const& i) const {
        for (unsigned r = 0; r < i.destinations; ++r)
            if ((i.further_destinations >> r & 1) == 0 && written_[bank_of(w, i.destination[r])] == now)
                return false;
        return true;
    }
    /// It is; the first access to these banks in this cycle is this one.
    void write(cycle now, warp_slot w, static_instruction const& i) {
        for (unsigned r = 0; r < i.destinations; ++r)
            if ((i.further_destinations >> r & 1) == 0) written_[bank_of(w, i.destination[r])] = now;
    }
    /// A cycle: as often as a bank can be read, each stage back to front.
    void tick(cycle now) {
        for (unsigned turn = 0; turn < n_.bank_accesses; ++turn) {
            for (unsigned s = 0; s < collector_set_count; ++s)
                for (auto& last : exits_[s]) leave(sets_[s], last);
            for (unsigned b = 0; b < reads_.size(); ++b) {
                if (reads_[b].empty() || (turn == 0 && written_[b] == now)) continue;
                --collectors_[reads_[b].front()].missing;
                reads_[b].pop_front();
            }
            for (unsigned s = 0; s < collector_set_count; ++s)
                for (unsigned port = 0; port < exits_[s].size(); ++port)
                    for (auto const k : order)
                        if (s == 0 || s == at(k) + 1) enter(k, s);
        }
    }
    /// The order of kinds of units, where it matters, as Accel-Sim has it: the last three are its special units.
    static constexpr unit_kind order[] = {unit_kind::sp,     unit_kind::sfu,     unit_kind::load_store,
                                          unit_kind::dp,     unit_kind::integer, unit_kind::branch,
                                          unit_kind::tensor, unit_kind::uniform};

    friend bool operator==(operand_collector const&, operand_collector const&) = default;

private:
    struct collector {
        std::optional<collected> held;
        std::size_t missing = 0; ///< operands
        friend bool operator==(collector const&, collector const&) = default;
    };
    struct range {
        std::size_t begin = 0, end = 0;
        friend bool operator==(range const&, range const&) = default;
    };
    using by_kind = std::array<fifo_queue<collected>, unit_kind_count>;

    static unsigned at(unit_kind k) { return static_cast<unsigned>(k); }
    unsigned room(unsigned kind) const { return n_.latches[kind] / n_.sub_cores; }
    /// Of its sub-core's banks; warps begin at different ones.
    unsigned bank_of(warp_slot w, register_id r) const {
        auto const share = n_.register_banks / n_.sub_cores;
        return (r + w.index()) % share + sub_core_of(w) * share;
    }
    /// The next collector of a set behind the last one (behind that one's sub-core) that has all operands, and whose
    /// unit has a latch, gives its instruction up.
    void leave(range set, std::size_t& last) {
        auto const all = set.end - set.begin;
        auto const share = all / n_.sub_cores;
        auto const first = last + (n_.sub_cores == 1 ? 1 : share - last % share);
        for (std::size_t k = 0; k < all; ++k) {
            auto const number = (first + k) % all;
            auto& c = collectors_[set.begin + number];
            if (!c.held || c.missing != 0) continue;
            auto& to = outputs_[sub_core_of(c.held->warp)][at(c.held->unit)];
            if (to.size() == room(at(c.held->unit))) continue;
            to.push_back(*c.held);
            c.held.reset();
            last = number;
            return;
        }
    }
    /// The oldest instruction for units of kind `k`, of all sub-cores, takes a free collector of set `s`, or else of
    /// the one for any, in its sub-core's share. If there is none, others wait behind it.
    void enter(unit_kind k, unsigned s) {
        fifo_queue<collected>* from = nullptr;
        for (auto& of_sub_core : latches_) {
            auto& latch = of_sub_core[at(k)];
            if (!latch.empty() && (from == nullptr || latch.front().number < from->front().number))
                from = &latch;
        }
        if (from == nullptr) return;
        for (auto const set : {sets_[s], sets_[0]}) {
            auto const share = (set.end - set.begin) / n_.sub_cores;
            auto const begin = set.begin + sub_core_of(from->front().warp) * share;
            for (auto c = begin; c < begin + share; ++c) {
                if (collectors_[c].held) continue;
                for (auto const bank : from->front().reads) reads_[bank].push_back(c);
                collectors_[c] = {from->front(), from->front().reads.size()};
                from->pop_front();
                return;
            }
        }
    }

    core_numbers n_;
    std::uint64_t issued_ = 0;
    std::vector<by_kind> latches_; ///< these and the next: by sub-core and kind of unit
    std::vector<by_kind> outputs_;
    std::vector<collector> collectors_;
    std::array<range, collector_set_count> sets_;
    std::array<std::vector<std::size_t>, collector_set_count> exits_; ///< of each, the last one let out
    std::vector<fifo_queue<std::size_t>> reads_;                      ///< by bank, of collectors
    std::vector<cycle> written_;                                      ///< by bank, when last
};

} // namespace warpkit::reference
