#pragma once
/// \file
/// Address slices bound to one launch: evaluated for any thread, warp or CTA, without running the kernel.

#include <warpkit/program/address_slices.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/program/thread_batch.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace warpkit {

/// An affine address under one launch, in bytes. A coefficient along an axis of extent 1 may be anything.
struct affine_address {
    std::int64_t constant = 0;
    std::array<std::int64_t, 3> thread{}; ///< per step of the thread index along x, y, z
    std::array<std::int64_t, 3> block{};  ///< per step of the block index
    std::vector<std::int64_t> iteration;  ///< per iteration of each loop around it, outermost first
    friend bool operator==(affine_address const&, affine_address const&) = default;
};

/// The slices of one launch. Refers to the address_slices, and is referred to by its view(): stays where it is.
class launch_addresses {
public:
    /// `arguments`: the kernel's parameter block, as the host laid it out; what lies beyond its end reads as 0.
    launch_addresses(address_slices const& slices, dim3 grid, dim3 block,
                     std::vector<std::byte> const& arguments)
        : slices_(&slices),
          grid_(grid),
          block_(block) {
        evaluate_uniform(arguments);
        auto const n = static_cast<std::uint32_t>(slices.slices().size());
        plans_.resize(n);
        for (std::uint32_t i = 0; i < n; ++i) plan(i);
        find_arrays();
        view_ = predicted_addresses(this, functions(), accesses_.data(), n, arrays_.data(),
                                    static_cast<std::uint32_t>(arrays_.size()));
    }
    launch_addresses(launch_addresses const&) = delete;
    launch_addresses& operator=(launch_addresses const&) = delete;

    /// What policies get to see.
    predicted_addresses const& view() const noexcept { return view_; }
    address_slices const& slices() const noexcept { return *slices_; }

    /// The numbers of an access whose pattern is uniform or affine; nothing for others, and where 32-bit arithmetic
    /// wraps for some thread of the grid.
    std::optional<affine_address> affine(std::uint32_t access) const { return plans_[access].affine; }

    /// The bytes that one thread touches; first byte to last over all iterations.
    address_range thread_range(std::uint32_t access, std::array<std::uint32_t, 3> block,
                               std::array<std::uint32_t, 3> thread) const {
        address_range r;
        auto now = begin();
        walk(
            access, position(block, thread), true, [&](address_range const& bytes) { r.include(bytes); },
            now);
        return r;
    }
    address_range warp_range(std::uint32_t access, std::uint64_t cta, unsigned warp) const {
        address_range r;
        each_thread(access, cta, warp * lanes, (warp + 1) * lanes, true,
                    [&](address_range const& bytes) { r.include(bytes); });
        return r;
    }
    address_range cta_range(std::uint32_t access, std::uint64_t cta) const {
        address_range r;
        auto const& p = plans_[access];
        auto const threads = static_cast<unsigned>(block_.count());
        if (!accesses_[access].predictable) return r;
        if (p.without_loops()) {
            thread_batch batch(p.batch, block_of(cta), {block_.x, block_.y, block_.z});
            auto const found = batch.run_corners();
            if (found == thread_batch::corners::none) return r;
            if (found == thread_batch::corners::all && p.corners_suffice) {
                tell(access, batch, thread_batch::corner_threads,
                     [&](address_range const& bytes) { r.include(bytes); });
                return r;
            }
        } else if (p.corners_suffice && threads > 8) {
            auto now = begin();
            bool all = true;
            for (auto const& t : corners(block_)) {
                all = all && walk(
                                 access, position(block_of(cta), t), true,
                                 [&](address_range const& bytes) { r.include(bytes); }, now);
                if (!all || now.narrowed) break;
            }
            if (all && !now.narrowed) return r;
            r = {};
        }
        each_thread(access, cta, 0, threads, true, [&](address_range const& bytes) { r.include(bytes); });
        return r;
    }

private:
    using triple = std::array<std::uint32_t, 3>;
    static constexpr std::uint64_t least_pitch = 128; ///< bytes: what is closer together shares lines
    static constexpr std::uint64_t most_turns = 4096; ///< that are evaluated one by one for a thread's range
    using loop_list = std::vector<std::uint32_t>;

    // How one slice is evaluated: nodes in an order in which operands come first, uniform ones left out.
    struct root {
        std::uint32_t node = 0;
        bool wanted = true;
        std::vector<std::uint32_t> order;
        std::vector<std::uint32_t> turning; ///< of these the ones that change from turn to turn of a loop
    };
    struct exit_plan {
        std::uint32_t loop = 0;
        std::vector<root> exits; ///< root::node is a comparison, root::wanted its value when it leaves
    };
    struct slice_plan {
        root address;
        std::vector<root> conditions; ///< that do not depend on the turns of the loops around it
        std::vector<root> inside;     ///< those that do
        std::vector<std::vector<root>>
            narrowing;                ///< by loop around it: those that hold in turns without a gap
        bool ignores_inside = false;  ///< for a range: too many turns would have to be looked at one by one
        std::vector<exit_plan> loops; ///< around the access, outermost first
        std::vector<exit_plan> finished; ///< behind the access
        std::vector<std::uint8_t>
            ends; ///< by loop around it: only its first and last iteration matter to a range
        std::optional<affine_address> affine;
        bool corners_suffice = false;
        std::vector<std::uint32_t> steady; ///< of all roots the nodes that do not change from turn to turn
        thread_batch::plan batch;          ///< without loops

        bool without_loops() const { return loops.empty() && finished.empty(); }
    };
    // Where evaluation is at.
    struct position {
        position(triple b, triple t) : block(b), thread(t) {}
        triple block;
        triple thread;
    };
    struct state {
        std::vector<std::uint64_t> value;
        std::vector<std::uint64_t> iteration;
        bool narrowed = false; ///< a condition has shut out turns of a loop
        bool loose = false;    ///< which turns a condition shuts out was too long to find out
    };

    // ---- preparation
    void evaluate_uniform(std::vector<std::byte> const& arguments) {
        auto const& nodes = slices_->nodes();
        fixed_.assign(nodes.size(), 0);
        turns_.assign(nodes.size(), 0);
        address_slices::visited been;
        slices_->begin(been);
        for (std::uint32_t n = 0; n < nodes.size(); ++n)
            slices_->visit(n, been, [&](std::uint32_t m) {
                auto const& x = nodes[m];
                turns_[m] = x.operation == slice_operation::induction ? 1 : 0;
                for (unsigned i = 0; i < x.operands(); ++i)
                    if (turns_[x.operand[i]] != 0) turns_[m] = 1;
                if (slices_->pattern(m) != address_pattern::uniform) return;
                switch (x.operation) {
                case slice_operation::constant:
                    fixed_[m] = x.value;
                    break;
                case slice_operation::parameter:
                    if (x.value + x.bytes <= arguments.size())
                        std::memcpy(&fixed_[m], arguments.data() + x.value, x.bytes);
                    break;
                case slice_operation::block_extent:
                    fixed_[m] = along(block_, x.axis);
                    break;
                case slice_operation::grid_extent:
                    fixed_[m] = along(grid_, x.axis);
                    break;
                default:
                    fixed_[m] = result(x, fixed_);
                }
            });
    }
    static std::uint32_t along(dim3 const& d, unsigned axis) noexcept {
        return axis == 0 ? d.x : axis == 1 ? d.y : d.z;
    }
    std::uint64_t result(slice_node const& x, std::vector<std::uint64_t> const& value) const {
        slice_value operand[3]{};
        for (unsigned i = 0; i < x.operands(); ++i)
            operand[i] = {value[x.operand[i]], slices_->nodes()[x.operand[i]].bytes};
        return evaluate(x, operand);
    }
    root prepare(std::uint32_t node, bool wanted, slice_plan& p) const {
        root r;
        r.node = node;
        r.wanted = wanted;
        slices_->visit(node, [&](std::uint32_t n) {
            if (slices_->pattern(n) == address_pattern::uniform) return;
            r.order.push_back(n);
            if (turns_[n] != 0)
                r.turning.push_back(n);
            else if (!contains(p.steady, n))
                p.steady.push_back(n);
        });
        return r;
    }
    exit_plan prepare_exits(std::uint32_t l, slice_plan& plan) const {
        exit_plan p;
        p.loop = l;
        for (auto const& c : slices_->loops()[l].exits) {
            auto const test = slices_->comparison(c.node);
            p.exits.push_back(prepare(test.node, test.holds == c.holds, plan));
        }
        return p;
    }
    static bool contains(loop_list const& list, std::uint32_t l) {
        return std::find(list.begin(), list.end(), l) != list.end();
    }
    // The loops on whose turns a node's value depends: its own, and of those that lie behind the access what ends them.
    loop_list loops_behind(address_slice const& s, std::uint32_t node) const {
        auto found = slices_->loops_in(node);
        for (std::size_t k = 0; k < found.size(); ++k) {
            if (!contains(s.finished, found[k])) continue;
            for (auto const& c : slices_->loops()[found[k]].exits)
                for (auto const l : slices_->loops_in(c.node))
                    if (!contains(found, l)) found.push_back(l);
        }
        return found;
    }
    // A condition that depends on turns. Where it is a comparison of what grows evenly with those of one loop, the
    // first and the last turn in which it holds can be reckoned; of the other loops that it depends on every turn must
    // be looked at.
    void plan_inside(slice_plan& p, address_slice const& s, slice_condition const& c,
                     loop_list const& behind) const {
        p.inside.push_back(prepare(c.node, c.holds, p));
        auto depth = s.loops.size();
        while (!contains(behind, s.loops[depth - 1].loop)) --depth;
        auto const l = s.loops[--depth].loop;
        auto const test = slices_->comparison(c.node);
        auto const& x = slices_->nodes()[test.node];
        bool even = is_comparison(x.operation);
        for (unsigned i = 0; i < 2 && even; ++i) even = slices_->linear(x.operand[i], l);
        for (auto const f : slices_->loops_in(c.node))
            if (even && contains(s.finished, f))
                for (auto const& e : slices_->loops()[f].exits)
                    even = even && !contains(loops_behind(s, e.node), l);
        if (even) p.narrowing[depth].push_back(prepare(test.node, test.holds == c.holds, p));
        for (std::size_t k = 0; k < s.loops.size(); ++k)
            if (contains(behind, s.loops[k].loop) && (k != depth || !even)) p.ends[k] = 0;
    }
    void plan(std::uint32_t i) {
        auto const& s = slices_->slices()[i];
        auto& p = plans_[i];
        predicted_access a;
        a.instruction = s.instruction;
        a.bytes = s.bytes;
        a.reads = s.reads;
        a.writes = s.writes;
        a.pattern = s.pattern;
        a.predictable = s.predictable;
        accesses_.push_back(a);
        if (!s.predictable) return;
        p.address = prepare(s.address, true, p);
        for (auto const& e : s.loops) p.loops.push_back(prepare_exits(e.loop, p));
        for (auto const l : s.finished) p.finished.push_back(prepare_exits(l, p));
        if (p.without_loops()) p.batch = {*slices_, fixed_, s.conditions, s.address};
        p.narrowing.resize(s.loops.size());
        bool const linear = s.pattern <= address_pattern::affine;
        auto const in_address = slices_->loops_in(s.address);
        bool after = false;
        for (auto const l : in_address) after = after || contains(s.finished, l);
        if (linear && !after) find_affine(i);
        if (!linear && !after && slices_->linear_within_cta(s.address)) accesses_[i].pitch = pitch_within(i);
        // First and last turn tell the range where a thread's address grows evenly from turn to turn, or not at all.
        // Inner loops whose number of turns depends on an outer one's turn need every turn of it.
        for (std::size_t j = 0; j < s.loops.size(); ++j) {
            bool const absent = !contains(in_address, s.loops[j].loop);
            bool ends = !after && (absent || p.affine || (!linear && grows_evenly(s, p, j)));
            for (std::size_t k = j + 1; k < s.loops.size(); ++k)
                for (auto const& c : slices_->loops()[s.loops[k].loop].exits)
                    ends = ends && !contains(loops_behind(s, c.node), s.loops[j].loop);
            p.ends.push_back(ends);
        }
        accesses_[i].predictable = every_turn(s, p) <= most_turns;
        auto const without = p.ends;
        for (auto const& c : s.conditions) {
            auto const behind = loops_behind(s, c.node);
            bool const turns = std::any_of(s.loops.begin(), s.loops.end(),
                                           [&](enclosing_loop const& e) { return contains(behind, e.loop); });
            if (turns)
                plan_inside(p, s, c, behind);
            else
                p.conditions.push_back(prepare(c.node, c.holds, p));
        }
        if (p.ends != without && every_turn(s, p) > most_turns) {
            p.ends = without;
            p.ignores_inside = true;
            p.narrowing.assign(s.loops.size(), {});
        }
        if (!p.affine) return;
        bool even = true;
        for (auto const& e : s.loops) even = even && slices_->even(e.loop);
        for (auto const* const list : {&p.conditions, &p.inside})
            for (auto const& c : *list) {
                auto const& x = slices_->nodes()[c.node];
                auto const test = slices_->nodes()[slices_->comparison(c.node).node];
                bool const convex =
                    c.order.empty() || ((test.operation == slice_operation::less ||
                                         test.operation == slice_operation::less_equal) &&
                                        slices_->pattern(test.operand[0]) <= address_pattern::affine &&
                                        slices_->pattern(test.operand[1]) <= address_pattern::affine);
                even = even && convex && x.bytes == 1;
            }
        p.corners_suffice = even;
    }

    // ---- affine numbers
    void find_affine(std::uint32_t i) {
        auto const& s = slices_->slices()[i];
        auto& p = plans_[i];
        auto const loops = s.loops.size();
        auto const terms = 7 + loops;
        std::vector<std::vector<std::int64_t>> form(slices_->nodes().size());
        auto const shrink = [](std::int64_t v, unsigned bytes) {
            return slice_value{static_cast<std::uint64_t>(v), bytes}.as_signed();
        };
        slices_->visit(s.address, [&](std::uint32_t n) {
            auto const& x = slices_->nodes()[n];
            auto& f = form[n];
            f.assign(terms, 0);
            if (slices_->pattern(n) == address_pattern::uniform) {
                f[0] = shrink(static_cast<std::int64_t>(fixed_[n]), x.bytes);
                return;
            }
            auto const with = [&](auto&& op) {
                for (std::size_t t = 0; t < terms; ++t)
                    f[t] = shrink(static_cast<std::int64_t>(op(t)), x.bytes);
            };
            auto const of = [&](unsigned k, std::size_t t) {
                return static_cast<std::uint64_t>(form[x.operand[k]][t]);
            };
            switch (x.operation) {
            case slice_operation::thread_index:
                f[1U + x.axis] = 1;
                break;
            case slice_operation::block_index:
                f[4U + x.axis] = 1;
                break;
            case slice_operation::add:
            case slice_operation::bit_or:
                with([&](std::size_t t) { return of(0, t) + of(1, t); });
                break;
            case slice_operation::subtract:
                with([&](std::size_t t) { return of(0, t) - of(1, t); });
                break;
            case slice_operation::negate:
                with([&](std::size_t t) { return 0 - of(0, t); });
                break;
            case slice_operation::bit_not:
                with([&](std::size_t t) { return 0 - of(0, t) - (t == 0 ? 1U : 0U); });
                break;
            case slice_operation::convert:
                with([&](std::size_t t) { return of(0, t); });
                break;
            case slice_operation::multiply: {
                unsigned const fixed = slices_->pattern(x.operand[1]) == address_pattern::uniform ? 1 : 0;
                with([&](std::size_t t) { return of(1 - fixed, t) * of(fixed, 0); });
                break;
            }
            case slice_operation::shift_left:
                with([&](std::size_t t) { return of(1, 0) >= 8U * x.bytes ? 0 : of(0, t) << of(1, 0); });
                break;
            case slice_operation::induction:
                with([&](std::size_t t) {
                    auto const own = t >= 7 && s.loops[t - 7].loop == x.value;
                    return of(0, t) + (own ? of(1, 0) : 0);
                });
                break;
            default:
                break;
            }
        });
        auto const& f = form[s.address];
        affine_address a;
        a.constant = f[0];
        for (unsigned d = 0; d < 3; ++d) {
            a.thread[d] = f[1 + d];
            a.block[d] = f[4 + d];
        }
        a.iteration.assign(f.begin() + 7, f.end());
        // Where arithmetic wraps, it does so for a corner of the grid.
        auto now = begin();
        now.iteration.assign(slices_->loops().size(), 0);
        for (auto const& b : corners(grid_))
            for (auto const& t : corners(block_)) {
                auto sum = static_cast<std::uint64_t>(a.constant);
                for (unsigned d = 0; d < 3; ++d)
                    sum += static_cast<std::uint64_t>(a.thread[d]) * t[d] +
                           static_cast<std::uint64_t>(a.block[d]) * b[d];
                run(p.address.order, position(b, t), now);
                if (now.value[s.address] != sum) return;
            }
        p.affine = a;
        accesses_[i].pitch = pitch_of(a, i);
    }
    // The largest step within a CTA, if it is larger than all that the smaller steps span; else the same of the grid.
    std::uint64_t pitch_of(affine_address const& a, std::uint32_t i) const {
        auto const& s = slices_->slices()[i];
        std::vector<std::pair<std::uint64_t, std::uint64_t>> inside; // step, number of steps
        std::vector<std::pair<std::uint64_t, std::uint64_t>> outside;
        auto const size = [](std::int64_t v) {
            auto const u = static_cast<std::uint64_t>(v);
            return v < 0 ? 0 - u : u;
        };
        for (unsigned d = 0; d < 3; ++d) {
            if (along(block_, d) > 1 && a.thread[d] != 0)
                inside.emplace_back(size(a.thread[d]), along(block_, d) - 1);
            if (along(grid_, d) > 1 && a.block[d] != 0)
                outside.emplace_back(size(a.block[d]), along(grid_, d) - 1);
        }
        for (std::size_t l = 0; l < s.loops.size(); ++l)
            if (a.iteration[l] != 0)
                if (auto const turns = turns_of(s, plans_[i], l, position({0, 0, 0}, {0, 0, 0})); turns > 1)
                    inside.emplace_back(size(a.iteration[l]), turns - 1);
        auto const gap = [&](auto steps, std::uint64_t span) -> std::uint64_t {
            std::sort(steps.begin(), steps.end());
            std::uint64_t found = 0;
            for (auto const& [step, count] : steps) {
                if (step > span && step >= least_pitch) found = step;
                span += step * count;
            }
            return steps.empty() || found != steps.back().first ? 0 : found;
        };
        if (auto const within = gap(inside, s.bytes)) return within;
        std::uint64_t span = s.bytes;
        for (auto const& [step, count] : inside) span += step * count;
        return gap(outside, span);
    }
    // The same of an address that jumps from CTA to CTA, from the steps of the first CTA.
    std::uint64_t pitch_within(std::uint32_t i) const {
        auto const& s = slices_->slices()[i];
        affine_address a;
        a.iteration.assign(s.loops.size(), 0);
        auto now = begin();
        now.iteration.assign(slices_->loops().size(), 0);
        auto const at = [&](triple const& thread) {
            run(plans_[i].address.order, position({0, 0, 0}, thread), now);
            return static_cast<std::int64_t>(now.value[s.address]);
        };
        auto const first = at({0, 0, 0});
        for (unsigned d = 0; d < 3; ++d) {
            triple next{};
            next[d] = 1;
            a.thread[d] = at(next) - first;
        }
        for (std::size_t l = 0; l < s.loops.size(); ++l) {
            now.iteration[s.loops[l].loop] = 1;
            a.iteration[l] = at({0, 0, 0}) - first;
            now.iteration[s.loops[l].loop] = 0;
        }
        return pitch_of(a, i);
    }
    // Whether a thread's address grows evenly with loop number l around an access. Where arithmetic wraps, it does so
    // for a corner of the grid.
    bool grows_evenly(address_slice const& s, slice_plan const& p, std::size_t l) const {
        auto const loop = s.loops[l].loop;
        if (!slices_->linear(s.address, loop)) return false;
        auto now = begin();
        for (auto const& b : corners(grid_))
            for (auto const& t : corners(block_)) {
                position const at(b, t);
                enter(p, at, now);
                auto const turns = last(p.loops[l], at, now).value_or(0);
                std::uint64_t value[3]{};
                for (unsigned k = 0; k < 3; ++k) {
                    now.iteration[loop] = k == 2 ? turns : k;
                    run(p.address.turning, at, now);
                    value[k] = now.value[p.address.node];
                }
                if (value[2] - value[0] != (value[1] - value[0]) * turns) return false;
            }
        return true;
    }
    // How often loop number l around an access runs for one thread, in the first turn of the loops around it.
    std::uint64_t turns_of(address_slice const& s, slice_plan const& p, std::size_t l,
                           position const& at) const {
        auto now = begin();
        enter(p, at, now);
        auto const n = last(p.loops[l], at, now);
        return n ? *n + (s.loops[l].behind_exit ? 0 : 1) : 0;
    }
    // How many turns a corner thread's range takes at most.
    std::uint64_t every_turn(address_slice const& s, slice_plan const& p) const {
        std::uint64_t most = 0;
        for (auto const& b : corners(grid_))
            for (auto const& t : corners(block_)) {
                std::uint64_t turns = 1;
                for (std::size_t l = 0; l < s.loops.size() && turns <= most_turns; ++l)
                    if (p.ends[l] == 0)
                        if (auto const n = turns_of(s, p, l, position(b, t)); n > 1)
                            turns = n > most_turns ? n : turns * n;
                most = turns > most ? turns : most;
            }
        return most;
    }
    // The view's arrays, each from its first byte to the last that the corner CTAs touch.
    void find_arrays() {
        std::vector<std::uint32_t> node;
        for (std::uint32_t i = 0; i < accesses_.size(); ++i) {
            auto const& s = slices_->slices()[i];
            if (!accesses_[i].predictable || s.array == predicted_access::no_array) continue;
            auto const known = std::find(node.begin(), node.end(), s.array);
            accesses_[i].array = static_cast<std::uint32_t>(known - node.begin());
            if (known == node.end()) {
                node.push_back(s.array);
                arrays_.push_back({fixed_[s.array], fixed_[s.array]});
            }
            auto& a = arrays_[accesses_[i].array];
            std::uint64_t before = ~std::uint64_t{0};
            for (auto const& b : corners(grid_)) {
                auto const cta = b[0] + std::uint64_t{grid_.x} * (b[1] + std::uint64_t{grid_.y} * b[2]);
                if (cta == before) continue;
                before = cta;
                if (auto const r = cta_range(i, cta); r.last > a.last) a.last = r.last;
            }
        }
    }

    // ---- evaluation
    state begin() const { return {fixed_, {}, false, false}; }
    void run(std::vector<std::uint32_t> const& order, position const& at, state& now) const {
        for (auto const n : order) {
            auto const& x = slices_->nodes()[n];
            auto& v = now.value[n];
            switch (x.operation) {
            case slice_operation::thread_index:
                v = at.thread[x.axis];
                break;
            case slice_operation::block_index:
                v = at.block[x.axis];
                break;
            case slice_operation::induction: {
                auto const sum = now.value[x.operand[0]] + now.value[x.operand[1]] * now.iteration[x.value];
                v = x.bytes < 8 ? sum & ((std::uint64_t{1} << 8 * x.bytes) - 1) : sum;
                break;
            }
            default:
                v = result(x, now.value);
            }
        }
    }
    // Of roots whose steady nodes have been evaluated, by enter().
    bool holds(root const& r, position const& at, state& now) const {
        run(r.turning, at, now);
        return (now.value[r.node] != 0) == r.wanted;
    }
    /// The iteration in which a loop is left: its variables' last. Nothing if its exits do not tell.
    std::optional<std::uint64_t> last(exit_plan const& p, position const& at, state& now) const {
        std::optional<std::uint64_t> soonest;
        for (auto const& e : p.exits) {
            std::int64_t d[3];
            for (std::uint64_t k = 0; k < 3; ++k) {
                auto const [a, b] = sides(e, p.loop, k, at, now);
                d[k] = minus(a, b);
            }
            auto const found = first_turn(slices_->nodes()[e.node].operation, e.wanted, d[0],
                                          minus(d[1], d[0]), minus(d[2], d[1]));
            if (found && (!soonest || *found < *soonest)) soonest = found;
        }
        return soonest;
    }
    /// The two sides of a comparison in turn k of a loop.
    std::pair<std::int64_t, std::int64_t> sides(root const& r, std::uint32_t loop, std::uint64_t k,
                                                position const& at, state& now) const {
        auto const was = std::exchange(now.iteration[loop], k);
        run(r.turning, at, now);
        now.iteration[loop] = was;
        auto const& x = slices_->nodes()[r.node];
        auto const side = [&](unsigned i) {
            slice_value const v{now.value[x.operand[i]], slices_->nodes()[x.operand[i]].bytes};
            return x.is_signed ? v.as_signed() : static_cast<std::int64_t>(v.bits);
        };
        return {side(0), side(1)};
    }
    /// Leaves of the turns `first` to `last` of a loop those from the first to the last in which a condition holds;
    /// false if there is none.
    bool narrow(root const& r, std::uint32_t loop, position const& at, state& now, std::uint64_t& first,
                std::uint64_t& last) const {
        auto const in_turn = [&](std::uint64_t k) { return sides(r, loop, k, at, now); };
        auto const holds_in = [&](std::uint64_t k) {
            in_turn(k);
            return (now.value[r.node] != 0) == r.wanted;
        };
        if (first == last) return holds_in(first);
        auto const from = in_turn(first);
        auto const next = in_turn(first + 1);
        auto const to = in_turn(last);
        auto const turns = static_cast<std::int64_t>(last - first);
        constexpr auto limit = std::int64_t{1} << 60;
        bool const is_signed = slices_->nodes()[r.node].is_signed;
        // Nothing has wrapped on the way if what a step adds arrives where it is in the last turn.
        auto const even = [&](std::int64_t a, std::int64_t b, std::int64_t z) {
            auto const least = is_signed ? -limit : 0;
            for (auto const v : {a, b, z})
                if (v < least || v > limit) return false;
            return turns < limit && (b - a <= limit / turns && a - b <= limit / turns) &&
                   z - a == (b - a) * turns;
        };
        if (even(from.first, next.first, to.first) && even(from.second, next.second, to.second)) {
            auto const step = (next.first - next.second) - (from.first - from.second);
            auto const what = slices_->nodes()[r.node].operation;
            auto const early = first_turn(what, r.wanted, from.first - from.second, step, step);
            if (!early || *early > last - first) return false;
            auto const late = first_turn(what, r.wanted, to.first - to.second, -step, -step);
            first += *early;
            last -= late.value_or(0);
            return true;
        }
        for (std::uint64_t tried = 0; tried < most_turns; ++tried) {
            if (!holds_in(first)) {
                if (first++ == last) return false;
            } else if (!holds_in(last)) {
                --last;
            } else {
                return true;
            }
        }
        now.loose = true;
        return true;
    }
    static constexpr std::int64_t minus(std::int64_t a, std::int64_t b) noexcept { // wraps
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    }
    /// The first k >= 0 in which the comparison of d0 + k * step with 0 is `wanted`.
    static std::optional<std::uint64_t> first_turn(slice_operation o, bool wanted, std::int64_t d0,
                                                   std::int64_t step, std::int64_t step_after) {
        using enum slice_operation;
        constexpr auto limit = std::int64_t{1} << 62; // beyond it, something has wrapped
        for (auto const v : {d0, step, step_after})
            if (v <= -limit || v >= limit) return {};
        if (!wanted && (o == less || o == less_equal)) { // not d < 0: -d <= 0
            o = o == less ? less_equal : less;
            d0 = -d0, step = -step, step_after = -step_after;
        } else if (!wanted) {
            o = o == equal ? not_equal : equal;
        }
        auto const at = [](std::int64_t k) { return static_cast<std::uint64_t>(k); };
        switch (o) {
        case equal:
            if (d0 == 0) return 0;
            if (step == step_after && step != 0 && -d0 % step == 0 && -d0 / step > 0) return at(-d0 / step);
            return {};
        case not_equal:
            if (d0 != 0) return 0;
            return step != 0 ? std::optional<std::uint64_t>(1) : std::nullopt;
        case less:
            if (d0 < 0) return 0;
            return step < 0 && (d0 + step < 0 || step == step_after) ? std::optional(at(d0 / -step + 1))
                                                                     : std::nullopt;
        default:
            if (d0 <= 0) return 0;
            return step < 0 && (d0 + step <= 0 || step == step_after)
                       ? std::optional(at((d0 - step - 1) / -step))
                       : std::nullopt;
        }
    }

    triple block_of(std::uint64_t cta) const noexcept {
        return {static_cast<std::uint32_t>(cta % grid_.x),
                static_cast<std::uint32_t>(cta / grid_.x % grid_.y),
                static_cast<std::uint32_t>(cta / grid_.x / grid_.y)};
    }
    static std::array<triple, 8> corners(dim3 const& d) noexcept {
        std::array<triple, 8> c{};
        for (unsigned k = 0; k < 8; ++k)
            c[k] = {(k & 1) != 0 ? d.x - 1 : 0, (k & 2) != 0 ? d.y - 1 : 0, (k & 4) != 0 ? d.z - 1 : 0};
        return c;
    }
    template <class F>
    void each_thread(std::uint32_t access, std::uint64_t cta, unsigned from, unsigned to, bool ends,
                     F&& f) const {
        if (!accesses_[access].predictable) return;
        auto const block = block_of(cta);
        to = std::min(to, static_cast<unsigned>(block_.count()));
        if (plans_[access].without_loops()) return each_of_batch(access, block, from, to, f);
        auto now = begin();
        for (auto t = from; t < to; ++t)
            walk(access, position(block, {t % block_.x, t / block_.x % block_.y, t / block_.x / block_.y}),
                 ends, f, now);
    }
    // The same without loops: many threads at once.
    template <class F>
    void each_of_batch(std::uint32_t access, triple const& block, unsigned from, unsigned to, F&& f) const {
        thread_batch batch(plans_[access].batch, block, {block_.x, block_.y, block_.z});
        for (auto t = from; t < to; t += thread_batch::width) {
            auto const all = ~thread_batch::mask{0};
            auto const left = to - t;
            auto there = batch.run(t, left < thread_batch::width ? (thread_batch::mask{1} << left) - 1 : all);
            tell(access, batch, there, f);
        }
    }
    // Calls f with what the threads `there` of a batch touch.
    template <class F>
    void tell(std::uint32_t access, thread_batch const& batch, thread_batch::mask there, F&& f) const {
        auto const& s = slices_->slices()[access];
        auto const& first = batch.addresses();
        for (; there != 0; there &= there - 1) {
            auto const l = static_cast<unsigned>(std::countr_zero(there));
            if ((first[l] & s.elsewhere) == 0) f(address_range{first[l], first[l] + s.bytes});
        }
    }
    void enter(slice_plan const& p, position const& at, state& now) const {
        now.iteration.assign(slices_->loops().size(), 0);
        run(p.steady, at, now);
        finish(p, at, now);
    }
    // A loop that a thread passes by without entering may never end by its test; nobody then asks for its variables.
    void finish(slice_plan const& p, position const& at, state& now) const {
        for (auto const& l : p.finished) now.iteration[l.loop] = last(l, at, now).value_or(0);
    }
    // Calls f with the bytes of each access of one thread; with `ends`, of enough of them to know first and last byte.
    // False if its position shuts the thread out.
    template <class F>
    bool walk(std::uint32_t access, position const& at, bool ends, F&& f, state& now) const {
        auto const& p = plans_[access];
        if (!accesses_[access].predictable) return false;
        enter(p, at, now);
        now.loose = ends && p.ignores_inside;
        for (auto const& c : p.conditions)
            if (!holds(c, at, now)) return false;
        turn(access, 0, at, ends, f, now);
        return true;
    }
    template <class F>
    void turn(std::uint32_t access, std::size_t depth, position const& at, bool ends, F&& f,
              state& now) const {
        auto const& p = plans_[access];
        auto const& s = slices_->slices()[access];
        if (depth != 0) finish(p, at, now);
        if (depth == p.loops.size()) {
            if (!now.loose)
                for (auto const& c : p.inside)
                    if (!holds(c, at, now)) {
                        now.narrowed = true;
                        return;
                    }
            run(p.address.turning, at, now);
            auto const first = now.value[p.address.node];
            if ((first & s.elsewhere) == 0) f(address_range{first, first + s.bytes});
            return;
        }
        auto const loop = p.loops[depth].loop;
        now.iteration[loop] = 0;
        // A loop that its known tests never end, or that has none, is left in another way: its first turn stands for
        // all where the address is the same in all of them.
        auto const final = last(p.loops[depth], at, now);
        auto const turns = final ? *final + (s.loops[depth].behind_exit ? 0 : 1) : 1;
        if (turns == 0) return;
        auto const was_loose = std::exchange(now.loose, now.loose || !final);
        std::uint64_t first_of = 0;
        std::uint64_t last_of = turns - 1;
        if (ends && final && !narrow_all(p.narrowing[depth], loop, at, now, first_of, last_of)) {
            now.narrowed = true;
            return;
        }
        now.narrowed = now.narrowed || first_of != 0 || last_of != turns - 1;
        auto const step = ends && p.ends[depth] != 0 && last_of > first_of + 1 ? last_of - first_of : 1;
        for (auto k = first_of; k <= last_of; k += step) {
            now.iteration[loop] = k;
            turn(access, depth + 1, at, ends, f, now);
        }
        now.iteration[loop] = 0;
        if (!final) now.loose = was_loose;
    }
    // One condition's end may be where another one does not hold.
    bool narrow_all(std::vector<root> const& conditions, std::uint32_t loop, position const& at, state& now,
                    std::uint64_t& first, std::uint64_t& last) const {
        for (bool changed = !conditions.empty(); changed;) {
            auto const before = std::pair(first, last);
            for (auto const& c : conditions)
                if (!narrow(c, loop, at, now, first, last)) return false;
            changed = conditions.size() > 1 && !now.loose && before != std::pair(first, last);
        }
        return true;
    }

    static predicted_addresses::functions functions() noexcept {
        predicted_addresses::functions f;
        f.warp_range = [](void const* self, std::uint32_t access, std::uint64_t cta, unsigned warp) {
            return static_cast<launch_addresses const*>(self)->warp_range(access, cta, warp);
        };
        f.cta_range = [](void const* self, std::uint32_t access, std::uint64_t cta) {
            return static_cast<launch_addresses const*>(self)->cta_range(access, cta);
        };
        f.each = [](void const* self, std::uint32_t access, std::uint64_t cta, unsigned warp, void* to,
                    void (*tell)(void*, address_range const&)) {
            static_cast<launch_addresses const*>(self)->each_thread(
                access, cta, warp * lanes, (warp + 1) * lanes, false,
                [&](address_range const& bytes) { tell(to, bytes); });
        };
        return f;
    }

    address_slices const* slices_;
    dim3 grid_;
    dim3 block_;
    std::vector<std::uint64_t> fixed_; ///< by node: the value of uniform ones
    std::vector<std::uint8_t> turns_;  ///< by node: whether it changes from turn to turn of a loop
    std::vector<slice_plan> plans_;
    std::vector<predicted_access> accesses_;
    std::vector<address_range> arrays_;
    predicted_addresses view_;
};

} // namespace warpkit
