#pragma once
/// \file
/// Recorded runs: the events of one core and the decisions of its schedulers, in a compact file.
///
///     using machine = presets::gtx480::with<use::observer<testing::event_recorder>>;
///     policy_values<machine::policies> values;
///     values.observer = testing::event_recorder({.core = 0, .title = "vecadd on gtx480", .scheduler = "gto"});
///     gpu<machine::policies> g(machine::parameters(), values);
///     ... g.cores()[0].observer().log().write("vecadd.log");
///
/// replay.hpp runs any scheduler over the log, without the pipeline. A log holds the code of its kernels (what
/// kernel_began::code shows), but not what a launch is predicted to touch beyond the footprints of its warps.
///
/// The file: "warpklog", the version, the header, the number of records and of their bytes, the records, and a checksum
/// (FNV-1a, 64 bits) of all that. Numbers are LEB128, so that the file is the same on every host. A record is a tag and
/// the fields of its event; cycles are differences to the cycle before, candidates to those before of the same
/// scheduler. The commonest record, one cycle of one scheduler, is one byte.

#include <warpkit/base/error.hpp>
#include <warpkit/base/input_file.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/warp/events.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace warpkit::testing {

/// What a log is of.
struct event_log_header {
    static constexpr unsigned every_core = 0xffff;
    unsigned core = 0;     ///< the core that is recorded; of `every_core`, each one by its own recorder
    std::string title;     ///< free text: kernel and machine
    std::string scheduler; ///< the name of the scheduler that was running
    friend bool operator==(event_log_header const&, event_log_header const&) = default;
};

/// One record. Their order here is their number in the file.
using logged_event =
    std::variant<kernel_began, scheduler_began, kernel_ended, cta_launched, footprint_known, cta_finished,
                 warp_exited, issued, branched, blocked, unblocked, barrier_arrived, barrier_released,
                 l1_accessed, l1_evicted, l1_filled, load_returned, lsu_refused, memory_pressure,
                 instruction_buffered, next_decoded, cycles_spent, decision_made>;

namespace detail {

template <class E, class Variant>
struct is_alternative;
template <class E, class... A>
struct is_alternative<E, std::variant<A...>> : std::bool_constant<(std::is_same_v<E, A> || ...)> {};
/// Everything that a scheduler can hear, and its decisions.
template <class E>
concept loggable = is_alternative<E, logged_event>::value;

template <class E, class... A>
constexpr std::uint8_t tag_in(std::variant<A...> const*) noexcept {
    std::uint8_t tag = 0;
    bool found = false;
    ((found = found || std::is_same_v<E, A>, tag = static_cast<std::uint8_t>(tag + !found)), ...);
    return tag;
}
template <class E>
inline constexpr std::uint8_t tag_of = tag_in<E>(static_cast<logged_event const*>(nullptr));

/// What differences are taken to.
struct log_context {
    static constexpr unsigned schedulers = 64;
    cycle last = 0;
    std::array<cycle, schedulers> spent{}; ///< up to here, by scheduler
    std::array<decision_made, schedulers> decided{};
};

inline constexpr std::uint8_t one_cycle_tag = 0x80; ///< and scheduler * 16 + cause, for schedulers below 8

/// Writes records.
class log_writer {
public:
    void number(std::uint64_t n) {
        for (; n > 0x7f; n >>= 7) bytes.push_back(static_cast<std::uint8_t>(n | 0x80));
        bytes.push_back(static_cast<std::uint8_t>(n));
    }
    void text(std::string const& s) {
        number(s.size());
        bytes.insert(bytes.end(), s.begin(), s.end());
    }
    template <class T>
    void operator()(T const& n, std::uint64_t = ~std::uint64_t{0}) {
        number(static_cast<std::uint64_t>(n));
    }
    template <class Tag>
    void operator()(slot<Tag> const& s) {
        number(s ? s.index() + 1U : 0U);
    }
    template <class T, warpkit::detail::fact_name Name>
    void operator()(told_fact<T, Name> const& n, std::uint64_t = ~std::uint64_t{0}) {
        number(n.get()); // a log is for any policy: it needs every fact
    }
    void operator()(warp_set const& s) {
        for (unsigned i = 0; i < warp_set::words; ++i) number(s.word(i));
    }
    void difference(cycle const& at, cycle from) {
        auto const d = at - from; // zigzag: small differences of either sign are small numbers
        number(at >= from ? d << 1 : ((~d) << 1 | 1));
    }
    void difference(warp_set const& s, warp_set const& from) { (*this)(s ^ from); }

    std::vector<std::uint8_t> bytes;
    friend bool operator==(log_writer const&, log_writer const&) = default;
};

/// Reads records; throws at what cannot be.
class log_reader {
public:
    log_reader(std::uint8_t const* begin, std::uint8_t const* end) : at_(begin), end_(end) {}
    bool done() const noexcept { return at_ == end_; }
    std::uint8_t byte() {
        if (at_ == end_) throw error("it ends in the middle of a record");
        return *at_++;
    }
    std::uint64_t number(std::uint64_t most = ~std::uint64_t{0}) {
        std::uint64_t n = 0;
        for (unsigned shift = 0;; shift += 7) {
            auto const b = byte();
            if (shift == 63 && b > 1) throw error("a number has more than 64 bits");
            n |= std::uint64_t{b & 0x7fU} << shift;
            if (b < 0x80) break;
        }
        if (n > most) throw error("a number is " + std::to_string(n) + ", beyond " + std::to_string(most));
        return n;
    }
    std::string text() {
        auto const size = number();
        if (size > static_cast<std::uint64_t>(end_ - at_)) throw error("it ends in the middle of a text");
        std::string s(at_, at_ + size);
        at_ += size;
        return s;
    }
    template <class T>
    void operator()(T& n, std::uint64_t most = ~std::uint64_t{0}) {
        auto const widest = std::is_enum_v<T> || std::is_same_v<T, bool> || sizeof(T) == 8
                                ? most
                                : (std::uint64_t{1} << (8 * sizeof(T) % 64)) - 1;
        n = static_cast<T>(number(most < widest ? most : widest));
    }
    template <class Tag>
    void operator()(slot<Tag>& s) {
        auto const n = number(warp_set::width);
        s = n == 0 ? slot<Tag>() : slot<Tag>(static_cast<unsigned>(n - 1));
    }
    template <class T, warpkit::detail::fact_name Name>
    void operator()(told_fact<T, Name>& n, std::uint64_t most = ~std::uint64_t{0}) {
        T value{};
        (*this)(value, most);
        n = value;
    }
    void operator()(warp_set& s) {
        s = {};
        for (unsigned i = 0; i < warp_set::words; ++i) s |= warp_set::from_bits(number(), i);
    }
    void difference(cycle& at, cycle from) {
        auto const n = number();
        at = from + ((n & 1) != 0 ? ~(n >> 1) : n >> 1);
    }
    void difference(warp_set& s, warp_set const& from) {
        (*this)(s);
        s ^= from;
    }
    std::uint8_t const* position() const noexcept { return at_; }

private:
    std::uint8_t const* at_;
    std::uint8_t const* end_;
};

// The fields of each record, for both directions.
template <class A, class I>
void log_instruction(A& a, I& i) {
    a(i.kind, op_class_count - 1);
    a(i.space, static_cast<unsigned>(memory_space::generic));
    a(i.access_bytes);
    a(i.destinations, static_instruction::max_destinations);
    a(i.sources, static_instruction::max_sources);
    a(i.guarded, 1);
    a(i.barrier);
    a(i.barrier_warps);
    a(i.barrier_waits, 1);
    a(i.barrier_in_stream, 1);
    a(i.target);
    a(i.jump_table);
    a(i.source_line);
    for (unsigned k = 0; k < i.destinations; ++k) a(i.destination[k]);
    for (unsigned k = 0; k < i.sources; ++k) a(i.source[k]);
}
template <class A, class E>
void log_decision(A& a, E& e, decision_made& before) {
    a.difference(e.candidates, before.candidates);
    a.difference(e.next.loads, before.next.loads);
    a.difference(e.next.stores, before.next.stores);
    a.difference(e.next.atomics, before.next.atomics);
    a(e.pick);
    before = e;
}
template <class A, class E>
void log_cycles(A& a, E& e, cycle& spent) {
    a(e.cause, cycle_cause_count - 1);
    a.difference(e.from, spent);
    a(e.count);
    spent = e.from + e.count;
}
template <class A, class E>
void log_kernel(A& a, E& e) {
    a(e.core);
    a(e.cores);
    a(e.warp_slots, warp_set::width);
    a(e.ctas_per_core);
    a(e.warps_per_cta, warp_set::width);
    a(e.instruction_bytes);
    a(e.l1_lines);
    a(e.schedulers, log_context::schedulers);
}
template <class A, class E>
void log_simple(A& a, E& e) {
    using type = std::remove_const_t<E>;
    if constexpr (requires { e.owned; }) {
        a(e.schedulers, log_context::schedulers);
        a(e.owned);
    }
    if constexpr (requires { e.cta; }) a(e.cta);
    if constexpr (requires { e.linear_id; }) a(e.linear_id);
    if constexpr (requires { e.warp; }) a(e.warp);
    if constexpr (requires { e.warps; }) a(e.warps);
    if constexpr (requires { e.footprint; }) {
        for (auto& r : e.footprint.region) a(r);
        for (auto& t : e.footprint.touched) a(t);
    }
    if constexpr (requires { e.pc; }) a(e.pc);
    if constexpr (requires { e.next_pc; }) a(e.next_pc);
    if constexpr (requires { e.taken; }) a(e.taken, 1);
    if constexpr (requires { e.waits; }) a(e.waits, 1);
    if constexpr (requires { e.line; }) a(e.line);
    if constexpr (std::is_same_v<type, issued>) {
        a(e.kind, static_cast<unsigned>(issue_class::other));
        a(e.active);
    }
    if constexpr (std::is_same_v<type, l1_accessed>) {
        a(e.kind, static_cast<unsigned>(access_kind::atomic));
        a(e.outcome, static_cast<unsigned>(cache_outcome::reservation_fail));
    }
    if constexpr (std::is_same_v<type, l1_evicted>) {
        a(e.owner);
        a(e.by_store, 1);
    }
    if constexpr (std::is_same_v<type, blocked> || std::is_same_v<type, unblocked>)
        a(e.reason, static_cast<unsigned>(block_reason::fence));
    if constexpr (std::is_same_v<type, lsu_refused>)
        a(e.reason, static_cast<unsigned>(refusal::mshr_read_write_pending));
    if constexpr (requires { e.count; }) a(e.count);
    if constexpr (std::is_same_v<type, memory_pressure>) {
        a(e.free_mshrs);
        a(e.mshrs);
        a(e.free_queue);
        a(e.queue);
    }
}
template <class A, class E>
void log_fields(A& a, E& e, log_context& c) {
    using type = std::remove_const_t<E>;
    if constexpr (requires { e.at; }) {
        a.difference(e.at, c.last);
        c.last = e.at;
    }
    if constexpr (requires { e.scheduler; }) a(e.scheduler, log_context::schedulers - 1);
    if constexpr (std::is_same_v<type, decision_made>)
        log_decision(a, e, c.decided[e.scheduler]);
    else if constexpr (std::is_same_v<type, cycles_spent>)
        log_cycles(a, e, c.spent[e.scheduler]);
    else if constexpr (std::is_same_v<type, kernel_began>)
        log_kernel(a, e);
    else
        log_simple(a, e);
}

inline std::uint64_t checksum_of(std::uint8_t const* begin, std::uint8_t const* end) noexcept {
    std::uint64_t h = 0xcbf29ce484222325U;
    for (; begin != end; ++begin) h = (h ^ *begin) * 0x100000001b3U;
    return h;
}

} // namespace detail

/// A recorded run of one core: a value.
class event_log {
public:
    static constexpr unsigned version = 3 + 1000 * (warp_set::words - 1); ///< wider sets, another format

    event_log() = default;
    explicit event_log(event_log_header header) : header_(std::move(header)) {}

    event_log_header const& header() const noexcept { return header_; }
    std::uint64_t records() const noexcept { return records_; }
    /// Bytes of all records.
    std::size_t size() const noexcept { return records_of_.bytes.size(); }

    /// Appends a record.
    template <class E>
    void add(E const& e) {
        ++records_;
        auto& w = records_of_;
        if constexpr (std::is_same_v<E, cycles_spent>)
            if (e.count == 1 && e.scheduler < 8 && e.from == context_.spent[e.scheduler]) {
                w.bytes.push_back(static_cast<std::uint8_t>(detail::one_cycle_tag | e.scheduler << 4 |
                                                            static_cast<unsigned>(e.cause)));
                context_.spent[e.scheduler] = e.from + 1;
                return;
            }
        w.bytes.push_back(detail::tag_of<E>);
        detail::log_fields(w, e, context_);
        if constexpr (std::is_same_v<E, kernel_began>) add_code(e);
    }

    /// The whole log as it stands in a file.
    std::vector<std::uint8_t> to_bytes() const {
        detail::log_writer w;
        for (char const c : magic_) w.bytes.push_back(static_cast<std::uint8_t>(c));
        w.number(version);
        w.number(header_.core);
        w.text(header_.title);
        w.text(header_.scheduler);
        w.number(records_);
        w.number(records_of_.bytes.size());
        w.bytes.insert(w.bytes.end(), records_of_.bytes.begin(), records_of_.bytes.end());
        auto const sum = detail::checksum_of(w.bytes.data(), w.bytes.data() + w.bytes.size());
        for (unsigned i = 0; i < 8; ++i) w.bytes.push_back(static_cast<std::uint8_t>(sum >> 8 * i));
        return std::move(w.bytes);
    }
    /// A log out of a file's content; `name` is for messages. Throws `error` when it is none, of another version,
    /// truncated or corrupt.
    static event_log from_bytes(std::vector<std::uint8_t> const& bytes, std::string const& name) {
        auto const refuse = [&](std::string const& why) {
            return error(name + ": " + why + "; record it anew (lab record)");
        };
        auto const* const begin = bytes.data();
        std::string_view const magic(magic_, sizeof magic_);
        if (bytes.size() < sizeof magic_ ||
            std::string_view(reinterpret_cast<char const*>(begin), sizeof magic_) != magic)
            throw error(name + ": this is no event log: it does not begin with \"" + std::string(magic) +
                        "\"");
        try {
            detail::log_reader r(begin + sizeof magic_, begin + bytes.size());
            auto const its_version = r.number();
            if (its_version != version)
                throw error("it has version " + std::to_string(its_version) +
                            ", this program reads version " + std::to_string(version));
            event_log log;
            log.header_.core = static_cast<unsigned>(r.number(0xffff));
            log.header_.title = r.text();
            log.header_.scheduler = r.text();
            log.records_ = r.number();
            auto const size = r.number();
            auto const left = static_cast<std::uint64_t>(begin + bytes.size() - r.position());
            if (left < 8 || size != left - 8)
                throw error("it is truncated, or something is behind its end: " + std::to_string(size) +
                            " bytes of records and 8 of a checksum are announced, " + std::to_string(left) +
                            " are there");
            auto const* const end = r.position() + size;
            std::uint64_t sum = 0;
            for (unsigned i = 0; i < 8; ++i) sum |= std::uint64_t{end[i]} << 8 * i;
            if (sum != detail::checksum_of(begin, end)) throw error("it is corrupt: its checksum is wrong");
            log.records_of_.bytes.assign(r.position(), end);
            return log;
        } catch (error const& e) {
            throw refuse(e.what());
        }
    }
    /// Throws `error` when the file cannot be written.
    void write(std::string const& path) const {
        auto const bytes = to_bytes();
        write_file(path, {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    }
    /// Throws `error` when the file cannot be read, or as from_bytes does.
    static event_log read(std::string const& path) {
        auto const text = read_file(path, ~std::size_t{0} >> 1);
        return from_bytes({text.begin(), text.end()}, path);
    }

    friend bool operator==(event_log const& a, event_log const& b) {
        return a.header_ == b.header_ && a.records_ == b.records_ && a.records_of_ == b.records_of_;
    }

private:
    friend class event_log_reader;
    static constexpr char magic_[8] = {'w', 'a', 'r', 'p', 'k', 'l', 'o', 'g'};

    /// The kernel's code, which policies read through kernel_began.
    void add_code(kernel_began const& e) {
        auto& w = records_of_;
        w.text(e.program != nullptr ? e.program->name : "");
        w.number(e.program != nullptr ? e.program->registers : 0);
        auto const* const code = e.code.known() ? e.code.get() : nullptr;
        std::uint32_t const instructions = code != nullptr ? e.instructions.get() : 0;
        w.number(instructions);
        for (std::uint32_t i = 0; i < instructions; ++i) detail::log_instruction(w, code[i]);
        w.number(e.program != nullptr ? e.program->jump_tables.size() : 0);
        if (e.program == nullptr) return;
        for (auto const& table : e.program->jump_tables) {
            w.number(table.size());
            for (auto const target : table) w.number(target);
        }
    }

    event_log_header header_;
    std::uint64_t records_ = 0;
    detail::log_writer records_of_;
    detail::log_context context_;
};

/// Goes through a log, which must stay where it is.
class event_log_reader {
public:
    explicit event_log_reader(event_log const& log)
        : reader_(log.records_of_.bytes.data(), log.records_of_.bytes.data() + log.size()),
          title_(log.header().title) {}

    /// The next record, or null at the end; valid until the next call. Throws `error` on one that cannot be.
    logged_event const* next() {
        if (reader_.done()) return nullptr;
        ++number_;
        try {
            read(reader_.byte());
        } catch (error const& e) {
            throw error("event log \"" + title_ + "\", record " + std::to_string(number_) + ": " + e.what());
        }
        return &event_;
    }
    /// Of the last record, counted from 1.
    std::uint64_t number() const noexcept { return number_; }
    /// The kernel that is running.
    std::string const& kernel() const noexcept { return program_->name; }

private:
    void read(std::uint8_t tag) {
        if (tag >= detail::one_cycle_tag) {
            cycles_spent e;
            e.scheduler = tag >> 4 & 7U;
            if ((tag & 15U) >= cycle_cause_count) throw error("a cause is " + std::to_string(tag & 15U));
            e.cause = static_cast<cycle_cause>(tag & 15U);
            e.from = context_.spent[e.scheduler]++;
            event_ = e;
        } else if (!read_one_of(tag, std::make_index_sequence<std::variant_size_v<logged_event>>())) {
            throw error("there is no event with number " + std::to_string(tag));
        }
    }
    template <std::size_t... I>
    bool read_one_of(std::uint8_t tag, std::index_sequence<I...>) {
        return ((tag == I ? (read_event<std::variant_alternative_t<I, logged_event>>(), true) : false) ||
                ...);
    }
    template <class E>
    void read_event() {
        E e;
        detail::log_fields(reader_, e, context_);
        if constexpr (std::is_same_v<E, kernel_began>) read_code(e);
        event_ = e;
    }
    void read_code(kernel_began& e) {
        auto p = std::make_unique<static_program>();
        p->name = reader_.text();
        p->instruction_bytes = e.instruction_bytes;
        reader_(p->registers);
        p->instructions.resize(reader_.number(1U << 24));
        for (auto& i : p->instructions) detail::log_instruction(reader_, i);
        p->jump_tables.resize(reader_.number(1U << 16));
        for (auto& table : p->jump_tables) {
            table.resize(reader_.number(1U << 24));
            for (auto& target : table) reader_(target);
        }
        program_ = std::move(p);
        e.program = program_.get();
        e.code = program_->instructions.data();
        e.instructions = static_cast<std::uint32_t>(program_->instructions.size());
    }

    detail::log_reader reader_;
    std::string title_;
    detail::log_context context_;
    std::unique_ptr<static_program> program_ = std::make_unique<static_program>();
    logged_event event_;
    std::uint64_t number_ = 0;
};

/// Observes one core of a machine: see the top of this file. One that is given no header records nothing.
class event_recorder {
public:
    static constexpr bool forwards_events = true;

    event_recorder() = default;
    explicit event_recorder(event_log_header header) : wanted_(true), log_(std::move(header)) {}

    template <detail::loggable E>
    void on(E const& e) {
        if constexpr (std::is_same_v<E, kernel_began>)
            mine_ = wanted_ &&
                    (log_.header().core == event_log_header::every_core || e.core == log_.header().core);
        if (mine_) log_.add(e);
    }
    template <class E>
    bool listens() const noexcept {
        return mine_ && detail::loggable<E>;
    }
    event_log const& log() const noexcept { return log_; }

    friend bool operator==(event_recorder const&, event_recorder const&) = default;

private:
    bool wanted_ = false;
    bool mine_ = false;
    event_log log_;
};

} // namespace warpkit::testing
