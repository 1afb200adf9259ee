#pragma once
/// \file
/// DRAM channels side by side, with addresses and whole blocks: what a host calls its memory. The adapters for
/// Ramulator, DRAMsim3 and gem5 stand on it.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_text.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/counters.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/scheduler.hpp>
#include <warpkit/dram/standards.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::adapters {

/// Which memory: a standard of dram/standards.hpp, and what is to be different.
struct memory_numbers {
    dram::standard const* standard = dram::standards;
    dram::timing timing = *dram::standards[0].numbers;
    dram::queue_sizes queues{};
    dram::answer_times answers{true, dram::write_end::data};
    std::uint32_t channels = 1;   ///< a power of two
    std::uint32_t block = 64;     ///< bytes of each request, a power of two, and at least an atom
    std::uint32_t interleave = 0; ///< bytes from one channel to the next, a power of two; 0: a block

    /// Of a text as "hbm2_dramsim3:channels=8:block=64:cl=16". Throws `error`.
    static memory_numbers of(std::string_view text) {
        memory_numbers n;
        auto const name = text.substr(0, text.find(':'));
        std::vector<std::string> names;
        bool found = false;
        for (auto const& s : dram::standards) {
            names.emplace_back(s.name);
            if (name != s.name) continue;
            n.standard = &s;
            n.timing = *s.numbers;
            found = true;
        }
        if (!found)
            raise_error(
                error({"there is no dram standard '", name, '\'' + did_you_mean(std::string(name), names),
                       "; there are: ", warpkit::detail::list_of(names)}));
        n.block = n.timing.atom_bytes() > n.block ? n.timing.atom_bytes() : n.block;
        set_parameters(n, text, "dram");
        n.check();
        return n;
    }
    /// Throws `error` if they do not go together.
    void check() const {
        auto const power = [](char const* what, std::uint32_t v) {
            if (!std::has_single_bit(v))
                raise_error(error({"dram: ", what, " = ", v, " is no power of two"}));
        };
        power("channels", channels);
        power("block", block);
        if (interleave != 0) power("interleave", interleave);
        if (block < timing.atom_bytes())
            raise_error(error({"dram: blocks of ", block, " bytes are less than one column command moves, ",
                               timing.atom_bytes(), "; nearest legal value: ", timing.atom_bytes()}));
        if (interleave != 0 && interleave < block)
            raise_error(error({"dram: a block of ", block, " bytes lies in several channels at interleave = ",
                               interleave, "; nearest legal value: ", block}));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"channels", "a power of two", 1, 4096}, self.channels);
        f(parameter{"block", "bytes of each request", 1, 4096}, self.block);
        f(parameter{"interleave", "bytes from one channel to the next; 0: a block"}, self.interleave);
        f(parameter{"queue", "requests of a channel; where writes wait separately, reads", 1, 4096},
          self.queues.reads);
        f(parameter{"write_queue", "writes, where they wait separately", 1, 4096}, self.queues.writes);
        f(parameter{"bank_queue", "requests of one bank, where each has a queue", 1, 4096}, self.queues.bank);
        f(parameter{"whole_burst", "a read ends with its last beat, not with its first"},
          self.answers.whole_burst);
        each_parameter_of(f, self.timing);
    }
};

/// Channels of one standard with Scheduler and PagePolicy. All are ticked together, by DRAM cycles.
///
///     memory<dram::fr_fcfs> m(memory_numbers::of("gddr5_gtx480:channels=4"));
///     if (m.can_accept(address, false)) m.push(address, false, token);
///     m.tick([](std::uint64_t token, bool write) { ... });
template <dram::scheduler Scheduler, dram::page_policy PagePolicy = dram::open_page>
class memory {
public:
    explicit memory(memory_numbers const& n)
        : numbers_(n),
          map_(n.standard->mapping, 1),
          channel_(n.channels,
                   dram::channel<Scheduler, PagePolicy>(n.timing, n.queues, n.standard->bus, n.answers)),
          shift_(static_cast<unsigned>(std::countr_zero(n.interleave != 0 ? n.interleave : n.block))),
          bits_(static_cast<unsigned>(std::countr_zero(n.channels))) {
        n.check();
        map_.check(n.timing, n.block);
    }
    memory_numbers const& numbers() const noexcept { return numbers_; }
    /// DRAM cycles that have been ticked.
    cycle now() const noexcept { return now_; }
    std::uint32_t channel_of(std::uint64_t address) const noexcept {
        return static_cast<std::uint32_t>(address >> shift_) & ((1U << bits_) - 1);
    }
    bool can_accept(std::uint64_t address, bool write) const noexcept {
        return channel_[channel_of(address)].can_accept(request_for(address, write, 0));
    }
    /// The block that `address` lies in. Precondition: can_accept().
    void push(std::uint64_t address, bool write, std::uint64_t token) noexcept {
        within_ += (address & (numbers_.block - 1)) != 0;
        channel_[channel_of(address)].push(request_for(address, write, token), now_);
    }
    /// Requests so far whose address was not that of a block: each was served as the whole block, so that several to
    /// one block are one place to a controller that merges such. A host that means smaller requests sets `block`.
    std::uint64_t within_blocks() const noexcept { return within_; }
    /// One DRAM cycle. Calls done(token, write) for each request that has ended.
    template <class Done>
    void tick(Done&& done) {
        for (auto& c : channel_) c.tick(now_, [&](dram::request const& r) { done(r.token, r.write); });
        ++now_;
    }
    /// Whether nothing is queued, served or in transfer.
    bool idle() const noexcept {
        for (auto const& c : channel_)
            if (!c.idle()) return false;
        return true;
    }
    dram::channel_counters counters(std::uint32_t channel) const noexcept {
        return channel_[channel].counters(now_);
    }

private:
    dram::request request_for(std::uint64_t address, bool write, std::uint64_t token) const noexcept {
        // Without the bits that tell the channel.
        auto const low = address & ((std::uint64_t{1} << shift_) - 1) & ~std::uint64_t{numbers_.block - 1};
        auto const at = map_.decode((address >> shift_ >> bits_) << shift_ | low);
        dram::request r;
        r.token = token;
        r.row = at.row;
        r.column = at.column;
        r.bank = static_cast<std::uint16_t>(at.bank);
        r.atoms = numbers_.timing.atoms_for(numbers_.block);
        r.write = write;
        return r;
    }

    memory_numbers numbers_;
    dram::address_mapping map_;
    std::vector<dram::channel<Scheduler, PagePolicy>> channel_;
    unsigned shift_;
    unsigned bits_;
    cycle now_ = 0;
    std::uint64_t within_ = 0;
};

} // namespace warpkit::adapters
