#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/lsu/data_prefetch.hpp>

#include <cstdint>

namespace warpkit {

/// One of these data prefetchers, at first the first one.
template <class... P>
class one_data_prefetch : public one_of<P...> {
    static_assert((check_data_prefetch<P>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_data_prefetch"; }

    using one_of<P...>::one_of;
    std::uint32_t queue() const noexcept {
        std::uint32_t n = 0;
        this->ask([&](auto const& p) { n = p.queue(); });
        return n;
    }
    template <class Ask>
    void seen(load_seen const& l, prefetch_record const& so_far, Ask const& ask) {
        this->change([&](auto& p) { p.seen(l, so_far, ask); });
    }
    friend bool operator==(one_data_prefetch const&, one_data_prefetch const&) = default;
};

} // namespace warpkit
