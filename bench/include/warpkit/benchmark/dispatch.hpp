#pragma once
/// \file
/// What a choice of block costs: 64 candidates, 15 cores of 8 resident blocks, all full; one finishes, the choice is
/// asked, its answer is carried out. Rectangles come from made-up addresses, which cost a few instructions each.

#include <warpkit/base/listen.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/benchmark/instructions.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/testing/random_grid.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit::bench {

inline constexpr unsigned cores = 15;
inline constexpr unsigned per_core = 8;

/// Answers the lowest core with room and the next CTA: what the harness costs.
struct first_core {
    cta_assignment choose(core_rooms rooms) const noexcept { return {rooms[0] != 0 ? 0U : 1U, next, 1}; }
    void on(grid_began const&) noexcept { next = 0; }
    void on(cta_dispatched const& e) noexcept { next = e.linear_id + 1; }
    friend bool operator==(first_core const&, first_core const&) = default;
    static constexpr char const* name() noexcept { return "(harness alone)"; }
    std::uint64_t next = 0;
};

/// Locality-aware dispatch as the thesis has it written down: each decision intersects all candidates with all that
/// run.
class from_scratch {
public:
    cta_assignment choose(core_rooms rooms) const {
        unsigned core = 0;
        while (core < rooms.size() && rooms[core] == 0) ++core;
        std::uint64_t most = 0;
        std::uint64_t least = ~std::uint64_t{0};
        std::size_t best = 0;
        std::size_t apart = 0;
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            std::uint64_t here = 0;
            std::uint64_t elsewhere = 0;
            for (unsigned c = 0; c < cores; ++c)
                for (auto const& r : running_[c]) (c == core ? here : elsewhere) += shared(waiting_[i], r);
            if (here > most) most = here, best = i;
            if (elsewhere < least) least = elsewhere, apart = i;
        }
        return {core, waiting_[most != 0 ? best : apart].id, 1};
    }
    void on(grid_began const& e) {
        addresses_ = e.addresses;
        next_ = 0;
        for (std::uint32_t i = 0; i < addresses_->accesses(); ++i)
            for (std::uint32_t j = 0; j < addresses_->accesses(); ++j)
                if (addresses_->access(i).array == addresses_->access(j).array) pairs_.emplace_back(i, j);
        waiting_.clear();
        for (unsigned i = 0; i < 64; ++i) waiting_.push_back(block_of(next_++));
    }
    void on(cta_dispatched const& e) {
        for (auto& w : waiting_)
            if (w.id == e.linear_id) {
                running_[e.core].push_back(w);
                w = block_of(next_++);
                return;
            }
    }
    void on(cta_retired const& e) {
        auto& its = running_[e.core];
        for (auto& r : its)
            if (r.id == e.linear_id) {
                r = its.back();
                its.pop_back();
                return;
            }
    }
    friend bool operator==(from_scratch const&, from_scratch const&) = default;

private:
    struct block {
        std::uint64_t id = 0;
        std::array<line_rectangle, 5> touches{};
        friend bool operator==(block const&, block const&) = default;
    };
    block block_of(std::uint64_t id) const {
        block b{id, {}};
        for (std::uint32_t a = 0; a < addresses_->accesses(); ++a)
            b.touches[a] = addresses_->cta_rectangle(a, id, 128);
        return b;
    }
    std::uint64_t shared(block const& a, block const& b) const {
        std::uint64_t sum = 0;
        for (auto const& [i, j] : pairs_) sum += overlap(a.touches[i], b.touches[j]);
        return sum;
    }
    predicted_addresses const* addresses_ = nullptr;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_; ///< accesses to one array
    std::uint64_t next_ = 0;
    std::vector<block> waiting_;
    std::array<std::vector<block>, cores> running_{};
};

/// What blocks touch: arrays, in which they share lines with their neighbours, or, if `apart`, none at all, so that the
/// second rule decides; or one array in three places.
struct shape {
    char const* name;
    unsigned arrays;
    unsigned places;
    bool apart;
};
inline constexpr shape shapes[] = {{"1 array", 1, 1, false},
                                   {"3 arrays", 3, 1, false},
                                   {"5 arrays", 5, 1, false},
                                   {"3 arrays, nothing shared", 3, 1, true},
                                   {"1 array in 3 places", 1, 3, false}};

/// A full machine on which blocks finish, each followed by another one.
template <class Choice>
class machine {
public:
    machine(Choice const& choice, shape const& touched) : choice_(choice), addresses_(1000) {
        for (unsigned a = 0; a < touched.arrays; ++a) {
            auto const first = std::uint64_t{a} << 40;
            auto const array = addresses_.array(first);
            // 16 rows of 18 floats, 14 columns from block to block, as hotspot's.
            for (unsigned p = 0; p < touched.places; ++p)
                addresses_.access(array,
                                  {first + (std::uint64_t{p} << 38), touched.apart ? 1024U : 56U, 14 * 4096,
                                   15 * 4096 + 72},
                                  4096);
        }
        view_ = addresses_.view();
        grid_began e;
        e.grid_x = 1000;
        e.grid_y = 1000000;
        e.cores = cores;
        e.ctas_per_core = per_core;
        e.addresses = &view_;
        e.line = 128;
        choice_.on(e);
        for (unsigned i = 0; i < per_core; ++i)
            for (unsigned c = 0; c < cores; ++c) send(c, std::uint64_t{i} * cores + c);
        for (unsigned i = 0; i < 400; ++i) once();
    }
    void once() {
        auto const core = (at_ >> 16) % cores;
        auto& its = running_[core];
        auto const gone = its[(at_ >> 24) % per_core];
        at_ = at_ * 1664525 + 1013904223;
        if constexpr (hears<Choice, cta_retired>) choice_.on(cta_retired{core, gone, 0});
        room_[core] = 1;
        auto a = choice_.choose({room_.data(), cores});
        benchmark::DoNotOptimize(a);
        room_[core] = 0;
        a.core = core;
        for (auto& r : its)
            if (r == gone) r = a.first;
        choice_.on(cta_dispatched{core, a.first, 0});
        benchmark::DoNotOptimize(choice_);
    }

private:
    void send(unsigned core, std::uint64_t cta) {
        choice_.on(cta_dispatched{core, cta, 0});
        running_[core].push_back(cta);
    }
    Choice choice_;
    testing::made_up_addresses addresses_;
    predicted_addresses view_;
    std::array<std::vector<std::uint64_t>, cores> running_;
    std::array<unsigned, cores> room_{};
    std::uint32_t at_ = 1;
};

/// Instructions of a block, the harness's among them.
template <class Choice>
double dispatch_instructions(shape const& touched) {
    constexpr unsigned counted = std::is_same_v<Choice, from_scratch> ? 1 : 20; // a million instructions each
    machine<Choice> m(Choice{}, touched);
    return static_cast<double>(steps_of([&](auto mark) {
               mark();
               for (unsigned i = 0; i < counted; ++i) m.once();
               mark();
           })) /
           counted;
}
template <class Choice>
void dispatch(benchmark::State& state, shape const* touched) {
    machine<Choice> m(Choice{}, *touched);
    for (auto _ : state) m.once();
    static std::map<shape const*, double> known;
    auto const [at, is_new] = known.try_emplace(touched, 0.0);
    if (is_new)
        at->second = dispatch_instructions<Choice>(*touched) - dispatch_instructions<first_core>(*touched);
    state.counters["instructions"] = at->second;
    state.SetItemsProcessed(state.iterations());
}

} // namespace warpkit::bench

namespace warpkit {

/// Registers what a choice of block costs with Google Benchmark: dispatch/NAME/SHAPE, for blocks that touch one to five
/// arrays. The counter `instructions` is of a block, less the harness's.
template <class Choice>
void benchmark_dispatch(std::string const& name = common_name<Choice>) {
    for (auto const& s : bench::shapes)
        benchmark::RegisterBenchmark(("dispatch/" + name + '/' + s.name).c_str(), bench::dispatch<Choice>,
                                     &s);
}

} // namespace warpkit
