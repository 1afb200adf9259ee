#pragma once
/// \file
/// What went in must have come out: how conservation laws are checked, and what is said of one that is broken.

#include <cstdint>
#include <string>

namespace warpkit {

/// Remembers the first law that does not hold.
class balance {
public:
    /// Of `what`, as much came out as went in; `done` false: some may still be on its way.
    void flow(char const* what, std::uint64_t in, std::uint64_t out, bool done) {
        if (out <= in && (!done || out == in)) return;
        say(std::string(what) + ": " + std::to_string(in) + " in, " + std::to_string(out) + " out");
    }
    /// The same where up to `under_way` may still be on its way.
    void flow_but(char const* what, std::uint64_t in, std::uint64_t out, std::uint64_t under_way) {
        if (out <= in && in - out <= under_way) return;
        say(std::string(what) + ": " + std::to_string(in) + " in, " + std::to_string(out) + " out, " +
            std::to_string(under_way) + " under way");
    }
    /// Two ways to count the same.
    void same(char const* what, std::uint64_t counted, std::uint64_t expected) {
        if (counted == expected) return;
        say(std::string(what) + ": " + std::to_string(counted) + " counted, " + std::to_string(expected) +
            " expected");
    }
    /// The laws of a part.
    void part(std::string const& name, balance const& b) {
        if (!b.broken_.empty()) say(name + ": " + b.broken_);
    }
    /// The first broken law; empty if all hold.
    std::string const& broken() const noexcept { return broken_; }

private:
    void say(std::string&& what) {
        if (broken_.empty()) broken_ = static_cast<std::string&&>(what);
    }
    std::string broken_;
};

} // namespace warpkit
