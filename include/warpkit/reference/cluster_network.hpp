#pragma once
/// \file
/// What joins the cores of a group (docs/model/clusters.md#network): each has an end that sends and one that receives.

#include <warpkit/base/cycle.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/plain_queues.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::reference {

/// A sending end moves so many bytes of its oldest message a cycle; `latency` later the message begins to come to the
/// end that receives it. That takes in one message at a time, so many bytes a cycle, of those that have come the one
/// that came first, of these that of the lowest core.
class cluster_network {
public:
    explicit cluster_network(gpu_parameters const& p)
        : n_(p.cluster),
          sending_(p.core.count),
          receiving_(p.core.count) {}

    /// In this cycle, behind its tick.
    void send(cluster_message const& m) { sending_[m.from].queue.push_back(m); }
    /// Calls `deliver(message)` for what has come whole.
    template <class Deliver>
    void tick(cycle now, Deliver&& deliver) {
        for (auto& e : sending_) { // in the cycle before
            if (e.left == 0 && !e.queue.empty()) {
                auto const& m = e.queue.front();
                e.left = bytes_of(m);
                receiving_[m.to].coming.push_back({now - 1 + n_.latency, m});
                e.queue.pop_front();
            }
            e.left -= std::min(e.left, n_.bandwidth);
        }
        for (auto& e : receiving_) {
            if (e.left == 0) {
                auto const first = next(e.coming);
                if (first == e.coming.size() || e.coming[first].at > now) continue;
                e.message = e.coming[first].what;
                e.left = bytes_of(e.message);
                e.coming.erase(e.coming.begin() + static_cast<std::ptrdiff_t>(first));
            }
            e.left -= std::min(e.left, n_.bandwidth);
            if (e.left == 0) deliver(e.message);
        }
    }
    /// Messages.
    std::size_t under_way() const {
        std::size_t n = 0;
        for (auto const& e : sending_) n += e.queue.size();
        for (auto const& e : receiving_) n += e.coming.size() + (e.left != 0);
        return n;
    }

private:
    struct sending_end {
        fifo_queue<cluster_message> queue;
        std::uint32_t left = 0; ///< bytes of the message that has left the queue
    };
    struct receiving_end {
        std::vector<timed<cluster_message>> coming;
        cluster_message message;
        std::uint32_t left = 0; ///< bytes of it
    };
    static std::size_t next(std::vector<timed<cluster_message>> const& coming) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < coming.size(); ++i)
            if (coming[i].at < coming[best].at ||
                (coming[i].at == coming[best].at && coming[i].what.from < coming[best].what.from))
                best = i;
        return best;
    }

    cluster_numbers n_;
    std::vector<sending_end> sending_;
    std::vector<receiving_end> receiving_;
};

} // namespace warpkit::reference
