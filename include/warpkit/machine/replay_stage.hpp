#pragma once
/// \file
/// The replay queue of a load/store unit, with the transactions that are in it: in both engines.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/lsu/replay_policy.hpp>

#include <cstdint>
#include <type_traits>

namespace warpkit {

/// What became of a transaction that was offered again.
enum class replay_answer : std::uint8_t {
    taken,
    refused,
    lacks_room_below ///< a place in a queue behind the unit
};

/// Who goes in, who is tried, and when it is worth trying, says the policy.
template <class ReplayQueue, class Transaction>
class replay_stage {
public:
    /// False where it is known when compiling that there is no queue: then none is compiled.
    static constexpr bool possible = [] {
        if constexpr (std::is_empty_v<ReplayQueue>)
            return ReplayQueue{}.queues();
        else
            return true;
    }();

    replay_stage() = default;
    explicit replay_stage(ReplayQueue const& queue) : queue_(queue), kept_(queue.capacity()) {}

    bool in_use() const noexcept { return queue_.queues(); }
    bool empty() const noexcept { return queue_.empty(); }
    replay_route route(warp_slot w, access_kind kind) const noexcept { return queue_.route(w, kind); }
    bool takes_refused() const noexcept { return queue_.takes_refused(); }
    bool bypasses_full_sets() const noexcept { return queue_.bypasses_full_sets(); }
    /// Whether there is one to be tried if the unit has nothing else to do.
    bool has_next() const noexcept { return queue_.pick(true) != no_replay_entry; }
    /// Transactions that have been kept.
    std::uint64_t replays() const noexcept { return replays_; }

    /// Keeps a transaction; `refused`: it has been tried in vain, for want of a place below or of something else.
    void keep(Transaction const& t, cache_access const& access, bool refused, bool lacks_room_below) {
        kept_[queue_.push(access.owner, access.kind, refused)] = t;
        lacks_room_below_ = lacks_room_below_ || (refused && lacks_room_below);
        ++replays_;
    }
    /// A request has left a queue below: who lacked that may be taken.
    void room_below() {
        if (in_use() && lacks_room_below_) anything_changed();
    }
    /// What was refused, for whatever, may be taken now.
    void anything_changed() {
        queue_.room_changed();
        lacks_room_below_ = false;
    }
    /// Offers one of them, `offer(transaction)` telling what became of it; `idle`: the unit has done nothing else in
    /// this cycle. Whether there was one to offer.
    template <class Offer>
    bool try_one(bool idle, Offer&& offer) {
        auto const entry = queue_.pick(idle);
        if (entry == no_replay_entry) return false;
        auto const answer = offer(kept_[entry]);
        lacks_room_below_ = lacks_room_below_ || answer == replay_answer::lacks_room_below;
        answer == replay_answer::taken ? queue_.accepted(entry) : queue_.refused(entry);
        return true;
    }

    friend bool operator==(replay_stage const&, replay_stage const&) = default;
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(queue_, kept_);
    }

private:
    [[no_unique_address]] ReplayQueue queue_{};
    heap_array<Transaction> kept_;  ///< by entry
    bool lacks_room_below_ = false; ///< something in it was refused for want of a place in a queue
    std::uint64_t replays_ = 0;
};

} // namespace warpkit
