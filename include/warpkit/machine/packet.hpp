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
    texture,     ///< a read of the texture cache
    bulk_read    ///< of the unit for bulk copies
};

/// A warp's number as packets carry it; all ones: none.
using packet_warp = std::conditional_t<(warp_set::width < 256), std::uint8_t, std::uint16_t>;
/// Tokens from here to no_token are of the unit for bulk copies; those of load/store units are less.
inline constexpr std::uint32_t first_bulk_token = 0xc0000000;
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

/// What a data cache asks of the next level, as a packet but for its way; who asks for a fetch knows it by
/// `fetch_token`. The acknowledgement of a store names its warp; a write-back is not answered, and on nobody's behalf.
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

/// Whether it is of the unit for bulk copies.
constexpr bool is_bulk(packet const& p) noexcept {
    return p.token >= first_bulk_token && p.token != no_token &&
           (p.kind == packet_kind::bulk_read || p.kind == packet_kind::write ||
            p.kind == packet_kind::atomic);
}

/// Whether somebody waits for an answer.
constexpr bool is_answered(packet const& p) noexcept {
    return p.kind != packet_kind::write || p.token != no_token;
}

/// The bits of `mask` for `bytes` bytes from byte `begin` of the 128-byte block on.
constexpr block_bytes bytes_within(block_bytes const& mask, std::uint32_t begin,
                                   std::uint32_t bytes) noexcept {
    block_bytes r{};
    for (std::uint32_t w = 0; w < 2; ++w) {
        auto const low = begin > 64 * w ? begin - 64 * w : 0;
        auto const high = begin + bytes > 64 * w ? begin + bytes - 64 * w : 0;
        if (low >= 64 || high == 0) continue;
        auto const upto = high >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1;
        r[w] = mask[w] & upto & ~((std::uint64_t{1} << low) - 1);
    }
    return r;
}

/// What an L2 slice takes of a packet at a time: what lies in one sector, with the unwritten bytes around it.
struct packet_part {
    std::uint32_t begin = 0;  ///< of the access, behind the packet's address
    std::uint32_t bytes = 0;  ///< of the access; 0: none of them is written
    block_bytes written{};    ///< as in a packet
    std::uint32_t covers = 0; ///< bytes of the packet that it stands for
};
/// The next part, the first `done` bytes having been dealt with.
constexpr packet_part part_of(packet const& p, std::uint32_t done, std::uint32_t sector) noexcept {
    packet_part part;
    bool const all = (p.written[0] | p.written[1]) == 0;
    auto at = done;
    while (at < p.bytes) {
        auto const room = sector - static_cast<std::uint32_t>((p.address + at) % sector);
        auto const here = p.bytes - at < room ? p.bytes - at : room;
        auto const written =
            bytes_within(p.written, static_cast<std::uint32_t>((p.address + at) % 128), here);
        if (all || (written[0] | written[1]) != 0) {
            if (part.bytes != 0) break;
            part.begin = at;
            part.bytes = here;
            part.written = written;
        }
        at += here;
    }
    part.covers = at - done;
    return part;
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
