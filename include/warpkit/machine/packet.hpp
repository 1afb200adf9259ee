#pragma once
/// \file
/// What travels between cores and memory partitions.

#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>

#include <cstdint>
#include <type_traits>

namespace warpkit {

/// What a packet asks for, or answers.
enum class packet_kind : std::uint8_t {
    read, ///< of the L1 data cache, or past it
    write,
    atomic,
    instruction, ///< a read of the L1 instruction cache
    constant,    ///< a read of the constant cache
    texture      ///< a read of the texture cache
};

/// A warp's number as packets carry it; all ones: none.
using packet_warp = std::conditional_t<(warp_set::width < 256), std::uint8_t, std::uint16_t>;
/// The CTA of what no CTA asked for by name: code, constants, write-backs.
inline constexpr std::uint32_t no_cta = ~std::uint32_t{0};

/// A request or the reply to it. A read of `bytes` may be answered in several replies whose bytes add up to it.
struct packet {
    std::uint64_t address = 0; ///< of the first byte asked for
    std::uint32_t bytes = 0;   ///< asked for, or carried
    std::uint16_t core = 0;    ///< who asked
    std::uint16_t slice = 0;   ///< who answers
    std::uint32_t token = 0;   ///< the asker's handle
    packet_kind kind = packet_kind::read;
    packet_warp warp = static_cast<packet_warp>(~0U); ///< of the core: on whose behalf
    std::uint16_t flits = 1;                          ///< as the network counts it, on the way that it is on
    std::uint32_t born = 0;     ///< core cycle in which the asker sent it, of which the low bits do
    std::uint32_t cta = no_cta; ///< of the warp, where it waits for the answer
    block_bytes written{}; ///< writes: which bytes of the 128-byte block; all zero for every one of `bytes`

    template <class F>
    constexpr void each_member(F&& f) const {
        f(address, bytes, core, slice, token, kind, warp, flits, born, cta, written);
    }
    friend bool operator==(packet const&, packet const&) = default;
};

/// What was sent into links. With the bytes counted where they arrive, one can tell whether anything was lost.
struct traffic {
    std::uint64_t flits = 0;
    std::uint64_t bytes = 0; ///< asked for, or carried: packet::bytes
    void count(packet const& p) noexcept {
        flits += p.flits;
        bytes += p.bytes;
    }
    constexpr traffic& operator+=(traffic const& o) noexcept {
        flits += o.flits;
        bytes += o.bytes;
        return *this;
    }
    friend bool operator==(traffic const&, traffic const&) = default;
};

/// What a data cache asks of the next level, as a packet but for its way; who asks for a fetch knows it by `fetch_token`. The
/// acknowledgement of a store names its warp; a write-back is not answered, and on nobody's behalf.
constexpr void write_request(packet& p, lower_request const& r, std::uint32_t fetch_token) noexcept {
    p.address = r.address;
    p.bytes = r.bytes;
    p.written = r.written;
    p.warp = static_cast<packet_warp>(r.owner.index());
    if (r.kind == lower_kind::fetch) { // mostly
        p.kind = packet_kind::read;
        p.token = fetch_token;
        return;
    }
    switch (r.kind) {
    case lower_kind::atomic:
        p.kind = packet_kind::atomic;
        p.token = r.token;
        break;
    case lower_kind::store:
        p.kind = packet_kind::write;
        p.token = r.owner.index();
        break;
    default:
        p.kind = packet_kind::write;
        p.warp = packet{}.warp;
        p.token = no_token;
        break;
    }
}

/// The same as a packet; a fetch is a read of this kind.
constexpr packet packet_of(lower_request const& r, std::uint32_t fetch_token,
                           packet_kind read = packet_kind::read) noexcept {
    packet p;
    write_request(p, r, fetch_token);
    if (r.kind == lower_kind::fetch) p.kind = read;
    return p;
}

/// Bytes on the wire (docs/model/network.md#packets): a header of so many, and the data that goes along.
inline constexpr std::uint32_t packet_header = 8;
constexpr std::uint32_t request_bytes(packet const& p) noexcept {
    return packet_header + (p.kind == packet_kind::write || p.kind == packet_kind::atomic ? p.bytes : 0);
}
constexpr std::uint32_t reply_bytes(packet const& p) noexcept {
    return p.kind == packet_kind::write ? packet_header : packet_header + p.bytes;
}
constexpr std::uint16_t flits_of(std::uint32_t bytes, std::uint32_t flit_bytes) noexcept {
    return static_cast<std::uint16_t>((bytes + flit_bytes - 1) / flit_bytes);
}

} // namespace warpkit
