#pragma once
/// \file
/// The constant and the texture cache of a core, as the load/store unit has them: in both engines.

#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/machine/packet.hpp>

#include <cstdint>
#include <utility>

namespace warpkit {

/// One access a cycle, one transaction for each line that the warp touches (docs/model/load_store.md#line-coalescing,
/// docs/model/load_store.md#constants). Constants and the kernel's own parameters go to the constant cache, texture
/// fetches to the texture cache; a cache of size 0 is not there. An access that is refused waits until something has
/// come or gone.
template <class ConstantCache, class TextureCache>
class read_only_caches {
public:
    read_only_caches() = default;
    [[gnu::cold]] read_only_caches(ConstantCache&& constants, TextureCache&& textures)
        : constants_(std::move(constants)),
          textures_(std::move(textures)) {}

    ConstantCache const& constants() const noexcept { return constants_; }
    TextureCache const& textures() const noexcept { return textures_; }

    /// Offers an access to its cache. One that is refused is not worth offering again while refused().
    cache_result access(memory_space s, cache_access const& a) {
        auto const r = s == memory_space::texture ? textures_.access(a) : constants_.access(a);
        refused_ = r.answer == cache_answer::refused;
        requests_ = static_cast<std::uint32_t>(constants_.requests() + textures_.requests());
        return r;
    }
    bool refused() const noexcept { return refused_; }

    /// Whether serve() would serve somebody.
    bool can_serve() const noexcept { return textures_.can_serve(); }
    /// Serves the texture access in front: calls `sink(token)`.
    template <class Sink>
    void serve(Sink&& sink) {
        textures_.serve(static_cast<Sink&&>(sink));
        refused_ = false;
    }

    bool has_request() const noexcept { return requests_ != 0; }
    /// The next packet to send, constants first; its core, slice and birth are the caller's to fill.
    packet request() const noexcept {
        bool const constant = constants_.has_request();
        auto const& r = constant ? constants_.front_request() : textures_.front_request();
        packet p;
        p.address = r.address;
        p.bytes = r.bytes;
        p.kind = constant ? packet_kind::constant : packet_kind::texture;
        p.token = r.mshr;
        p.warp = static_cast<packet_warp>(r.owner.index());
        return p;
    }
    void pop_request() noexcept {
        if (constants_.has_request())
            constants_.pop_request();
        else
            textures_.pop_request();
        --requests_;
        refused_ = false;
    }
    /// A reply; calls `sink(token)` for each constant access that waited for it. Whether anybody can notice.
    template <class Sink>
    bool fill(packet const& p, Sink&& sink) {
        if (p.kind == packet_kind::texture) {
            textures_.fill(p.address, p.bytes, p.token);
            return textures_.can_serve();
        }
        auto const before = constants_.outstanding();
        constants_.fill(p.address, p.bytes, static_cast<Sink&&>(sink), p.token);
        if (constants_.outstanding() == before) return false; // a part
        refused_ = false;
        return true;
    }

    void invalidate() noexcept {
        constants_.invalidate_all();
        textures_.invalidate_all();
    }
    void disown(warp_set slots) noexcept {
        constants_.disown(slots);
        textures_.disown(slots);
    }
    void exited([[maybe_unused]] warp_set slots) noexcept {
        if constexpr (requires { constants_.exited(slots); }) constants_.exited(slots);
    }

    friend bool operator==(read_only_caches const&, read_only_caches const&) = default;
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(constants_, textures_, refused_);
    }

private:
    ConstantCache constants_{};
    TextureCache textures_{};
    bool refused_ = false;       ///< the access in front, until something has come or gone
    std::uint32_t requests_ = 0; ///< of both
};

} // namespace warpkit
