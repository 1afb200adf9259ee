#pragma once
/// \file
/// CUDA's streams: what a host says with them of the order of its launches (docs/model/dispatch.md#streams).

#include <warpkit/base/standard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace warpkit {

/// Launches of one stream run in the order in which they were made; those of two may run at once. The default stream
/// (0) is CUDA's legacy one: what it is given waits for all that other streams were given before, and these wait for
/// it, but for non-blocking ones. Launches are told by their numbers, from 0 on.
class stream_order {
public:
    static constexpr std::uint32_t default_stream = 0;
    /// The launches that somebody waits for, in order.
    using launches = std::vector<std::uint32_t>;

    /// The next launch is made, in this stream: those that must have ended before it begins.
    launches launch(std::uint32_t stream) {
        auto& s = of(stream);
        auto after = s.last;
        if (stream == default_stream)
            for (auto const& [number, other] : stream_)
                if (other.blocking) join(after, other.last);
        join(after, host_);
        s.last = {made_};
        if (stream == default_stream) {
            legacy_ = {made_};
            for (auto& [number, other] : stream_)
                if (other.blocking) other.last = legacy_;
        }
        ++made_;
        return after;
    }
    /// What the default stream is given does not wait for this one, nor this one for it: cudaStreamNonBlocking.
    void do_not_block(std::uint32_t stream) { of(stream).blocking = false; }

    /// What an event recorded now stands for: cudaEventRecord. In the default stream that is all of the blocking ones.
    launches record(std::uint32_t stream) {
        auto done = of(stream).last;
        if (stream == default_stream)
            for (auto const& [number, other] : stream_)
                if (other.blocking) join(done, other.last);
        return done;
    }
    /// What this stream is given from now on waits for these: cudaStreamWaitEvent.
    void wait(std::uint32_t stream, launches const& event) {
        join(of(stream).last, event);
        if (stream != default_stream) return;
        for (auto& [number, other] : stream_)
            if (other.blocking) join(other.last, event);
        join(legacy_, event);
    }
    /// The host has waited for these, so that nothing that it launches later begins before: cudaEventSynchronize and,
    /// with record(stream), cudaStreamSynchronize.
    void host_waits(launches const& event) { join(host_, event); }
    /// The host has waited for all: cudaDeviceSynchronize.
    void host_waits() {
        for (auto const& [number, s] : stream_) join(host_, s.last);
    }
    /// The host has copied without saying in which stream, which waits as the default stream does: cudaMemcpy.
    void host_copies() { host_waits(record(default_stream)); }

    std::uint32_t made() const noexcept { return made_; }

private:
    struct state {
        launches last; ///< what the next launch waits for
        bool blocking = true;
    };
    state& of(std::uint32_t stream) {
        auto const [s, is_new] = stream_.try_emplace(stream);
        if (is_new) s->second.last = legacy_;
        return s->second;
    }
    static void join(launches& to, launches const& more) {
        launches all;
        std::set_union(to.begin(), to.end(), more.begin(), more.end(), std::back_inserter(all));
        to = std::move(all);
    }

    std::map<std::uint32_t, state> stream_;
    launches legacy_; ///< what a new stream waits for
    launches host_;   ///< what all that will be launched waits for
    std::uint32_t made_ = 0;
};

/// Small numbers for the handles of streams, in the order of their first use. CUDA's default stream (0, or 1) has
/// stream_order::default_stream.
class stream_numbers {
public:
    std::uint32_t of(std::uint64_t handle) {
        if (handle <= 1) return stream_order::default_stream;
        return number_.try_emplace(handle, static_cast<std::uint32_t>(number_.size() + 1)).first->second;
    }

private:
    std::map<std::uint64_t, std::uint32_t> number_;
};

/// Where a launch stands.
struct launch_place {
    std::uint32_t stream = stream_order::default_stream;
    stream_order::launches after = {}; ///< what must have ended before it begins
};

/// Says of launches, one by one, which of them begins anew: it comes after all those since the last one that did, so
/// that none of them can be running beside it.
class group_boundaries {
public:
    /// The next launch, which comes after these.
    bool begins(stream_order::launches const& after) {
        std::vector<bool> waited(reached_.size(), false);
        for (auto const a : after) {
            if (a < first_) continue;
            waited[a - first_] = true;
            auto const& before = reached_[a - first_];
            for (std::size_t k = 0; k < before.size(); ++k)
                if (before[k]) waited[k] = true;
        }
        auto const number = first_ + static_cast<std::uint32_t>(reached_.size());
        if (std::find(waited.begin(), waited.end(), false) == waited.end()) {
            first_ = number;
            reached_.assign(1, {});
            return true;
        }
        reached_.push_back(std::move(waited));
        return false;
    }

private:
    std::uint32_t first_ = 0;                ///< of the group
    std::vector<std::vector<bool>> reached_; ///< by launch of the group: those before that it comes after
};

} // namespace warpkit
