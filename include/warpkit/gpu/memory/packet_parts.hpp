#pragma once
/// \file
/// A packet as an L2 slice serves it: part by part, each the access of one sector with a reply of its own. A request of
/// a bulk copy has one reply, with the last of its parts.
///
/// In the reference: `l2_slice::serve` and `l2_slice::reply_to` (reference/l2_partition.hpp).

#include <warpkit/base/flattened.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/machine/packet.hpp>

#include <cstdint>

namespace warpkit {

/// How the packets of a machine are cut, and what their replies take.
struct part_numbers {
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    std::uint32_t sector = 32;               ///< a power of two
    std::uint32_t flit = 32;
    std::uint16_t sector_reply_flits = 1;
    friend bool operator==(part_numbers const&, part_numbers const&) = default;

    part_numbers() = default;
    part_numbers(std::uint32_t sector_bytes, std::uint32_t flit_bytes)
        : sector(sector_bytes),
          flit(flit_bytes),
          sector_reply_flits(
              static_cast<std::uint16_t>((packet_header + sector_bytes + flit_bytes - 1) / flit_bytes)) {}
    std::uint16_t reply_flits(packet const& p) const noexcept {
        if (p.kind == packet_kind::read && p.bytes == sector) return sector_reply_flits;
        return static_cast<std::uint16_t>((reply_bytes(p) + flit - 1) / flit);
    }
};

/// Where an L2 slice stands in the packet in front. All but `done` follows from that and the packet, which whoever asks
/// for the next part must hand over again.
struct packet_parts {
    std::uint32_t done = 0;  ///< bytes that the L2 has taken
    cache_access access;     ///< the next part, if `looked_at`: what lies in one sector
    std::uint32_t bytes = 0; ///< of the packet, if `looked_at`
    bool looked_at = false;
    bool whole = false;      ///< none of its bytes stays unwritten
    bool plain = false;      ///< whole sectors that follow each other in DRAM
    bool posted = false;     ///< nobody wants an answer
    std::uint64_t local = 0; ///< of the first byte, if `looked_at`
    packet reply;            ///< that to the next part; `bytes`: those of the packet that it stands for

    /// The packet in front is a new one; node number `slice` answers.
    [[gnu::always_inline]] void look_at(packet const& p, std::uint32_t slice, bool keeps_atomics,
                                        part_numbers const& n, dram::address_mapping const& map) {
        looked_at = true;
        local = map.local(p.address);
        bytes = p.bytes;
        posted = !is_answered(p);
        access.written = {};
        access.kind = p.kind == packet_kind::write                     ? access_kind::store
                      : p.kind == packet_kind::atomic && keeps_atomics ? access_kind::atomic
                                                                       : access_kind::load;
        reply = p;
        reply.slice = static_cast<std::uint16_t>(slice);
        if ((p.address ^ (p.address + p.bytes - 1)) < n.sector) { // one part
            access.address = local;
            access.bytes = p.bytes;
            access.written = p.written;
            reply.flits = n.reply_flits(reply);
            return;
        }
        whole = (p.written[0] | p.written[1]) == 0 || p.written == bytes_of(p);
        plain = whole && ((p.address | p.bytes) & (n.sector - 1)) == 0 &&
                (p.address ^ (p.address + p.bytes - 1)) >> map.low_column_bits() == 0;
        if (!plain) return next_odd(p, n, map);
        access.address = local;
        access.bytes = reply.bytes = n.sector;
        reply.flits = n.reply_flits(reply);
    }
    /// That part is dealt with; whether there is another one.
    WARPKIT_FLATTENED bool go_on(packet const& p, part_numbers const& n, dram::address_mapping const& map) {
        done += reply.bytes;
        if (done != bytes) {
            next(p, n, map);
            return true;
        }
        done = 0;
        looked_at = false;
        return false;
    }

    friend bool operator==(packet_parts const&, packet_parts const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(done);
    }

private:
    /// Makes the access for its next part, and the reply to it.
    WARPKIT_FLATTENED void next(packet const& p, part_numbers const& n, dram::address_mapping const& map) {
        if (plain) {
            access.address += n.sector;
            reply.address += n.sector;
        } else {
            next_odd(p, n, map);
        }
    }
    /// The same of a packet that is not plain.
    [[gnu::noinline]] void next_odd(packet const& p, part_numbers const& n,
                                    dram::address_mapping const& map) {
        auto const part = part_of(p, done, n.sector);
        auto const address = p.address + part.begin;
        access.address =
            (p.address ^ address) >> map.low_column_bits() == 0 ? local + part.begin : map.local(address);
        access.bytes = part.bytes;
        if (!whole) access.written = part.written;
        reply.bytes = part.covers;
        reply.address = address;
        reply.flits = n.reply_flits(reply);
    }
    /// The mask of all its bytes; it lies within one block.
    static block_bytes bytes_of(packet const& p) noexcept {
        constexpr block_bytes all{~std::uint64_t{0}, ~std::uint64_t{0}};
        return p.bytes == 128 ? all : bytes_within(all, static_cast<std::uint32_t>(p.address % 128), p.bytes);
    }
};

} // namespace warpkit
