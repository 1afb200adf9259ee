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
/// Programming Guide, "Texture Memory"); `border` reads texture_binding::border.
enum class texture_address_mode : std::uint8_t { wrap, clamp, mirror, border };

/// Texels in global memory, row after row, and layer after layer.
struct texel_array {
    std::uint64_t address = 0; ///< device address of the first texel
    std::uint32_t width = 0;   ///< texels
    std::uint32_t height = 1;
    std::uint32_t depth = 1; ///< of a layered one: of each layer, and so 1
    std::uint64_t pitch = 0; ///< bytes from one row to the next; 0: rows follow each other without gaps

    friend bool operator==(texel_array const&, texel_array const&) = default;
};

/// A texture, or the array behind a surface. A regular value.
struct texture_binding {
    std::uint64_t address = 0; ///< as of texel_array, here and below
    std::uint32_t width = 0;
    std::uint32_t height = 1;
    std::uint32_t depth = 1;
    std::uint64_t pitch = 0;
    texel_kind kind = texel_kind::floating;
    std::uint8_t component_bytes = 4; ///< 1, 2 or 4; floating: 2 or 4
    std::uint8_t components = 1;      ///< 1, 2 or 4
    texture_filter filter = texture_filter::point;
    /// In x, y and z. Memory bound without an array (cudaBindTexture) reads zeros outside: `border`.
    std::array<texture_address_mode, 3> outside{texture_address_mode::clamp, texture_address_mode::clamp,
                                                texture_address_mode::clamp};
    std::array<float, 4> border{};       ///< where numbers are read; integers read zeros
    bool normalised_coordinates = false; ///< floating-point coordinates run from 0 to 1
    bool normalised_values = false; ///< integers of 1 or 2 bytes are read as numbers in [0, 1] or [-1, 1]
    /// Of a layered texture: how many follow each other; of a cubemap its six faces, of a layered cubemap those of each
    /// layer in turn; 0: not layered.
    std::uint32_t layers = 0;
    /// Of a mipmap: the levels behind the first one, each as large as the one before, halved.
    std::vector<texel_array> smaller{};
    texture_filter between_levels = texture_filter::point;
    float level_bias = 0; ///< added to the level that a fetch asks for
    float lowest_level = 0;
    float highest_level = 0; ///< levels are kept between these

    std::uint32_t texel_bytes() const noexcept { return std::uint32_t{component_bytes} * components; }
    std::uint64_t row_bytes(texel_array const& level) const noexcept {
        return level.pitch != 0 ? level.pitch : std::uint64_t{level.width} * texel_bytes();
    }
    std::uint64_t row_bytes() const noexcept { return row_bytes(level(0)); }
    std::uint32_t levels() const noexcept { return static_cast<std::uint32_t>(smaller.size()) + 1; }
    texel_array level(std::size_t k) const noexcept {
        return k == 0 || smaller.empty() ? texel_array{address, width, height, depth, pitch} : smaller[k - 1];
    }
    friend bool operator==(texture_binding const&, texture_binding const&) = default;
};

/// The textures and surfaces of a device by handle. A handle is what a .texref or .surfref variable and an object hold;
/// 0 is none.
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
        if (t.components != 1 && t.components != 2 && t.components != 4)
            complain("1, 2 or 4 components, found " + std::to_string(t.components));
        bool const floating = t.kind == texel_kind::floating;
        if (t.component_bytes != 4 && t.component_bytes != 2 && (t.component_bytes != 1 || floating))
            complain("components of 1, 2 or 4 bytes (2 or 4 if floating), found " +
                     std::to_string(t.component_bytes));
        if (t.normalised_values && (floating || t.component_bytes == 4))
            complain("integers of 1 or 2 bytes for normalised values");
        for (std::size_t k = 0; k < t.levels(); ++k) {
            auto const a = t.level(k);
            auto const row = t.row_bytes(a);
            if (a.width == 0 || a.height == 0 || a.depth == 0)
                complain("at least one texel in each direction");
            if (t.layers != 0 && a.depth != 1)
                complain("layers without depth, found " + std::to_string(a.depth));
            if (row < std::uint64_t{a.width} * t.texel_bytes())
                complain("a pitch of at least " + std::to_string(a.width * std::uint64_t{t.texel_bytes()}) +
                         " bytes, found " + std::to_string(a.pitch));
            if (a.address % t.texel_bytes() != 0 || row % t.texel_bytes() != 0)
                complain("address and pitch to be multiples of the texel's " +
                         std::to_string(t.texel_bytes()) + " bytes");
        }
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
