#pragma once
/// \file
/// Where the timelines of a machine's parts come together, as text in the trace-event format, and what they have to
/// tell each other: how far each line is that a core waits for.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text_buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpkit::report {

/// What of a run is drawn.
struct timeline_options {
    cycle from = 0;   ///< core cycles, counted on from kernel to kernel
    cycle to = never; ///< the one behind the last
    /// Of the cores these, and of the memory partitions those; all if neither are named.
    std::vector<unsigned> cores = {};
    std::vector<unsigned> channels = {};
    cycle sampling = 100; ///< core cycles between two values of a counter's track
};

namespace detail {

/// How a line comes to the core that has missed it: core cycles, as far as it has got. A line may be asked for in
/// several packets or be served in several parts; then it is as far as the last of them.
struct line_way {
    cycle sent = never;    ///< by the core
    cycle ready = never;   ///< through the network and the ROP, in the queue of the L2
    cycle served = never;  ///< by the L2, the first part of it
    cycle through = never; ///< the last part of it
    cycle read = never;    ///< from the DRAM's row
    cycle filled = never;  ///< in the L2, if that had to ask the DRAM
    cycle came = never;    ///< to the L1
    std::uint32_t slice = 0;
    std::uint32_t row = 0;
    std::uint16_t bank = 0;
    bool row_opened = false;                    ///< for it or for another, while it was at the DRAM
    cache_outcome outcome = cache_outcome::hit; ///< in the L2; of several parts one that did not hit
};

/// Those under way, by core and line, and by the sectors that the DRAM is asked for. Some for each MSHR, whatever the
/// run.
class line_ways {
public:
    using way = std::shared_ptr<line_way>;

    /// Bytes of a line of the L1 data cache, a power of two, and of a sector of the L2.
    void set(std::uint32_t l1_line, std::uint32_t l2_sector) noexcept {
        line_ = l1_line;
        sector_ = l2_sector;
    }
    /// A core has missed a line; of one that it waits for already it is the same.
    way missed(unsigned core, std::uint64_t line) {
        auto& w = lines_[key(core, line)];
        if (!w || w->came != never) w = std::make_shared<line_way>();
        return w;
    }
    /// Whether any core waits for a line.
    bool any() const noexcept { return !lines_.empty(); }
    /// That of the line at an address, if a core waits for it.
    way of(unsigned core, std::uint64_t address) const {
        if (lines_.empty()) return {};
        auto const found = lines_.find(key(core, address));
        return found == lines_.end() || found->second->came != never ? way() : found->second;
    }
    /// The load that held one has been drawn.
    void drop(unsigned core, std::uint64_t line, way& w) {
        auto const found = lines_.find(key(core, line));
        if (found != lines_.end() && found->second == w && w.use_count() == 2) lines_.erase(found);
        w.reset();
    }
    /// The DRAM is asked for the sector at this address on behalf of a line.
    void asks_dram(std::uint64_t address, way const& w) { sectors_.emplace(address / sector_, w); }
    /// Calls f(line_way&) for those that wait for the sector at this address.
    template <class F>
    void each_at(std::uint64_t address, F&& f) const {
        if (sectors_.empty()) return;
        auto const all = sectors_.equal_range(address / sector_);
        for (auto i = all.first; i != all.second; ++i) f(*i->second);
    }
    /// Whether any line waits for the DRAM.
    bool any_at_dram() const noexcept { return !sectors_.empty(); }
    void come_from_dram(std::uint64_t address) {
        if (!sectors_.empty()) sectors_.erase(address / sector_);
    }
    std::size_t size() const noexcept { return lines_.size() + sectors_.size(); }

private:
    std::uint64_t key(unsigned core, std::uint64_t address) const noexcept {
        return address / line_ << 16 | core;
    }
    std::uint64_t line_ = 128;
    std::uint64_t sector_ = 32;
    std::unordered_map<std::uint64_t, way> lines_;
    std::unordered_multimap<std::uint64_t, way> sectors_;
};

} // namespace detail

/// Where the timelines of a machine's cores come together. Hands its text on piece by piece: what is kept in memory
/// does not grow with the run. Cores may be in several threads; in one, the same run makes the same text.
class timeline_file {
public:
    using sink = std::function<void(std::string_view)>;
    /// Throws `error` where there is nothing to draw, and what `write` throws.
    timeline_file(timeline_options options, sink write)
        : options_(std::move(options)),
          write_(std::move(write)) {
        if (options_.from >= options_.to)
            throw error("a timeline from cycle " + std::to_string(options_.from) + " to cycle " +
                        std::to_string(options_.to) + " has no cycle in it");
        if (options_.sampling == 0) throw error("a timeline has at least one cycle between two values");
        std::string head =
            "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"unit\": \"a microsecond here is a cycle "
            "of the core clock\", \"from\": ";
        head += std::to_string(options_.from);
        if (options_.to != never) head += ", \"to\": " + std::to_string(options_.to);
        write_(head + "}, \"traceEvents\": [");
    }
    timeline_options const& options() const noexcept { return options_; }
    bool wants(unsigned core) const noexcept { return is_in(options_.cores, core); }
    bool wants_channel(unsigned channel) const noexcept { return is_in(options_.channels, channel); }
    /// The lines that cores wait for. Of those that listen in one thread.
    detail::line_ways& ways() noexcept { return ways_; }
    /// What finish() calls first, with the core cycle that it is given: for what is drawn once its end is known.
    void at_end(std::function<void(cycle)> f) { at_end_.push_back(std::move(f)); }
    /// Events, each behind a line end and separated by commas. What goes wrong with writing is thrown by finish(): a
    /// machine in the middle of a cycle could not go on.
    void append(std::string_view events) {
        std::lock_guard const lock(mutex_);
        if (events.empty() || !problem_.empty()) return;
        try {
            if (std::exchange(any_, true)) write_(",");
            write_(events);
        } catch (std::exception const& e) {
            problem_ = e.what();
        }
    }
    /// The run has ended, before this core cycle: what still goes on then is drawn up to it, or, without one, up to the
    /// last that was heard of it. Throws `error` with what went wrong, if anything did.
    void finish(cycle end = 0) {
        for (auto const& f : at_end_) f(end);
        at_end_.clear();
        if (!problem_.empty()) throw error(problem_);
        write_("\n]}\n");
    }

private:
    bool is_in(std::vector<unsigned> const& named, unsigned number) const noexcept {
        return (options_.cores.empty() && options_.channels.empty()) ||
               std::find(named.begin(), named.end(), number) != named.end();
    }

    timeline_options options_;
    detail::line_ways ways_;
    std::vector<std::function<void(cycle)>> at_end_;
    sink write_;
    std::mutex mutex_;
    bool any_ = false;
    std::string problem_;
};

namespace detail {

/// What an event of a timeline says of itself: a number, or a word that stands for itself in JSON. Without a name it
/// says nothing.
struct timeline_argument {
    char const* name = nullptr;
    std::uint64_t number = 0;
    char const* word = nullptr;
};
using timeline_arguments = std::initializer_list<timeline_argument>;

/// The events of one process of the timeline as text: of a core, by its number, or of another part of the machine.
class timeline_events {
public:
    timeline_events(timeline_file& file, unsigned process)
        : file_(&file),
          from_(file.options().from),
          to_(file.options().to),
          process_(std::to_string(process)),
          thread_("\", \"pid\": " + process_ + ", \"tid\": ") {}

    /// Whether any of [begin, end) is drawn, which is cut to that.
    bool visible(cycle& begin, cycle& end) const noexcept {
        if (begin < from_) begin = from_;
        if (end > to_) end = to_;
        return begin < end;
    }
    bool visible(cycle at) const noexcept { return at >= from_ && at < to_; }
    /// Names and categories stand for themselves in JSON.
    void slice(unsigned thread, std::string_view category, std::string_view name, cycle begin, cycle end,
               timeline_arguments args = {}) {
        if (!visible(begin, end)) return;
        open('X', thread, category, name);
        text_ << begin << ", \"dur\": " << end - begin;
        close(args);
    }
    /// The same in thousandths of a cycle, for parts on another clock.
    void slice_in_thousandths(unsigned thread, std::string_view category, std::string_view name,
                              std::uint64_t begin, std::uint64_t end, timeline_arguments args = {}) {
        if (begin < from_ * 1000) begin = from_ * 1000;
        if (to_ < never / 1000 && end > to_ * 1000) end = to_ * 1000;
        if (begin >= end) return;
        open('X', thread, category, name);
        thousandths(begin);
        text_ << ", \"dur\": ";
        thousandths(end - begin);
        close(args);
    }
    /// What goes on beside the threads, as one of a category and with an id: it begins ('b'), ends ('e'), or something
    /// happens to it ('n'). `part`: of what has an id itself; 0 for none.
    void asynchronous(char phase, std::string_view category, unsigned thread, std::uint64_t id, unsigned part,
                      std::string_view name, cycle at, timeline_arguments args = {}) {
        open(phase, thread, category, name);
        text_ << at << ", \"id\": \"" << process_ << "." << id;
        if (part != 0) text_ << "." << part;
        text_ << "\"";
        close(args);
    }
    void counter(std::string_view name, std::string_view series, std::string_view value, cycle at) {
        if (!visible(at)) return;
        open('C', 0, "counter", name);
        text_ << at << ", \"args\": {\"" << series << "\": " << value << "}}";
        pass_on();
    }
    void name(std::string_view what, unsigned thread, std::string_view name) {
        begin('M', thread);
        text_ << ", \"name\": \"" << what << "\", \"args\": {\"name\": " << json_quoted(name) << "}}";
        pass_on();
    }
    void sort(std::string_view what, unsigned thread, unsigned index) {
        begin('M', thread);
        text_ << ", \"name\": \"" << what << "\", \"args\": {\"sort_index\": " << index << "}}";
        pass_on();
    }
    void flush() {
        file_->append(text_.text());
        text_.clear();
    }

private:
    static constexpr std::size_t most_ = std::size_t{1} << 15;

    void begin(char phase, unsigned thread) {
        if (text_.size() != 0) text_ << ",";
        text_ << "\n{\"ph\": \"" << phase << thread_ << thread;
    }
    void open(char phase, unsigned thread, std::string_view category, std::string_view name) {
        begin(phase, thread);
        text_ << ", \"cat\": \"" << category << "\", \"name\": \"" << name << "\", \"ts\": ";
    }
    void close(timeline_arguments args) {
        bool any = false;
        for (auto const& a : args) {
            if (a.name == nullptr) continue;
            if (std::exchange(any, true))
                text_ << ", \"";
            else
                text_ << ", \"args\": {\"";
            text_ << std::string_view(a.name) << "\": ";
            if (a.word != nullptr)
                text_ << "\"" << std::string_view(a.word) << "\"";
            else
                text_ << a.number;
        }
        if (any)
            text_ << "}}";
        else
            text_ << "}";
        pass_on();
    }
    void thousandths(std::uint64_t n) {
        text_ << n / 1000;
        auto const rest = static_cast<unsigned>(n % 1000);
        if (rest == 0) return;
        char const digits[] = {'.', static_cast<char>('0' + rest / 100),
                               static_cast<char>('0' + rest / 10 % 10), static_cast<char>('0' + rest % 10)};
        text_ << std::string_view(digits, 4);
    }
    void pass_on() {
        if (text_.size() >= most_) flush();
    }

    timeline_file* file_;
    cycle from_;
    cycle to_;
    std::string process_;
    std::string thread_; ///< what stands between the phase and the thread
    text_buffer text_;
};

} // namespace detail

} // namespace warpkit::report
