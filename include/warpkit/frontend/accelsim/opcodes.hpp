#pragma once
/// \file
/// NVIDIA's machine opcodes, Kepler to Blackwell, in our operation classes.
/// Source: the instruction set tables of NVIDIA's "CUDA Binary Utilities"; classes of conversions, moves and predicate
/// logic as latency tables group them (docs/model/machines.md#latency-classes). What has no class of its own is put
/// beside what is nearest: half precision with single.

#include <warpkit/base/memory_space.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/static_instruction.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpkit::accelsim {

/// The execution unit of a core from Volta on; earlier ones have no units of their own for integers, branches, uniform
/// instructions and matrices.
enum class opcode_unit : std::uint8_t {
    by_class, ///< as its class says: unit_of(opcode_row)
    integer,  ///< also moves, conversions, shuffles, votes and predicates
    fp32,     ///< also half precision
    fp64,
    special_function,
    tensor,
    branch,  ///< also what prepares a branch, or waits for lanes or for time
    uniform, ///< once for the warp, on uniform registers
    texture,
    load_store
};
inline constexpr char const* opcode_unit_names[] = {
    "",       "integer", "fp32",    "fp64",    "special function",
    "tensor", "branch",  "uniform", "texture", "load/store"};

/// What an opcode's name, up to its first dot, says.
struct opcode_row {
    std::string_view name;
    op_class kind = op_class::other;
    memory_space space = memory_space::none; ///< of loads, stores and atomics
    /// Registers in a row that its result, and each of its operands, takes.
    std::uint8_t result_registers = 1;
    std::uint8_t operand_registers = 1;
    opcode_unit unit = opcode_unit::by_class;
};

/// The unit of an opcode. As in Accel-Sim's tables for Volta, Turing and Ampere, but for what they take for another's
/// work by mistake (KILL on the tensor cores) or for want of addresses (surfaces).
constexpr opcode_unit unit_of(opcode_row const& r) noexcept {
    if (r.unit != opcode_unit::by_class) return r.unit;
    switch (r.kind) {
    case op_class::fp_add:
    case op_class::fp_max:
    case op_class::fp_mul:
    case op_class::fp_mad:
    case op_class::fp_div:
        return opcode_unit::fp32;
    case op_class::dp_add:
    case op_class::dp_max:
    case op_class::dp_mul:
    case op_class::dp_mad:
    case op_class::dp_div:
        return opcode_unit::fp64;
    case op_class::special:
        return opcode_unit::special_function;
    case op_class::tensor:
        return opcode_unit::tensor;
    case op_class::uniform:
        return opcode_unit::uniform;
    case op_class::branch:
        return opcode_unit::branch;
    case op_class::load:
    case op_class::store:
    case op_class::atomic:
    case op_class::fence:
        return r.space == memory_space::texture ? opcode_unit::texture : opcode_unit::load_store;
    default:
        return opcode_unit::integer;
    }
}

namespace detail {

using enum op_class;
constexpr auto no_space = memory_space::none;
constexpr auto any = memory_space::generic;
constexpr auto branch_unit = opcode_unit::branch;
constexpr auto uniform_unit = opcode_unit::uniform;

/// Sorted by name.
inline constexpr auto opcode_rows = std::to_array<opcode_row>({
    {"ACQBULK", int_add, no_space, 1, 1, branch_unit},
    {"ACQSHMINIT", int_add, no_space, 1, 1, branch_unit},
    {"ARRIVES", int_add},
    {"ATOM", atomic, any},
    {"ATOMG", atomic, memory_space::global},
    {"ATOMS", atomic, memory_space::shared},
    {"B2R", int_add},
    {"BAR", barrier},
    {"BFE", int_add},
    {"BFI", int_add},
    {"BMMA", tensor, no_space, 2},
    {"BMOV", int_add, no_space, 1, 1, branch_unit},
    {"BMSK", int_add},
    {"BPT", branch},
    {"BRA", branch},
    {"BREAK", int_add, no_space, 1, 1, branch_unit},
    {"BREV", int_add},
    {"BRK", branch},
    {"BRX", branch},
    {"BRXU", branch},
    {"BSSY", int_add, no_space, 1, 1, branch_unit},
    {"BSYNC", branch},
    {"CAL", branch},
    {"CALL", branch},
    {"CCTL", int_add},
    {"CCTLL", int_add},
    {"CCTLT", int_add},
    {"CGAERRBAR", int_add},
    {"CONT", branch},
    {"CREDUX", uniform},
    {"CS2R", int_add, no_space, 2},
    {"CS2UR", uniform},
    {"CSET", int_add},
    {"CSETP", int_add},
    {"CSMTEST", int_add},
    {"DADD", dp_add, no_space, 2, 2},
    {"DEPBAR", int_add},
    {"DFMA", dp_mad, no_space, 2, 2},
    {"DMMA", tensor, no_space, 4, 2},
    {"DMNMX", dp_max, no_space, 2, 2},
    {"DMUL", dp_mul, no_space, 2, 2},
    {"DSET", dp_add, no_space, 1, 2},
    {"DSETP", dp_add, no_space, 1, 2},
    {"ELECT", shuffle},
    {"ENDCOLLECTIVE", int_add},
    {"ERRBAR", int_add},
    {"EXIT", exit},
    {"F2F", int_add},
    {"F2FP", int_add},
    {"F2I", int_add},
    {"F2IP", int_add},
    {"FADD", fp_add},
    {"FADD2", fp_add, no_space, 2, 2},
    {"FADD32I", fp_add},
    {"FCHK", fp_add},
    {"FCMP", fp_add},
    {"FENCE", fence},
    {"FFMA", fp_mad},
    {"FFMA2", fp_mad, no_space, 2, 2},
    {"FFMA32I", fp_mad},
    {"FHADD", fp_add},
    {"FHFMA", fp_mad},
    {"FLO", int_add},
    {"FMNMX", fp_max},
    {"FMNMX3", fp_max},
    {"FMUL", fp_mul},
    {"FMUL2", fp_mul, no_space, 2, 2},
    {"FMUL32I", fp_mul},
    {"FRND", int_add},
    {"FSEL", fp_add},
    {"FSET", fp_add},
    {"FSETP", fp_add},
    {"FSWZ", fp_add},
    {"FSWZADD", fp_add},
    {"GETLMEMBASE", int_add},
    {"HADD2", fp_add},
    {"HADD2_32I", fp_add},
    {"HFMA2", fp_mad},
    {"HFMA2_32I", fp_mad},
    {"HGMMA", tensor, no_space, 4},
    {"HMMA", tensor, no_space, 4},
    {"HMNMX2", fp_max},
    {"HMUL2", fp_mul},
    {"HMUL2_32I", fp_mul},
    {"HSET2", fp_add},
    {"HSETP2", fp_add},
    {"I2F", int_add},
    {"I2FP", int_add},
    {"I2I", int_add},
    {"I2IP", int_add},
    {"IABS", int_add},
    {"IADD", int_add},
    {"IADD3", int_add},
    {"IADD32I", int_add},
    {"IADD_64", int_add, no_space, 2, 2},
    {"ICMP", int_add},
    {"IDP", int_mad},
    {"IDP2A", int_mad},
    {"IDP4A", int_mad},
    {"IGMMA", tensor, no_space, 4},
    {"IMAD", int_mad},
    {"IMAD32I", int_mad},
    {"IMADSP", int_mad},
    {"IMMA", tensor, no_space, 4},
    {"IMNMX", int_max},
    {"IMUL", int_mul},
    {"IMUL32I", int_mul},
    {"ISAD", int_add},
    {"ISCADD", int_add},
    {"ISCADD32I", int_add},
    {"ISET", int_add},
    {"ISETP", int_add},
    {"ISUB", int_add},
    {"JCAL", branch},
    {"JMP", branch},
    {"JMX", branch},
    {"JMXU", branch},
    {"KILL", branch},
    {"LD", load, any},
    {"LDC", load, memory_space::constant},
    {"LDCU", load, memory_space::constant, 1, 1, uniform_unit},
    {"LDG", load, memory_space::global},
    {"LDGDEPBAR", int_add},
    {"LDGMC", load, memory_space::global},
    {"LDGSTS", load, memory_space::global},
    {"LDL", load, memory_space::local},
    {"LDS", load, memory_space::shared},
    {"LDSLK", load, memory_space::shared},
    {"LDSM", load, memory_space::shared},
    {"LDU", load, memory_space::global},
    {"LEA", int_add},
    {"LEPC", int_add},
    {"LOP", int_add},
    {"LOP3", int_add},
    {"LOP32I", int_add},
    {"MATCH", shuffle},
    {"MEMBAR", fence},
    {"MOV", int_add},
    {"MOV32I", int_add},
    {"MOVM", shuffle},
    {"MUFU", special},
    {"NANOSLEEP", int_add, no_space, 1, 1, branch_unit},
    {"NOP", int_add},
    {"OMMA", tensor, no_space, 4},
    {"P2R", int_add},
    {"PBK", int_add, no_space, 1, 1, branch_unit},
    {"PCNT", int_add, no_space, 1, 1, branch_unit},
    {"PEXIT", int_add, no_space, 1, 1, branch_unit},
    {"PLONGJMP", int_add, no_space, 1, 1, branch_unit},
    {"PLOP3", int_add},
    {"PMTRIG", int_add},
    {"POPC", int_add},
    {"PREEXIT", int_add, no_space, 1, 1, branch_unit},
    {"PRET", int_add, no_space, 1, 1, branch_unit},
    {"PRMT", int_add},
    {"PSET", int_add},
    {"PSETP", int_add},
    {"QGMMA", tensor, no_space, 4},
    {"QMMA", tensor, no_space, 4},
    {"QSPC", int_add},
    {"R2B", int_add},
    {"R2P", int_add},
    {"R2UR", uniform},
    {"RED", atomic, any},
    {"REDAS", atomic, memory_space::shared},
    {"REDG", atomic, memory_space::global},
    {"REDS", atomic, memory_space::shared},
    {"REDUX", uniform},
    {"RET", branch},
    {"RPCMOV", int_add, no_space, 1, 1, branch_unit},
    {"RRO", fp_add},
    {"RTT", branch},
    {"S2R", int_add},
    {"S2UR", uniform},
    {"SEL", int_add},
    {"SETCTAID", int_add},
    {"SETLMEMBASE", int_add},
    {"SGXT", int_add},
    {"SHF", int_add},
    {"SHFL", shuffle},
    {"SHL", int_add},
    {"SHR", int_add},
    {"SSY", int_add, no_space, 1, 1, branch_unit},
    {"ST", store, any},
    {"STAS", store, memory_space::shared},
    {"STG", store, memory_space::global},
    {"STL", store, memory_space::local},
    {"STS", store, memory_space::shared},
    {"STSCUL", store, memory_space::shared},
    {"STSM", store, memory_space::shared},
    {"SUATOM", atomic, memory_space::global},
    {"SUBFM", int_add},
    {"SUCLAMP", int_add},
    {"SUEAU", int_add},
    {"SULD", load, memory_space::global},
    {"SULDGA", load, memory_space::global},
    {"SUQUERY", int_add},
    {"SURED", atomic, memory_space::global},
    {"SUST", store, memory_space::global},
    {"SUSTGA", store, memory_space::global},
    {"SYNC", branch},
    {"TEX", load, memory_space::texture},
    {"TEXDEPBAR", int_add},
    {"TEXS", load, memory_space::texture},
    {"TLD", load, memory_space::texture},
    {"TLD4", load, memory_space::texture},
    {"TLD4S", load, memory_space::texture},
    {"TLDS", load, memory_space::texture},
    {"TMML", load, memory_space::texture},
    {"TXD", load, memory_space::texture},
    {"TXQ", load, memory_space::texture},
    {"UBMSK", uniform},
    {"UBREV", uniform},
    {"UCGABAR_ARV", int_add, no_space, 1, 1, branch_unit},
    {"UCGABAR_WAIT", int_add, no_space, 1, 1, branch_unit},
    {"UCLEA", uniform},
    {"UF2F", uniform},
    {"UF2FP", uniform},
    {"UF2I", uniform},
    {"UF2IP", uniform},
    {"UFADD", uniform},
    {"UFFMA", uniform},
    {"UFLO", uniform},
    {"UFMNMX", uniform},
    {"UFMUL", uniform},
    {"UFRND", uniform},
    {"UFSEL", uniform},
    {"UFSET", uniform},
    {"UFSETP", uniform},
    {"UGETNEXTWORKID", uniform},
    {"UI2F", uniform},
    {"UI2FP", uniform},
    {"UI2I", uniform},
    {"UI2IP", uniform},
    {"UIABS", uniform},
    {"UIADD3", uniform},
    {"UIADD3_64", uniform},
    {"UIMAD", uniform},
    {"UIMNMX", uniform},
    {"UISETP", uniform},
    {"ULDC", load, memory_space::constant, 1, 1, uniform_unit},
    {"ULEA", uniform},
    {"ULEPC", uniform},
    {"ULOP", uniform},
    {"ULOP3", uniform},
    {"ULOP32I", uniform},
    {"UMOV", uniform},
    {"UP2UR", uniform},
    {"UPLOP3", uniform},
    {"UPOPC", uniform},
    {"UPRMT", uniform},
    {"UPSETP", uniform},
    {"UR2UP", uniform},
    {"USEL", uniform},
    {"USETMAXREG", int_add},
    {"USGXT", uniform},
    {"USHF", uniform},
    {"USHL", uniform},
    {"USHR", uniform},
    {"UTMACCTL", int_add},
    {"UTMACMDFLUSH", int_add},
    {"UVIADD", uniform},
    {"UVIMNMX", uniform},
    {"VABSDIFF", int_add},
    {"VABSDIFF4", int_add},
    {"VADD", int_add},
    {"VHMNMX", fp_max},
    {"VIADD", int_add},
    {"VIADDMNMX", int_max},
    {"VIMNMX", int_max},
    {"VIMNMX3", int_max},
    {"VMNMX", int_max},
    {"VOTE", shuffle},
    {"VOTEU", uniform},
    {"VOTE_VTG", shuffle},
    {"WARPGROUP", int_add},
    {"WARPSYNC", int_add, no_space, 1, 1, branch_unit},
    {"XMAD", int_mad},
    {"YIELD", int_add, no_space, 1, 1, branch_unit},
});
static_assert(std::is_sorted(opcode_rows.begin(), opcode_rows.end(),
                             [](opcode_row const& a, opcode_row const& b) { return a.name < b.name; }));

/// The width that a modifier names; 0 if none.
constexpr unsigned modifier_bits(std::string_view m) noexcept {
    if (m.empty()) return 0;
    bool const typed = m[0] == 'U' || m[0] == 'S' || m[0] == 'F';
    if (typed) m.remove_prefix(1);
    unsigned times = 1;
    if (typed && m.size() > 2 && m.substr(m.size() - 2) == "x2") {
        times = 2;
        m.remove_suffix(2);
    }
    for (unsigned const bits : {8U, 16U, 32U, 64U, 128U, 256U}) {
        auto rest = bits;
        auto digits = m.size();
        while (digits != 0 && rest != 0 && m[digits - 1] == static_cast<char>('0' + rest % 10)) {
            rest /= 10;
            --digits;
        }
        if (rest == 0 && digits == 0) return bits * times;
    }
    return 0;
}

} // namespace detail

/// The row of a name without modifiers; null if there is none.
constexpr opcode_row const* find_opcode(std::string_view name) noexcept {
    auto const& rows = detail::opcode_rows;
    auto const at = std::lower_bound(rows.begin(), rows.end(), name,
                                     [](opcode_row const& r, std::string_view n) { return r.name < n; });
    return at != rows.end() && at->name == name ? &*at : nullptr;
}

/// An opcode with its modifiers: "LDG.E.64.SYS".
class opcode {
public:
    constexpr explicit opcode(std::string_view text) noexcept : text_(text) {}

    constexpr std::string_view text() const noexcept { return text_; }
    /// Up to the first dot.
    constexpr std::string_view name() const noexcept { return text_.substr(0, text_.find('.')); }
    /// Calls `f` with each part behind a dot.
    template <class F>
    constexpr void each_modifier(F&& f) const {
        auto at = text_.find('.');
        while (at != text_.npos) {
            auto const end = text_.find('.', at + 1);
            f(text_.substr(at + 1, end == text_.npos ? end : end - at - 1));
            at = end;
        }
    }

    constexpr bool has(std::string_view modifier) const noexcept {
        bool found = false;
        each_modifier([&](std::string_view m) { found = found || m == modifier; });
        return found;
    }
    /// Bytes that each lane accesses, by the first modifier that is a width in bits, with or without the letter of a
    /// type (64, U8, S16, F32, F16x2); 4 if there is none. The width field of a trace is not to be trusted
    /// (docs/model/traces.md#tolerance).
    constexpr unsigned access_bytes() const noexcept {
        if (name() == "LDSM" || name() == "STSM") return 16; // a lane names a row of 8 elements of 2 bytes
        unsigned bytes = 0;
        each_modifier([&](std::string_view m) {
            if (bytes == 0) bytes = detail::modifier_bits(m) / 8;
        });
        return bytes == 0 ? 4 : bytes;
    }
    /// Registers in a row of the two factors and of the sum, of a matrix operation by its shape (PTX, mma.sync: bits of
    /// a fragment over the 32 lanes); 0 if it names none that is known.
    struct matrix_registers {
        std::uint8_t first = 0;
        std::uint8_t second = 0;
        std::uint8_t sum = 0;
    };
    constexpr matrix_registers matrix() const noexcept {
        auto const half_sum = static_cast<std::uint8_t>(has("F32") ? 4 : 2);
        if (name() == "HMMA") {
            if (has("16816")) return {4, 2, half_sum};
            if (has("1688"))
                return {static_cast<std::uint8_t>(has("TF32") ? 4 : 2),
                        static_cast<std::uint8_t>(has("TF32") ? 2 : 1), half_sum};
            if (has("1684")) return {2, 1, 4}; // of TF32
            if (has("884")) return {2, 2, 2};  // a step makes a quarter of the sum
        } else if (name() == "IMMA") {
            if (has("16832") || has("16864")) return {4, 2, 4};
            if (has("16816")) return {2, 1, 4};
            if (has("8816") || has("8832")) return {1, 1, 2};
        } else if (name() == "DMMA") {
            if (has("884")) return {2, 2, 4};
        } else if (name() == "BMMA") {
            if (has("168256")) return {4, 2, 4};
            if (has("168128")) return {2, 1, 4};
            if (has("88128")) return {1, 1, 2};
        }
        return {};
    }
    /// What a matrix operation multiplies, by its shape: HMMA.16816 is 16 x 8 x 16. None for HMMA.884 of Volta, which
    /// is a step of several, and for names without a shape.
    struct matrix_product {
        matrix_type type = matrix_type::none;
        std::uint8_t rows = 0;
        std::uint16_t depth = 0;
    };
    constexpr matrix_product product() const noexcept {
        auto const kind = name();
        bool const halves = kind == "HMMA";
        if (!halves && kind != "QMMA" && kind != "IMMA" && kind != "DMMA" && kind != "BMMA") return {};
        for (auto rest = text_; !rest.empty();) {
            auto const dot = rest.find('.');
            auto const word = rest.substr(0, dot);
            rest = dot == rest.npos ? std::string_view() : rest.substr(dot + 1);
            auto digits = word;
            bool const wide = digits.substr(0, 2) == "16" && digits.size() > 3;
            digits.remove_prefix(wide ? 2 : digits.empty() ? 0 : 1);
            if ((!wide && word.substr(0, 1) != "8") || digits.substr(0, 1) != "8") continue;
            std::uint16_t depth = 0;
            for (auto const c : digits.substr(1)) {
                if (c < '0' || c > '9') return {};
                depth = static_cast<std::uint16_t>(10 * depth + (c - '0'));
            }
            if (depth == 0 || (halves && !wide)) return {};
            auto const type = kind == "QMMA"   ? matrix_type::f8
                              : kind == "DMMA" ? matrix_type::f64
                              : kind == "BMMA" ? matrix_type::b1
                              : kind == "IMMA" ? has("S4") || has("U4") ? matrix_type::s4 : matrix_type::s8
                              : has("BF16")    ? matrix_type::bf16
                              : has("TF32") || depth == 4 ? matrix_type::tf32
                                                          : matrix_type::f16;
            return {type, static_cast<std::uint8_t>(wide ? 16 : 8), depth};
        }
        return {};
    }
    /// Whether values are 64 bits wide in an operation that is not known for it by its name.
    constexpr bool is_wide() const noexcept { return has("WIDE") || has("F64") || has("U64") || has("S64"); }

private:
    std::string_view text_;
};

} // namespace warpkit::accelsim
