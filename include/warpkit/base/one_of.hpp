#pragma once
/// \file
/// One of several policies, which one being known at run time only: so that one machine serves them all.

#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace warpkit {

namespace detail {
struct one_of_text {
    static constexpr char const* name() noexcept { return "one_of"; }
};
template <class First, class...>
struct first_of {
    using type = First;
};
} // namespace detail

/// A value that is one of P..., at first a P of the first kind, and hears, hashes, compares and tells parameters as the
/// one that it is. What a seat asks of its policy is added by the seat's folder: one_warp_scheduler, one_replay_queue,
/// one_cta_choice, one_occupancy_limit. Not virtual, no allocation: a question costs a jump, an event a call where the
/// one that it is hears it, and a look into a table where not.
template <class... P>
class one_of {
    static_assert(sizeof...(P) != 0,
                  "warpkit: one_of<> has nothing to choose from: name at least one policy");

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept { return composed_name<detail::one_of_text, P...>::name(); }

    one_of() : one_of(typename detail::first_of<P...>::type{}) {}
    /// This one.
    template <class Q>
    requires(std::is_same_v<Q, P> || ...) one_of(Q const& policy) {
        std::uint32_t i = 0;
        (void)((std::is_same_v<Q, P> ? (index_ = i, true) : (++i, false)) || ...);
        ::new (static_cast<void*>(held_)) Q(policy);
    }
    one_of(one_of const& other) : index_(other.index_) {
        other.ask([this]<class Q>(Q const& q) { ::new (static_cast<void*>(held_)) Q(q); });
    }
    one_of(one_of&& other) noexcept : index_(other.index_) {
        other.change([this]<class Q>(Q& q) { ::new (static_cast<void*>(held_)) Q(static_cast<Q&&>(q)); });
    }
    one_of& operator=(one_of const& other) {
        if (index_ == other.index_)
            change([&other]<class Q>(Q& q) { q = other.as<Q>(); });
        else
            *this = one_of(other);
        return *this;
    }
    one_of& operator=(one_of&& other) noexcept {
        if (index_ == other.index_) {
            change([&other]<class Q>(Q& q) { q = static_cast<Q&&>(other.as<Q>()); });
        } else {
            end();
            index_ = other.index_;
            other.change([this]<class Q>(Q& q) { ::new (static_cast<void*>(held_)) Q(static_cast<Q&&>(q)); });
        }
        return *this;
    }
    ~one_of() { end(); }

    /// The policy in charge, if it is a Q.
    template <class Q>
    requires(std::is_same_v<Q, P> || ...) Q const* get_if() const noexcept {
        Q const* found = nullptr;
        ask([&found]<class R>(R const& r) {
            if constexpr (std::is_same_v<Q, R>) found = &r;
        });
        return found;
    }
    /// The name of the policy in charge.
    char const* chosen_name() const noexcept {
        char const* text = "";
        ask([&text]<class Q>(Q const&) { text = common_name<Q>; });
        return text;
    }
    /// Calls `f.operator()<Q>()` for each alternative Q, in their order.
    template <class F>
    static void each_alternative(F&& f) {
        (f.template operator()<P>(), ...);
    }

    template <class E>
    requires(hears<P, E> || ...) void on(E const& e) {
        if (auto const tell = handler_<E>[index_]) tell(held_, e);
    }
    /// Whether the policy in charge hears E (hears_now).
    template <class E>
    bool listens() const noexcept {
        return handler_<E>[index_] != nullptr;
    }
    /// The parameters of the policy in charge.
    template <class Self, class F>
    static void each_parameter(Self& self, F&& f) {
        one_of::with(self, [&f](auto& q) { each_parameter_of(f, q); });
    }
    void parameters_set() {
        change([](auto& q) { tell_parameters_set(q); });
    }
    template <class F>
    void each_member(F&& f) const {
        f(index_);
        ask([&f](auto const& q) { f(q); });
    }
    /// For checkpoints (machine/state_archive.hpp).
    template <class F>
    void each_stored(F&& f) {
        auto index = index_;
        f(index);
        if (index != index_ && index < sizeof...(P)) {
            end();
            index_ = 0;
            (void)((index_ == index ? (::new (static_cast<void*>(held_)) P(), true) : (++index_, false)) ||
                   ...);
        }
        change([&f](auto& q) { f(q); });
    }
    friend bool operator==(one_of const& a, one_of const& b) {
        if (a.index_ != b.index_) return false;
        bool same = false;
        a.ask([&]<class Q>(Q const& q) { same = q == b.as<Q>(); });
        return same;
    }

protected:
    /// The policy in charge, for a function out of a table that has one for each: `table[index()](held())`.
    std::uint32_t index() const noexcept { return index_; }
    void const* held() const noexcept { return held_; }
    /// Calls f with the policy in charge.
    template <class F>
    void ask(F&& f) const {
        one_of::with(*this, f);
    }
    template <class F>
    void change(F&& f) {
        one_of::with(*this, f);
    }

private:
    template <class Q>
    Q& as() noexcept {
        return *std::launder(reinterpret_cast<Q*>(held_));
    }
    template <class Q>
    Q const& as() const noexcept {
        return *std::launder(reinterpret_cast<Q const*>(held_));
    }
    template <class Self, class F>
    static void with(Self& self, F&& f) {
        std::uint32_t i = 0;
        (void)((self.index_ == i++ ? (f(self.template as<P>()), true) : false) || ...);
    }
    template <class E>
    using handler = void (*)(void*, E const&);
    template <class Q, class E>
    static constexpr handler<E> handler_of() noexcept {
        if constexpr (hears<Q, E>)
            return [](void* held, E const& e) { std::launder(static_cast<Q*>(held))->on(e); };
        else
            return nullptr;
    }
    /// What each does with an E; null for one that does not hear it.
    template <class E>
    static constexpr handler<E> handler_[] = {handler_of<P, E>()...};
    void end() noexcept {
        change([]<class Q>(Q& q) { q.~Q(); });
    }
    static constexpr std::size_t largest() noexcept {
        std::size_t most = 0;
        ((most = sizeof(P) > most ? sizeof(P) : most), ...);
        return most;
    }

    std::uint32_t index_ = 0;
    alignas(P...) unsigned char held_[largest()];
};

/// Whether a policy is a Q, or is one of several of which a Q is in charge.
template <class Q, class P>
constexpr bool is_now(P const& policy) noexcept {
    if constexpr (std::is_same_v<Q, P>)
        return true;
    else if constexpr (requires {
                           { policy.template get_if<Q>() } -> std::same_as<Q const*>;
                       })
        return policy.template get_if<Q>() != nullptr;
    else
        return false;
}

} // namespace warpkit
