#pragma once
/// \file
/// A parsed PTX module. Registers, variables, labels and functions are resolved to indices; instructions are matched
/// to a row of the instruction table.

#include <warpkit/base/memory_space.hpp>
#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/frontend/ptx/lexer.hpp>
#include <warpkit/frontend/ptx/types.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// The special registers (PTX ISA, "Special Registers").
enum class special_register : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    clock,
    clock_hi,
    clock64,
    globaltimer,
    dynamic_smem_size,
    total_smem_size,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_ctarank,
    cluster_nctarank,
    envreg, ///< the driver's: ours puts 1 into all of them in a cooperative launch, or else 0
    count
};

namespace detail {
struct special_row {
    std::string_view name;
    scalar type;
};
inline constexpr std::array<special_row, static_cast<std::size_t>(special_register::count)> specials{{
    {"%tid.x", scalar::u32},
    {"%tid.y", scalar::u32},
    {"%tid.z", scalar::u32},
    {"%ntid.x", scalar::u32},
    {"%ntid.y", scalar::u32},
    {"%ntid.z", scalar::u32},
    {"%ctaid.x", scalar::u32},
    {"%ctaid.y", scalar::u32},
    {"%ctaid.z", scalar::u32},
    {"%nctaid.x", scalar::u32},
    {"%nctaid.y", scalar::u32},
    {"%nctaid.z", scalar::u32},
    {"%laneid", scalar::u32},
    {"%warpid", scalar::u32},
    {"%nwarpid", scalar::u32},
    {"%smid", scalar::u32},
    {"%nsmid", scalar::u32},
    {"%gridid", scalar::u64},
    {"%lanemask_eq", scalar::u32},
    {"%lanemask_le", scalar::u32},
    {"%lanemask_lt", scalar::u32},
    {"%lanemask_ge", scalar::u32},
    {"%lanemask_gt", scalar::u32},
    {"%clock", scalar::u32},
    {"%clock_hi", scalar::u32},
    {"%clock64", scalar::u64},
    {"%globaltimer", scalar::u64},
    {"%dynamic_smem_size", scalar::u32},
    {"%total_smem_size", scalar::u32},
    {"%clusterid.x", scalar::u32},
    {"%clusterid.y", scalar::u32},
    {"%clusterid.z", scalar::u32},
    {"%nclusterid.x", scalar::u32},
    {"%nclusterid.y", scalar::u32},
    {"%nclusterid.z", scalar::u32},
    {"%cluster_ctaid.x", scalar::u32},
    {"%cluster_ctaid.y", scalar::u32},
    {"%cluster_ctaid.z", scalar::u32},
    {"%cluster_nctaid.x", scalar::u32},
    {"%cluster_nctaid.y", scalar::u32},
    {"%cluster_nctaid.z", scalar::u32},
    {"%cluster_ctarank", scalar::u32},
    {"%cluster_nctarank", scalar::u32},
    {"%envreg0", scalar::b32},
}};
/// The special register of this name.
constexpr std::optional<special_register> special_from(std::string_view name) noexcept {
    using r = special_register;
    for (std::size_t i = 0; i < specials.size(); ++i)
        if (specials[i].name == name) return static_cast<r>(i);
    auto number = name.substr(0, 7) == "%envreg" ? name.substr(7) : std::string_view{}; // 0 to 31
    bool const good = number.size() == 1 || (number.size() == 2 && number[0] >= '1' && number[0] <= '3' &&
                                             (number[0] != '3' || number[1] <= '1'));
    return good && number.back() >= '0' && number.back() <= '9' ? std::optional(r::envreg) : std::nullopt;
}
} // namespace detail

/// Which variable or function a name stands for: an index into the function's variables, the module's variables, or
/// the module's functions.
struct symbol_reference {
    enum class scope : std::uint8_t { function_variable, module_variable, function };
    scope where = scope::module_variable;
    std::uint32_t index = 0;
    friend bool operator==(symbol_reference const&, symbol_reference const&) = default;
};

/// One operand as written.
struct operand {
    enum class kind : std::uint8_t {
        none,
        reg,
        immediate,
        symbol,
        special,
        address,
        vector,
        label,
        targets,
        sink,
        list
    };
    kind what = kind::none;
    bool negated = false;     ///< !%p
    bool has_symbol = false;  ///< address: [symbol + offset] rather than [register + offset]
    bool is_absolute = false; ///< address: [offset] alone
    token_kind literal = token_kind::integer;
    position where;
    std::uint32_t reg = 0;              ///< register number within the function
    std::uint32_t second = no_register; ///< q of "p|q"; no_register if there is none, sink_register for '_'
    std::uint64_t value = 0;            ///< immediate; address and symbol: the offset
    part_selector parts;                ///< of a register
    symbol_reference symbol;
    special_register special{};
    std::uint32_t target = 0;      ///< label: index of an instruction; targets: of a target_list
    std::vector<operand> elements; ///< of a vector or a list

    static constexpr std::uint32_t no_register = 0xffffffff;
    static constexpr std::uint32_t sink_register = 0xfffffffe;
};

/// One instruction, matched to row `row` of the instruction table.
struct instruction {
    position where;
    source_place source;
    std::string opcode; ///< in full, as written
    std::uint16_t row = 0;
    ptx::form form;
    bool guarded = false;
    bool guard_negated = false;
    std::uint32_t guard = 0; ///< register number
    std::vector<operand> operands;
};

/// The registers of a function by number. Declared in ranges, as many as one likes, they cost memory by the range.
class register_list {
public:
    static constexpr std::uint32_t most = 1U << 24;

    std::uint32_t size() const noexcept { return size_; }
    /// `count` registers name0, name1 and so on; or one of just this name. Precondition: no more than `most` in all.
    void add(std::string name, scalar type, std::uint32_t count) {
        push({std::move(name), type, true, size_}, count);
    }
    void add(std::string name, scalar type) { push({std::move(name), type, false, size_}, 1); }
    scalar type(std::uint32_t r) const { return range_of(r).type; }
    std::string name(std::uint32_t r) const {
        auto const& of = range_of(r);
        return of.numbered ? of.name + std::to_string(r - of.first) : of.name;
    }

private:
    struct range {
        std::string name;
        scalar type = scalar::none;
        bool numbered = false;
        std::uint32_t first = 0;
    };
    void push(range r, std::uint32_t count) {
        if (count == 0) return;
        ranges_.push_back(std::move(r));
        size_ += count;
    }
    range const& range_of(std::uint32_t r) const {
        auto const after = std::upper_bound(ranges_.begin(), ranges_.end(), r,
                                            [](std::uint32_t n, range const& x) { return n < x.first; });
        return *std::prev(after);
    }
    std::vector<range> ranges_;
    std::uint32_t size_ = 0;
};

/// Where an indirect branch or call may go: .branchtargets, .calltargets, or with .callprototype anywhere.
struct target_list {
    enum class kind : std::uint8_t { branch, call, prototype };
    kind what = kind::branch;
    position where;
    std::vector<std::uint32_t> targets; ///< instructions of this function, or functions of the module
};

/// An address of another variable, or of a function, in an initialiser.
struct relocation {
    std::uint64_t offset = 0; ///< of the 4 or 8 bytes to fill
    std::uint8_t bytes = 8;
    std::uint32_t variable = 0; ///< of the module; or its function
    bool is_function = false;
    std::int64_t addend = 0;
    bool generic = false; ///< generic(x) rather than the address in x's own space
    position where;
};

/// A variable in memory, or a parameter.
struct variable {
    enum class role : std::uint8_t { variable, parameter, result };
    std::string name;
    position where;
    memory_space space = memory_space::none;
    role what = role::variable;
    scalar type = scalar::none; ///< of the elements
    bool is_array = false;
    bool is_extern = false;
    bool unsized = false; ///< declared with []
    std::uint32_t align = 1;
    std::uint64_t size = 0;         ///< bytes
    std::uint64_t offset = 0;       ///< parameters: within the parameter block
    std::vector<std::byte> initial; ///< empty: zeros
    std::vector<relocation> relocations;
};

/// What an entry says of its clusters of CTAs (PTX ISA, "Cluster Dimension Directives").
struct cluster_shape {
    dim3 required{0, 0, 0};      ///< .reqnctapercluster; zeros: it does not say
    bool is_explicit = false;    ///< .explicitcluster: the launch must say, if it does not itself
    std::uint32_t most_ctas = 0; ///< .maxclusterrank; 0: it does not say
};

/// An entry (kernel) or a device function.
struct function {
    std::string name;
    position where;
    bool is_entry = false;
    bool is_defined = false;
    std::vector<variable> variables; ///< parameters and results first, then those declared in the body
    std::uint32_t parameters = 0;    ///< how many of the variables are parameters
    std::uint32_t results = 0;       ///< how many are results; they precede the parameters
    std::uint64_t parameter_bytes = 0;
    std::uint32_t parameter_align = 1;
    cluster_shape cluster;
    std::uint32_t most_registers =
        0; ///< of a thread: .maxnreg, or what the bounds of a launch leave; 0: none is said
    register_list registers;
    std::vector<instruction> body;
    std::vector<target_list> lists;

    variable const& parameter(std::uint32_t i) const { return variables[results + i]; }
    variable const& result(std::uint32_t i) const { return variables[i]; }
};

/// A parsed module.
struct module {
    std::string name; ///< as messages call it
    std::string target;
    unsigned version_major = 0;
    unsigned version_minor = 0;
    std::vector<variable> variables;
    std::vector<function> functions;
    std::map<std::uint32_t, std::string> files; ///< of .file, by number

    /// The function of this name, or null.
    function const* find(std::string_view wanted) const {
        for (auto const& f : functions)
            if (f.name == wanted) return &f;
        return nullptr;
    }
};

} // namespace warpkit::ptx
