#pragma once
/// \file
/// Where a core's issues and loads were spent, instruction by instruction and launch by launch, and in which order it
/// issued: to hold two runs of one program against each other (`lab explain-difference`).
///
///     using machine = presets::gtx480::with<use::observer<report::run_profile>>;
///     policy_values<machine::policies> values;
///     values.observer = report::run_profile(true);
///     ... g.cores()[0].observer().launches()[0].instructions[12].latency_sum ...

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/program/instruction.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::report {

/// What became of one instruction, over all warps.
struct instruction_profile {
    std::uint32_t line = 0;   ///< of its source text; 0 if unknown
    std::uint64_t issues = 0; ///< of warps
    std::uint64_t loads = 0;  ///< of these, loads whose data have returned
    cycle latency_sum = 0;    ///< core cycles from issue to the last of the data, over those
    cycle latency_most = 0;
    std::uint64_t accesses = 0; ///< to the L1 data cache, stores among them
    std::uint64_t hits = 0;     ///< of these, as in l1d.hits
    std::uint64_t misses = 0;   ///< misses and sector misses

    instruction_profile& operator+=(instruction_profile const& o) noexcept {
        line = o.line;
        issues += o.issues;
        loads += o.loads;
        latency_sum += o.latency_sum;
        latency_most = std::max(latency_most, o.latency_most);
        accesses += o.accesses;
        hits += o.hits;
        misses += o.misses;
        return *this;
    }
};

/// An instruction that a core issued.
struct issue_step {
    cycle at = 0; ///< core cycles since the kernel's first on this core
    std::uint32_t warp = 0;
    std::uint32_t instruction = 0;
};

/// One launch on one core.
struct launch_profile {
    std::string kernel;
    std::vector<instruction_profile> instructions; ///< by their index
    std::vector<std::uint8_t> steps;               ///< packed: each_step()

    /// Calls f(issue_step const&) for each issue, in their order, until it returns false.
    template <class F>
    void each_step(F&& f) const {
        issue_step s;
        std::size_t at = 0;
        auto const number = [&] {
            std::uint64_t n = 0;
            for (unsigned shift = 0;; shift += 7) {
                auto const b = steps[at++];
                n |= std::uint64_t{b & 0x7fU} << shift;
                if (b < 0x80) return n;
            }
        };
        while (at != steps.size()) {
            s.at += number();
            s.warp = static_cast<std::uint32_t>(number());
            s.instruction = static_cast<std::uint32_t>(number());
            if (!f(s)) return;
        }
    }
};

/// Observes a core: to sit in `use::observer`. Made without `true` it keeps nothing. What it keeps takes some four
/// bytes for each warp instruction.
class run_profile {
public:
    explicit run_profile(bool wanted = false) : wanted_(wanted) {}

    void on(kernel_began const& e) {
        if (!wanted_) return;
        instruction_bytes_ = e.instruction_bytes;
        launches_.push_back({e.program != nullptr ? e.program->name : "kernel", {}, {}});
        auto& l = launches_.back();
        l.instructions.resize(e.instructions);
        for (std::size_t i = 0; i < l.instructions.size(); ++i)
            l.instructions[i].line = e.code[i].source_line;
        under_way_.clear();
        began_ = never;
        last_ = 0;
    }
    void on(cta_launched const& e) {
        if (began_ == never) began_ = now_ = e.at;
    }
    void on(cycles_spent const& e) {
        if (began_ == never) began_ = e.from;
        now_ = std::max(now_, e.from + e.count);
    }
    void on(warpkit::issued const& e) {
        if (!wanted_) return;
        now_ = std::max(now_, e.at);
        auto const index = e.pc / instruction_bytes_;
        ++of(index).issues;
        auto const at = e.at - began_;
        number(at - last_);
        number(e.warp.index());
        number(index);
        last_ = at;
        if (e.kind == issue_class::load || e.kind == issue_class::atomic)
            under_way_.push_back({index, e.warp.index(), e.at});
    }
    void on(l1_accessed const& e) {
        if (!wanted_) return;
        auto& i = of(e.pc / instruction_bytes_);
        ++i.accesses;
        i.hits += e.outcome == cache_outcome::hit;
        i.misses += e.outcome == cache_outcome::miss || e.outcome == cache_outcome::sector_miss;
    }
    void on(load_returned const& e) {
        if (!wanted_) return;
        auto const index = e.pc / instruction_bytes_;
        auto const l = std::find_if(under_way_.begin(), under_way_.end(), [&](load const& x) {
            return x.instruction == index && x.warp == e.warp.index();
        });
        if (l == under_way_.end()) return;
        auto& i = of(index);
        auto const latency = now_ > l->at ? now_ - l->at : 0;
        ++i.loads;
        i.latency_sum += latency;
        i.latency_most = std::max(i.latency_most, latency);
        under_way_.erase(l);
    }
    void on(warp_exited const& e) {
        std::erase_if(under_way_, [&](load const& x) { return x.warp == e.warp.index(); });
    }

    template <class E>
    bool listens() const noexcept {
        return wanted_ && hears<run_profile, E>;
    }
    std::vector<launch_profile> const& launches() const noexcept { return launches_; }
    friend bool operator==(run_profile const&, run_profile const&) { return true; } // it changes nothing

private:
    struct load {
        std::uint32_t instruction;
        unsigned warp;
        cycle at;
    };
    instruction_profile& of(std::uint32_t index) { return launches_.back().instructions[index]; }
    void number(std::uint64_t n) {
        auto& to = launches_.back().steps;
        for (; n > 0x7f; n >>= 7) to.push_back(static_cast<std::uint8_t>(n | 0x80));
        to.push_back(static_cast<std::uint8_t>(n));
    }

    bool wanted_;
    std::uint32_t instruction_bytes_ = 1;
    cycle now_ = 0; ///< all before is over
    cycle began_ = never;
    cycle last_ = 0;
    std::vector<load> under_way_;
    std::vector<launch_profile> launches_;
};

} // namespace warpkit::report
