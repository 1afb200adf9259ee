#pragma once
/// \file
/// Instruction forms: an opcode's modifiers and types, and the patterns of the instruction table that they match.

#include <warpkit/base/memory_space.hpp>
#include <warpkit/frontend/ptx/types.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::ptx {

/// The classes of modifiers. In a pattern a class is written "@name"; a row says by the classes that it names what a
/// word means, because PTX uses some words twice (.lo is a half of a product and a comparison).
enum class modifier : std::uint8_t {
    rounding,
    integral,
    ftz,
    sat,
    approx,
    cc,
    compare,
    boolean,
    space,
    vector,
    cache,
    order,
    scope,
    level,
    second_level,
    cache_hint,
    prefetch_size,
    nc,
    half,
    uniform,
    to,
    shuffle,
    vote,
    atomic,
    reduce,
    wrap,
    direction,
    permute,
    shiftamt,
    test,
    fence,
    aligned,
    nan,
    geometry,
    component,
    query,
    boundary,
    relu,
    satfinite,
    shape,
    a_layout,
    b_layout,
    matrix,
    matrices,
    transposed,
    second,
    scale,
    plus_one,
    sparse,
    group_shape,
    tensor_kind,
    collector,
    tensor_shape,
    registers,
    packed,
    narrow,
    scale_vectors,
    scale_type,
    copied,
    copied_to,
    padded,
    shifted,
    cta_group,
    map_field,
    box,
    stationary,
    b_collector,
    count
};

namespace detail {
/// The shapes of wgmma, m64nNkK: N multiples of 8 up to 256, for K of 8, then 16, then 32, then 64.
struct group_shape {
    static constexpr unsigned columns = 32; ///< values of N
    unsigned n = 0;
    unsigned k = 0;
    /// By the 1-based index of the word.
    static constexpr group_shape of(unsigned word) noexcept {
        return {8 * ((word - 1) % columns + 1), 8U << ((word - 1) / columns)};
    }
};
struct text_buffer {
    std::array<char, 1536> text{};
    std::size_t size = 0;
    constexpr void put(std::string_view s) {
        for (char const c : s) text[size++] = c;
    }
    constexpr void put(unsigned number) {
        if (number >= 10) put(number / 10);
        text[size++] = static_cast<char>('0' + number % 10);
    }
};
inline constexpr text_buffer group_shapes = [] {
    text_buffer t;
    for (unsigned word = 1; word <= 4 * group_shape::columns; ++word) {
        auto const s = group_shape::of(word);
        t.put(word == 1 ? "m64n" : " m64n");
        t.put(s.n);
        t.put("k");
        t.put(s.k);
    }
    return t;
}();

struct modifier_row {
    std::string_view name;
    std::string_view words; ///< separated by single spaces
};
inline constexpr std::array<modifier_row, static_cast<std::size_t>(modifier::count)> modifiers{{
    {"rounding", "rn rz rm rp"},
    {"integral", "rni rzi rmi rpi"},
    {"ftz", "ftz"},
    {"sat", "sat"},
    {"approx", "approx full"},
    {"cc", "cc"},
    {"compare", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"},
    {"boolean", "and or xor"},
    {"space", "global shared local const param shared::cta shared::cluster param::entry param::func"},
    {"vector", "v2 v4 v8"},
    {"cache", "ca cg cs cv lu wb wt"},
    {"order", "weak volatile relaxed acquire release acq_rel sc mmio"},
    {"scope", "cta cluster gpu sys"},
    {"level", "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate"},
    {"second_level", "L2::evict_normal L2::evict_unchanged L2::evict_first L2::evict_last"},
    {"cache_hint", "L2::cache_hint"},
    {"prefetch_size", "L2::64B L2::128B L2::256B"},
    {"nc", "nc"},
    {"half", "lo hi"},
    {"uniform", "uni"},
    {"to", "to"},
    {"shuffle", "up down bfly idx"},
    {"vote", "all any uni ballot"},
    {"atomic", "add min max and or xor exch inc dec"},
    {"reduce", "popc and or"},
    {"wrap", "clamp wrap"},
    {"direction", "l r"},
    {"permute", "f4e b4e rc8 ecl ecr rc16"},
    {"shiftamt", "shiftamt"},
    {"test", "finite infinite number notanumber normal subnormal"},
    {"fence", "cta gl sys"},
    {"aligned", "aligned"},
    {"nan", "NaN"},
    {"geometry", "1d 2d 3d 4d 5d a1d a2d cube acube"},
    {"component", "r g b a"},
    {"query", "width height depth array_size num_mipmap_levels"},
    {"boundary", "trap clamp zero"},
    {"relu", "relu"},
    {"satfinite", "satfinite"},
    {"shape",
     "m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256 "
     "m16n16k8 m16n16k16 m8n32k16 m32n8k16"},
    {"a_layout", "row col"},
    {"b_layout", "row col"},
    {"matrix", "a b c d"},
    {"matrices", "x1 x2 x4"},
    {"transposed", "trans"},
    {"second", "add min max"},
    {"scale", "shr7 shr15"},
    {"plus_one", "po"},
    {"sparse", "sp sp::ordered_metadata"},
    {"group_shape", {group_shapes.text.data(), group_shapes.size}},
    {"tensor_kind", "kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4"},
    {"collector", "collector::a::discard collector::a::lastuse collector::a::fill collector::a::use"},
    {"tensor_shape", "32x32b 16x64b 16x128b 16x256b 16x32bx2"},
    {"registers", "x1 x2 x4 x8 x16 x32 x64 x128"},
    {"packed", "pack::16b unpack::16b"},
    {"narrow", "u2 s2 u4 s4 u8 s8 u16 s16"},
    {"scale_vectors", "scale_vec::1X scale_vec::2X scale_vec::4X block16 block32"},
    {"scale_type", "ue8m0 ue4m3"},
    {"copied", "128x256b 128x128b 64x128b 32x128b 4x256b"},
    {"copied_to", "warpx2::02_13 warpx2::01_23 warpx4"},
    {"padded", "b4x16_p64 b6x16_p32"},
    {"shifted", "ashift"},
    {"cta_group", "cta_group::1 cta_group::2"},
    {"map_field",
     "global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout "
     "swizzle_mode swizzle_atomicity fill_mode"},
    {"box", "tile tile::gather4 tile::scatter4 im2col im2col_no_offs"},
    {"stationary", "ws"},
    {"b_collector", "collector::b0::discard collector::b0::lastuse collector::b0::fill collector::b0::use "
                    "collector::b1::discard collector::b1::lastuse collector::b1::fill collector::b1::use "
                    "collector::b2::discard collector::b2::lastuse collector::b2::fill collector::b2::use "
                    "collector::b3::discard collector::b3::lastuse collector::b3::fill collector::b3::use"},
}};
/// The 1-based index of `word` in a list separated by `separator`, or 0.
constexpr unsigned index_in(std::string_view list, std::string_view word, char separator) noexcept {
    unsigned index = 1;
    while (!list.empty()) {
        auto const cut = list.find(separator);
        if (list.substr(0, cut) == word) return index;
        if (cut == std::string_view::npos) break;
        list.remove_prefix(cut + 1);
        ++index;
    }
    return 0;
}
} // namespace detail

enum class rounding : std::uint8_t { none, rn, rz, rm, rp };
enum class comparison : std::uint8_t {
    none,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    lo,
    ls,
    hi,
    hs,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan
};
enum class atomic_operation : std::uint8_t {
    none,
    add,
    minimum,
    maximum,
    bit_and,
    bit_or,
    bit_xor,
    exchange,
    increment,
    decrement
};

/// The modifiers of one instruction after matching: for each class the 1-based index of its word, and the types in the
/// order in which they stand.
struct form {
    std::array<std::uint8_t, static_cast<std::size_t>(modifier::count)> word{};
    std::array<scalar, 4> type{};
    std::uint8_t types = 0;

    constexpr unsigned get(modifier m) const noexcept { return word[static_cast<std::size_t>(m)]; }
    constexpr bool has(modifier m) const noexcept { return get(m) != 0; }
    /// 1, 2, 4 or 8 elements.
    unsigned vector_size() const noexcept { return 1U << get(modifier::vector); }
};

/// What a copy between a tensor and shared memory moves: a box, rows, or a column of pixels.
enum class tensor_box_mode : std::uint8_t { none, tile, gather, scatter, columns, columns_in_place };
/// Whether an instruction is of a pair of CTAs: .cta_group::2.
constexpr bool is_of_pair(form const& f) noexcept { return f.get(modifier::cta_group) == 2; }
/// Whether a load with this cache operator is cached in the L2 alone: .cg, and .cv, which asks again each time.
constexpr bool keeps_out_of_l1(form const& f) noexcept {
    return f.get(modifier::cache) == 2 || f.get(modifier::cache) == 4;
}
/// The state space that a form names; generic if it names none.
constexpr memory_space space_of_form(form const& f) noexcept {
    switch (f.get(modifier::space)) {
    case 0:
        return memory_space::generic;
    case 1:
        return memory_space::global;
    case 2:
    case 6:
    case 7:
        return memory_space::shared;
    case 3:
        return memory_space::local;
    case 4:
        return memory_space::constant;
    default:
        return memory_space::parameter;
    }
}

/// A row's pattern, taken apart. Elements are separated by spaces; an element is "@class", "@class=" and those of its
/// words that go here, or alternatives separated by '|' (types are captured, other words only compared); '?' at its end
/// makes it optional. A pattern that begins with "~ " takes its elements in any order; "*" as the last matches whatever
/// follows.
class form_pattern {
public:
    explicit form_pattern(std::string_view text) {
        if (text.substr(0, 2) == "~ ") {
            any_order_ = true;
            text.remove_prefix(2);
        }
        while (!text.empty()) {
            auto const cut = text.find(' ');
            auto item = text.substr(0, cut);
            text = cut == std::string_view::npos ? std::string_view{} : text.substr(cut + 1);
            if (item == "*") {
                anything_ = true;
                return;
            }
            element e;
            if (item.back() == '?') {
                e.optional = true;
                item.remove_suffix(1);
            }
            if (item.front() == '@') {
                auto const only = item.find('=');
                for (std::size_t i = 0; i < detail::modifiers.size(); ++i)
                    if (detail::modifiers[i].name == item.substr(1, only == item.npos ? only : only - 1))
                        e.words = detail::modifiers[i].words, e.cls = static_cast<int>(i);
                if (only != item.npos) e.some = item.substr(only + 1);
            } else {
                e.words = item;
            }
            elements_.push_back(e);
        }
    }

    /// Whether these modifiers (without dots) are of this form; if so `out` holds what was matched.
    bool match(std::vector<std::string_view> const& words, form& out) const {
        out = form{};
        std::uint64_t used = 0;
        std::size_t next = 0;
        for (auto const w : words) {
            bool taken = false;
            for (std::size_t i = any_order_ ? 0 : next; i < elements_.size() && !taken; ++i) {
                if ((used >> i & 1) != 0) continue;
                auto const& e = elements_[i];
                auto index = detail::index_in(e.words, w, e.cls >= 0 ? ' ' : '|');
                if (!e.some.empty() && detail::index_in(e.some, w, '|') == 0) index = 0;
                if (index != 0) {
                    taken = true;
                    used |= std::uint64_t{1} << i;
                    next = i + 1;
                    if (e.cls >= 0)
                        out.word[static_cast<std::size_t>(e.cls)] = static_cast<std::uint8_t>(index);
                    else if (auto const t = scalar_from(w); t != scalar::none && out.types < out.type.size())
                        out.type[out.types++] = t;
                } else if (!any_order_ && !e.optional) {
                    return false;
                }
            }
            if (!taken) {
                if (anything_ && next == elements_.size()) break;
                return false;
            }
        }
        for (std::size_t i = 0; i < elements_.size(); ++i)
            if (!elements_[i].optional && (used >> i & 1) == 0) return false;
        return true;
    }

    /// The pattern as a user would write it: "add{.sat}.s32".
    std::string describe(std::string_view base) const {
        std::string s(base);
        for (auto const& e : elements_) {
            auto const name = e.cls >= 0
                                  ? std::string(detail::modifiers[static_cast<std::size_t>(e.cls)].name)
                                  : std::string(e.words);
            bool const one = e.cls >= 0 && e.some.empty() && e.words.find(' ') == std::string_view::npos;
            auto const item = one               ? "." + std::string(e.words)
                              : !e.some.empty() ? "." + std::string(e.some)
                              : e.cls >= 0      ? ".<" + name + ">"
                                                : "." + name;
            s += e.optional ? "{" + item + "}" : item;
        }
        if (anything_) s += "...";
        return s;
    }

private:
    struct element {
        std::string_view words;
        std::string_view some; ///< of a class: the words that go here, if not all do
        int cls = -1;
        bool optional = false;
    };
    std::vector<element> elements_;
    bool any_order_ = false;
    bool anything_ = false;
};

/// Which parts of a register a video instruction takes, written behind it: .b0, .h1, .b3210. `bits` is 0 without.
struct part_selector {
    std::uint8_t bits = 0; ///< of a part: 8 or 16
    std::uint8_t count = 0;
    std::array<std::uint8_t, 4> digit{}; ///< in the order in which they stand

    /// Whether `text` is one.
    constexpr bool read(std::string_view text) noexcept {
        if (text.size() < 2 || text.size() > 5 || (text[0] != 'b' && text[0] != 'h')) return false;
        bits = text[0] == 'b' ? 8 : 16;
        count = static_cast<std::uint8_t>(text.size() - 1);
        for (std::size_t i = 1; i < text.size(); ++i) {
            if (text[i] < '0' || text[i] > '7') return false;
            digit[i - 1] = static_cast<std::uint8_t>(text[i] - '0');
        }
        return true;
    }
    /// In 20 bits.
    constexpr std::uint64_t packed() const noexcept {
        std::uint64_t p = bits | std::uint64_t{count} << 5;
        for (unsigned i = 0; i < 4; ++i) p |= std::uint64_t{digit[i]} << (8 + 3 * i);
        return p;
    }
    static constexpr part_selector of(std::uint64_t p) noexcept {
        part_selector s{static_cast<std::uint8_t>(p & 31), static_cast<std::uint8_t>(p >> 5 & 7), {}};
        for (unsigned i = 0; i < 4; ++i) s.digit[i] = static_cast<std::uint8_t>(p >> (8 + 3 * i) & 7);
        return s;
    }
    friend bool operator==(part_selector const&, part_selector const&) = default;
};

/// What stands at one operand position, as a row writes it:
///   "=T"  destination register; "T" source register or immediate; T, U, V are the form's first to third type, and
///         any other word is a type itself ("u32", "pred");
///   "+"   at the end: the register may be wider than the type; "*" before: a vector of `@vector` elements (or one);
///   "|"   at the end of a destination: "d|q" is allowed; "[]" an address; "[,]" a texture with its coordinates, "[i]"
///         without; "{'}" how fast they change, a vector of as many numbers;
///   "[+]" a second address, in global memory; "[&]" one of several addresses, "[&,]" a tensor map's, with coordinates,
///   "{&}" what is added to those of pixels;
///   "#" and a letter: a vector of the registers that hold this matrix (A, B, C or D), with M as many matrices as the
///   form says, with W and R wgmma's D, which it reads too, and A, with T what moves to or from tensor memory, with L
///   the four of a mask of its lanes, eight of a pair's, with S the one that has scale factors, with I the two that say
///   which of these count; "n" and numbers apart by commas: one of these, written out;
///   "." at the end: parts may be selected; ":" one part must be;
///   "?P" a cache policy, a 64-bit value that stands there where the form has .L2::cache_hint, and changes nothing;
///   "L"   label; "B" list of branch targets; "F" call; "?" before: may be left out, with all that follow it.
struct operand_spec {
    enum class role : std::uint8_t {
        destination,
        source,
        address,
        texture,
        image,
        gradient,
        label,
        call,
        vector_source,
        vector_destination,
        fragment_source,
        fragment_destination,
        second_address,
        listed_address,
        tensor,
        pixel_offsets,
        number,
        policy
    };
    role what = role::source;
    scalar fixed = scalar::none; ///< the type, if not taken from the form
    std::uint8_t from = 0;       ///< otherwise which of the form's types
    bool wider = false;
    bool pair = false;
    bool optional = false;
    bool selects = false; ///< parts of the register may be selected
    bool must_select = false;
    char matrix = 0;          ///< of a fragment: the letter
    std::string_view numbers; ///< of a number: those that are allowed, apart by commas; empty: all

    bool is_fragment() const noexcept {
        return what == role::fragment_source || what == role::fragment_destination;
    }
    scalar type(form const& f) const noexcept { return fixed != scalar::none ? fixed : f.type[from]; }
};

/// Takes a row's operand text apart.
inline std::vector<operand_spec> operand_specs(std::string_view text) {
    std::vector<operand_spec> result;
    while (!text.empty()) {
        auto const cut = text.find(' ');
        auto item = text.substr(0, cut);
        text = cut == std::string_view::npos ? std::string_view{} : text.substr(cut + 1);
        operand_spec s;
        using role = operand_spec::role;
        if (item.front() == '?') s.optional = true, item.remove_prefix(1);
        if (item.front() == '=') s.what = role::destination, item.remove_prefix(1);
        if (item.front() == '*') {
            s.what = s.what == role::destination ? role::vector_destination : role::vector_source;
            item.remove_prefix(1);
        }
        if (item.back() == '+') s.wider = true, item.remove_suffix(1);
        if (item.back() == '|') s.pair = true, item.remove_suffix(1);
        if (item.back() == '.') s.selects = true, item.remove_suffix(1);
        if (item.back() == ':') s.selects = s.must_select = true, item.remove_suffix(1);
        if (item.front() == '#') {
            s.what = s.what == role::destination ? role::fragment_destination : role::fragment_source;
            s.matrix = item[1];
        } else if (item.front() == 'n') {
            s.what = role::number;
            s.numbers = item.substr(1);
            s.fixed = scalar::u32;
        } else if (item == "P") {
            s.what = role::policy;
            s.fixed = scalar::b64;
        } else if (item == "[+]")
            s.what = role::second_address;
        else if (item == "[&]")
            s.what = role::listed_address;
        else if (item == "[&,]")
            s.what = role::tensor;
        else if (item == "{&}")
            s.what = role::pixel_offsets;
        else if (item == "[]")
            s.what = role::address;
        else if (item == "[,]")
            s.what = role::texture;
        else if (item == "[i]")
            s.what = role::image;
        else if (item == "{'}") {
            s.what = role::gradient;
            s.fixed = scalar::f32;
        } else if (item == "L" || item == "B")
            s.what = role::label;
        else if (item == "F")
            s.what = role::call;
        else if (item == "T" || item == "U" || item == "V")
            s.from = static_cast<std::uint8_t>(item[0] - 'T');
        else
            s.fixed = scalar_from(item);
        result.push_back(s);
    }
    return result;
}

} // namespace warpkit::ptx
