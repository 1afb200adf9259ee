#pragma once
/// \file
/// The constant and the texture cache of a core: the part of the load/store unit that knows them.
///
/// In the reference: `load_store_unit::send_read_only`, and constants and textures in `receive`
/// (reference/load_store_unit.hpp).

#include <warpkit/base/error.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/lsu/cut_transactions.hpp>
#include <warpkit/lsu/line_coalescing.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policy_parameters.hpp>

#include <cstdint>

namespace warpkit {

/// One access a cycle, one transaction for each line that the warp touches (docs/model/load_store.md#line-coalescing,
/// docs/model/load_store.md#constants). Constants and the kernel's own parameters go to the constant cache, texture
/// fetches to the texture cache; a cache of size 0 is not there. An access that is refused waits until something has
/// come or gone.
template <class ConstantCache, class TextureCache>
class read_only_caches {
public:
    read_only_caches() = default;
    [[gnu::cold]] explicit read_only_caches(gpu_parameters const& p)
        : constants_(p.l1c.size == 0 ? ConstantCache()
                                     : make_cache<ConstantCache>("l1c", p.l1c, {}, p.policy_parameters)),
          textures_(p.l1t.size == 0 ? TextureCache()
                                    : make_cache<TextureCache>("l1t", p.l1t, {}, p.policy_parameters)),
          constant_lines_{p.l1c.line},
          constant_sector_(p.l1c.sector),
          texture_lines_{p.l1t.line},
          has_constants_(p.l1c.size != 0),
          has_textures_(p.l1t.size != 0) {
        if (has_constants_ && p.l1c.sector < 32)
            throw error({"l1c.sector = ", p.l1c.sector,
                         " B is below 32 B, the smallest transaction; nearest legal value: 32 B"});
    }

    ConstantCache const& constants() const noexcept { return constants_; }
    TextureCache const& textures() const noexcept { return textures_; }

    /// Whether loads from this space come here.
    bool serves(memory_space s) const noexcept {
        return s == memory_space::texture
                   ? has_textures_
                   : (s == memory_space::constant || s == memory_space::parameter) && has_constants_;
    }
    /// The lines that the warp touches, or the sectors of lines that have some, as addresses behind the cache. False,
    /// and no lines, for parameters of inlined functions, which are no memory.
    bool coalesce(memory_space s, warp_access const& a, transaction_list& out) const noexcept {
        if (s == memory_space::texture) {
            texture_lines_(a, false, out);
            return true;
        }
        constant_lines_(a, false, out);
        if (s == memory_space::parameter && out[0].address >= call_frame) {
            out.clear();
            return false;
        }
        if (constant_sector_ < constant_lines_.line_bytes) cut_transactions(out, constant_sector_);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].address += s == memory_space::constant ? constant_base : parameter_base;
        return true;
    }

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

    friend bool operator==(read_only_caches const&, read_only_caches const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(constants_, textures_, refused_);
    }

private:
    ConstantCache constants_{};
    TextureCache textures_{};
    line_coalescing constant_lines_;
    std::uint32_t constant_sector_ = 128;
    line_coalescing texture_lines_;
    bool has_constants_ = false;
    bool has_textures_ = false;
    bool refused_ = false;       ///< the access in front, until something has come or gone
    std::uint32_t requests_ = 0; ///< of both
};

} // namespace warpkit
