#pragma once
/// \file
/// What the address slices of a kernel (program/address_slices.hpp) tell before it runs, as policies see it: which
/// bytes a warp or a CTA will touch. Light: a policy header may include it.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// How the address of a memory access comes about.
enum class address_pattern : std::uint8_t {
    uniform,  ///< the same for all threads of a launch
    affine,   ///< constant + multiples of thread indices, block indices and loop iterations
    computed, ///< from the same, but not so: by division, masks, selection ...
    unknown   ///< depends on what lies in memory, or on control flow that the analysis does not follow
};

/// Bytes [first, last); empty if first == last.
struct address_range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    constexpr bool empty() const noexcept { return first == last; }
    /// The least range that holds both.
    constexpr void include(address_range const& other) noexcept {
        if (other.empty()) return;
        if (empty()) {
            *this = other;
            return;
        }
        first = other.first < first ? other.first : first;
        last = other.last > last ? other.last : last;
    }
    friend bool operator==(address_range const&, address_range const&) = default;
};

/// A rectangle of cache lines of one array: `x` lines to the right, `y` rows down from the array's first byte.
/// `width` and `height` count lines and rows; both 0 for nothing.
struct line_rectangle {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::uint64_t width = 0;
    std::uint64_t height = 0;

    constexpr bool empty() const noexcept { return width == 0; }
    /// The least rectangle that holds both.
    constexpr void include(line_rectangle const& other) noexcept {
        if (other.empty()) return;
        if (empty()) {
            *this = other;
            return;
        }
        auto const grow = [](std::int64_t& at, std::uint64_t& size, std::int64_t other_at,
                             std::uint64_t other_size) {
            auto const end = at + static_cast<std::int64_t>(size);
            auto const other_end = other_at + static_cast<std::int64_t>(other_size);
            at = other_at < at ? other_at : at;
            size = static_cast<std::uint64_t>((other_end > end ? other_end : end) - at);
        };
        grow(x, width, other.x, other.width);
        grow(y, height, other.y, other.height);
    }
    friend bool operator==(line_rectangle const&, line_rectangle const&) = default;
};

/// Lines that two rectangles have in common. For rectangles of equal size this is the thesis' formula (section 3.3.2):
/// nothing if they are further apart than their width or height, else (width - distance) x (height - distance).
constexpr std::uint64_t overlap(line_rectangle const& a, line_rectangle const& b) noexcept {
    auto const common = [](std::int64_t at, std::uint64_t size, std::int64_t other,
                           std::uint64_t other_size) {
        auto const end = at + static_cast<std::int64_t>(size);
        auto const other_end = other + static_cast<std::int64_t>(other_size);
        auto const length = (end < other_end ? end : other_end) - (at > other ? at : other);
        return length > 0 ? static_cast<std::uint64_t>(length) : 0;
    };
    return common(a.x, a.width, b.x, b.width) * common(a.y, a.height, b.y, b.height);
}

/// One static load, store or atomic of global memory under one launch.
struct predicted_access {
    static constexpr std::uint32_t no_array = 0xffffffff;

    std::uint32_t instruction = 0;  ///< index in the program
    std::uint32_t array = no_array; ///< number of the array that it touches
    std::uint8_t bytes = 0;         ///< per thread
    bool reads = false;             ///< a load or an atomic
    bool writes = false;            ///< a store or an atomic
    address_pattern pattern = address_pattern::unknown;
    bool predictable = false; ///< evaluable: the pattern is known, and so is how often its loops run
    std::uint64_t pitch = 0;  ///< bytes from one row of a CTA's rectangle to the next; 0 for one row
};

/// What one launch's accesses will touch. A view: its maker keeps it alive until the kernel has ended.
///
/// Contract: a range holds every byte that the threads touch with that access, and may hold more
/// (docs/reference/program.md says for which of the shipped kernels). `access` is below accesses() and predictable,
/// `cta` a linear CTA number, `warp` a number within the CTA.
class predicted_addresses {
public:
    /// The maker's functions; each takes its object first.
    struct functions {
        address_range (*warp_range)(void const*, std::uint32_t access, std::uint64_t cta,
                                    unsigned warp) = nullptr;
        address_range (*cta_range)(void const*, std::uint32_t access, std::uint64_t cta) = nullptr;
        void (*each)(void const*, std::uint32_t access, std::uint64_t cta, unsigned warp, void* to,
                     void (*tell)(void* to, address_range const& bytes)) = nullptr;
    };

    constexpr predicted_addresses() = default;
    constexpr predicted_addresses(void const* self, functions const& f, predicted_access const* access,
                                  std::uint32_t accesses, address_range const* array,
                                  std::uint32_t arrays) noexcept
        : self_(self),
          call_(f),
          access_(access),
          accesses_(accesses),
          array_(array),
          arrays_(arrays) {}

    std::uint32_t accesses() const noexcept { return accesses_; }
    predicted_access const& access(std::uint32_t i) const noexcept { return access_[i]; }
    /// Arrays: pointer parameters of the kernel that predictable accesses start from.
    std::uint32_t arrays() const noexcept { return arrays_; }
    /// From the array's first byte, the parameter's value, to the last that the launch's predictable accesses touch.
    address_range const& array(std::uint32_t i) const noexcept { return array_[i]; }

    /// What the threads of one warp touch.
    address_range warp_range(std::uint32_t access, std::uint64_t cta, unsigned warp) const {
        return call_.warp_range(self_, access, cta, warp);
    }
    /// What the threads of one CTA touch.
    address_range cta_range(std::uint32_t access, std::uint64_t cta) const {
        return call_.cta_range(self_, access, cta);
    }
    /// The same in lines of `line` bytes, from the first and the last byte as the locality-aware thesis does (3.3.1).
    line_rectangle cta_rectangle(std::uint32_t access, std::uint64_t cta, std::uint32_t line) const {
        return cta_rectangle(access, cta, line, access_[access].pitch);
    }
    /// In rows of `pitch` bytes, so that rectangles of several accesses to one array compare.
    line_rectangle cta_rectangle(std::uint32_t access, std::uint64_t cta, std::uint32_t line,
                                 std::uint64_t pitch) const {
        return rectangle_of(base_of(access_[access]), pitch, cta_range(access, cta), line);
    }
    /// Bytes from row to row of an array: the greatest pitch of its predictable accesses.
    std::uint64_t array_pitch(std::uint32_t array) const noexcept {
        std::uint64_t pitch = 0;
        for (std::uint32_t i = 0; i < accesses_; ++i)
            if (access_[i].array == array && access_[i].predictable && access_[i].pitch > pitch)
                pitch = access_[i].pitch;
        return pitch;
    }
    /// Calls `f(address_range)` with the bytes of each single access of each thread of a warp, in no particular order.
    template <class F>
    void each_access(std::uint32_t access, std::uint64_t cta, unsigned warp, F&& f) const {
        call_.each(self_, access, cta, warp, &f,
                   [](void* to, address_range const& bytes) { (*static_cast<F*>(to))(bytes); });
    }

private:
    std::uint64_t base_of(predicted_access const& a) const noexcept {
        return a.array == predicted_access::no_array ? 0 : array_[a.array].first;
    }
    static line_rectangle rectangle_of(std::uint64_t base, std::uint64_t row_bytes,
                                       address_range const& bytes, std::uint32_t line) noexcept {
        line_rectangle r;
        if (bytes.empty()) return r;
        auto const floor = [](std::int64_t n, std::int64_t by) {
            return n / by - (n % by != 0 && n < 0 ? 1 : 0);
        };
        auto const first = static_cast<std::int64_t>(bytes.first - base);
        auto const last = static_cast<std::int64_t>(bytes.last - 1 - base);
        auto const wide = static_cast<std::int64_t>(line);
        if (row_bytes == 0) {
            r.x = floor(first, wide);
            r.width = static_cast<std::uint64_t>(floor(last, wide) - r.x) + 1;
            r.height = 1;
            return r;
        }
        auto const pitch = static_cast<std::int64_t>(row_bytes);
        r.y = floor(first, pitch);
        r.height = static_cast<std::uint64_t>(floor(last, pitch) - r.y) + 1;
        auto left = floor(first - r.y * pitch, wide);
        auto right = floor(last - floor(last, pitch) * pitch, wide);
        if (right < left) { // rows run over the array's edge: whole rows
            left = 0;
            right = floor(pitch - 1, wide);
        }
        r.x = left;
        r.width = static_cast<std::uint64_t>(right - left) + 1;
        return r;
    }

    void const* self_ = nullptr;
    functions call_;
    predicted_access const* access_ = nullptr;
    std::uint32_t accesses_ = 0;
    address_range const* array_ = nullptr;
    std::uint32_t arrays_ = 0;
};

} // namespace warpkit
