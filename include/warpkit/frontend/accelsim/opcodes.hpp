#pragma once
/// \file
/// NVIDIA's machine opcodes, Kepler to Hopper, in our operation classes.
/// Source: the instruction set tables of NVIDIA's "CUDA Binary Utilities"; classes of conversions, moves and predicate
/// logic as latency tables group them (docs/model/machines.md#latency-classes). What has no class of its own is put
/// beside what is nearest: half precision with single.

#include <warpkit/base/memory_space.hpp>
#include <warpkit/program/instruction.hpp>

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
inline constexpr std::array opcode_rows = {
    opcode_row{"ARRIVES", int_add},
    opcode_row{"ATOM", atomic, any},
    opcode_row{"ATOMG", atomic, memory_space::global},
    opcode_row{"ATOMS", atomic, memory_space::shared},
    opcode_row{"B2R", int_add},
    opcode_row{"BAR", barrier},
    opcode_row{"BFE", int_add},
    opcode_row{"BFI", int_add},
    opcode_row{"BMMA", tensor, no_space, 2},
    opcode_row{"BMOV", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"BMSK", int_add},
    opcode_row{"BPT", branch},
    opcode_row{"BRA", branch},
    opcode_row{"BREAK", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"BREV", int_add},
    opcode_row{"BRK", branch},
    opcode_row{"BRX", branch},
    opcode_row{"BRXU", branch},
    opcode_row{"BSSY", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"BSYNC", branch},
    opcode_row{"CAL", branch},
    opcode_row{"CALL", branch},
    opcode_row{"CCTL", int_add},
    opcode_row{"CCTLL", int_add},
    opcode_row{"CCTLT", int_add},
    opcode_row{"CONT", branch},
    opcode_row{"CS2R", int_add, no_space, 2},
    opcode_row{"CSET", int_add},
    opcode_row{"CSETP", int_add},
    opcode_row{"CSMTEST", int_add},
    opcode_row{"DADD", dp_add, no_space, 2, 2},
    opcode_row{"DEPBAR", int_add},
    opcode_row{"DFMA", dp_mad, no_space, 2, 2},
    opcode_row{"DMMA", tensor, no_space, 4, 2},
    opcode_row{"DMNMX", dp_max, no_space, 2, 2},
    opcode_row{"DMUL", dp_mul, no_space, 2, 2},
    opcode_row{"DSET", dp_add, no_space, 1, 2},
    opcode_row{"DSETP", dp_add, no_space, 1, 2},
    opcode_row{"ELECT", shuffle},
    opcode_row{"ENDCOLLECTIVE", int_add},
    opcode_row{"ERRBAR", int_add},
    opcode_row{"EXIT", exit},
    opcode_row{"F2F", int_add},
    opcode_row{"F2FP", int_add},
    opcode_row{"F2I", int_add},
    opcode_row{"F2IP", int_add},
    opcode_row{"FADD", fp_add},
    opcode_row{"FADD32I", fp_add},
    opcode_row{"FCHK", fp_add},
    opcode_row{"FCMP", fp_add},
    opcode_row{"FENCE", fence},
    opcode_row{"FFMA", fp_mad},
    opcode_row{"FFMA32I", fp_mad},
    opcode_row{"FLO", int_add},
    opcode_row{"FMNMX", fp_max},
    opcode_row{"FMUL", fp_mul},
    opcode_row{"FMUL32I", fp_mul},
    opcode_row{"FRND", int_add},
    opcode_row{"FSEL", fp_add},
    opcode_row{"FSET", fp_add},
    opcode_row{"FSETP", fp_add},
    opcode_row{"FSWZ", fp_add},
    opcode_row{"FSWZADD", fp_add},
    opcode_row{"GETLMEMBASE", int_add},
    opcode_row{"HADD2", fp_add},
    opcode_row{"HADD2_32I", fp_add},
    opcode_row{"HFMA2", fp_mad},
    opcode_row{"HFMA2_32I", fp_mad},
    opcode_row{"HGMMA", tensor, no_space, 4},
    opcode_row{"HMMA", tensor, no_space, 4},
    opcode_row{"HMNMX2", fp_max},
    opcode_row{"HMUL2", fp_mul},
    opcode_row{"HMUL2_32I", fp_mul},
    opcode_row{"HSET2", fp_add},
    opcode_row{"HSETP2", fp_add},
    opcode_row{"I2F", int_add},
    opcode_row{"I2FP", int_add},
    opcode_row{"I2I", int_add},
    opcode_row{"I2IP", int_add},
    opcode_row{"IABS", int_add},
    opcode_row{"IADD", int_add},
    opcode_row{"IADD3", int_add},
    opcode_row{"IADD32I", int_add},
    opcode_row{"ICMP", int_add},
    opcode_row{"IDP", int_mad},
    opcode_row{"IDP4A", int_mad},
    opcode_row{"IGMMA", tensor, no_space, 4},
    opcode_row{"IMAD", int_mad},
    opcode_row{"IMAD32I", int_mad},
    opcode_row{"IMADSP", int_mad},
    opcode_row{"IMMA", tensor, no_space, 4},
    opcode_row{"IMNMX", int_max},
    opcode_row{"IMUL", int_mul},
    opcode_row{"IMUL32I", int_mul},
    opcode_row{"ISAD", int_add},
    opcode_row{"ISCADD", int_add},
    opcode_row{"ISCADD32I", int_add},
    opcode_row{"ISET", int_add},
    opcode_row{"ISETP", int_add},
    opcode_row{"ISUB", int_add},
    opcode_row{"JCAL", branch},
    opcode_row{"JMP", branch},
    opcode_row{"JMX", branch},
    opcode_row{"JMXU", branch},
    opcode_row{"KILL", branch},
    opcode_row{"LD", load, any},
    opcode_row{"LDC", load, memory_space::constant},
    opcode_row{"LDG", load, memory_space::global},
    opcode_row{"LDGDEPBAR", int_add},
    opcode_row{"LDGSTS", load, memory_space::global},
    opcode_row{"LDL", load, memory_space::local},
    opcode_row{"LDS", load, memory_space::shared},
    opcode_row{"LDSLK", load, memory_space::shared},
    opcode_row{"LDSM", load, memory_space::shared},
    opcode_row{"LDU", load, memory_space::global},
    opcode_row{"LEA", int_add},
    opcode_row{"LEPC", int_add},
    opcode_row{"LOP", int_add},
    opcode_row{"LOP3", int_add},
    opcode_row{"LOP32I", int_add},
    opcode_row{"MATCH", shuffle},
    opcode_row{"MEMBAR", fence},
    opcode_row{"MOV", int_add},
    opcode_row{"MOV32I", int_add},
    opcode_row{"MOVM", shuffle},
    opcode_row{"MUFU", special},
    opcode_row{"NANOSLEEP", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"NOP", int_add},
    opcode_row{"P2R", int_add},
    opcode_row{"PBK", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"PCNT", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"PEXIT", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"PLONGJMP", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"PLOP3", int_add},
    opcode_row{"PMTRIG", int_add},
    opcode_row{"POPC", int_add},
    opcode_row{"PRET", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"PRMT", int_add},
    opcode_row{"PSET", int_add},
    opcode_row{"PSETP", int_add},
    opcode_row{"QGMMA", tensor, no_space, 4},
    opcode_row{"QMMA", tensor, no_space, 4},
    opcode_row{"QSPC", int_add},
    opcode_row{"R2B", int_add},
    opcode_row{"R2P", int_add},
    opcode_row{"R2UR", uniform},
    opcode_row{"RED", atomic, any},
    opcode_row{"REDG", atomic, memory_space::global},
    opcode_row{"REDS", atomic, memory_space::shared},
    opcode_row{"REDUX", uniform},
    opcode_row{"RET", branch},
    opcode_row{"RPCMOV", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"RRO", fp_add},
    opcode_row{"RTT", branch},
    opcode_row{"S2R", int_add},
    opcode_row{"S2UR", uniform},
    opcode_row{"SEL", int_add},
    opcode_row{"SETCTAID", int_add},
    opcode_row{"SETLMEMBASE", int_add},
    opcode_row{"SGXT", int_add},
    opcode_row{"SHF", int_add},
    opcode_row{"SHFL", shuffle},
    opcode_row{"SHL", int_add},
    opcode_row{"SHR", int_add},
    opcode_row{"SSY", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"ST", store, any},
    opcode_row{"STG", store, memory_space::global},
    opcode_row{"STL", store, memory_space::local},
    opcode_row{"STS", store, memory_space::shared},
    opcode_row{"STSCUL", store, memory_space::shared},
    opcode_row{"STSM", store, memory_space::shared},
    opcode_row{"SUATOM", atomic, memory_space::global},
    opcode_row{"SUBFM", int_add},
    opcode_row{"SUCLAMP", int_add},
    opcode_row{"SUEAU", int_add},
    opcode_row{"SULD", load, memory_space::global},
    opcode_row{"SULDGA", load, memory_space::global},
    opcode_row{"SUQUERY", int_add},
    opcode_row{"SURED", atomic, memory_space::global},
    opcode_row{"SUST", store, memory_space::global},
    opcode_row{"SUSTGA", store, memory_space::global},
    opcode_row{"SYNC", branch},
    opcode_row{"TEX", load, memory_space::texture},
    opcode_row{"TEXDEPBAR", int_add},
    opcode_row{"TEXS", load, memory_space::texture},
    opcode_row{"TLD", load, memory_space::texture},
    opcode_row{"TLD4", load, memory_space::texture},
    opcode_row{"TLD4S", load, memory_space::texture},
    opcode_row{"TLDS", load, memory_space::texture},
    opcode_row{"TMML", load, memory_space::texture},
    opcode_row{"TXD", load, memory_space::texture},
    opcode_row{"TXQ", load, memory_space::texture},
    opcode_row{"UBMSK", uniform},
    opcode_row{"UBREV", uniform},
    opcode_row{"UCLEA", uniform},
    opcode_row{"UF2FP", uniform},
    opcode_row{"UFLO", uniform},
    opcode_row{"UIADD3", uniform},
    opcode_row{"UIMAD", uniform},
    opcode_row{"UISETP", uniform},
    opcode_row{"ULDC", load, memory_space::constant, 1, 1, uniform_unit},
    opcode_row{"ULEA", uniform},
    opcode_row{"ULEPC", uniform},
    opcode_row{"ULOP", uniform},
    opcode_row{"ULOP3", uniform},
    opcode_row{"ULOP32I", uniform},
    opcode_row{"UMOV", uniform},
    opcode_row{"UP2UR", uniform},
    opcode_row{"UPLOP3", uniform},
    opcode_row{"UPOPC", uniform},
    opcode_row{"UPRMT", uniform},
    opcode_row{"UPSETP", uniform},
    opcode_row{"UR2UP", uniform},
    opcode_row{"USEL", uniform},
    opcode_row{"USETMAXREG", int_add},
    opcode_row{"USGXT", uniform},
    opcode_row{"USHF", uniform},
    opcode_row{"USHL", uniform},
    opcode_row{"USHR", uniform},
    opcode_row{"VABSDIFF", int_add},
    opcode_row{"VABSDIFF4", int_add},
    opcode_row{"VADD", int_add},
    opcode_row{"VHMNMX", fp_max},
    opcode_row{"VIADD", int_add},
    opcode_row{"VIADDMNMX", int_max},
    opcode_row{"VIMNMX", int_max},
    opcode_row{"VIMNMX3", int_max},
    opcode_row{"VMNMX", int_max},
    opcode_row{"VOTE", shuffle},
    opcode_row{"VOTEU", uniform},
    opcode_row{"VOTE_VTG", shuffle},
    opcode_row{"WARPGROUP", int_add},
    opcode_row{"WARPSYNC", int_add, no_space, 1, 1, branch_unit},
    opcode_row{"XMAD", int_mad},
    opcode_row{"YIELD", int_add, no_space, 1, 1, branch_unit},
};
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
    /// Whether values are 64 bits wide in an operation that is not known for it by its name.
    constexpr bool is_wide() const noexcept { return has("WIDE") || has("F64") || has("U64") || has("S64"); }

private:
    std::string_view text_;
};

} // namespace warpkit::accelsim
