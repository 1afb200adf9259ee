// What a request asks for: programs, and all combinations of them with machines and policies.
#include <warpkit/base/input_file.hpp>
#include <warpkit/cache/alternatives.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/config/simulate_trace.hpp>

#include "catalogue.hpp"
#include "content_hash.hpp"
#include "lab.hpp"
#include "machine_files.hpp"
#include "runs.hpp"
#include "traces.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace lab {

using namespace warpkit;

namespace {

constexpr char const* preset_variant = preset_policy::name();

// What --param says.
struct kernel_input {
    explicit kernel_input(std::string const& assignment) {
        auto const dot = assignment.find('.');
        auto const equals = assignment.find('=');
        if (equals == assignment.npos || dot == assignment.npos || dot > equals)
            throw error("--param " + assignment + ": write kernel.parameter=value, as in vecadd.n=4096");
        kernel = &kernels::find(assignment.substr(0, dot));
        name = assignment.substr(dot + 1, equals - dot - 1);
        std::string unit;
        for (auto const& p : kernel->parameters)
            if (p.name == name) unit = p.unit == "bytes" ? "bytes" : "";
        value = parse_number(assignment.substr(equals + 1), unit, assignment.substr(0, equals));
    }
    kernels::workload const* kernel;
    std::string name;
    std::uint64_t value;
};

std::vector<kernels::values> chosen_kernels(request const& what) {
    std::vector<kernels::values> all;
    if (what.kernels.empty())
        for (auto const* w : kernels::all()) all.emplace_back(*w, what.size);
    for (auto const& name : what.kernels)
        for (auto const* w : kernels::find_all(name)) all.emplace_back(*w, what.size);

    std::set<std::string> given;
    for (auto const& assignment : what.parameters) {
        kernel_input const input(assignment);
        auto const kernel = std::string(input.kernel->name);
        if (!given.insert(kernel + '.' + input.name).second)
            throw error("--param " + assignment + ": " + kernel + '.' + input.name +
                        " is given twice; give it once");
        bool used = false;
        for (auto& v : all)
            if (&v.of() == input.kernel) {
                v.set(input.name, input.value);
                used = true;
            }
        if (!used) throw error("--param " + assignment + ": " + kernel + " is not among the kernels to run");
    }
    return all;
}

} // namespace

std::vector<std::string> chosen(std::vector<std::string> const& asked,
                                std::vector<std::string> const& defaults,
                                std::vector<std::string> const& known, std::string const& kind) {
    auto const& names = asked.empty() ? defaults : asked;
    for (auto const& n : names)
        if (std::find(known.begin(), known.end(), n) == known.end()) refuse_name(kind, n, known);
    return names;
}

void check_program_files(request const& what) {
    auto const refuse = [](char const* one, char const* other) {
        throw error(std::string(one) + " and " + other + ": each says what to run; leave one of the two out");
    };
    for (auto const& [option, files] :
         {std::pair("--launch", &what.launch_files), {"--trace", &what.traces}}) {
        if (files->empty()) continue;
        if (!what.kernels.empty()) refuse(option, "--kernel");
        if (!what.ptx.empty()) refuse(option, "--ptx");
        if (!what.parameters.empty())
            throw error(std::string(option) + ": there is no input for --param to change; leave it out");
    }
    if (!what.launch_files.empty() && !what.traces.empty()) refuse("--launch", "--trace");
    if (!what.copies.empty() && what.traces.empty())
        throw error("--copies: only traces (--trace) have copies to the device; leave it out");
    if (what.ptx.empty()) return;
    std::size_t kernels = 0;
    for (auto const& name : what.kernels) kernels += name == "all" ? 2 : kernels::find_all(name).size();
    if (kernels != 1)
        throw error("--ptx " + what.ptx.front() +
                    ": say with --kernel which one kernel it replaces, for its host program");
}

namespace {

std::string last_part(std::string const& path) { return std::filesystem::path(path).filename().string(); }

// What a copy does by its name on the command line.
constexpr std::pair<char const*, copy_effect> copy_effects[] = {
    {"accel-sim", copy_effect::as_accel_sim}, {"l2", copy_effect::l2}, {"none", copy_effect::none}};

std::vector<std::string> copy_effect_names() {
    std::vector<std::string> names;
    for (auto const& [name, effect] : copy_effects) names.emplace_back(name);
    return names;
}

// One run of a trace for each effect that its copies are to have.
void add_traced(std::vector<subject>& to, std::string const& path, std::vector<std::string> const& copies) {
    for (auto const& name : chosen(copies, {copy_effects[0].first}, copy_effect_names(), "copies")) {
        auto const program = open_trace(path); // of its own: two are read at once
        subject s{trace_name(path), std::to_string(program->kernels()) + " kernels traced", {}, path, {},
                  program};
        s.file_kind = "trace";
        s.file_name = trace_name(path);
        for (auto const& [called, effect] : copy_effects)
            if (name == called) s.copies = effect;
        // The default is untold, so that results do not differ for saying it.
        if (s.copies != copy_effect::as_accel_sim) s.parameters += " copies=" + name;
        to.push_back(std::move(s));
    }
}

subject launched(std::string const& path, run_files* files) {
    std::string content = read_file(path, std::size_t{1} << 30);
    auto code = content_hash(content);
    auto const file = std::make_shared<launch_file const>(
        content, path, [&, read = files_beside(path)](std::string const& name, std::size_t most) {
            if (files != nullptr) files->reads(path_beside(path, name), "a file of --launch");
            auto text = read(name, most);
            code += content_hash(text);
            return text;
        });
    auto const printed = std::make_shared<std::string>();
    subject s{file->kernel(), file->shape(), file->ptx(), file->ptx_name(), {}};
    if (files != nullptr) {
        for (auto const& name : file->output_files())
            files->writes(path_beside(path, name), "an output of --launch");
        s.run = [file, printed, write = write_beside(path)](device& d) { *printed = file->run(d, write); };
    } else {
        s.run = [file](device& d) { (void)file->run(d, [](std::string const&, std::string_view) {}); };
    }
    s.file_kind = "launch";
    s.file_name = last_part(path);
    s.code = content_hash(code);
    s.keeps = file;
    s.printed = printed;
    return s;
}

} // namespace

std::vector<subject> subjects_of(request const& asked, run_files* files) {
    check_program_files(asked);
    auto const what = all_named(asked);
    std::vector<subject> subjects;
    for (auto const& path : what.launch_files) subjects.push_back(launched(path, files));
    if (!subjects.empty()) return subjects;
    for (auto const& path : what.traces) add_traced(subjects, path, what.copies);
    if (!what.traces.empty()) return subjects;
    for (auto const& values : chosen_kernels(what)) {
        auto const& kernel = values.of();
        std::string parameters;
        std::vector<std::pair<std::string, std::uint64_t>> inputs;
        for (auto const& p : kernel.parameters) {
            inputs.emplace_back(p.name, values[p.name]);
            parameters +=
                (parameters.empty() ? "" : " ") + std::string(p.name) + '=' + std::to_string(values[p.name]);
        }
        subject shipped{std::string(kernel.name),
                        parameters,
                        kernel.ptx,
                        std::string(kernel.ptx_name),
                        [&kernel, values](device& d) { kernel.run(d, values); },
                        nullptr,
                        inputs};
        auto const named =
            std::find(what.kernels.begin(), what.kernels.end(), kernel.name) != what.kernels.end();
        if (!named || what.leave_out) shipped.needs = kernel.needs;
        if (what.ptx.empty()) subjects.push_back(shipped);
        for (auto const& path : what.ptx) {
            auto const text = std::make_shared<std::string const>(read_file(path));
            auto own = shipped;
            own.ptx = *text;
            own.ptx_name = path;
            own.file_kind = "ptx";
            own.file_name = last_part(path);
            own.keeps = text;
            subjects.push_back(std::move(own));
        }
    }
    return subjects;
}

std::vector<std::string> chosen_texts(char const* seat, std::vector<std::string> const& asked,
                                      std::vector<std::string> const& defaults) {
    for (auto const& text : asked) try {
            check_policy({seat, text});
        } catch (error const& e) {
            throw error(std::string(seat) + ' ' + text + ": " + e.what());
        }
    return asked.empty() ? defaults : asked;
}

std::string const& job::text_of(std::string_view seat) const {
    for (auto const& p : policies)
        if (p.slot == seat) return p.policy;
    throw std::logic_error("a job without a policy for a seat");
}
std::vector<slot_and_policy> job::others() const {
    std::vector<slot_and_policy> all;
    for (auto const& t : machine->texts) // what the preset tells the machine that it runs on
        if (t.slot != "warp_scheduler") all.push_back(t);
    all.push_back({"dram_scheduler", dram});
    for (auto const& p : policies)
        if (p.slot != "warp_scheduler") all.push_back(p);
    return all;
}

namespace {

// A choice for each of the seats that have no option of their own.
struct other_seats {
    std::vector<slot_and_policy> made; // when the machine is made, or parameters of policies
    std::vector<slot_and_policy> own;  // when it is compiled
    std::string label;
};
// What was asked for, by seat: --use, and the options that stand for it.
struct asked_seats {
    std::vector<std::pair<std::string, std::vector<std::string>>> by_seat;

    std::vector<std::string> asked(std::string_view seat) const {
        for (auto const& [name, texts] : by_seat)
            if (name == seat) return texts;
        return {};
    }
    // All combinations.
    std::vector<other_seats> others() const {
        std::vector<other_seats> all(1);
        for (auto const& [seat, texts] : by_seat) {
            if (has_option(seat)) continue;
            std::vector<other_seats> longer;
            for (auto const& before : all)
                for (auto const& text : texts) {
                    auto next = before;
                    next.label += (next.label.empty() ? "" : " ") + seat + '=' + text;
                    auto const made = !policies_in(seat).empty();
                    if (made || text.find(':') != text.npos) next.made.push_back({seat, text});
                    if (!made && policy_of(text) != preset_policy::name())
                        next.own.push_back({seat, policy_of(text)});
                    longer.push_back(std::move(next));
                }
            all = std::move(longer);
        }
        return all;
    }
    // The seats that are filled when the machine is made and have no option of their own.
    static std::vector<std::string> made_otherwise() {
        std::vector<std::string> all;
        for (auto const& row : seat_rows())
            if (!has_option(row.name) && !policies_in(row.name).empty()) all.push_back(row.name);
        return all;
    }
    static bool has_option(std::string_view seat) {
        for (auto const* name :
             {"warp_scheduler", "dram_scheduler", "replay_queue", "cta_choice", "occupancy_limit"})
            if (seat == name) return true;
        return false;
    }
};
// A variant of a cache as it is said, without the parameters of its parts, which go to those of its seat.
std::string variant_of(std::string_view text, char const* seat, std::vector<slot_and_policy>& policies) {
    std::string variant;
    std::string parameters;
    for (std::size_t from = 0; from <= text.size();) {
        auto const to = std::min(text.find('+', from), text.size());
        auto const word = text.substr(from, to - from);
        auto const colon = std::min(word.find(':'), word.size());
        variant.append(variant.empty() ? "" : "+").append(word.substr(0, colon));
        parameters.append(word.substr(colon));
        from = to + 1;
    }
    if (!parameters.empty()) policies.push_back({seat, preset_variant + parameters});
    return variant;
}
// Refuses, by name, what others have and a machine here cannot: whoever asks for it should hear the reason.
void refuse_unmodelled(std::string_view policy) {
    for (auto const name :
         {"thread_block_compaction", "large_warps", "large_warp_microarchitecture", "dynamic_warp_formation"})
        if (policy == name)
            throw error(std::string(name) +
                        " makes warps of the threads of others, and here each warp's instructions come as a "
                        "stream of its own, executed or recorded (docs/model/warp_scheduling.md#compaction); "
                        "schedulers that there are: lab list policies");
}
// The policies that a run can name in a seat.
std::vector<std::string> known_in(std::string const& seat) {
    if (seat == "dram_scheduler") return dram_names();
    auto names = policy_names_in(seat);
    if (!names.empty()) return names;
    names.emplace_back(preset_variant);
    for (auto const& own : own_policies())
        if (own.slot == seat) names.push_back(own.policy);
    return names;
}
asked_seats seats_of(request const& what) {
    asked_seats seats;
    auto const add = [&](std::string const& seat, std::vector<std::string> const& texts) {
        if (texts.empty()) return;
        for (auto& [name, known] : seats.by_seat)
            if (name == seat) {
                known.insert(known.end(), texts.begin(), texts.end());
                return;
            }
        seats.by_seat.emplace_back(seat, texts);
    };
    add("warp_scheduler", what.schedulers);
    add("dram_scheduler", what.dram);
    add("replay_queue", what.replay);
    add("cta_choice", what.dispatch);
    add("occupancy_limit", what.occupancy);
    add("fetch_order", what.fetch);
    add("instruction_prefetch", what.prefetch);
    for (auto const& use : what.uses) {
        auto const equals = use.find('=');
        if (equals == use.npos || equals == 0)
            throw error("--use " + use + " names no seat; write seat=policy, as in replay_queue=new_car:16");
        auto const seat = use.substr(0, equals);
        std::vector<std::string> names;
        for (auto const& row : seat_rows()) names.push_back(row.name);
        if (std::find(names.begin(), names.end(), seat) == names.end())
            refuse_name("seat", seat, names, "--use");
        std::vector<std::string> texts;
        for (std::size_t from = equals + 1; from <= use.size();) {
            auto const to = std::min(use.find(',', from), use.size());
            auto const text = use.substr(from, to - from);
            if (text == "all") {
                auto const known = known_in(seat);
                texts.insert(texts.end(), known.begin(), known.end());
            } else {
                texts.push_back(text);
            }
            from = to + 1;
        }
        add(seat, texts);
    }
    for (auto const& [seat, texts] : seats.by_seat) {
        if (seat == "dram_scheduler") {
            for (auto const& text : texts)
                (void)chosen({policy_of(text)}, {}, dram_names(), "DRAM scheduler");
            continue;
        }
        for (auto const& text : texts) refuse_unmodelled(policy_of(text));
        for (auto const& text : texts)
            if (!policies_in(seat).empty()) {
                (void)chosen_texts(seat.c_str(), {text}, {});
            } else {
                auto const known = known_in(seat);
                if (std::find(known.begin(), known.end(), policy_of(text)) != known.end()) continue;
                if (known.size() == 1)
                    throw error("--use " + seat +
                                ": this lab has no other policy in that seat than its presets', `preset`; "
                                "docs/reference/lab.md says how one of your own joins it");
                refuse_name("policy", text, known, "--use " + seat);
            }
    }
    return seats;
}

} // namespace

request all_named(request what) {
    auto const expand = [](std::vector<std::string>& asked, auto const& known) {
        bool const all = std::find(asked.begin(), asked.end(), "all") != asked.end();
        if (all) asked = known();
        return all;
    };
    auto const in_seat = [](char const* seat) { return [seat] { return policy_names_in(seat); }; };
    auto const caches = [] {
        std::vector<std::string> names = {preset_variant, "perfect"};
        for (auto const& part : with_alternatives<cache<linear_index, lru, on_miss, fermi_l1>>::parts())
            for (auto const& name : part.names)
                if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
        return names;
    };
    if (std::find(what.kernels.begin(), what.kernels.end(), "all") != what.kernels.end())
        what.kernels.clear();
    expand(what.schedulers, scheduler_names);
    expand(what.presets, preset_names);
    expand(what.dram, dram_names);
    expand(what.replay, replay_names);
    expand(what.fetch, in_seat("fetch_order"));
    expand(what.prefetch, in_seat("instruction_prefetch"));
    expand(what.dispatch, in_seat("cta_choice"));
    expand(what.occupancy, in_seat("occupancy_limit"));
    what.all_l1 = expand(what.l1, caches) || what.all_l1;
    what.all_l2 = expand(what.l2, caches) || what.all_l2;
    expand(what.copies, copy_effect_names);
    return what;
}

void check_names(request const& asked) {
    auto const what = all_named(asked);
    for (auto const& name : what.kernels) (void)kernels::find_all(name);
    for (auto const& assignment : what.parameters) {
        kernel_input const input(assignment);
        kernels::values(*input.kernel).set(input.name, input.value);
    }
    for (auto const& setting : what.settings) check_setting(setting);
    (void)machines_of(what);
    (void)seats_of(what);
    (void)chosen(what.copies, {}, copy_effect_names(), "copies");
}

std::string lacking(kernels::units needs, gpu_parameters const& machine) {
    std::string words;
    auto const lacks = [&](bool needed, bool has, char const* what) {
        if (needed && !has) words.append(words.empty() ? "" : ", ").append(what);
    };
    lacks(needs.bulk_copies, machine.async.copy_queue != 0, "bulk copies (async.copy_queue)");
    lacks(needs.group_products, machine.async.product_columns != 0,
          "products of warpgroups (async.product_columns)");
    lacks(needs.tensor_memory, machine.async.tensor_memory != 0, "tensor memory (async.tensor_memory)");
    lacks(needs.clusters, machine.cluster.cores != 0, "clusters of CTAs (cluster.cores)");
    lacks(needs.shared_bytes != 0, machine.core.shared_bytes >= needs.shared_bytes,
          "the shared memory of a CTA (core.shared_bytes)");
    return words;
}

std::vector<std::string> left_out::sentences() const {
    std::vector<std::string> all;
    for (auto const& [why, names] : of_) all.push_back(why + "; left out: " + enumerated(names));
    return all;
}
void left_out::tell() const {
    for (auto const& sentence : sentences()) std::cerr << "lab: note: " << sentence << '\n';
}

std::vector<job> jobs_of(request const& asked, std::vector<subject> const& subjects, left_out* out) {
    auto const what = all_named(asked);
    auto const seats = seats_of(what);
    std::vector<job> jobs;
    left_out here;
    auto& not_run = out == nullptr ? here : *out;
    // The kinds of a cache; of all, those that go with the rest of the machine.
    auto const variants = [&](chosen_machine const& machine, char const* seat, bool all,
                              std::vector<std::string> const& named) {
        if (named.empty()) return std::vector<std::string>{preset_variant};
        if (!all) return named;
        machine_names called;
        called.preset = machine.preset;
        auto const point = machines_called(called).front();
        std::vector<std::string> fit;
        for (auto const& text : named) try {
                auto numbers = machine.numbers();
                change(numbers, what.settings);
                std::vector<slot_and_policy> made;
                if (auto const variant = variant_of(text, seat, made); variant != preset_variant)
                    (std::string_view(seat) == "l1d" ? numbers.l1d_variant : numbers.l2_variant) = variant;
                check(numbers);
                point.make(numbers, made);
                fit.push_back(text);
            } catch (error const& e) {
                if (text == preset_variant) throw; // it is not the cache's fault
                not_run.add(machine.name + ": " + e.what(), text);
            }
        return fit;
    };
    auto const add = [&](subject const& program, chosen_machine const& machine,
                         std::string const& dram_scheduler, std::string const& scheduler,
                         std::string const& queue, other_seats const& other, std::string const& l1,
                         std::string const& l2) {
        job j;
        machine_names names{machine.preset, {}, dram_scheduler, {}, {}};
        j.name = machine.name;
        names.scheduler = policy_of(scheduler);
        names.replay = policy_of(queue);
        names.own = j.own = other.own;
        auto const dram_text = names.dram;
        names.dram = policy_of(dram_text);
        j.dram = dram_text;
        j.program = &program;
        j.l1 = l1;
        j.l2 = l2;
        auto const machines = machines_called(names);
        if (machines.empty())
            throw error("--use " + other.label + ": the lab has no machine of " + names.preset +
                        " with it (docs/reference/lab.md)");
        j.machine = std::make_shared<sweep_point const>(machines.front());
        j.numbers = machine.numbers();
        auto const before = j.numbers;
        if (program.trace) fit_to_code(j.numbers, *program.trace);
        change(j.numbers, what.settings);
        auto made = other.made;
        if (dram_text != names.dram) made.push_back({"dram_scheduler", dram_text});
        if (auto const variant = variant_of(l1, "l1d", made); variant != preset_variant)
            j.numbers.l1d_variant = variant;
        if (auto const variant = variant_of(l2, "l2", made); variant != preset_variant)
            j.numbers.l2_variant = variant;
        if (what.check_dram) set_number(j.numbers, "dram_checker=on");
        if (what.row_sharing) set_number(j.numbers, "row_sharing=on");
        j.program_points = what.program_points;
        j.sample = what.sample;
        check(j.numbers);
        if (auto const lacks = lacking(program.needs, j.numbers); !lacks.empty()) {
            not_run.add(j.name + " lacks " + lacks, program.name);
            return;
        }
        if (!j.numbers.l1d_variant.empty() || !j.numbers.l2_variant.empty() || !made.empty())
            j.machine->make(j.numbers, made); // what there is not is refused before the work
        for (auto const& f : machine_numbers())
            if (read_field(before, f) != read_field(j.numbers, f))
                j.changes.emplace_back(f.name, format_number(read_field(j.numbers, f), f.unit));
        if (before.address_mapping != j.numbers.address_mapping)
            j.changes.emplace_back("address_mapping", j.numbers.address_mapping);
        if (before.memory_nodes != j.numbers.memory_nodes)
            j.changes.emplace_back("memory_nodes", j.numbers.memory_nodes);
        auto const choices = chosen_texts(
            "cta_choice", machine.texts("cta_choice", seats.asked("cta_choice")), {"round_robin_dispatch"});
        auto const limits =
            chosen_texts("occupancy_limit", machine.texts("occupancy_limit", seats.asked("occupancy_limit")),
                         {"no_limit"});
        for (auto const& choice : choices)
            for (auto const& limit : limits) {
                j.policies = {{"warp_scheduler", scheduler},
                              {"replay_queue", queue},
                              {"cta_choice", choice},
                              {"occupancy_limit", limit}};
                for (auto& p : machine.policies(seats.made_otherwise()))
                    if (seats.asked(p.slot).empty()) j.policies.push_back(std::move(p));
                for (auto const& p : j.policies) check_policy(p, j.numbers.core.count);
                j.policies.insert(j.policies.end(), made.begin(), made.end());
                j.more = other.label;
                j.shares_function = keeps_order(choice) && j.numbers.core.scheduled_code == 0;
                jobs.push_back(j);
            }
    };
    auto const machines = machines_of(what);
    auto const others = seats.others();
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> caches; // L1 and L2 of each
    for (auto const& machine : machines)
        caches.emplace_back(variants(machine, "l1d", what.all_l1, what.l1),
                            variants(machine, "l2", what.all_l2, what.l2));
    for (auto const& program : subjects)
        for (auto const& machine : machines) {
            auto const& [l1_kinds, l2_kinds] = caches[static_cast<std::size_t>(&machine - machines.data())];
            auto const texts_of = [&](char const* seat) { return machine.texts(seat, seats.asked(seat)); };
            auto const schedulers =
                chosen_texts("warp_scheduler", texts_of("warp_scheduler"), {"lrr", "gto"});
            auto const named = texts_of("dram_scheduler");
            auto const dram = named.empty() ? std::vector<std::string>{"fr_fcfs"} : named;
            auto const queues = chosen_texts("replay_queue", texts_of("replay_queue"), {"none"});
            for (auto const& scheduler : schedulers)
                for (auto const& dram_scheduler : dram)
                    for (auto const& queue : queues)
                        for (auto const& other : others)
                            for (auto const& l1 : l1_kinds)
                                for (auto const& l2 : l2_kinds)
                                    add(program, machine, dram_scheduler, scheduler, queue, other, l1, l2);
        }
    if (jobs.empty() && !subjects.empty() && !what.leave_out)
        throw error("nothing is left to run: " + not_run.sentences().front());
    return jobs;
}

} // namespace lab
