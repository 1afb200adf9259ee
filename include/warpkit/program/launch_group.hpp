#pragma once
/// \file
/// Launches of which several may be on a machine at once: what streams, events and waits of the host leave of an order
/// among them.

#include <warpkit/base/error.hpp>
#include <warpkit/program/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A launch, and what must have ended before it begins.
struct ordered_launch {
    kernel_launch launch;
    std::vector<std::uint32_t> after = {}; ///< numbers of earlier launches of its group
};

/// Launches in the order in which the host made them. Those that do not come after each other may run at once, and
/// their CTAs are asked for in whatever order they go out: so what they compute must not depend on that.
class launch_group : public std::vector<ordered_launch> {
public:
    launch_group() = default;
    /// Of one.
    launch_group(kernel_launch const& l) : vector(1, ordered_launch{l}) {} // NOLINT: one is a group
};

/// Throws `error` for a group without launches, and for a launch that comes after itself or a later one.
inline void check_group(launch_group const& group) {
    if (group.empty()) throw error("a group of launches is empty; give it at least one");
    for (std::size_t i = 0; i < group.size(); ++i)
        for (auto const a : group[i].after)
            if (a >= i)
                throw error({"kernel '", group[i].launch.program->name, "', launch ", i,
                             " of its group, is to come after launch ", a, "; name earlier ones"});
}

} // namespace warpkit
