#pragma once
/// \file
/// A source of random grids for choices of block: cores of changing room, CTAs that finish in any order, and addresses
/// that are known, known in part, or not known. Same options, same grid, everywhere.

#include <warpkit/base/listen.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/program/predicted_addresses.hpp>
#include <warpkit/testing/random_core.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace warpkit::testing {

/// Addresses that a launch will touch, made up: each access moves by fixed steps from CTA to CTA along x and y.
class made_up_addresses {
public:
    struct step {
        std::uint64_t first = 0; ///< byte that CTA 0 touches first
        std::uint64_t along_x = 0;
        std::uint64_t along_y = 0;
        std::uint64_t bytes = 4;
    };
    explicit made_up_addresses(std::uint64_t grid_x) : grid_x_(grid_x) {}
    made_up_addresses(made_up_addresses const&) = delete;
    made_up_addresses& operator=(made_up_addresses const&) = delete;

    /// An array from this address on; its number.
    std::uint32_t array(std::uint64_t first) {
        arrays_.push_back({first, first});
        return static_cast<std::uint32_t>(arrays_.size()) - 1;
    }
    /// An access to it; `pitch` is from row to row of the array in bytes, 0 for one row.
    void access(std::uint32_t array, step const& s, std::uint64_t pitch = 0, bool reads = true,
                bool predictable = true) {
        predicted_access a;
        a.array = array;
        a.bytes = 4;
        a.reads = reads;
        a.writes = !reads;
        a.pattern = predictable ? address_pattern::affine : address_pattern::unknown;
        a.predictable = predictable;
        a.pitch = pitch;
        accesses_.push_back(a);
        steps_.push_back(s);
    }
    predicted_addresses view() const {
        predicted_addresses::functions f;
        f.warp_range = [](void const* self, std::uint32_t a, std::uint64_t cta, unsigned) {
            return static_cast<made_up_addresses const*>(self)->range(a, cta);
        };
        f.cta_range = [](void const* self, std::uint32_t a, std::uint64_t cta) {
            return static_cast<made_up_addresses const*>(self)->range(a, cta);
        };
        return {this,
                f,
                accesses_.data(),
                static_cast<std::uint32_t>(accesses_.size()),
                arrays_.data(),
                static_cast<std::uint32_t>(arrays_.size())};
    }

private:
    address_range range(std::uint32_t a, std::uint64_t cta) const {
        auto const& s = steps_[a];
        auto const at = s.first + cta % grid_x_ * s.along_x + cta / grid_x_ * s.along_y;
        return {at, at + s.bytes};
    }
    std::uint64_t grid_x_;
    std::vector<address_range> arrays_;
    std::vector<predicted_access> accesses_;
    std::vector<step> steps_;
};

/// What the random grid is like.
struct random_grid_options {
    std::uint64_t seed = 1;
    unsigned cores = 15;
    unsigned ctas_per_core = 8;
    unsigned most_ctas = 600; ///< of a grid
};

/// The grid's machine. `step` is one core cycle.
class random_grid {
public:
    explicit random_grid(random_grid_options const& options) : options_(options), random_(options.seed) {}

    std::uint64_t events() const noexcept { return events_; }
    std::uint64_t dispatched() const noexcept { return given_; }
    std::uint64_t ctas() const noexcept { return began_.ctas(); }
    /// All CTAs have gone out and finished.
    bool done() const noexcept { return finished_ == ctas(); }
    std::vector<unsigned> const& rooms() const noexcept { return shown_; }
    bool is_out(std::uint64_t cta) const noexcept { return out_[cta] != 0; }
    /// Whether a core is empty, has room, and has not been given anything in this cycle.
    bool somebody_starves() const noexcept {
        for (unsigned c = 0; c < options_.cores; ++c)
            if (shown_[c] != 0 && resident_[c].empty()) return true;
        return false;
    }

    /// A new grid; whatever ran is forgotten.
    template <class Tell>
    void begin(Tell&& tell) {
        addresses_.reset();
        began_ = {};
        began_.grid_x = 1 + random_.below(40);
        began_.grid_y = 1 + random_.below(options_.most_ctas) / static_cast<unsigned>(began_.grid_x);
        began_.cores = options_.cores;
        began_.line = 128;
        began_.ctas_per_core = 1 + random_.below(options_.ctas_per_core);
        draw_addresses();
        out_.assign(static_cast<std::size_t>(ctas()), 0);
        resident_.assign(options_.cores, {});
        limit_.assign(options_.cores, began_.ctas_per_core);
        given_ = finished_ = 0;
        say(tell, began_);
    }
    /// One cycle. `ask(rooms)` answers with an assignment; `tell(e)` hears each event.
    template <class Tell, class Ask>
    void step(Tell&& tell, Ask&& ask) {
        ++now_;
        for (unsigned c = 0; c < options_.cores; ++c) {
            if (random_.chance(5)) limit_[c] = 1 + random_.below(began_.ctas_per_core);
            while (!resident_[c].empty() && random_.chance(busy_ ? 10 : 40)) retire(tell, c);
        }
        if (random_.below(50) == 0) busy_ = !busy_;
        shown_.assign(options_.cores, 0);
        for (unsigned c = 0; c < options_.cores; ++c) {
            auto const held = static_cast<unsigned>(resident_[c].size());
            if (held < limit_[c]) shown_[c] = limit_[c] - held;
        }
        while (given_ != ctas()) {
            auto const a = ask(core_rooms{shown_.data(), options_.cores});
            // What no host could carry out ends the cycle; the laws tell of it.
            if (!a || a.core >= options_.cores || a.count > shown_[a.core] || a.first >= ctas() ||
                a.count > ctas() - a.first)
                return;
            for (auto i = a.first; i < a.first + a.count; ++i)
                if (is_out(i)) return;
            for (auto i = a.first; i < a.first + a.count; ++i) {
                out_[static_cast<std::size_t>(i)] = 1;
                resident_[a.core].push_back(i);
                ++given_;
                say(tell, cta_dispatched{a.core, i, now_});
            }
            shown_[a.core] = 0;
        }
    }

private:
    template <class Tell, class E>
    void say(Tell& tell, E const& e) {
        ++events_;
        tell(e);
    }
    template <class Tell>
    void retire(Tell& tell, unsigned c) {
        auto const which = random_.below(static_cast<unsigned>(resident_[c].size()));
        auto const cta = resident_[c][which];
        resident_[c].erase(resident_[c].begin() + which);
        ++finished_;
        say(tell, cta_retired{c, cta, now_});
    }
    void draw_addresses() {
        if (random_.chance(10)) return; // nothing is known
        addresses_ = std::make_unique<made_up_addresses>(began_.grid_x);
        auto const arrays = 1 + random_.below(7);
        for (unsigned a = 0; a < arrays; ++a) addresses_->array(std::uint64_t{a} << 32);
        auto const pitch = std::uint64_t{128} << random_.below(6);
        for (auto n = random_.below(9); n != 0; --n) {
            made_up_addresses::step s;
            auto const array = random_.below(arrays);
            s.first = (std::uint64_t{array} << 32) + 4 * random_.below(100);
            s.along_x = random_.chance(30) ? 0 : 4 * random_.below(96);
            s.along_y = random_.chance(30)   ? 0
                        : random_.chance(60) ? pitch * random_.below(8)
                                             : 4 * random_.below(96);
            s.bytes = 4 + 4 * random_.below(random_.chance(50) ? 64 : 2000);
            bool const reads = random_.chance(70);
            addresses_->access(array, s, random_.chance(60) ? pitch : 0, reads, random_.chance(85));
        }
        view_ = addresses_->view();
        began_.addresses = &view_;
    }

    random_grid_options options_;
    random_numbers random_;
    std::unique_ptr<made_up_addresses> addresses_;
    predicted_addresses view_;
    grid_began began_;
    std::vector<char> out_; ///< by CTA: dispatched
    std::vector<std::vector<std::uint64_t>> resident_;
    std::vector<unsigned> limit_;
    std::vector<unsigned> shown_;
    std::uint64_t given_ = 0;
    std::uint64_t finished_ = 0;
    std::uint64_t events_ = 0;
    cycle now_ = 0;
    bool busy_ = true;
};

} // namespace warpkit::testing
