// Any text as a configuration of GPGPU-Sim, as a network's, and as a machine file: each is refused by warpkit::error, or becomes
// a machine, whose text is read back as the same.
#include <warpkit/config/gpgpusim/import.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace warpkit;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string const text(reinterpret_cast<char const*>(data), size);
    try {
        auto const m =
            gpgpusim::import_machine({{"fuzz.config", text}}, [&](std::string const& name) -> std::string {
                if (name == "n.icnt") return text;
                throw error("cannot read " + name);
            });
        check(parameters(m.machine));
        if (!(parameters(read_machine(text_of(m.machine), "fuzz.toml")) == parameters(m.machine)))
            std::abort();
    } catch (error const&) {}
    try {
        (void)gpgpusim::read_network_file(text, "fuzz.icnt");
    } catch (error const&) {}
    try {
        (void)read_machine(text, "fuzz.toml");
    } catch (error const&) {}
    return 0;
}
