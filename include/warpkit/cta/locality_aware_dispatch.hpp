#pragma once

#include <warpkit/base/footprint.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/program/predicted_addresses.hpp>

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
    bool reads_only = false; ///< stores and the arrays that are only stored to do not count
    bool byte_saturate =
        false; ///< coordinates and sizes of one byte, as the thesis' cost has them: beyond 255 is 255
    friend bool operator==(locality_dispatch_options const&, locality_dispatch_options const&) = default;
};

/// A core gets the CTA that shares most cache lines with those that run there; and if none shares any, the one that
/// shares least with those that run on other cores.
///
/// When a grid begins, and whenever a CTA has been dispatched, the address slices of the launch tell for each CTA in the
/// window the rectangle of lines that it touches of each of the first five arrays (predicted_addresses). The lines that two
/// CTAs share are the areas of their rectangles' intersections, summed over arrays. Cores take turns as in
/// round_robin_dispatch.
///
/// Source: Chen, Improving GPU Memory Performance via Address Pre-computation, thesis 2016, section 3.3 (SPEC 2).
/// Differs from the thesis, where it is silent: window, ties and initial fill are parameters; rectangles of different size
/// are intersected; five arrays are what its cost has room for; several accesses to one array make one rectangle around
/// them. Accesses that cannot be predicted do not count; a kernel without any other falls back to round-robin, and note()
/// says so.
/// Cost: what a core shares with each candidate is kept as CTAs come and go, so a decision reads one row of a table.
/// Hardware cost: of the whole machine; the thesis' table 5.2 has the block queue alone.
class locality_aware_dispatch {
public:
    static constexpr unsigned arrays = warp_footprint::arrays;
    static constexpr char const* name() noexcept { return "locality_aware_dispatch"; }

    locality_aware_dispatch() = default;
    explicit locality_aware_dispatch(locality_dispatch_options const& options) noexcept : options_(options) {
        if (options_.window == 0) options_.window = 1;
    }

    cta_assignment choose(core_rooms rooms) const noexcept {
        if (given_ == ctas_) return {};
        auto core = next_core_;
        for (unsigned tried = 0; tried < rooms.size(); ++tried, ++core) {
            if (core >= rooms.size()) core = 0;
            if (rooms[core] != 0) return {core, candidate_for(core), 1};
        }
        return {};
    }

    void on(grid_began const& e) {
        addresses_ = e.addresses;
        line_ = e.line;
        ctas_ = e.ctas();
        given_ = 0;
        next_ = 0;
        next_core_ = 0;
        slots_ = e.ctas_per_core;
        find_arrays();
        waiting_.clear();
        sum_.clear();
        core_.clear();
        total_.clear();
        resident_.clear();
        if (arrays_ == 0) return;
        width_ = ctas_ < options_.window ? static_cast<unsigned>(ctas_) : options_.window;
        waiting_.resize(width_);
        total_.assign(width_, 0);
        sum_.assign(std::size_t{e.cores} * width_, 0);
        core_.assign(e.cores, {});
        resident_.assign(std::size_t{e.cores} * slots_, {});
        for (auto& w : waiting_) w = queued(next_++);
    }
    void on(cta_dispatched const& e) {
        ++given_;
        next_core_ = e.core + 1;
        if (arrays_ == 0) {
            next_ = e.linear_id + 1;
            return;
        }
        unsigned place = 0;
        while (place < width_ && waiting_[place].id != e.linear_id) ++place;
        auto& c = core_[e.core];
        if (place == width_ || c.resident == slots_) return; // not by our choice
        auto const gone = waiting_[place];
        resident_[std::size_t{e.core} * slots_ + c.resident++] = gone;
        refill(place);
        change(e.core, gone, place, [](std::uint64_t& sum, std::uint64_t by) { sum += by; });
        // The newcomer has not met anybody yet.
        total_[place] = 0;
        for (unsigned other = 0; other < core_.size(); ++other) {
            std::uint64_t with = 0;
            if (waiting_[place].id != nobody)
                for (unsigned i = 0; i < core_[other].resident; ++i)
                    with += shared(waiting_[place], resident_[std::size_t{other} * slots_ + i]);
            sum_[std::size_t{other} * width_ + place] = with;
            total_[place] += with;
        }
    }
    void on(cta_retired const& e) {
        if (arrays_ == 0) return;
        auto& c = core_[e.core];
        auto* const its = &resident_[std::size_t{e.core} * slots_];
        for (unsigned i = 0; i < c.resident; ++i) {
            if (its[i].id != e.linear_id) continue;
            auto const gone = its[i];
            its[i] = its[--c.resident];
            its[c.resident] = {};
            change(e.core, gone, width_, [](std::uint64_t& sum, std::uint64_t by) { sum -= by; });
            break;
        }
        c.finished_one = true;
    }

    /// Arrays of which something is known in this grid, at most five.
    unsigned known_arrays() const noexcept { return arrays_; }
    char const* note() const noexcept {
        if (arrays_ == 0) return "no access of this kernel is predictable: round-robin in place of locality";
        return partial_ ? "accesses of this kernel that are not predictable do not count" : nullptr;
    }
    locality_dispatch_options const& options() const noexcept { return options_; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const window = locality_dispatch_options{}.window;
        return hardware_cost_list{}
            .add("block queue: access ranges", std::uint64_t{window} * block_range_bits)
            .add("running blocks: access ranges",
                 std::uint64_t{shape.cores} * shape.cta_slots * block_range_bits)
            .add("last core", bits_for(shape.cores))
            .add("next CTA", 32);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.window, options_.tie, options_.fill, options_.reads_only, options_.byte_saturate, line_,
          ctas_, given_, next_, next_core_, slots_, arrays_, partial_, width_, waiting_, total_, sum_, core_,
          resident_);
    }
    friend bool operator==(locality_aware_dispatch const&, locality_aware_dispatch const&) = default;

private:
    static constexpr std::uint64_t nobody = ~std::uint64_t{0};
    /// A CTA and what it touches.
    struct block {
        std::uint64_t id = nobody;
        line_rectangle touches[arrays]{};
        friend bool operator==(block const&, block const&) = default;
    };
    struct known_array {
        std::uint32_t number = 0;
        std::uint64_t pitch = 0;
        friend bool operator==(known_array const&, known_array const&) = default;
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

    void find_arrays() {
        arrays_ = 0;
        partial_ = false;
        if (addresses_ == nullptr) return;
        std::uint64_t counts = 0;
        for (std::uint32_t i = 0; i < addresses_->accesses(); ++i) {
            auto const& a = addresses_->access(i);
            if (a.predictable && a.array < 64 && (a.reads || !options_.reads_only))
                counts |= std::uint64_t{1} << a.array;
            partial_ = partial_ || !a.predictable;
        }
        for (std::uint32_t a = 0; a < addresses_->arrays() && a < 64 && arrays_ < arrays; ++a)
            if ((counts >> a & 1) != 0) array_[arrays_++] = {a, addresses_->array_pitch(a)};
    }
    block queued(std::uint64_t id) const {
        block b;
        b.id = id;
        for (unsigned a = 0; a < arrays_; ++a) {
            auto& r = b.touches[a];
            r = addresses_->array_rectangle(array_[a].number, array_[a].pitch, id, line_,
                                            options_.reads_only);
            if (!options_.byte_saturate) continue;
            auto const byte = [](auto n) { return n < 0 ? decltype(n){} : n > 255 ? decltype(n){255} : n; };
            r = {byte(r.x), byte(r.y), r.width > 255 ? 255 : r.width, r.height > 255 ? 255 : r.height};
        }
        return b;
    }
    void refill(unsigned place) { waiting_[place] = next_ < ctas_ ? queued(next_++) : block{}; }
    std::uint64_t shared(block const& a, block const& b) const noexcept {
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < arrays_; ++i) sum += overlap(a.touches[i], b.touches[i]);
        return sum;
    }
    /// A CTA comes to a core or leaves it: what the core shares with each candidate, but for that at place `except`.
    template <class Change>
    void change(unsigned core, block const& by, unsigned except, Change&& apply) {
        auto* const sum = &sum_[std::size_t{core} * width_];
        for (unsigned i = 0; i < width_; ++i) {
            if (i == except || waiting_[i].id == nobody) continue;
            auto const n = shared(waiting_[i], by);
            apply(sum[i], n);
            apply(total_[i], n);
        }
    }
    bool goes_before(std::uint64_t a, std::uint64_t b) const noexcept {
        return options_.tie == cta_tie::lowest ? a < b : a > b;
    }
    /// The CTA that this core would get. Precondition: there is one.
    std::uint64_t candidate_for(unsigned core) const noexcept {
        if (arrays_ == 0) return next_;
        auto best = nobody;
        if (options_.fill == initial_fill::round_robin && !core_[core].finished_one) {
            for (auto const& w : waiting_)
                if (w.id < best) best = w.id;
            return best;
        }
        auto const* const sum = &sum_[std::size_t{core} * width_];
        std::uint64_t most = 0;
        std::uint64_t least = ~std::uint64_t{0};
        auto apart = nobody; // of those that share least with others
        for (unsigned i = 0; i < width_; ++i) {
            auto const id = waiting_[i].id;
            if (id == nobody) continue;
            if (best == nobody || sum[i] > most || (sum[i] == most && goes_before(id, best))) {
                most = sum[i];
                best = id;
            }
            auto const elsewhere = total_[i] - sum[i];
            if (apart == nobody || elsewhere < least || (elsewhere == least && goes_before(id, apart))) {
                least = elsewhere;
                apart = id;
            }
        }
        return most != 0 ? best : apart;
    }

    locality_dispatch_options options_;
    predicted_addresses const* addresses_ = nullptr;
    std::uint32_t line_ = 128;
    std::uint64_t ctas_ = 0;
    std::uint64_t given_ = 0; ///< dispatched so far
    std::uint64_t next_ = 0;  ///< the first CTA that is not in the window yet
    unsigned next_core_ = 0;
    unsigned slots_ = 1; ///< CTAs per core
    unsigned arrays_ = 0;
    bool partial_ = false;
    known_array array_[arrays]{};
    unsigned width_ = 0;               ///< of the window
    std::vector<block> waiting_;       ///< the window, in no order
    std::vector<std::uint64_t> total_; ///< by place in the window: lines shared with all that run
    std::vector<std::uint64_t> sum_;   ///< by core and place: with those that run there
    std::vector<core_state> core_;
    std::vector<block> resident_; ///< by core, `slots_` places each
};
static_assert(cta_choice<locality_aware_dispatch>);

} // namespace warpkit
