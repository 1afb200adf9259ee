#pragma once
/// \file
/// Lowering: an entry of a loaded module becomes a kernel.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/call_expansion.hpp>
#include <warpkit/frontend/ptx/call_graph.hpp>
#include <warpkit/frontend/ptx/instruction_table.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/made_code.hpp>
#include <warpkit/frontend/ptx/matrix.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/register_operands.hpp>
#include <warpkit/frontend/ptx/system_calls.hpp>
#include <warpkit/program/control_flow.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/list_schedule.hpp>
#include <warpkit/program/liveness.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// Fills one kernel, once.
class lowering {
public:
    lowering(kernel& k, code_order order)
        : order_(order),
          module_(k.module_),
          program_(k.program_),
          flow_(k.flow_),
          operations_(k.operations_),
          sources_(k.sources_),
          texts_(k.texts_),
          cluster_(k.cluster_),
          parameters_(k.parameters_),
          specials_(k.specials_),
          constants_(k.constants_),
          own_addresses_(k.own_addresses_),
          fragments_(k.fragments_),
          parameter_bytes_(k.parameter_bytes_),
          local_bytes_(k.local_bytes_),
          parameter_align_(k.parameter_align_),
          register_bytes_(k.register_bytes_),
          recurses_(k.recurses_),
          made_(k.made_),
          calls_(*k.module_) {}

    /// Throws warpkit::error, with the place, for what cannot be run.
    void run(ptx::function const& entry) {
        register_bytes_ = scratch_bytes;
        program_.name = entry.name;
        entry_line_ = entry.where.line;
        cluster_ = entry.cluster;
        program_.code_begin = module_->code_begin(entry);
        for (std::uint32_t i = 0; i < entry.parameters; ++i) {
            auto const& p = entry.parameter(i);
            parameters_.push_back({p.name, p.type, p.offset, p.size, p.align});
        }
        parameter_bytes_ = entry.parameter_bytes;
        parameter_align_ = entry.parameter_align;
        calls_.expand(entry);
        carry_ = calls_.add_register(scalar::pred);
        program_.shared_bytes = calls_.shared_bytes();
        program_.jump_tables = calls_.tables();
        look_for_pairs();
        auto const count = static_cast<std::uint32_t>(calls_.code().size());
        std::vector<register_use> uses(count);
        program_.instructions.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) describe(i, uses[i]);
        end_program(uses);
        std::vector<std::uint32_t> aborts;
        for (std::uint32_t i = 0; i < count; ++i)
            if (row_of(i).what == action::trap) aborts.push_back(i);
        flow_ = control_flow(program_.instructions, program_.jump_tables, aborts);
        if (order_ == code_order::scheduled) schedule(uses);
        for (auto const& c : calls_.code()) texts_.push_back(c.text);
        if (!module_->source().files.empty())
            for (auto const& c : calls_.code()) sources_.push_back(c.text->source);
        liveness const live(flow_, uses, static_cast<std::uint32_t>(calls_.types().size()));
        assign_registers(live, uses);
        if (entry.most_registers != 0 && program_.registers_per_thread > entry.most_registers)
            program_.registers_per_thread = entry.most_registers; // a compiler would spill the others
        operations_.resize(program_.instructions.size());
        for (std::uint32_t i = 0; i < count; ++i) prepare(i);
        for (std::uint32_t i = count; i < operations_.size(); ++i) {
            operations_[i].what = action::exit;
            operations_[i].index = i;
        }
        if (flow_.meets_early())
            for (auto const& o : operations_)
                if ((o.what == action::jump || o.what == action::jump_by_table) &&
                    o.reconvergence != control_flow::none)
                    operations_[o.reconvergence].may_be_met = operations_[o.reconvergence].attention = true;
        local_bytes_ = (calls_.local_bytes() + 15) / 16 * 16;
        recurses_ = calls_.recurses();
        made_ = calls_.made();
    }

private:
    static constexpr std::uint32_t scratch_bytes = 256; ///< at offset 0 of the registers: what goes to '_'

    [[noreturn]] void refuse(instruction const& n, std::string const& why) const {
        fail(module_->source().name, n.where, "kernel " + program_.name + ": " + why);
    }

    // Lowering ----------------------------------------------------------------------------------------------------
    // Whether the kernel is of pairs of CTAs. All its tcgen05 instructions must be of the same group (PTX ISA,
    // tcgen05.mma).
    void look_for_pairs() {
        instruction const* first = nullptr;
        for (auto const& c : calls_.code()) {
            auto const& n = *c.text;
            if (!n.form.has(modifier::cta_group)) continue;
            of_pairs_ = of_pairs_ || is_of_pair(n.form);
            if (instruction_table::instance()[n.row].from->base != "tcgen05") continue;
            if (first == nullptr) first = &n;
            if (is_of_pair(first->form) != is_of_pair(n.form))
                refuse(n, "expected one .cta_group in all tcgen05 instructions of the kernel, found " +
                              n.opcode + " and, in line " + std::to_string(first->where.line) + ", " +
                              first->opcode);
        }
    }
    // Registers that instruction i writes and reads, and its static description without register names.
    void describe(std::uint32_t i, register_use& use) {
        auto const c = calls_.code()[i];
        auto const& n = *c.text;
        auto const& prepared = instruction_table::instance()[n.row];
        auto const& r = *prepared.from;
        auto& s = program_.instructions[i];
        s.source_line = n.where.line;
        s.guarded = n.guarded;
        use.conditional = n.guarded;
        auto const t = n.form.type[r.extra == trait::by_second_type ? 1 : 0];
        s.kind = t == scalar::f64 ? r.kind.twice : is_float(t) ? r.kind.single : r.kind.integer;
        each_register(n, [&](register_operand const& x) {
            auto& known = x.written ? use.writes : use.reads;
            auto& further = x.written ? s.further_destinations : s.further_sources;
            // Register banks see the first of a matrix's registers alone, as in traces.
            if (x.further && known.size() < 16)
                further = static_cast<std::uint16_t>(further | 1U << known.size());
            known.push_back(calls_.reg(c, x.reg));
        });
        for (auto const& o : n.operands)
            if (r.what == action::jump || r.what == action::jump_by_table) {
                if (o.what == operand::kind::label) s.target = calls_.target_of(c, o);
                if (o.what == operand::kind::targets) {
                    s.jump_table = static_cast<std::uint32_t>(program_.jump_tables.size());
                    program_.jump_tables.push_back(calls_.targets_of(c, o));
                }
            }
        if (r.what == action::call && call_parts(n).indirect())
            s.jump_table = calls_.table_of_call(n, c.frame);
        if (r.extra == trait::carry_in) use.reads.push_back(carry_);
        if (n.form.has(modifier::cc)) use.writes.push_back(carry_);
        if (n.form.has(modifier::matrices)) s.matrix = matrix_type::rows;
        if (n.form.has(modifier::shape) && r.what != action::access) {
            auto const product = product_of(n.form);
            s.matrix = type_of(product);
            s.matrix_rows = static_cast<std::uint8_t>(product.m);
            s.matrix_depth = static_cast<std::uint16_t>(product.held_columns());
            s.matrix_columns = static_cast<std::uint16_t>(product.n * product.products());
        }
        s.async = r.role;
        if (r.role == async_role::wait || r.role == async_role::bulk_wait ||
            r.role == async_role::bulk_wait_read || r.role == async_role::product_wait)
            s.async_groups = static_cast<std::uint8_t>(std::min<std::uint64_t>(n.operands[0].value, 255));
        if (s.async == async_role::product) {
            auto const product = group_product(n.form);
            s.matrix = type_of(product);
            s.matrix_rows = static_cast<std::uint8_t>(product.m);
            s.matrix_depth = static_cast<std::uint16_t>(product.held_columns());
            s.matrix_columns = static_cast<std::uint16_t>(product.n);
            s.factor_in_shared = n.operands[1].what != operand::kind::vector;
        }
        if (s.async == async_role::tensor_load || s.async == async_role::tensor_store)
            s.matrix_columns = static_cast<std::uint16_t>(tensor_fragment::of(n.form).registers());
        s.past_l1 = (s.kind == op_class::load || r.what == action::copy) && keeps_out_of_l1(n.form);
        if (r.what == action::copy) {
            s.space = memory_space::global;
            s.access_bytes = static_cast<std::uint8_t>(n.operands[2].value);
        } else if (r.what == action::poll || n.form.has(modifier::matrices)) {
            s.space = memory_space::shared;
            s.access_bytes = r.what == action::poll ? 8 : 16;
        } else if (r.what == action::compute && r.role == async_role::arrive) { // with data
            s.space = memory_space::shared;
            s.access_bytes = static_cast<std::uint8_t>(size_of(n.form.type[0]) * n.form.vector_size());
        } else if (r.what == action::access && n.form.has(modifier::shape)) {
            s.space = space_of_form(n.form);
            s.access_bytes = static_cast<std::uint8_t>(semantics::matrix_bytes(n.form));
        } else if (r.what == action::access) {
            s.space = space_of_form(n.form);
            s.access_bytes = static_cast<std::uint8_t>(size_of(n.form.type[0]) * n.form.vector_size());
            if (n.form.has(modifier::boundary)) {
                s.space = memory_space::global;
            } else if (n.form.has(modifier::geometry)) {
                s.space = memory_space::texture;
                s.access_bytes =
                    4; // of the texel's size, which is not known here, as much as decides its sector
            }
            if (in_call_frame(c, n)) { // an argument on its way: a register in the machine, so a move
                s.kind = op_class::int_add;
                s.space = memory_space::none;
                s.access_bytes = 0;
            }
        } else if (r.what == action::call) {
            if (s.jump_table == static_instruction::no_target) s.target = i + 1;
        } else if (r.what == action::leave) {
            s.target = calls_.return_of(c);
            s.kind = s.target == static_instruction::no_target ? op_class::exit : op_class::branch;
        }
    }
    // Whether a ld or st names a variable of a call sequence rather than a kernel parameter.
    bool in_call_frame(expanded_instruction const& c, instruction const& n) {
        for (auto const& o : n.operands)
            if (o.what == operand::kind::address && o.has_symbol &&
                o.symbol.where == symbol_reference::scope::function_variable) {
                auto const p = calls_.resolve(c, o.symbol);
                return p.space == memory_space::parameter && p.address >= call_frame;
            }
        return false;
    }
    // Flow must not run off the end: an exit is added where the text has none.
    void end_program(std::vector<register_use>& uses) {
        auto const n = static_cast<std::uint32_t>(program_.instructions.size());
        bool needed = n == 0;
        if (n != 0) {
            auto const& last = program_.instructions.back();
            bool const leaves =
                !last.guarded && (last.kind == op_class::exit ||
                                  (last.target != static_instruction::no_target && last.target < n) ||
                                  last.jump_table != static_instruction::no_target);
            needed = !leaves;
            for (auto const& s : program_.instructions) needed = needed || s.target == n;
            for (auto const& table : program_.jump_tables)
                for (auto const t : table) needed = needed || t == n;
        }
        if (!needed) return;
        static_instruction exit;
        exit.kind = op_class::exit;
        exit.source_line = n == 0 ? entry_line_ : program_.instructions.back().source_line;
        program_.instructions.push_back(exit);
        uses.emplace_back();
    }

    // Puts the instructions of each block in the order that a compiler would choose; blocks stay where they are.
    void schedule(std::vector<register_use>& uses) {
        std::vector<side_effects> effects(program_.instructions.size());
        for (std::uint32_t i = 0; i < calls_.code().size(); ++i) effects[i] = effects_of(i);
        auto const order = list_schedule(flow_, program_.instructions, uses, effects, weights()).order();
        auto const permute = [&](auto& all) {
            auto const before = all;
            for (std::size_t k = 0; k < all.size(); ++k) all[k] = before[order[k]];
        };
        permute(calls_.code()); // an exit that was added behind it stays at the end of its block
        permute(uses);
        permute(program_.instructions);
    }
    row const& row_of(std::uint32_t i) const {
        return *instruction_table::instance()[calls_.code()[i].text->row].from;
    }
    // What instruction i does beside its registers; what is not known to do nothing else is pinned.
    side_effects effects_of(std::uint32_t i) {
        constexpr std::uint8_t global = 1;
        constexpr std::uint8_t shared = 2;
        constexpr std::uint8_t local = 4; // and variables of calls
        constexpr std::uint8_t warp = 8;  // which lanes do what together
        constexpr std::uint8_t memory = global | shared | local;
        constexpr side_effects pinned{side_effects::everything, side_effects::everything, true};
        auto const& n = *calls_.code()[i].text;
        auto const& r = row_of(i);
        auto const& s = program_.instructions[i];
        if (r.what == action::gather && s.kind == op_class::shuffle) return {warp, warp, false};
        if (r.what == action::access) {
            if (n.form.has(modifier::order) || s.kind == op_class::atomic) return pinned;
            auto const space = s.space == memory_space::none      ? local
                               : s.space == memory_space::global  ? global
                               : s.space == memory_space::shared  ? shared
                               : s.space == memory_space::local   ? local
                               : s.space == memory_space::texture ? global
                               : s.space == memory_space::generic ? memory
                                                                  : std::uint8_t{0}; // nobody writes it
            bool const stores = r.kind.integer == op_class::store;
            // Lanes that move a matrix do so together.
            auto const with =
                n.form.has(modifier::shape) || n.form.has(modifier::matrices) ? warp : std::uint8_t{0};
            return {static_cast<std::uint8_t>(space | with),
                    static_cast<std::uint8_t>(stores ? space | with : with), false};
        }
        if (r.what != action::compute || s.async != async_role::none) return pinned;
        for (auto const& o : n.operands)
            if (o.what == operand::kind::special && is_clock(o.special)) return pinned;
        switch (s.kind) {
        case op_class::shuffle: // of the lanes that happen to be there
        case op_class::branch:
        case op_class::barrier:
        case op_class::fence:
        case op_class::exit:
        case op_class::load:
        case op_class::store:
        case op_class::atomic:
        case op_class::uniform:
        case op_class::other:
            return pinned;
        case op_class::tensor:
            return {warp, warp, false};
        default:
            return {};
        }
    }

    // Classes of registers by width: 0 predicates, 1 to 5 for 1, 2, 4, 8 and 16 bytes.
    static std::uint8_t class_of(scalar t) {
        switch (size_of(t)) {
        case 0:
            return 0;
        case 1:
            return 1;
        case 2:
            return 2;
        case 4:
            return 3;
        case 8:
            return 4;
        default:
            return 5;
        }
    }
    // Of each register, in registers of a thread.
    std::vector<std::uint8_t> weights() const {
        std::vector<std::uint8_t> weight;
        for (auto const t : calls_.types())
            weight.push_back(static_cast<std::uint8_t>(class_of(t) == 0 ? 0 : (size_of(t) + 3) / 4));
        return weight;
    }
    void assign_registers(liveness const& live, std::vector<register_use> const& uses) {
        auto const n = calls_.types().size();
        std::vector<std::uint8_t> classes(n);
        for (std::size_t r = 0; r < n; ++r) classes[r] = class_of(calls_.types()[r]);
        auto const allocation = allocate_registers(live, classes);
        program_.registers_per_thread = live.pressure(flow_, uses, weights());
        program_.registers_estimated = true;
        std::uint32_t first[6]{};
        std::uint32_t offset[6]{};
        static constexpr std::uint32_t bytes[6]{4, lanes, 2 * lanes, 4 * lanes, 8 * lanes, 16 * lanes};
        std::uint32_t id = 0;
        register_bytes_ = scratch_bytes;
        for (unsigned k = 6; k-- > 0;) { // widest first, so that all are aligned
            auto const count = k < allocation.in_class.size() ? allocation.in_class[k] : 0;
            first[k] = id;
            offset[k] = register_bytes_;
            id += count;
            register_bytes_ += count * bytes[k];
        }
        if (id > 0xffff)
            throw error(module_->source().name + ": kernel " + program_.name + " needs " +
                        std::to_string(id) + " registers, at most 65535 are supported");
        program_.registers = id;
        slot_.assign(n, operation::no_slot);
        id_.assign(n, 0);
        for (std::size_t r = 0; r < n; ++r) {
            if (allocation.place[r] == register_allocation::unused) continue;
            slot_[r] = offset[classes[r]] + allocation.place[r] * bytes[classes[r]];
            id_[r] = static_cast<register_id>(first[classes[r]] + allocation.place[r]);
        }
        register_bytes_ = (register_bytes_ + 63) / 64 * 64;
        for (std::size_t i = 0; i < uses.size(); ++i) {
            auto& s = program_.instructions[i];
            // What a product or tensor memory gives is waited for by name, not by a scoreboard.
            for (auto w : uses[i].writes)
                if (s.destinations < s.max_destinations && s.async != async_role::product &&
                    s.async != async_role::tensor_load)
                    s.destination[s.destinations++] = id_[w];
            for (auto w : uses[i].reads)
                if (s.sources < s.max_sources) s.source[s.sources++] = id_[w];
        }
    }

    std::uint32_t constant(std::uint64_t value, unsigned bytes) {
        if (bytes < 8) value &= (std::uint64_t{1} << (8 * bytes)) - 1;
        auto const [known, is_new] = pool_.try_emplace({value, bytes});
        if (is_new) known->second = put_constant(value, bytes);
        return known->second;
    }
    // An address of shared memory that a register gets.
    std::uint32_t shared_address(std::uint64_t value, unsigned bytes) {
        if (!of_pairs_) return constant(value, bytes);
        auto const [known, is_new] = own_pool_.try_emplace({value, bytes});
        if (is_new) {
            known->second = put_constant(value, bytes);
            own_addresses_.push_back({known->second & ~operation::constant_bit, bytes});
        }
        return known->second;
    }
    std::uint32_t put_constant(std::uint64_t value, unsigned bytes) {
        auto const at = (constants_.size() + 63) / 64 * 64;
        constants_.resize(at + std::size_t{bytes} * lanes);
        for (unsigned l = 0; l < lanes; ++l) std::memcpy(constants_.data() + at + l * bytes, &value, bytes);
        return static_cast<std::uint32_t>(at) | operation::constant_bit;
    }
    static std::uint64_t immediate(operand const& o, scalar t) {
        if (o.literal == token_kind::float32 && size_of(t) == 8)
            return std::bit_cast<std::uint64_t>(
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(o.value))));
        if (o.literal == token_kind::float64 && size_of(t) == 4)
            return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(o.value)));
        return o.value;
    }
    std::uint32_t special(special_register which, unsigned bytes) {
        for (auto const& s : specials_)
            if (s.which == which && s.bytes == bytes) return s.slot;
        register_bytes_ = (register_bytes_ + 63) / 64 * 64;
        specials_.push_back({which, register_bytes_, static_cast<std::uint8_t>(bytes)});
        register_bytes_ += bytes * lanes;
        return specials_.back().slot;
    }
    static bool is_clock(special_register s) {
        return s == special_register::clock || s == special_register::clock64 ||
               s == special_register::clock_hi || s == special_register::globaltimer;
    }

    // What timing wants to know of a barrier: its number, how many warps must arrive, and whether this one waits.
    void tell_barrier(instruction const& n, unsigned option, static_instruction& s) const {
        std::size_t const first = option == 2 ? 1 : 0; // bar.red: destination in front, predicate behind
        auto const count = n.operands.size() - 2 * first;
        for (std::size_t k = 0; k < count; ++k)
            if (n.operands[first + k].what != operand::kind::immediate) s.barrier_in_stream = true;
        s.barrier_waits = option != 1;
        if (s.barrier_in_stream) return;
        s.barrier =
            static_cast<std::uint8_t>(n.operands[first].value & 15); // running it refuses more than 15
        if (count > 1) s.barrier_warps = static_cast<std::uint8_t>(n.operands[first + 1].value / lanes);
    }

    // The executable form of instruction i.
    void prepare(std::uint32_t i) {
        auto const c = calls_.code()[i];
        auto const& n = *c.text;
        auto const& prepared = instruction_table::instance()[n.row];
        auto const& r = *prepared.from;
        auto const& s = program_.instructions[i];
        auto& o = operations_[i];
        o.index = i;
        o.row = n.row;
        o.what = r.what;
        o.modifiers = &n.form;
        o.untimed = r.extra == trait::untimed;
        o.rounding = static_cast<ptx::rounding>(n.form.get(modifier::rounding));
        o.ftz = n.form.has(modifier::ftz);
        o.sat = n.form.has(modifier::sat);
        o.writes = r.kind.integer == op_class::store || r.kind.integer == op_class::atomic;
        o.target = s.target;
        o.guarded = o.attention = n.guarded;
        o.guard_negated = n.guard_negated;
        if (n.guarded) o.guard = slot_[calls_.reg(c, n.guard)];
        if (r.what == action::unsupported) refuse(n, n.opcode + " is not supported");
        o.execute = r.select == nullptr ? nullptr : r.select(n.form);
        if (o.execute == nullptr && r.what != action::jump && r.what != action::jump_by_table &&
            r.what != action::call && r.what != action::leave)
            refuse(n, "this form of " + r.base_name() + " is not supported: " + n.opcode);
        o.elements = static_cast<std::uint8_t>(n.form.type[0] == scalar::b128 ? 2 : n.form.vector_size());
        unsigned destinations = 0;
        unsigned sources = 0;
        bool listed = false; // fragments
        o.destination.fill(operation::no_slot);
        // A register of 128 bits is two of 64 side by side.
        constexpr std::uint32_t second_half = 8 * lanes;
        auto const put = [&](operand const& x, scalar type) {
            if (destinations >= operation::max_destinations) refuse(n, "too many destinations");
            if (x.what == operand::kind::sink) {
                o.destination[destinations++] = 0;
                if (type == scalar::b128) o.destination[destinations++] = 0;
            } else {
                auto const slot = slot_[calls_.reg(c, x.reg)];
                o.destination[destinations++] = slot;
                auto bytes = static_cast<std::uint8_t>(size_of(calls_.types()[calls_.reg(c, x.reg)]));
                if (bytes == 16) {
                    o.destination[destinations++] = slot + second_half;
                    bytes = 8;
                }
                if (o.destination_bytes != 0 && bytes != o.destination_bytes && bytes != 0)
                    refuse(n, "the elements of a vector must be registers of one size");
                if (bytes != 0) o.destination_bytes = bytes;
            }
            if (x.second == operand::sink_register) o.destination[destinations++] = operation::no_slot;
            if (x.second < operand::sink_register)
                o.destination[destinations++] = slot_[calls_.reg(c, x.second)];
        };
        // Where a value lies, and in how many bytes.
        auto const slot_of = [&](operand const& x, scalar type, unsigned& bytes) {
            bytes = size_of(type);
            std::uint32_t slot = 0;
            switch (x.what) {
            case operand::kind::reg:
                slot = slot_[calls_.reg(c, x.reg)];
                bytes = size_of(calls_.types()[calls_.reg(c, x.reg)]);
                if (x.negated) o.negated = static_cast<std::uint8_t>(o.negated | 1U << sources);
                break;
            case operand::kind::immediate:
                slot = type == scalar::pred ? constant(x.value != 0 ? all_lanes : 0, sizeof(lane_mask))
                                            : constant(immediate(x, type), bytes);
                break;
            case operand::kind::symbol: {
                auto const p = calls_.resolve(c, x.symbol);
                slot = p.space == memory_space::shared ? shared_address(p.address + x.value, bytes)
                                                       : constant(p.address + x.value, bytes);
                break;
            }
            case operand::kind::special:
                if (is_clock(x.special)) {
                    if (r.base != "mov") refuse(n, "clocks can only be read by mov");
                    o.option = static_cast<std::uint8_t>(x.special == special_register::clock_hi ? 1 : 0);
                    o.execute = &semantics::read_clock<>;
                    slot = constant(0, bytes);
                } else {
                    slot = special(x.special, bytes);
                }
                break;
            default:
                refuse(n, "an operand of this kind is not supported");
            }
            return slot;
        };
        auto const get = [&](operand const& x, scalar type) {
            if (sources >= operation::max_sources) refuse(n, "too many sources");
            unsigned bytes = 0;
            auto const slot = slot_of(x, type, bytes);
            if (bytes == 16) {
                o.source[sources++] = slot;
                o.source[sources++] = slot + second_half;
                o.source_bytes = 8;
                return;
            }
            if (sources == 0 || r.extra == trait::pack || r.what == action::access) {
                if (o.source_bytes != 0 && bytes != o.source_bytes)
                    refuse(n, "the elements of a vector must be registers of one size");
                o.source_bytes = static_cast<std::uint8_t>(bytes);
            }
            o.source[sources++] = slot;
        };
        for (std::size_t k = 0; k < n.operands.size() && k < prepared.operands.size(); ++k) {
            auto const& x = n.operands[k];
            auto const& spec = prepared.operands[k];
            using role = operand_spec::role;
            switch (spec.what) {
            case role::destination:
                put(x, spec.type(n.form));
                break;
            case role::source:
            case role::number:
                get(x, spec.type(n.form));
                break;
            case role::fragment_destination:
            case role::fragment_source: {
                auto const type = registers_of(n.form, spec.matrix).type;
                bool const destination = spec.what == role::fragment_destination;
                if (!listed) o.target = static_cast<std::uint32_t>(fragments_.size());
                listed = true;
                auto const list = [&](operand const& e) {
                    unsigned bytes = 0;
                    fragments_.push_back(
                        destination && e.what == operand::kind::sink ? 0 : slot_of(e, type, bytes));
                };
                if (x.what != operand::kind::vector) list(x);
                for (auto const& e : x.elements) list(e);
                if (destination) {
                    o.fragment_destinations = static_cast<std::uint8_t>(fragments_.size() - o.target);
                    o.destination_bytes = static_cast<std::uint8_t>(size_of(type));
                }
                break;
            }
            case role::second_address: { // its register, and what is added
                auto offset = x.value;
                if (x.has_symbol) offset += calls_.resolve(c, x.symbol).address;
                bool const plain = x.has_symbol || x.is_absolute;
                auto const v = plain ? 0 : calls_.reg(c, x.reg);
                o.source_bytes = static_cast<std::uint8_t>(plain ? 8 : size_of(calls_.types()[v]));
                o.source[sources++] = plain ? constant(0, 8) : slot_[v];
                o.source[sources++] = constant(offset, 8);
                break;
            }
            case role::listed_address:
            case role::tensor: { // its register, how wide that is, what is added; and the coordinates
                if (!listed) o.target = static_cast<std::uint32_t>(fragments_.size());
                listed = true;
                auto offset = x.value;
                if (x.has_symbol) {
                    auto const p = calls_.resolve(c, x.symbol);
                    offset += p.address;
                    if (spec.what == role::tensor) offset |= window_of(p.space);
                }
                bool const plain = x.has_symbol || x.is_absolute;
                auto const v = plain ? 0 : calls_.reg(c, x.reg);
                fragments_.push_back(plain ? constant(0, 8) : slot_[v]);
                fragments_.push_back(plain ? 8 : size_of(calls_.types()[v]));
                fragments_.push_back(constant(offset, 8));
                for (auto const& e : x.elements)
                    for (auto const& coordinate : e.elements) {
                        unsigned bytes = 0;
                        fragments_.push_back(slot_of(coordinate, scalar::s32, bytes));
                    }
                break;
            }
            case role::pixel_offsets:
                for (auto const& e : x.elements) {
                    unsigned bytes = 0;
                    fragments_.push_back(slot_of(e, scalar::u16, bytes));
                }
                break;
            case role::vector_destination:
            case role::vector_source: {
                bool const destination = spec.what == role::vector_destination;
                auto type = spec.type(n.form);
                if (x.what != operand::kind::vector) {
                    destination ? put(x, type) : get(x, type);
                    break;
                }
                if (r.extra == trait::pack || r.extra == trait::unpack) {
                    o.elements = static_cast<std::uint8_t>(x.elements.size());
                    auto const part = size_of(type) / o.elements;
                    type = part == 1   ? scalar::b8
                           : part == 2 ? scalar::b16
                           : part == 4 ? scalar::b32
                                       : scalar::b64;
                }
                for (auto const& e : x.elements) destination ? put(e, type) : get(e, type);
                if (destination && o.destination_bytes == 0)
                    o.destination_bytes = static_cast<std::uint8_t>(std::min(size_of(type), 8U));
                break;
            }
            case role::address: {
                o.space = space_of_form(n.form);
                o.offset = x.value;
                if (x.has_symbol) {
                    auto const p = calls_.resolve(c, x.symbol);
                    o.offset += p.address;
                    if (o.space == memory_space::generic) o.space = p.space; // the symbol says where
                    o.address = addressing::absolute;
                } else if (!x.is_absolute) {
                    auto const v = calls_.reg(c, x.reg);
                    o.base = slot_[v];
                    o.address = size_of(calls_.types()[v]) == 4 ? addressing::base32 : addressing::base64;
                }
                break;
            }
            case role::image:
            case role::texture: {
                o.space = memory_space::texture;
                if (x.has_symbol) {
                    o.offset = calls_.resolve(c, x.symbol).address;
                } else {
                    o.base = slot_[calls_.reg(c, x.reg)];
                    o.address = addressing::base64;
                }
                if (spec.what == role::image) break;
                auto const shape = texturing::shape_of(n.form);
                auto const type = n.form.types > 1 ? n.form.type[1] : scalar::s32;
                for (unsigned e = 0; e < shape.coordinates(); ++e) {
                    unsigned bytes = 0;
                    o.source[sources++] = slot_of(x.elements[0].elements[e],
                                                  shape.layered && e == 0 ? scalar::s32 : type, bytes);
                }
                break;
            }
            case role::gradient:
                if (x.what != operand::kind::vector) get(x, scalar::f32);
                for (unsigned e = 0; e < texturing::shape_of(n.form).numbers() && e < x.elements.size(); ++e)
                    get(x.elements[e], scalar::f32);
                break;
            case role::label:
            case role::policy:
                break;
            case role::call:
                if (auto const p = call_parts(n); p.indirect()) {
                    get(*p.callee, scalar::b64);
                } else if (auto const* const f = calls_.system_call(n)) {
                    auto const address = [&](std::uint32_t v) {
                        return constant(calls_.resolve(c, p.given(*f, v).symbol).address, 8);
                    };
                    if (f->is_entry) {
                        o.execute = &system_calls::launch;
                        o.offset = p.callee->symbol.index;
                        o.target = static_cast<std::uint32_t>(fragments_.size());
                        for (std::uint32_t v = 0; v < f->parameters; ++v) fragments_.push_back(address(v));
                    } else {
                        o.execute = system_calls::find(*f)->execute;
                        for (std::uint32_t v = 0; v < f->results + f->parameters; ++v)
                            o.source[sources++] = address(v);
                    }
                }
                break;
            }
        }
        if (r.extra == trait::parts) {
            std::uint64_t selected = 0;
            for (std::size_t k = 0; k < 3; ++k) selected |= n.operands[k].parts.packed() << (20 * k);
            o.source[sources++] = constant(selected, 8);
        }
        if (r.extra == trait::test_first) o.test = semantics::comparison_of(n.form, 0);
        if (r.extra == trait::test_second) o.test = semantics::comparison_of(n.form, 1);
        if (r.extra == trait::test_first || r.extra == trait::test_second)
            o.option = static_cast<std::uint8_t>(n.form.get(modifier::boolean));
        if (r.extra == trait::carry_in) o.source[sources++] = slot_[carry_];
        if (r.what == action::synchronise)
            o.option = static_cast<std::uint8_t>(n.form.has(modifier::reduce) ? 2
                                                 : r.extra == trait::arrive   ? 1
                                                                              : 0);
        if (r.what == action::synchronise) tell_barrier(n, o.option, program_.instructions[i]);
        if (r.what == action::arrive_in_cluster) program_.instructions[i].cluster = cluster_role::arrive;
        if (r.what == action::wait_in_cluster) {
            program_.instructions[i].cluster = cluster_role::wait;
            program_.instructions[i].barrier_in_stream = true;
        }
        if (n.form.has(modifier::cc)) {
            o.option = 1;
            o.destination[1] = slot_[carry_];
        }
        if (r.base == "cvta" || r.base == "isspacep") {
            o.offset = window_of(space_of_form(n.form));
            if (n.form.has(modifier::to)) o.option = 1;
        }
        o.source_count = static_cast<std::uint8_t>(sources);
        if (r.what == action::access && s.space == memory_space::none) o.what = action::compute;
        if (s.async == async_role::arrive) o.what = action::signal;
        if (s.async != async_role::arrive && s.async != async_role::await_phase && has_words(s.async))
            o.what =
                s.async == async_role::tensor_allocate && is_of_pair(n.form) ? action::meet : action::bulk;
        if (s.jump_table != static_instruction::no_target) o.target = s.jump_table;
        if (r.what == action::call && o.execute != nullptr)
            o.what = action::compute;
        else if (r.what == action::call)
            o.what = s.jump_table != static_instruction::no_target ? action::jump_by_table : action::jump;
        if (o.what == action::synchronise && s.barrier_in_stream) o.barrier_in_stream = true;
        if (r.what == action::leave) o.what = s.kind == op_class::exit ? action::exit : action::jump;
        if (o.what == action::jump || o.what == action::jump_by_table) {
            o.reconvergence = flow_.reconvergence(i);
            o.meets_only_at_end = o.reconvergence != control_flow::none && flow_.only_leaves(o.reconvergence);
        }
    }

    code_order order_;
    // The kernel.
    loaded_module const* module_;
    static_program& program_;
    control_flow& flow_;
    std::vector<operation>& operations_;
    std::vector<source_place>& sources_;
    std::vector<instruction const*>& texts_;
    cluster_shape& cluster_;
    std::vector<kernel_parameter>& parameters_;
    std::vector<kernel::special_slot>& specials_;
    std::vector<std::byte>& constants_;
    std::vector<kernel::own_address>& own_addresses_;
    std::vector<std::uint32_t>& fragments_;
    std::uint64_t& parameter_bytes_;
    std::uint64_t& local_bytes_;
    std::uint32_t& parameter_align_;
    std::uint32_t& register_bytes_;
    bool& recurses_;
    std::shared_ptr<made_code const>& made_;

    call_expansion calls_;
    std::uint32_t entry_line_ = 0;
    std::vector<std::uint32_t> slot_;
    std::vector<register_id> id_;
    std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> pool_;
    std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> own_pool_; ///< of addresses of shared memory
    bool of_pairs_ = false;                                                ///< of CTAs
    std::uint32_t carry_ = 0;
};

} // namespace warpkit::ptx
