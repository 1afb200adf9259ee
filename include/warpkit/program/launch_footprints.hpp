#pragma once
/// \file
/// From the addresses that a launch will touch to the footprints that locality-aware warp schedulers read.

#include <warpkit/base/footprint.hpp>
#include <warpkit/program/predicted_addresses.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// The footprints of a launch's warps, in the hierarchical encoding of the locality-aware thesis (section 3.4.1;
/// docs/model/program_analysis.md#footprints).
///
/// The first five arrays that are read count, in the order of the parameters. With M region bits and N sub-regions (10
/// and 16, the most), an array with rows (predicted_access::pitch) is cut into at most 32 x 32 regions, another one
/// into at most 1024; regions are as small as that allows, but hold at least what CTA 0 touches, and their sides are
/// powers of two of lines and rows. A region is cut into up to 16 sub-regions, 4 x 4 where it is large enough. The
/// region of a CTA is where its first line lies. A warp touches all sub-regions of the rectangle from its first byte to
/// its last; what lies beyond its CTA's region counts for the sub-region at the same place in it.
/// Differs from the thesis, which gives neither the sizes nor the shape of regions, nor what becomes of CTAs that lie
/// across the border of two: these are our readings. It takes rectangles for CTAs only, and lets warps touch
/// sub-regions in any pattern; the rectangle of a warp is as good for rows and tiles, and does not ask for every turn
/// of every loop.
class launch_footprints {
public:
    launch_footprints() = default;
    /// `line` is the L1's line in bytes, a power of two. `addresses` stays alive as long as this object. `region_bits`,
    /// M, is at most 10; `subregions`, N, at most 16, is rounded down to a power of two: fewer make locality coarser,
    /// and its tables smaller.
    launch_footprints(predicted_addresses const& addresses, std::uint32_t line,
                      unsigned region_bits = warp_footprint::region_bits,
                      unsigned subregions = warp_footprint::subregions)
        : addresses_(&addresses),
          line_(line),
          region_bits_(region_bits < warp_footprint::region_bits ? region_bits : warp_footprint::region_bits),
          sub_bits_(std::bit_width(subregions < 1                            ? 1U
                                   : subregions > warp_footprint::subregions ? warp_footprint::subregions
                                                                             : subregions) -
                    1) {
        for (std::uint32_t i = 0; i < addresses.arrays() && arrays_ < warp_footprint::arrays; ++i) add(i);
    }

    /// Arrays of which something is known; without any there is no use in asking for footprints.
    unsigned arrays() const noexcept { return arrays_; }

    warp_footprint of(std::uint64_t cta, unsigned warp) const {
        warp_footprint f;
        for (unsigned a = 0; a < arrays_; ++a) {
            auto const& cut = cut_[a];
            auto const start = first_line(cut, cta);
            f.region[a] = cut.region_of(start, region_bits_);
            each_read(cut.array, [&](std::uint32_t access) {
                auto const bytes = addresses_->warp_range(access, cta, warp);
                if (!bytes.empty())
                    f.touched[a] = static_cast<std::uint16_t>(f.touched[a] | touched(cut, bytes));
            });
        }
        return f;
    }

    /// Equal ones cut alike; the addresses belong to the launch.
    friend bool operator==(launch_footprints const& a, launch_footprints const& b) noexcept {
        if (a.arrays_ != b.arrays_ || a.line_ != b.line_ || a.region_bits_ != b.region_bits_) return false;
        for (unsigned i = 0; i < a.arrays_; ++i)
            if (a.cut_[i] != b.cut_[i]) return false;
        return true;
    }

private:
    struct line_place {
        std::uint64_t x = 0; ///< lines to the right
        std::uint64_t y = 0; ///< rows down
    };
    /// How one array is cut. Sizes are powers of two: their logarithms.
    struct cutting {
        std::uint32_t array = 0;
        std::uint64_t base = 0;
        std::uint64_t pitch = 0; ///< bytes per row; 0: one row
        unsigned width = 0;      ///< of a region, in lines
        unsigned height = 0;     ///< of a region, in rows
        unsigned columns = 0;    ///< of sub-regions in a region, at most width
        unsigned rows =
            0; ///< of sub-regions in a region, at most height; columns + rows is at most that of N
        friend bool operator==(cutting const&, cutting const&) = default;

        std::uint16_t region_of(line_place p, unsigned bits) const noexcept {
            auto const x = p.x >> width;
            auto const y = p.y >> height;
            auto const across = bits / 2;
            auto const number = pitch == 0 ? x : y << across | (x & ((1U << across) - 1));
            return static_cast<std::uint16_t>(number & ((1U << bits) - 1));
        }
    };

    static unsigned logarithm(std::uint64_t n) noexcept {
        return n <= 1 ? 0 : static_cast<unsigned>(std::bit_width(n - 1));
    }

    template <class F>
    void each_read(std::uint32_t array, F&& f) const {
        for (std::uint32_t i = 0; i < addresses_->accesses(); ++i) {
            auto const& a = addresses_->access(i);
            if (a.array == array && a.reads && a.predictable) f(i);
        }
    }
    line_place place(cutting const& cut, std::uint64_t address) const noexcept {
        auto const offset = address - cut.base;
        if (cut.pitch == 0) return {offset / line_, 0};
        return {offset % cut.pitch / line_, offset / cut.pitch};
    }
    /// The sub-regions of the rectangle from first to last byte, which are some.
    std::uint16_t touched(cutting const& cut, address_range const& bytes) const noexcept {
        auto const first = place(cut, bytes.first);
        auto const last = place(cut, bytes.last - 1);
        bool const wraps = last.x < first.x; // into the next row: whole rows
        auto const across = [](std::uint64_t from, std::uint64_t to, unsigned side, unsigned parts) {
            auto const size = side - parts;
            std::uint32_t mask = 0;
            auto const n = std::uint64_t{1} << parts;
            auto const begin = from >> size;
            auto const count = (to >> size) - begin + 1;
            for (std::uint64_t i = 0; i < n && i < count; ++i) mask |= 1U << ((begin + i) % n);
            return mask;
        };
        auto const columns =
            wraps ? (1U << (1U << cut.columns)) - 1 : across(first.x, last.x, cut.width, cut.columns);
        auto const rows = across(first.y, last.y, cut.height, cut.rows);
        std::uint32_t mask = 0;
        for (unsigned r = 0; r < 1U << cut.rows; ++r)
            if ((rows >> r & 1) != 0) mask |= columns << (r << cut.columns);
        return static_cast<std::uint16_t>(mask);
    }
    /// The upper left corner of all that a CTA reads of the array.
    line_place first_line(cutting const& cut, std::uint64_t cta) const {
        line_place corner{~std::uint64_t{0}, ~std::uint64_t{0}};
        each_read(cut.array, [&](std::uint32_t access) {
            auto const bytes = addresses_->cta_range(access, cta);
            if (bytes.empty()) return;
            auto const p = place(cut, bytes.first);
            corner = {p.x < corner.x ? p.x : corner.x, p.y < corner.y ? p.y : corner.y};
        });
        return corner;
    }
    void add(std::uint32_t array) {
        cutting cut;
        cut.array = array;
        line_place extent{1, 1};
        bool any = false;
        each_read(array, [&](std::uint32_t access) {
            any = true;
            auto const pitch = addresses_->access(access).pitch;
            cut.pitch = pitch > cut.pitch ? pitch : cut.pitch;
            auto const r = addresses_->cta_rectangle(access, 0, line_);
            extent = {r.width > extent.x ? r.width : extent.x, r.height > extent.y ? r.height : extent.y};
        });
        auto const bytes = addresses_->array(array);
        if (!any || bytes.empty()) return;
        cut.base = bytes.first;
        auto const size = bytes.last - bytes.first;
        auto const larger = [](unsigned a, unsigned b) { return a > b ? a : b; };
        auto const at_most = [](unsigned n, unsigned limit) { return n > limit ? n - limit : 0; };
        if (cut.pitch == 0) {
            cut.width =
                larger(at_most(logarithm((size + line_ - 1) / line_), region_bits_), logarithm(extent.x));
        } else {
            cut.width = larger(at_most(logarithm((cut.pitch + line_ - 1) / line_), region_bits_ / 2),
                               logarithm(extent.x));
            cut.height = larger(
                at_most(logarithm((size + cut.pitch - 1) / cut.pitch), region_bits_ - region_bits_ / 2),
                logarithm(extent.y));
        }
        auto const smaller = [](unsigned n, unsigned limit) { return n < limit ? n : limit; };
        cut.rows = smaller(cut.height, sub_bits_ / 2);
        cut.columns = smaller(cut.width, sub_bits_ - cut.rows);
        cut.rows = smaller(cut.height, sub_bits_ - cut.columns);
        cut_[arrays_++] = cut;
    }

    predicted_addresses const* addresses_ = nullptr;
    std::uint32_t line_ = 128;
    unsigned region_bits_ = warp_footprint::region_bits;
    unsigned sub_bits_ = 4; ///< logarithm of N
    unsigned arrays_ = 0;
    cutting cut_[warp_footprint::arrays]{};
};

/// The same of a launch in which nobody may want them: cut when somebody first does.
class lazy_footprints {
public:
    lazy_footprints() = default;
    /// `addresses` may be null: nothing is known. `line` as launch_footprints has it.
    lazy_footprints(predicted_addresses const* addresses, std::uint32_t line)
        : addresses_(addresses),
          line_(line) {}

    launch_footprints const& get() {
        if (addresses_ != nullptr) cut_ = launch_footprints(*addresses_, line_);
        addresses_ = nullptr;
        return cut_;
    }
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    /// They are one launch's, whether cut or not.
    friend bool operator==(lazy_footprints const&, lazy_footprints const&) { return true; }

private:
    predicted_addresses const* addresses_ = nullptr;
    std::uint32_t line_ = 128;
    launch_footprints cut_;
};

} // namespace warpkit
