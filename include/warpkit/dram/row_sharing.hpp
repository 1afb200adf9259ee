#pragma once
/// \file
/// Which CTAs share DRAM rows.

#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/row_access.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::dram {

/// For each row the CTAs that accessed it: CTAs per row, and the share of them that have a neighbour by number among
/// the row's CTAs, both averaged over rows. Counts a CTA once per row; a statistic for after the run, not a per-cycle
/// path.
/// Source: OWL, table 4, "CTAs/row" and "Consecutive CTAs/row" (docs/model/dram.md#row-sharing).
class row_sharing {
public:
    /// A CTA accessed a row; `bank` is any number that tells banks apart, machine-wide if it is to be.
    void accessed(std::uint32_t bank, std::uint32_t row, std::uint32_t cta) {
        access const a{std::uint64_t{bank} << 32 | row, cta};
        if (!all_.empty() && all_.back() == a) return;
        all_.push_back(a);
        if (all_.size() >= compact_at_) {
            sort();
            compact_at_ = all_.size() * 2 + 1024;
        }
    }
    void on(row_access const& a) { accessed(a.bank, a.row, a.cta); }
    row_sharing& operator+=(row_sharing const& o) {
        all_.insert(all_.end(), o.all_.begin(), o.all_.end());
        return *this;
    }

    void add_to(row_sharing& sum) const { sum += *this; }
    /// Rows that were accessed.
    std::uint64_t rows() const { return counted().rows; }
    /// CTAs that accessed a row, averaged over rows.
    double ctas_per_row() const { return counted().ctas; }
    /// Of the CTAs of a row, the share that is adjacent in number to another one of them, averaged over rows.
    double consecutive_share() const { return counted().consecutive; }

    WARPKIT_STORED_MEMBERS(2)
    template <class F>
    void each_member(F&& f) const {
        f(all_);
    }
    friend bool operator==(row_sharing const& a, row_sharing const& b) {
        return a.sorted().all_ == b.sorted().all_;
    }

private:
    struct access {
        std::uint64_t place = 0; ///< bank and row
        std::uint32_t cta = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(place, cta);
        }
        friend bool operator==(access const&, access const&) = default;
        bool before(access const& o) const noexcept {
            return place != o.place ? place < o.place : cta < o.cta;
        }
    };
    struct result {
        std::uint64_t rows = 0;
        double ctas = 0;
        double consecutive = 0;
    };

    /// By place and CTA, each pair once: a merge sort, bottom up.
    void sort() {
        std::vector<access> other(all_.size());
        for (std::size_t width = 1; width < all_.size(); width *= 2) {
            for (std::size_t from = 0; from < all_.size(); from += 2 * width) {
                auto const middle = from + width < all_.size() ? from + width : all_.size();
                auto const end = from + 2 * width < all_.size() ? from + 2 * width : all_.size();
                auto a = from;
                auto b = middle;
                for (auto k = from; k < end; ++k)
                    other[k] = b == end || (a < middle && !all_[b].before(all_[a])) ? all_[a++] : all_[b++];
            }
            all_.swap(other);
        }
        std::size_t kept = 0;
        for (auto const& a : all_)
            if (kept == 0 || !(all_[kept - 1] == a)) all_[kept++] = a;
        all_.resize(kept);
    }
    row_sharing sorted() const {
        auto s = *this;
        s.sort();
        return s;
    }
    result counted() const {
        auto const all = sorted().all_;
        result r;
        for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
            std::size_t adjacent = 0;
            for (to = from; to < all.size() && all[to].place == all[from].place; ++to) {
                bool const below = to > from && all[to].cta - all[to - 1].cta == 1;
                bool const above = to + 1 < all.size() && all[to + 1].place == all[to].place &&
                                   all[to + 1].cta - all[to].cta == 1;
                adjacent += below || above;
            }
            ++r.rows;
            r.ctas += static_cast<double>(to - from);
            r.consecutive += static_cast<double>(adjacent) / static_cast<double>(to - from);
        }
        if (r.rows != 0) {
            r.ctas /= static_cast<double>(r.rows);
            r.consecutive /= static_cast<double>(r.rows);
        }
        return r;
    }

    std::vector<access> all_;
    std::size_t compact_at_ = 1024;
};

} // namespace warpkit::dram
