#pragma once
/// \file
/// How what happens to links on one host thread is told to another: all of a window in one piece of memory.
///
/// A line of the host's cache that another host core has written takes as long as some three hundred instructions,
/// unless several come at once. So where the ends of a link are on two threads, each thread has an object of its own
/// for the link, which nobody else reads or writes; and what happened to it in a window is told to the other thread
/// before the next.
///
/// The reference has no threads.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/gpu/common/link.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// From one thread, the writer, to all others, the readers: elements that were sent on some links, and credits that
/// were given back on others. Two posts may be under way: when all have taken post number n, number n + 2 may be
/// written.
///
/// Not copied: routes are told to it once, and it is empty between two calls of begin().
template <class T>
class alignas(host_line) mailbox {
public:
    /// Where its contents come to: one reader's objects of the links, in the order in which the writer has named its
    /// own.
    struct addresses {
        std::vector<link<T>*> sent;
        std::vector<link<T>*> taken;
    };

    mailbox() = default;
    mailbox(mailbox const&) = delete;
    mailbox& operator=(mailbox const&) = delete;

    /// What the writer sends on `from` goes along.
    void carry_elements(link<T> const& from) {
        sent_.push_back({&from});
        most_elements_ += from.places();
    }
    /// And credits that it gives back on `from`.
    void carry_credits(link<T> const& from) {
        taken_.push_back({&from});
        most_credits_ += from.places();
    }
    /// Post number 0 comes: all objects of each link are the same.
    void begin() {
        for (auto& r : sent_) r.told = r.from->sent();
        for (auto& r : taken_) r.told = r.from->taken();
        for (auto& s : slot_) {
            s.head.windows.store(0, std::memory_order_relaxed);
            if (s.element.size() != most_elements_) s.element = heap_array<element>::blank(most_elements_);
            if (s.credit.size() != most_credits_)
                s.credit = heap_array<mailbox::credit>::blank(most_credits_);
        }
    }

    /// The writer's post number `n`, of what has happened since the one before; `note` is for the readers.
    void post(std::uint64_t n, std::uint32_t note) noexcept {
        auto& s = slot_[n & 1];
        auto* e = s.element.data();
        std::uint32_t i = 0;
        for (auto& r : sent_) {
            for (auto const sent = r.from->sent(); r.told != sent; ++r.told, ++e) {
                auto const& p = r.from->place_of(r.told);
                e->at = p.at;
                e->cost = p.cost;
                e->route = i;
                e->content = p.content;
            }
            ++i;
        }
        s.head.elements = static_cast<std::uint32_t>(e - s.element.data());
        std::uint32_t credits = 0;
        i = 0;
        for (auto& r : taken_) {
            for (auto const taken = r.from->taken(); r.told != taken; ++r.told) {
                auto const& p = r.from->place_of(r.told);
                s.credit_number(credits++) = {p.at, p.cost, i};
            }
            ++i;
        }
        s.head.credits = credits;
        s.head.note = note;
        s.head.windows.store(n + 1, std::memory_order_release);
    }
    /// Whether readers may take post number `n`.
    bool posted(std::uint64_t n) const noexcept {
        return slot_[n & 1].head.windows.load(std::memory_order_acquire) == n + 1;
    }
    /// The note on post number `n` alone.
    std::uint32_t note(std::uint64_t n) const noexcept { return slot_[n & 1].head.note; }
    /// What is in post number `n` comes to a reader's links. The note that goes with it.
    std::uint32_t take(std::uint64_t n, addresses const& to) const noexcept {
        auto const& s = slot_[n & 1];
        auto const* e = s.element.data();
        auto const* const end = e + s.head.elements;
        s.fetch();
        for (std::uint32_t i = 0; i != s.head.credits; ++i) {
            auto const& c = s.credit_number(i);
            to.taken[c.route]->hear_taken(c.at, c.cost);
        }
        for (; e != end; ++e) to.sent[e->route]->hear_sent(e->at, e->cost, e->content);
        return s.head.note;
    }

private:
    struct route {
        link<T> const* from;
        std::uint64_t told = 0; ///< how many of its elements, or of their credits
    };
    struct alignas(sizeof(T) > 32 ? host_line : alignof(tick)) element {
        tick at = 0; ///< when it arrives
        std::uint32_t cost = 0;
        std::uint32_t route = 0;
        T content{};
    };
    struct credit {
        tick at = 0; ///< when they are back
        std::uint32_t cost = 0;
        std::uint32_t route = 0;
    };
    static constexpr std::uint32_t credits_in_head_ = 2;
    /// One line, of which a reader that waits looks at `windows`.
    struct alignas(host_line) header {
        std::atomic<std::uint64_t> windows{0}; ///< one more than the number of that which this is of
        std::uint32_t elements = 0;
        std::uint32_t credits = 0;
        std::uint32_t note = 0;
        mailbox::credit first[credits_in_head_];
    };
    struct slot {
        header head;
        heap_array<mailbox::element> element;
        heap_array<mailbox::credit> credit; ///< but for those in the header
        /// All lines at once.
        void fetch() const noexcept {
            auto const* e = element.data();
            for (auto const* const end = e + head.elements; e != end; ++e) __builtin_prefetch(e);
        }
        mailbox::credit& credit_number(std::uint32_t i) noexcept {
            return i < credits_in_head_ ? head.first[i] : credit[i - credits_in_head_];
        }
        mailbox::credit const& credit_number(std::uint32_t i) const noexcept {
            return i < credits_in_head_ ? head.first[i] : credit[i - credits_in_head_];
        }
    };

    slot slot_[2];
    // What only the writer touches.
    alignas(host_line) std::vector<route> sent_;
    std::vector<route> taken_;
    std::size_t most_elements_ = 0;
    std::size_t most_credits_ = 0;
    host_gap gap_;
};

} // namespace warpkit
