#pragma once
/// \file
/// An access of an address slice without loops, for 32 threads at once: each node is looked at once, and its operation
/// done in a plain loop over the threads.

#include <warpkit/program/address_slices.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// 32 threads of one block that follow each other, or the block's corners, at one access: who gets there, and to which
/// address.
class thread_batch {
public:
    static constexpr unsigned width = 32;
    using mask = std::uint32_t;
    using values = std::array<std::uint64_t, width>;
    static constexpr mask corner_threads = 0xff; ///< after run_corners()

    /// The steps by which an access is evaluated: its conditions in turn, then its address; no node may be an induction
    /// variable. A regular value.
    class plan {
    public:
        plan() = default;
        /// `uniform`: by node, the values of those that are the same for all threads of the launch.
        plan(address_slices const& slices, std::vector<std::uint64_t> const& uniform,
             std::vector<slice_condition> const& conditions, std::uint32_t address) {
            std::vector<std::uint32_t> place(slices.nodes().size(), unplaced);
            for (auto const& c : conditions) {
                check made;
                made.value = add(c.node, slices, uniform, place);
                made.behind = steps_.size();
                made.wanted = c.holds;
                made.is_fixed = slices.pattern(c.node) == address_pattern::uniform;
                auto const& test = slices.nodes()[slices.comparison(c.node).node];
                made.is_less = !made.is_fixed && (test.operation == slice_operation::less ||
                                                  test.operation == slice_operation::less_equal);
                if (made.is_less) {
                    auto const of = [&](unsigned i) {
                        auto const n = test.operand[i];
                        return side{place[n], slices.nodes()[n].bytes, test.is_signed};
                    };
                    made.left = of(0);
                    made.right = of(1);
                }
                checks_.push_back(made);
            }
            address_ = add(address, slices, uniform, place);
        }

    private:
        friend class thread_batch;
        struct step {
            slice_node node;
            std::uint32_t to = 0;
            std::array<std::uint32_t, 3> from{};
            std::array<std::uint8_t, 3> bytes{};
        };
        struct side { ///< of a comparison
            std::uint32_t value = 0;
            unsigned bytes = 8;
            bool is_signed = false;
        };
        struct check {
            std::size_t behind = 0; ///< steps
            std::uint32_t value = 0;
            bool wanted = true;
            bool is_fixed = false; ///< the same for all threads
            bool is_less = false;  ///< a comparison by size
            side left;
            side right;
        };
        struct constant {
            std::uint32_t place = 0;
            std::uint64_t value = 0;
        };
        static constexpr std::uint32_t unplaced = 0xffffffff;

        // The place of a node's values, after steps that compute them.
        std::uint32_t add(std::uint32_t node, address_slices const& slices,
                          std::vector<std::uint64_t> const& uniform, std::vector<std::uint32_t>& place) {
            auto const& nodes = slices.nodes();
            slices.visit(node, [&](std::uint32_t n) {
                if (place[n] != unplaced) return;
                place[n] = places_++;
                if (slices.pattern(n) == address_pattern::uniform) {
                    constants_.push_back({place[n], uniform[n]});
                    return;
                }
                step s{nodes[n], place[n], {}, {8, 8, 8}};
                for (unsigned i = 0; i < nodes[n].operands(); ++i) {
                    s.from[i] = place[nodes[n].operand[i]];
                    s.bytes[i] = nodes[nodes[n].operand[i]].bytes;
                }
                steps_.push_back(s);
            });
            return place[node];
        }

        std::vector<step> steps_;
        std::vector<check> checks_;
        std::vector<constant> constants_;
        std::uint32_t places_ = 0;
        std::uint32_t address_ = 0;
    };

    /// Refers to the plan. `extent`: of the block.
    thread_batch(plan const& p, std::array<std::uint32_t, 3> const& block,
                 std::array<std::uint32_t, 3> const& extent)
        : plan_(&p),
          block_(block),
          extent_(extent),
          value_(p.places_) {
        for (auto const& c : p.constants_) value_[c.place].fill(c.value);
    }
    /// Of the threads `first`, `first` + 1, ... those that `there` names (bit 0 the first) and that get to the access.
    mask run(unsigned first, mask there) {
        place_threads(first);
        std::size_t done = 0;
        for (auto const& c : plan_->checks_) {
            go_on(done, c.behind);
            there &= holding(c);
            if (there == 0) return 0;
        }
        go_on(done, plan_->steps_.size());
        return there;
    }
    /// Whether no thread of the block gets to the access, because one condition, a comparison of numbers that grow
    /// evenly, holds at none of its corners; or whether all conditions hold at all corners, which are then the first
    /// eight threads of addresses().
    enum class corners { none, some, all };
    corners run_corners() {
        place_corners();
        std::size_t done = 0;
        auto there = corner_threads;
        for (auto const& c : plan_->checks_) {
            go_on(done, c.behind);
            auto const holds = holding(c) & corner_threads;
            if (holds == 0 && (c.is_fixed || (c.is_less && is_even(c.left) && is_even(c.right))))
                return corners::none;
            there &= holds;
        }
        if (there != corner_threads) return corners::some;
        go_on(done, plan_->steps_.size());
        return corners::all;
    }
    /// The addresses that the last run() found.
    values const& addresses() const noexcept { return value_[plan_->address_]; }

private:
    static constexpr unsigned first_steps = 8; ///< the threads behind the corners: one step along each axis

    void place_threads(unsigned first) {
        std::uint32_t at[3]{first % extent_[0], first / extent_[0] % extent_[1],
                            first / extent_[0] / extent_[1]};
        if (at[0] + width <= extent_[0]) { // of one row
            for (unsigned l = 0; l < width; ++l) thread_[0][l] = at[0] + l;
            for (unsigned d = 1; d < 3; ++d) thread_[d].fill(at[d]);
            return;
        }
        for (unsigned l = 0; l < width; ++l) {
            for (unsigned d = 0; d < 3; ++d) thread_[d][l] = at[d];
            if (++at[0] != extent_[0]) continue;
            at[0] = 0;
            if (++at[1] != extent_[1]) continue;
            at[1] = 0;
            ++at[2];
        }
    }
    void place_corners() {
        for (unsigned d = 0; d < 3; ++d) {
            thread_[d].fill(0);
            for (unsigned k = 0; k < 8; ++k) thread_[d][k] = (k >> d & 1) != 0 ? extent_[d] - 1 : 0;
            thread_[d][first_steps + d] = 1;
        }
    }
    // Whether a number grows by the same amount with each thread along an axis, without wrapping, as far as the corners
    // can tell.
    bool is_even(plan::side const& s) const {
        constexpr auto limit = std::int64_t{1} << 60;
        auto const& v = value_[s.value];
        std::int64_t at[first_steps + 3];
        for (unsigned k = 0; k < first_steps + 3; ++k) {
            slice_value const x{v[k], s.bytes};
            at[k] = s.is_signed ? x.as_signed() : static_cast<std::int64_t>(x.bits);
            if (at[k] < -limit || at[k] > limit) return false;
        }
        for (unsigned k = 1; k < 8; ++k) {
            auto expected = at[0];
            for (unsigned d = 0; d < 3; ++d) {
                auto const step = at[first_steps + d] - at[0];
                if ((k >> d & 1) == 0 || extent_[d] == 1) continue;
                if (step > limit >> 20 || step < -(limit >> 20)) return false; // of 2^10 threads
                expected += step * (std::int64_t{extent_[d]} - 1);
            }
            if (at[k] != expected) return false;
        }
        return true;
    }
    void go_on(std::size_t& done, std::size_t to) {
        for (; done < to; ++done) do_step(plan_->steps_[done]);
    }
    mask holding(plan::check const& c) const {
        auto const& v = value_[c.value];
        mask holds = 0;
        for (unsigned l = 0; l < width; ++l) holds |= static_cast<mask>((v[l] != 0) == c.wanted) << l;
        return holds;
    }
    template <slice_operation Operation>
    void each_thread(plan::step const& s) {
        auto node = s.node;
        node.operation = Operation; // known here, so that no thread asks for it
        auto const& a = value_[s.from[0]];
        auto const& b = value_[s.from[1]];
        auto const& c = value_[s.from[2]];
        auto& to = value_[s.to];
        for (unsigned l = 0; l < width; ++l) {
            slice_value const operand[3]{{a[l], s.bytes[0]}, {b[l], s.bytes[1]}, {c[l], s.bytes[2]}};
            to[l] = evaluate(node, operand);
        }
    }
    void do_step(plan::step const& s) {
        using enum slice_operation;
        switch (s.node.operation) {
        case thread_index:
            for (unsigned l = 0; l < width; ++l) value_[s.to][l] = thread_[s.node.axis][l];
            return;
        case block_index:
            return value_[s.to].fill(block_[s.node.axis]);
        case convert:
            return each_thread<convert>(s);
        case add:
            return each_thread<add>(s);
        case subtract:
            return each_thread<subtract>(s);
        case multiply:
            return each_thread<multiply>(s);
        case shift_left:
            return each_thread<shift_left>(s);
        case shift_right:
            return each_thread<shift_right>(s);
        case bit_and:
            return each_thread<bit_and>(s);
        case bit_or:
            return each_thread<bit_or>(s);
        case equal:
            return each_thread<equal>(s);
        case not_equal:
            return each_thread<not_equal>(s);
        case less:
            return each_thread<less>(s);
        case less_equal:
            return each_thread<less_equal>(s);
        case select:
            return each_thread<select>(s);
        default: // rare ones: each thread asks
            for (unsigned l = 0; l < width; ++l) {
                slice_value const operand[3]{{value_[s.from[0]][l], s.bytes[0]},
                                             {value_[s.from[1]][l], s.bytes[1]},
                                             {value_[s.from[2]][l], s.bytes[2]}};
                value_[s.to][l] = evaluate(s.node, operand);
            }
        }
    }

    plan const* plan_;
    std::array<std::uint32_t, 3> block_;
    std::array<std::uint32_t, 3> extent_;
    std::vector<values> value_; ///< by place
    std::array<std::array<std::uint32_t, width>, 3> thread_{};
};

} // namespace warpkit
