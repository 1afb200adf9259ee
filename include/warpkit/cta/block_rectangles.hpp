#pragma once

#include <warpkit/base/footprint.hpp>
#include <warpkit/cta/events.hpp>
#include <warpkit/program/predicted_addresses.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// What one rectangle of a CTA stands for.
enum class rectangle_per : std::uint8_t {
    access, ///< one access, or several to one array whose rectangles lie side by side
    array   ///< all accesses to one array, and what lies between them
};

/// The rectangles of cache lines that stand for what each CTA of a grid touches: at most five, of the first five arrays
/// of which something is known. What is not predictable does not count.
///
/// With rectangle_per::access, accesses to one array have a rectangle of their own where the least one around two would
/// hold more lines than the two together, summed over the corners and the middle of the grid; if there are more than
/// five, those are joined that this costs least. The rectangles of a CTA in one array have no line in common: what one
/// holds already is cut off the other, and where that leaves no rectangle, the two become one. So the common lines of
/// two CTAs' rectangles, summed over all pairs of one array, are lines counted once.
///
/// Source: Chen, thesis 2016, section 3.3.1 (docs/model/program_analysis.md#rectangles). It has a rectangle per CTA and
/// array, and its cost, 15 bytes (5.4), has room for five. Where a kernel touches one array in several places, as LU
/// decomposition does with its tile and those at the head of its row and column, it is silent: rectangle_per.
class block_rectangles {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    static constexpr unsigned most = warp_footprint::arrays;
    /// Of one CTA; those from size() on are empty.
    using list = std::array<line_rectangle, most>;
    struct options {
        rectangle_per per = rectangle_per::access;
        bool reads_only = false;    ///< stores do not count
        bool byte_saturate = false; ///< coordinates and sizes of one byte: beyond 255 is 255
    };

    block_rectangles() = default;
    block_rectangles(grid_began const& e, options const& o)
        : addresses_(e.addresses),
          line_(e.line),
          byte_saturate_(o.byte_saturate) {
        if (addresses_ != nullptr) find(e, o);
    }

    unsigned size() const noexcept { return size_; }
    /// The number of the array that a rectangle is of; ascending.
    std::uint32_t array(unsigned rectangle) const noexcept { return place_[rectangle].array; }
    unsigned arrays() const noexcept {
        unsigned n = 0;
        for (unsigned i = 0; i < size_; ++i) n += i == 0 || array(i) != array(i - 1);
        return n;
    }
    /// Whether some accesses of the kernel are not predictable.
    bool partial() const noexcept { return partial_; }

    list of(std::uint64_t cta) const {
        list r{};
        for (std::uint32_t i = 0; i < place_of_.size(); ++i)
            if (auto const p = place_of_[i]; p != none)
                r[p].include(addresses_->cta_rectangle(i, cta, line_, place_[p].pitch));
        if (byte_saturate_)
            for (auto& q : r) q = {byte(q.x), byte(q.y), byte(q.width), byte(q.height)};
        separate(r);
        return r;
    }

    friend bool operator==(block_rectangles const&, block_rectangles const&) = default;

private:
    static constexpr std::uint8_t none = 0xff;
    struct place {
        std::uint32_t array = 0;
        std::uint64_t pitch = 0;
        friend bool operator==(place const&, place const&) = default;
    };
    // Accesses that have one rectangle, and that rectangle in some CTAs.
    struct group {
        std::uint32_t array = 0;
        std::vector<std::uint32_t> accesses;
        std::vector<line_rectangle> at;
    };

    void find(grid_began const& e, options const& o) {
        auto const seen = some_of(e);
        std::vector<std::uint64_t> pitch(addresses_->arrays());
        for (std::uint32_t a = 0; a < pitch.size(); ++a) pitch[a] = addresses_->array_pitch(a);
        std::vector<group> groups;
        for (std::uint32_t a = 0, arrays = 0; a < pitch.size() && arrays < most; ++a) {
            auto const before = groups.size();
            for (std::uint32_t i = 0; i < addresses_->accesses(); ++i) {
                auto const& x = addresses_->access(i);
                if (x.array != a || !x.predictable || (o.reads_only && !x.reads)) continue;
                group g{a, {i}, {}};
                for (auto const cta : seen)
                    g.at.push_back(addresses_->cta_rectangle(i, cta, line_, pitch[a]));
                groups.push_back(g);
            }
            arrays += groups.size() != before ? 1 : 0;
        }
        while (join(groups, o.per)) {}
        place_of_.assign(addresses_->accesses(), none);
        for (auto const& g : groups) {
            for (auto const i : g.accesses) place_of_[i] = static_cast<std::uint8_t>(size_);
            place_[size_++] = {g.array, pitch[g.array]};
        }
        for (std::uint32_t i = 0; i < addresses_->accesses(); ++i)
            partial_ = partial_ || !addresses_->access(i).predictable;
    }
    static std::vector<std::uint64_t> some_of(grid_began const& e) {
        std::vector<std::uint64_t> ctas;
        auto const middle = e.grid_x / 2 + e.grid_x * (e.grid_y / 2 + e.grid_y * (e.grid_z / 2));
        for (auto const cta : {std::uint64_t{0}, e.grid_x - 1, e.ctas() - e.grid_x, e.ctas() - 1, middle}) {
            bool known = false;
            for (auto const c : ctas) known = known || c == cta;
            if (!known) ctas.push_back(cta);
        }
        return ctas;
    }
    // Makes one of the two groups that go together best; false if none should.
    static bool join(std::vector<group>& groups, rectangle_per per) {
        std::size_t first = 0;
        std::size_t second = 0;
        std::int64_t least = 0;
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (auto j = i + 1; j < groups.size() && groups[j].array == groups[i].array; ++j)
                if (auto const c = cost(groups[i], groups[j]); second == 0 || c < least) {
                    least = c;
                    first = i;
                    second = j;
                }
        if (second == 0 || (least > 0 && per == rectangle_per::access && groups.size() <= most)) return false;
        auto& one = groups[first];
        auto const& other = groups[second];
        one.accesses.insert(one.accesses.end(), other.accesses.begin(), other.accesses.end());
        for (std::size_t k = 0; k < one.at.size(); ++k) one.at[k].include(other.at[k]);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(second));
        return true;
    }
    // Lines of the rectangles around both, less those of each.
    static std::int64_t cost(group const& a, group const& b) {
        std::int64_t lines = 0;
        for (std::size_t k = 0; k < a.at.size(); ++k) {
            auto both = a.at[k];
            both.include(b.at[k]);
            lines += area(both) - area(a.at[k]) - area(b.at[k]);
        }
        return lines;
    }
    static std::int64_t area(line_rectangle const& r) noexcept {
        return static_cast<std::int64_t>(r.width * r.height);
    }
    template <class Number>
    static Number byte(Number n) noexcept {
        return n < 0 ? 0 : n > 255 ? 255 : n;
    }
    // Leaves no line in two rectangles of one array.
    void separate(list& r) const noexcept {
        for (unsigned i = 1; i < size_; ++i)
            for (unsigned j = 0; j < i; ++j) {
                if (array(i) != array(j) || overlap(r[i], r[j]) == 0) continue;
                if (cut(r[i], r[j]) || cut(r[j], r[i])) continue;
                r[j].include(r[i]);
                r[i] = {};
                i = 0; // it may reach others now
                break;
            }
    }
    // Takes from one rectangle what another one has of it, if that leaves a rectangle or nothing.
    static bool cut(line_rectangle& from, line_rectangle const& by) noexcept {
        auto const covers = [](std::int64_t at, std::uint64_t size, std::int64_t from_at,
                               std::uint64_t from_size) {
            return at <= from_at && end(at, size) >= end(from_at, from_size);
        };
        bool const wide = covers(by.x, by.width, from.x, from.width);
        bool const high = covers(by.y, by.height, from.y, from.height);
        if (wide && high) {
            from = {};
            return true;
        }
        return wide   ? cut_end(from.y, from.height, by.y, by.height)
               : high ? cut_end(from.x, from.width, by.x, by.width)
                      : false;
    }
    static bool cut_end(std::int64_t& at, std::uint64_t& size, std::int64_t by,
                        std::uint64_t by_size) noexcept {
        auto const last = end(at, size);
        auto const by_last = end(by, by_size);
        if (by > at && by_last < last) return false;
        if (by > at) {
            size = static_cast<std::uint64_t>(by - at);
        } else {
            at = by_last;
            size = static_cast<std::uint64_t>(last - at);
        }
        return true;
    }
    static std::int64_t end(std::int64_t at, std::uint64_t size) noexcept {
        return at + static_cast<std::int64_t>(size);
    }

    predicted_addresses const* addresses_ = nullptr;
    std::uint32_t line_ = 128;
    bool byte_saturate_ = false;
    bool partial_ = false;
    unsigned size_ = 0;
    std::array<place, most> place_{};
    std::vector<std::uint8_t> place_of_; ///< by access: the number of its rectangle
};

} // namespace warpkit
