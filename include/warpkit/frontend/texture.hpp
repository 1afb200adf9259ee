#pragma once
/// \file
/// Textures as the host binds them: where the texels lie, what they are, and how a fetch turns coordinates into them.

#include <warpkit/base/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpkit {

/// What one component of a texel is.
enum class texel_kind : std::uint8_t { unsigned_integer, signed_integer, floating };

/// Between texels: the nearest one, or a weighted mean of the neighbours.
enum class texture_filter : std::uint8_t { point, linear };

/// What lies outside. `wrap` and `mirror` hold only for normalised coordinates, and clamp otherwise (CUDA C++
/// Programming Guide, "Texture Memory"); `border` reads zeros.
enum class texture_address_mode : std::uint8_t { wrap, clamp, mirror, border };

/// A texture in global memory, row after row. A regular value.
struct texture_binding {
    std::uint64_t address = 0; ///< device address of the first texel
    std::uint32_t width = 0;   ///< texels
    std::uint32_t height = 1;
    std::uint32_t depth = 1;
    std::uint64_t pitch = 0; ///< bytes from one row to the next; 0: rows follow each other without gaps
    texel_kind kind = texel_kind::floating;
    std::uint8_t component_bytes = 4; ///< 1, 2 or 4; floating: 2 or 4
    std::uint8_t components = 1;      ///< 1, 2 or 4
    texture_filter filter = texture_filter::point;
    /// In x, y and z. Memory bound without an array (cudaBindTexture) reads zeros outside: `border`.
    std::array<texture_address_mode, 3> outside{texture_address_mode::clamp, texture_address_mode::clamp,
                                                texture_address_mode::clamp};
    bool normalised_coordinates = false; ///< floating-point coordinates run from 0 to 1
    bool normalised_values = false; ///< integers of 1 or 2 bytes are read as numbers in [0, 1] or [-1, 1]

    std::uint32_t texel_bytes() const noexcept { return std::uint32_t{component_bytes} * components; }
    std::uint64_t row_bytes() const noexcept {
        return pitch != 0 ? pitch : std::uint64_t{width} * texel_bytes();
    }
    friend bool operator==(texture_binding const&, texture_binding const&) = default;
};

/// The textures of a device by handle. A handle is what a .texref variable and a texture object hold; 0 is none.
class texture_table {
public:
    /// A handle without texture; reading it is an error until bind().
    std::uint64_t reserve() {
        bound_.emplace_back();
        return bound_.size();
    }
    /// Binds a texture; throws for what no texture can be.
    void bind(std::uint64_t handle, texture_binding const& t) {
        check(handle);
        auto const complain = [](std::string const& what) { throw error("texture: expected " + what); };
        if (t.width == 0 || t.height == 0 || t.depth == 0) complain("at least one texel in each direction");
        if (t.components != 1 && t.components != 2 && t.components != 4)
            complain("1, 2 or 4 components, found " + std::to_string(t.components));
        bool const floating = t.kind == texel_kind::floating;
        if (t.component_bytes != 4 && t.component_bytes != 2 && (t.component_bytes != 1 || floating))
            complain("components of 1, 2 or 4 bytes (2 or 4 if floating), found " +
                     std::to_string(t.component_bytes));
        if (t.normalised_values && (floating || t.component_bytes == 4))
            complain("integers of 1 or 2 bytes for normalised values");
        if (t.row_bytes() < std::uint64_t{t.width} * t.texel_bytes())
            complain("a pitch of at least " + std::to_string(t.width * std::uint64_t{t.texel_bytes()}) +
                     " bytes, found " + std::to_string(t.pitch));
        if (t.address % t.texel_bytes() != 0 || t.row_bytes() % t.texel_bytes() != 0)
            complain("address and pitch to be multiples of the texel's " + std::to_string(t.texel_bytes()) +
                     " bytes");
        bound_[handle - 1] = t;
    }
    /// What bind() did is undone; the handle stays.
    void unbind(std::uint64_t handle) {
        check(handle);
        bound_[handle - 1] = {};
    }
    /// The texture behind a handle, or null.
    texture_binding const* find(std::uint64_t handle) const noexcept {
        return handle == 0 || handle > bound_.size() || bound_[handle - 1].width == 0 ? nullptr
                                                                                      : &bound_[handle - 1];
    }
    friend bool operator==(texture_table const&, texture_table const&) = default;

private:
    void check(std::uint64_t handle) const {
        if (handle == 0 || handle > bound_.size())
            throw error("texture: there is no handle " + std::to_string(handle));
    }
    std::vector<texture_binding> bound_; ///< without width: reserved
};

} // namespace warpkit
