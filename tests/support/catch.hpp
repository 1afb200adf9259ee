#pragma once

/// The one way to Catch2 for all tests: version 2 (one header, as Debian 12 has it) or version 3 (many headers). Under
/// both, these have the same names: the macros, `Approx`, and the string matchers `Catch::Contains`,
/// `Catch::StartsWith`, `Catch::EndsWith` and `Catch::Equals`, as in `CHECK_THROWS_WITH(f(), Catch::Contains("line
/// 3"))`.

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>

#include <string>

using Catch::Approx;

namespace Catch {
inline auto Contains(std::string const& part) { return Matchers::ContainsSubstring(part); }
using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::StartsWith;
} // namespace Catch

#else

#include <catch2/catch.hpp>

#endif
