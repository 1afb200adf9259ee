#pragma once
/// \file
/// What a host may have told, and whoever goes by it must not guess.

#include <warpkit/base/light_error.hpp>

#include <cstddef>

namespace warpkit {

/// Thrown where a policy reads a fact that its host has not told. what() names event and field.
class untold_fact : public light_error {
    using light_error::light_error;
};

namespace detail {

/// A fact's name, as a template argument.
template <std::size_t N>
struct fact_name {
    char text[N]{};
    consteval fact_name(char const (&name)[N]) {
        for (std::size_t i = 0; i < N; ++i) text[i] = name[i];
    }
};

template <fact_name Name>
struct untold_message {
    char text[sizeof Name.text + 128]{};
    consteval untold_message() {
        std::size_t end = 0;
        auto const append = [&](char const* words) {
            while (*words != 0) text[end++] = *words++;
        };
        append("warpkit: a policy asks for ");
        append(Name.text);
        append(", which its host has not told: set it before telling the event (docs/howto/embedding.md)");
    }
};
template <fact_name Name>
inline constexpr untold_message<Name> untold_message_of;

template <fact_name Name>
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_untold() {
    raise_error(untold_fact(untold_message_of<Name>.text));
}

} // namespace detail

/// A field of an event that has no good default: what nobody has told is not read in silence. It converts from a T,
/// which tells it, and to one; to one that was never told it throws untold_fact, and is an error in a constant
/// expression. Name, as "kernel_began::cores", is for the message.
template <class T, detail::fact_name Name>
class told_fact {
public:
    constexpr told_fact() = default;
    constexpr told_fact(T value) noexcept : value_(value), known_(true) {}

    /// Whether it was told, for who can do without.
    constexpr bool known() const noexcept { return known_; }
    constexpr T get() const {
        if (!known_) detail::refuse_untold<Name>();
        return value_;
    }
    constexpr operator T() const { return get(); }

private:
    T value_{};
    bool known_ = false;
};

} // namespace warpkit
