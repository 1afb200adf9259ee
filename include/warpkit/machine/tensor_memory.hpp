#pragma once
/// \file
/// Tensor memory and the tensor cores that multiply into it (PTX: tcgen05; docs/model/asynchronous.md#tensor-memory),
/// in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/async_words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpkit {

/// A core's: columns that CTAs allocate and free, products one behind the other, and what moves between it and
/// registers. All tensor cores of the core work on one product; they finish so many columns of its sum in a cycle,
/// since all shapes are 32 bytes deep, and what lies in shared memory must have been read. A commit is over when the
/// products that its warp issued before have their results. A warp that asks for more columns than are free is held,
/// and gets them in the order in which warps asked.
/// Of a pair of CTAs each core's unit does its half: of what is ordered on one core the other hears by a message.
/// Columns for both are asked for first on the core of the even CTA, when the odd one has come to it, too, and then on
/// the other, so that two pairs on the same cores get them one after the other.
/// Source: PTX ISA, "TensorCore 5th Generation Family Instructions".
class tensor_memory_unit {
public:
    tensor_memory_unit() = default;
    tensor_memory_unit(asynchronous_numbers const& n, unsigned sub_cores, std::uint32_t shared_banks,
                       unsigned warp_slots)
        : columns_(std::max(n.tensor_columns, 1U)),
          latency_(n.tensor_latency),
          access_(n.tensor_access),
          shared_bytes_(4 * std::uint64_t{shared_banks}),
          unused_(n.tensor_memory),
          port_(sub_cores),
          last_(warp_slots) {}

    /// A new warp is in this slot.
    void launch(warp_slot w) noexcept { last_[w.index()] = 0; }

    /// `w` asks for columns; of a pair of CTAs `words` say which is the other one.
    void allocate(cycle now, warp_slot w, std::span<std::uint64_t const> words) {
        request r{w, static_cast<std::uint32_t>(words[0])};
        if (words.size() == 1) return ask(now, r);
        bool const goes_first = (phase_name::of(words[1]).rank & 1) != 0;
        if (goes_first)
            r.then_tells = words[1];
        else
            tell_other(now + 1, w, words[1]);
        auto const told =
            std::find_if(early_.begin(), early_.end(), [w](warp_set s) { return s.contains(w); });
        if (told == early_.end()) {
            meeting_.push_back(r);
        } else {
            early_.erase(told);
            ask(now, r);
        }
    }
    /// The other CTA of the pair to which these warps belong lets its tcgen05.alloc go on, from the next tick on.
    void may_allocate(warp_set cta) {
        auto const r = std::find_if(meeting_.begin(), meeting_.end(),
                                    [&](request const& x) { return cta.contains(x.warp); });
        if (r == meeting_.end()) return early_.push_back(cta);
        asking_.push_back(*r);
        meeting_.erase(r);
    }
    /// Columns are free from the next cycle on, `at`.
    void free(cycle at, std::uint32_t columns) { freed_.push_back({at, columns}); }
    /// Whether `w` waits for columns.
    bool holds(warp_slot w) const noexcept {
        auto const is_its = [w](request const& r) { return r.warp == w; };
        return std::any_of(asking_.begin(), asking_.end(), is_its) ||
               std::any_of(meeting_.begin(), meeting_.end(), is_its);
    }

    /// For the report of a stuck machine: what `w` waits for; empty if it has all that it has asked for.
    [[gnu::cold]] std::string lacks(warp_slot w) const {
        for (auto const& r : asking_)
            if (r.warp == w)
                return joined(
                    {" waits for ", r.columns, " columns of tensor memory, of which ", unused_, " are free"});
        for (auto const& r : meeting_)
            if (r.warp == w) return " waits for the other CTA of its pair to allocate tensor memory";
        return {};
    }

    /// A product begins in cycle `at`, which is to come, or when the one before has ended.
    /// Of a pair of CTAs `words` say what the other one's core hears in that cycle.
    void multiply(cycle at, warp_slot w, std::span<std::uint64_t const> words) {
        take_tensor_cores(at, tensor_product_words::of(words[0]));
        last_[w.index()] = tensor_cores_ + latency_;
        under_way_.push_back({w, work::product, last_[w.index()], {}});
        if (words.size() > 1) tell_other(at, w, words[1]);
    }
    /// The tensor cores do a CTA's half of a product that another one of its pair has ordered.
    void take_tensor_cores(cycle at, tensor_product_words p) {
        auto const begin = std::max(at, tensor_cores_);
        shared_ = std::max(shared_, begin * shared_bytes_) + p.shared_bytes;
        tensor_cores_ = std::max(begin + (p.columns + columns_ - 1) / columns_,
                                 (shared_ + shared_bytes_ - 1) / shared_bytes_);
    }
    void commit(cycle at, warp_slot w, std::span<std::uint64_t const> phases) {
        under_way_.push_back(
            {w, work::commit, std::max(at, last_[w.index()]), {phases.begin(), phases.end()}});
    }
    /// So many registers of each lane move, one in a cycle of those of the warp's sub-core.
    void move(cycle at, warp_slot w, std::uint32_t registers, bool load) {
        auto& port = port_[w.index() % port_.size()];
        port = std::max(at, port) + registers;
        under_way_.push_back({w, load ? work::load : work::store, port + access_, {}});
    }
    /// Whether a wait for loads, or for stores, must go on.
    bool must_wait(warp_slot w, bool for_loads) const noexcept {
        return std::any_of(under_way_.begin(), under_way_.end(), [&](entry const& e) {
            return e.warp == w && e.what == (for_loads ? work::load : work::store);
        });
    }
    /// What this warp has under way.
    std::uint32_t of(warp_slot w) const noexcept {
        return static_cast<std::uint32_t>(
            std::count_if(under_way_.begin(), under_way_.end(), [w](entry const& e) { return e.warp == w; }));
    }

    /// A cycle. Calls `ended(warp, phases)` for all that is over by `now`, in the order of issue; `granted(warp)` for
    /// who gets the columns that it waits for.
    template <class Ended, class Granted>
    void tick(cycle now, Ended&& ended, Granted&& granted) {
        for (std::size_t i = 0; i < under_way_.size();) {
            if (under_way_[i].over > now) {
                ++i;
                continue;
            }
            auto const e = std::move(under_way_[i]);
            under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(i));
            ended(e.warp, std::span<std::uint64_t const>(e.phases));
        }
        while (!freed_.empty() && freed_.front().at <= now) {
            unused_ += freed_.front().columns;
            freed_.erase(freed_.begin());
        }
        while (!asking_.empty() && asking_.front().columns <= unused_) {
            auto const r = asking_.front();
            asking_.erase(asking_.begin());
            unused_ -= r.columns;
            if (r.then_tells != no_phase) tell_other(now + 1, r.warp, r.then_tells);
            granted(r.warp);
        }
    }
    /// When there is something to do next; `never` if nothing is under way.
    cycle next() const noexcept {
        auto first = freed_.empty() ? never : freed_.front().at;
        for (auto const& e : under_way_) first = std::min(first, e.over);
        return first;
    }
    bool empty() const noexcept {
        return under_way_.empty() && freed_.empty() && asking_.empty() && meeting_.empty() && early_.empty();
    }

    friend bool operator==(tensor_memory_unit const&, tensor_memory_unit const&) = default;
    WARPKIT_STORED_MEMBERS(14)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(unused_, tensor_cores_, shared_);
        for (auto const p : port_) f(p);
        for (auto const l : last_) f(l);
        for (auto const& r : asking_) f(r.warp, r.columns, r.then_tells);
        for (auto const& r : meeting_) f(r.warp, r.columns, r.then_tells);
        for (auto const& s : early_) f(s);
        for (auto const& r : freed_) f(r.at, r.columns);
        for (auto const& e : under_way_) {
            f(e.warp, e.what, e.over);
            for (auto const phase : e.phases) f(phase);
        }
    }

private:
    enum class work : std::uint8_t { product, commit, load, store, message };
    struct entry {
        warp_slot warp;
        work what = work::product;
        cycle over = 0;
        std::vector<std::uint64_t> phases;
        friend bool operator==(entry const&, entry const&) = default;
    };
    struct request {
        warp_slot warp;
        std::uint32_t columns = 0;
        std::uint64_t then_tells = no_phase; ///< the other CTA of its pair, in a signal's words
        friend bool operator==(request const&, request const&) = default;
    };
    void ask(cycle now, request const& r) {
        if (!asking_.empty() || r.columns > unused_) return asking_.push_back(r);
        unused_ -= r.columns;
        if (r.then_tells != no_phase) tell_other(now + 1, r.warp, r.then_tells);
    }
    void tell_other(cycle at, warp_slot w, std::uint64_t word) {
        under_way_.push_back({w, work::message, at, {word}});
    }
    struct release {
        cycle at = 0;
        std::uint32_t columns = 0;
        friend bool operator==(release const&, release const&) = default;
    };
    std::uint32_t columns_ = 1; ///< of a sum that are finished in a cycle
    cycle latency_ = 0;
    cycle access_ = 0;
    std::uint64_t shared_bytes_ = 1; ///< read in a cycle
    std::uint32_t unused_ = 0;       ///< columns
    cycle tensor_cores_ = 0;         ///< until when they are taken
    std::uint64_t shared_ = 0;       ///< until when shared memory is read, in such bytes
    std::vector<cycle> port_;        ///< by sub-core: until when registers move
    std::vector<cycle> last_;        ///< by warp slot: when its last product has its result
    std::vector<request> asking_;    ///< in the order of issue
    std::vector<request> meeting_;   ///< those that wait for the pair's other CTA, likewise
    std::vector<warp_set>
        early_; ///< CTAs that the other one of their pair has let go on, and that have not asked
    std::vector<release> freed_;   ///< likewise
    std::vector<entry> under_way_; ///< likewise
};

} // namespace warpkit
