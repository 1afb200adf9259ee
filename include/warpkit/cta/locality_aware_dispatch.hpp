#pragma once

#include <warpkit/base/footprint.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cta/block_rectangles.hpp>
#include <warpkit/cta/concepts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// How locality_aware_dispatch decides before a core has finished its first CTA.
enum class initial_fill : std::uint8_t {
    round_robin, ///< the lowest CTA that waits
    locality     ///< as later
};
/// Which one of several equally good CTAs.
enum class cta_tie : std::uint8_t { lowest, highest };

/// What the thesis leaves open.
struct locality_dispatch_options {
    unsigned window = 64; ///< CTAs, those of lowest numbers, that are candidates; 0 is read as 1
    cta_tie tie = cta_tie::lowest;
    initial_fill fill = initial_fill::round_robin;
    rectangle_per rectangles = rectangle_per::access;
    bool reads_only = false; ///< stores and the arrays that are only stored to do not count
    bool byte_saturate =
        false; ///< coordinates and sizes of one byte, as the thesis' cost has them: beyond 255 is 255
    friend bool operator==(locality_dispatch_options const&, locality_dispatch_options const&) = default;
};

/// A core gets the CTA that shares most cache lines with those that run there; and if none shares any, the one that
/// shares least with those that run on other cores.
///
/// When a grid begins, and whenever a CTA has been dispatched, the address slices of the launch tell for each CTA in
/// the window the rectangles of lines that it touches (block_rectangles). The lines that two CTAs share are the areas
/// of their rectangles' intersections, summed over pairs of one array. Cores take turns as in round_robin_dispatch.
///
/// Source: Chen, Improving GPU Memory Performance via Address Pre-computation, thesis 2016, section 3.3
/// (docs/model/dispatch.md#locality-dispatch).
/// Differs from the thesis, where it is silent: window, ties and initial fill are parameters; rectangles of different
/// size are intersected; five rectangles are what its cost has room for, and an array that is touched in several places
/// may have more than one. Accesses that cannot be predicted do not count; a kernel without any other falls back to
/// round-robin, and note() says so. Cost: what a core shares with each candidate is kept as CTAs come and go, so a
/// decision reads one row of a table. Hardware cost: of the whole machine; the thesis' table 5.2 has the block queue
/// alone.
class locality_aware_dispatch {
public:
    static constexpr char const* name() noexcept { return "locality_aware_dispatch"; }
    static constexpr char const* summary() noexcept {
        return "the CTA that shares most lines with those on the core (address pre-computation)";
    }

    locality_aware_dispatch() = default;
    explicit locality_aware_dispatch(locality_dispatch_options const& options) noexcept : options_(options) {
        if (options_.window == 0) options_.window = 1;
    }

    cta_assignment choose(core_rooms rooms) const noexcept {
        if (given_ == ctas_) return {};
        auto const core = rooms.next_with_room(next_core_);
        if (core == rooms.size()) return {};
        return {core, candidate_for(core), 1};
    }

    void on(grid_began const& e) {
        rectangles_ = block_rectangles(e, {options_.rectangles, options_.reads_only, options_.byte_saturate});
        size_ = rectangles_.size();
        pairs_ = 0;
        for (unsigned i = 0; i < size_; ++i)
            for (unsigned j = 0; j < size_; ++j)
                if (rectangles_.array(i) == rectangles_.array(j)) pair_[pairs_++] = {i, j};
        ctas_ = e.ctas();
        given_ = 0;
        next_ = 0;
        next_core_ = 0;
        slots_ = e.ctas_per_core;
        cores_ = size_ == 0 ? 0 : e.cores.get();
        width_ = size_ == 0 ? 0 : ctas_ < options_.window ? static_cast<unsigned>(ctas_) : options_.window;
        groups_ = groups_of(width_);
        slot_groups_ = groups_of(slots_);
        waiting_.assign(std::size_t{groups_} * abreast, nobody);
        waiting_edges_.assign(std::size_t{groups_} * size_, {});
        resident_.assign(std::size_t{cores_} * slot_groups_ * abreast, nobody);
        resident_edges_.assign(std::size_t{cores_} * slot_groups_ * size_, {});
        total_.assign(waiting_.size(), 0);
        sum_.assign(cores_ * waiting_.size(), 0);
        core_.assign(cores_, {});
        around_.assign(cores_, {});
        around_waiting_ = {};
        for (unsigned place = 0; place < width_; ++place) refill(place);
    }
    void on(cta_dispatched const& e) {
        ++given_;
        next_core_ = e.core + 1;
        if (size_ == 0) {
            next_ = e.linear_id + 1;
            return;
        }
        unsigned place = 0;
        while (place < width_ && waiting_[place] != e.linear_id) ++place;
        auto& c = core_[e.core];
        if (place == width_ || c.resident == slots_) return; // not by our choice
        auto const gone = block_at(&waiting_edges_[0], place);
        auto const slot = e.core * slot_groups_ * abreast + c.resident++;
        resident_[slot] = e.linear_id;
        put(&resident_edges_[0], slot, gone);
        include(around_[e.core], gone);
        refill(place);
        change<true>(e.core, gone);
        // The newcomer has met nobody before.
        auto const newcomer = block_at(&waiting_edges_[0], place);
        total_[place] = 0;
        for (unsigned core = 0; core < cores_; ++core) {
            double with = 0;
            intersect(newcomer, around_[core], &resident_edges_[core * slot_groups_ * size_], slot_groups_,
                      [&](unsigned, double const(&lines)[abreast]) {
                          for (auto const n : lines) with += n;
                      });
            sum_[core * waiting_.size() + place] = with;
            total_[place] += with;
        }
    }
    void on(cta_retired const& e) {
        if (size_ == 0) return;
        auto& c = core_[e.core];
        auto const first = e.core * slot_groups_ * abreast;
        for (auto slot = first; slot < first + c.resident; ++slot) {
            if (resident_[slot] != e.linear_id) continue;
            auto const gone = block_at(&resident_edges_[0], slot);
            auto const last = first + --c.resident;
            resident_[slot] = resident_[last];
            put(&resident_edges_[0], slot, block_at(&resident_edges_[0], last));
            resident_[last] = nobody;
            put(&resident_edges_[0], last, block{});
            around_[e.core] = around(e.core);
            change<false>(e.core, gone);
            break;
        }
        c.finished_one = true;
    }

    /// Arrays of which something is known in this grid, at most five.
    unsigned known_arrays() const noexcept { return rectangles_.arrays(); }
    char const* note() const noexcept {
        if (size_ == 0) return "no access of this kernel is predictable: round-robin in place of locality";
        return rectangles_.partial() ? "accesses of this kernel that are not predictable do not count"
                                     : nullptr;
    }
    locality_dispatch_options const& options() const noexcept { return options_; }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        auto const window = options_.window;
        return hardware_cost_list{}
            .add("block queue: access ranges", std::uint64_t{window} * block_range_bits)
            .add("running blocks: access ranges",
                 std::uint64_t{shape.cores} * shape.cta_slots * block_range_bits)
            .add("last core", bits_for(shape.cores))
            .add("next CTA", 32);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        auto& o = self.options_;
        f(parameter{"window", "CTAs that are candidates", 1, 65536}, o.window);
        f(parameter{"tie", "of equally good ones the one of lowest, or highest, number"}, o.tie, tie_words_);
        f(parameter{"fill", "round_robin until the core has finished one, or locality from the start"},
          o.fill, fill_words_);
        f(parameter{"rectangles", "of lines: one per access, or one per array around all accesses to it"},
          o.rectangles, rectangle_words_);
        f(parameter{"reads_only", "stores do not count"}, o.reads_only);
        f(parameter{"byte_saturate", "coordinates of one byte, as in the thesis' cost"}, o.byte_saturate);
    }
    WARPKIT_STORED_MEMBERS(23)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.window, options_.tie, options_.fill, options_.rectangles, options_.reads_only,
          options_.byte_saturate, ctas_, given_, next_, next_core_, slots_, size_, width_, waiting_, core_,
          resident_);
    }
    friend bool operator==(locality_aware_dispatch const&, locality_aware_dispatch const&) = default;

private:
    static constexpr parameter_word<cta_tie> tie_words_[] = {{"lowest", cta_tie::lowest},
                                                             {"highest", cta_tie::highest}};
    static constexpr parameter_word<initial_fill> fill_words_[] = {{"round_robin", initial_fill::round_robin},
                                                                   {"locality", initial_fill::locality}};
    static constexpr parameter_word<rectangle_per> rectangle_words_[] = {{"access", rectangle_per::access},
                                                                         {"array", rectangle_per::array}};
    static constexpr std::uint64_t nobody = ~std::uint64_t{0};
    /// Rectangles are intersected so many at once: loops of this length become vector instructions. Lines are counted
    /// in `double`, of which minimum and maximum are single instructions everywhere; it is exact up to 2^53 of them.
    static constexpr unsigned abreast = 8;
    /// The edges of one rectangle of that many CTAs. Where there is none, all are 0.
    struct alignas(16) edge_group {
        double left[abreast]{};
        double right[abreast]{};
        double top[abreast]{};
        double bottom[abreast]{};
        friend bool operator==(edge_group const&, edge_group const&) = default;
    };
    /// Those of one CTA.
    struct edges {
        double left, right, top, bottom;
        friend bool operator==(edges const&, edges const&) = default;
    };
    struct block {
        edges of[block_rectangles::most];
        friend bool operator==(block const&, block const&) = default;
    };
    /// Numbers of two rectangles of one array.
    struct rectangle_pair {
        unsigned own = 0;
        unsigned other = 0;
        friend bool operator==(rectangle_pair const&, rectangle_pair const&) = default;
    };
    struct core_state {
        unsigned resident = 0;
        bool finished_one = false;
        friend bool operator==(core_state const&, core_state const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(resident, finished_one);
        }
    };

    static constexpr unsigned groups_of(unsigned n) noexcept { return (n + abreast - 1) / abreast; }
    block block_of(std::uint64_t id) const {
        block b{};
        auto const list = rectangles_.of(id);
        for (unsigned i = 0; i < size_; ++i) {
            auto const& r = list[i];
            auto const left = static_cast<double>(r.x);
            auto const top = static_cast<double>(r.y);
            b.of[i] = {left, left + static_cast<double>(r.width), top, top + static_cast<double>(r.height)};
        }
        return b;
    }
    /// The CTA at a place among groups, each of which has an edge_group per rectangle.
    block block_at(edge_group const* groups, unsigned place) const noexcept {
        block b{};
        auto const k = place % abreast;
        for (unsigned a = 0; a < size_; ++a) {
            auto const& g = groups[place / abreast * size_ + a];
            b.of[a] = {g.left[k], g.right[k], g.top[k], g.bottom[k]};
        }
        return b;
    }
    void put(edge_group* groups, unsigned place, block const& b) noexcept {
        auto const k = place % abreast;
        for (unsigned a = 0; a < size_; ++a) {
            auto& g = groups[place / abreast * size_ + a];
            g.left[k] = b.of[a].left;
            g.right[k] = b.of[a].right;
            g.top[k] = b.of[a].top;
            g.bottom[k] = b.of[a].bottom;
        }
    }
    void refill(unsigned place) {
        bool const another = next_ < ctas_;
        auto const b = another ? block_of(next_) : block{};
        put(&waiting_edges_[0], place, b);
        include(around_waiting_, b);
        waiting_[place] = another ? next_++ : nobody;
    }
    /// A CTA's rectangle, and the number of the others' that it is held against.
    struct meeting {
        edges own;
        unsigned other;
    };
    /// Calls f(i, lines) for `count` groups: lines that a CTA shares with each of it, which are to be added up. Not at
    /// all if it shares none with the rectangles `around` them.
    template <class F>
    void intersect(block const& b, block const& around, edge_group const* groups, unsigned count,
                   F&& f) const {
        meeting met[block_rectangles::most * block_rectangles::most];
        unsigned meetings = 0;
        for (unsigned p = 0; p < pairs_; ++p) {
            auto const [i, j] = pair_[p];
            auto const& x = b.of[i];
            auto const& y = around.of[j];
            if (common(x.left, x.right, y.left, y.right) > 0 && common(x.top, x.bottom, y.top, y.bottom) > 0)
                met[meetings++] = {x, j};
        }
        for (unsigned m = 0; m < meetings; m += 5) switch (meetings - m) {
            case 1:
                intersect_in<0>(met + m, groups, count, f);
                break;
            case 2:
                intersect_in<0, 1>(met + m, groups, count, f);
                break;
            case 3:
                intersect_in<0, 1, 2>(met + m, groups, count, f);
                break;
            case 4:
                intersect_in<0, 1, 2, 3>(met + m, groups, count, f);
                break;
            default:
                intersect_in<0, 1, 2, 3, 4>(met + m, groups, count, f);
            }
    }
    template <unsigned... M, class F>
    void intersect_in(meeting const* met, edge_group const* groups, unsigned count, F& f) const {
        // Copies, which nothing else can change: so the inner loop becomes vector instructions.
        meeting const with[] = {met[M]...};
        auto const stride = size_;
        for (unsigned i = 0; i < count; ++i, groups += stride) {
            double lines[abreast];
            for (unsigned k = 0; k < abreast; ++k)
                lines[k] = ((common(with[M].own.left, with[M].own.right, groups[with[M].other].left[k],
                                    groups[with[M].other].right[k]) *
                             common(with[M].own.top, with[M].own.bottom, groups[with[M].other].top[k],
                                    groups[with[M].other].bottom[k])) +
                            ...);
            f(i, lines);
        }
    }
    void include(block& all, block const& one) const noexcept {
        for (unsigned i = 0; i < size_; ++i) include(all.of[i], one.of[i]);
    }
    static void include(edges& all, edges const& one) noexcept {
        if (one.left == one.right) return;
        if (all.left == all.right) all = one;
        all.left = one.left < all.left ? one.left : all.left;
        all.right = all.right < one.right ? one.right : all.right;
        all.top = one.top < all.top ? one.top : all.top;
        all.bottom = all.bottom < one.bottom ? one.bottom : all.bottom;
    }
    /// The least rectangles around all that run on a core.
    block around(unsigned core) const noexcept {
        block all{};
        for (unsigned i = 0; i < size_; ++i)
            for (unsigned slot = 0; slot < core_[core].resident; ++slot) {
                auto const k = slot % abreast;
                auto const& g = resident_edges_[(core * slot_groups_ + slot / abreast) * size_ + i];
                include(all.of[i], {g.left[k], g.right[k], g.top[k], g.bottom[k]});
            }
        return all;
    }
    /// The length that two intervals have in common.
    static double common(double from, double to, double other_from, double other_to) noexcept {
        auto const first = from < other_from ? other_from : from;
        auto const last = to < other_to ? to : other_to;
        return (first < last ? last : first) - first;
    }
    /// A CTA comes to a core or leaves it: what the core shares with each candidate. (Also with a newcomer, whose sums
    /// are made anew afterwards.)
    template <bool Comes>
    void change(unsigned core, block const& by) {
        intersect(by, around_waiting_, &waiting_edges_[0], groups_,
                  [sums = &sum_[core * waiting_.size()], totals = &total_[0]](unsigned i,
                                                                              double const(&lines)[abreast]) {
                      auto* const sum = sums + std::size_t{i} * abreast;
                      auto* const total = totals + std::size_t{i} * abreast;
                      for (unsigned k = 0; k < abreast; ++k) sum[k] += Comes ? lines[k] : -lines[k];
                      for (unsigned k = 0; k < abreast; ++k) total[k] += Comes ? lines[k] : -lines[k];
                  });
    }
    bool goes_before(std::uint64_t a, std::uint64_t b) const noexcept {
        return options_.tie == cta_tie::lowest ? a < b : a > b;
    }
    /// The CTA that this core would get. Precondition: there is one.
    std::uint64_t candidate_for(unsigned core) const noexcept {
        if (size_ == 0) return next_;
        auto best = nobody;
        if (options_.fill == initial_fill::round_robin && !core_[core].finished_one) {
            for (auto const id : waiting_)
                if (id < best) best = id;
            return best;
        }
        auto const* const sum = &sum_[core * waiting_.size()];
        double most = 0;
        for (unsigned i = 0; i < width_; ++i) { // where nobody is, the sum is 0
            if (sum[i] < most || sum[i] == 0) continue;
            if (sum[i] == most && !goes_before(waiting_[i], best)) continue;
            most = sum[i];
            best = waiting_[i];
        }
        if (best != nobody) return best;
        double least = 0;
        for (unsigned i = 0; i < width_; ++i) {
            auto const id = waiting_[i];
            if (id == nobody || (best != nobody && total_[i] > least)) continue;
            if (best != nobody && total_[i] == least && !goes_before(id, best)) continue;
            least = total_[i]; // all of it elsewhere
            best = id;
        }
        return best;
    }

    locality_dispatch_options options_;
    block_rectangles rectangles_;
    unsigned size_ = 0; ///< rectangles of each CTA
    std::array<rectangle_pair, block_rectangles::most * block_rectangles::most> pair_{};
    unsigned pairs_ = 0;
    std::uint64_t ctas_ = 0;
    std::uint64_t given_ = 0; ///< dispatched so far
    std::uint64_t next_ = 0;  ///< the first CTA that is not in the window yet
    unsigned next_core_ = 0;
    unsigned slots_ = 1; ///< CTAs per core
    unsigned cores_ = 0;
    unsigned width_ = 0;                 ///< of the window
    unsigned groups_ = 0;                ///< that the window has
    unsigned slot_groups_ = 0;           ///< that a core's places have
    std::vector<std::uint64_t> waiting_; ///< the window, in no order
    std::vector<edge_group> waiting_edges_;
    std::vector<double> total_; ///< by place in the window: lines shared with all that run
    std::vector<double> sum_;   ///< by core and place: with those that run there
    std::vector<core_state> core_;
    std::vector<std::uint64_t> resident_; ///< by core and place
    std::vector<edge_group> resident_edges_;
    std::vector<block> around_; ///< by core: the least rectangles around those of all that run there
    block around_waiting_{};    ///< around those of all that have been in the window
};
static_assert(cta_choice<locality_aware_dispatch>);

} // namespace warpkit
