#pragma once
/// \file
/// warpkit's DRAM as an IMemorySystem of Ramulator 2. docs/howto/dram_hosts.md has the file that registers it there.

#include <warpkit/adapters/memory.hpp>
#include <warpkit/dram/shared_queue.hpp>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::adapters {

/// What an IMemorySystem of Ramulator 2 does, for a class of the host that is one: Request is the host's. Its callbacks
/// are called in the tick in which requests end; a write's is called, too. Precondition of send: the host's address is
/// in `addr`, its kind in `type_id` (0: read, 1: write).
template <class Request, class Scheduler = dram::shared_queue<dram::oldest_ready>,
          class PagePolicy = dram::open_page>
class ramulator_memory {
public:
    /// Of a text as "hbm2_ramulator:channels=2" (memory_numbers). Throws `error`.
    explicit ramulator_memory(std::string_view text) : memory_(memory_numbers::of(text)) {}

    /// False if there is no room: to be tried again.
    bool send(Request& r) {
        auto const address = static_cast<std::uint64_t>(r.addr);
        bool const write = r.type_id == 1;
        if (!memory_.can_accept(address, write)) return false;
        std::uint32_t place;
        if (free_.empty()) {
            place = static_cast<std::uint32_t>(held_.size());
            held_.emplace_back();
        } else {
            place = free_.back();
            free_.pop_back();
        }
        r.arrive = static_cast<decltype(r.arrive)>(memory_.now());
        held_[place] = r;
        memory_.push(address, write, place);
        return true;
    }
    void tick() {
        memory_.tick([this](std::uint64_t place, bool) {
            auto done = std::move(held_[place]);
            free_.push_back(static_cast<std::uint32_t>(place));
            done.depart = static_cast<decltype(done.depart)>(memory_.now());
            if (done.callback) done.callback(done);
        });
    }
    /// Bytes of a request.
    int get_tx_bytes() const noexcept { return static_cast<int>(memory_.numbers().block); }
    bool idle() const noexcept { return memory_.idle(); }
    memory<Scheduler, PagePolicy> const& inside() const noexcept { return memory_; }

private:
    memory<Scheduler, PagePolicy> memory_;
    std::vector<Request> held_; ///< by token
    std::vector<std::uint32_t> free_;
};

} // namespace warpkit::adapters
