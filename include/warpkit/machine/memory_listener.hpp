#pragma once
/// \file
/// Listening to a memory partition of a machine that has been made, while it runs or not.
///
///     using machine =
///         presets::gtx480::with<use::l2_observer<l2_heard_beside<>>, use::dram_observer<dram_heard_beside<>>>;
///     ...
///     g.each_memory_observer([&](unsigned channel, auto& l2, auto& dram) { l2.hear(mine); dram.hear(mine); });

#include <warpkit/base/listen.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/policies.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

/// Hears what a partition does, once its observers have been handed this: of each slice of the L2 and of the DRAM
/// channel in the order of time, but of one slice perhaps sooner than of what another did before. It is called through
/// a table, so that the memory system is compiled without it: a class L that is derived from it, with `on` for some of
/// these events, makes it of itself, `L() : memory_listener(this) {}`.
class memory_listener {
public:
    memory_listener(memory_listener const&) = delete;
    memory_listener& operator=(memory_listener const&) = delete;
    /// Whether it wants to hear of accesses for this core: of all, unless it says of which.
    bool hears_of(unsigned core) const noexcept {
        return all_cores_ || (core < cores_.size() && cores_[core]);
    }
    void on(l2_accessed const& e) { tell(accessed_, e); }
    void on(l2_filled const& e) { tell(filled_, e); }
    void on(dram::command const& e) { tell(command_, e); }

protected:
    template <class L>
    explicit memory_listener(L*)
        : accessed_(handler_of<L, l2_accessed>()),
          filled_(handler_of<L, l2_filled>()),
          command_(handler_of<L, dram::command>()) {}
    ~memory_listener() = default;
    void hear_only_of(std::vector<bool> cores) {
        all_cores_ = false;
        cores_ = std::move(cores);
    }

private:
    template <class E>
    using handler = void (*)(memory_listener&, E const&);
    template <class L, class E>
    static constexpr handler<E> handler_of() noexcept {
        if constexpr (hears<L, E>)
            return [](memory_listener& self, E const& e) { static_cast<L&>(self).on(e); };
        else
            return nullptr;
    }
    template <class E>
    void tell(handler<E> to, E const& e) {
        if (to != nullptr) to(*this, e);
    }

    handler<l2_accessed> accessed_;
    handler<l2_filled> filled_;
    handler<dram::command> command_;
    bool all_cores_ = true;
    std::vector<bool> cores_;
};

namespace detail {

/// Observes a memory partition beside another observer of its L2 or of its DRAM channel, for a memory_listener. Without
/// one it costs a test for each of these events.
template <class Observer, class... Event>
class heard_beside : public Observer {
public:
    static constexpr bool forwards_events = true;
    static constexpr bool takes_slices_in_any_order = !hears_l2<Observer>;
    using Observer::Observer;
    heard_beside() = default;

    template <class E>
    requires(hears<Observer, E> || (std::is_same_v<E, Event> || ...)) void on(E const& e) {
        if constexpr (hears<Observer, E>) Observer::on(e);
        if constexpr ((std::is_same_v<E, Event> || ...))
            if (listener_) listener_->on(e);
    }
    template <class E>
    bool listens() const noexcept {
        return hears_now<E>(static_cast<Observer const&>(*this)) ||
               ((std::is_same_v<E, Event> || ...) && listener_);
    }
    /// Whether anybody wants to hear of an access for this core.
    bool hears_of(unsigned core) const noexcept {
        return hears_now<l2_accessed>(static_cast<Observer const&>(*this)) ||
               (listener_ && listener_->hears_of(core));
    }
    /// From now on. Between two kernels, to hear all of each packet.
    void hear(std::shared_ptr<memory_listener> listener) { listener_ = std::move(listener); }

    friend bool operator==(heard_beside const& a, heard_beside const& b) { // to listen changes nothing
        return static_cast<Observer const&>(a) == static_cast<Observer const&>(b);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        if constexpr (requires { static_cast<Observer const*>(this)->each_member(f); })
            Observer::each_member(f);
    }
    /// Who listens is no state.
    template <class F>
    void each_stored(F&& f) {
        f(static_cast<Observer&>(*this));
    }

private:
    std::shared_ptr<memory_listener> listener_;
};

} // namespace detail

/// To sit in `use::l2_observer` and in `use::dram_observer`, beside what listens there already.
template <class Observer = no_observer>
using l2_heard_beside = detail::heard_beside<Observer, l2_accessed, l2_filled>;
template <class Observer = no_observer>
using dram_heard_beside = detail::heard_beside<Observer, dram::command>;

} // namespace warpkit
