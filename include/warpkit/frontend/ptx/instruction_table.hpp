#pragma once
/// \file
/// The instruction table: the rows, ready to be matched, by opcode.

#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/frontend/ptx/instruction_row.hpp>
#include <warpkit/frontend/ptx/instruction_rows.hpp>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace warpkit::ptx {

namespace detail {
struct prepared_row {
    row const* from;
    form_pattern pattern;
    std::vector<operand_spec> operands;
};
} // namespace detail

/// The rows, grouped by opcode.
class instruction_table {
public:
    using prepared_row = detail::prepared_row;

    static instruction_table const& instance() {
        static auto const& table =
            *new instruction_table; // never destroyed: programs load PTX until they have ended
        return table;
    }
    /// The numbers of the rows of an opcode; empty if it is unknown.
    std::vector<std::uint16_t> const& rows_of(std::string_view base) const {
        static std::vector<std::uint16_t> const none;
        auto const i = by_base_.find(base);
        return i == by_base_.end() ? none : i->second;
    }
    prepared_row const& operator[](std::uint16_t index) const { return rows_[index]; }
    std::size_t size() const { return rows_.size(); }

private:
    instruction_table() {
        for (auto const* r : detail::all_rows()) {
            by_base_[r->base].push_back(static_cast<std::uint16_t>(rows_.size()));
            rows_.push_back({r, form_pattern(r->pattern), operand_specs(r->operands)});
        }
    }
    std::vector<prepared_row> rows_;
    std::map<std::string_view, std::vector<std::uint16_t>> by_base_;
};

} // namespace warpkit::ptx
