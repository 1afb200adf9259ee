#pragma once
/// \file
/// The load/store unit of a core (docs/model/load_store.md#cycle): coalescing, shared-memory conflicts, the L1 data
/// cache behind its delay pipe, and what is under way.
///
/// In the reference: `load_store_unit` (reference/load_store_unit.hpp), whose `tick` is `step` here.

#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/gpu/core/data_prefetch_queue.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/memory_operations.hpp>
#include <warpkit/gpu/core/read_only_caches.hpp>
#include <warpkit/lsu/cut_transactions.hpp>
#include <warpkit/lsu/no_data_prefetch.hpp>
#include <warpkit/lsu/no_replay.hpp>
#include <warpkit/lsu/replay_policy.hpp>
#include <warpkit/lsu/shared_banks.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace warpkit {

/// One instruction at a time, one transaction a cycle. A refused access holds up all behind it (head of line), unless
/// there is a replay queue for it. An instruction whose lanes look into several memory spaces is an access for each,
/// one behind the other (generic_spaces), and has its result when all have theirs. The host core gives
/// `result_at(cycle, warp, instruction)`, `operation_begun/ended(warp)` and `tell(warp, event)`.
template <class Coalescer, class DataCache, class ReplayQueue = no_replay,
          class ConstantCache = usual_constant_cache, class TextureCache = usual_texture_cache,
          class DataPrefetch = no_data_prefetch>
class load_store_unit {
    using pending = queued_access;
    using in_pipe = piped_transaction;
    using lane = transaction_lane;

public:
    load_store_unit() = default;
    [[gnu::cold]] explicit load_store_unit(gpu_parameters const& p, ReplayQueue const& replay = {},
                                           Coalescer const& coalescer = {}, DataPrefetch const& prefetch = {})
        : numbers_(p.lsu),
          operand_cycles_(p.core.operand_cycles),
          writeback_(p.core.writeback_cycles),
          latency_(p.lsu.l1_latency),
          instruction_bytes_(p.core.instruction_bytes),
          enabled_(p.l1d.size != 0),
          line_(p.l1d.line),
          load_block_(p.l1d.sector),
          cache_(make_cache<DataCache>("l1d", p.l1d, p.l1d_variant)),
          store_block_(cache_.fetches_on_store() ? p.l1d.sector : p.l1d.line),
          read_only_(p),
          banks_(p.lsu.shared_banks),
          coalesce_(coalescer),
          queue_(p.lsu.queue),
          pipe_(p.lsu.l1_latency),
          uncached_(p.l1d.miss_queue),
          replay_(replay),
          replayed_(replay.capacity()),
          ahead_(prefetch, p) {
        if (enabled_ && p.l1d.sector < 32)
            throw error({"l1d.sector = ", p.l1d.sector,
                         " B is below 32 B, the smallest transaction; nearest legal value: 32 B"});
    }

    DataCache const& cache() const noexcept { return cache_; }
    ConstantCache const& constants() const noexcept { return read_only_.constants(); }
    TextureCache const& textures() const noexcept { return read_only_.textures(); }
    bool can_accept() const noexcept { return !queue_.full(); }
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
    std::uint64_t transactions() const noexcept { return transactions_; }
    std::uint64_t bank_conflict_cycles() const noexcept { return conflict_cycles_; }
    /// Transactions that went through the replay queue, and loads that it sent past the L1.
    std::uint64_t replays() const noexcept { return replays_; }
    std::uint64_t bypasses() const noexcept { return bypasses_; }

    /// Takes over an instruction that was issued at `now`; precondition: can_accept().
    template <class Host>
    void issue(cycle now, warp_slot w, std::uint32_t instruction, decoded_instruction const& d,
               stream_cursor const& at, warp_stream const& s, Host& host) {
        bool const in_front = queue_.empty();
        enqueue(now, w, instruction, d, at, s, host);
        if constexpr (reads_ahead_)
            if (asks_ahead() && due_ > now) due_ = now + 1;
        if (in_front && due_ > queue_.front().ready) due_ = after(now, queue_.front().ready);
    }

private:
    template <class Host>
    void enqueue(cycle now, warp_slot w, std::uint32_t instruction, decoded_instruction const& d,
                 stream_cursor const& at, warp_stream const& s, Host& host) {
        auto& q = queue_.extend();
        q.ready = now + operand_cycles_;
        q.warp = w;
        q.instruction = instruction;
        q.kind = access_kind_of(d.kind);
        q.to = lane::none;
        q.next = 0;
        q.token = no_token;
        q.conflict_cycles = 1;
        q.has_more = false;
        q.transactions.clear();
        if (at.mask() == 0) {
            q.space = memory_space::none;
            return host.operation_begun(w);
        }
        q.space = at.space(s);
        lane_addresses scratch;
        auto const access = read_access(at, s, d, scratch);
        if (q.space == memory_space::generic) return enqueue_parts(q, access, at, s, host);
        if (prepare(q, access, host)) host.operation_begun(w);
    }
    /// An access whose addresses are generic: a part for each space that lanes look into. The first is `q`, the others
    /// wait in parts_. Loads and atomics have one result, for which each part has its share to do.
    template <class Host>
    [[gnu::noinline, gnu::cold]] void enqueue_parts(pending& q, warp_access access, stream_cursor const& at,
                                                    warp_stream const& s, Host& host) {
        auto const fresh = q;
        auto const whole = access.active;
        auto const waiting = parts_.size();
        lane_addresses address;
        access.affine = false;
        access.addresses = &address;
        auto token = no_token;
        bool any = false;
        for (auto const space : generic_spaces) {
            access.active = at.addresses_in(s, space, address);
            if (access.active == 0) continue;
            if (any) {
                (parts_.size() == waiting ? q : parts_.back()).has_more = true;
                parts_.push_back(fresh);
            }
            auto& part = any ? parts_.back() : q;
            part.space = space;
            if (q.kind != access_kind::store && access.active != whole) {
                if (!any) {
                    token = operations_.begin(q.warp, q.instruction);
                    host.operation_begun(q.warp);
                }
                part.token = token;
                prepare(part, access, host);
                operations_[token].missing += part.transactions.empty();
            } else if (prepare(part, access, host)) {
                host.operation_begun(q.warp);
            }
            any = true;
        }
        if (any) return;
        q.space = memory_space::none;
        host.operation_begun(q.warp);
    }
    /// Works out what is to be done for an access to the space of `q`. False of a store that ends with its
    /// transactions; of anything else, result_at() will tell.
    template <class Host>
    [[gnu::always_inline]] bool prepare(pending& q, warp_access const& a, Host& host) {
        if (q.space == memory_space::shared) {
            q.conflict_cycles = banks_.cycles(a);
            conflict_cycles_ += q.conflict_cycles - 1;
        } else if (q.kind == access_kind::load && read_only_.serves(q.space)) {
            if (read_only_.coalesce(q.space, a, q.transactions)) {
                q.to = lane::read_only;
                if (q.token == no_token) q.token = operations_.begin(q.warp, q.instruction);
                operations_[q.token].missing += static_cast<std::uint32_t>(q.transactions.size());
                if (q.space == memory_space::texture) transactions_ += q.transactions.size();
            }
        } else if (q.space == memory_space::global || q.space == memory_space::local ||
                   q.space == memory_space::texture) {
            bool const past = q.kind == access_kind::atomic || !enabled_;
            q.to = read_only_.serves(q.space) ? lane::read_only : past ? lane::past_l1 : lane::l1;
            coalesce_(a, past, q.transactions);
            auto const block = q.kind == access_kind::store ? store_block_ : load_block_;
            if (block < largest_ && !past) cut_transactions(q.transactions, block);
            transactions_ += q.transactions.size();
            if (q.kind == access_kind::store) {
                for (auto const& t : q.transactions) host.store_begun(q.warp, t.bytes);
                return false;
            }
            if (q.token == no_token) q.token = operations_.begin(q.warp, q.instruction);
            auto& missing = operations_[q.token].missing;
            if (q.kind == access_kind::atomic)
                for (auto const& t : q.transactions) missing += t.bytes;
            else
                missing += static_cast<std::uint32_t>(q.transactions.size());
            if constexpr (reads_ahead_)
                if (q.to == lane::l1) see(q);
        }
        return true;
    }
    /// Shows the prefetcher a load.
    [[gnu::noinline]] void see(pending const& q) {
        cache_access a;
        describe(q, q.transactions[0], a);
        a.written = {};
        ahead_.seen(a, q.transactions, q.ready - operand_cycles_, cache_.counters());
    }
    /// Whether a prefetch may have the port of the L1 when nobody else wants it.
    bool asks_ahead() const noexcept { return !ahead_.empty() && !refused_; }
    /// Nobody wants the port of the L1 in this cycle.
    template <class Host>
    [[gnu::noinline]] void read_ahead(Host& host) {
        auto const a = ahead_.take();
        auto const found = cache_.probe(a);
        if (found != cache_outcome::miss && found != cache_outcome::sector_miss) return;
        auto const answer = cache_.access(a);
        if (answer.answer == cache_answer::refused) return;
        tell_departed(answer.departed, host);
        ahead_.issued(a);
    }
    /// Something that step() waits for has happened in cycle `now`, after it; rarely.
    [[gnu::noinline]] void changed(cycle now) noexcept {
        if (due_ > now) due_ = next_event_after(now);
    }
    static cycle after(cycle now, cycle at) noexcept { return at > now ? at : now + 1; }

public:
    /// One cycle.
    template <class Host>
    [[gnu::always_inline]] void step(cycle now, Host& host) {
        if constexpr (may_queue_)
            if (replay_.queues()) return step_with_queue(now, host);
        step_in_order(now, host);
        due_ = next_event_after(now);
    }
    /// Whether step() may do something.
    bool due(cycle now) const noexcept { return due_ <= now || replay_.queues(); }
    /// The first cycle after `now` in which step() could do something, if nothing comes from outside. Where nobody
    /// hears refusals (`Foresees`), one that is certain for the next cycle is counted in this one, as nothing else may
    /// happen in that.
    template <bool Foresees = false>
    [[gnu::always_inline]] cycle next_event(cycle now) noexcept {
        if (replay_.queues()) return next_event_after(now);
        if (Foresees && due_ == now + 1 && foresees_refusal(now + 1)) due_ = next_event_after(now);
        return due_ > now ? due_ : now + 1;
    }

private:
    template <class Host>
    [[gnu::always_inline]] void step_in_order(cycle now, Host& host) {
        bool const presented = !pipe_.empty() && pipe_.front().due <= now && !refused_;
        if (presented) look_up(now, host);
        serve_textures(now, host);
        if (!queue_.empty() && queue_.front().ready <= now && now >= busy_until_) send(now, host);
        if constexpr (reads_ahead_)
            if (!presented && asks_ahead()) read_ahead(host);
    }
    /// The next look-up will be in vain if it is that of a store, and the L1 is full of what it has to send. Counts
    /// that.
    bool foresees_refusal([[maybe_unused]] cycle next) noexcept {
        if constexpr (tells_ahead<DataCache>) {
            if (cache_.takes_requests() || refused_ || pipe_.empty()) return false;
            auto const& t = pipe_.front();
            if (t.due > next || t.access.kind != access_kind::store || !cache_.refuses_stores(t.access.space))
                return false;
            cache_.refuse_again(refusal::miss_queue);
            lacking_ = refusal::miss_queue;
            stop();
            foreseen_ = next;
            return true;
        } else {
            return false;
        }
    }
    cycle next_event_after(cycle now) const noexcept {
        auto next = never;
        if (!pipe_.empty() && !refused_ && !must_wait(pipe_.front().access))
            next = after(now, pipe_.front().due);
        if (read_only_.can_serve()) next = now + 1;
        if (!queue_.empty() && !lane_full()) {
            auto const ready = queue_.front().ready;
            auto const t = after(now, ready > busy_until_ ? ready : busy_until_);
            if (t < next) next = t;
        }
        if constexpr (reads_ahead_)
            if (asks_ahead()) next = now + 1;
        if (replay_.queues() && next > now + 1 && replay_.pick(true) != no_replay_entry) next = now + 1;
        return next;
    }

public:
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
        if (replay_.queues() && replay_lacks_room_below_) room_changed();
    }
    /// The same where the L1's request is next, as behind request_fetch().
    [[gnu::always_inline]] void pop_l1d_request(cycle now) {
        cache_.pop_request();
        if (refused_ && head_lacks_ == refusal::miss_queue) {
            refused_ = false;
            changed(now);
        }
        if (replay_.queues() && replay_lacks_room_below_) room_changed();
    }
    /// Whether a reply to a read is a part of what an MSHR of the L1 waits for: count_part() counts it then, which
    /// changes nothing that anybody could see; and whether it is the last part: fill() is to follow in its cycle.
    bool counts_parts(packet const& p) const noexcept { return counts_parts() && !went_past(p); }
    /// So are all but those to loads that went past it.
    bool counts_parts() const noexcept { return enabled_; }
    bool went_past(packet const& p) const noexcept { return replay_.queues() && (p.token & past_l1_) != 0; }
    [[gnu::always_inline]] bool count_part(std::uint32_t mshr, std::uint32_t bytes) noexcept {
        return cache_.count_part(mshr, bytes);
    }
    /// All has come that this MSHR waits for.
    template <class Host>
    [[gnu::noinline, gnu::flatten]] void fill(cycle now, std::uint32_t mshr, Host& host) {
        auto const address = cache_.fetched(mshr);
        if (refused_ && now > foreseen_ &&
            (head_lacks_ == refusal::mshr_entry || may_be_taken_behind(mshr))) {
            refused_ = false;
            due_ = 0;
        }
        auto const departed =
            cache_.fill_all(mshr, [&](std::uint32_t token) { arrived(now, token, 1, host); });
        if (replay_.queues()) room_changed();
        host.tell(no_warp, l1_filled{line_of(address)});
        tell_departed(departed, host);
    }
    /// A reply to a read. Whether it was the last part of what was asked for.
    template <class Host>
    bool receive(cycle now, packet const& p, Host& host) {
        if (!counts_parts(p)) return arrived(now, enabled_ ? p.token & ~past_l1_ : p.token, p.bytes, host);
        if (!count_part(p.token, p.bytes)) return false;
        fill(now, p.token, host);
        return true;
    }
    /// A reply to the constant or the texture cache; whether anybody can notice.
    template <class Host>
    bool fill_read_only(cycle now, packet const& p, Host& host) {
        due_ = 0;
        return read_only_.fill(p, [&](std::uint32_t token) { arrived(now, token, 1, host); });
    }
    /// A reply to an atomic; likewise.
    template <class Host>
    bool atomic_done(cycle now, packet const& p, Host& host) {
        return arrived(now, p.token, p.bytes, host);
    }
    /// Whether no instruction is under way. Write-backs, and the fetches of lines that were stored to, may be.
    bool idle() const noexcept {
        return queue_.empty() && pipe_.empty() && uncached_.empty() && replay_.empty() && operations_.none();
    }
    void invalidate() {
        ahead_.invalidate();
        cache_.invalidate_all();
        read_only_.invalidate();
    }
    /// The prefetcher, and what became of what it asked for.
    auto& ahead() noexcept { return ahead_; }
    auto const& ahead() const noexcept { return ahead_; }
    /// Something that it asked for has not come yet, or not set out.
    bool reading_ahead() const noexcept {
        return reads_ahead_ && (!ahead_.empty() || cache_.outstanding() != 0);
    }
    /// These slots have new warps: lines brought in by their former ones belong to nobody.
    void disown(warp_set slots) noexcept {
        cache_.disown(slots);
        read_only_.disown(slots);
    }

    friend bool operator==(load_store_unit const&, load_store_unit const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cache_, read_only_, queue_, parts_, pipe_, uncached_, replay_, replayed_, ahead_, refused_,
          busy_until_, transactions_, conflict_cycles_);
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
    template <class Host>
    [[gnu::noinline]] void complete(cycle now, std::uint32_t token, Host& host, cycle later) {
        auto const& o = operations_[token];
        auto const at = now + later < o.earliest ? o.earliest : now + later;
        host.result_at(at + writeback_, o.warp, o.instruction);
        host.tell(o.warp, load_returned{o.warp});
        operations_.end(token);
    }
    /// What needs no transactions, an instruction or a part of one, has its result at `at`.
    template <class Host>
    void answered(cycle now, pending const& q, cycle at, Host& host) {
        if (q.token == no_token) return host.result_at(at + writeback_, q.warp, q.instruction);
        auto& o = operations_[q.token];
        if (o.earliest < at) o.earliest = at;
        arrived(now, q.token, 1, host);
    }
    /// The unit has done with what is in front.
    void next_in_queue() {
        if (queue_.front().has_more)
            next_part();
        else
            queue_.pop();
    }
    [[gnu::noinline]] void next_part() {
        queue_.front() = parts_.front();
        parts_.erase(parts_.begin());
    }
    std::uint64_t line_of(std::uint64_t address) const noexcept {
        return address & ~std::uint64_t{line_ - 1};
    }
    /// Whether the next transaction of the instruction in front has nowhere to go.
    bool lane_full() const noexcept {
        auto const& q = queue_.front();
        if (q.to == lane::l1) return pipe_.full(); // mostly
        switch (q.to) {
        case lane::read_only:
            return read_only_.refused();
        case lane::past_l1:
            return past_l1_full(q);
        default:
            return false;
        }
    }
    bool past_l1_full(pending const& q) const noexcept {
        if (!replay_.queues()) return uncached_.full();
        auto const route = replay_.route(q.warp, q.kind);
        return route == replay_route::wait ||
               (route == replay_route::access && uncached_.full() && !replay_.takes_refused());
    }
    bool bypasses(cache_access const& a) const noexcept { return a.kind == access_kind::atomic || !enabled_; }
    bool must_wait(cache_access const& a) const noexcept {
        return replay_.queues() && replay_.route(a.owner, a.kind) == replay_route::wait;
    }

    /// Works on the instruction in front. Whether a transaction went past the L1, or would have.
    template <class Host>
    [[gnu::always_inline]] bool send(cycle now, Host& host) {
        auto& q = queue_.front();
        if (q.to == lane::l1) { // mostly
            if (pipe_.full()) return false;
            take_transaction(now, q, pipe_.extend());
            if (q.next == q.transactions.size()) next_in_queue();
            return false;
        }
        switch (q.to) {
        case lane::past_l1: {
            if (past_l1_full(q)) return false;
            in_pipe t;
            take_transaction(now, q, t);
            send_past(t);
            if (q.next == q.transactions.size()) next_in_queue();
            return true;
        }
        case lane::read_only:
            if (send_read_only(now, q, host)) next_in_queue();
            return false;
        default:
            answer(now, q, host);
            next_in_queue();
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
    /// The next transaction of `q` sets out.
    [[gnu::always_inline]] void take_transaction(cycle now, pending& q, in_pipe& t) noexcept {
        t.due = now + latency_ - 1;
        describe(q, q.transactions[q.next++], t.access);
    }
    template <class Host>
    void serve_textures(cycle now, Host& host) {
        if (read_only_.can_serve())
            read_only_.serve([&](std::uint32_t token) { arrived(now, token, 1, host); });
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
        if (replay_.queues() && replay_.route(t.access.owner, t.access.kind) == replay_route::enter)
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
    template <class Host>
    [[gnu::noinline]] void step_with_queue(cycle now, Host& host) {
        auto presented = replay_route::wait;
        if (!pipe_.empty() && pipe_.front().due <= now && !refused_) presented = present(now, host);
        serve_textures(now, host);
        bool idle = presented == replay_route::wait;
        if (!queue_.empty() && queue_.front().ready <= now && now >= busy_until_)
            idle = !send(now, host) && idle;
        bool const tried = presented != replay_route::access && replay(now, idle, host);
        if constexpr (reads_ahead_)
            if (presented != replay_route::access && !tried && asks_ahead()) read_ahead(host);
    }
    /// Puts a transaction into the queue; `refused`: it has been tried in vain.
    void keep(in_pipe const& t, bool refused) {
        replayed_[replay_.push(t.access.owner, t.access.kind, refused)] = t;
        replay_lacks_room_below_ =
            replay_lacks_room_below_ || (refused && (bypasses(t.access) || lacking_ == refusal::miss_queue));
        ++replays_;
    }
    /// What was refused may be taken now.
    void room_changed() {
        replay_.room_changed();
        replay_lacks_room_below_ = false;
    }
    /// The transaction at the end of the pipe; where it went.
    template <class Host>
    replay_route present(cycle now, Host& host) {
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
    /// Tries one transaction of the queue, if it may; whether it does.
    template <class Host>
    bool replay(cycle now, bool idle, Host& host) {
        auto const entry = replay_.pick(idle);
        if (entry == no_replay_entry) return false;
        replay_entry(entry, now, host);
        return true;
    }
    template <class Host>
    void replay_entry(std::uint32_t entry, cycle now, Host& host) {
        auto const& t = replayed_[entry];
        if (!bypasses(t.access)) {
            if (access(now, t, host)) return replay_.accepted(entry);
            bool const goes_past = lacking_ == refusal::line_allocation &&
                                   t.access.kind == access_kind::load && replay_.bypasses_full_sets();
            if (!goes_past) {
                replay_lacks_room_below_ = replay_lacks_room_below_ || lacking_ == refusal::miss_queue;
                return replay_.refused(entry);
            }
            bypasses_ += !uncached_.full();
        }
        if (uncached_.full()) {
            replay_lacks_room_below_ = true;
            return replay_.refused(entry);
        }
        send_uncached(t.access);
        replay_.accepted(entry);
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
    /// Whether it may find a way when what that MSHR waits for has come.
    bool may_be_taken_behind(std::uint32_t mshr) const noexcept {
        if constexpr (tells_ahead<DataCache>)
            return cache_.fill_may_free_way(refused_set_, mshr);
        else
            return cache_.may_free_way(pipe_.front().access.address, cache_.fetched(mshr));
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
    static constexpr std::uint32_t largest_ = 128; ///< bytes of a transaction
    /// Where no replay queue is known when compiling, none is compiled.
    static constexpr bool may_queue_ = [] {
        if constexpr (std::is_empty_v<ReplayQueue>)
            return ReplayQueue{}.queues();
        else
            return true;
    }();
    /// Marks the token of a load that went past an L1: its replies are counted in bytes.
    static constexpr std::uint32_t past_l1_ = 0x80000000;

    load_store_numbers numbers_;
    std::uint32_t operand_cycles_ = 0;
    std::uint32_t writeback_ = 1;
    std::uint32_t latency_ = 1;
    std::uint32_t instruction_bytes_ = 8;
    bool enabled_ = true;
    std::uint32_t line_ = 128;
    std::uint32_t load_block_ = 128; ///< the most bytes of one access to the L1
    DataCache cache_{};
    std::uint32_t store_block_ = 128;
    read_only_caches<ConstantCache, TextureCache> read_only_;
    shared_banks banks_{};
    [[no_unique_address]] Coalescer coalesce_{};
    ring<pending> queue_;
    std::vector<pending> parts_; ///< further parts of instructions in the queue, in their order
    ring<in_pipe> pipe_;
    ring<lower_request> uncached_;
    memory_operations operations_;
    [[no_unique_address]] ReplayQueue replay_{};
    heap_array<in_pipe> replayed_; ///< by entry of the replay queue
    [[no_unique_address]] data_prefetch_queue<DataPrefetch> ahead_{};
    bool replay_lacks_room_below_ = false; ///< something in it was refused for want of a place in a queue
    bool refused_ = false;                 ///< the pipe's head, until what it lacked can have come
    std::uint32_t refused_set_ = 0;
    refusal head_lacks_ = refusal::line_allocation; ///< why it was
    refusal lacking_ = refusal::line_allocation;    ///< why the last access of any was refused
    cycle foreseen_ = 0;                            ///< the cycle of the last refusal that was counted ahead
    cycle busy_until_ = 0;
    cycle due_ = 0; ///< step() does nothing before, if nothing comes from outside
    std::uint64_t transactions_ = 0;
    std::uint64_t conflict_cycles_ = 0;
    std::uint64_t replays_ = 0;
    std::uint64_t bypasses_ = 0;
};

} // namespace warpkit
