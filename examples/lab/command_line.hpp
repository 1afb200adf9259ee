#pragma once
// The lab as a whole.

namespace lab {

// What to ask less of where the host has no more memory.
inline constexpr char const* less_memory =
    "take smaller inputs (--size, --param), fewer --threads, or a smaller --reuse-memory";

// Does what the command line says. The exit status.
int carry_out(int argc, char** argv);

} // namespace lab
