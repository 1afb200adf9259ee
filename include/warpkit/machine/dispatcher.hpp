#pragma once
/// \file
/// The thread-block dispatcher: hands the CTAs of one grid to cores with room (docs/model/dispatch.md#dispatcher). Both
/// engines have it.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/machine/cta_notices.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// What is left of a grid, and what each core holds. A core takes at most one CTA per core cycle; that a CTA has
/// finished is known here `delay` cycles later.
template <class Choice>
class dispatcher {
    static_assert(check_cta_choice<Choice>());

    struct notice {
        cycle at = 0;
        unsigned core = 0;
        std::uint64_t cta = 0;
        friend bool operator==(notice const&, notice const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(at, core, cta);
        }
    };

public:
    dispatcher() = default;
    dispatcher(unsigned cores, cycle delay, Choice const& choice)
        : choice_(choice),
          delay_(delay),
          resident_(cores, 0),
          room_(cores, 0) {}

    /// Nothing is dispatched before cycle `from`.
    void begin(grid_began const& grid, unsigned fit, cycle from) {
        choice_.on(grid);
        total_ = left_ = grid.ctas();
        done_ = 0;
        skipped_ = 0;
        fit_ = fit;
        from_ = from;
        last_finished_ = 0;
        may_dispatch_ = true;
    }
    void finished(unsigned core, std::uint64_t cta, cycle at) {
        notices_.push_back({at + delay_, core, cta});
        if (at > last_finished_) last_finished_ = at;
    }

    /// The first cycle at or after `now` in which something can be done here.
    cycle next_event(cycle now) const noexcept {
        if (may_dispatch_) return now < from_ ? from_ : now;
        auto next = never;
        for (auto const& n : notices_)
            if (n.at < next) next = n.at;
        return next < now ? now : next;
    }
    /// Dispatches in the cycles from `begin` to `end - 1`. `limit(core)` is the most CTAs it may hold now;
    /// `launch(core, cta, cycle)` sends one.
    template <class Limit, class Launch>
    void run(cycle begin, cycle end, Limit&& limit, Launch&& launch) {
        for (auto now = next_event(begin); now < end; now = next_event(now + 1)) {
            retire(now);
            may_dispatch_ = left_ != 0 && dispatch(now, limit, launch);
        }
    }
    /// Up to `count` CTAs are dispatched now and finish at once, on cores that need no room for them; `execute(cta)` is
    /// called for each until it is false. Answers how many: fewer, too, where the choice gives them to nobody.
    template <class Execute>
    std::uint64_t skip(std::uint64_t count, cycle now, Execute&& execute) {
        std::uint64_t n = 0;
        bool more = true;
        while (more && n < count && left_ != 0) {
            for (auto& room : room_) room = fit_;
            auto const a = choice_.choose({room_.data(), static_cast<unsigned>(room_.size())});
            if (!a) break;
            for (unsigned i = 0; i < a.count; ++i) {
                notify(cta_dispatched{a.core, a.first + i, now}, choice_);
                more = execute(a.first + i) && more;
            }
            for (unsigned i = 0; i < a.count; ++i) notify(cta_retired{a.core, a.first + i, now}, choice_);
            left_ -= a.count;
            n += a.count;
        }
        done_ += n;
        skipped_ += n;
        may_dispatch_ = left_ != 0;
        return n;
    }
    bool done() const noexcept { return done_ == total_; }
    /// Whether nothing will be dispatched before a CTA finishes, and then only to cores of which one has finished: all
    /// others are full.
    bool settled() const noexcept {
        if (may_dispatch_ || !notices_.empty()) return false;
        if (left_ != 0)
            for (auto const room : room_)
                if (room != 0) return false;
        return true;
    }
    /// What there is to do from now on.
    dispatch_outlook outlook() const noexcept { return {settled(), done(), left_ != 0}; }
    /// CTAs of this grid that have not been dispatched.
    std::uint64_t left() const noexcept { return left_; }
    /// Of those that have finished, the ones that skip() took.
    std::uint64_t skipped_count() const noexcept { return skipped_; }
    std::uint64_t finished_count() const noexcept { return done_; }
    std::uint64_t total() const noexcept { return total_; }
    /// CTAs that have not finished on any core, as far as is known here.
    std::uint64_t resident() const noexcept {
        std::uint64_t n = 0;
        for (auto const r : resident_) n += r;
        return n;
    }
    /// The same of one core.
    unsigned held(unsigned core) const noexcept { return resident_[core]; }
    /// The cycle of the last CTA of this grid that has finished on a core; 0 if none has.
    cycle last_finished() const noexcept { return last_finished_; }
    /// The cycle before which nothing of this grid is dispatched.
    cycle from() const noexcept { return from_; }
    /// The most CTAs of this grid that fit a core.
    unsigned fit() const noexcept { return fit_; }
    Choice const& choice() const noexcept { return choice_; }
    /// Something outside changed what cores may hold.
    void reconsider() noexcept { may_dispatch_ = left_ != 0; }

    // run() in pieces, where grids share cores: in each cycle of next_event(), retire(), then dispatch() once this
    // one's turn has come, which answers whether anything was sent, and reconsider() or rest().
    void rest() noexcept { may_dispatch_ = false; }
    /// Whether there are CTAs to send at `now`.
    bool waits(cycle now) const noexcept { return left_ != 0 && from_ <= now; }
    /// What has finished, as far as it is known now.
    void retire(cycle now) {
        for (std::size_t i = 0; i < notices_.size();) {
            auto const n = notices_[i];
            if (n.at > now) {
                ++i;
                continue;
            }
            --resident_[n.core];
            ++done_;
            notify(cta_retired{n.core, n.cta, n.at}, choice_);
            notices_.erase(notices_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    /// One cycle; whether anything was sent.
    template <class Limit, class Launch>
    bool dispatch(cycle now, Limit&& limit, Launch&& launch) {
        bool any = false;
        for (unsigned c = 0; c < room_.size(); ++c) {
            auto const most = limit(c, fit_);
            room_[c] = resident_[c] < most ? most - resident_[c] : 0;
        }
        while (left_ != 0) {
            auto const a = choice_.choose({room_.data(), static_cast<unsigned>(room_.size())});
            if (!a) break;
            for (unsigned i = 0; i < a.count; ++i) {
                notify(cta_dispatched{a.core, a.first + i, now}, choice_);
                launch(a.core, a.first + i, now);
            }
            resident_[a.core] += a.count;
            left_ -= a.count;
            room_[a.core] = 0; // nothing more in this cycle
            any = true;
        }
        return any;
    }

    friend bool operator==(dispatcher const&, dispatcher const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(choice_, resident_, notices_, total_, left_, done_, fit_, from_);
    }

private:
    Choice choice_;
    cycle delay_ = 1;
    heap_array<unsigned> resident_;
    heap_array<unsigned> room_;
    std::vector<notice> notices_;
    std::uint64_t total_ = 0;
    std::uint64_t left_ = 0;
    std::uint64_t done_ = 0;
    std::uint64_t skipped_ = 0;
    unsigned fit_ = 1;
    cycle from_ = 0;
    cycle last_finished_ = 0;
    bool may_dispatch_ = false;
};

} // namespace warpkit
