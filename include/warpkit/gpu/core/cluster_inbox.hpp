#pragma once
/// \file
/// What comes to a core from the others of a cluster, until its cycle has come: messages, and openings of the clusters'
/// barriers.
///
/// In the reference: `core::cluster_opens` and `core::message_comes`, with a calendar for each (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/machine/cluster.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// A message that leaves or comes in a cycle.
struct timed_message {
    cycle at = 0;
    cluster_message what;
    friend bool operator==(timed_message const&, timed_message const&) = default;
};

/// Both are told in the order of their cycles.
class cluster_inbox {
public:
    void message_comes(cycle at, cluster_message const& m) { messages_.push_back({at, m}); }
    void opens(cycle at, std::uint64_t cluster) { openings_.push_back({at, cluster}); }
    /// Whether no message is on its way: a barrier may yet open for warps that have all gone.
    bool empty() const noexcept { return messages_.empty(); }
    bool opens_any() const noexcept { return !openings_.empty(); }
    void forget_openings() noexcept { openings_.clear(); }
    /// The cycle of what comes next.
    cycle next() const noexcept {
        auto const opens_at = openings_.empty() ? never : openings_.front().at;
        return messages_.empty() || opens_at < messages_.front().at ? opens_at : messages_.front().at;
    }
    /// `open(cluster)` of the barriers that open, up to this cycle.
    template <class Open>
    void take_openings(cycle now, Open open) {
        auto o = openings_.begin();
        for (; o != openings_.end() && o->at <= now; ++o) open(o->cluster);
        openings_.erase(openings_.begin(), o);
    }
    /// `take(message)` of those that have come.
    template <class Take>
    void take_messages(cycle now, Take take) {
        auto m = messages_.begin();
        for (; m != messages_.end() && m->at <= now; ++m) take(m->what);
        messages_.erase(messages_.begin(), m);
    }

    WARPKIT_STORED_MEMBERS(2)
    friend bool operator==(cluster_inbox const&, cluster_inbox const&) = default;

private:
    struct opening {
        cycle at = 0;
        std::uint64_t cluster = 0;
        friend bool operator==(opening const&, opening const&) = default;
    };
    std::vector<opening> openings_;
    std::vector<timed_message> messages_;
};

} // namespace warpkit
