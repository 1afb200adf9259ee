#pragma once
/// \file
/// A module in a device: its .global variables in device memory, its .const variables in a constant bank.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/memory.hpp>
#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// Places a module's variables. The memory keeps what is placed in it for its whole life. Kernels refer to their
/// loaded module, so it stays where it is: neither copied nor moved.
class loaded_module {
public:
    static constexpr std::size_t most_constants = 1U << 24; ///< bytes

    loaded_module(module m, device_memory& memory) : module_(std::move(m)), memory_(&memory) {
        address_.resize(module_.variables.size(), 0);
        for (std::size_t i = 0; i < module_.variables.size(); ++i) {
            auto const& v = module_.variables[i];
            if (v.space == memory_space::global && !(v.is_extern && v.unsized)) {
                if (v.is_extern)
                    fail(module_.name, v.where,
                         "variable '" + v.name +
                             "' is .extern and defined nowhere: linking is not supported");
                address_[i] = memory.allocate(v.size);
            } else if (v.space == memory_space::constant) {
                auto const at = (constants_.size() + v.align - 1) / v.align * v.align;
                if (at + v.size > most_constants)
                    fail(module_.name, v.where, "expected at most 16 MiB of .const variables");
                address_[i] = at;
                constants_.resize(at + v.size);
            }
        }
        for (std::size_t i = 0; i < module_.variables.size(); ++i)
            if (module_.variables[i].space == memory_space::texture)
                address_[i] = memory.textures().reserve();
        for (std::size_t i = 0; i < module_.variables.size(); ++i) initialise(i);
    }
    loaded_module(loaded_module const&) = delete;
    loaded_module& operator=(loaded_module const&) = delete;

    ptx::module const& source() const noexcept { return module_; }
    device_memory& memory() const noexcept { return *memory_; }
    /// Address of variable number `i` of the module in its own space (device address, or offset in the constant bank);
    /// of a .texref the handle.
    std::uint64_t address(std::uint32_t i) const noexcept { return address_[i]; }
    /// Places a .global variable elsewhere in memory, where its bytes, and those of the variables that point at it,
    /// become what they were at the start. Before kernels are made of the module; fails for what is not .global.
    void move_variable(std::string_view name, std::uint64_t to) {
        auto const moved = find_variable(name);
        if (module_.variables[moved].space != memory_space::global)
            throw error(module_.name + ": expected a .global variable, found '" + std::string(name) + "'");
        address_[moved] = to;
        std::vector<std::byte> const zeros(module_.variables[moved].size);
        memory_->write(to, zeros.data(), zeros.size());
        initialise(moved);
        for (std::size_t i = 0; i < module_.variables.size(); ++i)
            for (auto const& r : module_.variables[i].relocations)
                if (i != moved && !r.is_function && r.variable == moved) initialise(i);
    }
    std::vector<std::byte>& constants() noexcept { return constants_; }
    std::vector<std::byte> const& constants() const noexcept { return constants_; }

    /// Number of the .global or .const variable of this name; throws if there is none.
    std::uint32_t find_variable(std::string_view name) const {
        for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
            auto const& v = module_.variables[i];
            if (v.name == name && (v.space == memory_space::global || v.space == memory_space::constant))
                return i;
        }
        std::string known;
        for (auto const& v : module_.variables)
            if (v.space == memory_space::global || v.space == memory_space::constant)
                known += (known.empty() ? "" : ", ") + v.name;
        throw error(module_.name + ": no .global or .const variable '" + std::string(name) +
                    "'; there are: " + (known.empty() ? "none" : known));
    }
    /// Host access to a variable, as cudaMemcpyToSymbol and cudaMemcpyFromSymbol have it.
    void write_variable(std::string_view name, void const* from, std::size_t bytes, std::size_t offset = 0) {
        auto const i = range(name, bytes, offset);
        if (module_.variables[i].space == memory_space::global)
            memory_->write(address_[i] + offset, from, bytes);
        else if (bytes != 0)
            std::memcpy(constants_.data() + address_[i] + offset, from, bytes);
    }
    /// What a launch brings along for its variables.
    void write_variables(std::vector<symbol_value> const& values) {
        for (auto const& v : values) write_variable(v.name, v.bytes.data(), v.bytes.size());
    }
    void read_variable(std::string_view name, void* to, std::size_t bytes, std::size_t offset = 0) const {
        auto const i = range(name, bytes, offset);
        if (module_.variables[i].space == memory_space::global)
            memory_->read(to, address_[i] + offset, bytes);
        else if (bytes != 0)
            std::memcpy(to, constants_.data() + address_[i] + offset, bytes);
    }

    /// Handle of the .texref variable of this name in the memory's texture table; throws if there is none.
    std::uint64_t texture(std::string_view name) const {
        std::string known;
        for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
            auto const& v = module_.variables[i];
            if (v.space != memory_space::texture) continue;
            if (v.name == name) return address_[i];
            known += (known.empty() ? "" : ", ") + v.name;
        }
        throw error(module_.name + ": no .texref variable '" + std::string(name) +
                    "'; there are: " + (known.empty() ? "none" : known));
    }
    /// Binds a texture to the .texref variable of this name, as cudaBindTexture and its kin do.
    void bind_texture(std::string_view name, texture_binding const& t) {
        memory_->textures().bind(texture(name), t);
    }

    /// Instructions before this function where the module's functions lie one behind the other, as in the text, each
    /// from a multiple of 32 on. (One that calls is longer when run, for what it calls is put in.)
    std::uint32_t code_begin(ptx::function const& wanted) const noexcept {
        std::uint32_t before = 0;
        for (auto const& f : module_.functions) {
            if (&f == &wanted) break;
            before += (static_cast<std::uint32_t>(f.body.size()) + 31) / 32 * 32;
        }
        return before;
    }
    /// The entry of this name; or the only one whose name contains it, so that a mangled name need not be spelled out.
    ptx::function const& find_entry(std::string_view name) const {
        ptx::function const* only = nullptr;
        unsigned matches = 0;
        std::string known;
        for (auto const& f : module_.functions) {
            if (!f.is_entry || !f.is_defined) continue;
            if (f.name == name) return f;
            known += (known.empty() ? "" : ", ") + f.name;
            if (f.name.find(name) != std::string::npos) {
                only = &f;
                ++matches;
            }
        }
        if (matches == 1 && !name.empty()) return *only;
        throw error(module_.name + ": " + (matches > 1 ? "several kernels contain '" : "no kernel '") +
                    std::string(name) + "'; there are: " + (known.empty() ? "none" : known));
    }

private:
    // Writes a variable's initial value, as far as it has one.
    void initialise(std::size_t i) {
        auto const& v = module_.variables[i];
        if (v.initial.empty()) return;
        auto bytes = v.initial;
        for (auto const& r : v.relocations) {
            if (r.is_function) {
                auto const value = function_window | r.variable;
                std::memcpy(bytes.data() + r.offset, &value, r.bytes);
                continue;
            }
            auto const& to = module_.variables[r.variable];
            bool const addressable = to.space == memory_space::global || to.space == memory_space::constant;
            if (!addressable)
                fail(module_.name, r.where,
                     "expected the address of a .global or .const variable, found '" + to.name + "'");
            auto value = address_[r.variable] + static_cast<std::uint64_t>(r.addend);
            if (r.generic) value |= window_of(to.space);
            std::memcpy(bytes.data() + r.offset, &value, r.bytes);
        }
        if (v.space == memory_space::global)
            memory_->write(address_[i], bytes.data(), bytes.size());
        else if (v.space == memory_space::constant)
            std::memcpy(constants_.data() + address_[i], bytes.data(), bytes.size());
    }
    std::uint32_t range(std::string_view name, std::size_t bytes, std::size_t offset) const {
        auto const i = find_variable(name);
        auto const size = module_.variables[i].size;
        if (!lies_within(offset, bytes, size))
            throw error(module_.name + ": variable '" + std::string(name) + "' has " + std::to_string(size) +
                        " bytes, " + std::to_string(bytes) + " at offset " + std::to_string(offset) +
                        " do not fit");
        return i;
    }

    ptx::module module_;
    device_memory* memory_;
    std::vector<std::uint64_t> address_;
    std::vector<std::byte> constants_;
};

} // namespace warpkit::ptx
