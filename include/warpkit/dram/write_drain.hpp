#pragma once
/// \file
/// When a controller with separate queues serves reads, and when writes.
///
/// Contract: `D(drain_numbers)` makes one; `update(fill)` is told, before a choice, how full the queues are;
/// `serves(write)` is what it decided; `sent(write)` tells that a request left its queue. `update` twice with the same
/// fill is as good as once. Regular values.

#include <warpkit/base/error.hpp>
#include <warpkit/base/parameters.hpp>

#include <cstdint>

namespace warpkit::dram {

/// How full the queues are.
struct queue_fill {
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
    std::uint32_t write_capacity = 0;
    bool idle = false; ///< nothing is on its way to a bank behind these queues
};

/// The numbers of the drains.
struct drain_numbers {
    std::uint32_t low_percent = 20;  ///< watermark_drain: of the queue of writes
    std::uint32_t high_percent = 80; ///< watermark_drain
    std::uint32_t few = 8;           ///< batch_drain: writes
    friend bool operator==(drain_numbers const&, drain_numbers const&) = default;
};

/// Writes from above a high watermark, or without reads, down to below a low one if there are reads.
/// Source: Ramulator 2.1, with 20 and 80 % (docs/model/peers.md#ramulator-controller).
class watermark_drain {
public:
    static constexpr char const* name() noexcept { return "watermark_drain"; }
    constexpr watermark_drain() = default;
    constexpr explicit watermark_drain(drain_numbers const& n) noexcept
        : low_(n.low_percent),
          high_(n.high_percent) {}
    constexpr void update(queue_fill const& f) noexcept {
        if (writing_)
            writing_ = f.writes * 100 >= low_ * f.write_capacity || f.reads == 0;
        else
            writing_ = f.writes * 100 > high_ * f.write_capacity || f.reads == 0;
    }
    constexpr bool serves(bool write) const noexcept { return write == writing_; }
    constexpr void sent(bool) noexcept {}
    constexpr void give_up() noexcept {}
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"low", "per cent of the queue of writes, below which reads go first again", 0, 100},
          self.low_);
        f(parameter{"high", "per cent of the queue of writes, above which writes go first", 0, 100},
          self.high_);
    }
    /// Throws `error` where the low watermark is above the high one.
    void parameters_set() const {
        if (low_ > high_)
            raise_error(error({"watermark_drain low = ", low_, " is above high = ", high_,
                               "; nearest legal value: ", high_}));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(low_, high_, writing_);
    }
    friend bool operator==(watermark_drain const&, watermark_drain const&) = default;

private:
    std::uint32_t low_ = 20;
    std::uint32_t high_ = 80;
    bool writing_ = false;
};

/// As many writes as wait when their queue is full, or above a few when the banks have nothing to do.
/// Source: DRAMsim3, with 8 (docs/model/peers.md#dramsim3-controller).
/// Differs from the source: few writes go, too, when the banks have nothing to do and no read waits (there they stay
/// for ever, since they were answered when they came).
class batch_drain {
public:
    static constexpr char const* name() noexcept { return "batch_drain"; }
    constexpr batch_drain() = default;
    constexpr explicit batch_drain(drain_numbers const& n) noexcept : few_(n.few) {}
    constexpr void update(queue_fill const& f) noexcept {
        if (left_ == 0 && (f.writes >= f.write_capacity || (f.idle && (f.writes > few_ || f.reads == 0))))
            left_ = f.writes;
    }
    constexpr bool serves(bool write) const noexcept { return write == (left_ != 0); }
    constexpr void sent(bool write) noexcept { left_ -= write && left_ != 0; }
    /// A write cannot go on: reads go first again.
    constexpr void give_up() noexcept { left_ = 0; }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"few", "writes that wait while the banks have nothing to do", 0, 65536}, self.few_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(few_, left_);
    }
    friend bool operator==(batch_drain const&, batch_drain const&) = default;

private:
    std::uint32_t few_ = 8;
    std::uint32_t left_ = 0;
};

/// Reads and writes alike.
struct no_drain {
    static constexpr char const* name() noexcept { return "no_drain"; }
    constexpr no_drain() = default;
    constexpr explicit no_drain(drain_numbers const&) noexcept {}
    static constexpr void update(queue_fill const&) noexcept {}
    static constexpr bool serves(bool) noexcept { return true; }
    static constexpr void sent(bool) noexcept {}
    static constexpr void give_up() noexcept {}
    template <class F>
    constexpr void each_member(F&& f) const {
        f();
    }
    friend bool operator==(no_drain const&, no_drain const&) = default;
};

} // namespace warpkit::dram
