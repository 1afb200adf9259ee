#pragma once
/// \file
/// Tensor memory and the tensor cores that multiply into it (PTX: tcgen05; docs/model/asynchronous.md#tensor-memory),
/// in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/slot.hpp>
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

    /// `w` asks for columns. Whether it has them.
    bool allocate(warp_slot w, std::uint32_t columns) {
        if (asking_.empty() && columns <= unused_) {
            unused_ -= columns;
            return true;
        }
        asking_.push_back({w, columns});
        return false;
    }
    /// Columns are free from the next cycle on, `at`.
    void free(cycle at, std::uint32_t columns) { freed_.push_back({at, columns}); }
    /// Whether `w` waits for columns.
    bool holds(warp_slot w) const noexcept {
        return std::any_of(asking_.begin(), asking_.end(), [w](request const& r) { return r.warp == w; });
    }

    /// For the report of a stuck machine: what `w` waits for; empty if it has all that it has asked for.
    [[gnu::cold]] std::string lacks(warp_slot w) const {
        for (auto const& r : asking_)
            if (r.warp == w)
                return joined(
                    {" waits for ", r.columns, " columns of tensor memory, of which ", unused_, " are free"});
        return {};
    }

    /// A product begins in cycle `at`, which is to come, or when the one before has ended.
    void multiply(cycle at, warp_slot w, tensor_product_words p) {
        auto const begin = std::max(at, tensor_cores_);
        shared_ = std::max(shared_, begin * shared_bytes_) + p.shared_bytes;
        tensor_cores_ = std::max(begin + (p.columns + columns_ - 1) / columns_,
                                 (shared_ + shared_bytes_ - 1) / shared_bytes_);
        last_[w.index()] = tensor_cores_ + latency_;
        under_way_.push_back({w, work::product, last_[w.index()], {}});
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
            granted(r.warp);
        }
    }
    /// When there is something to do next; `never` if nothing is under way.
    cycle next() const noexcept {
        auto first = freed_.empty() ? never : freed_.front().at;
        for (auto const& e : under_way_) first = std::min(first, e.over);
        return first;
    }
    bool empty() const noexcept { return under_way_.empty() && freed_.empty() && asking_.empty(); }

    friend bool operator==(tensor_memory_unit const&, tensor_memory_unit const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(unused_, tensor_cores_, shared_);
        for (auto const p : port_) f(p);
        for (auto const l : last_) f(l);
        for (auto const& r : asking_) f(r.warp, r.columns);
        for (auto const& r : freed_) f(r.at, r.columns);
        for (auto const& e : under_way_) {
            f(e.warp, e.what, e.over);
            for (auto const phase : e.phases) f(phase);
        }
    }

private:
    enum class work : std::uint8_t { product, commit, load, store };
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
        friend bool operator==(request const&, request const&) = default;
    };
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
    std::vector<release> freed_;     ///< likewise
    std::vector<entry> under_way_;   ///< likewise
};

} // namespace warpkit
