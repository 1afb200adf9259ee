#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// The numbers of chiplet_dispatch, each 1 or more.
struct chiplet_dispatch_options {
    unsigned parts = 2;  ///< of the machine: cores of neighbouring numbers
    unsigned chunk = 64; ///< CTAs of neighbouring positions that one part gets
    unsigned window = 8; ///< rows of CTAs in a band of positions
    friend bool operator==(chiplet_dispatch_options const&, chiplet_dispatch_options const&) = default;
};

/// Cores are in as many parts as the machine has L2s, or halves of one. The grid's CTAs stand in bands of `window`
/// rows, column by column within one, so that neighbours make a compact tile; chunks of `chunk` of them go to the parts
/// in turn, so that what neighbours share is in one part's cache. The last ones, too few for a chunk for each part, are
/// for whoever has room. A part that has got all its chunks takes the next of the part of which most is left. Within a
/// part each CTA goes to the next core with room.
/// Source: HipKittens (Hu et al., arXiv 2511.08083, 2025), its order of tiles for caches of several chiplets: chunks
/// for each of AMD's XCDs, then windows; the abstract and open code that has it, chiplet_transform_chunked, were read
/// (docs/model/dispatch.md#chiplets).
/// Differs: there the kernel renumbers what a dispatcher hands to the XCDs in turn, here the dispatcher does it, for
/// any kernel, and goes on to balance where parts are not equally fast.
/// Hardware cost: a position for each part and one of the rest.
class chiplet_dispatch {
public:
    static constexpr char const* name() noexcept { return "chiplet_dispatch"; }
    static constexpr char const* summary() noexcept {
        return "chunks of a band of rows to the parts of the machine in turn (HipKittens)";
    }

    chiplet_dispatch() = default;
    /// 0 is read as 1.
    explicit chiplet_dispatch(chiplet_dispatch_options const& o) noexcept
        : options_{at_least_1(o.parts), at_least_1(o.chunk), at_least_1(o.window)} {}

    cta_assignment choose(core_rooms rooms) const noexcept {
        if (left_ == 0) return {};
        auto const core = rooms.next_with_room(next_core_);
        if (core == rooms.size()) return {};
        auto const from = source_of(core);
        return {core, at(from == parts() ? chunked_ + tail_ : position(from, taken_[from])), 1};
    }

    void on(grid_began const& e) {
        columns_ = e.grid_x;
        rows_ = e.grid_y;
        cores_ = e.cores;
        all_ = left_ = e.ctas();
        auto const round = std::uint64_t{options_.parts} * options_.chunk;
        chunked_ = all_ / round * round;
        tail_ = 0;
        taken_.assign(options_.parts, 0);
        next_core_ = 0;
    }
    void on(cta_dispatched const& e) noexcept {
        auto const from = source_of(e.core);
        if (from == parts())
            ++tail_;
        else
            ++taken_[from];
        --left_;
        next_core_ = e.core + 1;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("last core", bits_for(shape.cores))
            .add("next positions", (chiplet_dispatch_options{}.parts + 1) * std::uint64_t{32});
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"parts", "of the machine, by the numbers of cores", 1, 1024}, self.options_.parts);
        f(parameter{"chunk", "neighbouring CTAs that one part gets", 1, 65536}, self.options_.chunk);
        f(parameter{"window", "rows of CTAs in a band", 1, 65536}, self.options_.window);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.parts, options_.chunk, options_.window, columns_, rows_, cores_, all_, left_, chunked_, tail_,
          next_core_, taken_);
    }
    friend bool operator==(chiplet_dispatch const&, chiplet_dispatch const&) = default;

private:
    static constexpr unsigned at_least_1(unsigned n) noexcept { return n == 0 ? 1 : n; }
    unsigned parts() const noexcept { return static_cast<unsigned>(taken_.size()); }
    std::uint64_t left_of(unsigned part) const noexcept { return chunked_ / parts() - taken_[part]; }
    /// The part whose CTA this core gets: its own, else none (the rest), else that of which most is left, the first.
    unsigned source_of(unsigned core) const noexcept {
        auto const own = static_cast<unsigned>(std::uint64_t{core} * parts() / cores_);
        if (left_of(own) != 0) return own;
        unsigned most = 0;
        for (unsigned p = 1; p < parts(); ++p)
            if (left_of(p) > left_of(most)) most = p;
        return left_of(most) == 0 || chunked_ + tail_ != all_ ? parts() : most;
    }
    /// Of the `n` th CTA of a part.
    std::uint64_t position(unsigned part, std::uint64_t n) const noexcept {
        return (n / options_.chunk * parts() + part) * options_.chunk + n % options_.chunk;
    }
    /// The number of the CTA at a position. Planes come one after another.
    std::uint64_t at(std::uint64_t position) const noexcept {
        auto const plane = position / (columns_ * rows_), within = position % (columns_ * rows_);
        auto const first = within / (columns_ * options_.window) * options_.window; // row of the band
        auto const tall = rows_ - first < options_.window ? rows_ - first : options_.window;
        auto const in_band = within - first * columns_;
        return in_band / tall + columns_ * (first + in_band % tall + rows_ * plane);
    }

    chiplet_dispatch_options options_;
    std::uint64_t columns_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t all_ = 0; ///< CTAs of the grid
    std::uint64_t left_ = 0;
    std::uint64_t chunked_ = 0; ///< positions that are in chunks; the rest comes behind
    std::uint64_t tail_ = 0;    ///< of the rest, given out
    unsigned cores_ = 1;
    unsigned next_core_ = 0;
    std::vector<std::uint64_t> taken_; ///< of each part's chunks, given out
};
static_assert(cta_choice<chiplet_dispatch>);

} // namespace warpkit
