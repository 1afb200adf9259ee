#pragma once
/// \file
/// Explains, in one message each, what is wrong with a type that wants to be a coalescer or a replay queue.

#include <warpkit/base/check.hpp>
#include <warpkit/lsu/concepts.hpp>
#include <warpkit/lsu/replay_policy.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

/// Refuses, with one message that tells the remedy, a type that is no coalescer (lsu/concepts.hpp).
template <class P>
constexpr bool check_coalescer() {
    if constexpr (!check_value<P>()) {
        return false;
    } else {
        if constexpr (!coalescing_policy<P>)
            static_assert(
                detail::acceptable<P>,
                "warpkit: a coalescer is called with a warp's access and makes transactions of it: write "
                "`void operator()(warp_access const&, bool bypasses_l1, transaction_list& out) const`; the "
                "contract is in lsu/concepts.hpp");
        return coalescing_policy<P>;
    }
}

/// Refuses, with one message that names the first member that is missing, a type that is no replay queue
/// (lsu/replay_policy.hpp).
template <class Q>
constexpr bool check_replay_queue() {
    if constexpr (!check_value<Q>()) {
        return false;
    } else {
        using detail::acceptable;
        if constexpr (!requires(Q const& c) {
                          { c.queues() } -> std::same_as<bool>;
                      })
            static_assert(acceptable<Q>,
                          "warpkit: a replay queue says whether anything ever enters it: write "
                          "`bool queues() const noexcept`");
        else if constexpr (!requires(Q const& c, warp_slot w, access_kind k) {
                               { c.route(w, k) } -> std::same_as<replay_route>;
                           })
            static_assert(acceptable<Q>, "warpkit: a replay queue says where a request goes: write "
                                         "`replay_route route(warp_slot, access_kind) const noexcept`");
        else if constexpr (!requires(Q const& c) {
                               { c.takes_refused() } -> std::same_as<bool>;
                           })
            static_assert(acceptable<Q>,
                          "warpkit: a replay queue says whether a request that the L1 has refused can "
                          "enter it: write `bool takes_refused() const noexcept`");
        else if constexpr (!requires(Q & q, warp_slot w, access_kind k) {
                               { q.push(w, k, true) } -> std::same_as<std::uint32_t>;
                           })
            static_assert(acceptable<Q>,
                          "warpkit: a replay queue takes requests: write `std::uint32_t "
                          "push(warp_slot, access_kind, bool refused)`, which gives the entry's number");
        else if constexpr (!requires(Q const& c) {
                               { c.pick(true) } -> std::same_as<std::uint32_t>;
                           })
            static_assert(acceptable<Q>,
                          "warpkit: a replay queue names the entry to try: write `std::uint32_t "
                          "pick(bool unit_idle) const noexcept`, no_replay_entry for none");
        else if constexpr (!requires(Q & q, std::uint32_t entry) { q.accepted(entry); })
            static_assert(acceptable<Q>, "warpkit: a replay queue hears that an entry was taken: write "
                                         "`void accepted(std::uint32_t entry)`");
        else if constexpr (!requires(Q & q, std::uint32_t entry) { q.refused(entry); })
            static_assert(acceptable<Q>, "warpkit: a replay queue hears that an entry was refused: write "
                                         "`void refused(std::uint32_t entry)`");
        else if constexpr (!requires(Q & q) { q.room_changed(); })
            static_assert(acceptable<Q>,
                          "warpkit: a replay queue hears that what was refused might be taken now: write "
                          "`void room_changed()`");
        else if constexpr (!requires(Q const& c) {
                               { c.bypasses_full_sets() } -> std::same_as<bool>;
                           })
            static_assert(acceptable<Q>,
                          "warpkit: a replay queue says whether loads whose set is full of waiting lines "
                          "go past the L1: write `bool bypasses_full_sets() const noexcept`");
        else if constexpr (!requires(Q const& c) {
                               { c.empty() } -> std::same_as<bool>;
                           })
            static_assert(
                acceptable<Q>,
                "warpkit: a replay queue says whether nothing waits: write `bool empty() const noexcept`");
        else if constexpr (!requires(Q const& c) {
                               { c.capacity() } -> std::same_as<std::uint32_t>;
                           })
            static_assert(acceptable<Q>, "warpkit: a replay queue says how many requests it holds: write "
                                         "`std::uint32_t capacity() const noexcept`");
        else
            static_assert(replay_policy<Q>,
                          "warpkit: this is no replay queue; the contract is in lsu/replay_policy.hpp");
        return replay_policy<Q>;
    }
}

} // namespace warpkit
