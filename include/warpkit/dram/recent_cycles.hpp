#pragma once
/// \file
/// What the latest cycles of a channel have counted, so that one that has run ahead can tell its counters as they were.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/counters.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpkit::dram {

/// The counters of a channel, and what they are counted from.
struct channel_standing {
    channel_counters counters;
    cycle counted = 0;         ///< all cycles before this one are counted
    std::uint32_t serving = 0; ///< banks that hold a request
    bool busy = false;         ///< requests are queued or held
};

/// Notes of the latest cycles in which a channel looked for something to do: what each of them counted, a bit each.
class recent_cycles {
public:
    /// So many are remembered, a power of two.
    static constexpr std::uint32_t capacity = 64;
    enum event : std::uint64_t {
        activated = 1 << 0,
        precharged = 1 << 1,
        refreshed = 1 << 2,
        read_atom = 1 << 3,
        write_atom = 1 << 4,
        write = 1 << 5, ///< a request whose end is its last column command
        served = 1 << 6,
        row_hit = 1 << 7,
        bank_began = 1 << 8,       ///< to work, from this cycle on
        bank_ended = 1 << 9,       ///< from the next one on
        busy_changed = 1 << 10,    ///< from this cycle on
        busy_will_change = 1 << 11 ///< from the next one on
    };

    /// What cycle `now` counted, later than all noted before.
    void note(cycle now, std::uint64_t events) noexcept {
        words_[noted_++ % capacity] = (now + 1) << shift | events;
    }
    /// Takes back what cycle `next` and those behind it counted, all of which are remembered.
    void take_back(channel_standing& s, cycle next) const noexcept {
        bool any = false;
        for (auto i = noted_; noted_ - i != capacity; any = true) {
            auto const word = words_[--i % capacity];
            auto const behind = word >> shift; // 0: there was none before
            if (behind <= next) {
                if (any) s.counted = behind;
                return;
            }
            take_back(s.counters, s, word, behind);
        }
    }

    WARPKIT_STORED_MEMBERS(2)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(words_, noted_);
    }
    friend bool operator==(recent_cycles const&, recent_cycles const&) = default;

private:
    static constexpr int shift = 12;

    static void take_back(channel_counters& c, channel_standing& s, std::uint64_t word,
                          cycle behind) noexcept {
        c.activates -= (word & activated) != 0;
        c.precharges -= (word & precharged) != 0;
        c.refreshes -= (word & refreshed) != 0;
        c.read_atoms -= (word & read_atom) != 0;
        c.write_atoms -= (word & write_atom) != 0;
        c.writes -= (word & write) != 0;
        c.requests_served -= (word & served) != 0;
        c.row_hits -= (word & row_hit) != 0;
        // A state counts the cycle in which it ends and, negative, the one in which it began (channel.hpp).
        auto const turn_back = [&](cycle at) {
            c.busy_cycles += s.busy ? at : 0 - at;
            s.busy = !s.busy;
        };
        if ((word & busy_will_change) != 0) turn_back(behind);
        if ((word & busy_changed) != 0) turn_back(behind - 1);
        if ((word & bank_ended) != 0) {
            c.bank_cycles -= behind;
            if (s.serving++ == 0) c.bank_busy_cycles -= behind;
        }
        if ((word & bank_began) != 0) {
            c.bank_cycles += behind - 1;
            if (--s.serving == 0) c.bank_busy_cycles += behind - 1;
        }
    }

    std::array<std::uint64_t, capacity> words_{};
    std::uint32_t noted_ = 0;
};

} // namespace warpkit::dram
