#pragma once
/// \file
/// What asynchronous instructions do, as timing must know it: which phase of which mbarrier an arrival or a copy
/// completes and a wait waits for, and what copies move (docs/model/asynchronous.md#streams). Function knows it when
/// it executes the instruction; it is written down beside.

#include <warpkit/program/async_words.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// The phases of one CTA's mbarriers, numbered as they begin. An mbarrier is known by its offset in shared memory.
class phase_log {
    static constexpr std::uint32_t none = 0xffffffff;
    struct barrier_phases {
        std::uint32_t current = 0;
        std::array<std::uint32_t, 3> before{none, none, none};
    };

public:
    void clear() {
        barriers_.clear();
        events_.clear();
    }
    /// mbarrier.init
    barrier_phases& begin(std::uint32_t barrier) {
        return barriers_[barrier] = {next_phase(), {none, none, none}};
    }
    /// The phase that is over begins anew.
    void complete(std::uint32_t barrier) {
        auto& b = at(barrier);
        b.before = {b.current, b.before[0], b.before[1]};
        b.current = next_phase();
    }
    /// The running phase.
    std::uint32_t current(std::uint32_t barrier) { return at(barrier).current; }
    /// One more event completes a phase.
    void expect(std::uint32_t phase) { ++events_[phase]; }
    /// The phase that began `phases` ones before the running one, if the mbarrier has had it: 1 to 3.
    std::pair<bool, std::uint32_t> before(std::uint32_t barrier, unsigned phases) {
        auto const phase = at(barrier).before[phases - 1];
        return {phase != none, phase};
    }
    std::vector<std::uint32_t>& events() noexcept { return events_; }

private:
    /// One that nobody has initialised was copied there.
    barrier_phases& at(std::uint32_t barrier) {
        auto const known = barriers_.find(barrier);
        return known != barriers_.end() ? known->second : begin(barrier);
    }
    std::uint32_t next_phase() {
        events_.push_back(0);
        return static_cast<std::uint32_t>(events_.size() - 1);
    }

    std::map<std::uint32_t, barrier_phases> barriers_;
    std::vector<std::uint32_t> events_; ///< by phase
};

/// The words of the instruction that is executed. Several lanes that arrive at one phase, or wait for it, are one
/// event.
class async_record {
public:
    /// The logs of the cluster's CTAs, by rank.
    void of_cluster(std::vector<phase_log*> logs) { logs_ = std::move(logs); }
    void begin_instruction() noexcept { words_.clear(); }
    std::vector<std::uint64_t> const& words() const noexcept { return words_; }

    void initialise(std::uint32_t rank, std::uint32_t barrier) { logs_[rank]->begin(barrier); }
    void complete(std::uint32_t rank, std::uint32_t barrier) { logs_[rank]->complete(barrier); }
    /// An arrival in the running phase.
    void arrive(std::uint32_t rank, std::uint32_t barrier) {
        phase_name const p{rank, logs_[rank]->current(barrier)};
        if (add(p)) logs_[rank]->expect(p.phase);
    }
    /// A copy completes the running phase; which it is.
    std::uint64_t complete_by_copy(std::uint32_t rank, std::uint32_t barrier) {
        phase_name const p{rank, logs_[rank]->current(barrier)};
        logs_[rank]->expect(p.phase);
        return p.word();
    }
    /// Somebody has found that the phase which began so many before the running one is over.
    void wait(std::uint32_t rank, std::uint32_t barrier, unsigned phases_before) {
        if (auto const [had, phase] = logs_[rank]->before(barrier, phases_before); had) add({rank, phase});
    }
    void copy(bulk_copy_words const& c) { c.append_to(words_); }
    /// What else timing must know.
    void number(std::uint64_t word) { words_.push_back(word); }

private:
    bool add(phase_name p) {
        bool const is_new = std::find(words_.begin(), words_.end(), p.word()) == words_.end();
        if (is_new) words_.push_back(p.word());
        return is_new;
    }

    std::vector<phase_log*> logs_;
    std::vector<std::uint64_t> words_;
};

} // namespace warpkit::ptx
