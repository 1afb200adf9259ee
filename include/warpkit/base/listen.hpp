#pragma once
/// \file
/// Delivery of events to listeners, resolved at compile time: who does not listen costs nothing.
///
/// Contract: a listener hears event E through `void on(E const&)` (or by value). It may hear any subset of the
/// vocabulary. An `on` that fits no event, takes one by mutable reference, wants further arguments, is private or
/// returns something is an error (`check_listener`), never skipped in silence. A combinator, whose `on` is a template
/// that hands events on to its parts, says so by `static constexpr bool forwards_events = true;`.

#include <warpkit/base/events.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace warpkit {

/// L has a handler for E.
template <class L, class E>
concept hears = requires(L& l, E const& e) {
    { l.on(e) } -> std::same_as<void>;
};

/// Whether this L hears E: one of several policies (base/one_of.hpp), or one made of such, may be one that does not.
/// What is done for E alone can be left out then.
template <class E, class L>
constexpr bool hears_now(L const& l) noexcept {
    if constexpr (!hears<L, E>)
        return false;
    else if constexpr (requires {
                           { l.template listens<E>() } -> std::same_as<bool>;
                       })
        return l.template listens<E>();
    else
        return true;
}

/// L tells only when it is made which events it hears.
template <class L>
concept hears_some = requires(L const& l) {
    { l.template listens<cta_launched>() } -> std::same_as<bool>;
};

/// What listeners hear of the vocabulary, a bit for each event: so that a host asks them once, and not at each event. A
/// host tells kernel_began to all, and asks behind that: who listens to one core of many knows it from then on.
class heard_events {
public:
    template <class L>
    constexpr void add(L const& listener) noexcept {
        add(listener, all_events{});
    }
    template <class E>
    constexpr bool has() const noexcept {
        return (bits_ >> number_of<E>(all_events{}) & 1) != 0;
    }
    template <class E, class... All>
    static constexpr bool knows(event_list<All...>) noexcept {
        return (std::same_as<E, All> || ...);
    }
    friend bool operator==(heard_events const&, heard_events const&) = default;

private:
    template <class L, class... E>
    constexpr void add(L const& listener, event_list<E...>) noexcept {
        unsigned i = 0;
        ((bits_ |= std::uint32_t{hears_now<E>(listener)} << i++), ...);
    }
    template <class E, class... All>
    static constexpr unsigned number_of(event_list<All...>) noexcept {
        static_assert(sizeof...(All) <= 32 && knows<E>(event_list<All...>{}));
        unsigned i = 0;
        (void)((std::same_as<E, All> || (++i, false)) || ...);
        return i;
    }
    std::uint32_t bits_ = 0;
};

/// What one listener hears, asked once with ask(). Nothing is kept where its type tells all; of events beyond the
/// vocabulary it always does.
template <class L>
class heard_by {
public:
    void ask(L const& listener) noexcept {
        if constexpr (hears_some<L>) {
            events_ = {};
            events_.add(listener);
        }
    }
    template <class E>
    constexpr bool has() const noexcept {
        if constexpr (!hears<L, E>)
            return false;
        else if constexpr (hears_some<L> && heard_events::knows<E>(all_events{}))
            return events_.template has<E>();
        else
            return true;
    }
    friend bool operator==(heard_by const&, heard_by const&) { return true; } // the listener tells them apart

private:
    struct nothing {};
    [[no_unique_address]] std::conditional_t<hears_some<L>, heard_events, nothing> events_;
};

/// Whether telling E cannot throw: all but the events that a host may have left incomplete (base/told_fact.hpp). What
/// hands events on is noexcept where this is true.
template <class E>
inline constexpr bool tells_without_error = !std::same_as<E, kernel_began>;

/// Tells each listener that hears E, in order.
template <class E, class... L>
constexpr void notify(E const& e, L&... listeners) {
    (
        [&] {
            if constexpr (hears<L, E>) listeners.on(e);
        }(),
        ...);
}

namespace detail {

template <class L, class Told, class Rest, class Missing = event_list<>>
struct untold_events;
template <class L, class... Told, class... Missing>
struct untold_events<L, event_list<Told...>, event_list<>, event_list<Missing...>> {
    using type = event_list<Missing...>;
};
template <class L, class... Told, class E, class... Rest, class... Missing>
struct untold_events<L, event_list<Told...>, event_list<E, Rest...>, event_list<Missing...>>
    : untold_events<L, event_list<Told...>, event_list<Rest...>,
                    std::conditional_t<!hears<L, E> || (std::same_as<E, Told> || ...), event_list<Missing...>,
                                       event_list<Missing..., E>>> {};

} // namespace detail

/// The events of Vocabulary that L hears and that are not in the event_list Told.
template <class L, class Told, class Vocabulary = all_events>
using untold_events = typename detail::untold_events<L, Told, Vocabulary>::type;

/// Whoever tells L the events of Told tells it everything that it goes by. A policy that waits for an event which never
/// comes decides in silence as another one; so a host says, with those that it tells,
/// `static_assert(hears_only<my_policy, event_list<kernel_began, cta_launched, issued>>);`
template <class L, class Told, class Vocabulary = all_events>
concept hears_only = std::same_as<untold_events<L, Told, Vocabulary>, event_list<>>;

namespace detail {

struct any_argument {
    template <class T>
    constexpr operator T() const;
};

template <class L, class E>
concept on_returns_something = !hears<L, E> && requires(L & l, E const& e) {
    l.on(e);
};
template <class L, class E>
concept on_wants_mutable = !requires(L & l, E const& e) {
    l.on(e);
}
&&requires(L& l, E& e) { l.on(e); };
template <class L, class E>
concept on_wants_more = !requires(L & l, E const& e) {
    l.on(e);
}
&&(
    requires(L& l, E& e, any_argument a) { l.on(e, a); } ||
    requires(L & l, E& e, any_argument a) { l.on(e, a, a); });

/// Whether a class has any member called `on`, accessible or not: such a name makes the lookup below ambiguous.
struct has_on {
    void on();
};
template <class L>
struct with_on : L, has_on {};
template <class L>
concept names_on = std::is_class_v<L> && !std::is_final_v<L> && !requires {
    &with_on<L>::on;
};

/// A name by which other hosts call handlers: misspelt here.
template <class L, class E>
concept nearly_hears = requires(L& l, E const& e) {
    l.On(e);
}
|| requires(L& l, E const& e) { l.handle(e); }
|| requires(L& l, E const& e) { l.on_event(e); }
|| requires(L& l, E const& e) { l.notify(e); };

template <class L, class E>
constexpr void check_handler() {
    static_assert(!nearly_hears<L, E>,
                  "warpkit: an event handler is called `on`, and this class has one by another name "
                  "(On, handle, on_event or notify), which nobody calls: write `void on(event const&)`");
    static_assert(!on_returns_something<L, E>,
                  "warpkit: an event handler must return void: write `void on(event const&)`");
    static_assert(!on_wants_mutable<L, E>, "warpkit: an event handler must not take its event by mutable "
                                           "reference: write `void on(event const&)`");
    static_assert(
        !on_wants_more<L, E>,
        "warpkit: an event handler takes its event and nothing else: write `void on(event const&)`");
}
/// L is a combinator: its one `on` is a template that hands on what its parts hear, be that nothing.
template <class L>
concept forwards = requires {
    requires L::forwards_events;
};

/// Converts to every class but the events of a list, to find a handler for something that is none.
template <class List>
struct any_but;
template <class... E>
struct any_but<event_list<E...>> {
    template <class T>
    requires(!std::same_as<T, E> && ...) constexpr operator T() const;
};
struct unrelated {};
template <class L, class List>
concept on_fits_no_event = !requires(L & l, unrelated const& u) {
    l.on(u);
}
&&requires(L& l, any_but<List> const& a) { l.on(a); };

template <class L, class... E>
constexpr void check_handlers(event_list<E...>) {
    (check_handler<L, E>(), ...);
    constexpr bool deaf =
        names_on<L> && !forwards<L> && !(hears<L, E> || ...) &&
        !((on_returns_something<L, E> || on_wants_mutable<L, E> || on_wants_more<L, E>) || ...);
    static_assert(!deaf, "warpkit: this class has a member `on` that hears no event of the vocabulary "
                         "(base/events.hpp; a memory observer's: machine/l2_events.hpp, dram/request.hpp, "
                         "dram/row_access.hpp): make it public and write `void on(event const&)`");
    constexpr bool astray = !deaf && on_fits_no_event<L, event_list<E...>>;
    static_assert(!astray,
                  "warpkit: this class has a handler `on` for something that is no event of the vocabulary "
                  "(base/events.hpp; a memory observer's: machine/l2_events.hpp, dram/request.hpp, "
                  "dram/row_access.hpp), and that is never told: write `void on(event const&)`");
}

} // namespace detail

/// Refuses, with one message, a listener whose handlers could never be called. Call it where a policy is plugged in.
template <class L>
constexpr bool check_listener() {
    detail::check_handlers<L>(all_events{});
    return true;
}

} // namespace warpkit
