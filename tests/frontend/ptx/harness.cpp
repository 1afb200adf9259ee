#include "harness.hpp"

#include <warpkit/frontend/ptx/ptx.hpp>

#include <map>
#include <optional>

namespace ptx_test {

using namespace warpkit;

struct machine::inside {
    device_memory memory;
    std::unique_ptr<ptx::loaded_module> module;
    std::optional<ptx::kernel> kernel;
    std::vector<cta_stream> streams;
    std::uint64_t executed = 0;
    dim3 cluster{0, 0, 0};
    bool cooperative = false;
    unsigned threads = 1;
    unsigned threads_used = 1;
    std::string printed;
    std::function<std::uint32_t(ptx::kernel_call const&)> launch;
};

machine::machine(std::string_view text, std::string_view name) : in_(std::make_unique<inside>()) {
    in_->module = std::make_unique<ptx::loaded_module>(ptx::parse(text, name), in_->memory);
}
machine::~machine() = default;
device_memory& machine::memory() { return in_->memory; }
void machine::launch(std::string_view kernel, dim3 grid, dim3 block, std::vector<std::byte> arguments,
                     std::uint32_t dynamic_shared, std::uint64_t limit, std::uint64_t stream_bytes,
                     bool keep) {
    in_->kernel.emplace(*in_->module, kernel);
    launch_request request{std::string(kernel), grid, block, dynamic_shared, std::move(arguments)};
    request.cluster = in_->cluster;
    request.cooperative = in_->cooperative;
    ptx::execution_limits limits;
    limits.instructions = limit;
    limits.stream_bytes = stream_bytes;
    limits.print = [this](std::string_view text) { in_->printed += text; };
    limits.launch = in_->launch;
    if (in_->threads > 1 && !keep) {
        ptx::parallel_executor e(*in_->kernel, in_->memory, request, limits, in_->threads, 0);
        in_->threads_used = e.threads();
        e.run();
        in_->executed = e.executed();
        return;
    }
    ptx::executor e(*in_->kernel, in_->memory, request, limits);
    in_->streams.assign(grid.count(), {});
    for (std::uint64_t i = 0; i < grid.count(); ++i)
        if (keep)
            e.run_cta(i, in_->streams[i]);
        else
            e.run_cta(i);
    in_->executed = e.executed();
}
void machine::set_cluster(dim3 extent) { in_->cluster = extent; }
void machine::set_cooperative() { in_->cooperative = true; }
void machine::set_threads(unsigned threads) { in_->threads = threads; }
unsigned machine::threads_used() const { return in_->threads_used; }
void machine::set_launch(std::function<std::uint32_t(ptx::kernel_call const&)> launch) {
    in_->launch = std::move(launch);
}
std::string machine::timed_error(std::string_view kernel, dim3 grid, dim3 block,
                                 std::vector<std::byte> arguments) {
    ptx::kernel const k(*in_->module, kernel);
    launch_request request{std::string(kernel), grid, block, 0, std::move(arguments)};
    request.cluster = in_->cluster;
    request.cooperative = in_->cooperative;
    ptx::executor e(k, in_->memory, request);
    try {
        static_cast<void>(e.launch());
    } catch (error const& reason) {
        return reason.what();
    }
    return {};
}
std::string const& machine::printed() const { return in_->printed; }
std::uint64_t machine::executed() const { return in_->executed; }
static_program const& machine::program() const { return in_->kernel->program(); }
std::vector<cta_stream> const& machine::streams() const { return in_->streams; }
std::uint64_t machine::local_bytes() const { return in_->kernel->local_bytes(); }
void machine::write_variable(std::string_view name, void const* from, std::size_t bytes) {
    in_->module->write_variable(name, from, bytes);
}
void machine::bind_texture(std::string_view name, texture_binding const& t) {
    in_->module->bind_texture(name, t);
}
void machine::read_variable(std::string_view name, void* to, std::size_t bytes) {
    in_->module->read_variable(name, to, bytes);
}

void observe(std::string_view text, std::string_view name, std::function<void(device&)> const& host,
             std::function<void(observed_launch const&)> const& launched) {
    std::unique_ptr<ptx::loaded_module> module;
    device d([&](device_memory& memory, launch_request const& request) {
        if (!module) module = std::make_unique<ptx::loaded_module>(ptx::parse(text, name), memory);
        ptx::kernel const kernel(*module, request.kernel);
        auto const slices = ptx::slices_of(kernel);
        launch_addresses const addresses(slices, request.grid, request.block, request.arguments);
        ptx::executor executor(kernel, memory, request);
        launched({request, kernel.program(), slices, addresses,
                  [&](std::uint64_t cta, cta_stream& out) { executor.run_cta(cta, out); }});
    });
    host(d);
}

std::string module_of(std::string const& text) {
    return ".version 6.3\n.target sm_70\n.address_size 64\n" + text;
}

std::string kernel_of(std::string const& body, std::string const& before) {
    return before + R"(
.visible .entry k(.param .u64 k_out)
{
.reg .b32 %r<32>;
.reg .b64 %rd<32>;
.reg .b64 %out;
.reg .f32 %f<32>;
.reg .f64 %fd<16>;
.reg .b16 %h<16>;
.reg .pred %p<16>;
ld.param.u64 %out, [k_out];
mov.u32 %r31, %tid.x;
)" + body + "\nret;\n}\n";
}

std::string parse_error(std::string_view text) {
    try {
        static_cast<void>(ptx::parse(text, "t.ptx"));
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

std::string lower_error(std::string_view text, std::string_view kernel) {
    try {
        device_memory memory;
        ptx::loaded_module m(ptx::parse(text, "t.ptx"), memory);
        ptx::kernel k(m, kernel);
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

std::string run_error(std::string const& body, unsigned threads, std::uint64_t limit, unsigned bytes,
                      std::string const& before) {
    try {
        machine m(module_of(kernel_of(body, before)), "t.ptx");
        auto const out = m.upload(std::vector<std::uint8_t>(bytes));
        m.launch("k", {1, 1, 1}, {threads, 1, 1}, arguments({out}), 0, limit);
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

namespace {
unsigned bytes_of(std::string const& type) {
    return type == "pred" ? 0 : ptx::size_of(ptx::scalar_from(type));
}
std::string untyped(unsigned bytes) { return "b" + std::to_string(8 * bytes); }
} // namespace

std::vector<bits> evaluate(std::string const& text, std::string const& result,
                           std::vector<std::string> const& sources,
                           std::vector<std::vector<bits>> const& cases) {
    return evaluate_all({text}, result, sources, cases)[0];
}

std::vector<std::vector<bits>> evaluate_all(std::vector<std::string> const& texts, std::string const& result,
                                            std::vector<std::string> const& sources,
                                            std::vector<std::vector<bits>> const& cases) {
    static char const* const names[] = {"%a", "%b", "%c", "%e"};
    std::string t = ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 n)\n{\n"
                    ".reg .b64 %x<8>;\n.reg .b32 %t<8>;\n.reg .pred %q<4>;\n";
    auto const declare = [&](std::string const& type, std::string const& name) {
        auto const bytes = bytes_of(type);
        t += ".reg ." + (type == "pred" ? type : bytes == 1 ? "b16" : type) + " " + name + ";\n";
    };
    for (std::size_t i = 0; i < sources.size(); ++i) declare(sources[i], names[i]);
    t += R"(
mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x;
mad.lo.u32 %t3, %t0, %t1, %t2;
cvt.u64.u32 %x0, %t3;
ld.param.u64 %x1, [n];
setp.ge.u64 %q0, %x0, %x1;
@%q0 bra DONE;
ld.param.u64 %x2, [in];
ld.param.u64 %x3, [out];
)";
    t += "mad.lo.u64 %x4, %x0, " + std::to_string(8 * sources.size()) +
         ", %x2;\nmad.lo.u64 %x5, %x0, 8, %x3;\n";
    for (std::size_t i = 0; i < sources.size(); ++i) {
        auto const place = "[%x4+" + std::to_string(8 * i) + "];\n";
        if (sources[i] == "pred")
            t += "ld.global.b32 %t4, " + place + "setp.ne.b32 " + names[i] + ", %t4, 0;\n";
        else
            t += "ld.global." + untyped(bytes_of(sources[i])) + " " + names[i] + ", " + place;
    }
    for (std::size_t k = 0; k < texts.size(); ++k) {
        t += "{\n";
        declare(result, "%d");
        auto const place = "[%x5+" + std::to_string(8 * cases.size() * k) + "]";
        t += texts[k] + "\n";
        if (result == "pred")
            t += "selp.b32 %t5, 1, 0, %d;\nst.global.b32 " + place + ", %t5;\n}\n";
        else
            t += "st.global." + untyped(bytes_of(result)) + " " + place + ", %d;\n}\n";
    }
    t += "DONE:\nret;\n}\n";

    machine m(module_of(t), "evaluate.ptx");
    std::vector<bits> flat;
    for (auto const& c : cases) flat.insert(flat.end(), c.begin(), c.end());
    auto const in = m.upload(flat);
    auto const out = m.upload(std::vector<bits>(cases.size() * texts.size()));
    m.launch("k", {static_cast<std::uint32_t>((cases.size() + 63) / 64), 1, 1}, {64, 1, 1},
             arguments({out, in, cases.size()}));
    auto const all = m.download<bits>(out, cases.size() * texts.size());
    std::vector<std::vector<bits>> results;
    for (std::size_t k = 0; k < texts.size(); ++k) {
        auto const first = all.begin() + static_cast<std::ptrdiff_t>(k * cases.size());
        results.emplace_back(first, first + static_cast<std::ptrdiff_t>(cases.size()));
    }
    return results;
}

std::vector<std::vector<bits>> combinations(std::vector<std::vector<bits>> const& values) {
    std::vector<std::vector<bits>> all{{}};
    for (auto const& v : values) {
        std::vector<std::vector<bits>> next;
        for (auto const& head : all)
            for (auto x : v) {
                next.push_back(head);
                next.back().push_back(x);
            }
        all = std::move(next);
    }
    return all;
}

} // namespace ptx_test
