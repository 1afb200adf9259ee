#pragma once
/// \file
/// Packets and their sizes.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit::noc {

/// A message on its way. Payload is the caller's and only carried.
template <class Payload>
struct packet {
    std::uint16_t destination = 0; ///< output number
    std::uint16_t flits = 1;       ///< at least 1
    Payload payload{};

    template <class F>
    constexpr void each_member(F&& f) const {
        f(destination, flits, payload);
    }
    friend bool operator==(packet const&, packet const&) = default;
};

/// Bytes of control information in every packet: address, kind and ids.
/// Source: GPGPU-Sim (docs/model/network.md#packets).
inline constexpr std::uint32_t header_bytes = 8;

/// Packet sizes in bytes (docs/model/network.md#packets). Only writes, atomics and read replies carry data.
constexpr std::uint32_t read_request_bytes() noexcept { return header_bytes; }
constexpr std::uint32_t write_request_bytes(std::uint32_t data) noexcept { return header_bytes + data; }
constexpr std::uint32_t read_reply_bytes(std::uint32_t data) noexcept { return header_bytes + data; }
constexpr std::uint32_t write_reply_bytes() noexcept { return header_bytes; }

/// Flits of a packet of `bytes` bytes; a part of a flit costs a whole one.
constexpr std::uint16_t flits_for(std::uint32_t bytes, std::uint32_t flit_bytes) noexcept {
    return static_cast<std::uint16_t>((bytes + flit_bytes - 1) / flit_bytes);
}

} // namespace warpkit::noc
