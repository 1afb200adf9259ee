#pragma once
/// \file
/// The rows of the instruction table, one per family of forms. To support a further form, add a row.

#include <warpkit/frontend/ptx/async_copy.hpp>
#include <warpkit/frontend/ptx/atomics.hpp>
#include <warpkit/frontend/ptx/bulk_copy.hpp>
#include <warpkit/frontend/ptx/cluster.hpp>
#include <warpkit/frontend/ptx/compare_select.hpp>
#include <warpkit/frontend/ptx/convert.hpp>
#include <warpkit/frontend/ptx/group_matrix.hpp>
#include <warpkit/frontend/ptx/half.hpp>
#include <warpkit/frontend/ptx/instruction_row.hpp>
#include <warpkit/frontend/ptx/integer.hpp>
#include <warpkit/frontend/ptx/launch_control.hpp>
#include <warpkit/frontend/ptx/map_edit.hpp>
#include <warpkit/frontend/ptx/matrix.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/real.hpp>
#include <warpkit/frontend/ptx/surface.hpp>
#include <warpkit/frontend/ptx/tensor_copy.hpp>
#include <warpkit/frontend/ptx/tensor_fill.hpp>
#include <warpkit/frontend/ptx/tensor_moves.hpp>
#include <warpkit/frontend/ptx/tensor_product.hpp>
#include <warpkit/frontend/ptx/texture.hpp>
#include <warpkit/frontend/ptx/tiny_floats.hpp>
#include <warpkit/frontend/ptx/video.hpp>
#include <warpkit/frontend/ptx/warp_operations.hpp>

#include <cstdint>
#include <vector>

namespace warpkit::ptx {

namespace detail {
namespace rows {
using namespace semantics;
using enum op_class;
using action::access, action::compute, action::gather, action::jump, action::leave, action::poll,
    action::synchronise;
using trait::after_all, trait::awaits_all, trait::untimed;
using trait::arrive, trait::carry, trait::carry_in, trait::test_first, trait::test_second;
inline constexpr classes add_class{int_add, fp_add, dp_add};
inline constexpr classes max_class{int_max, fp_max, dp_max};
inline constexpr classes mul_class{int_mul, fp_mul, dp_mul};
inline constexpr classes mad_class{int_mad, fp_mad, dp_mad};
inline constexpr classes div_class{int_div, fp_div, dp_div};
inline constexpr classes load_class{op_class::load};
inline constexpr classes store_class{op_class::store};

template <class T>
execute_function load_of(form const& f) {
    return semantics::is_seen_by_others(f) ? &semantics::load_in_order<T> : &semantics::load<T>;
}
template <class T>
execute_function store_of(form const& f) {
    return semantics::is_seen_by_others(f) ? &semantics::store_in_order<T> : &semantics::store<T>;
}
template <int = 0>
execute_function loads(form const& f) {
    if (f.vector_size() == 8 && size_of(f.type[0]) != 4) return nullptr; // 32 bytes are the most
    if (f.vector_size() != 1 && f.type[0] == scalar::b128) return nullptr;
    switch (f.type[0]) {
    case scalar::u8:
    case scalar::b8:
        return load_of<std::uint8_t>(f);
    case scalar::s8:
        return load_of<std::int8_t>(f);
    case scalar::u16:
    case scalar::b16:
    case scalar::f16:
        return load_of<std::uint16_t>(f);
    case scalar::s16:
        return load_of<std::int16_t>(f);
    case scalar::u32:
    case scalar::b32:
    case scalar::f32:
    case scalar::f16x2:
        return load_of<std::uint32_t>(f);
    case scalar::s32:
        return load_of<std::int32_t>(f);
    default:
        return load_of<std::uint64_t>(f);
    }
}
template <int = 0>
execute_function stores(form const& f) {
    if (space_of_form(f) == memory_space::constant) return nullptr;
    if (f.vector_size() == 8 && size_of(f.type[0]) != 4) return nullptr;
    if (f.vector_size() != 1 && f.type[0] == scalar::b128) return nullptr;
    switch (size_of(f.type[0])) {
    case 1:
        return store_of<std::uint8_t>(f);
    case 2:
        return store_of<std::uint16_t>(f);
    case 4:
        return store_of<std::uint32_t>(f);
    default:
        return store_of<std::uint64_t>(f);
    }
}
inline execute_function nothing(form const&) {
    return [](warp_context&, operation const&, lane_mask) {};
}

using u32 = std::uint32_t;
using s32 = std::int32_t;

inline constexpr row integer_arithmetic[] = {
    {"add", "u16|s16|u32|s32|u64|s64|b32|b64", "=T T T", int_add, integer<add, 2>},
    {"add", "sat s32", "=T T T", int_add, always<map_lanes<add_saturated, s32, s32, s32>>},
    {"add", "@cc u32|s32|u64|s64|b32|b64", "=T T T", int_add, carries<0>, compute, carry},
    {"addc", "@cc? u32|s32|u64|s64|b32|b64", "=T T T", int_add, carries<0>, compute, carry_in},
    {"sub", "u16|s16|u32|s32|u64|s64|b32|b64", "=T T T", int_add, integer<subtract, 2>},
    {"sub", "sat s32", "=T T T", int_add, always<map_lanes<subtract_saturated, s32, s32, s32>>},
    {"sub", "@cc u32|s32|u64|s64|b32|b64", "=T T T", int_add, carries<1>, compute, carry},
    {"subc", "@cc? u32|s32|u64|s64|b32|b64", "=T T T", int_add, carries<1>, compute, carry_in},
    {"mul", "lo u16|s16|u32|s32|u64|s64", "=T T T", int_mul, integer<multiply_low, 2>},
    {"mul", "hi u16|s16|u32|s32|u64|s64", "=T T T", int_mul, integer<multiply_upper, 2>},
    {"mul", "wide u16|s16", "=b32 T T", int_mul, wide_products<>},
    {"mul", "wide u32|s32", "=b64 T T", int_mul, wide_products<>},
    {"mad", "lo u16|s16|u32|s32|u64|s64", "=T T T T", int_mad, integer<multiply_add_low, 3>},
    {"mad", "hi u16|s16|u32|s32|u64|s64", "=T T T T", int_mad, integer<multiply_add_upper, 3>},
    {"mad", "hi sat s32", "=T T T T", int_mad, always<map_lanes<multiply_add_saturated, s32, s32, s32, s32>>},
    {"mad", "wide u16|s16", "=b32 T T b32", int_mad, wide_product_sums<>},
    {"mad", "wide u32|s32", "=b64 T T b64", int_mad, wide_product_sums<>},
    {"mad", "@half @cc u32|s32|u64|s64", "=T T T T", int_mad, carry_products<>, compute, carry},
    {"madc", "@half @cc? u32|s32|u64|s64", "=T T T T", int_mad, carry_products<>, compute, carry_in},
    {"mul24", "lo u32|s32", "=T T T", int_mul, integer<multiply_24_low, 2>},
    {"mul24", "hi u32|s32", "=T T T", int_mul, integer<multiply_24_high, 2>},
    {"mad24", "lo u32|s32", "=T T T T", int_mad, integer<multiply_add_24_low, 3>},
    {"mad24", "hi u32|s32", "=T T T T", int_mad, integer<multiply_add_24_high, 3>},
    {"mad24", "hi sat s32", "=T T T T", int_mad,
     always<map_lanes<multiply_add_24_saturated, s32, s32, s32, s32>>},
    {"div", "u16|s16|u32|s32|u64|s64", "=T T T", int_div, integer<divide, 2>},
    {"rem", "u16|s16|u32|s32|u64|s64", "=T T T", int_div, integer<remainder, 2>},
    {"neg", "s16|s32|s64", "=T T", int_add, integer<negate, 1>},
    {"abs", "s16|s32|s64", "=T T", int_add, integer<absolute, 1>},
    {"min", "u16|s16|u32|s32|u64|s64", "=T T T", int_max, integer<minimum, 2>},
    {"max", "u16|s16|u32|s32|u64|s64", "=T T T", int_max, integer<maximum, 2>},
    {"sad", "u16|s16|u32|s32|u64|s64", "=T T T T", int_add, integer<sum_of_absolute_difference, 3>},
    {"dp4a", "u32|s32 u32|s32", "=b32 b32 b32 b32", int_mad, dot_4_select<>},
    {"dp2a", "@half u32|s32 u32|s32", "=b32 b32 b32 b32", int_mad, dot_2_select<>},
    {"bmsk", "@wrap b32", "=T u32 u32", int_add, bit_masks<>},
    {"szext", "@wrap u32|s32", "=T T u32", int_add, sign_extensions<>},
    {"popc", "b32|b64", "=u32 T", int_add, bit_counts<population_count>},
    {"clz", "b32|b64", "=u32 T", int_add, bit_counts<count_leading_zeros>},
    {"bfind", "u32|s32|u64|s64", "=u32 T", int_add, bit_finds<bit_find>},
    {"bfind", "shiftamt u32|s32|u64|s64", "=u32 T", int_add, bit_finds<bit_find_shift>},
    {"brev", "b32|b64", "=T T", int_add, integer<bit_reverse, 1>},
    {"bfe", "u32|s32|u64|s64", "=T T u32 u32", int_add, field_extracts<>},
    {"bfi", "b32|b64", "=T T T u32 u32", int_add, field_inserts<>},
    {"prmt", "b32 @permute?", "=b32 b32 b32 b32", int_add, permute_select::select},
};

inline constexpr row logic[] = {
    {"and", "b16|b32|b64", "=T T T", int_add, bits<bit_and, 2>},
    {"or", "b16|b32|b64", "=T T T", int_add, bits<bit_or, 2>},
    {"xor", "b16|b32|b64", "=T T T", int_add, bits<bit_xor, 2>},
    {"not", "b16|b32|b64", "=T T", int_add, bits<bit_not, 1>},
    {"cnot", "b16|b32|b64", "=T T", int_add, bits<logical_not, 1>},
    {"and", "pred", "=T T T", int_add, always<predicate_logic<0>>},
    {"or", "pred", "=T T T", int_add, always<predicate_logic<1>>},
    {"xor", "pred", "=T T T", int_add, always<predicate_logic<2>>},
    {"not", "pred", "=T T", int_add, always<predicate_logic<3>>},
    {"lop3", "b32", "=T T T T u32", int_add, always<map_lanes<logic_3, u32, u32, u32, u32, u32>>},
    {"shl", "b16|b32|b64|u16|u32|u64|s16|s32|s64", "=T T u32", int_add, shifts<shift_left, u32>},
    {"shr", "b16|b32|b64|u16|u32|u64|s16|s32|s64", "=T T u32", int_add, shifts<shift_right, u32>},
    {"shf", "@direction @wrap b32", "=T T T u32", int_add, funnels<>},
};

inline constexpr row moves_and_comparisons[] = {
    {"mov", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|f16x2", "=T T", int_add, bits<copy, 1>},
    {"mov", "pred", "=T T", int_add, always<predicate_logic<4>>},
    {"mov", "b32|b64", "=T *T", int_add, always<semantics::pack<>>, compute, trait::pack},
    {"mov", "b32|b64", "=*T T", int_add, always<semantics::unpack<>>, compute, trait::unpack},
    {"mov", "b128", "=T T", int_add, always<semantics::copy_words>},
    {"mov", "b128", "=T *T", int_add, always<semantics::copy_words>, compute, trait::pack},
    {"mov", "b128", "=*T T", int_add, always<semantics::copy_words>, compute, trait::unpack},
    {"cvta", "@to? @space u64", "=T T", int_add, always<convert_address<>>},
    {"isspacep", "@space", "=pred b64", int_add, always<is_in_space<>>},
    {"setp", "@compare @ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64", "=pred| T T", int_add,
     set_predicates<>, compute, test_first},
    {"setp", "@compare @boolean @ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64", "=pred| T T pred",
     int_add, set_predicates<>, compute, test_first},
    {"setp", "@compare @ftz? bf16|f16x2|bf16x2", "=pred| T T", int_add, set_predicates<>, compute,
     test_first},
    {"setp", "@compare @boolean @ftz? bf16|f16x2|bf16x2", "=pred| T T pred", int_add, set_predicates<>,
     compute, test_first},
    {"set", "@compare @ftz? f16|bf16|u16|s16|u32|s32|f32 f16|bf16", "=T U U", int_add, set_values<>, compute,
     test_second},
    {"set", "@compare @boolean @ftz? f16|bf16|u16|s16|u32|s32|f32 f16|bf16", "=T U U pred", int_add,
     set_values<>, compute, test_second},
    {"set", "@compare @ftz? f16x2|bf16x2|u32|s32 f16x2|bf16x2", "=T U U", int_add, set_values<>, compute,
     test_second},
    {"set", "@compare @boolean @ftz? f16x2|bf16x2|u32|s32 f16x2|bf16x2", "=T U U pred", int_add, set_values<>,
     compute, test_second},
    {"set", "@compare @ftz? u32|s32|b32|f32 b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "=T U U", int_add,
     set_values<>, compute, test_second},
    {"set", "@compare @boolean @ftz? u32|s32|b32|f32 b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "=T U U pred", int_add, set_values<>, compute, test_second},
    {"selp", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "=T T T pred", int_add, by_size<select_lanes>},
    {"slct", "@ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 s32|f32", "=T T T U", int_add,
     by_size<select_by_sign>},
};

inline constexpr row floating_point[] = {
    {"add", "@rounding? @ftz? @sat? f32|f64", "=T T T", add_class, rounded_reals<real::add, rounded::add, 2>},
    {"sub", "@rounding? @ftz? @sat? f32|f64", "=T T T", add_class,
     rounded_reals<real::subtract, rounded::subtract, 2>},
    {"mul", "@rounding? @ftz? @sat? f32|f64", "=T T T", mul_class,
     rounded_reals<real::multiply, rounded::multiply, 2>},
    {"fma", "@rounding @ftz? @sat? f32|f64", "=T T T T", mad_class,
     rounded_reals<real::fused, rounded::fused, 3>},
    {"mad", "@rounding? @ftz? @sat? f32|f64", "=T T T T", mad_class,
     rounded_reals<real::fused, rounded::fused, 3>},
    {"div", "@rounding @ftz? f32|f64", "=T T T", div_class, rounded_reals<real::divide, rounded::divide, 2>},
    {"div", "@approx @ftz? f32", "=T T T", special, reals<real::divide, 2>},
    {"rcp", "@rounding @ftz? f32|f64", "=T T", div_class,
     rounded_reals<real::reciprocal, rounded::reciprocal, 1>},
    {"rcp", "@approx @ftz? f32|f64", "=T T", special, reals<real::reciprocal, 1>},
    {"sqrt", "@rounding @ftz? f32|f64", "=T T", div_class,
     rounded_reals<real::square_root, rounded::square_root, 1>},
    {"sqrt", "@approx @ftz? f32", "=T T", special, reals<real::square_root, 1>},
    {"rsqrt", "@approx @ftz? f32|f64", "=T T", special,
     reals<approximate_function::reciprocal_square_root, 1>},
    {"ex2", "approx @ftz? f32", "=T T", special, always<map_approximate<approximate_function::exp2>>},
    {"lg2", "approx @ftz? f32", "=T T", special, always<map_approximate<approximate_function::log2>>},
    {"sin", "approx @ftz? f32", "=T T", special, always<map_approximate<approximate_function::sine>>},
    {"cos", "approx @ftz? f32", "=T T", special, always<map_approximate<approximate_function::cosine>>},
    {"tanh", "approx f32", "=T T", special,
     always<map_approximate<approximate_function::hyperbolic_tangent>>},
    {"min", "@ftz? f32|f64", "=T T T", max_class, reals<real::minimum, 2>},
    {"max", "@ftz? f32|f64", "=T T T", max_class, reals<real::maximum, 2>},
    {"min", "@ftz? NaN f32", "=T T T", max_class, reals<real::minimum_nan, 2>},
    {"max", "@ftz? NaN f32", "=T T T", max_class, reals<real::maximum_nan, 2>},
    {"neg", "f32|f64", "=T T", add_class, bits<real_negate, 1>},
    {"abs", "f32|f64", "=T T", add_class, bits<real_absolute, 1>},
    {"neg", "ftz f32", "=T T", add_class, always<map_flushed<real_negate<u32>>>},
    {"abs", "ftz f32", "=T T", add_class, always<map_flushed<real_absolute<u32>>>},
    {"copysign", "f32|f64", "=T T T", int_add, bits<real_copysign, 2>},
    {"testp", "@test f32|f64", "=pred T", int_add, property_tests<>},
};

inline constexpr row half_arithmetic[] = {
    {"add", "@rounding? @ftz? @sat? f16|f16x2", "=T T T", add_class, half_precision<halves::add, 2>},
    {"add", "@rounding? bf16|bf16x2", "=T T T", add_class, half_precision<halves::add, 2>},
    {"sub", "@rounding? @ftz? @sat? f16|f16x2", "=T T T", add_class, half_precision<halves::subtract, 2>},
    {"sub", "@rounding? bf16|bf16x2", "=T T T", add_class, half_precision<halves::subtract, 2>},
    {"mul", "@rounding? @ftz? @sat? f16|f16x2", "=T T T", mul_class, half_precision<halves::multiply, 2>},
    {"mul", "@rounding? bf16|bf16x2", "=T T T", mul_class, half_precision<halves::multiply, 2>},
    {"fma", "@rounding @ftz? @sat? f16|f16x2", "=T T T T", mad_class,
     half_precision<halves::multiply_add, 3>},
    {"fma", "@rounding @ftz? @relu f16|f16x2", "=T T T T", mad_class,
     half_precision<halves::multiply_add, 3>},
    {"fma", "@rounding @relu? bf16|bf16x2", "=T T T T", mad_class, half_precision<halves::multiply_add, 3>},
    {"neg", "@ftz? f16|f16x2", "=T T", add_class, half_precision<halves::negate, 1>},
    {"neg", "bf16|bf16x2", "=T T", add_class, half_precision<halves::negate, 1>},
    {"abs", "@ftz? f16|f16x2", "=T T", add_class, half_precision<halves::absolute, 1>},
    {"abs", "bf16|bf16x2", "=T T", add_class, half_precision<halves::absolute, 1>},
    {"min", "@ftz? f16|f16x2", "=T T T", max_class, half_precision<halves::extreme<false, false>, 2>},
    {"max", "@ftz? f16|f16x2", "=T T T", max_class, half_precision<halves::extreme<true, false>, 2>},
    {"min", "@ftz? NaN f16|f16x2", "=T T T", max_class, half_precision<halves::extreme<false, true>, 2>},
    {"max", "@ftz? NaN f16|f16x2", "=T T T", max_class, half_precision<halves::extreme<true, true>, 2>},
    {"min", "bf16|bf16x2", "=T T T", max_class, half_precision<halves::extreme<false, false>, 2>},
    {"max", "bf16|bf16x2", "=T T T", max_class, half_precision<halves::extreme<true, false>, 2>},
    {"min", "NaN bf16|bf16x2", "=T T T", max_class, half_precision<halves::extreme<false, true>, 2>},
    {"max", "NaN bf16|bf16x2", "=T T T", max_class, half_precision<halves::extreme<true, true>, 2>},
    {"ex2", "approx f16|f16x2", "=T T", special, half_precision<halves::exp2, 1>},
    {"ex2", "approx ftz bf16|bf16x2", "=T T", special, half_precision<halves::exp2, 1>},
    {"tanh", "approx f16|f16x2|bf16|bf16x2", "=T T", special, half_precision<halves::hyperbolic_tangent, 1>},
};

inline constexpr row conversion[] = {
    {"cvt", "pack sat @narrow=u16|s16 s32", "=b32 T T", int_add, always<pack_narrow<>>},
    {"cvt", "pack sat @narrow=u2|s2|u4|s4|u8|s8 s32 b32", "=U T T U", int_add, always<pack_narrow<>>},
    {"cvt", "@rounding @ftz? @relu? @satfinite? f16x2|bf16x2 f32", "=T U U", int_add, half_packs<>},
    {"cvt", "@rounding @relu @satfinite? f16|bf16 f32", "=T+ U", int_add, narrowing<>},
    {"cvt", "@rounding @satfinite f16|bf16 f32", "=T+ U", int_add, narrowing<>},
    {"cvt", "rna @satfinite? tf32 f32", "=T U", int_add, tf32_conversions<>},
    {"cvt", "@rounding @relu? @satfinite? tf32 f32", "=T U", int_add, tf32_conversions<>},
    {"cvt", "@rounding @satfinite @relu? e4m3x2|e5m2x2 f32", "=T+ U U", int_add, byte_conversions<>},
    {"cvt", "@rounding @satfinite @relu? e4m3x2|e5m2x2 f16x2", "=T+ U", int_add, byte_conversions<>},
    {"cvt", "@rounding @relu? f16x2 e4m3x2|e5m2x2", "=T U+", int_add, byte_conversions<>},
    {"cvt", "@rounding @satfinite @relu? e2m1x2|e2m3x2|e3m2x2 f32", "=T+ U U", int_add, tiny_conversions<>},
    {"cvt", "@rounding @relu? f16x2 e2m1x2|e2m3x2|e3m2x2", "=T U+", int_add, tiny_conversions<>},
    {"cvt", "@rounding @satfinite? ue8m0x2 f32", "=T+ U U", int_add, scale_conversions<>},
    {"cvt", "@rounding @satfinite? ue8m0x2 bf16x2", "=T+ U", int_add, scale_conversions<>},
    {"cvt", "@rounding bf16x2 ue8m0x2", "=T U+", int_add, scale_conversions<>},
    {"cvt",
     "@rounding? @ftz? @sat? u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64 "
     "u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64",
     "=T+ U+", int_add, conversions<>},
    {"cvt", "@rounding bf16 u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64", "=T+ U+", int_add,
     conversions<>},
    {"cvt", "@rounding f16 bf16", "=T+ U+", int_add, conversions<>},
    {"cvt", "f32|f64 bf16", "=T U+", int_add, conversions<>},
    {"cvt", "@integral @ftz? @sat? u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64 f16|f32|f64", "=T+ U+", int_add,
     conversions<>},
    {"cvt", "@integral u8|u16|u32|u64|s8|s16|s32|s64|bf16 bf16", "=T+ U+", int_add, conversions<>},
};

inline constexpr row memory[] = {
    {"ld",
     "~ @order? @scope? @space? @nc? @cache? @level? @second_level? @cache_hint? @prefetch_size? @vector? "
     "b8|u8|s8|b16|u16|s16|f16|b32|u32|s32|f32|f16x2|b64|u64|s64|f64|b128",
     "=*T+ [] ?P", load_class, loads<>, access},
    {"ldu", "@space? @vector=v2|v4? b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", "=*T+ []",
     load_class, loads<>, access},
    {"st",
     "~ @order? @scope? @space? @cache? @level? @second_level? @cache_hint? @vector? "
     "b8|u8|s8|b16|u16|s16|f16|b32|u32|s32|f32|f16x2|b64|u64|s64|f64|b128",
     "[] *T+ ?P", store_class, stores<>, access},
    {"tex", "base? @geometry=1d|2d|3d|a1d|a2d|cube|acube @vector u32|s32|f32 s32|f32", "=*T [,]", load_class,
     fetches<texturing::detail_from::base>, access},
    {"tex", "level @geometry=1d|2d|3d|a1d|a2d|cube|acube @vector u32|s32|f32 s32|f32", "=*T [,] U",
     load_class, fetches<texturing::detail_from::level>, access},
    {"tex", "grad @geometry=1d|2d|3d|a1d|a2d|cube|acube @vector u32|s32|f32 f32", "=*T [,] {'} {'}",
     load_class, fetches<texturing::detail_from::gradient>, access},
    {"tld4", "@component @geometry=2d|a2d|cube|acube @vector u32|s32|f32 f32", "=*T [,]", load_class,
     gathers<>, access},
    {"txq", "@query b32", "=T [i]", int_add, always<query_texture<false>>},
    {"txq", "level @query b32", "=T [i] u32", int_add, always<query_texture<true>>},
    {"suq", "@query=width|height|depth|array_size b32", "=T [i]", int_add, always<query_texture<false>>},
    {"suld", "b @geometry=1d|2d|3d|a1d|a2d @cache? @vector? b8|b16|b32|b64 @boundary", "=*T+ [,]", load_class,
     surface_loads<>, access},
    {"sust", "b @geometry=1d|2d|3d|a1d|a2d @cache? @vector? b8|b16|b32|b64 @boundary", "[,] *T+", store_class,
     surface_stores<>, access},
};

inline constexpr row atomic_operations[] = {
    {"atom", "~ @order? @scope? @space? @cache_hint? cas b32|b64|u32|u64|s32|s64", "=T [] T T ?P", atomic,
     swaps<>, access},
    {"atom", "~ @order? @scope? @space? @cache_hint? @atomic u32|s32|u64|s64|b32|b64|f32|f64", "=T [] T ?P",
     atomic, atomics<>, access},
    {"atom", "~ @order? @scope? @space? @cache_hint? cas b16", "=T [] T T ?P", atomic, swaps<>, access},
    {"atom", "~ @order? @scope? @space? @cache_hint? cas b128", "=T [] T T ?P", atomic, wide_exchanges<true>,
     access},
    {"atom", "~ @order? @scope? @space? @cache_hint? @atomic=exch b128", "=T [] T ?P", atomic,
     wide_exchanges<false>, access},
    {"atom", "~ @order? @scope? @space? @cache_hint? @atomic noftz f16|f16x2|bf16|bf16x2", "=T [] T ?P",
     atomic, half_atomics<>, access},
    {"red", "~ @order? @scope? @space? @cache_hint? @atomic noftz f16|f16x2|bf16|bf16x2", "[] T ?P", atomic,
     half_atomics<>, access},
    {"red", "~ @order? @scope? @space? @cache_hint? @atomic u32|s32|u64|s64|b32|b64|f32|f64", "[] T ?P",
     atomic, atomics<>, access},
    {"atom", "~ @order? @scope? @space=global? @cache_hint? @atomic=add @vector=v2|v4 f32", "=*T [] *T ?P",
     atomic, vector_sums<>, access},
    {"atom", "~ @order? @scope? @space=global? @cache_hint? @atomic=add noftz @vector f16|f16x2|bf16|bf16x2",
     "=*T [] *T ?P", atomic, vector_sums<>, access},
    {"red", "~ @order? @scope? @space=global? @cache_hint? @atomic=add @vector=v2|v4 f32", "[] *T ?P", atomic,
     vector_sums<>, access},
    {"red", "~ @order? @scope? @space=global? @cache_hint? @atomic=add noftz @vector f16|f16x2|bf16|bf16x2",
     "[] *T ?P", atomic, vector_sums<>, access},
};

inline constexpr row warp_operations[] = {
    {"shfl", "sync @shuffle b32", "=T| T u32 u32 u32", shuffle, always<shuffle_lanes<>>, gather},
    {"shfl", "@shuffle b32", "=T| T u32 u32", shuffle, always<shuffle_lanes<>>},
    {"vote", "sync ballot b32", "=T pred u32", shuffle, always<vote_ballot<>>, gather},
    {"vote", "ballot sync b32", "=T pred u32", shuffle, always<vote_ballot<>>,
     gather}, // so in CUB; ptxas takes it
    {"vote", "ballot b32", "=T pred", shuffle, always<vote_ballot<>>},
    {"vote", "sync @vote pred", "=T T u32", shuffle, always<vote_predicate<>>, gather},
    {"vote", "@vote pred", "=T T", shuffle, always<vote_predicate<>>},
    {"activemask", "b32", "=T", shuffle, always<active_mask<>>},
    {"match", "any sync b32|b64", "=b32 T u32", shuffle, matches<false>, gather},
    {"match", "all sync b32|b64", "=b32| T u32", shuffle, matches<true>, gather},
    {"redux", "sync @atomic u32|s32|b32", "=T T u32", shuffle, reductions<>, gather},
    {"elect", "sync", "=u32| u32", shuffle, always<elect_leader<>>, gather},
};

/// The shapes and types of matrices that can be multiplied; docs/reference/frontend.md#matrices lists them.
inline constexpr row matrix_operations[] = {
    {"mma", "sync aligned @shape=m8n8k4 @a_layout @b_layout f16|f32 f16 f16 f16|f32", "=#D #A #B #C", tensor,
     matrix_products<>},
    {"mma", "sync aligned @shape=m16n8k8|m16n8k16 row col f16|f32 f16 f16 f16|f32", "=#D #A #B #C", tensor,
     matrix_products<>},
    {"mma", "sync aligned @shape=m16n8k8|m16n8k16 row col f32 bf16 bf16 f32", "=#D #A #B #C", tensor,
     matrix_products<>},
    {"mma", "sync aligned @shape=m16n8k4|m16n8k8 row col f32 tf32 tf32 f32", "=#D #A #B #C", tensor,
     matrix_products<>},
    {"mma", "sync aligned @shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16 row col @rounding? f64 f64 f64 f64",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"mma", "sync aligned @shape=m8n8k16|m16n8k16|m16n8k32 row col @satfinite? s32 s8|u8 s8|u8 s32",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"mma", "sync aligned @shape=m8n8k32|m16n8k32|m16n8k64 row col @satfinite? s32 s4|u4 s4|u4 s32",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"mma", "sync aligned @shape=m8n8k128|m16n8k128|m16n8k256 row col s32 b1 b1 s32 @boolean popc",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"mma", "sync aligned @shape=m16n8k16|m16n8k32 row col kind::f8f6f4? f16|f32 e4m3|e5m2 e4m3|e5m2 f16|f32",
     "=#D #A #B #C", tensor, matrix_products<>},
    // CUTLASS writes the kind before the shape, the PTX ISA behind it.
    {"mma",
     "sync aligned kind::f8f6f4 @shape=m16n8k32 row col f16|f32 e4m3|e5m2|e2m3|e3m2|e2m1 "
     "e4m3|e5m2|e2m3|e3m2|e2m1 f16|f32",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"mma",
     "sync aligned @shape=m16n8k32 row col kind::f8f6f4 f16|f32 e4m3|e5m2|e2m3|e3m2|e2m1 "
     "e4m3|e5m2|e2m3|e3m2|e2m1 f16|f32",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"mma",
     "sync aligned @tensor_kind=kind::mxf8f6f4 block_scale @scale_vectors=scale_vec::1X? @shape=m16n8k32 "
     "row col f32 e4m3|e5m2|e2m3|e3m2|e2m1 e4m3|e5m2|e2m3|e3m2|e2m1 f32 @scale_type",
     "=#D #A #B #C #S #I #S #I", tensor, scaled_products<>},
    {"mma",
     "sync aligned @shape=m16n8k32 row col @tensor_kind=kind::mxf8f6f4 block_scale "
     "@scale_vectors=scale_vec::1X? f32 e4m3|e5m2|e2m3|e3m2|e2m1 e4m3|e5m2|e2m3|e3m2|e2m1 f32 @scale_type",
     "=#D #A #B #C #S #I #S #I", tensor, scaled_products<>},
    {"mma",
     "sync aligned @tensor_kind=kind::mxf4|kind::mxf4nvf4 block_scale "
     "@scale_vectors=scale_vec::2X|scale_vec::4X? @shape=m16n8k64 row col f32 e2m1 e2m1 f32 @scale_type",
     "=#D #A #B #C #S #I #S #I", tensor, scaled_products<>},
    {"mma",
     "sync aligned @shape=m16n8k64 row col @tensor_kind=kind::mxf4|kind::mxf4nvf4 block_scale "
     "@scale_vectors=scale_vec::2X|scale_vec::4X? f32 e2m1 e2m1 f32 @scale_type",
     "=#D #A #B #C #S #I #S #I", tensor, scaled_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k16 row col f16|f32 f16 f16 f16|f32",
     "=#D #A #B #C b32 n0,1,2,3", tensor, sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k32 row col f16|f32 f16 f16 f16|f32", "=#D #A #B #C b32 n0,1",
     tensor, sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k16 row col f32 bf16 bf16 f32", "=#D #A #B #C b32 n0,1,2,3",
     tensor, sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k32 row col f32 bf16 bf16 f32", "=#D #A #B #C b32 n0,1", tensor,
     sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k8 row col f32 tf32 tf32 f32", "=#D #A #B #C b32 n0,1,2,3",
     tensor, sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k16 row col f32 tf32 tf32 f32", "=#D #A #B #C b32 n0,1", tensor,
     sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k32 row col @satfinite? s32 s8|u8 s8|u8 s32",
     "=#D #A #B #C b32 n0,1", tensor, sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k64 row col @satfinite? s32 s8|u8 s8|u8 s32",
     "=#D #A #B #C b32 n0", tensor, sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k64 row col @satfinite? s32 s4|u4 s4|u4 s32",
     "=#D #A #B #C b32 n0,1", tensor, sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k128 row col @satfinite? s32 s4|u4 s4|u4 s32",
     "=#D #A #B #C b32 n0", tensor, sparse_products<>},
    {"mma", "@sparse sync aligned @shape=m16n8k64 row col kind::f8f6f4? f16|f32 e4m3|e5m2 e4m3|e5m2 f16|f32",
     "=#D #A #B #C b32 n0", tensor, sparse_products<>},
    {"wmma",
     "mma sync aligned? @a_layout @b_layout @shape=m16n16k16|m8n32k16|m32n8k16 f16|f32 f16|f32 @satfinite?",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"wmma", "mma sync aligned @a_layout @b_layout @shape=m16n16k16|m8n32k16|m32n8k16 f32 bf16 bf16 f32",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"wmma", "mma sync aligned @a_layout @b_layout @shape=m16n16k8 f32 tf32 tf32 f32", "=#D #A #B #C", tensor,
     matrix_products<>},
    {"wmma", "mma sync aligned @a_layout @b_layout @shape=m8n8k4 @rounding? f64 f64 f64 f64", "=#D #A #B #C",
     tensor, matrix_products<>},
    {"wmma",
     "mma sync aligned @a_layout @b_layout @shape=m16n16k16|m8n32k16|m32n8k16 s32 s8|u8 s8|u8 s32 "
     "@satfinite?",
     "=#D #A #B #C", tensor, matrix_products<>},
    {"wmma", "mma sync aligned row col @shape=m8n8k32 s32 s4|u4 s4|u4 s32 @satfinite?", "=#D #A #B #C",
     tensor, matrix_products<>},
    {"wmma", "mma @boolean popc sync aligned row col @shape=m8n8k128 s32 b1 b1 s32", "=#D #A #B #C", tensor,
     matrix_products<>},

    {"wmma",
     "load @matrix=a sync aligned? @a_layout @shape=m16n16k16|m8n32k16|m32n8k16 @space? f16|bf16|s8|u8",
     "=#A [] ?u32", load_class, always<move_matrix<false>>, access},
    {"wmma", "load @matrix=a sync aligned @a_layout @shape=m16n16k8 @space? tf32", "=#A [] ?u32", load_class,
     always<move_matrix<false>>, access},
    {"wmma", "load @matrix=a sync aligned @a_layout @shape=m8n8k4 @space? f64", "=#A [] ?u32", load_class,
     always<move_matrix<false>>, access},
    {"wmma", "load @matrix=a sync aligned @a_layout=row @shape=m8n8k32 @space? s4|u4", "=#A [] ?u32",
     load_class, always<move_matrix<false>>, access},
    {"wmma", "load @matrix=a sync aligned @a_layout=row @shape=m8n8k128 @space? b1", "=#A [] ?u32",
     load_class, always<move_matrix<false>>, access},
    {"wmma",
     "load @matrix=b sync aligned? @a_layout @shape=m16n16k16|m8n32k16|m32n8k16 @space? f16|bf16|s8|u8",
     "=#B [] ?u32", load_class, always<move_matrix<false>>, access},
    {"wmma", "load @matrix=b sync aligned @a_layout @shape=m16n16k8 @space? tf32", "=#B [] ?u32", load_class,
     always<move_matrix<false>>, access},
    {"wmma", "load @matrix=b sync aligned @a_layout @shape=m8n8k4 @space? f64", "=#B [] ?u32", load_class,
     always<move_matrix<false>>, access},
    {"wmma", "load @matrix=b sync aligned @a_layout=col @shape=m8n8k32 @space? s4|u4", "=#B [] ?u32",
     load_class, always<move_matrix<false>>, access},
    {"wmma", "load @matrix=b sync aligned @a_layout=col @shape=m8n8k128 @space? b1", "=#B [] ?u32",
     load_class, always<move_matrix<false>>, access},
    {"wmma", "load @matrix=c sync aligned? @a_layout @shape=m16n16k16|m8n32k16|m32n8k16 @space? f16|f32|s32",
     "=#C [] ?u32", load_class, always<move_matrix<false>>, access},
    {"wmma", "load @matrix=c sync aligned @a_layout @shape=m16n16k8 @space? f32", "=#C [] ?u32", load_class,
     always<move_matrix<false>>, access},
    {"wmma", "load @matrix=c sync aligned @a_layout @shape=m8n8k4 @space? f64", "=#C [] ?u32", load_class,
     always<move_matrix<false>>, access},
    {"wmma", "load @matrix=c sync aligned @a_layout @shape=m8n8k32|m8n8k128 @space? s32", "=#C [] ?u32",
     load_class, always<move_matrix<false>>, access},
    {"wmma", "store @matrix=d sync aligned? @a_layout @shape=m16n16k16|m8n32k16|m32n8k16 @space? f16|f32|s32",
     "[] #D ?u32", store_class, always<move_matrix<true>>, access},
    {"wmma", "store @matrix=d sync aligned @a_layout @shape=m16n16k8 @space? f32", "[] #D ?u32", store_class,
     always<move_matrix<true>>, access},
    {"wmma", "store @matrix=d sync aligned @a_layout @shape=m8n8k4 @space? f64", "[] #D ?u32", store_class,
     always<move_matrix<true>>, access},
    {"wmma", "store @matrix=d sync aligned @a_layout @shape=m8n8k32|m8n8k128 @space? s32", "[] #D ?u32",
     store_class, always<move_matrix<true>>, access},

    {"ldmatrix", "sync aligned m8n8 @matrices @transposed? @space? b16", "=#M []", load_class,
     always<move_rows<false>>, access},
    {"stmatrix", "sync aligned m8n8 @matrices @transposed? @space? b16", "[] #M", store_class,
     always<move_rows<true>>, access},
    // ptxas takes the words in this order, too, and kernels are written so.
    {"ldmatrix", "sync aligned @matrices @transposed? m8n8 @space? b16", "=#M []", load_class,
     always<move_rows<false>>, access},
    {"stmatrix", "sync aligned @matrices @transposed? m8n8 @space? b16", "[] #M", store_class,
     always<move_rows<true>>, access},
    {"movmatrix", "sync aligned m8n8 @transposed b16", "=b32 b32", shuffle, always<transpose_matrix<>>},
};

inline constexpr row asynchronous[] = {
    {"cp", "async @cache=ca @space=shared|shared::cta global @cache_hint? @prefetch_size?",
     "[] [+] n4,8,16 ?P", load_class, always<copy_to_shared<false>>, action::copy},
    {"cp", "async @cache=ca @space=shared|shared::cta global @cache_hint? @prefetch_size?",
     "[] [+] n4,8,16 u32 ?P", load_class, always<copy_to_shared<false>>, action::copy},
    {"cp", "async @cache=ca @space=shared|shared::cta global @cache_hint? @prefetch_size?",
     "[] [+] n4,8,16 pred ?P", load_class, always<copy_to_shared<true>>, action::copy},
    {"cp", "async @cache=cg @space=shared|shared::cta global @cache_hint? @prefetch_size?", "[] [+] n16 ?P",
     load_class, always<copy_to_shared<false>>, action::copy},
    {"cp", "async @cache=cg @space=shared|shared::cta global @cache_hint? @prefetch_size?",
     "[] [+] n16 u32 ?P", load_class, always<copy_to_shared<false>>, action::copy},
    {"cp", "async @cache=cg @space=shared|shared::cta global @cache_hint? @prefetch_size?",
     "[] [+] n16 pred ?P", load_class, always<copy_to_shared<true>>, action::copy},
    {"cp", "async commit_group", "", int_add, nothing, compute, async_role::commit},
    {"cp", "async wait_group", "n", int_add, nothing, compute, async_role::wait},
    {"cp", "async wait_all", "", int_add, nothing, compute, awaits_all},
    {"cp", "async mbarrier arrive @space? b64", "[]", atomic,
     always<use_barrier<barrier_action::arrive_copied>>, access, after_all},
    {"cp", "async mbarrier arrive noinc @space? b64", "[]", atomic,
     always<use_barrier<barrier_action::arrive_copied_counted>>, access, after_all},

    {"mbarrier", "init @space? b64", "[] u32", store_class, always<use_barrier<barrier_action::init>>,
     access},
    {"mbarrier", "inval @space? b64", "[]", store_class, always<use_barrier<barrier_action::invalidate>>,
     access},
    {"mbarrier", "expect_tx @order? @scope? @space? b64", "[] u32", atomic,
     always<use_barrier<barrier_action::expect>>, access},
    {"mbarrier", "complete_tx @order? @scope? @space? b64", "[] u32", atomic,
     always<use_barrier<barrier_action::finish>>, access, async_role::arrive},
    {"mbarrier", "arrive @order? @scope? @space? b64", "=T [] ?u32", atomic,
     always<use_barrier<barrier_action::arrive>>, access, async_role::arrive},
    {"mbarrier", "arrive expect_tx @order? @scope? @space? b64", "=T [] u32", atomic,
     always<use_barrier<barrier_action::arrive_and_expect>>, access, async_role::arrive},
    {"mbarrier", "arrive noComplete @order? @scope? @space? b64", "=T [] u32", atomic,
     always<use_barrier<barrier_action::arrive_incomplete>>, access, async_role::arrive},
    {"mbarrier", "arrive_drop @order? @scope? @space? b64", "=T [] ?u32", atomic,
     always<use_barrier<barrier_action::drop>>, access, async_role::arrive},
    {"mbarrier", "arrive_drop expect_tx @order? @scope? @space? b64", "=T [] u32", atomic,
     always<use_barrier<barrier_action::drop_and_expect>>, access, async_role::arrive},
    {"mbarrier", "arrive_drop noComplete @order? @scope? @space? b64", "=T [] u32", atomic,
     always<use_barrier<barrier_action::drop_incomplete>>, access, async_role::arrive},
    {"mbarrier", "test_wait @order? @scope? @space? b64", "=pred [] T", load_class,
     always<test_barrier<false>>, poll},
    {"mbarrier", "test_wait parity @order? @scope? @space? b64", "=pred [] u32", load_class,
     always<test_barrier<true>>, poll},
    {"mbarrier", "try_wait @order? @scope? @space? b64", "=pred [] T ?u32", load_class,
     always<test_barrier<false>>, poll},
    {"mbarrier", "try_wait parity @order? @scope? @space? b64", "=pred [] u32 ?u32", load_class,
     always<test_barrier<true>>, poll},
    {"mbarrier", "pending_count b64", "=u32 T", int_add, always<pending_arrivals<>>},
};

/// Hopper's copies of many bytes by one thread. Of their words, .L2::cache_hint changes nothing.
inline constexpr row bulk_copies[] = {
    {"cp", "async bulk shared::cluster|shared::cta global mbarrier::complete_tx::bytes L2::cache_hint?",
     "[&] [&] u32 [&] ?b64", other, always<copy_bulk<bulk::way::global_to_shared>>, compute,
     async_role::bulk_copy},
    {"cp",
     "async bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint?",
     "[&] [&] u32 [&] b16 ?b64", other, always<copy_bulk<bulk::way::global_to_many>>, compute,
     async_role::bulk_copy},
    {"cp", "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes", "[&] [&] u32 [&]", other,
     always<copy_bulk<bulk::way::shared_to_cluster>>, compute, untimed},
    {"cp", "async bulk global shared::cta bulk_group L2::cache_hint?", "[&] [&] u32 ?b64", other,
     always<copy_bulk<bulk::way::shared_to_global>>, compute, async_role::bulk_copy},
    {"cp", "async bulk prefetch L2 global L2::cache_hint?", "[&] u32 ?b64", other, nothing},
    {"cp", "async bulk commit_group", "", other, nothing, compute, async_role::bulk_commit},
    {"cp", "async bulk wait_group", "n", other, nothing, compute, async_role::bulk_wait},
    {"cp", "async bulk wait_group read", "n", other, nothing, compute, async_role::bulk_wait_read},
    {"clusterlaunchcontrol", "try_cancel async shared::cta? mbarrier::complete_tx::bytes b128", "[&] [&]",
     atomic, always<ask_for_launch<false>>, compute, async_role::arrive},
    {"clusterlaunchcontrol",
     "try_cancel async shared::cta? mbarrier::complete_tx::bytes multicast::cluster::all b128", "[&] [&]",
     atomic, always<ask_for_launch<true>>, compute, async_role::arrive},
    {"clusterlaunchcontrol", "query_cancel is_canceled pred b128", "=T U", int_add, always<was_given<>>},
    {"clusterlaunchcontrol", "query_cancel get_first_ctaid @vector=v4 b32 b128", "=*T U", int_add,
     always<first_cta<0>>},
    {"clusterlaunchcontrol", "query_cancel get_first_ctaid::x b32 b128", "=T U", int_add,
     always<first_cta<0>>},
    {"clusterlaunchcontrol", "query_cancel get_first_ctaid::y b32 b128", "=T U", int_add,
     always<first_cta<1>>},
    {"clusterlaunchcontrol", "query_cancel get_first_ctaid::z b32 b128", "=T U", int_add,
     always<first_cta<2>>},
    {"st",
     "async @order=weak? shared::cluster? mbarrier::complete_tx::bytes @vector=v2|v4? "
     "b32|u32|s32|f32|b64|u64|s64|f64",
     "[&] *T [&]", atomic, always<store_asynchronously>, compute, async_role::arrive},
    {"red",
     "async @order=relaxed @scope=cluster shared::cluster? mbarrier::complete_tx::bytes @atomic "
     "u32|s32|u64|b32",
     "[&] T [&]", atomic, async_reductions, compute, async_role::arrive},
    {"cp",
     "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes @atomic b32|u32|s32|u64",
     "[&] [&] u32 [&]", other, bulk_reductions<bulk::way::shared_to_cluster>, compute, untimed},
    {"cp",
     "reduce async bulk global shared::cta bulk_group L2::cache_hint? @atomic=add|min|max|and|or|xor|inc|dec "
     "b32|u32|s32|b64|u64|s64|f32|f64",
     "[&] [&] u32 ?b64", other, bulk_reductions<bulk::way::shared_to_global>, compute, async_role::bulk_copy},
    {"cp", "reduce async bulk global shared::cta bulk_group L2::cache_hint? @atomic=min|max f16|bf16",
     "[&] [&] u32 ?b64", other, bulk_reductions<bulk::way::shared_to_global>, compute, async_role::bulk_copy},
    {"cp", "reduce async bulk global shared::cta bulk_group L2::cache_hint? @atomic=add noftz f16|bf16",
     "[&] [&] u32 ?b64", other, bulk_reductions<bulk::way::shared_to_global>, compute, async_role::bulk_copy},

    {"cp",
     "async bulk tensor @geometry shared::cluster|shared::cta global @box=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes @cta_group? L2::cache_hint?",
     "[&] [&,] [&] ?b64", other, always<copy_box<bulk::way::global_to_shared>>, compute,
     async_role::bulk_copy},
    {"cp",
     "async bulk tensor @geometry shared::cluster global @box=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes "
     "multicast::cluster @cta_group? L2::cache_hint?",
     "[&] [&,] [&] b16 ?b64", other, always<copy_box<bulk::way::global_to_many>>, compute,
     async_role::bulk_copy},
    {"cp",
     "async bulk tensor @geometry shared::cluster|shared::cta global @box=im2col "
     "mbarrier::complete_tx::bytes "
     "@cta_group? L2::cache_hint?",
     "[&] [&,] [&] {&} ?b64", other, always<copy_box<bulk::way::global_to_shared>>, compute,
     async_role::bulk_copy},
    {"cp",
     "async bulk tensor @geometry shared::cluster global @box=im2col mbarrier::complete_tx::bytes "
     "multicast::cluster @cta_group? L2::cache_hint?",
     "[&] [&,] [&] {&} b16 ?b64", other, always<copy_box<bulk::way::global_to_many>>, compute,
     async_role::bulk_copy},
    // As CUTLASS writes them.
    {"cp",
     "async bulk tensor @geometry @cta_group shared::cluster|shared::cta global @box=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes L2::cache_hint?",
     "[&] [&,] [&] ?b64", other, always<copy_box<bulk::way::global_to_shared>>, compute,
     async_role::bulk_copy},
    {"cp",
     "async bulk tensor @geometry @cta_group shared::cluster global @box=tile|tile::gather4? "
     "mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint?",
     "[&] [&,] [&] b16 ?b64", other, always<copy_box<bulk::way::global_to_many>>, compute,
     async_role::bulk_copy},
    {"cp",
     "async bulk tensor @geometry @box=im2col @cta_group shared::cluster|shared::cta global "
     "mbarrier::complete_tx::bytes L2::cache_hint?",
     "[&] [&,] [&] {&} ?b64", other, always<copy_box<bulk::way::global_to_shared>>, compute,
     async_role::bulk_copy},
    {"cp",
     "async bulk tensor @geometry @box=im2col @cta_group shared::cluster global mbarrier::complete_tx::bytes "
     "multicast::cluster L2::cache_hint?",
     "[&] [&,] [&] {&} b16 ?b64", other, always<copy_box<bulk::way::global_to_many>>, compute,
     async_role::bulk_copy},
    {"cp",
     "async bulk tensor @geometry global shared::cta @box=tile|tile::scatter4|im2col_no_offs? bulk_group "
     "L2::cache_hint?",
     "[&,] [&] ?b64", other, always<copy_box<bulk::way::shared_to_global>>, compute, async_role::bulk_copy},
    {"cp",
     "reduce async bulk tensor @geometry global shared::cta @atomic=add|min|max|and|or|xor|inc|dec "
     "@box=tile|im2col_no_offs? bulk_group L2::cache_hint?",
     "[&,] [&] ?b64", other, always<copy_box<bulk::way::shared_to_global>>, compute, async_role::bulk_copy},
    {"cp", "async bulk prefetch tensor @geometry L2 global @box=tile|tile::gather4? L2::cache_hint?",
     "[&,] ?b64", other, nothing},
    {"cp", "async bulk prefetch tensor @geometry L2 global @box=im2col L2::cache_hint?", "[&,] {&} ?b64",
     other, nothing},
};

inline constexpr row group_matrices[] = {
    {"wgmma", "mma_async sync aligned @group_shape f16|f32 f16 f16", "=#W b64 b64 pred n1,-1 n1,-1 n0,1 n0,1",
     other, group_products<true>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape f16|f32 f16 f16", "=#W #R b64 pred n1,-1 n1,-1 n0,1",
     other, group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape f32 bf16 bf16", "=#W b64 b64 pred n1,-1 n1,-1 n0,1 n0,1",
     other, group_products<true>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape f32 bf16 bf16", "=#W #R b64 pred n1,-1 n1,-1 n0,1", other,
     group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape f32 tf32 tf32", "=#W b64 b64 pred n1,-1 n1,-1", other,
     group_products<true>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape f32 tf32 tf32", "=#W #R b64 pred n1,-1 n1,-1", other,
     group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape f16|f32 e4m3|e5m2 e4m3|e5m2",
     "=#W b64 b64 pred n1,-1 n1,-1", other, group_products<true>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape f16|f32 e4m3|e5m2 e4m3|e5m2",
     "=#W #R b64 pred n1,-1 n1,-1", other, group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape @satfinite? s32 s8|u8 s8|u8 @satfinite?",
     "=#W b64 b64 pred", other, group_products<true>, compute, async_role::product},
    {"wgmma", "mma_async sync aligned @group_shape @satfinite? s32 s8|u8 s8|u8 @satfinite?",
     "=#W #R b64 pred", other, group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape f16|f32 f16 f16",
     "=#W b64 b64 u32 n pred n1,-1 n1,-1 n0,1 n0,1", other, group_products<true>, compute,
     async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape f16|f32 f16 f16",
     "=#W #R b64 u32 n pred n1,-1 n1,-1 n0,1", other, group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape f32 bf16 bf16",
     "=#W b64 b64 u32 n pred n1,-1 n1,-1 n0,1 n0,1", other, group_products<true>, compute,
     async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape f32 bf16 bf16",
     "=#W #R b64 u32 n pred n1,-1 n1,-1 n0,1", other, group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape f32 tf32 tf32",
     "=#W b64 b64 u32 n pred n1,-1 n1,-1", other, group_products<true>, compute, async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape f32 tf32 tf32",
     "=#W #R b64 u32 n pred n1,-1 n1,-1", other, group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape f16|f32 e4m3|e5m2 e4m3|e5m2",
     "=#W b64 b64 u32 n pred n1,-1 n1,-1", other, group_products<true>, compute, async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape f16|f32 e4m3|e5m2 e4m3|e5m2",
     "=#W #R b64 u32 n pred n1,-1 n1,-1", other, group_products<false>, compute, async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape @satfinite? s32 s8|u8 s8|u8 @satfinite?",
     "=#W b64 b64 u32 n pred", other, group_products<true>, compute, async_role::product},
    {"wgmma", "mma_async @sparse=sp sync aligned @group_shape @satfinite? s32 s8|u8 s8|u8 @satfinite?",
     "=#W #R b64 u32 n pred", other, group_products<false>, compute, async_role::product},
    {"wgmma", "fence sync aligned", "", other, nothing, action::pass},
    {"wgmma", "commit_group sync aligned", "", other, nothing, compute, async_role::product_commit},
    {"wgmma", "wait_group sync aligned", "n", other, nothing, action::pass, async_role::product_wait},
};

/// Blackwell's products into tensor memory, of single CTAs and of pairs. What the collector keeps of A changes nothing.
inline constexpr row tensor_memories[] = {
    {"tcgen05", "alloc @cta_group sync aligned @space=shared::cta? b32", "[&] b32", other, tensor_allocations,
     compute, async_role::tensor_allocate},
    {"tcgen05", "dealloc @cta_group sync aligned b32", "b32 b32", other, always<free_tensor_memory<>>,
     compute, async_role::tensor_free},
    {"tcgen05", "relinquish_alloc_permit @cta_group sync aligned", "", other,
     always<relinquish_tensor_memory<>>},
    {"tcgen05", "ld sync aligned @tensor_shape=16x32bx2 @registers @packed=pack::16b? b32", "=#T [&] n",
     other, tensor_moves<true>, compute, async_role::tensor_load},
    {"tcgen05", "ld sync aligned @tensor_shape @registers @packed=pack::16b? b32", "=#T [&]", other,
     tensor_moves<true>, compute, async_role::tensor_load},
    {"tcgen05", "st sync aligned @tensor_shape=16x32bx2 @registers @packed=unpack::16b? b32", "[&] n #T",
     other, tensor_moves<false>, compute, async_role::tensor_store},
    {"tcgen05", "st sync aligned @tensor_shape @registers @packed=unpack::16b? b32", "[&] #T", other,
     tensor_moves<false>, compute, async_role::tensor_store},
    {"tcgen05", "wait::ld sync aligned", "", other, nothing, compute, async_role::tensor_wait_loads},
    {"tcgen05", "wait::st sync aligned", "", other, nothing, compute, async_role::tensor_wait_stores},
    {"tcgen05", "fence::before_thread_sync|fence::after_thread_sync", "", other, nothing},
    {"tcgen05", "commit @cta_group mbarrier::arrive::one @space=shared::cluster? b64", "[&]", other,
     always<commit_tensor_products<false>>, compute, async_role::tensor_commit},
    {"tcgen05", "commit @cta_group mbarrier::arrive::one @space=shared::cluster? multicast::cluster b64",
     "[&] b16", other, always<commit_tensor_products<true>>, compute, async_role::tensor_commit},
    {"tcgen05", "mma @cta_group @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 @collector?",
     "[&] b64 b64 b32 pred ?n", other, always<multiply_tensors<true, false>>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @cta_group @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 @shifted? @collector?",
     "[&] [&] b64 b32 pred ?n", other, products_from_tensors<false>, compute, async_role::tensor_product},
    {"tcgen05", "mma @cta_group @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 @collector?",
     "[&] b64 b64 b32 #L pred ?n", other, always<multiply_tensors<true, true>>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @cta_group @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 @shifted? @collector?",
     "[&] [&] b64 b32 #L pred ?n", other, products_from_tensors<true>, compute, async_role::tensor_product},
    {"tcgen05",
     "mma @cta_group @tensor_kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale @scale_vectors? "
     "@collector?",
     "[&] b64 b64 b32 [&] [&] pred", other, scaled_tensor_products<true>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @cta_group @tensor_kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale @scale_vectors? "
     "@collector?",
     "[&] [&] b64 b32 [&] [&] pred", other, scaled_tensor_products<false>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @sparse=sp @cta_group @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 @collector?",
     "[&] b64 b64 [&] b32 pred ?n", other, always<multiply_tensors<true, false>>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @sparse=sp @cta_group @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 @collector?",
     "[&] [&] b64 [&] b32 pred ?n", other, products_from_tensors<false>, compute, async_role::tensor_product},
    {"tcgen05",
     "mma @sparse=sp @cta_group @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 @collector?",
     "[&] b64 b64 [&] b32 #L pred ?n", other, always<multiply_tensors<true, true>>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @sparse=sp @cta_group @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 @collector?",
     "[&] [&] b64 [&] b32 #L pred ?n", other, products_from_tensors<true>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @sparse=sp @cta_group @tensor_kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale "
     "@scale_vectors? "
     "@collector?",
     "[&] b64 b64 [&] b32 [&] [&] pred", other, scaled_tensor_products<true>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @sparse=sp @cta_group @tensor_kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale "
     "@scale_vectors? "
     "@collector?",
     "[&] [&] b64 [&] b32 [&] [&] pred", other, scaled_tensor_products<false>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @stationary @cta_group=cta_group::1 @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 "
     "@b_collector?",
     "[&] b64 b64 b32 pred ?b64", other, always<multiply_tensors<true, false>>, compute,
     async_role::tensor_product},
    {"tcgen05",
     "mma @stationary @cta_group=cta_group::1 @tensor_kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 "
     "@b_collector?",
     "[&] [&] b64 b32 pred ?b64", other, products_from_tensors<false>, compute, async_role::tensor_product},
    {"tcgen05", "cp @cta_group @copied=128x256b|128x128b|4x256b", "[&] b64", other,
     always<copy_to_tensor_memory<>>, compute, async_role::tensor_product},
    {"tcgen05", "cp @cta_group @copied=128x256b|128x128b|4x256b b8x16 @padded", "[&] b64", other,
     always<copy_to_tensor_memory<>>, compute, async_role::tensor_product},
    {"tcgen05", "cp @cta_group @copied=64x128b @copied_to=warpx2::02_13|warpx2::01_23", "[&] b64", other,
     always<copy_to_tensor_memory<>>, compute, async_role::tensor_product},
    {"tcgen05", "cp @cta_group @copied=64x128b @copied_to=warpx2::02_13|warpx2::01_23 b8x16 @padded",
     "[&] b64", other, always<copy_to_tensor_memory<>>, compute, async_role::tensor_product},
    {"tcgen05", "cp @cta_group @copied=32x128b @copied_to=warpx4", "[&] b64", other,
     always<copy_to_tensor_memory<>>, compute, async_role::tensor_product},
    {"tcgen05", "cp @cta_group @copied=32x128b @copied_to=warpx4 b8x16 @padded", "[&] b64", other,
     always<copy_to_tensor_memory<>>, compute, async_role::tensor_product},
    {"tcgen05", "shift @cta_group down", "[&]", other, always<shift_tensor_memory<>>, compute,
     async_role::tensor_product},
    // So in an example of the PTX ISA.
    {"tcgen05", "shift down @cta_group", "[&]", other, always<shift_tensor_memory<>>, compute,
     async_role::tensor_product},
};

inline constexpr row video[] = {
    {"vadd", "u32|s32 u32|s32 u32|s32 @sat?", "=T U. V.", int_add, always<video_scalar<video_operation::add>>,
     compute, trait::parts},
    {"vadd", "u32|s32 u32|s32 u32|s32 @sat? @second", "=T U. V. T", int_add,
     always<video_scalar<video_operation::add>>, compute, trait::parts},
    {"vadd", "u32|s32 u32|s32 u32|s32 @sat?", "=T: U. V. T", int_add,
     always<video_scalar<video_operation::add>>, compute, trait::parts},
    {"vsub", "u32|s32 u32|s32 u32|s32 @sat?", "=T U. V.", int_add,
     always<video_scalar<video_operation::subtract>>, compute, trait::parts},
    {"vsub", "u32|s32 u32|s32 u32|s32 @sat? @second", "=T U. V. T", int_add,
     always<video_scalar<video_operation::subtract>>, compute, trait::parts},
    {"vsub", "u32|s32 u32|s32 u32|s32 @sat?", "=T: U. V. T", int_add,
     always<video_scalar<video_operation::subtract>>, compute, trait::parts},
    {"vabsdiff", "u32|s32 u32|s32 u32|s32 @sat?", "=T U. V.", int_add,
     always<video_scalar<video_operation::absolute_difference>>, compute, trait::parts},
    {"vabsdiff", "u32|s32 u32|s32 u32|s32 @sat? @second", "=T U. V. T", int_add,
     always<video_scalar<video_operation::absolute_difference>>, compute, trait::parts},
    {"vabsdiff", "u32|s32 u32|s32 u32|s32 @sat?", "=T: U. V. T", int_add,
     always<video_scalar<video_operation::absolute_difference>>, compute, trait::parts},
    {"vmin", "u32|s32 u32|s32 u32|s32 @sat?", "=T U. V.", int_max,
     always<video_scalar<video_operation::minimum>>, compute, trait::parts},
    {"vmin", "u32|s32 u32|s32 u32|s32 @sat? @second", "=T U. V. T", int_max,
     always<video_scalar<video_operation::minimum>>, compute, trait::parts},
    {"vmin", "u32|s32 u32|s32 u32|s32 @sat?", "=T: U. V. T", int_max,
     always<video_scalar<video_operation::minimum>>, compute, trait::parts},
    {"vmax", "u32|s32 u32|s32 u32|s32 @sat?", "=T U. V.", int_max,
     always<video_scalar<video_operation::maximum>>, compute, trait::parts},
    {"vmax", "u32|s32 u32|s32 u32|s32 @sat? @second", "=T U. V. T", int_max,
     always<video_scalar<video_operation::maximum>>, compute, trait::parts},
    {"vmax", "u32|s32 u32|s32 u32|s32 @sat?", "=T: U. V. T", int_max,
     always<video_scalar<video_operation::maximum>>, compute, trait::parts},
    {"vshl", "u32|s32 u32|s32 u32 @sat? @wrap", "=T U. V.", int_add,
     always<video_scalar<video_operation::shift_left>>, compute, trait::parts},
    {"vshl", "u32|s32 u32|s32 u32 @sat? @wrap @second", "=T U. V. T", int_add,
     always<video_scalar<video_operation::shift_left>>, compute, trait::parts},
    {"vshl", "u32|s32 u32|s32 u32 @sat? @wrap", "=T: U. V. T", int_add,
     always<video_scalar<video_operation::shift_left>>, compute, trait::parts},
    {"vshr", "u32|s32 u32|s32 u32 @sat? @wrap", "=T U. V.", int_add,
     always<video_scalar<video_operation::shift_right>>, compute, trait::parts},
    {"vshr", "u32|s32 u32|s32 u32 @sat? @wrap @second", "=T U. V. T", int_add,
     always<video_scalar<video_operation::shift_right>>, compute, trait::parts},
    {"vshr", "u32|s32 u32|s32 u32 @sat? @wrap", "=T: U. V. T", int_add,
     always<video_scalar<video_operation::shift_right>>, compute, trait::parts},
    {"vset", "u32|s32 u32|s32 @compare=eq|ne|lt|le|gt|ge", "=u32 T. U.", int_add,
     always<video_scalar<video_operation::compare>>, compute, trait::parts},
    {"vset", "u32|s32 u32|s32 @compare=eq|ne|lt|le|gt|ge @second", "=u32 T. U. u32", int_add,
     always<video_scalar<video_operation::compare>>, compute, trait::parts},
    {"vset", "u32|s32 u32|s32 @compare=eq|ne|lt|le|gt|ge", "=u32: T. U. u32", int_add,
     always<video_scalar<video_operation::compare>>, compute, trait::parts},
    {"vmad", "u32|s32 u32|s32 u32|s32 @plus_one? @sat? @scale?", "=T U. V. T", int_mad,
     always<video_multiply_add<>>, compute, trait::parts},
    {"vadd2", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_add,
     always<video_parts<video_operation::add, 2>>, compute, trait::parts},
    {"vsub2", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_add,
     always<video_parts<video_operation::subtract, 2>>, compute, trait::parts},
    {"vavrg2", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_add,
     always<video_parts<video_operation::average, 2>>, compute, trait::parts},
    {"vabsdiff2", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_add,
     always<video_parts<video_operation::absolute_difference, 2>>, compute, trait::parts},
    {"vmin2", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_max,
     always<video_parts<video_operation::minimum, 2>>, compute, trait::parts},
    {"vmax2", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_max,
     always<video_parts<video_operation::maximum, 2>>, compute, trait::parts},
    {"vset2", "u32|s32 u32|s32 @compare=eq|ne|lt|le|gt|ge @second=add?", "=u32. T. U. u32", int_add,
     always<video_parts<video_operation::compare, 2>>, compute, trait::parts},
    {"vadd4", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_add,
     always<video_parts<video_operation::add, 4>>, compute, trait::parts},
    {"vsub4", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_add,
     always<video_parts<video_operation::subtract, 4>>, compute, trait::parts},
    {"vavrg4", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_add,
     always<video_parts<video_operation::average, 4>>, compute, trait::parts},
    {"vabsdiff4", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_add,
     always<video_parts<video_operation::absolute_difference, 4>>, compute, trait::parts},
    {"vmin4", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_max,
     always<video_parts<video_operation::minimum, 4>>, compute, trait::parts},
    {"vmax4", "u32|s32 u32|s32 u32|s32 @sat? @second=add?", "=T. U. V. T", int_max,
     always<video_parts<video_operation::maximum, 4>>, compute, trait::parts},
    {"vset4", "u32|s32 u32|s32 @compare=eq|ne|lt|le|gt|ge @second=add?", "=u32. T. U. u32", int_add,
     always<video_parts<video_operation::compare, 4>>, compute, trait::parts},
};

inline constexpr row control[] = {
    {"mapa", "@space=shared::cluster? u32|u64", "=T T u32", int_add, always<map_to_cta>},
    {"getctarank", "@space=shared::cluster? u32|u64", "=u32 T", int_add, always<rank_of_address>},
    {"bra", "@uniform?", "L", branch, nullptr, jump},
    {"brx", "idx @uniform?", "u32 B", branch, nullptr, action::jump_by_table},
    {"call", "@uniform?", "F", branch, nullptr, action::call},
    {"ret", "@uniform?", "", branch, nullptr, leave},
    {"exit", "", "", op_class::exit, nothing, action::exit},
    {"trap", "", "", op_class::exit, nothing, action::trap},
    {"brkpt", "", "", op_class::exit, nothing, action::trap},
    {"bar", "cta? sync", "u32 ?u32", barrier, nothing, synchronise},
    {"barrier", "cta? sync @aligned?", "u32 ?u32", barrier, nothing, synchronise},
    {"bar", "cta? arrive", "u32 u32", barrier, nothing, synchronise, arrive},
    {"barrier", "cta? arrive @aligned?", "u32 u32", barrier, nothing, synchronise, arrive},
    {"bar", "cta? red @reduce u32", "=u32 u32 pred", barrier, nothing, synchronise},
    {"bar", "cta? red @reduce u32", "=u32 u32 u32 pred", barrier, nothing, synchronise},
    {"bar", "cta? red @reduce pred", "=pred u32 pred", barrier, nothing, synchronise},
    {"bar", "cta? red @reduce pred", "=pred u32 u32 pred", barrier, nothing, synchronise},
    {"barrier", "cta? red @reduce @aligned? u32", "=u32 u32 pred", barrier, nothing, synchronise},
    {"barrier", "cta? red @reduce @aligned? u32", "=u32 u32 u32 pred", barrier, nothing, synchronise},
    {"barrier", "cta? red @reduce @aligned? pred", "=pred u32 pred", barrier, nothing, synchronise},
    {"barrier", "cta? red @reduce @aligned? pred", "=pred u32 u32 pred", barrier, nothing, synchronise},
    {"barrier", "cluster arrive release|relaxed? @aligned?", "", barrier, nothing, action::arrive_in_cluster},
    {"barrier", "cluster wait acquire? @aligned?", "", barrier, nothing, action::wait_in_cluster},
    {"bar", "warp sync", "u32", other, nothing, gather},
    {"membar", "@fence", "", fence, always<order_memory<>>},
    {"fence", "@order? @scope", "", fence, always<order_memory<>>},
    {"fence", "acquire sync_restrict::shared::cluster cluster", "", fence, nothing},
    {"fence", "release sync_restrict::shared::cta cluster", "", fence, nothing},
    {"fence", "proxy tensormap::generic acquire @scope", "[] n128", fence, nothing},
    {"fence", "proxy tensormap::generic release @scope", "", fence, nothing},
    {"tensormap", "cp_fenceproxy global shared::cta tensormap::generic release @scope sync @aligned",
     "[&] [&] n128", other, always<copy_map<>>},
    {"tensormap", "replace tile @map_field=global_address @space=global|shared::cta? b1024 b64", "[&] T",
     other, always<replace_in_map<std::uint64_t>>},
    {"tensormap", "replace tile @map_field=rank @space=global|shared::cta? b1024 b32", "[&] T", other,
     always<replace_in_map<std::uint32_t>>},
    {"tensormap",
     "replace tile @map_field=box_dim|global_dim|element_stride @space=global|shared::cta? b1024 b32",
     "[&] n0,1,2,3,4 T", other, always<replace_in_map<std::uint32_t>>},
    {"tensormap", "replace tile @map_field=global_stride @space=global|shared::cta? b1024 b64",
     "[&] n0,1,2,3 T", other, always<replace_in_map<std::uint64_t>>},
    {"tensormap",
     "replace tile @map_field=elemtype|interleave_layout|swizzle_mode|swizzle_atomicity|fill_mode "
     "@space=global|shared::cta? b1024 b32",
     "[&] n", other, always<replace_in_map<std::uint32_t>>},
    {"fence", "proxy *", "", fence, nothing},
    {"fence", "mbarrier_init *", "", fence, nothing},
    {"griddepcontrol", "launch_dependents|wait", "", other, nothing},
    {"setmaxnreg", "inc|dec sync aligned u32",
     "n24,32,40,48,56,64,72,80,88,96,104,112,120,128,136,144,152,160,168,176,184,192,200,208,216,224,232,240,"
     "248,"
     "256",
     other, nothing},
    {"nanosleep", "u32", "T", other, nothing, action::yield},
    {"pmevent", "", "u32", other, nothing},
    {"prefetch", "@space? L1|L2", "[]", other, nothing},
    {"prefetch", "@space=global? L2::evict_last|L2::evict_normal", "[]", other, nothing},
    {"prefetch", "@space=const|param|param::entry? tensormap", "[]", other, nothing},
    {"prefetchu", "L1", "[]", other, nothing},
    {"applypriority", "@space=global? L2::evict_normal", "[] n128", other, nothing},
    {"discard", "@space=global? L2", "[] n128", other, nothing},
    // What a cache policy is made of; the policy is opaque, and no cache here asks for one.
    {"createpolicy",
     "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "L2::evict_first|L2::evict_unchanged? b64",
     "=T ?f32", int_add, always<no_policy<>>},
    {"createpolicy",
     "range @space=global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "L2::evict_first|L2::evict_unchanged? b64",
     "=T [] u32 u32", int_add, always<no_policy<>>},
    {"createpolicy", "cvt L2 b64", "=T T", int_add, always<no_policy<>>},
};

/// Known to PTX, parsed, and refused when a kernel that uses it is prepared.
inline constexpr row unsupported[] = {
    {"txq", "*", "", other, nullptr, action::unsupported},
    {"suld", "*", "", other, nullptr, action::unsupported},
    {"sust", "*", "", other, nullptr, action::unsupported},
    {"sured", "*", "", other, nullptr, action::unsupported},
    {"suq", "*", "", other, nullptr, action::unsupported},
    {"tcgen05", "mma sp|ws *", "", other, nullptr, action::unsupported},
    {"tcgen05", "ld red *", "", other, nullptr, action::unsupported},
    {"multimem", "*", "", other, nullptr, action::unsupported},
    {"alloca", "*", "", other, nullptr, action::unsupported},
    {"stacksave", "*", "", other, nullptr, action::unsupported},
};
} // namespace rows

/// All rows, those of one opcode in the order in which they are tried.
inline std::vector<row const*> all_rows() {
    std::vector<row const*> all;
    auto const add = [&all](auto const& group) {
        for (auto const& r : group) all.push_back(&r);
    };
    add(rows::integer_arithmetic);
    add(rows::logic);
    add(rows::moves_and_comparisons);
    add(rows::floating_point);
    add(rows::half_arithmetic);
    add(rows::conversion);
    add(rows::memory);
    add(rows::atomic_operations);
    add(rows::warp_operations);
    add(rows::matrix_operations);
    add(rows::asynchronous);
    add(rows::bulk_copies);
    add(rows::group_matrices);
    add(rows::tensor_memories);
    add(rows::video);
    add(rows::control);
    add(rows::unsupported);
    return all;
}

} // namespace detail
} // namespace warpkit::ptx
