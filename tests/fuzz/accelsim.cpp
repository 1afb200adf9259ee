// Any bytes as a trace, plain, compressed or of Accel-Sim 2.0, or as a list of traces: refused by warpkit::error, or
// read to the end, in order and once more from the back, into streams that name only what there is.
#include <warpkit/frontend/accelsim/files.hpp>
#include <warpkit/frontend/accelsim/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace warpkit;

namespace {

void check(bool holds) {
    if (!holds) std::abort();
}

void look_at(cta_stream const& block, static_program const& program) {
    for (auto const& s : block.warps)
        for (stream_cursor c(s); !c.done();) {
            check(c.instruction() < program.instructions.size());
            auto const& code = program.instructions[c.instruction()];
            bool const more = code.is_memory() || code.barrier_in_stream;
            if (more && c.mask() != 0) {
                lane_addresses lane{};
                c.addresses(s, lane);
                if (code.is_memory()) {
                    // Generic addresses, and what Kepler's opcodes take for global ones, keep their windows.
                    auto const space = c.space(s);
                    bool const has_windows = space == memory_space::generic || space == memory_space::global;
                    for (unsigned l = 0; l < lanes; ++l)
                        check((c.mask() >> l & 1) == 0 || lane[l] >> 56 == 0 ||
                              (has_windows && space_of(lane[l]) != memory_space::none));
                } else
                    check(c.barrier(s) < 16 && c.barrier_warps(s) < 256);
            }
            c.advance(s, more);
        }
}

void run(accelsim::text_source const& source) {
    accelsim::trace_kernel kernel(source);
    auto const& program = kernel.program();
    for (auto const& i : program.instructions) {
        for (unsigned k = 0; k < i.destinations; ++k) check(i.destination[k] < program.registers);
        for (unsigned k = 0; k < i.sources; ++k) check(i.source[k] < program.registers);
    }
    auto const launch = kernel.launch();
    check(launch.ctas() <= 2 * kernel.instructions() + 4096);
    cta_stream block;
    for (std::uint64_t cta = 0; cta < launch.ctas(); ++cta) {
        launch.fill(launch.source, cta, block);
        look_at(block, program);
    }
    if (launch.ctas() < 16)
        for (auto cta = launch.ctas(); cta-- != 0;) launch.fill(launch.source, cta, block);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string const text(reinterpret_cast<char const*>(data), size);
    auto const plain = accelsim::source_of("fuzz", text);
    try {
        static auto const codecs = accelsim::codecs();
        for (auto const& c : codecs)
            if (c.decode != nullptr && text.substr(0, c.magic.size()) == c.magic) {
                run({"fuzz", false, [&](std::uint64_t) { return c.decode(plain.open(0)); }});
                return 0;
            }
        for (auto const& c : codecs)
            if (auto const h = accelsim::tracez_header(text); !h.empty() && c.frames != nullptr) {
                run(accelsim::tracez_source("fuzz", plain.open, size, std::string(h), c));
                return 0;
            }
        if (text.substr(0, 6) == "Memcpy" || text.substr(0, 6) == "kernel")
            static_cast<void>(accelsim::read_kernel_list(plain));
        else
            run(plain);
    } catch (error const&) {}
    return 0;
}
