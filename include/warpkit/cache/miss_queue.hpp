#pragma once
/// \file
/// What a cache asks of the next level, until it is sent.

#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// A queue of bounded length: fetches, stores and atomics that are passed on, write-backs.
class miss_queue {
public:
    miss_queue() = default;
    /// Room for `length` requests; a fill may add `beyond` write-backs to them.
    miss_queue(std::uint32_t length, std::uint32_t beyond) : queue_(length + beyond), length_(length) {}

    /// Requests that may still be queued.
    std::uint32_t room() const noexcept {
        auto const used = static_cast<std::uint32_t>(queue_.size());
        return used < length_ ? length_ - used : 0;
    }
    bool empty() const noexcept { return queue_.empty(); }
    std::size_t size() const noexcept { return queue_.size(); }
    lower_request const& front() const noexcept { return queue_.front(); }
    void pop() noexcept { queue_.pop(); }

    /// A store or an atomic goes on as it is.
    void pass_on(cache_access const& a) noexcept {
        queue_.push({.address = a.address,
                     .bytes = a.bytes,
                     .token = a.token,
                     .written = a.written,
                     .kind = a.kind == access_kind::atomic ? lower_kind::atomic : lower_kind::store,
                     .space = a.space,
                     .owner = a.owner,
                     .sectors = 0,
                     .mshr = 0xffff});
    }
    /// The sector at `address` is fetched on account of `a`, which waits in entry `mshr`.
    void fetch(cache_access const& a, std::uint64_t address, std::uint32_t bytes,
               std::uint32_t mshr) noexcept {
        auto& r = queue_.extend(); // in place: half of all that a miss takes is this
        r.address = address;
        r.bytes = bytes;
        r.token = a.token;
        r.written = {};
        r.kind = lower_kind::fetch;
        r.space = a.space;
        r.owner = a.owner;
        r.sectors = 0;
        r.mshr = static_cast<std::uint16_t>(mshr);
    }
    /// Dirty sectors of the line at `address` go back, `bytes` in all.
    void write_back(std::uint64_t address, std::uint32_t bytes, std::uint16_t sectors,
                    warp_slot owner) noexcept {
        queue_.push({.address = address,
                     .bytes = bytes,
                     .token = no_token,
                     .written = {},
                     .kind = lower_kind::write_back,
                     .space = memory_space::none,
                     .owner = owner,
                     .sectors = sectors,
                     .mshr = 0xffff});
    }

    friend bool operator==(miss_queue const&, miss_queue const&) = default;
    WARPKIT_STORED_MEMBERS(2)
    template <class F>
    void each_member(F&& f) const {
        f(queue_);
    }

private:
    ring<lower_request> queue_;
    std::uint32_t length_ = 0;
};

} // namespace warpkit
