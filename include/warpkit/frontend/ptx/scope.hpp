#pragma once
/// \file
/// The names of a function's blocks: registers, variables, labels and lists of targets. An inner block hides the names
/// of an outer one.

#include <warpkit/frontend/ptx/ast.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::ptx {

/// Registers declared together: prefix0, prefix1 and so on.
struct register_range {
    std::uint32_t count = 0;
    std::uint32_t first = 0;
};
/// A name used as a label: by an operand of an instruction, or by an entry of a target list.
struct label_use {
    position where;
    std::string name;
    bool in_list = false;
    std::uint32_t holder = 0; ///< number of the instruction or of the list
    std::uint32_t entry = 0;
};
/// One block.
struct scope {
    std::map<std::string, std::uint32_t, std::less<>> names; ///< registers
    std::map<std::string, register_range, std::less<>> ranges;
    std::map<std::string, std::uint32_t, std::less<>> variables;
    std::map<std::string, std::uint32_t, std::less<>> labels; ///< to instruction index
    std::map<std::string, std::uint32_t, std::less<>> lists;  ///< to the function's target lists
    std::vector<label_use> uses; ///< of labels and lists, resolved when the scope closes
};

/// Whether a name is that of a register of these blocks, the innermost last, and of which.
inline bool find_register(std::vector<scope> const& scopes, std::string_view name, std::uint32_t& index) {
    auto digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    for (auto s = scopes.rbegin(); s != scopes.rend(); ++s) {
        if (auto const i = s->names.find(name); i != s->names.end()) {
            index = i->second;
            return true;
        }
        // Prefixes themselves may end in digits (%r1<4> declares %r10 to %r13): try all cuts.
        for (auto cut = digits; cut < name.size() && name.size() - cut <= 7; ++cut) {
            if (name[cut] == '0' && cut + 1 != name.size()) continue;
            auto const i = s->ranges.find(name.substr(0, cut));
            if (i == s->ranges.end()) continue;
            std::uint32_t n = 0;
            for (auto c : name.substr(cut)) n = n * 10 + static_cast<std::uint32_t>(c - '0');
            if (n < i->second.count) {
                index = i->second.first + n;
                return true;
            }
        }
    }
    return false;
}

} // namespace warpkit::ptx
