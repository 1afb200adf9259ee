#pragma once
/// \file
/// One fault at a time, chosen when a program starts: what .ci/mutants writes into the copied headers calls it.
///
///   WARPKIT_MUTANT=17            the fault with this number is in; without it none is
///   WARPKIT_MUTANTS_SEEN=FILE    when the program ends, FILE has a byte for each fault: 1 where it came by

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace warpkit_mutants {

inline constexpr unsigned most = 4096;
inline std::atomic<unsigned char> seen[most];
inline unsigned const chosen = [] {
    auto const* const number = std::getenv("WARPKIT_MUTANT");
    return number == nullptr ? 0U : static_cast<unsigned>(std::atoi(number));
}();

struct report_at_end {
    report_at_end() = default;
    report_at_end(report_at_end const&) = delete;
    report_at_end& operator=(report_at_end const&) = delete;
    ~report_at_end() {
        auto const* const name = std::getenv("WARPKIT_MUTANTS_SEEN");
        auto* const file = name == nullptr ? nullptr : std::fopen(name, "wb");
        if (file == nullptr) return;
        for (auto const& s : seen) std::fputc(s.load(std::memory_order_relaxed), file);
        std::fclose(file);
    }
};
inline report_at_end const report;

inline bool here(unsigned n) noexcept {
    seen[n].store(1, std::memory_order_relaxed);
    return n == chosen;
}

} // namespace warpkit_mutants

/// Whether fault n is in; never while something is computed by the compiler.
constexpr bool warpkit_mutant(unsigned n) noexcept {
    return !std::is_constant_evaluated() && warpkit_mutants::here(n);
}
