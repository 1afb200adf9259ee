#pragma once
/// \file
/// warpkit's DRAM as a backend of SST's memHierarchy, and replacement policies of cache/ as its own.
/// docs/howto/sst.md has the file that makes an element library of them.

#include <warpkit/adapters/memory.hpp>
#include <warpkit/cache/composition.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/dram/shared_queue.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace warpkit::adapters {

/// DRAM channels as a Base, which is SST::MemHierarchy::SimpleMemBackend. Its parameter `memory` is a text as
/// "hbm2_ramulator:channels=2" (memory_numbers), its clock the DRAM's, and its `request_width` the memory's `block`.
///
/// A request that finds no room is refused, and memHierarchy offers it again. Reads and writes alike are answered in
/// the clock in which the channels end them. The clock never stops, since banks are refreshed in idle times, too.
template <class Base, dram::scheduler Scheduler = dram::shared_queue<dram::oldest_ready>,
          dram::page_policy PagePolicy = dram::open_page>
class sst_backend : public Base {
public:
    /// Throws `error` for a memory that there is not, and for requests that are not its blocks.
    template <class Component, class Parameters>
    sst_backend(Component component, Parameters& parameters)
        : Base(component, parameters),
          memory_(memory_numbers::of(parameters.template find<std::string>("memory", std::string()))) {
        auto const width = static_cast<std::uint64_t>(this->m_reqWidth);
        auto const block = memory_.numbers().block;
        if (width != block)
            raise_error(error({"sst: requests are of request_width = ", width,
                               " bytes, and those of the memory of block = ", block,
                               "; give both the same, the one as a parameter, the other in the text"}));
    }

    bool issueRequest(typename Base::ReqId id, std::uint64_t address, bool write, unsigned) override {
        if (!memory_.can_accept(address, write)) return false;
        memory_.push(address, write, id);
        return true;
    }
    /// A DRAM cycle. False: it is to come again.
    bool clock(std::uint64_t) override {
        memory_.tick([this](std::uint64_t id, bool) { ended_.push_back(id); });
        // Who is answered may ask for something at once, which the next cycle sees.
        answered_.swap(ended_);
        for (auto const id : answered_) this->handleMemResponse(id);
        answered_.clear();
        return false;
    }
    memory<Scheduler, PagePolicy> const& inside() const noexcept { return memory_; }

private:
    memory<Scheduler, PagePolicy> memory_;
    std::vector<typename Base::ReqId> ended_;
    std::vector<typename Base::ReqId> answered_;
};

/// Policy behind the interface of Base, which is SST::MemHierarchy::ReplacementPolicy. Info is its ReplacementInfo, and
/// Invalid its state of a line that holds nothing (I): such a one goes first, the first of them, as in memHierarchy's
/// own policies. The first update of a line since it was replaced brings it in, all others are uses. memHierarchy tells
/// a policy of lines alone, so that one which goes by instruction or warp (ship, pcal) sees nobody.
///
/// A victim may be asked for several times before it goes, while the host waits for it; a policy whose answer depends
/// on how often it is asked (random) then answers as often.
template <class Base, class Info, auto Invalid, replacement_policy Policy>
class sst_replacement : public Base {
public:
    /// `lines` in sets of `ways`, which lie together.
    template <class Component, class Parameters>
    sst_replacement(Component component, Parameters& parameters, std::uint64_t lines, std::uint64_t ways)
        : Base(component, parameters, lines, ways),
          ways_(static_cast<std::uint32_t>(ways)),
          here_(lines, false),
          policy_(static_cast<std::uint32_t>(lines / ways), static_cast<std::uint32_t>(ways)) {
        warpkit::detail::check_ways(ways_, warpkit::detail::most_ways_of<Policy>);
    }

    bool checkCompatibility(Info*) override { return true; }
    void update(std::uint64_t line, Info*) override {
        if (here_[line]) {
            tell_used(policy_, set(line), way(line), {});
        } else {
            here_[line] = true;
            tell_inserted(policy_, set(line), way(line), {});
        }
    }
    void replaced(std::uint64_t line) override {
        if (!here_[line]) return;
        here_[line] = false;
        if constexpr (hears_removals<Policy>) policy_.removed(set(line), way(line));
    }
    /// Of the lines of one set.
    std::uint64_t findBestCandidate(std::vector<Info*>& lines) override {
        for (auto* const l : lines)
            if (l->getState() == Invalid) return best_ = l->getIndex();
        way_mask eligible(ways_);
        for (auto* const l : lines) eligible.insert(way(l->getIndex()));
        auto const of = set(lines.front()->getIndex());
        return best_ = std::uint64_t{of} * ways_ + warpkit::victim_of(policy_, of, eligible);
    }
    std::uint64_t getBestCandidate() override { return best_; }
    Policy const& policy() const noexcept { return policy_; }

private:
    std::uint32_t set(std::uint64_t line) const noexcept { return static_cast<std::uint32_t>(line / ways_); }
    std::uint32_t way(std::uint64_t line) const noexcept { return static_cast<std::uint32_t>(line % ways_); }

    std::uint32_t ways_;
    std::uint64_t best_ = 0;
    std::vector<bool> here_; ///< by line: it has come in, and has not gone
    Policy policy_;
};

} // namespace warpkit::adapters
