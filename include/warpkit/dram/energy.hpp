#pragma once
/// \file
/// The energy of a DRAM channel by the commands that it sends and the currents that data sheets give.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstdint>

namespace warpkit::dram {

/// The currents of one device, as data sheets name them, and how many devices a rank has.
struct device_currents {
    char const* standard;    ///< the timing set that they belong to (standards.hpp)
    double clock_ns;         ///< one cycle of the timing set
    double volts;            ///< VDD
    double idd0;             ///< mA: activates and precharges tRC apart
    double idd2n;            ///< mA: all banks closed
    double idd3n;            ///< mA: some bank open
    double idd4r;            ///< mA: reads in a row
    double idd4w;            ///< mA: writes in a row
    double idd5ab;           ///< mA: in tRFC
    double idd5pb;           ///< mA: in tRFCpb; 0: not published
    std::uint32_t of_a_rank; ///< devices that work together
    char const* source;
};

/// Those that are published in one place with a timing set.
inline constexpr device_currents published_currents[] = {
    {"ddr3_dramsim3", 1.25, 1.35, 67, 36, 51, 125, 125, 245, 0, 8, "documented: DRAMsim3 DDR3_8Gb_x8_1600"},
    {"ddr4_dramsim3", 0.63, 1.2, 57, 37, 52, 168, 150, 250, 0, 8, "documented: DRAMsim3 DDR4_8Gb_x8_3200"},
    {"lpddr4_dramsim3", 0.83, 1.2, 80, 34, 47, 243, 228, 280, 0, 4,
     "documented: DRAMsim3 LPDDR4_8Gb_x16_2400"},
    {"gddr5_dramsim3", 0.667, 1.5, 71, 60, 61, 248, 231, 286, 45, 4, "documented: DRAMsim3 GDDR5_8Gb_x32"},
    {"gddr5x_dramsim3", 0.666, 1.35, 500, 260, 480, 2160, 2320, 600, 60, 4,
     "documented: DRAMsim3 GDDR5X_8Gb_x32"},
    {"gddr6_dramsim3", 0.66, 1.35, 71, 60, 61, 248, 231, 286, 45, 8, "documented: DRAMsim3 GDDR6_8Gb_x16"},
    {"hbm2_dramsim3", 1, 1.2, 65, 40, 55, 390, 500, 250, 0, 1, "documented: DRAMsim3 HBM2_8Gb_x128"},
};

/// Picojoules, by what takes them.
struct channel_energy {
    double activates = 0; ///< with their precharges
    double reads = 0;
    double writes = 0;
    double refreshes = 0; ///< of ranks and banks, managed and of victims too
    double standing = 0;  ///< open and closed banks that wait

    double total() const noexcept { return activates + reads + writes + refreshes + standing; }
};

/// Hears the commands of a channel (a listener of channel::tick) and counts what takes energy. A rank stands by with
/// IDD3N while one of its banks is open, with IDD2N otherwise; power-down and self refresh are not modelled.
/// Source: Micron TN-40-07, Calculating Memory Power for DDR4 SDRAM, 2017; DRAMsim3's configuration.cc has the same
/// sums.
/// Differs from them: the refresh of a row's victims counts as one activate, and the pins' energy (termination) is left
/// out, which the currents do not hold.
class energy_counter {
public:
    energy_counter() = default;
    explicit energy_counter(timing const& t) : table_((t.check(), t)), open_(t.banks), ranks_(t.all_ranks()) {
        for (auto& o : open_) o = 0;
        for (auto& r : ranks_) r = {};
    }

    void on(command const& c) noexcept {
        switch (c.kind) {
        case command_kind::activate:
            ++activates_;
            open(c);
            break;
        case command_kind::read:
            ++reads_;
            break;
        case command_kind::write:
            ++writes_;
            break;
        case command_kind::precharge:
            close(c.bank, c.at);
            break;
        case command_kind::precharge_all:
            for (std::uint32_t b = 0; b < table_.banks; ++b)
                if (table_.rank_of(b) == table_.rank_of(c.bank)) close(b, c.at);
            break;
        case command_kind::refresh:
            refreshing_ += table_.rfc;
            break;
        case command_kind::refresh_management:
            refreshing_ += table_.rfm;
            break;
        case command_kind::refresh_bank:
            ++banks_refreshed_;
            break;
        case command_kind::refresh_same_bank:
            banks_refreshed_ += table_.bank_groups;
            break;
        case command_kind::refresh_victims:
            ++activates_;
            break;
        }
        if (c.auto_precharge)
            close(c.bank, c.at +
                              (c.kind == command_kind::read ? table_.read_auto_to_activate()
                                                            : table_.write_auto_to_activate()) -
                              table_.rp);
    }
    /// In the cycles before `now`, none of which is still to be told.
    channel_energy energy(device_currents const& i, cycle now) const noexcept {
        auto const& t = table_;
        auto const unit = i.volts * i.clock_ns * i.of_a_rank; // V x mA x ns = pJ
        channel_energy e;
        e.activates =
            static_cast<double>(activates_) * unit * (i.idd0 * t.rc - (i.idd3n * t.ras + i.idd2n * t.rp));
        e.reads = static_cast<double>(reads_) * unit * (i.idd4r - i.idd3n) * t.burst_cycles();
        e.writes = static_cast<double>(writes_) * unit * (i.idd4w - i.idd3n) * t.burst_cycles();
        e.refreshes = unit * (static_cast<double>(refreshing_) * (i.idd5ab - i.idd3n));
        if (i.idd5pb != 0)
            e.refreshes += static_cast<double>(banks_refreshed_) * unit * (i.idd5pb - i.idd3n) * t.rfcpb;
        for (auto const& r : ranks_) {
            auto const open = open_cycles(r, now);
            e.standing +=
                unit * (i.idd3n * static_cast<double>(open) + i.idd2n * static_cast<double>(now - open));
        }
        return e;
    }
    std::uint64_t activates() const noexcept { return activates_; }
    /// Cycles before `now` in which some bank of the rank was open.
    cycle open_cycles(std::uint32_t rank, cycle now) const noexcept { return open_cycles(ranks_[rank], now); }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(table_, open_, ranks_, activates_, reads_, writes_, refreshing_, banks_refreshed_);
    }
    friend bool operator==(energy_counter const&, energy_counter const&) = default;

private:
    struct rank_state {
        std::uint32_t open = 0; ///< banks
        cycle since = 0;        ///< the first of them was opened
        cycle closed = 0;       ///< the last of them was, and earlier cycles are counted
        cycle was_open = 0;     ///< cycles counted
        template <class F>
        constexpr void each_member(F&& f) const {
            f(open, since, closed, was_open);
        }
        friend bool operator==(rank_state const&, rank_state const&) = default;
    };
    static cycle open_cycles(rank_state const& r, cycle now) noexcept {
        return r.was_open + (r.open != 0 && now > r.since ? now - r.since : 0);
    }
    void open(command const& c) noexcept {
        auto& r = ranks_[table_.rank_of(c.bank)];
        open_[c.bank] = 1;
        if (r.open++ == 0)
            r.since = c.at > r.closed ? c.at : r.closed; // a row may close by itself behind this
    }
    void close(std::uint32_t bank, cycle at) noexcept {
        auto& r = ranks_[table_.rank_of(bank)];
        if (open_[bank] == 0) return;
        open_[bank] = 0;
        if (at > r.closed) r.closed = at;
        if (--r.open == 0) r.was_open += r.closed > r.since ? r.closed - r.since : 0;
    }

    timing table_;
    heap_array<std::uint8_t> open_; ///< by bank
    heap_array<rank_state> ranks_;
    std::uint64_t activates_ = 0;
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
    cycle refreshing_ = 0;
    std::uint64_t banks_refreshed_ = 0;
};

} // namespace warpkit::dram
