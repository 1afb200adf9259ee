#pragma once
/// \file
/// Which CTAs share which cache lines: the matrix of the locality-aware thesis' figure 2.2, and what OWL's table 4 is
/// counted from (each_touch(), for dram/row_sharing.hpp).

#include <warpkit/base/standard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::report {

/// Lines that each two CTAs, or ranges of CTAs, both touch.
struct sharing_matrix {
    std::uint64_t ctas = 0;
    std::uint64_t per_bin = 1; ///< consecutive CTAs in one row, and column, of the matrix
    std::size_t bins = 0;
    std::vector<std::uint64_t>
        lines; ///< lines[a * bins + b]: summed over pairs of CTAs; a CTA with itself: all it touches

    std::uint64_t at(std::size_t a, std::size_t b) const { return lines[a * bins + b]; }
    /// How dark each place is drawn, row by row, from 0 to 255: the square root of its share of the most that two
    /// different bins have in common (a bin with itself, where there is one only), so that a single line is seen beside
    /// many.
    std::vector<unsigned> shades() const {
        std::uint64_t most = bins == 1 ? lines[0] : 0;
        for (std::size_t i = 0; i < bins; ++i)
            for (std::size_t j = 0; j < bins; ++j)
                if (i != j) most = std::max(most, at(i, j));
        std::vector<unsigned> all;
        for (auto const n : lines) all.push_back(shade_of(n, most));
        return all;
    }

private:
    static unsigned shade_of(std::uint64_t n, std::uint64_t most) {
        if (n == 0) return 0;
        if (n >= most) return 255;
        unsigned s = 1; // the least whose square is enough, in integers: the same on every host
        while (s < 255 && std::uint64_t{s} * s * most < n * 255 * 255) ++s;
        return s;
    }
};

/// Collects what the CTAs of one launch touch, one CTA after the other. For after or outside a run, not for its cycles.
class data_sharing {
public:
    /// `line` is in bytes.
    data_sharing(std::uint64_t ctas, std::uint32_t line) : ctas_(ctas), line_(line) {}

    /// The CTA accessed bytes of global memory.
    void touched(std::uint64_t cta, std::uint64_t address, std::uint32_t bytes) {
        if (cta != now_) flush();
        now_ = cta;
        auto const last = (address + (bytes == 0 ? 0 : bytes - 1)) / line_;
        for (auto l = address / line_; l <= last; ++l)
            if (current_.empty() || current_.back() != l) current_.push_back(l);
    }
    /// No more will come.
    void finish() {
        flush();
        std::sort(all_.begin(), all_.end());
    }

    // ---- after finish()
    std::uint64_t ctas() const noexcept { return ctas_; }
    std::uint64_t lines() const {
        std::uint64_t n = 0;
        each_line([&](auto, auto) { ++n; });
        return n;
    }
    /// Pairs of a line and a CTA that touches it.
    std::uint64_t touches() const noexcept { return all_.size(); }
    /// Lines that more than one CTA touches.
    std::uint64_t shared_lines() const {
        std::uint64_t n = 0;
        each_line([&](auto from, auto to) { n += to - from > 1; });
        return n;
    }
    /// For each line the distances, in CTA numbers, from one of those who touch it to the next: how often each occurs.
    std::map<std::uint64_t, std::uint64_t> distances() const {
        std::map<std::uint64_t, std::uint64_t> count;
        each_line([&](std::size_t from, std::size_t to) {
            for (auto i = from + 1; i < to; ++i) ++count[all_[i].second - all_[i - 1].second];
        });
        return count;
    }
    /// Calls `f(address of the line, CTA)` for each of them, line by line.
    template <class F>
    void each_touch(F&& f) const {
        for (auto const& [line, cta] : all_) f(line * line_, cta);
    }

    /// At most `most` rows and columns.
    sharing_matrix matrix(std::size_t most = 256) const {
        sharing_matrix m;
        m.ctas = ctas_;
        m.per_bin = std::max<std::uint64_t>(1, (ctas_ + most - 1) / most);
        m.bins = static_cast<std::size_t>((ctas_ + m.per_bin - 1) / m.per_bin);
        m.lines.assign(m.bins * m.bins, 0);
        std::vector<std::pair<std::size_t, std::uint64_t>> bin; // its number, CTAs of it that touch the line
        each_line([&](std::size_t from, std::size_t to) {
            bin.clear();
            for (auto i = from; i < to; ++i) {
                auto const b = static_cast<std::size_t>(all_[i].second / m.per_bin);
                if (bin.empty() || bin.back().first != b) bin.emplace_back(b, 0);
                ++bin.back().second;
            }
            for (auto const& [a, n] : bin)
                for (auto const& [b, k] : bin) m.lines[a * m.bins + b] += n * k;
        });
        return m;
    }

private:
    void flush() {
        std::sort(current_.begin(), current_.end());
        current_.erase(std::unique(current_.begin(), current_.end()), current_.end());
        for (auto const l : current_) all_.emplace_back(l, now_);
        current_.clear();
    }
    template <class F>
    void each_line(F&& f) const {
        for (std::size_t from = 0, to = 0; from < all_.size(); from = to) {
            for (to = from; to < all_.size() && all_[to].first == all_[from].first;) ++to;
            f(from, to);
        }
    }

    std::uint64_t ctas_;
    std::uint32_t line_;
    std::uint64_t now_ = 0;
    std::vector<std::uint64_t> current_;                       ///< lines of CTA now_
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all_; ///< line, CTA
};

/// The matrix as letters, darker for more.
inline void print_text(std::ostream& out, sharing_matrix const& m) {
    constexpr char const* scale = " .:-=+*#%@";
    auto const shade = m.shades();
    for (std::size_t a = 0; a < m.bins; ++a) {
        for (std::size_t b = 0; b < m.bins; ++b) {
            auto const s = shade[a * m.bins + b];
            out << scale[s == 0 ? 0 : 1 + (s - 1) * 9 / 255];
        }
        out << '\n';
    }
}
/// As a portable grey map, black for most, one point for each place.
inline void print_pgm(std::ostream& out, sharing_matrix const& m) {
    out << "P2\n" << m.bins << ' ' << m.bins << "\n255\n";
    auto const shade = m.shades();
    for (std::size_t a = 0; a < m.bins; ++a)
        for (std::size_t b = 0; b < m.bins; ++b)
            out << 255 - shade[a * m.bins + b] << (b + 1 == m.bins ? '\n' : ' ');
}
/// As a picture with a title and the numbers of the CTAs at its sides: the more lines, the darker, or, where the
/// reader's screen is dark, the lighter.
inline void print_svg(std::ostream& out, sharing_matrix const& m, std::string const& title) {
    auto const shade = m.shades();
    auto const side = std::max<std::size_t>(1, 512 / std::max<std::size_t>(1, m.bins));
    auto const size = side * m.bins;
    auto const last = m.ctas == 0 ? 0 : m.ctas - 1;
    auto const width = size + 70;
    auto const height = size + 70;
    std::string text;
    for (auto const c : title) text += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " << width << ' ' << height
        << "\" width=\"" << width << "\" height=\"" << height
        << "\" font-family=\"system-ui,'DejaVu Sans',sans-serif\" font-size=\"12\">\n<title>" << text
        << "</title>\n<style>svg{--ink:#000;--paper:#fff}@media "
           "(prefers-color-scheme:dark){svg{--ink:#fff;--paper:#161616}}"
           "text{fill:var(--ink)}.paper{fill:var(--paper)}.frame{fill:none;stroke:grey}.some{fill:var(--ink)}"
           "</style>\n"
        << "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n<text x=\"50\" y=\"16\">" << text
        << "</text>\n<text x=\"50\" y=\"" << size + 46 << "\">0</text>\n<text x=\"" << size + 50 << "\" y=\""
        << size + 46 << "\" text-anchor=\"end\">" << last << "</text>\n<text x=\"" << 50 + size / 2
        << "\" y=\"" << size + 60
        << "\" text-anchor=\"middle\">CTA</text>\n<text x=\"44\" y=\"40\" text-anchor=\"end\">0</text>\n"
        << "<text x=\"44\" y=\"" << size + 30 << "\" text-anchor=\"end\">" << last << "</text>\n"
        << "<text text-anchor=\"middle\" transform=\"translate(14," << 30 + size / 2
        << ") rotate(-90)\">CTA</text>\n"
        << "<rect class=\"frame\" x=\"49.5\" y=\"29.5\" width=\"" << size + 1 << "\" height=\"" << size + 1
        << "\"/>\n";
    for (std::size_t a = 0; a < m.bins; ++a)
        for (std::size_t b = 0; b < m.bins;) {
            auto const s = shade[a * m.bins + b];
            auto end = b;
            while (end < m.bins && shade[a * m.bins + end] == s) ++end;
            if (s != 0) {
                auto const thousandths = std::to_string(1000 + s * 1000 / 255); // 1.000 is all of it
                out << "<rect class=\"some\" x=\"" << 50 + b * side << "\" y=\"" << 30 + a * side
                    << "\" width=\"" << (end - b) * side << "\" height=\"" << side << "\" fill-opacity=\""
                    << (s >= 255 ? "1" : "." + thousandths.substr(1)) << "\"/>\n";
            }
            b = end;
        }
    out << "</svg>\n";
}

} // namespace warpkit::report
