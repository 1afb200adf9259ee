#pragma once
/// \file
/// The access in front of an L2 slice where the L2 has refused it.
///
/// In the reference: `l2_slice::serve` offers it in each cycle, and counts the first refusal
/// (reference/l2_partition.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>

namespace warpkit {

/// It is not offered again until what it lacked can have come, and counted once, by what it lacked first.
class held_access {
public:
    /// Whether there is one.
    explicit operator bool() const noexcept { return held_; }
    refusal lacks() const noexcept { return lacks_; }

    /// It has been refused for this reason.
    void refused(refusal why) noexcept {
        held_ = true;
        lacks_ = why;
        if (!counted_) refusals_.count(why);
        counted_ = true;
    }
    /// It would be refused for want of a place in the queue of misses in the cycle at tick `next`, and so in this one.
    void will_be_refused(tick next) noexcept {
        held_ = true;
        lacks_ = refusal::miss_queue;
        foreseen_ = next;
    }
    /// The cycle in which it would have been refused, if it has not been counted; never otherwise.
    tick foreseen() const noexcept { return foreseen_; }
    /// It has been.
    void count_foreseen() noexcept {
        foreseen_ = never;
        counted_ = true;
        refusals_.count(refusal::miss_queue);
    }
    /// It may be taken.
    void let_go() noexcept { held_ = false; }
    /// There is a place for it in the queue of misses, in time if it was foreseen that there would be none.
    void has_place() noexcept {
        held_ = false;
        foreseen_ = never;
    }
    /// Another one is in front.
    void next() noexcept { counted_ = false; }
    /// Something that is not in front had to wait.
    void count(refusal why) noexcept { refusals_.count(why); }
    /// Accesses that had to wait, by what they lacked first.
    cache_counters const& refusals() const noexcept { return refusals_; }

    friend bool operator==(held_access const&, held_access const&) = default;
    WARPKIT_STORED_MEMBERS(5)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(held_);
    }

private:
    bool held_ = false;
    bool counted_ = false;
    refusal lacks_ = refusal::line_allocation;
    tick foreseen_ = never;
    cache_counters refusals_;
};

} // namespace warpkit
