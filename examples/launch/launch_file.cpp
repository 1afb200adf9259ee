#include "launch_file.hpp"

#include <warpkit/base/input_file.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>

#include "kernels/host.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>

namespace warpkit {

using nlohmann::json;

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 34; // of a buffer
constexpr std::size_t most_ptx = std::size_t{1} << 28;

struct element_type {
    std::string_view name;
    std::uint8_t bytes;
    char family; // u, s or f
};
constexpr std::array<element_type, 10> types{{{"u8", 1, 'u'},
                                              {"s8", 1, 's'},
                                              {"u16", 2, 'u'},
                                              {"s16", 2, 's'},
                                              {"u32", 4, 'u'},
                                              {"s32", 4, 's'},
                                              {"u64", 8, 'u'},
                                              {"s64", 8, 's'},
                                              {"f32", 4, 'f'},
                                              {"f64", 8, 'f'}}};
element_type const* type_of(std::string_view name) {
    for (auto const& t : types)
        if (t.name == name) return &t;
    return nullptr;
}
std::string type_names() {
    std::string all;
    for (auto const& t : types) all += (all.empty() ? "" : ", ") + std::string(t.name);
    return all;
}

// The bits of a number of this type.
std::uint64_t bits_of(double v, element_type const& t) {
    return t.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(v))
                        : std::bit_cast<std::uint64_t>(v);
}

// One value as text; enough digits to read it back.
std::string text_of(std::byte const* p, element_type const& t) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, p, t.bytes);
    if (t.family == 'u') return std::to_string(bits);
    if (t.family == 's') {
        auto const unused = 64 - 8 * t.bytes;
        return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    char digits[32];
    auto const end = t.bytes == 4 ? std::to_chars(digits, std::end(digits),
                                                  std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                  : std::to_chars(digits, std::end(digits), std::bit_cast<double>(bits));
    return {digits, end.ptr};
}

} // namespace

/// Walks through the JSON with the path to where it is.
class launch_file_reader {
public:
    launch_file_reader(launch_file& into, std::string const& name, launch_file::file_reader const& read)
        : file_(into),
          name_(name),
          read_(read) {}

    void parse(std::string_view text) {
        json root;
        try {
            root = json::parse(text);
        } catch (json::parse_error const& e) {
            std::size_t line = 1;
            std::size_t column = 1;
            for (std::size_t i = 0; i + 1 < e.byte && i < text.size(); ++i) {
                ++column;
                if (text[i] == '\n') ++line, column = 1;
            }
            throw error(name_ + ":" + std::to_string(line) + ":" + std::to_string(column) +
                        ": this is not JSON: expected another character here, or the text ends too soon");
        } catch (json::out_of_range const&) {
            refuse("", "there is a number in it that .f64 cannot hold");
        }
        need_object(
            root, "",
            {"ptx", "kernel", "grid", "block", "dynamic_shared_bytes", "buffers", "arguments", "outputs"});
        file_.ptx_name_ = text_at(root, "", "ptx");
        try {
            file_.ptx_ = read_(file_.ptx_name_, most_ptx);
        } catch (error const& e) {
            refuse("ptx", e.what());
        }
        auto const m = ptx::parse(file_.ptx_, file_.ptx_name_);
        auto const& entry = entry_of(m, root);
        file_.request_.kernel = entry.name;
        file_.request_.grid = extent(root, "grid", {0x7fffffff, 65535, 65535});
        file_.request_.block = extent(root, "block", {1024, 1024, 64});
        if (file_.request_.block.count() > 1024)
            refuse("block",
                   "expected at most 1024 threads, found " + std::to_string(file_.request_.block.count()));
        if (root.contains("dynamic_shared_bytes"))
            file_.request_.dynamic_shared_bytes = static_cast<std::uint32_t>(
                whole(root["dynamic_shared_bytes"], "dynamic_shared_bytes", 0, 1U << 24));
        if (root.contains("buffers")) buffers(root["buffers"]);
        arguments(root.contains("arguments") ? root["arguments"] : json::array(), entry);
        if (root.contains("outputs")) outputs(root["outputs"]);
    }

private:
    [[noreturn]] void refuse(std::string const& path, std::string const& what) const {
        throw error(name_ + ": " + (path.empty() ? "" : path + ": ") + what);
    }
    static std::string found(json const& j) {
        switch (j.type()) {
        case json::value_t::string: {
            auto const& s = j.get_ref<std::string const&>();
            return "\"" + (s.size() > 40 ? s.substr(0, 40) + "..." : s) + "\"";
        }
        case json::value_t::number_integer:
        case json::value_t::number_unsigned:
        case json::value_t::number_float:
        case json::value_t::boolean:
            return j.dump();
        case json::value_t::object:
            return "an object";
        case json::value_t::array:
            return "an array";
        default:
            return "null";
        }
    }
    static std::string join(std::string const& path, std::string const& key) {
        return path.empty() ? key : path + "." + key;
    }
    static std::string element(std::string const& path, std::size_t i) {
        return path + "[" + std::to_string(i) + "]";
    }
    void need_object(json const& j, std::string const& path, std::initializer_list<char const*> keys) const {
        std::string known;
        for (auto const* k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
        if (!j.is_object()) refuse(path, "expected an object with " + known + ", found " + found(j));
        for (auto const& [key, value] : j.items()) {
            bool good = false;
            for (auto const* k : keys) good = good || key == k;
            if (!good) refuse(join(path, key), "there is no such member; there are: " + known);
        }
    }
    std::string text_at(json const& j, std::string const& path, char const* key) const {
        if (!j.contains(key)) refuse(join(path, key), "expected a string, found nothing");
        auto const& v = j[key];
        if (!v.is_string()) refuse(join(path, key), "expected a string, found " + found(v));
        return v.get<std::string>();
    }
    std::uint64_t whole(json const& j, std::string const& path, std::uint64_t least,
                        std::uint64_t most) const {
        bool const good =
            j.is_number_unsigned() && j.get<std::uint64_t>() >= least && j.get<std::uint64_t>() <= most;
        if (!good)
            refuse(path, "expected a whole number from " + std::to_string(least) + " to " +
                             std::to_string(most) + ", found " + found(j));
        return j.get<std::uint64_t>();
    }

    ptx::function const& entry_of(ptx::module const& m, json const& root) const {
        std::string const wanted = root.contains("kernel") ? text_at(root, "", "kernel") : "";
        ptx::function const* only = nullptr;
        unsigned matches = 0;
        std::string known;
        for (auto const& f : m.functions) {
            if (!f.is_entry || !f.is_defined) continue;
            if (f.name == wanted) return f;
            known += (known.empty() ? "" : ", ") + f.name;
            if (f.name.find(wanted) == std::string::npos) continue;
            only = &f;
            ++matches;
        }
        if (matches != 1)
            refuse("kernel", std::string(matches == 0 ? "no kernel" : "several kernels") + " of " + m.name +
                                 " with this name; there are: " + (known.empty() ? "none" : known));
        return *only;
    }
    dim3 extent(json const& root, char const* key, std::array<std::uint64_t, 3> const& most) const {
        if (!root.contains(key)) refuse(key, "expected one to three whole numbers, found nothing");
        auto const& j = root[key];
        dim3 d;
        std::uint32_t* const axis[]{&d.x, &d.y, &d.z};
        if (!j.is_array()) {
            d.x = static_cast<std::uint32_t>(whole(j, key, 1, most[0]));
            return d;
        }
        if (j.empty() || j.size() > 3)
            refuse(key, "expected one to three whole numbers, found " + std::to_string(j.size()));
        for (std::size_t i = 0; i < j.size(); ++i)
            *axis[i] = static_cast<std::uint32_t>(whole(j[i], element(key, i), 1, most[i]));
        return d;
    }

    // A number as the bits of a type; what the type cannot hold is refused.
    std::uint64_t number(json const& j, std::string const& path, element_type const& t) const {
        if (!j.is_number()) refuse(path, "expected a number, found " + found(j));
        auto const cannot = [&] {
            refuse(path, "expected a number that ." + std::string(t.name) + " can hold, found " + found(j));
        };
        if (t.family == 'f') {
            auto const v = j.get<double>();
            if (t.bytes == 4 && std::fabs(v) > static_cast<double>(std::numeric_limits<float>::max()))
                cannot();
            return bits_of(v, t);
        }
        auto const unused = 64 - 8 * t.bytes;
        bool good = false;
        if (j.is_number_unsigned()) {
            auto const most = ~std::uint64_t{0} >> (unused + (t.family == 's' ? 1 : 0));
            good = j.get<std::uint64_t>() <= most;
        } else if (j.is_number_integer() && t.family == 's') {
            good = j.get<std::int64_t>() >= std::numeric_limits<std::int64_t>::min() >> unused;
        }
        if (!good) cannot();
        return j.is_number_unsigned() ? j.get<std::uint64_t>()
                                      : static_cast<std::uint64_t>(j.get<std::int64_t>());
    }

    void buffers(json const& j) {
        if (!j.is_object()) refuse("buffers", "expected an object of buffers by name, found " + found(j));
        for (auto const& [name, spec] : j.items()) {
            auto const path = join("buffers", name);
            need_object(spec, path, {"type", "count", "fill"});
            auto const type_name = text_at(spec, path, "type");
            auto const* const t = type_of(type_name);
            if (t == nullptr)
                refuse(join(path, "type"),
                       "expected one of " + type_names() + ", found " + found(spec["type"]));
            json const fill = spec.contains("fill") ? spec["fill"] : json("zeros");
            std::uint64_t count = 0;
            if (spec.contains("count"))
                count = whole(spec["count"], join(path, "count"), 1, most_bytes / t->bytes);
            else if (fill.is_array() && !fill.empty())
                count = fill.size();
            else
                refuse(join(path, "count"), "expected a whole number, found nothing");
            bytes_ += count * t->bytes;
            if (bytes_ > most_bytes)
                refuse(join(path, "count"), "expected less than 16 GiB of buffers in all");
            launch_file::buffer b{name, type_name, t->bytes, {}};
            b.content.resize(count * t->bytes);
            this->fill(b.content, fill, join(path, "fill"), *t, count);
            file_.buffers_.push_back(std::move(b));
        }
    }
    static void put(std::vector<std::byte>& content, std::size_t i, std::uint64_t bits,
                    element_type const& t) {
        std::memcpy(content.data() + i * t.bytes, &bits, t.bytes);
    }
    void fill(std::vector<std::byte>& content, json const& j, std::string const& path, element_type const& t,
              std::size_t count) const {
        if (j.is_string() && j == "zeros") return;
        if (j.is_string() && j == "iota") {
            for (std::size_t i = 0; i < count; ++i)
                put(content, i, t.family == 'f' ? bits_of(static_cast<double>(i), t) : i, t);
            return;
        }
        if (j.is_array()) {
            if (j.size() != count)
                refuse(path,
                       "expected " + std::to_string(count) + " values, found " + std::to_string(j.size()));
            for (std::size_t i = 0; i < count; ++i) put(content, i, number(j[i], element(path, i), t), t);
            return;
        }
        if (!j.is_object())
            refuse(
                path,
                "expected \"zeros\", \"iota\", an array of values, or an object with value, random or file, "
                "found " +
                    found(j));
        need_object(j, path, {"value", "random", "file"});
        if (j.size() != 1) refuse(path, "expected just one of value, random, file");
        if (j.contains("value")) {
            auto const bits = number(j["value"], join(path, "value"), t);
            for (std::size_t i = 0; i < count; ++i) put(content, i, bits, t);
        } else if (j.contains("random")) {
            random(content, j["random"], join(path, "random"), t, count);
        } else {
            auto const file = text_at(j, path, "file");
            std::string data;
            try {
                data = read_(file, content.size());
            } catch (error const& e) {
                refuse(join(path, "file"), e.what());
            }
            if (data.size() != content.size())
                refuse(join(path, "file"), "expected " + std::to_string(content.size()) + " bytes in " +
                                               file + ", found " + std::to_string(data.size()));
            std::memcpy(content.data(), data.data(), data.size());
        }
    }
    // Uniform in [from, to); the same on every host.
    void random(std::vector<std::byte>& content, json const& j, std::string const& path,
                element_type const& t, std::size_t count) const {
        need_object(j, path, {"seed", "from", "to"});
        auto const seed = j.contains("seed") ? whole(j["seed"], join(path, "seed"), 0, ~std::uint64_t{0})
                                             : std::uint64_t{1};
        kernels::random_numbers r(seed);
        auto const bound = [&](char const* key, double otherwise) {
            if (!j.contains(key))
                return t.family == 'f' ? bits_of(otherwise, t) : static_cast<std::uint64_t>(otherwise);
            return number(j[key], join(path, key), t);
        };
        auto const from = bound("from", 0);
        auto const to = bound("to", t.family == 'f' ? 1 : 100);
        auto const order = [&](bool good) {
            if (!good) refuse(join(path, "to"), "expected a number above from");
        };
        if (t.family == 'f') {
            auto const real = [&](std::uint64_t bits) {
                return t.bytes == 4
                           ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                           : std::bit_cast<double>(bits);
            };
            double const low = real(from);
            double const high = real(to);
            order(low < high && std::isfinite(high - low));
            for (std::size_t i = 0; i < count; ++i)
                put(content, i,
                    bits_of(low + (high - low) * (static_cast<double>(r.next() >> 11) * 0x1p-53), t), t);
        } else {
            bool const negative = t.family == 's';
            order(negative ? static_cast<std::int64_t>(from) < static_cast<std::int64_t>(to) : from < to);
            for (std::size_t i = 0; i < count; ++i) put(content, i, from + r.next() % (to - from), t);
        }
    }

    std::size_t buffer_named(json const& j, std::string const& path) const {
        if (!j.is_string()) refuse(path, "expected the name of a buffer, found " + found(j));
        std::string known;
        for (std::size_t i = 0; i < file_.buffers_.size(); ++i) {
            if (file_.buffers_[i].name == j.get_ref<std::string const&>()) return i;
            known += (known.empty() ? "" : ", ") + file_.buffers_[i].name;
        }
        refuse(path, "there is no buffer " + found(j) + "; there are: " + (known.empty() ? "none" : known));
    }
    void arguments(json const& j, ptx::function const& entry) {
        if (!j.is_array()) refuse("arguments", "expected an array, found " + found(j));
        if (j.size() != entry.parameters)
            refuse("arguments", "kernel " + entry.name + " takes " + std::to_string(entry.parameters) +
                                    " arguments, found " + std::to_string(j.size()));
        auto& bytes = file_.request_.arguments;
        bytes.resize(entry.parameter_bytes);
        for (std::uint32_t i = 0; i < entry.parameters; ++i) {
            auto const path = element("arguments", i);
            auto const& p = entry.parameter(i);
            auto const& a = j[i];
            auto const size_is = [&](std::uint64_t size) {
                if (size != p.size)
                    refuse(path, "parameter " + p.name + " has " + std::to_string(p.size) + " bytes, found " +
                                     std::to_string(size));
            };
            if (a.is_object() && a.contains("buffer")) {
                need_object(a, path, {"buffer", "offset"});
                size_is(8);
                launch_file::pointer to{p.offset, buffer_named(a["buffer"], join(path, "buffer")), 0};
                if (a.contains("offset"))
                    to.offset = whole(a["offset"], join(path, "offset"), 0,
                                      file_.buffers_[to.buffer].content.size() - 1);
                file_.pointers_.push_back(to);
                continue;
            }
            if (!a.is_object() || a.size() != 1 || type_of(a.begin().key()) == nullptr)
                refuse(path, "expected {\"buffer\": name} or {type: number} with one of " + type_names() +
                                 ", found " + found(a));
            auto const* const t = type_of(a.begin().key());
            auto const type_path = join(path, std::string(t->name));
            if (a.begin()->is_array()) { // a struct passed by value
                size_is(a.begin()->size() * t->bytes);
                for (std::size_t k = 0; k < a.begin()->size(); ++k) {
                    auto const bits = number((*a.begin())[k], element(type_path, k), *t);
                    std::memcpy(bytes.data() + p.offset + k * t->bytes, &bits, t->bytes);
                }
                continue;
            }
            auto const bits = number(*a.begin(), type_path, *t);
            size_is(t->bytes);
            std::memcpy(bytes.data() + p.offset, &bits, t->bytes);
        }
    }
    void outputs(json const& j) {
        if (!j.is_array()) refuse("outputs", "expected an array, found " + found(j));
        for (std::size_t i = 0; i < j.size(); ++i) {
            auto const path = element("outputs", i);
            need_object(j[i], path, {"buffer", "first", "file"});
            if (!j[i].contains("buffer"))
                refuse(join(path, "buffer"), "expected the name of a buffer, found nothing");
            launch_file::output o;
            o.buffer = buffer_named(j[i]["buffer"], join(path, "buffer"));
            auto const& b = file_.buffers_[o.buffer];
            o.count = b.content.size() / b.size;
            if (j[i].contains("first")) o.count = whole(j[i]["first"], join(path, "first"), 1, o.count);
            if (j[i].contains("file")) o.file = text_at(j[i], path, "file");
            file_.outputs_.push_back(o);
        }
    }

    launch_file& file_;
    std::string const& name_;
    launch_file::file_reader const& read_;
    std::size_t bytes_ = 0;
};

launch_file::launch_file(std::string_view text, std::string const& name, file_reader const& read) {
    launch_file_reader(*this, name, read).parse(text);
}

std::string launch_file::shape() const {
    auto const extent = [](dim3 const& d) {
        auto s = std::to_string(d.x);
        if (d.y != 1 || d.z != 1) s += "x" + std::to_string(d.y);
        if (d.z != 1) s += "x" + std::to_string(d.z);
        return s;
    };
    return "grid " + extent(request_.grid) + " block " + extent(request_.block);
}

std::string launch_file::run(device& d, file_writer const& write) const {
    std::vector<device_address> address;
    for (auto const& b : buffers_) {
        address.push_back(d.memory().allocate(b.content.size()));
        d.memory().write(address.back(), b.content.data(), b.content.size());
    }
    auto request = request_;
    for (auto const& p : pointers_) {
        auto const a = address[p.buffer] + p.offset;
        std::memcpy(request.arguments.data() + p.at, &a, sizeof a);
    }
    d.launch(request);
    std::string text;
    for (auto const& o : outputs_) {
        auto const& b = buffers_[o.buffer];
        std::vector<std::byte> content(o.count * b.size);
        d.memory().read(content.data(), address[o.buffer], content.size());
        if (o.file.ends_with(".bin")) {
            write(o.file, {reinterpret_cast<char const*>(content.data()), content.size()});
            continue;
        }
        std::string lines;
        for (std::size_t i = 0; i < o.count; ++i)
            lines += text_of(content.data() + i * b.size, *type_of(b.type)) + (o.file.empty() ? " " : "\n");
        if (o.file.empty())
            text += b.name + ": " + lines + "\n";
        else
            write(o.file, lines);
    }
    return text;
}

std::vector<std::string> launch_file::output_files() const {
    std::vector<std::string> names;
    for (auto const& o : outputs_)
        if (!o.file.empty()) names.push_back(o.file);
    return names;
}

std::string path_beside(std::string const& path, std::string const& name) {
    return (std::filesystem::path(path).parent_path() / name).string();
}
launch_file::file_reader files_beside(std::string const& path) {
    return [path](std::string const& name, std::size_t most) {
        return read_file(path_beside(path, name), most);
    };
}
launch_file::file_writer write_beside(std::string const& path) {
    return [path](std::string const& name, std::string_view bytes) {
        write_file(path_beside(path, name), bytes);
    };
}

} // namespace warpkit
