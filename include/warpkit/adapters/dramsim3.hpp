#pragma once
/// \file
/// warpkit's DRAM with the interface of DRAMsim3's MemorySystem, so that its hosts (gem5, SST, its own driver) take it
/// for that. docs/howto/dram_hosts.md has the lines that put it there.

#include <warpkit/adapters/memory.hpp>
#include <warpkit/dram/bank_queues.hpp>

#include <cstdint>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::adapters {

/// What DRAMsim3's hosts call. The configuration is a text, as "hbm2_dramsim3:channels=8:clock_ps=1000"
/// (memory_numbers), where DRAMsim3 has the name of a file. Requests are told as ended by their addresses, each in the
/// call of ClockTick in which it does.
/// Differs from DRAMsim3: statistics go to standard output alone, as a table; output_dir is not looked at.
template <class Scheduler = dram::bank_queues<>, class PagePolicy = dram::open_page>
class dramsim3_memory_system {
public:
    using callback = std::function<void(std::uint64_t)>;

    /// Throws `error`, naming what is wrong with the text.
    dramsim3_memory_system(std::string const& configuration, std::string const&, callback read,
                           callback write)
        : settings_(settings::of(configuration)),
          memory_(settings_.memory),
          read_(std::move(read)),
          write_(std::move(write)) {}

    void ClockTick() {
        memory_.tick([this](std::uint64_t address, bool write) { (write ? write_ : read_)(address); });
    }
    void RegisterCallbacks(callback read, callback write) {
        read_ = std::move(read);
        write_ = std::move(write);
    }
    /// Nanoseconds per DRAM cycle.
    double GetTCK() const { return settings_.clock_ps / 1000.0; }
    int GetBusBits() const { return static_cast<int>(timing().bus_bytes * 8); }
    int GetBurstLength() const { return static_cast<int>(timing().burst_length); }
    int GetQueueSize() const { return static_cast<int>(settings_.memory.queues.reads); }
    bool WillAcceptTransaction(std::uint64_t address, bool is_write) const {
        return memory_.can_accept(address, is_write);
    }
    bool AddTransaction(std::uint64_t address, bool is_write) {
        if (!memory_.can_accept(address, is_write)) return false;
        memory_.push(address, is_write, address);
        return true;
    }
    void PrintStats() const {
        std::cout << std::setw(8) << "channel" << std::setw(14) << "cycles" << std::setw(14) << "reads"
                  << std::setw(14) << "writes" << std::setw(14) << "activates" << std::setw(14)
                  << "row hits\n";
        for (std::uint32_t i = 0; i != settings_.memory.channels; ++i) {
            auto const c = memory_.counters(i);
            auto const was = i < before_.size() ? before_[i] : dram::channel_counters{};
            std::cout << std::setw(8) << i << std::setw(14) << memory_.now() - since_ << std::setw(14)
                      << c.reads - was.reads << std::setw(14) << c.writes - was.writes << std::setw(14)
                      << c.activates - was.activates << std::setw(13) << c.row_hits - was.row_hits << '\n';
        }
        if (memory_.within_blocks() != 0)
            std::cout << memory_.within_blocks() << " requests had addresses within a block of "
                      << settings_.memory.block
                      << " bytes, and were served as that block; block=<bytes> says how much a request is\n";
    }
    /// They count from now on.
    void ResetStats() {
        before_.clear();
        for (std::uint32_t i = 0; i != settings_.memory.channels; ++i) before_.push_back(memory_.counters(i));
        since_ = memory_.now();
    }

    memory<Scheduler, PagePolicy> const& inside() const noexcept { return memory_; }

private:
    struct settings {
        memory_numbers memory;
        std::uint32_t clock_ps = 1000;
        static settings of(std::string const& text) {
            settings s;
            auto const at = text.find(":clock_ps=");
            auto rest = text;
            if (at != text.npos) {
                auto const end = text.find(':', at + 1);
                auto const value = text.substr(at + 10, end == text.npos ? end : end - at - 10);
                s.clock_ps = static_cast<std::uint32_t>(parse_number(value, "", "clock_ps"));
                rest = text.substr(0, at) + (end == text.npos ? "" : text.substr(end));
            }
            s.memory = memory_numbers::of(rest);
            return s;
        }
    };
    dram::timing const& timing() const noexcept { return settings_.memory.timing; }

    settings settings_;
    memory<Scheduler, PagePolicy> memory_;
    callback read_;
    callback write_;
    std::vector<dram::channel_counters> before_;
    cycle since_ = 0;
};

} // namespace warpkit::adapters
