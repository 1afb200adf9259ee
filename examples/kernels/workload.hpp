#pragma once
/// \file
/// The shipped kernels as workloads: each is a kernel's PTX, the parameters of its input, and the host
/// program that makes the input, launches, and checks what is left in memory.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/device.hpp>

#include "papers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::kernels {

/// A number that shapes a workload's input or launch.
struct parameter {
    /// What `minimum` and `maximum` do not say.
    enum class rule : std::uint8_t { none, power_of_two, multiple_of_16, multiple_of_64, multiple_of_128 };

    std::string_view name;
    std::string_view unit; ///< empty for pure numbers
    std::string_view meaning;
    std::uint64_t small = 0; ///< default for trying out: the whole lab in seconds
    std::uint64_t full = 0;  ///< default at the size that papers run
    std::uint64_t minimum = 0;
    std::uint64_t maximum = 0;
    rule only = rule::none;
};

/// A rule in words: "a power of two"; nothing for none.
char const* words(parameter::rule rule) noexcept;

/// Which column of defaults. Medium is their geometric mean, parameter by parameter, rounded as its rule demands.
enum class size : std::uint8_t { small, medium, full };
/// The size of this name, one of the three words; throws error.
size size_named(std::string_view name);

class values;

/// Units that not every machine has (docs/model/asynchronous.md), and more shared memory than all have.
struct units {
    bool bulk_copies = false;       ///< cp.async.bulk and its kin (TMA)
    bool group_products = false;    ///< wgmma
    bool tensor_memory = false;     ///< tcgen05
    bool clusters = false;          ///< of several CTAs
    std::uint32_t shared_bytes = 0; ///< of a CTA, if more than 48 KiB; 0: what every machine has is enough

    constexpr bool any() const noexcept {
        return bulk_copies || group_products || tensor_memory || clusters || shared_bytes != 0;
    }
};

/// A host program and its kernels. There is one constant object per shipped kernel; see all().
struct workload {
    std::string_view name;
    std::string_view title;               ///< what it does, in a few words
    std::string_view origin;              ///< the program of the literature that it stands for
    std::span<paper_row const> rows = {}; ///< of the papers' tables that name this program
    std::string_view input;               ///< what the generator makes; its sizes are the parameters
    std::string_view differs;             ///< how it differs from the original, beside being written anew
    std::string_view ptx;                 ///< the text, embedded
    std::string_view ptx_name;
    std::span<parameter const> parameters;
    /// Makes the inputs, launches the kernels on a device whose launcher knows this workload's PTX, and
    /// checks the values left in memory. Throws error naming the kernel, the index, the expected value and
    /// the one found.
    void (*run)(device&, values const&) = nullptr;
    units needs = {}; ///< of a machine that is to time it
};

/// The parameters of one workload with a value for each; never outside their ranges. A regular value.
class values {
public:
    explicit values(workload const& of, size defaults = size::small);

    /// Sets a parameter; throws error, naming the range, when the workload has no such parameter or cannot
    /// take it.
    void set(std::string_view name, std::uint64_t value);

    /// The value of a parameter; throws error when there is no such parameter.
    std::uint64_t operator[](std::string_view name) const;
    /// The same as a 32-bit number, for parameters whose maximum fits.
    std::uint32_t u32(std::string_view name) const;

    workload const& of() const noexcept { return *of_; }
    friend bool operator==(values const&, values const&) = default;

private:
    std::size_t find(std::string_view name) const;

    workload const* of_;
    std::vector<std::uint64_t> value_; ///< in the order of of_->parameters
};

/// The workloads of one source, by the name of the folder that they lie in.
struct suite {
    std::string_view name;
    std::vector<workload const*> workloads;
};
std::span<suite const> suites();

/// All shipped workloads, suite by suite.
std::span<workload const* const> all();

/// The workload of this name; throws error with the nearest name and the list when there is none.
workload const& find(std::string_view name);

/// The workloads that a name stands for: one, or those of a suite. Throws as find does.
std::vector<workload const*> find_all(std::string_view name);

} // namespace warpkit::kernels
