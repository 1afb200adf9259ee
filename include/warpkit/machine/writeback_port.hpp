#pragma once
/// \file
/// The write-back port of a load/store unit (docs/model/load_store.md#writeback-port), in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Answers of memory on their way to the registers, where one is written in a cycle. Who gets the port next is asked in
/// turn, each client's answers in their order. Source: GPGPU-Sim 4.x, `ldst_unit::writeback`.
class writeback_port {
public:
    /// Where an answer comes from, in the order in which they have their turns.
    enum class client : unsigned { shared, texture, constant, past_l1, l1 };
    struct answer {
        cycle at = 0;                  ///< it is there; its turn is a later cycle
        std::uint32_t token = 0;       ///< of the operation that it is a part of
        std::uint32_t amount = 0;      ///< of what that waits for
        std::uint32_t instruction = 0; ///< whose registers it is written to
        warp_slot warp;
        friend bool operator==(answer const&, answer const&) = default;
    };

    /// Precondition: `a.at` is not before that of the last one from this client.
    void push(client c, answer const& a) { waiting_[static_cast<unsigned>(c)].push(a); }
    /// A cycle: what holds the port leaves it if the banks of its registers are free, and then the next one gets it.
    /// Calls `has_come(answer)` for each that is written or, where its instruction writes nothing, that gets the port.
    /// The core gives `writes(instruction)` and `take_banks(warp, instruction)`, whether they are free.
    template <class Core, class HasCome>
    void tick(cycle now, Core& core, HasCome&& has_come) {
        if (holds_ && !ended_) {
            if (!core.take_banks(held_.warp, held_.instruction)) return;
            has_come(held_);
        }
        holds_ = false;
        for (unsigned k = 0; k < clients; ++k) {
            auto const c = (turn_ + k) % clients;
            if (waiting_[c].next() >= now) continue;
            held_ = waiting_[c].pop();
            holds_ = true;
            turn_ = (c + 1) % clients;
            ended_ = !core.writes(held_.instruction);
            if (ended_) has_come(held_);
            return;
        }
    }
    /// Whether nobody waits for it; what has ended may hold it still.
    bool empty() const noexcept {
        for (auto const& q : waiting_)
            if (q.next() != never) return false;
        return !holds_ || ended_;
    }
    /// The first cycle after `now` in which tick() does something; `never` if it holds nothing.
    cycle next(cycle now) const noexcept {
        if (holds_) return now + 1;
        auto first = never;
        for (auto const& q : waiting_)
            if (q.next() < first) first = q.next();
        return first == never ? never : first < now ? now + 1 : first + 1;
    }

    friend bool operator==(writeback_port const&, writeback_port const&) = default;
    WARPKIT_STORED_MEMBERS(5)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(holds_, ended_, turn_);
        for (auto const& q : waiting_) q.each_member(f);
    }

private:
    static constexpr unsigned clients = 5;
    /// In the order of their cycles; allocates only to grow.
    class queue {
    public:
        void push(answer const& a) { all_.push_back(a); }
        answer pop() noexcept {
            auto const a = all_[first_++];
            if (first_ == all_.size()) {
                all_.clear();
                first_ = 0;
            }
            return a;
        }
        cycle next() const noexcept { return all_.empty() ? never : all_[first_].at; }
        friend bool operator==(queue const&, queue const&) = default;
        WARPKIT_STORED_MEMBERS(2)
        template <class F>
        constexpr void each_member(F&& f) const {
            for (auto i = first_; i < all_.size(); ++i) f(all_[i].at, all_[i].token, all_[i].amount);
        }

    private:
        std::size_t first_ = 0;
        std::vector<answer> all_;
    };

    bool holds_ = false;
    bool ended_ = false; ///< what holds it writes nothing
    answer held_{};
    unsigned turn_ = 0;
    std::array<queue, clients> waiting_;
};

} // namespace warpkit
