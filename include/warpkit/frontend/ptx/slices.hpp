#pragma once
/// \file
/// The address slices of a PTX kernel: what its instructions compute, in the neutral form of
/// program/address_slices.hpp. Integer arithmetic, logic, shifts, comparisons, selections, conversions, parameters and
/// special registers are understood; everything else is unknown, and so is what depends on it.

#include <warpkit/frontend/ptx/instruction_table.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/program/slice_builder.hpp>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

namespace warpkit::ptx {

/// A kernel's instructions as slice_builder asks for them. Places are byte offsets into a warp's registers.
class slice_code {
public:
    explicit slice_code(kernel const& k) : kernel_(&k) {
        for (auto const& o : k.operations())
            for (unsigned d = 0; d < operation::max_destinations; ++d)
                if (o.destination[d] != operation::no_slot) width_.emplace(o.destination[d], width_of(o, d));
        for (auto const& o : k.operations())
            for (unsigned d = 0; d < o.fragment_destinations; ++d)
                width_.emplace(k.fragments()[o.target + d], o.destination_bytes);
    }

    bool accesses(std::uint32_t i) const {
        auto const& s = kernel_->program().instructions[i];
        return s.is_memory() && (s.space == memory_space::global || s.space == memory_space::generic);
    }
    std::uint64_t elsewhere(std::uint32_t i) const {
        return kernel_->program().instructions[i].space == memory_space::generic ? window_mask : 0;
    }
    bool writes(std::uint32_t i, std::uint32_t place) const {
        for (auto const d : operations()[i].destination)
            if (d == place) return true;
        auto const& o = operations()[i];
        for (unsigned d = 0; d < o.fragment_destinations; ++d)
            if (kernel_->fragments()[o.target + d] == place) return true;
        return false;
    }
    unsigned bytes(std::uint32_t place) const {
        auto const found = width_.find(place);
        return found == width_.end() ? 8 : found->second;
    }
    std::optional<slice_guard> guard(std::uint32_t i) const {
        auto const& o = operations()[i];
        if (!o.guarded) return {};
        return slice_guard{o.guard, o.guard_negated};
    }

    template <class Builder>
    std::uint32_t address(Builder& b, std::uint32_t i) const {
        auto const& o = operations()[i];
        if (o.what == action::copy) { // of its two, the address in global memory
            std::uint64_t behind = 0;
            std::memcpy(&behind, kernel_->constants().data() + (o.source[1] & ~operation::constant_bit),
                        sizeof behind);
            auto const added = b.constant(behind, 8);
            if ((o.source[0] & operation::constant_bit) != 0) return added;
            auto const from = b.convert(b.read(i, o.source[0]), 8, false);
            return b.node(slice_operation::add, 8, false, from, added);
        }
        if (o.modifiers != nullptr && o.modifiers->has(modifier::shape))
            return b.unknown(8); // one for all lanes
        auto const offset = b.constant(o.offset, 8);
        if (o.address == addressing::absolute) return offset;
        auto const base = b.convert(b.read(i, o.base), 8, false);
        return b.node(slice_operation::add, 8, false, base, offset);
    }

    template <class Builder>
    std::uint32_t value(Builder& b, std::uint32_t i, std::uint32_t place) const {
        using enum slice_operation;
        auto const& o = operations()[i];
        auto const& prepared = instruction_table::instance()[o.row];
        auto const name = prepared.from->base;
        auto const half = prepared.from->pattern.front(); // of products: lo, hi or wide
        auto const nothing = [&] { return b.unknown(bytes(place)); };
        if (o.modifiers == nullptr || o.fragment_destinations != 0) return nothing();
        auto const& f = *o.modifiers;
        unsigned which = 0;
        while (o.destination[which] != place) ++which;
        if (o.what == action::access) return loaded(b, o, name, f, which, place);
        if (o.what != action::compute || o.execute == &semantics::read_clock<>) return nothing();

        auto const type = f.type[0];
        bool const predicates = type == scalar::pred;
        auto const width = predicates ? 1 : size_of(type);
        bool const is_signed = ptx::is_signed(type);
        auto const from = [&](unsigned k) { return source(b, i, k); };
        auto const as = [&](unsigned k, unsigned wide) { return b.convert(from(k), wide, is_signed); };
        auto const plain = [&](slice_operation what) {
            return b.node(what, width, is_signed, from(0), from(1));
        };
        auto const sum = [&](std::uint32_t x, unsigned k, unsigned wide) {
            return b.node(add, wide, false, x, from(k));
        };

        if (name == "setp") return compare(b, i, f, which);
        bool const saturates =
            f.has(modifier::sat) || prepared.from->pattern.find("sat ") != std::string_view::npos;
        if (which != 0 || f.has(modifier::cc) || saturates) return nothing();
        if (name == "cvt") {
            auto const to = f.type[0];
            auto const of = f.type[1];
            if (is_float(to) || is_float(of)) return nothing();
            auto const narrow =
                b.convert(from(0), size_of(of), false); // the register may be wider than the type
            return b.convert(b.convert(narrow, size_of(to), ptx::is_signed(of)), bytes(place),
                             ptx::is_signed(to));
        }
        if (name == "mov") {
            bool const whole = prepared.from->extra != trait::pack && prepared.from->extra != trait::unpack;
            return whole ? from(0) : nothing();
        }
        if (name == "cvta" && o.offset != 0)
            return o.option != 0 ? b.node(bit_and, 8, false, from(0), b.constant(~o.offset, 8))
                                 : b.node(bit_or, 8, false, from(0), b.constant(o.offset, 8));
        if (name == "cvta") return from(0);
        if (name == "selp") return b.node(select, width, false, from(2), from(0), from(1));
        if (is_float(type)) return nothing();

        if (name == "add") return plain(add);
        if (name == "sub") return plain(subtract);
        if (name == "div") return plain(divide);
        if (name == "rem") return plain(remainder);
        if (name == "min") return plain(minimum);
        if (name == "max") return plain(maximum);
        if (name == "and") return plain(bit_and);
        if (name == "or") return plain(bit_or);
        if (name == "xor") return plain(bit_xor);
        if (name == "shl") return plain(shift_left);
        if (name == "shr") return plain(shift_right);
        if (name == "neg") return b.node(negate, width, false, from(0));
        if (name == "abs") return b.node(absolute, width, false, from(0));
        if (name == "not") return predicates ? invert(b, from(0)) : b.node(bit_not, width, false, from(0));
        if (name == "mul" || name == "mad") {
            bool const adds = name == "mad";
            if (half == 'h') {
                if (width == 8) return nothing();
                auto const product = b.node(multiply, 2 * width, false, as(0, 2 * width), as(1, 2 * width));
                auto const high =
                    b.node(shift_right, 2 * width, is_signed, product, b.constant(8U * width, 4));
                auto const r = b.convert(high, width, false);
                return adds ? sum(r, 2, width) : r;
            }
            auto const wide = half == 'l' ? width : 2 * width;
            auto const product = b.node(multiply, wide, false, as(0, wide), as(1, wide));
            return adds ? sum(product, 2, wide) : product;
        }
        if ((name == "mul24" || name == "mad24") && half == 'l') {
            auto const low = [&](unsigned k) {
                auto const up = b.node(shift_left, 4, false, from(k), b.constant(8, 4));
                return b.node(shift_right, 4, is_signed, up, b.constant(8, 4));
            };
            auto const product = b.node(multiply, 4, false, low(0), low(1));
            return name == "mad24" ? sum(product, 2, 4) : product;
        }
        return nothing();
    }

private:
    std::vector<operation> const& operations() const { return kernel_->operations(); }

    static unsigned width_of(operation const& o, unsigned d) {
        bool const second = d != 0 && o.elements <= 1; // the predicate of "d|p", or a carry
        return o.destination_bytes == 0 || second ? 1U : o.destination_bytes;
    }
    template <class Builder>
    static std::uint32_t invert(Builder& b, std::uint32_t predicate) {
        return b.node(slice_operation::equal, 1, false, predicate, b.constant(0, 1));
    }

    // Source k of instruction i, as wide as its register or its type.
    template <class Builder>
    std::uint32_t source(Builder& b, std::uint32_t i, unsigned k) const {
        auto const& o = operations()[i];
        auto const slot = o.source[k];
        auto const type = source_type(o, k);
        auto const width = type == scalar::pred ? 1 : size_of(type);
        if ((slot & operation::constant_bit) != 0) {
            std::uint64_t value = 0;
            std::memcpy(&value, kernel_->constants().data() + (slot & ~operation::constant_bit),
                        type == scalar::pred ? sizeof(lane_mask) : width);
            return b.constant(type == scalar::pred ? (value != 0 ? 1 : 0) : value, width);
        }
        for (auto const& s : kernel_->special_slots())
            if (s.slot == slot) return b.convert(special(b, s.which), s.bytes, false);
        auto const n = b.read(i, slot);
        bool const negated = (o.negated >> k & 1) != 0;
        return negated ? invert(b, n) : n;
    }
    static scalar source_type(operation const& o, unsigned k) {
        for (auto const& spec : instruction_table::instance()[o.row].operands) {
            bool const is_source =
                spec.what == operand_spec::role::source || spec.what == operand_spec::role::vector_source;
            if (is_source && k-- == 0) return spec.type(*o.modifiers);
        }
        return scalar::b64;
    }
    template <class Builder>
    static std::uint32_t special(Builder& b, special_register s) {
        using enum slice_operation;
        auto const number = static_cast<unsigned>(s);
        auto const axis = number % 3;
        static_assert(static_cast<unsigned>(special_register::ctaid_x) % 3 == 0 &&
                      static_cast<unsigned>(special_register::nctaid_z) == 11);
        switch (number / 3) {
        case 0:
            return b.leaf(thread_index, 4, axis);
        case 1:
            return b.leaf(block_extent, 4, axis);
        case 2:
            return b.leaf(block_index, 4, axis);
        case 3:
            return b.leaf(grid_extent, 4, axis);
        default:
            break;
        }
        if (s != special_register::laneid && s != special_register::warpid) return b.unknown(4);
        auto linear = b.leaf(thread_index, 4, 2);
        for (unsigned d = 2; d-- > 0;) {
            linear = b.node(multiply, 4, false, linear, b.leaf(block_extent, 4, d));
            linear = b.node(add, 4, false, linear, b.leaf(thread_index, 4, d));
        }
        return s == special_register::laneid ? b.node(bit_and, 4, false, linear, b.constant(31, 4))
                                             : b.node(shift_right, 4, false, linear, b.constant(5, 4));
    }
    // A loaded kernel parameter; whatever else is loaded is unknown.
    template <class Builder>
    std::uint32_t loaded(Builder& b, operation const& o, std::string_view name, form const& f, unsigned which,
                         std::uint32_t place) const {
        bool const plain = name == "ld" && o.space == memory_space::parameter &&
                           o.address == addressing::absolute && o.offset < call_frame;
        if (!plain) return b.unknown(bytes(place));
        auto const width = size_of(f.type[0]);
        auto const n = b.leaf(slice_operation::parameter, width, 0, o.offset + std::uint64_t{which} * width);
        return b.convert(n, bytes(place), ptx::is_signed(f.type[0]));
    }
    template <class Builder>
    std::uint32_t compare(Builder& b, std::uint32_t i, form const& f, unsigned which) const {
        using enum slice_operation;
        auto const type = f.type[0];
        if (is_float(type)) return b.unknown(1);
        auto const x = source(b, i, 0);
        auto const y = source(b, i, 1);
        bool const s = ptx::is_signed(type);
        std::uint32_t r = 0;
        switch (static_cast<comparison>(f.get(modifier::compare))) {
        case comparison::eq:
            r = b.node(equal, 1, s, x, y);
            break;
        case comparison::ne:
            r = b.node(not_equal, 1, s, x, y);
            break;
        case comparison::lt:
        case comparison::lo:
            r = b.node(less, 1, s, x, y);
            break;
        case comparison::le:
        case comparison::ls:
            r = b.node(less_equal, 1, s, x, y);
            break;
        case comparison::gt:
        case comparison::hi:
            r = b.node(less, 1, s, y, x);
            break;
        case comparison::ge:
        case comparison::hs:
            r = b.node(less_equal, 1, s, y, x);
            break;
        default:
            return b.unknown(1);
        }
        if (which == 1) r = invert(b, r); // the q of p|q
        if (!f.has(modifier::boolean)) return r;
        static constexpr slice_operation combine[] = {bit_and, bit_or, bit_xor};
        return b.node(combine[f.get(modifier::boolean) - 1], 1, false, r, source(b, i, 2));
    }

    kernel const* kernel_;
    std::map<std::uint32_t, unsigned> width_;
};

} // namespace warpkit::ptx
