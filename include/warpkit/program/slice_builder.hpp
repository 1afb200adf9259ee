#pragma once
/// \file
/// Makes address slices: follows the values that an address is computed from backwards through the control-flow graph,
/// on demand, so that only what addresses need is ever looked at.
///
/// Values are found as in Braun et al., "Simple and efficient construction of static single assignment form", CC 2013.
/// Where paths meet, a loop's head becomes an induction variable if each turn adds the same amount; the join behind a
/// branch becomes a selection by the branch's condition; anything else is unknown.

#include <warpkit/program/address_slices.hpp>
#include <warpkit/program/control_flow.hpp>
#include <warpkit/program/instruction.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace warpkit {

/// A predicate that guards an instruction.
struct slice_guard {
    std::uint32_t place = 0;
    bool negated = false;
};

/// Builds the slices of one kernel. `Code` is the front end's account of what instructions do.
///
/// Programs whose values run through very long chains, or join very often, are not followed to the end: there, values
/// are unknown. So the time that it takes is bounded (about a second at worst).
///
/// Contract: a place is whatever the front end tells registers and predicates apart by. For instruction `i`:
///   - `bool writes(i, place)`: it writes this place;
///   - `std::uint32_t value(builder, i, place)`: the node of what it writes there, made of builder.read(i, place) and
///     builder.node(...); builder.unknown(bytes) for what cannot be told;
///   - `std::uint32_t address(builder, i)`: the same of the address of a memory access;
///   - `bool accesses(i)`: it accesses global memory; `std::uint64_t elsewhere(i)`: address bits any of which tells
///     that it accesses other memory instead;
///   - `std::optional<slice_guard> guard(i)`; `unsigned bytes(place)`: width of the place, 1 for a predicate.
template <class Code>
class slice_builder {
public:
    slice_builder(static_program const& program, control_flow const& flow, Code const& code)
        : program_(program),
          flow_(flow),
          code_(code),
          uses_(program.instructions.size()) {
        find_dominators();
        find_loops();
    }

    /// Makes all slices. To be called once.
    address_slices build() {
        for (std::uint32_t i = 0; i < program_.instructions.size(); ++i)
            if (code_.accesses(i) && reachable(flow_.block_of(i))) slice(i);
        for (std::uint32_t l = 0; l < natural_.size(); ++l) find_exits(l);
        finish_joins();
        out_.find_patterns();
        for (auto const& t : tests_)
            for (auto const& stay : out_.conjuncts(t.stay))
                if (solvable(stay.node, t.loop))
                    out_.loops_[t.loop].exits.push_back({stay.node, !stay.holds});
        for (std::size_t s = 0; s < out_.slices_.size(); ++s) settle(s);
        return std::move(out_);
    }

    // For the front end ---------------------------------------------------------------------------------------------
    /// The value of a place just before instruction `i`.
    std::uint32_t read(std::uint32_t i, std::uint32_t place) {
        auto const block = flow_.block_of(i);
        for (auto j = i; j-- > flow_.blocks()[block].first;)
            if (code_.writes(j, place)) return written(j, place);
        return at_entry(block, place);
    }
    std::uint32_t unknown(unsigned bytes) { return node(slice_operation::unknown, bytes); }
    std::uint32_t constant(std::uint64_t value, unsigned bytes) {
        slice_node n;
        n.operation = slice_operation::constant;
        n.bytes = static_cast<std::uint8_t>(bytes);
        n.value = bytes < 8 ? value & ((std::uint64_t{1} << 8 * bytes) - 1) : value;
        return insert(n);
    }
    /// A leaf with an axis or a value.
    std::uint32_t leaf(slice_operation o, unsigned bytes, unsigned axis, std::uint64_t value = 0) {
        slice_node n;
        n.operation = o;
        n.bytes = static_cast<std::uint8_t>(bytes);
        n.axis = static_cast<std::uint8_t>(axis);
        n.value = value;
        return insert(n);
    }
    /// An operation; with constants alone it is done at once.
    std::uint32_t node(slice_operation o, unsigned bytes, bool is_signed = false,
                       std::uint32_t a = slice_node::none, std::uint32_t b = slice_node::none,
                       std::uint32_t c = slice_node::none) {
        slice_node n;
        n.operation = o;
        n.bytes = static_cast<std::uint8_t>(bytes);
        n.is_signed = is_signed;
        n.operand = {a, b, c};
        slice_value known[3]{};
        bool constants = n.operands() != 0;
        for (unsigned i = 0; i < n.operands(); ++i) {
            auto const& x = out_.nodes_[n.operand[i]];
            constants = constants && x.operation == slice_operation::constant;
            known[i] = {x.value, x.bytes};
        }
        if (constants) return constant(evaluate(n, known), bytes);
        using enum slice_operation;
        auto const is_zero = [&](std::uint32_t m) {
            return m != slice_node::none && out_.nodes_[m].operation == slice_operation::constant &&
                   out_.nodes_[m].value == 0;
        };
        bool const keeps =
            o == add || o == subtract || o == bit_or || o == bit_xor || o == shift_left || o == shift_right;
        if (keeps && is_zero(b)) return a;
        return insert(n);
    }
    /// `a` as a value of that width.
    std::uint32_t convert(std::uint32_t a, unsigned bytes, bool is_signed) {
        // What was widened and is narrowed again is as if it had never been.
        while (out_.nodes_[a].operation == slice_operation::convert && bytes <= out_.nodes_[a].bytes &&
               bytes <= out_.nodes_[out_.nodes_[a].operand[0]].bytes)
            a = out_.nodes_[a].operand[0];
        return out_.nodes_[a].bytes == bytes ? a : node(slice_operation::convert, bytes, is_signed, a);
    }
    slice_node const& operator[](std::uint32_t n) const { return out_.nodes_[n]; }

private:
    static constexpr auto none = control_flow::none;
    static constexpr unsigned deepest = 400; ///< of the recursion; longer chains of values become unknown
    static constexpr std::size_t most_conditions = 32; ///< of one access; the innermost
    static constexpr unsigned most_rounds = 8;
    static constexpr std::int64_t all_work = 30'000'000; ///< steps of finding out what joins are

    struct natural_loop {
        std::uint32_t header = 0; // block
        std::vector<std::uint8_t> body;
        std::uint32_t size = 0;
    };
    struct exit_test {
        std::uint32_t loop = 0;
        slice_condition stay; ///< what must hold for another turn
    };
    /// Which slice lies behind an exit test.
    struct passed_test {
        std::size_t slice = 0;
        exit_test test;
    };
    struct join {
        std::uint32_t node = 0;
        std::uint32_t block = 0;
        std::vector<std::uint32_t> from; ///< a node per predecessor
    };

    std::uint32_t insert(slice_node const& n) {
        if (n.operation != slice_operation::unknown) {
            auto const key = std::make_tuple(n.operation, n.bytes, n.is_signed, n.axis, n.operand, n.value);
            auto const [at, fresh] = known_.emplace(key, static_cast<std::uint32_t>(out_.nodes_.size()));
            if (!fresh) return at->second;
        }
        out_.nodes_.push_back(n);
        return static_cast<std::uint32_t>(out_.nodes_.size() - 1);
    }

    // Values --------------------------------------------------------------------------------------------------------
    std::uint32_t written(std::uint32_t i, std::uint32_t place) {
        note(i);
        auto const found = written_.find({i, place});
        if (found != written_.end()) return found->second;
        auto const width = code_.bytes(place);
        if (depth_ >= deepest) return unknown(width);
        auto const reader = reader_;
        reader_ = i;
        ++depth_;
        auto n = code_.value(*this, i, place);
        if (auto const g = code_.guard(i)) {
            auto const p = read(i, g->place);
            auto const old = read(i, place);
            n = g->negated ? node(slice_operation::select, width, false, p, old, n)
                           : node(slice_operation::select, width, false, p, n, old);
        }
        --depth_;
        reader_ = reader;
        written_[{i, place}] = n;
        return n;
    }
    std::uint32_t at_exit(std::uint32_t block, std::uint32_t place) {
        for (auto j = flow_.blocks()[block].last; j-- > flow_.blocks()[block].first;)
            if (code_.writes(j, place)) return written(j, place);
        return at_entry(block, place);
    }
    std::uint32_t at_entry(std::uint32_t block, std::uint32_t place) {
        auto const found = entry_.find({block, place});
        if (found != entry_.end()) {
            note(found->second.maker);
            return resolve(found->second.node);
        }
        auto const& from = flow_.blocks()[block].predecessors;
        auto const width = code_.bytes(place);
        bool const first = block == 0;
        if ((from.empty() && !first) || (first && from.empty()) || depth_ >= deepest) return unknown(width);
        ++depth_;
        std::uint32_t n = 0;
        if (from.size() == 1 && !first) {
            n = at_exit(from[0], place);
            --depth_;
            return n;
        }
        // A join. It is made before what comes in is known, because that may lead back to it.
        slice_node placeholder;
        placeholder.bytes = static_cast<std::uint8_t>(width);
        n = insert(placeholder);
        auto const maker = static_cast<std::uint32_t>(uses_.size());
        uses_.emplace_back();
        note(maker);
        entry_[{block, place}] = {n, maker};
        auto const reader = reader_;
        reader_ = maker;
        join j{n, block, {}};
        for (auto const p : from)
            j.from.push_back(reachable(p) ? at_exit(p, place) : n); // unreachable code adds nothing
        if (first) j.from.push_back(unknown(width));
        reader_ = reader;
        --depth_;
        for (auto& v : j.from) v = resolve(v);
        if (auto const only = only_source(j); only != slice_node::none) {
            alias_[n] = only;
            unresolved_ = true;
            entry_[{block, place}].node = only;
            return only;
        }
        joins_.push_back(std::move(j));
        return n;
    }
    // That the value which is being made takes what this instruction, or join, made.
    void note(std::uint32_t maker) {
        if (reader_ != slice_node::none) uses_[reader_].push_back(maker);
    }

    // Joins ---------------------------------------------------------------------------------------------------------
    // Whether there is time for so many steps.
    bool may_spend(std::size_t steps) {
        work_ -= static_cast<std::int64_t>(steps);
        return work_ > 0;
    }
    // Whether any node of a value is so; yes, too, if there is no time to look.
    template <class Test>
    bool any_node(std::uint32_t n, Test&& test) {
        if (work_ <= 0) return true;
        bool found = false;
        std::size_t steps = 0;
        out_.begin(been_);
        out_.visit(n, been_, [&](std::uint32_t m) {
            ++steps;
            found = found || test(m);
        });
        return !may_spend(steps) || found;
    }
    // A loop's head becomes an induction variable, the join behind a branch a selection, where possible.
    void simplify(join const& j) {
        slice_node made;
        made.bytes = out_.nodes_[j.node].bytes;
        auto const l = loop_with_header(j.block);
        if (l != slice_loop::none) {
            auto initial = slice_node::none;
            auto next = slice_node::none;
            bool plain = j.block != 0;
            auto const& from = flow_.blocks()[j.block].predecessors;
            for (std::size_t k = 0; k < from.size() && plain; ++k) {
                auto& one = natural_[l].body[from[k]] != 0 ? next : initial;
                if (one == slice_node::none) one = j.from[k];
                plain = one == j.from[k];
            }
            plain = plain && initial != slice_node::none && next != slice_node::none;
            auto const step = plain ? step_of(next, j.node, l) : slice_node::none;
            if (step == slice_node::none) return;
            made.operation = slice_operation::induction;
            made.operand = {initial, step, slice_node::none};
            made.value = l;
        } else if (auto const chosen = choice(j)) {
            made.operation = slice_operation::select;
            made.operand = *chosen;
        }
        if (made.operation != slice_operation::unknown && !reaches(made, j.node)) out_.nodes_[j.node] = made;
    }
    bool reaches(slice_node const& from, std::uint32_t to) {
        bool found = false;
        for (unsigned i = 0; i < from.operands(); ++i)
            found = found || any_node(from.operand[i], [to](std::uint32_t n) { return n == to; });
        return found;
    }
    // What `next` adds to `variable`; none if that is not the same in each turn of loop l.
    std::uint32_t step_of(std::uint32_t next, std::uint32_t variable, std::uint32_t l) {
        auto const bytes = out_.nodes_[variable].bytes;
        std::uint32_t step = slice_node::none;
        bool found = false;
        bool fails = false;
        auto const walk = [&](std::uint32_t n, bool negative, auto const& self) -> void {
            auto const x = out_.nodes_[n];
            fails = fails || !may_spend(1);
            if (fails) return;
            if (n == variable) {
                fails = fails || found || negative;
                found = true;
            } else if (x.operation == slice_operation::add && x.bytes == bytes) {
                self(x.operand[0], negative, self);
                self(x.operand[1], negative, self);
            } else if (x.operation == slice_operation::subtract && x.bytes == bytes) {
                self(x.operand[0], negative, self);
                self(x.operand[1], !negative, self);
            } else if (varies(n, l)) {
                fails = true;
            } else {
                if (negative) n = node(slice_operation::negate, bytes, false, n);
                step = step == slice_node::none ? n : node(slice_operation::add, bytes, false, step, n);
            }
        };
        walk(next, false, walk);
        if (fails || !found) return slice_node::none;
        return step == slice_node::none ? constant(0, bytes) : step;
    }
    // Whether a value may differ from turn to turn of loop l.
    bool varies(std::uint32_t n, std::uint32_t l) {
        return any_node(n, [&](std::uint32_t m) {
            auto const& x = out_.nodes_[m];
            return x.operation == slice_operation::unknown ||
                   (x.operation == slice_operation::induction &&
                    natural_[l].body[natural_[x.value].header] != 0);
        });
    }
    // A join of two paths that one branch parted: its condition, the value if it holds, the value if not.
    std::optional<std::array<std::uint32_t, 3>> choice(join const& j) {
        auto const& from = flow_.blocks()[j.block].predecessors;
        if (from.size() != 2 || j.block == 0) return {};
        auto const d = dominator_[j.block];
        auto const branch = flow_.blocks()[d].last - 1;
        auto const sides = sides_of(d);
        auto const l = innermost(d);
        if (!sides || (l != slice_loop::none && natural_[l].body[j.block] == 0)) return {};
        auto const side = [&](std::uint32_t p) { // 1: taken, 0: falls through, -1: neither for certain
            bool const taken = (p == d && sides->first == j.block) ||
                               (sides->first != j.block && p != d && edge_dominates(d, sides->first, p));
            bool const falls = (p == d && sides->second == j.block) ||
                               (sides->second != j.block && p != d && edge_dominates(d, sides->second, p));
            return taken == falls ? -1 : taken ? 1 : 0;
        };
        auto const a = side(from[0]);
        auto const b = side(from[1]);
        if (a < 0 || b < 0 || a == b) return {};
        auto const g = code_.guard(branch);
        auto const p = read(branch, g->place);
        bool const first_holds = (a == 1) != g->negated;
        return std::array<std::uint32_t, 3>{p, first_holds ? j.from[0] : j.from[1],
                                            first_holds ? j.from[1] : j.from[0]};
    }
    // Joins that are no choice are replaced by what they stand for; only then can the others be told. Telling one may
    // ask for further values, and so make further joins, and may be possible only when another has been told.
    void finish_joins() {
        for (unsigned round = 0; round < most_rounds; ++round) {
            while (replace_trivial()) {}
            bool changed = false;
            for (std::size_t k = 0; k < joins_.size() && work_ > 0; ++k) {
                auto const j = joins_[k];
                auto const is_unknown = [&] {
                    return resolve(j.node) == j.node &&
                           out_.nodes_[j.node].operation == slice_operation::unknown;
                };
                if (!is_unknown()) continue;
                auto const before = joins_.size();
                simplify(j);
                changed = changed || !is_unknown() || joins_.size() != before;
            }
            if (!changed || work_ <= 0) break;
        }
        while (replace_trivial()) {}
    }
    // Whether anything was replaced.
    bool replace_trivial() {
        bool changed = false;
        auto const replace = [&](std::uint32_t n, std::uint32_t by) {
            if (any_node(by, [n](std::uint32_t m) { return m == n; }))
                return; // a value that goes round for ever
            alias_[n] = by;
            changed = true;
        };
        for (auto& j : joins_) {
            if (resolve(j.node) != j.node || !may_spend(j.from.size())) continue;
            for (auto& v : j.from) v = resolve(v);
            auto const& x = out_.nodes_[j.node];
            if (auto const only = only_source(j); only != slice_node::none)
                replace(j.node, only);
            else if (x.operation == slice_operation::select && resolve(x.operand[1]) == resolve(x.operand[2]))
                replace(j.node, resolve(x.operand[1]));
        }
        if (changed || unresolved_) resolve_all();
        return changed;
    }
    std::uint32_t resolve(std::uint32_t n) const {
        for (auto at = alias_.find(n); at != alias_.end(); at = alias_.find(n)) n = at->second;
        return n;
    }
    void resolve_all() {
        unresolved_ = false;
        may_spend(out_.nodes_.size());
        for (auto& n : out_.nodes_)
            for (auto& o : n.operand)
                if (o != slice_node::none) o = resolve(o);
        for (auto& s : out_.slices_) {
            s.address = resolve(s.address);
            for (auto& c : s.conditions) c.node = resolve(c.node);
        }
        for (auto& t : tests_) t.stay.node = resolve(t.stay.node);
        for (auto& p : passed_) p.test.stay.node = resolve(p.test.stay.node);
    }
    // The one value beside itself that comes into a join; none if there are several, or only itself.
    static std::uint32_t only_source(join const& j) {
        auto only = slice_node::none;
        for (auto const v : j.from) {
            if (v == j.node || v == only) continue;
            if (only != slice_node::none) return slice_node::none;
            only = v;
        }
        return only;
    }

    // Slices --------------------------------------------------------------------------------------------------------
    void slice(std::uint32_t i) {
        auto const& s = program_.instructions[i];
        address_slice made;
        made.instruction = i;
        made.bytes = s.access_bytes;
        made.elsewhere = code_.elsewhere(i);
        made.reads = s.kind != op_class::store;
        made.writes = s.kind != op_class::load;
        reader_ = i;
        made.address = code_.address(*this, i);
        reader_ = slice_node::none;
        // The instructions behind it.
        std::vector<std::uint32_t> todo = uses_[i];
        std::vector<std::uint8_t> seen(uses_.size(), 0);
        while (!todo.empty()) {
            auto const j = todo.back();
            todo.pop_back();
            if (seen[j] != 0) continue;
            seen[j] = 1;
            if (j < program_.instructions.size()) made.code.push_back(j);
            todo.insert(todo.end(), uses_[j].begin(), uses_[j].end());
        }
        std::sort(made.code.begin(), made.code.end());
        // Conditions: branches that must have gone one way, because the other does not lead here without them.
        if (auto const g = code_.guard(i)) made.conditions.push_back({read(i, g->place), !g->negated});
        auto const here = flow_.block_of(i);
        for (auto b = here; b != 0 && dominator_[b] != none; b = dominator_[b]) {
            auto const d = dominator_[b];
            auto const sides = sides_of(d);
            if (!sides) continue;
            bool const taken = edge_dominates(d, sides->first, here);
            bool const falls = edge_dominates(d, sides->second, here);
            if (taken == falls) continue;
            auto const branch = flow_.blocks()[d].last - 1;
            auto const l = innermost(d);
            if (l != slice_loop::none) {
                if (natural_[l].body[here] == 0) continue; // how an earlier loop ended
                auto const other = taken ? sides->second : sides->first;
                if (natural_[l].body[other] == 0) { // an exit test: says how often, not whether
                    auto const g = code_.guard(branch);
                    passed_.push_back(
                        {out_.slices_.size(), {l, {read(branch, g->place), taken != g->negated}}});
                    continue;
                }
            }
            if (made.conditions.size() == most_conditions) continue;
            auto const g = code_.guard(branch);
            made.conditions.push_back({read(branch, g->place), taken != g->negated});
        }
        for (auto l = innermost(here); l != slice_loop::none; l = out_.loops_[l].outer)
            made.loops.push_back({l, false});
        std::reverse(made.loops.begin(), made.loops.end());
        out_.slices_.push_back(std::move(made));
    }
    // What may leave a loop and is tested in each of its turns.
    void find_exits(std::uint32_t l) {
        auto const& loop = natural_[l];
        for (std::uint32_t b = 0; b < loop.body.size(); ++b) {
            if (loop.body[b] == 0 || innermost(b) != l) continue;
            auto const sides = sides_of(b);
            if (!sides) continue;
            bool const taken_leaves = loop.body[sides->first] == 0;
            bool const falls_leaves = loop.body[sides->second] == 0;
            if (taken_leaves == falls_leaves) continue;
            bool always = true;
            for (auto const p : flow_.blocks()[loop.header].predecessors)
                if (loop.body[p] != 0) always = always && dominates(b, p);
            if (!always) continue;
            auto const branch = flow_.blocks()[b].last - 1;
            auto const g = code_.guard(branch);
            tests_.push_back({l, {read(branch, g->place), falls_leaves != g->negated}});
        }
    }
    // A comparison whose two sides grow evenly from turn to turn.
    bool solvable(std::uint32_t n, std::uint32_t l) {
        auto const& x = out_.nodes_[out_.comparison(n).node];
        return is_comparison(x.operation) && out_.patterns_[n] != address_pattern::unknown &&
               may_spend(out_.nodes_.size()) && out_.linear(x.operand[0], l) && out_.linear(x.operand[1], l);
    }
    void settle(std::size_t number) {
        auto& s = out_.slices_[number];
        auto const here = flow_.block_of(s.instruction);
        auto const encloses = [&](std::uint32_t l) { return natural_[l].body[here] != 0; };
        s.pattern = out_.patterns_[s.address];
        s.array = array_of(s.address);
        // All that must hold, one by one. Where a loop's only known exit is before the access, its turns are one fewer;
        // of several exits, those before it are conditions like others.
        std::vector<slice_condition> wanted;
        for (auto const& c : s.conditions)
            for (auto const& one : out_.conjuncts(c)) wanted.push_back(one);
        for (auto const& p : passed_) {
            if (p.slice != number) continue;
            auto const& exits = out_.loops_[p.test.loop].exits;
            for (auto const& stay : out_.conjuncts(p.test.stay))
                if (exits.size() == 1 && exits[0] == slice_condition{stay.node, !stay.holds}) {
                    for (auto& e : s.loops) e.behind_exit = e.behind_exit || e.loop == p.test.loop;
                } else {
                    wanted.push_back(stay);
                }
        }
        // The loops that lie behind the access, and whether their last iteration can be told.
        auto const use = [&](std::uint32_t node) {
            bool good = true;
            std::vector<std::uint32_t> todo = out_.loops_in(node);
            while (!todo.empty()) {
                auto const l = todo.back();
                todo.pop_back();
                if (encloses(l) || std::find(s.finished.begin(), s.finished.end(), l) != s.finished.end())
                    continue;
                s.finished.push_back(l);
                auto const& loop = out_.loops_[l];
                good = good && loop.bounded() && (loop.outer == slice_loop::none || encloses(loop.outer));
                for (auto const& c : loop.exits)
                    for (auto const further : out_.loops_in(c.node)) todo.push_back(further);
            }
            return good;
        };
        s.predictable = s.pattern != address_pattern::unknown && use(s.address);
        auto needed = out_.loops_in(s.address);
        for (auto k = s.loops.size(); k-- > 0;) { // innermost first: its turns may depend on an outer one's
            auto const l = s.loops[k].loop;
            bool const matters = std::find(needed.begin(), needed.end(), l) != needed.end();
            if (matters) s.predictable = s.predictable && out_.loops_[l].bounded();
            for (auto const& c : out_.loops_[l].exits) {
                s.predictable = use(c.node) && s.predictable;
                for (auto const further : out_.loops_in(c.node))
                    if (matters) needed.push_back(further);
            }
        }
        s.conditions.clear();
        for (auto const& c : wanted) {
            bool const known = out_.patterns_[c.node] != address_pattern::unknown;
            if (!known || std::find(s.conditions.begin(), s.conditions.end(), c) != s.conditions.end())
                continue;
            auto const before = s.finished;
            if (s.conditions.size() < 2 * most_conditions && use(c.node))
                s.conditions.push_back(c);
            else
                s.finished = before;
        }
        std::sort(s.finished.begin(), s.finished.end(), [&](std::uint32_t a, std::uint32_t b) {
            return out_.loops_[a].header < out_.loops_[b].header;
        });
        // Behind its loop a variable has its last value: an even one only if all threads leave in the same turn.
        for (auto const l : out_.loops_in(s.address))
            if (!encloses(l) && !out_.even(l) && s.pattern == address_pattern::affine)
                s.pattern = address_pattern::computed;
    }
    // The first pointer parameter that is added to something, or begins it.
    std::uint32_t array_of(std::uint32_t n) {
        auto const none_found = predicted_access::no_array;
        while (may_spend(1)) {
            auto const& x = out_.nodes_[n];
            switch (x.operation) {
            case slice_operation::parameter:
                return x.bytes == 8 ? n : none_found;
            case slice_operation::induction:
            case slice_operation::subtract:
                n = x.operand[0];
                break;
            case slice_operation::add:
                if (auto const a = array_of(x.operand[0]); a != none_found) return a;
                n = x.operand[1];
                break;
            case slice_operation::select: { // of one array, or of one and what is no array
                auto const a = array_of(x.operand[1]);
                auto const b = array_of(x.operand[2]);
                return a == none_found || b == none_found || a == b ? std::min(a, b) : none_found;
            }
            default:
                return none_found;
            }
        }
        return none_found;
    }

    // The graph -----------------------------------------------------------------------------------------------------
    // Where a conditional branch at the end of block b leads: taken, not taken.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> sides_of(std::uint32_t b) const {
        auto const& block = flow_.blocks()[b];
        auto const& last = program_.instructions[block.last - 1];
        auto const n = program_.instructions.size();
        if (last.kind != op_class::branch || !code_.guard(block.last - 1) || last.target >= n ||
            block.last >= n)
            return {};
        auto const taken = flow_.block_of(last.target);
        auto const falls = flow_.block_of(block.last);
        if (taken == falls) return {};
        return std::pair{taken, falls};
    }
    bool reachable(std::uint32_t b) const { return b == 0 || dominator_[b] != none; }
    bool dominates(std::uint32_t a, std::uint32_t b) const {
        return a == b || (enter_[a] <= enter_[b] && leave_[b] <= leave_[a] && reachable(b) && reachable(a));
    }
    // Every path to b goes over the edge from d to its successor s.
    bool edge_dominates(std::uint32_t d, std::uint32_t s, std::uint32_t b) const {
        if (!dominates(s, b)) return false;
        for (auto const p : flow_.blocks()[s].predecessors)
            if (p != d && reachable(p) && !dominates(s, p)) return false;
        return true;
    }
    // Cooper, Harvey and Kennedy, as for post-dominators in control_flow.
    void find_dominators() {
        auto const& blocks = flow_.blocks();
        auto const n = static_cast<std::uint32_t>(blocks.size());
        dominator_.assign(n, none);
        if (n == 0) return;
        std::vector<std::uint32_t> number(n, none);
        std::vector<std::uint32_t> order;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{0, 0}};
        std::vector<std::uint8_t> seen(n, 0);
        seen[0] = 1;
        while (!stack.empty()) {
            auto& [b, next] = stack.back();
            if (next < blocks[b].successors.size()) {
                auto const s = blocks[b].successors[next++];
                if (seen[s] == 0) {
                    seen[s] = 1;
                    stack.emplace_back(s, 0U);
                }
            } else {
                number[b] = static_cast<std::uint32_t>(order.size());
                order.push_back(b);
                stack.pop_back();
            }
        }
        dominator_[0] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (auto i = order.size(); i-- > 0;) {
                auto const b = order[i];
                if (b == 0) continue;
                auto found = none;
                for (auto const p : blocks[b].predecessors) {
                    if (number[p] == none || dominator_[p] == none) continue;
                    if (found == none) {
                        found = p;
                        continue;
                    }
                    auto a = p;
                    while (a != found) {
                        while (number[a] < number[found]) a = dominator_[a];
                        while (number[found] < number[a]) found = dominator_[found];
                    }
                }
                if (found != dominator_[b]) {
                    dominator_[b] = found;
                    changed = true;
                }
            }
        }
        // When a walk over the dominator tree enters and leaves each block: who dominates whom at a glance.
        std::vector<std::vector<std::uint32_t>> children(n);
        for (std::uint32_t b = 1; b < n; ++b)
            if (dominator_[b] != none) children[dominator_[b]].push_back(b);
        enter_.assign(n, 0);
        leave_.assign(n, 0);
        std::uint32_t clock = 0;
        stack.assign(1, {0, 0});
        enter_[0] = ++clock;
        while (!stack.empty()) {
            auto& [b, next] = stack.back();
            if (next < children[b].size()) {
                auto const c = children[b][next++];
                enter_[c] = ++clock;
                stack.emplace_back(c, 0U);
            } else {
                leave_[b] = ++clock;
                stack.pop_back();
            }
        }
    }
    void find_loops() {
        auto const& blocks = flow_.blocks();
        for (std::uint32_t h = 0; h < blocks.size(); ++h) {
            natural_loop l;
            l.header = h;
            std::vector<std::uint32_t> todo;
            for (auto const p : blocks[h].predecessors)
                if (reachable(p) && dominates(h, p)) todo.push_back(p);
            if (todo.empty()) continue;
            l.body.assign(blocks.size(), 0);
            l.body[h] = 1;
            while (!todo.empty()) {
                auto const b = todo.back();
                todo.pop_back();
                if (l.body[b] != 0) continue;
                l.body[b] = 1;
                for (auto const p : blocks[b].predecessors)
                    if (reachable(p)) todo.push_back(p);
            }
            for (auto const in : l.body) l.size += in;
            natural_.push_back(std::move(l));
        }
        out_.loops_.resize(natural_.size());
        for (std::uint32_t l = 0; l < natural_.size(); ++l) {
            out_.loops_[l].header = blocks[natural_[l].header].first;
            for (std::uint32_t o = 0; o < natural_.size(); ++o) {
                if (o == l || natural_[o].body[natural_[l].header] == 0) continue;
                auto& outer = out_.loops_[l].outer;
                if (outer == slice_loop::none || natural_[o].size < natural_[outer].size) outer = o;
            }
        }
    }
    std::uint32_t loop_with_header(std::uint32_t b) const {
        for (std::uint32_t l = 0; l < natural_.size(); ++l)
            if (natural_[l].header == b) return l;
        return slice_loop::none;
    }
    std::uint32_t innermost(std::uint32_t b) const {
        auto best = slice_loop::none;
        for (std::uint32_t l = 0; l < natural_.size(); ++l)
            if (natural_[l].body[b] != 0 &&
                (best == slice_loop::none || natural_[l].size < natural_[best].size))
                best = l;
        return best;
    }

    using place_key = std::pair<std::uint32_t, std::uint32_t>;
    using node_key = std::tuple<slice_operation, std::uint8_t, bool, std::uint8_t,
                                std::array<std::uint32_t, 3>, std::uint64_t>;

    static_program const& program_;
    control_flow const& flow_;
    Code const& code_;
    address_slices out_;
    std::map<node_key, std::uint32_t> known_;
    std::map<place_key, std::uint32_t> written_; ///< by instruction
    struct entry {
        std::uint32_t node = 0;
        std::uint32_t maker = 0;
    };
    std::map<place_key, entry> entry_; ///< by block
    std::vector<std::vector<std::uint32_t>>
        uses_; ///< by maker, instructions first, then joins: who made what it takes
    std::uint32_t reader_ = slice_node::none; ///< the maker of the value that is being made
    unsigned depth_ = 0;
    std::vector<join> joins_;
    std::map<std::uint32_t, std::uint32_t> alias_; ///< joins that are another node
    bool unresolved_ = false;                      ///< some nodes' operands may still be such joins
    std::vector<std::uint32_t> dominator_;
    std::vector<std::uint32_t> enter_; ///< by block: when a walk over the dominator tree comes to it
    std::vector<std::uint32_t> leave_;
    address_slices::visited been_;
    std::int64_t work_ = all_work;
    std::vector<natural_loop> natural_;
    std::vector<passed_test> passed_;
    std::vector<exit_test> tests_;
};

} // namespace warpkit
