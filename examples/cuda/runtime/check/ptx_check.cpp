// warpkit-ptx-check FILE [SOURCE]: reads PTX as the runtime does and prepares each of its kernels. What the reader
// refuses is an error, with status 1; a kernel that is read and cannot be run is a warning. Both name the line of the
// program's own source where .loc tells it, and `SOURCE` where nothing does.
#include <warpkit/frontend/ptx/ptx.hpp>

#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

namespace {

// The place in the program's own source of a line of the PTX: of the last .loc in front of it.
std::string source_of(std::string_view text, std::size_t line, std::string const& otherwise) {
    std::map<std::string, std::string> files;
    std::string place;
    for (std::size_t n = 1; !text.empty(); ++n) {
        auto const end = std::min(text.find('\n'), text.size());
        auto words = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        auto const next = [&words] {
            auto const first = std::min(words.find_first_not_of(" \t"), words.size());
            auto const last = std::min(words.find_first_of(" \t,", first), words.size());
            auto const word = words.substr(first, last - first);
            words.remove_prefix(last);
            return std::string(word);
        };
        auto const what = next();
        if (what == ".file") {
            auto const number = next();
            auto const from = words.find('"');
            auto const to = words.rfind('"');
            if (from < to) files[number] = std::string(words.substr(from + 1, to - from - 1));
        } else if (what == ".loc" && n <= line) {
            auto const file = next();
            place = file + ":" + next();
        } else if (n <= line && (what == ".entry" || what == ".visible" || what == ".func")) {
            place.clear();
        }
    }
    auto const colon = place.find(':');
    if (colon == place.npos) return otherwise;
    return files[place.substr(0, colon)] + place.substr(colon);
}

// "module:line:column: message" as a compiler would say it of the source.
void tell(char const* kind, std::string_view text, std::string const& name, std::string const& source,
          std::string_view message) {
    std::size_t line = 0;
    if (message.substr(0, name.size() + 1) == name + ":") {
        auto rest = message.substr(name.size() + 1);
        auto const read = std::from_chars(rest.data(), rest.data() + rest.size(), line);
        rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
        auto const colon = rest.find(": ");
        if (colon != rest.npos) message = rest.substr(colon + 2);
    }
    auto const place = line == 0 ? source : source_of(text, line, source);
    std::cout << place << ": " << kind << ": " << message << " (line " << line << " of the PTX)\n";
}

} // namespace

int main(int count, char** words) {
    if (count < 2) {
        std::cerr << "usage: warpkit-ptx-check FILE [SOURCE]\n";
        return 2;
    }
    std::string const name = words[1];
    std::string const source = count > 2 ? words[2] : name;
    std::ifstream in(name, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in) {
        std::cerr << "warpkit-ptx-check: cannot read " << name << '\n';
        return 2;
    }
    if (auto const end = text.find('\0'); end != text.npos) text.resize(end);
    try {
        warpkit::device_memory memory(std::uint64_t{4} << 30);
        warpkit::ptx::loaded_module const module(warpkit::ptx::parse(text, name), memory);
        for (auto const& f : module.source().functions) {
            if (!f.is_entry) continue;
            try {
                warpkit::ptx::kernel const kernel(module, f.name);
            } catch (warpkit::error const& e) {
                tell("warning: this kernel cannot be launched", text, name, source, e.what());
            }
        }
    } catch (std::exception const& e) {
        tell("error", text, name, source, e.what());
        return 1;
    }
}
