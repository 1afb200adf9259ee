#pragma once
/// \file
/// The load/store unit of a core (docs/model/load_store.md#cycle): coalescing, shared-memory conflicts, the L1 data
/// cache behind its delay pipe, and what is under way.
///
/// In the reference: `load_store_unit` (reference/load_store_unit.hpp), whose `tick` is `step` here.

#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/gpu/core/cluster_inbox.hpp>
#include <warpkit/gpu/core/core_tlb.hpp>
#include <warpkit/gpu/core/hosts.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/l1_bank_pipes.hpp>
#include <warpkit/gpu/core/lsu_intake.hpp>
#include <warpkit/gpu/core/memory_operations.hpp>
#include <warpkit/lsu/l1_banks.hpp>
#include <warpkit/lsu/no_data_prefetch.hpp>
#include <warpkit/lsu/no_replay.hpp>
#include <warpkit/lsu/replay_policy.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/data_prefetch_queue.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/machine/policy_parameters.hpp>
#include <warpkit/machine/read_only_caches.hpp>
#include <warpkit/machine/replay_stage.hpp>
#include <warpkit/machine/writeback_port.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace warpkit {

/// One instruction at a time, one transaction a cycle, or one into each bank of the L1. A refused access holds up all
/// behind it (head of line), unless there is a replay queue for it. An instruction whose lanes look into several memory
/// spaces is an access for each, one behind the other (generic_spaces), and has its result when all have theirs.
template <class Coalescer, class DataCache, class ReplayQueue = no_replay,
          class ConstantCache = usual_constant_cache, class TextureCache = usual_texture_cache,
          class DataPrefetch = no_data_prefetch>
class load_store_unit {
    using pending = queued_access;
    using in_pipe = piped_transaction;
    using lane = transaction_lane;
    /// That waits for its page, or has it.
    struct translated {
        lane to = lane::none;
        in_pipe what;
        friend bool operator==(translated const&, translated const&) = default;
    };
    using client = writeback_port::client;

public:
    load_store_unit() = default;
    /// That of core number `core`.
    [[gnu::cold]] explicit load_store_unit(gpu_parameters const& p, ReplayQueue const& replay = {},
                                           Coalescer const& coalescer = {}, DataPrefetch const& prefetch = {},
                                           unsigned core = 0)
        : numbers_(p.lsu),
          writeback_(p.core.writeback_cycles),
          latency_(p.lsu.l1_latency + p.lsu.writeback_port),
          instruction_bytes_(p.core.instruction_bytes),
          enabled_(p.l1d.size != 0),
          line_(p.l1d.line),
          cache_(make_cache<DataCache>("l1d", p.l1d, p.l1d_variant, p.policy_parameters)),
          read_only_(p.l1c.size == 0 ? ConstantCache()
                                     : make_cache<ConstantCache>("l1c", p.l1c, {}, p.policy_parameters),
                     p.l1t.size == 0 ? TextureCache()
                                     : make_cache<TextureCache>("l1t", p.l1t, {}, p.policy_parameters)),
          intake_(p, {p, cache_.fetches_on_store(), coalescer, core, !replay.queues()}),
          pipe_(p.lsu.l1_latency),
          banks_(p),
          uncached_(p.l1d.miss_queue),
          replay_(replay),
          ahead_(prefetch, p),
          in_order_(p.lsu.l1_banks <= 1 && !replay_.in_use() && p.tlb.l1_entries == 0),
          tlb_(p.tlb),
          bandwidth_(p.cluster.bandwidth) {
        check_l1_banks(p.lsu.l1_banks, replay_.in_use());
    }

    DataCache const& cache() const noexcept { return cache_; }
    ConstantCache const& constants() const noexcept { return read_only_.constants(); }
    TextureCache const& textures() const noexcept { return read_only_.textures(); }
    bool can_accept() const noexcept { return !intake_.full(); }
    /// Room behind the L1, in the L1's own terms; without an L1, in those of the queue that takes its place.
    memory_pressure pressure() const noexcept {
        auto const narrow = [](std::size_t n) { return static_cast<std::uint16_t>(n); };
        memory_pressure p;
        if (!enabled_) {
            p.queue = narrow(uncached_.capacity());
            p.free_queue = narrow(uncached_.capacity() - uncached_.size());
            return p;
        }
        auto const& numbers = cache_.parameters();
        p.mshrs = narrow(numbers.mshr_entries);
        p.free_mshrs = narrow(numbers.mshr_entries - cache_.outstanding());
        p.queue = narrow(numbers.miss_queue);
        // A cache that allocates on fill may queue write-backs beyond its length.
        p.free_queue =
            narrow(cache_.requests() < numbers.miss_queue ? numbers.miss_queue - cache_.requests() : 0);
        return p;
    }
    std::uint64_t transactions() const noexcept { return intake_.transactions(); }
    std::uint64_t bank_conflict_cycles() const noexcept { return intake_.bank_conflict_cycles(); }
    /// Transactions that went through the replay queue, and loads that it sent past the L1.
    std::uint64_t replays() const noexcept { return replay_.replays(); }
    std::uint64_t bypasses() const noexcept { return bypasses_; }

    /// A kernel of which a core holds so many CTAs at most begins; with clusters or without.
    void begin_kernel(std::uint32_t ctas, std::uint32_t warps_per_cta, bool clusters = false) noexcept {
        intake_.begin_kernel(ctas, warps_per_cta, clusters);
    }
    /// Takes over an instruction that was issued at `now`; precondition: can_accept().
    template <memory_host Host>
    void issue(cycle now, warp_slot w, std::uint32_t instruction, decoded_instruction const& d,
               stream_cursor const& at, warp_stream const& s, Host& host) {
        bool const in_front = intake_.empty();
        intake_.enqueue(now, w, instruction, d, at, s, operations_, host, [&](pending const& q) {
            if constexpr (reads_ahead_) see(now, q);
        });
        if constexpr (reads_ahead_)
            if (asks_ahead() && due_ > now) due_ = now + 1;
        if (in_front && due_ > intake_.front().ready) due_ = after(now, intake_.front().ready);
    }

    /// The same behind operand collectors, where it waits under its number until the unit, when it has done with the
    /// last one, takes it.
    template <memory_host Host>
    [[gnu::noinline]] void issue_aside(cycle now, std::uint64_t number, warp_slot w,
                                       std::uint32_t instruction, decoded_instruction const& d,
                                       stream_cursor const& at, warp_stream const& s, Host& host) {
        auto const parts = intake_.parts();
        intake_.enqueue(now, w, instruction, d, at, s, operations_, host, [&](pending const& q) {
            if constexpr (reads_ahead_) see(now, q);
        });
        if constexpr (reads_ahead_)
            if (asks_ahead() && due_ > now) due_ = now + 1;
        intake_.put_aside(number, parts);
    }
    /// From when on it can take one; `never` if that depends on what it does before.
    cycle room_from() const noexcept { return intake_.empty() ? busy_until_ : never; }
    void take(cycle now, std::uint64_t number) {
        intake_.take(now, number);
        if (due_ > now) due_ = now;
    }

private:
    /// Shows the prefetcher a load.
    [[gnu::noinline]] void see(cycle now, pending const& q) {
        cache_access a;
        describe(q, q.transactions[0], a);
        ahead_.seen(a, q.transactions, now, cache_.counters());
    }
    /// Whether a prefetch may have the port of the L1 when nobody else wants it.
    bool asks_ahead() const noexcept {
        return !ahead_.empty() && !(banks_.in_use() ? banks_.any_refused() : refused_);
    }
    /// Nobody wants the port of the L1 in this cycle.
    template <class Host>
    [[gnu::noinline]] void read_ahead(Host& host) {
        auto const a = ahead_.take();
        if (tlb_.in_use() && !tlb_.has(a.address)) return;
        auto const found = cache_.probe(a);
        if (found != cache_outcome::miss && found != cache_outcome::sector_miss) return;
        auto const answer = cache_.access(a);
        if (answer.answer == cache_answer::refused) return;
        tell_departed(answer.departed, host);
        ahead_.issued(a);
    }
    /// Something that step() waits for has happened in cycle `now`, after it, or with a write-back port before; rarely.
    [[gnu::noinline]] void changed(cycle now) noexcept {
        if (due_ <= now) return;
        due_ = has_port() ? now : banks_.in_use() ? now + 1 : next_event_after(now);
        if (tlb_.in_use()) wait_for_pages(now);
    }
    /// When a page comes next, or a transaction whose page has come has its turn.
    cycle next_pages(cycle now) const noexcept {
        auto const next = tlb_.has_ready() ? now : tlb_.next_answer();
        return next == never ? never : after(now, next);
    }
    void wait_for_pages(cycle now) noexcept {
        if (auto const next = next_pages(now); next < due_) due_ = next;
    }
    static cycle after(cycle now, cycle at) noexcept { return at > now ? at : now + 1; }

public:
    /// One cycle; behind operand collectors its halves take its place.
    template <memory_host Host>
    [[gnu::always_inline]] void step(cycle now, Host& host) {
        if (!in_order_) return step_rest(now, step_l1(now, host), host);
        step_in_order(now, host);
        due_ = next_event_after(now);
    }
    /// The halves, between which it may take an instruction: what looks up the L1, and, with a write-back port, what
    /// sets out for it; then all else. The first returns where what looked it up went.
    template <memory_host Host>
    [[gnu::noinline]] replay_route step_l1(cycle now, Host& host) {
        auto presented = replay_route::wait;
        if (tlb_.in_use()) tlb_.take_answers(now);
        if (banks_.in_use()) {
            if (!refused_) banks_.room_below();
            banks_.each_due(
                now,
                [&](in_pipe const& t) {
                    presented = replay_route::access;
                    return access(now, t, host);
                },
                lacking_, [&](std::uint64_t address) { return set_of(address); });
        } else if (!pipe_.empty() && pipe_.front().due <= now && !refused_) {
            presented = present(now, host);
        }
        if (tlb_.in_use() && tlb_.has_ready()) send_translated(now);
        if (has_port() && sends_to_l1(now)) send_to_l1(now);
        return presented;
    }
    template <memory_host Host>
    [[gnu::noinline]] void step_rest(cycle now, replay_route presented, Host& host) {
        serve_textures(now, host);
        bool idle = presented == replay_route::wait && went_past_at_ != now;
        if (!sends_to_l1(now)) {
            if (has_turn(now)) idle = !send(now, host) && idle;
        } else if (!has_port()) {
            send_to_l1(now);
        }
        bool free = presented != replay_route::access;
        if constexpr (replay_stage<ReplayQueue, piped_transaction>::possible)
            if (free && replay_.in_use())
                free = !replay_.try_one(idle, [&](in_pipe const& t) { return offer_again(now, t, host); });
        if (banks_.in_use()) {
            refused_ = banks_.lack_room_below();
            head_lacks_ = refusal::miss_queue;
        }
        if constexpr (reads_ahead_)
            if (free && asks_ahead()) read_ahead(host);
        due_ = banks_.in_use() ? next_event_of_banks(now) : next_event_after(now);
        if (tlb_.in_use()) {
            wait_for_pages(now);
            host.pages_waited_for(tlb_.warps());
        }
    }
    /// Whether there is a write-back port. Then requests leave at the beginning of a cycle, and write_back() comes
    /// before step().
    bool has_port() const noexcept { return numbers_.writeback_port != 0; }
    template <memory_host Host>
    void write_back(cycle now, Host& host) {
        port_.tick(now, host, [&](writeback_port::answer const& a) { has_come(now, a, host); });
    }
    /// A cycle after `now` before which write_back() does nothing.
    cycle next_write_back(cycle now) const noexcept { return port_.next(now); }
    /// Whether step(), or its halves, may do something.
    bool due(cycle now) const noexcept { return due_ <= now || replay_.in_use(); }
    /// The first cycle after `now` in which step() could do something, if nothing comes from outside.
    cycle next_event(cycle now) const noexcept {
        if (replay_.in_use()) {
            auto const next = next_event_after(now);
            auto const pages = tlb_.in_use() ? next_pages(now) : never;
            return pages < next ? pages : next;
        }
        return due_ > now ? due_ : now + 1;
    }

private:
    template <class Host>
    [[gnu::always_inline]] void step_in_order(cycle now, Host& host) {
        bool const presented = !pipe_.empty() && pipe_.front().due <= now && !refused_;
        if (presented) look_up(now, host);
        serve_textures(now, host);
        if (!intake_.empty() && intake_.front().ready <= now && now >= busy_until_) send(now, host);
        if constexpr (reads_ahead_)
            if (!presented && asks_ahead()) read_ahead(host);
    }
    /// Whether the instruction in front may do something.
    bool has_turn(cycle now) const noexcept {
        return !intake_.empty() && intake_.front().ready <= now && now >= busy_until_ &&
               (others_set_out_at_ != now || !translates(intake_.front().to));
    }
    static bool translates(lane to) noexcept { return to == lane::l1 || to == lane::past_l1; }
    bool sends_to_l1(cycle now) const noexcept { return has_turn(now) && intake_.front().to == lane::l1; }
    /// As many transactions as find room, in order, one in each bank.
    void send_to_l1(cycle now) {
        if (tlb_.in_use()) return look_up_and_send(now);
        auto& q = intake_.front();
        if (!banks_.in_use()) {
            if (!pipe_.full()) take_transaction(now, q, pipe_.extend());
        } else {
            while (q.next != q.transactions.size() && banks_.has_room(now, q.transactions[q.next].address))
                take_transaction(now, q, banks_.extend(q.transactions[q.next].address));
        }
        if (q.next == q.transactions.size()) intake_.pop();
    }
    /// The same where each looks for its page before.
    [[gnu::noinline]] void look_up_and_send(cycle now) {
        auto& q = intake_.front();
        while (q.next != q.transactions.size() && l1_has_room(now, q.transactions[q.next].address) &&
               look_up_page(now, q) == page_found::now)
            take_transaction(now, q, l1_place(q.transactions[q.next].address));
        if (q.next == q.transactions.size()) intake_.pop();
    }
    bool l1_has_room(cycle now, std::uint64_t address) const noexcept {
        if (banks_.in_use()) return banks_.has_room(now, address);
        return !pipe_.full() && (pipe_.empty() || pipe_.back().due != now + latency_ - 1);
    }
    in_pipe& l1_place(std::uint64_t address) noexcept {
        return banks_.in_use() ? banks_.extend(address) : pipe_.extend();
    }
    /// Of the next transaction of `q`; one that waits for it is with the TLB from now on.
    page_found look_up_page(cycle now, pending& q) {
        translated t;
        t.to = q.to;
        describe(q, q.transactions[q.next], t.what.access);
        auto const found = tlb_.look_up(now, t.what.access.address, q.warp, t);
        q.next += found == page_found::later;
        return found;
    }
    /// Those whose pages have come, as many as find room, in order, before the instruction in front; one past the L1.
    [[gnu::noinline]] void send_translated(cycle now) {
        others_set_out_at_ = now;
        for (; tlb_.has_ready(); tlb_.pop_ready()) {
            auto const& t = tlb_.next_ready();
            auto const& a = t.what.access;
            if (t.to == lane::past_l1) {
                if (past_l1_full(a.owner, a.kind)) return;
                went_past_at_ = now;
                send_past(t.what);
                return tlb_.pop_ready();
            }
            if (!l1_has_room(now, a.address)) return;
            auto& place = l1_place(a.address);
            place = t.what;
            place.due = now + latency_ - 1;
        }
    }
    /// With several banks, each behind a pipe of its own (l1_banks.hpp).
    cycle next_event_of_banks(cycle now) const noexcept {
        auto next = banks_.next_event_after(now);
        bool const waits = !intake_.empty() && intake_.front().to == lane::l1
                               ? banks_.full(intake_.front().transactions[intake_.front().next].address)
                               : intake_.empty() || lane_full();
        if (!waits) {
            auto const ready = intake_.front().ready;
            auto const t = after(now, ready > busy_until_ ? ready : busy_until_);
            if (t < next) next = t;
        }
        if (read_only_.can_serve()) next = now + 1;
        if constexpr (reads_ahead_)
            if (asks_ahead()) next = now + 1;
        return next;
    }
    /// What a refused access waits for, in the terms of fill_may_free_way().
    std::uint32_t set_of(std::uint64_t address) const noexcept {
        if constexpr (tells_ahead<DataCache>)
            return cache_.set_of(address);
        else
            return 0;
    }
    cycle next_event_after(cycle now) const noexcept {
        auto next = never;
        if (!pipe_.empty() && !refused_ && !must_wait(pipe_.front().access))
            next = after(now, pipe_.front().due);
        if (read_only_.can_serve()) next = now + 1;
        if (!intake_.empty() && !lane_full()) {
            auto const ready = intake_.front().ready;
            auto const t = after(now, ready > busy_until_ ? ready : busy_until_);
            if (t < next) next = t;
        }
        if constexpr (reads_ahead_)
            if (asks_ahead()) next = now + 1;
        if (replay_.in_use() && next > now + 1 && replay_.has_next()) next = now + 1;
        return next;
    }

public:
    // Other cores of a cluster.
    /// A message from one of them, before step() in its cycle. An access has the banks as soon as they are free.
    template <memory_host Host>
    [[gnu::noinline]] void take_message(cycle now, cluster_message const& m, Host& host) {
        if (m.is_answer) {
            if (m.kind == access_kind::store)
                host.store_ended(warp_slot{m.warp}, 1);
            else
                comes(now, client::past_l1, m.token, 1, host);
            return;
        }
        if (m.signals) host.signalled(m);
        auto const from = now < busy_until_ ? busy_until_ : now;
        busy_until_ = from + m.cycles;
        answers_.push_back({busy_until_ - 1 + numbers_.shared_latency, answer_to(m)});
    }
    /// Answers whose data has been read leave in this cycle.
    void send_answers(cycle now) {
        auto a = answers_.begin();
        for (; a != answers_.end() && a->at <= now; ++a) messages_.push_back({now, a->what});
        answers_.erase(answers_.begin(), a);
    }
    /// When the next one does.
    cycle next_answer() const noexcept { return answers_.empty() ? never : answers_.front().at; }
    void tell_other(cycle now, cluster_message const& m) { messages_.push_back({now, m}); }
    /// What has left for others, in the order of cycles.
    std::vector<timed_message>& messages() noexcept { return messages_; }

    // Towards memory.
    bool has_request() const noexcept {
        return cache_.has_request() || !uncached_.empty() || read_only_.has_request();
    }
    bool l1d_has_request() const noexcept { return cache_.has_request(); }
    /// Writes the next packet to send; its core, slice, flits and birth are the caller's to fill.
    [[gnu::always_inline]] void request(packet& p) const noexcept {
        if (read_only_.has_request()) {
            p = read_only_.request();
            return;
        }
        bool const cached = uncached_.empty();
        auto const& r = cached ? cache_.front_request() : uncached_.front();
        write_request(p, r, cached ? r.mshr : r.token);
    }
    /// Whether that is a fetch of the L1, as it mostly is; writes it if so.
    [[gnu::always_inline]] bool request_fetch(packet& p) const noexcept {
        if (read_only_.has_request() || !uncached_.empty()) return false;
        auto const& r = cache_.front_request();
        if (r.kind != lower_kind::fetch) return false;
        write_request(p, r, r.mshr);
        return true;
    }
    void pop_request(cycle now) {
        if (read_only_.has_request()) {
            read_only_.pop_request();
            return changed(now);
        }
        if (uncached_.empty()) return pop_l1d_request(now);
        uncached_.pop();
        if (head_lacks_ == refusal::miss_queue) refused_ = false;
        changed(now);
        replay_.room_below();
    }
    /// The same where the L1's request is next, as behind request_fetch().
    [[gnu::always_inline]] void pop_l1d_request(cycle now) {
        cache_.pop_request();
        if (refused_ && head_lacks_ == refusal::miss_queue) {
            refused_ = false;
            changed(now);
        }
        replay_.room_below();
    }
    /// Whether a reply to a read is a part of what an MSHR of the L1 waits for: count_part() counts it then, which
    /// changes nothing that anybody could see; and whether it is the last part: fill() is to follow in its cycle.
    bool counts_parts(packet const& p) const noexcept { return counts_parts() && !went_past(p); }
    /// So are all but those to loads that went past it.
    bool counts_parts() const noexcept { return enabled_; }
    bool went_past(packet const& p) const noexcept { return (p.token & past_l1_) != 0; }
    [[gnu::always_inline]] bool count_part(std::uint32_t mshr, std::uint32_t bytes) noexcept {
        return cache_.count_part(mshr, bytes);
    }
    /// All has come that this MSHR waits for.
    template <memory_host Host>
    [[gnu::noinline, gnu::flatten]] void fill(cycle now, std::uint32_t mshr, Host& host) {
        auto const address = cache_.fetched(mshr);
        if (banks_.in_use()) {
            if (banks_.filled(
                    [&](in_pipe const& t, std::uint32_t set) { return may_be_taken(t, set, mshr); }))
                due_ = 0;
        } else if (refused_ &&
                   (head_lacks_ == refusal::mshr_entry || may_be_taken(pipe_.front(), refused_set_, mshr))) {
            refused_ = false;
            due_ = 0;
        }
        auto const departed =
            cache_.fill_all(mshr, [&](std::uint32_t token) { comes(now, client::l1, token, 1, host); });
        if (replay_.in_use()) replay_.anything_changed();
        host.tell(no_warp, l1_filled{line_of(address)});
        tell_departed(departed, host);
    }
    /// A reply to a read. Whether it was the last part of what was asked for.
    template <memory_host Host>
    bool receive(cycle now, packet const& p, Host& host) {
        if (!counts_parts(p))
            return comes(now, client::past_l1, enabled_ ? p.token & ~past_l1_ : p.token, p.bytes, host);
        if (!count_part(p.token, p.bytes)) return false;
        fill(now, p.token, host);
        return true;
    }
    /// A reply to the constant or the texture cache; whether anybody can notice.
    template <memory_host Host>
    bool fill_read_only(cycle now, packet const& p, Host& host) {
        due_ = 0;
        return read_only_.fill(p, [&](std::uint32_t token) { comes(now, client::constant, token, 1, host); });
    }
    /// A reply to an atomic; likewise.
    template <memory_host Host>
    bool atomic_done(cycle now, packet const& p, Host& host) {
        return comes(now, client::past_l1, p.token, p.bytes, host);
    }
    /// Whether no instruction is under way. Write-backs, and the fetches of lines that were stored to, may be.
    bool idle() const noexcept {
        return intake_.empty() && intake_.nothing_aside() && pipe_.empty() && banks_.empty() &&
               uncached_.empty() && replay_.empty() && operations_.none() && port_.empty() && tlb_.idle() &&
               answers_.empty() && messages_.empty();
    }
    /// Empties the caches; the L1 has so many lines from now on, if it is one that can.
    void invalidate([[maybe_unused]] std::uint32_t l1_lines) {
        ahead_.invalidate();
        if constexpr (requires { cache_.carve(l1_lines); })
            if (enabled_) cache_.carve(l1_lines);
        cache_.invalidate_all();
        read_only_.invalidate();
    }
    /// The page will be in the TLB in cycle `at`.
    void page_comes(cycle at, std::uint64_t page) {
        tlb_.answer_at(at, page);
        if (at < due_) due_ = at;
    }
    auto& tlb() noexcept { return tlb_; }
    auto const& tlb() const noexcept { return tlb_; }
    /// The prefetcher, and what became of what it asked for.
    auto& ahead() noexcept { return ahead_; }
    auto const& ahead() const noexcept { return ahead_; }
    /// Something that it asked for has not come yet, or not set out.
    bool reading_ahead() const noexcept {
        return reads_ahead_ && ahead_.in_use() && (!ahead_.empty() || cache_.outstanding() != 0);
    }
    /// These slots have new warps: lines brought in by their former ones belong to nobody.
    void disown(warp_set slots) noexcept {
        cache_.disown(slots);
        read_only_.disown(slots);
    }
    /// Whether a cache is to hear which warps there are, even if nobody hears whose lines go.
    static constexpr bool minds_warps() noexcept { return minds<DataCache>() || minds<ConstantCache>(); }
    /// The warps in these slots have ended.
    void exited(warp_set slots) noexcept {
        if constexpr (requires { cache_.exited(slots); }) cache_.exited(slots);
        read_only_.exited(slots);
    }
    /// So many warps may keep lines in the L1, if it minds.
    void granted([[maybe_unused]] unsigned warps) noexcept {
        if constexpr (requires { cache_.granted(warps); }) cache_.granted(warps);
    }

    friend bool operator==(load_store_unit const&, load_store_unit const&) = default;
    WARPKIT_STORED_MEMBERS(30)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cache_, read_only_, intake_, pipe_, banks_, uncached_, replay_, ahead_, refused_, busy_until_,
          port_, tlb_);
    }

private:
    /// Whether nothing more is missing; the result then comes `later` than it would have.
    template <class Host>
    [[gnu::always_inline]] bool arrived(cycle now, std::uint32_t token, std::uint32_t amount, Host& host,
                                        cycle later = 0) {
        bool const all = (operations_[token].missing -= amount) == 0;
        if (all) complete(now, token, host, later);
        return all;
    }
    /// The same of what goes through the write-back port, if there is one.
    template <class Host>
    [[gnu::always_inline]] bool comes(cycle now, client c, std::uint32_t token, std::uint32_t amount,
                                      Host& host) {
        if (!has_port()) return arrived(now, token, amount, host);
        auto const& o = operations_[token];
        queue_answer(c, {now, token, amount, o.instruction, o.warp}, host);
        return true;
    }
    template <class Host>
    [[gnu::noinline]] void queue_answer(client c, writeback_port::answer const& a, Host& host) {
        port_.push(c, a);
        host.answer_comes(a.at);
    }
    template <class Host>
    void has_come(cycle now, writeback_port::answer const& a, Host& host) {
        if (a.token == no_token)
            host.written(a.warp, a.instruction);
        else
            arrived(now, a.token, a.amount, host);
    }
    template <class Host>
    [[gnu::noinline]] void complete(cycle now, std::uint32_t token, Host& host, cycle later) {
        auto const& o = operations_[token];
        auto const at = now + later < o.earliest ? o.earliest : now + later;
        if (has_port() && at == now)
            host.written(o.warp, o.instruction);
        else
            host.result_at(at + writeback_, o.warp, o.instruction);
        host.tell(o.warp, load_returned{o.warp, o.instruction * instruction_bytes_});
        operations_.end(token);
    }
    /// What needs no transactions, an instruction or a part of one, has its result at `at`.
    template <class Host>
    void answered(cycle now, pending const& q, cycle at, Host& host) {
        if (has_port() && (q.space == memory_space::shared || at == now)) {
            writeback_port::answer const a{at, q.token, 1, q.instruction, q.warp};
            if (at != now && host.writes(q.instruction)) return queue_answer(client::shared, a, host);
            return has_come(now, a, host);
        }
        if (q.token == no_token) return host.result_at(at + writeback_, q.warp, q.instruction);
        auto& o = operations_[q.token];
        if (o.earliest < at) o.earliest = at;
        arrived(now, q.token, 1, host);
    }
    std::uint64_t line_of(std::uint64_t address) const noexcept {
        return address & ~std::uint64_t{line_ - 1};
    }
    /// Whether the next transaction of the instruction in front has nowhere to go.
    bool lane_full() const noexcept {
        auto const& q = intake_.front();
        if (q.to == lane::l1) return pipe_.full(); // mostly
        switch (q.to) {
        case lane::read_only:
            return read_only_.refused();
        case lane::past_l1:
            return past_l1_full(q.warp, q.kind);
        default:
            return false;
        }
    }
    bool past_l1_full(warp_slot w, access_kind kind) const noexcept {
        if (!replay_.in_use()) return uncached_.full();
        auto const route = replay_.route(w, kind);
        return route == replay_route::wait ||
               (route == replay_route::access && uncached_.full() && !replay_.takes_refused());
    }
    template <class Cache>
    static constexpr bool minds() noexcept {
        if constexpr (requires { Cache::minds_warps(); })
            return Cache::minds_warps();
        else
            return false;
    }
    bool bypasses(cache_access const& a) const noexcept { return a.kind == access_kind::atomic || !enabled_; }
    bool must_wait(cache_access const& a) const noexcept {
        return replay_.in_use() && replay_.route(a.owner, a.kind) == replay_route::wait;
    }

    /// Works on the instruction in front. Whether a transaction went past the L1, or would have.
    template <class Host>
    [[gnu::always_inline]] bool send(cycle now, Host& host) {
        auto& q = intake_.front();
        if (q.to == lane::l1) { // mostly
            if (pipe_.full()) return false;
            take_transaction(now, q, pipe_.extend());
            if (q.next == q.transactions.size()) intake_.pop();
            return false;
        }
        switch (q.to) {
        case lane::past_l1: {
            if (past_l1_full(q.warp, q.kind)) return false;
            if (tlb_.in_use() && look_up_page(now, q) != page_found::now) {
                if (q.next == q.transactions.size()) intake_.pop();
                return false;
            }
            in_pipe t;
            take_transaction(now, q, t);
            send_past(t);
            if (q.next == q.transactions.size()) intake_.pop();
            return true;
        }
        case lane::read_only:
            if (send_read_only(now, q, host)) intake_.pop();
            return false;
        case lane::cluster:
            send_to_cluster(now, q, host);
            intake_.pop();
            return false;
        default:
            answer(now, q, host);
            intake_.pop();
            return false;
        }
    }
    /// Answers an instruction without transactions.
    template <class Host>
    void answer(cycle now, pending const& q, Host& host) {
        if (q.space == memory_space::shared) {
            busy_until_ = now + q.conflict_cycles;
            answered(now, q, busy_until_ - 1 + numbers_.shared_latency, host);
        } else {
            bool const nobody = q.space == memory_space::none; // no lane took part
            answered(now, q, nobody ? now : now + numbers_.constant_latency, host);
        }
    }
    template <class Host>
    [[gnu::noinline]] void send_to_cluster(cycle now, pending const& q, Host& host) {
        tell_other(now, q.message);
        busy_until_ = now + cycles_of(q.message, bandwidth_);
        bool const arrival = q.message.kind == access_kind::store && q.token != no_token;
        if (arrival) arrived(now, q.token, 1, host); // which its warp does not wait for
    }
    /// The next transaction of `q` sets out.
    [[gnu::always_inline]] void take_transaction(cycle now, pending& q, in_pipe& t) noexcept {
        t.due = now + latency_ - 1;
        describe(q, q.transactions[q.next++], t.access);
    }
    template <class Host>
    void serve_textures(cycle now, Host& host) {
        if (read_only_.can_serve())
            read_only_.serve([&](std::uint32_t token) { comes(now, client::texture, token, 1, host); });
    }
    /// Offers one access of a constant or texture load to its cache; whether it was the last.
    template <class Host>
    bool send_read_only(cycle now, pending& q, Host& host) {
        if (read_only_.refused()) return false;
        cache_access a;
        describe(q, q.transactions[q.next], a);
        auto const answer = read_only_.access(q.space, a);
        if (answer.answer == cache_answer::refused) {
            host.tell(q.warp, lsu_refused{q.warp, answer.reason});
            return false;
        }
        if (answer.answer == cache_answer::now) arrived(now, q.token, 1, host, numbers_.constant_latency);
        return ++q.next == q.transactions.size();
    }
    void describe(pending const& q, transaction const& t, cache_access& a) const noexcept {
        a.address = t.address;
        a.bytes = t.bytes;
        a.kind = q.kind;
        a.space = q.space;
        a.owner = q.warp;
        a.token = q.token;
        a.pc = q.instruction * instruction_bytes_;
        a.written = t.used;
    }
    /// A transaction that does not go to the L1; precondition: !lane_full().
    void send_past(in_pipe const& t) {
        if (replay_.in_use() && replay_.route(t.access.owner, t.access.kind) == replay_route::enter)
            keep(t, false);
        else if (uncached_.full())
            keep(t, true);
        else
            send_uncached(t.access);
    }
    void send_uncached(cache_access const& a) noexcept {
        lower_request r;
        r.address = a.address;
        r.bytes = a.bytes;
        r.token = a.token;
        r.written = a.written;
        r.owner = a.owner;
        r.space = a.space;
        r.kind = a.kind == access_kind::load    ? lower_kind::fetch
                 : a.kind == access_kind::store ? lower_kind::store
                                                : lower_kind::atomic;
        if (a.kind == access_kind::load) {
            operations_[a.token].missing += a.bytes - 1; // counted in bytes when uncached
            if (enabled_) r.token |= past_l1_;
        }
        uncached_.push(r);
    }

    // ---- the replay queue
    /// Puts a transaction into the queue; `refused`: it has been tried in vain.
    void keep(in_pipe const& t, bool refused) {
        replay_.keep(t, t.access, refused, bypasses(t.access) || lacking_ == refusal::miss_queue);
    }
    /// The transaction at the end of the pipe; where it went.
    template <class Host>
    replay_route present(cycle now, Host& host) {
        if (!replay_.in_use()) {
            look_up(now, host);
            return replay_route::access;
        }
        auto const& t = pipe_.front();
        auto const route = replay_.route(t.access.owner, t.access.kind);
        if (route == replay_route::enter) {
            keep(t, false);
            pipe_.pop();
        } else if (route == replay_route::access) {
            look_up(now, host);
            if (refused_ && replay_.takes_refused()) {
                keep(pipe_.front(), true);
                pipe_.pop();
                refused_ = false;
            }
        }
        return route;
    }
    /// Offers a transaction of the queue to the L1, or to what is past it.
    template <class Host>
    replay_answer offer_again(cycle now, in_pipe const& t, Host& host) {
        if (!bypasses(t.access)) {
            if (access(now, t, host)) return replay_answer::taken;
            bool const goes_past = lacking_ == refusal::line_allocation &&
                                   t.access.kind == access_kind::load && replay_.bypasses_full_sets();
            if (!goes_past)
                return lacking_ == refusal::miss_queue ? replay_answer::lacks_room_below
                                                       : replay_answer::refused;
            bypasses_ += !uncached_.full();
        }
        if (uncached_.full()) return replay_answer::lacks_room_below;
        send_uncached(t.access);
        return replay_answer::taken;
    }

    template <class Host>
    void tell_departed(departed_line const& d, Host& host) {
        if constexpr (reads_ahead_)
            if (d) ahead_.departed(d.line);
        if (d) host.tell(d.owner, l1_evicted{d.line, d.owner, d.how == line_departure::invalidated});
    }
    /// The tag look-up at the end of the delay pipe.
    template <class Host>
    [[gnu::noinline, gnu::flatten]] void look_up(cycle now, Host& host) {
        if (access(now, pipe_.front(), host))
            pipe_.pop();
        else
            stop();
    }
    /// The pipe's head was refused: until what was lacking can have come, a line of its set, or a place in the queue.
    void stop() noexcept {
        refused_ = true;
        head_lacks_ = lacking_;
        if constexpr (tells_ahead<DataCache>) refused_set_ = cache_.set_of(pipe_.front().access.address);
    }
    /// Whether what was refused, of this set, may find a way when what that MSHR waits for has come.
    bool may_be_taken(in_pipe const& t, std::uint32_t set, std::uint32_t mshr) const noexcept {
        if constexpr (tells_ahead<DataCache>)
            return cache_.fill_may_free_way(set, mshr);
        else
            return cache_.may_free_way(t.access.address, cache_.fetched(mshr));
    }
    /// Whether the L1 took it; if not, `lacking_` says why.
    template <class Host>
    [[gnu::always_inline]] bool access(cycle now, in_pipe const& p, Host& host) {
        auto const w = p.access.owner;
        auto const answer = cache_.template access<true>(p.access);
        if (answer.answer == cache_answer::refused) {
            lacking_ = answer.reason;
            host.tell(w, lsu_refused{w, answer.reason});
            return false;
        }
        host.tell(w, l1_accessed{w, p.access.pc, line_of(p.access.address), p.access.kind, answer.outcome});
        if constexpr (reads_ahead_)
            if (p.access.kind == access_kind::load) ahead_.demanded(p.access.address, answer.outcome);
        tell_departed(answer.departed, host);
        if (p.access.kind ==
            access_kind::store) { // done once the L1 has it, even if it fetches the rest of the line
            if (answer.answer != cache_answer::below) host.store_ended(w, p.access.bytes);
        } else if (answer.answer == cache_answer::now) {
            arrived(now, p.access.token, 1, host);
        }
        return true;
    }

    static constexpr bool reads_ahead_ = data_prefetch_queue<DataPrefetch>::reads_ahead;
    /// Marks the token of a load that went past an L1: its replies are counted in bytes.
    static constexpr std::uint32_t past_l1_ = 0x80000000;

    load_store_numbers numbers_;
    std::uint32_t writeback_ = 1;
    std::uint32_t latency_ = 1;
    std::uint32_t instruction_bytes_ = 8;
    bool enabled_ = true;
    std::uint32_t line_ = 128;
    DataCache cache_{};
    read_only_caches<ConstantCache, TextureCache> read_only_;
    lsu_intake<Coalescer> intake_;
    ring<in_pipe> pipe_; ///< with one bank
    l1_bank_pipes<in_pipe> banks_;
    ring<lower_request> uncached_;
    memory_operations operations_;
    [[no_unique_address]] replay_stage<ReplayQueue, piped_transaction> replay_;
    [[no_unique_address]] data_prefetch_queue<DataPrefetch> ahead_{};
    bool refused_ = false; ///< the pipe's head, until what it lacked can have come
    std::uint32_t refused_set_ = 0;
    refusal head_lacks_ = refusal::line_allocation; ///< why it was
    refusal lacking_ = refusal::line_allocation;    ///< why the last access of any was refused
    cycle busy_until_ = 0;
    writeback_port port_;
    cycle due_ = 0; ///< step() does nothing before, if nothing comes from outside
    std::uint64_t bypasses_ = 0;
    bool in_order_ = true; ///< one bank, no replay queue, no TLB
    cycle others_set_out_at_ =
        never; ///< when transactions did whose pages have come, before the instruction in front
    cycle went_past_at_ = never; ///< one of them, past the L1
    core_tlb<translated> tlb_;
    std::uint32_t bandwidth_ = 0; ///< of the network between cores of a group
    std::vector<timed_message> messages_;
    std::vector<timed_message> answers_; ///< to be sent when their data has been read
};

} // namespace warpkit
