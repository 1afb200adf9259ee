#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/cta/concepts.hpp>

namespace warpkit {

/// One of these choices of block, at first the first one.
template <class... P>
class one_cta_choice : public one_of<P...> {
    static_assert((check_cta_choice<P>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_cta_choice"; }

    using one_of<P...>::one_of;
    cta_assignment choose(core_rooms rooms) const {
        cta_assignment a;
        this->ask([&](auto const& p) { a = p.choose(rooms); });
        return a;
    }
    char const* note() const noexcept {
        char const* text = nullptr;
        this->ask([&](auto const& p) { text = note_of(p); });
        return text;
    }
    bool keeps_order() const noexcept {
        bool kept = false;
        this->ask([&](auto const& p) { kept = warpkit::keeps_order(p); });
        return kept;
    }
    friend bool operator==(one_cta_choice const&, one_cta_choice const&) = default;
};

} // namespace warpkit
