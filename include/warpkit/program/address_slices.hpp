#pragma once
/// \file
/// Address slices: what a kernel computes to get the address of each global load, store and atomic, in a small neutral
/// form that can be evaluated for any thread without running the kernel. So the locality-aware thesis extracts its
/// "address calculation code" (2016, section 3.2).
///
/// A slice is an expression over constants, parameters and thread and block indices, with loops as induction variables;
/// the conditions under which a thread gets there; and the loops around it with what ends them. Front ends make slices
/// with slice_builder (program/slice_builder.hpp); launch_addresses (program/launch_addresses.hpp) evaluates them.

#include <warpkit/program/predicted_addresses.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// What a node of an expression computes. Values are bit patterns of 1, 2, 4 or 8 bytes; arithmetic wraps.
enum class slice_operation : std::uint8_t {
    unknown,      ///< what the analysis does not know, or what lies in memory
    constant,     ///< `value`
    parameter,    ///< the kernel argument at byte offset `value`
    thread_index, ///< along `axis`: 0 x, 1 y, 2 z
    block_index,
    block_extent,
    grid_extent,
    convert, ///< the operand widened (by its sign if is_signed) or narrowed to `bytes`
    negate,
    absolute,
    bit_not,
    add,
    subtract,
    multiply,
    divide, ///< by 0: all ones
    remainder,
    minimum,
    maximum,
    bit_and,
    bit_or,
    bit_xor,
    shift_left, ///< by at least the width: 0
    shift_right,
    equal, ///< comparisons give 0 or 1, of 1 byte
    not_equal,
    less,
    less_equal,
    select,   ///< operand 0 ? operand 1 : operand 2
    induction ///< operand 0 + operand 1 * (iteration of loop `value`)
};

/// One node of an expression; operands are node numbers.
struct slice_node {
    slice_operation operation = slice_operation::unknown;
    std::uint8_t bytes = 8;
    bool is_signed =
        false; ///< of convert, divide, remainder, minimum, maximum, shift_right, less, less_equal
    std::uint8_t axis = 0;
    std::array<std::uint32_t, 3> operand{none, none, none};
    std::uint64_t value = 0;

    static constexpr std::uint32_t none = 0xffffffff;

    constexpr unsigned operands() const noexcept {
        unsigned n = 0;
        while (n < 3 && operand[n] != none) ++n;
        return n;
    }
    friend bool operator==(slice_node const&, slice_node const&) = default;
};

constexpr bool is_comparison(slice_operation o) noexcept {
    return o == slice_operation::equal || o == slice_operation::not_equal || o == slice_operation::less ||
           o == slice_operation::less_equal;
}

/// A value and its width.
struct slice_value {
    std::uint64_t bits = 0;
    unsigned bytes = 8;

    constexpr std::int64_t as_signed() const noexcept {
        auto const unused = 64 - 8 * bytes;
        return static_cast<std::int64_t>(bits << unused) >> unused;
    }
};

/// What an operation (not a leaf, not an induction variable) makes of its operands. Inlined, so that a loop over many
/// operands in which the operation is known does not ask for it each time.
[[gnu::always_inline]] constexpr std::uint64_t evaluate(slice_node const& n,
                                                        slice_value const* operand) noexcept {
    using enum slice_operation;
    auto const a = operand[0].bits;
    auto const b = operand[1].bits;
    auto const sa = operand[0].as_signed();
    auto const sb = operand[1].as_signed();
    auto const width = 8U * n.bytes;
    bool const s = n.is_signed;
    std::uint64_t r = 0;
    switch (n.operation) {
    case convert:
        r = s ? static_cast<std::uint64_t>(sa) : a;
        break;
    case negate:
        r = 0 - a;
        break;
    case absolute:
        r = sa < 0 ? 0 - a : a;
        break;
    case bit_not:
        r = ~a;
        break;
    case add:
        r = a + b;
        break;
    case subtract:
        r = a - b;
        break;
    case multiply:
        r = a * b;
        break;
    case divide:
        r = b == 0 ? ~std::uint64_t{0} : !s ? a / b : sb == -1 ? 0 - a : static_cast<std::uint64_t>(sa / sb);
        break;
    case remainder:
        r = b == 0 ? a : !s ? a % b : sb == -1 ? 0 : static_cast<std::uint64_t>(sa % sb);
        break;
    case minimum:
        r = (s ? sa < sb : a < b) ? a : b;
        break;
    case maximum:
        r = (s ? sa < sb : a < b) ? b : a;
        break;
    case bit_and:
        r = a & b;
        break;
    case bit_or:
        r = a | b;
        break;
    case bit_xor:
        r = a ^ b;
        break;
    case shift_left:
        r = b >= width ? 0 : a << b;
        break;
    case shift_right:
        r = s ? static_cast<std::uint64_t>(sa >> (b >= width ? width - 1 : b)) : b >= width ? 0 : a >> b;
        break;
    case equal:
        r = a == b;
        break;
    case not_equal:
        r = a != b;
        break;
    case less:
        r = s ? sa < sb : a < b;
        break;
    case less_equal:
        r = s ? sa <= sb : a <= b;
        break;
    case select:
        r = a != 0 ? b : operand[2].bits;
        break;
    default:
        break;
    }
    return width < 64 ? r & ((std::uint64_t{1} << width) - 1) : r;
}

/// A truth value that decides where control goes.
struct slice_condition {
    std::uint32_t node = 0;
    bool holds = true; ///< the value it must have
    friend bool operator==(slice_condition const&, slice_condition const&) = default;
};

/// A natural loop. Its iterations are numbered from 0.
struct slice_loop {
    static constexpr std::uint32_t none = 0xffffffff;
    std::uint32_t header = 0;   ///< its first instruction in execution
    std::uint32_t outer = none; ///< the loop directly around it
    std::vector<slice_condition>
        exits; ///< the known conditions that leave it, each tested in every iteration
    bool bounded() const noexcept { return !exits.empty(); }
    friend bool operator==(slice_loop const&, slice_loop const&) = default;
};

/// A loop around an access.
struct enclosing_loop {
    std::uint32_t loop = 0;
    bool behind_exit =
        false; ///< the access is behind the loop's exit test: not reached in the last iteration
    friend bool operator==(enclosing_loop const&, enclosing_loop const&) = default;
};

/// The address of one static access of global memory.
struct address_slice {
    std::uint32_t instruction = 0;
    std::uint32_t address = 0; ///< node
    std::uint8_t bytes = 0;    ///< per thread
    std::uint64_t elsewhere =
        0; ///< with any of these bits set, an address is not of global memory: no access
    bool reads = false;
    bool writes = false;
    address_pattern pattern = address_pattern::unknown;
    std::uint32_t array = predicted_access::no_array; ///< node: the pointer parameter that it starts from
    std::vector<slice_condition> conditions; ///< necessary for a thread to get there; those that are known
    std::vector<enclosing_loop> loops;       ///< around it, outermost first
    std::vector<std::uint32_t> finished;     ///< loops whose last iteration's values it uses
    std::vector<std::uint32_t> code;         ///< the instructions that compute the address, in program order

    /// Whether launch_addresses can evaluate it.
    bool predictable = false;
    friend bool operator==(address_slice const&, address_slice const&) = default;
};

/// All slices of a kernel over one pool of nodes. A regular value.
class address_slices {
public:
    std::vector<slice_node> const& nodes() const noexcept { return nodes_; }
    std::vector<slice_loop> const& loops() const noexcept { return loops_; }
    /// In the order of their instructions.
    std::vector<address_slice> const& slices() const noexcept { return slices_; }
    /// How a node's value varies over the threads of a launch and their iterations.
    address_pattern pattern(std::uint32_t node) const noexcept { return patterns_[node]; }
    /// The loops whose induction variables a node's value contains.
    std::vector<std::uint32_t> loops_in(std::uint32_t node) const {
        std::vector<std::uint32_t> found;
        visit(node, [&](std::uint32_t n) {
            if (nodes_[n].operation == slice_operation::induction)
                found.push_back(static_cast<std::uint32_t>(nodes_[n].value));
        });
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }
    /// The comparison that a condition comes down to when negations are taken off, and the value that it must have when
    /// the condition holds.
    slice_condition comparison(std::uint32_t node) const noexcept {
        slice_condition c{node, true};
        for (;;) {
            auto const& x = nodes_[c.node];
            bool const tests =
                x.operation == slice_operation::equal || x.operation == slice_operation::not_equal;
            if (!tests || nodes_[x.operand[0]].bytes != 1 ||
                nodes_[x.operand[1]].operation != slice_operation::constant || nodes_[x.operand[1]].value > 1)
                return c;
            bool const same = (x.operation == slice_operation::equal) == (nodes_[x.operand[1]].value == 1);
            c = {x.operand[0], same == c.holds};
        }
    }
    /// What must hold, each by itself, for a condition to hold: both halves of an "and" that is to be true or of an
    /// "or" that is not to be, also where they have become a selection.
    std::vector<slice_condition> conjuncts(slice_condition const& whole) const {
        using enum slice_operation;
        std::vector<slice_condition> found;
        std::vector<slice_condition> todo{whole};
        while (!todo.empty()) {
            auto const c = todo.back();
            todo.pop_back();
            auto const test = comparison(c.node);
            auto const& x = nodes_[test.node];
            bool const wanted = test.holds == c.holds;
            auto const unwanted = [&](unsigned i) { // operand i is the constant that is not wanted
                auto const& o = nodes_[x.operand[i]];
                return o.operation == constant && (o.value != 0) != wanted;
            };
            if (x.bytes != 1 || found.size() + todo.size() >= most_conjuncts) {
                found.push_back(c);
            } else if (x.operation == (wanted ? bit_and : bit_or)) {
                todo.push_back({x.operand[1], wanted});
                todo.push_back({x.operand[0], wanted});
            } else if (x.operation == select && (unwanted(1) || unwanted(2))) {
                bool const first = unwanted(2);
                todo.push_back({x.operand[first ? 1 : 2], wanted});
                todo.push_back({x.operand[0], first});
            } else {
                found.push_back(c);
            }
        }
        return found;
    }
    /// Whether a thread's value grows by the same amount in each turn of a loop, or not at all, as long as nothing
    /// wraps.
    bool linear(std::uint32_t node, std::uint32_t loop) const {
        return grows_evenly(node, false, [&](slice_node const& x, growth start, growth step) {
            return x.operation == slice_operation::induction && x.value == loop && start == growth::none &&
                   step == growth::none;
        });
    }
    /// Whether the value grows with each thread index, and in each turn of each loop, by an amount that is the same for
    /// all CTAs of a launch, whichever way it jumps from one CTA to another.
    bool linear_within_cta(std::uint32_t node) const {
        return grows_evenly(node, true, [&](slice_node const& x, growth start, growth) {
            return x.operation == slice_operation::thread_index ||
                   (x.operation == slice_operation::induction && start != growth::uneven &&
                    pattern(x.operand[1]) == address_pattern::uniform);
        });
    }
    /// All threads leave this loop in the same turn.
    bool even(std::uint32_t loop) const {
        bool same = true;
        for (auto const& c : loops_[loop].exits)
            visit(c.node, [&](std::uint32_t n) {
                auto const o = nodes_[n].operation;
                same = same && o != slice_operation::thread_index && o != slice_operation::block_index;
            });
        return same;
    }
    /// Which nodes visit() has been to; to be kept from call to call where there are many.
    struct visited {
        std::vector<std::uint32_t> when;
        std::uint32_t now = 0;
        std::vector<std::pair<std::uint32_t, unsigned>> stack;
    };
    /// Calls `f` with `node` and all nodes under it, operands before those that use them.
    template <class F>
    void visit(std::uint32_t node, F&& f) const {
        visited been;
        begin(been);
        visit(node, been, f);
    }
    /// The same, without those that were visited since begin(been).
    template <class F>
    void visit(std::uint32_t node, visited& been, F&& f) const {
        if (been.when[node] == been.now) return;
        auto& stack = been.stack;
        stack.assign(1, {node, 0U});
        been.when[node] = been.now;
        while (!stack.empty()) {
            auto& [n, next] = stack.back();
            if (next < nodes_[n].operands()) {
                auto const o = nodes_[n].operand[next++];
                if (been.when[o] != been.now) {
                    been.when[o] = been.now;
                    stack.emplace_back(o, 0U);
                }
            } else {
                auto const done = n;
                stack.pop_back();
                f(done);
            }
        }
    }
    void begin(visited& been) const {
        been.when.resize(nodes_.size(), 0);
        ++been.now;
    }

    friend bool operator==(address_slices const& a, address_slices const& b) {
        return a.nodes_ == b.nodes_ && a.loops_ == b.loops_ && a.slices_ == b.slices_;
    }

private:
    template <class Code>
    friend class slice_builder;

    static constexpr std::size_t most_conjuncts = 32;

    enum class growth : std::uint8_t { none, even, uneven };

    // Whether a value grows evenly with those nodes below it of which `starts(node, growth of operand 0, of operand 1)`
    // says that they do. With `same`, the amount must not depend on the CTA.
    template <class Starts>
    bool grows_evenly(std::uint32_t node, bool same, Starts&& starts) const {
        using enum slice_operation;
        std::vector<growth> found(nodes_.size(), growth::none);
        visit(node, [&](std::uint32_t n) {
            auto const& x = nodes_[n];
            growth of[3]{};
            auto most = growth::none;
            for (unsigned i = 0; i < x.operands(); ++i) most = std::max(most, of[i] = found[x.operand[i]]);
            auto const factor = [&](unsigned i) {
                return of[i] == growth::none && (!same || pattern(x.operand[i]) == address_pattern::uniform);
            };
            bool keeps = false; // what grows evenly grows evenly after it
            switch (x.operation) {
            case add:
            case subtract:
            case negate:
            case bit_not:
            case convert:
                keeps = true;
                break;
            case multiply:
                keeps = factor(0) || factor(1);
                break;
            case shift_left:
                keeps = factor(1);
                break;
            case select:
                keeps = factor(0);
                break;
            default:
                break;
            }
            found[n] = starts(x, of[0], of[1])         ? growth::even
                       : most == growth::none || keeps ? most
                                                       : growth::uneven;
        });
        return found[node] != growth::uneven;
    }

    // How many low bits of a value are certainly 0.
    unsigned zero_bits(std::uint32_t n, unsigned depth = 0) const noexcept {
        auto const& x = nodes_[n];
        auto const of = [&](unsigned i) { return depth > 8 ? 0U : zero_bits(x.operand[i], depth + 1); };
        switch (x.operation) {
        case slice_operation::constant: {
            unsigned bits = 0;
            while (bits < 64 && (x.value >> bits & 1) == 0) ++bits;
            return bits;
        }
        case slice_operation::multiply:
            return std::min(64U, of(0) + of(1));
        case slice_operation::shift_left: {
            auto const& by = nodes_[x.operand[1]];
            return by.operation == slice_operation::constant && by.value < 64
                       ? std::min(64U, of(0) + static_cast<unsigned>(by.value))
                       : of(0);
        }
        case slice_operation::add:
        case slice_operation::subtract:
        case slice_operation::bit_or:
        case slice_operation::induction:
            return std::min(of(0), of(1));
        case slice_operation::bit_and:
            return std::max(of(0), of(1));
        case slice_operation::convert:
            return of(0);
        default:
            return 0;
        }
    }

    address_pattern pattern_of(std::uint32_t n) const {
        using enum slice_operation;
        using p = address_pattern;
        auto const& x = nodes_[n];
        auto worst = p::uniform;
        for (unsigned i = 0; i < x.operands(); ++i) worst = std::max(worst, patterns_[x.operand[i]]);
        auto const of = [&](unsigned i) { return patterns_[x.operand[i]]; };
        switch (x.operation) {
        case unknown:
            return p::unknown;
        case constant:
        case parameter:
        case block_extent:
        case grid_extent:
            return p::uniform;
        case thread_index:
        case block_index:
            return p::affine;
        case induction:
            if (worst == p::unknown) return worst;
            return of(0) <= p::affine && of(1) == p::uniform ? p::affine : p::computed;
        case add:
        case subtract:
        case negate:
        case bit_not:
        case convert:
            return worst;
        case multiply:
            return worst == p::affine && of(0) == p::affine && of(1) == p::affine ? p::computed : worst;
        case shift_left:
            return worst == p::affine && of(1) == p::affine ? p::computed : worst;
        case bit_or: { // an addition, if no bit can be set in both
            auto const& mask = nodes_[x.operand[1]];
            bool const adds = mask.operation == constant && zero_bits(x.operand[0]) < 64 &&
                              mask.value >> zero_bits(x.operand[0]) == 0;
            return worst == p::affine && !adds ? p::computed : worst;
        }
        default:
            return worst == p::affine ? p::computed : worst;
        }
    }
    void find_patterns() {
        patterns_.assign(nodes_.size(), address_pattern::unknown);
        visited been;
        begin(been);
        for (std::uint32_t n = 0; n < nodes_.size(); ++n)
            visit(n, been, [&](std::uint32_t m) { patterns_[m] = pattern_of(m); });
    }

    std::vector<slice_node> nodes_;
    std::vector<address_pattern> patterns_;
    std::vector<slice_loop> loops_;
    std::vector<address_slice> slices_;
};

} // namespace warpkit
