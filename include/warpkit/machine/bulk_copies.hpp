#pragma once
/// \file
/// The unit that copies in bulk between global and shared memory (PTX: cp.async.bulk; the Tensor Memory Accelerator;
/// docs/model/asynchronous.md#bulk-copies), in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/async_words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warpkit {

/// Copies wait in its queue, in the order of issue, from the cycle behind their issue on; where the queue is full,
/// their warps do. Its first copy, when it has been set up, makes a request each `copy_interval` cycles, as long as
/// the bytes under way allow it; a request lies within `copy_request` bytes and asks for whole sectors, a reduction
/// for one. A load is over when all of its bytes have come, a store when all have been acknowledged.
/// Groups of copies that signal no phase are told by warp. Source: PTX ISA, "cp.async.bulk.commit_group" and
/// "cp.async.bulk.wait_group". Differs from it: there each thread has groups of its own.
class bulk_copies {
public:
    bulk_copies() = default;
    bulk_copies(asynchronous_numbers const& n, unsigned warp_slots) : n_(n), committed_(warp_slots) {}

    /// A new warp is in this slot.
    void launch(warp_slot w) noexcept { committed_[w.index()] = 0; }
    /// The copies of an instruction, in its words.
    void issue(warp_slot w, std::span<std::uint64_t const> words) {
        while (!words.empty()) {
            auto const place = free_place();
            copy_[place] = {w, committed_[w.index()], bulk_copy_words::take_from(words)};
            handed_.push_back(place);
        }
    }
    void commit(warp_slot w) noexcept { ++committed_[w.index()]; }
    /// Whether a wait that lets the last `groups` be must go on; `read`: until they have read what they store.
    bool must_wait(warp_slot w, std::uint32_t groups, bool read) const noexcept {
        return std::any_of(copy_.begin(), copy_.end(), [&](copy const& c) {
            return c.warp == w && c.what.signals == no_phase &&
                   std::uint64_t{c.group} + groups < committed_[w.index()] && !(read && c.sent);
        });
    }
    /// Whether a copy of `w` has found no room in the queue yet.
    bool holds(warp_slot w) const noexcept {
        return std::any_of(handed_.begin(), handed_.end(), [&](auto p) { return copy_[p].warp == w; });
    }
    /// Copies of this warp that are not over.
    std::uint32_t of(warp_slot w) const noexcept {
        return static_cast<std::uint32_t>(
            std::count_if(copy_.begin(), copy_.end(), [w](copy const& c) { return c.warp == w; }));
    }
    bool empty() const noexcept { return over_ == copy_.size(); }

    /// A cycle begins. Calls `moved(warp)` for each whose copy has found room, or has read all that it stores, and
    /// `over(warp, words of the copy)` for each that is over without having asked for anything.
    template <class Moved, class Over>
    void tick(cycle now, Moved&& moved, Over&& over) {
        while (!handed_.empty() && queue_.size() < n_.copy_queue) {
            auto& c = copy_[handed_.front()];
            c.ready = now + n_.copy_setup + (c.what.reads_map ? n_.tensor_setup : 0);
            queue_.push_back(handed_.front());
            handed_.erase(handed_.begin());
            moved(c.warp);
        }
        while (!queue_.empty() && copy_[queue_.front()].ready <= now &&
               copy_[queue_.front()].piece == copy_[queue_.front()].what.pieces.size())
            leave_queue(moved, over);
    }
    /// Whether it has something to send at `now`.
    bool has_request(cycle now) const noexcept {
        if (queue_.empty() || next_at_ > now) return false;
        auto const& c = copy_[queue_.front()];
        return c.ready <= now && c.piece != c.what.pieces.size() &&
               under_way_ + next_of(c).bytes <= std::uint64_t{n_.copy_requests} * n_.copy_request;
    }
    /// Which is that. Precondition: has_request().
    packet request() const noexcept {
        auto const& c = copy_[queue_.front()];
        auto const asked = next_of(c);
        packet p;
        p.address = asked.address;
        p.bytes = asked.bytes;
        p.kind = c.what.way == bulk_way::load    ? packet_kind::bulk_read
                 : c.what.way == bulk_way::store ? packet_kind::write
                                                 : packet_kind::atomic;
        p.token = first_bulk_token + queue_.front();
        p.warp = static_cast<packet_warp>(c.warp.index());
        return p;
    }
    /// It has been sent. `moved` and `over` as of tick(): the last one, of a copy that is read by then.
    template <class Moved>
    void pop_request(cycle now, Moved&& moved) {
        auto& c = copy_[queue_.front()];
        auto const asked = next_of(c);
        under_way_ += asked.bytes;
        c.missing += asked.bytes;
        c.done += asked.of_piece;
        if (c.done == c.what.pieces[c.piece].bytes) {
            ++c.piece;
            c.done = 0;
        }
        next_at_ = now + n_.copy_interval;
        if (c.piece == c.what.pieces.size()) leave_queue(moved, [](warp_slot, bulk_copy_words const&) {});
    }
    /// A reply has come, to a request of the copy that its token names. Whether that ends a copy, or another may go on.
    template <class Over>
    bool receive(packet const& p, Over&& over) {
        auto& c = copy_[p.token - first_bulk_token];
        under_way_ -= p.bytes;
        c.missing -= p.bytes;
        bool const ends = c.missing == 0 && c.sent;
        if (ends) end(c, over);
        return ends || !queue_.empty();
    }
    /// The first cycle after `now` in which tick() does something or has_request() becomes true, if no reply comes.
    cycle next(cycle now) const noexcept {
        if (!handed_.empty() && queue_.size() < n_.copy_queue) return now + 1;
        if (queue_.empty() || has_request(now)) return never;
        auto const& c = copy_[queue_.front()];
        auto const at = std::max({c.ready, c.piece == c.what.pieces.size() ? 0 : next_at_, now + 1});
        return c.piece == c.what.pieces.size() || has_request(at) ? at : never;
    }

    friend bool operator==(bulk_copies const&, bulk_copies const&) = default;
    WARPKIT_STORED_MEMBERS(8)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(under_way_, next_at_);
        for (auto const& c : copy_) f(c.warp, c.group, c.ready, c.piece, c.done, c.missing, c.sent);
        for (auto const p : handed_) f(p);
        for (auto const p : queue_) f(p);
        for (auto const n : committed_) f(n);
    }

private:
    struct copy {
        warp_slot warp; ///< no_warp: the place is free
        std::uint32_t group = 0;
        bulk_copy_words what;
        cycle ready = 0;           ///< when it has been set up
        std::uint32_t piece = 0;   ///< that is asked for next
        std::uint32_t done = 0;    ///< bytes of it that have been
        std::uint64_t missing = 0; ///< bytes asked for that have not come, or been acknowledged
        bool sent = false;         ///< all of them have been asked for
        friend bool operator==(copy const&, copy const&) = default;
    };
    struct part {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
        std::uint32_t of_piece = 0; ///< bytes; a load asks for those around them, too
    };

    std::uint32_t free_place() {
        if (over_ == 0) {
            copy_.emplace_back();
            return static_cast<std::uint32_t>(copy_.size() - 1);
        }
        --over_;
        std::uint32_t place = 0;
        while (copy_[place].warp != no_warp) ++place;
        return place;
    }
    /// What is asked for next.
    part next_of(copy const& c) const noexcept {
        constexpr std::uint64_t sector = 32;
        auto const& piece = c.what.pieces[c.piece];
        auto const block = c.what.way == bulk_way::reduction ? sector : n_.copy_request;
        auto const from = piece.global + c.done;
        auto const n =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(piece.bytes - c.done, block - from % block));
        if (c.what.way != bulk_way::load) return {from, n, n};
        auto const low = from / sector * sector;
        auto const high = (from + n + sector - 1) / sector * sector;
        return {low, static_cast<std::uint32_t>(high - low), n};
    }
    template <class Moved, class Over>
    void leave_queue(Moved&& moved, Over&& over) {
        auto& c = copy_[queue_.front()];
        queue_.erase(queue_.begin());
        c.sent = true;
        auto const w = c.warp;
        if (c.missing == 0) end(c, over);
        moved(w);
    }
    template <class Over>
    void end(copy& c, Over&& over) {
        auto const w = std::exchange(c.warp, no_warp);
        auto const what = std::move(c.what);
        c = {};
        ++over_;
        over(w, what);
    }

    asynchronous_numbers n_;
    std::vector<copy> copy_;               ///< by place, which tokens name
    std::uint32_t over_ = 0;               ///< places that are free
    std::vector<std::uint32_t> handed_;    ///< places of those that wait for room
    std::vector<std::uint32_t> queue_;     ///< places of those in the queue
    std::uint64_t under_way_ = 0;          ///< bytes
    cycle next_at_ = 0;                    ///< no request before
    std::vector<std::uint32_t> committed_; ///< groups, by warp slot
};

} // namespace warpkit
