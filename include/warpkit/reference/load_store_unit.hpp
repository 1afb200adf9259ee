#pragma once
/// \file
/// The load/store unit of a core (docs/model/load_store.md): coalescing, shared-memory conflicts, the caches of
/// its data, and the replay queue.

#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/lsu/l1_banks.hpp>
#include <warpkit/lsu/replay_policy.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/access_cutter.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/data_prefetch_queue.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policy_parameters.hpp>
#include <warpkit/machine/read_only_caches.hpp>
#include <warpkit/machine/replay_stage.hpp>
#include <warpkit/machine/writeback_port.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/reference/cache.hpp>
#include <warpkit/reference/link.hpp>
#include <warpkit/reference/translation.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpkit::reference {

/// Instructions wait in order until their operands are there. The one in front sends one transaction a cycle: into the
/// delay pipe, at whose end is the L1 (with banks, up to one into the pipe of each); past the L1, if it is an atomic or
/// there is no L1; or to the constant or texture cache. What a cache refuses stays in front and holds up what is behind
/// it until what it lacked can have come, unless a replay queue takes it. An instruction whose lanes look into several
/// memory spaces is an access for each, one behind the other. The core gives `operations_begin/ended(warp, how many)`,
/// `result_at(cycle, warp, instruction)`, `written(warp, instruction)`, `writes(instruction)`, `take_banks(warp,
/// instruction)`, `hand_over()` of the next one to take(), `tell(event)`, and `signalled(message)` of another CTA's
/// event at an mbarrier. Of an access to shared memory on other cores (docs/model/clusters.md#shared-memory) each core
/// is a part, which leaves as a message and waits for its answer.
template <class P, class Core>
class load_store_unit {
public:
    load_store_unit(gpu_parameters const& p, auto const& values, unsigned core)
        : n_(p),
          data_(make<typename P::data_cache>("l1d", p.l1d, p.l1d_variant)),
          accesses_(p, data_.fetches_on_store(), values.coalescer, core, !values.replay_queue.queues()),
          translation_(p.tlb),
          l1_banks_(p.lsu.l1_banks),
          replay_(values.replay_queue),
          ahead_(values.data_prefetch, p) {
        check_l1_banks(p.lsu.l1_banks, replay_.in_use());
        cache_of<typename P::constant_cache> constants;
        cache_of<typename P::texture_cache> textures;
        if (p.l1c.size != 0) constants = make<typename P::constant_cache>("l1c", p.l1c);
        if (p.l1t.size != 0) textures = make<typename P::texture_cache>("l1t", p.l1t);
        read_only_ = {std::move(constants), std::move(textures)};
    }

    /// A kernel of which a core holds so many CTAs at most begins.
    void begin_kernel(std::uint32_t ctas, std::uint32_t warps_per_cta) {
        accesses_.begin_kernel(ctas, warps_per_cta);
    }
    bool can_accept() const { return instructions() < n_.lsu.queue; }
    /// Behind operand collectors: it takes the instruction of this number.
    void take(cycle now, std::uint64_t number) {
        queue_ = collecting_.extract(number).mapped();
        for (auto& p : queue_) p.ready = now;
    }
    /// Takes over the instruction under the cursor, which issues at `now`. Precondition: can_accept(). Behind operand
    /// collectors it waits there under its number.
    void issue(cycle now, std::uint64_t number, warp_slot w, std::uint32_t index, static_instruction const& i,
               stream_cursor const& at, warp_stream const& s, cta_cluster const& cluster, Core& core) {
        auto const kind = access_kind_of(i.kind);
        fifo_queue<part> parts;
        bool one_of_several = false;
        if (at.mask() != 0) {
            lane_addresses address{};
            at.addresses(s, address);
            warp_access const a{at.mask(), i.access_bytes, kind, false, 0, 0, &address, i.past_l1};
            auto const pc = index * n_.core.instruction_bytes;
            accesses_.each_part(
                a, w, at, s, cluster,
                [&](memory_space space, warp_access const& p, bool alone) {
                    parts.push_back(prepare(now, space, p, w, pc, core));
                    one_of_several |= !alone;
                },
                [&](unsigned other, warp_access const& p, bool) {
                    parts.emplace_back();
                    parts.back().space = memory_space::shared;
                    parts.back().to = transaction_lane::cluster;
                    auto& m = parts.back().message = accesses_.message(other, p, w);
                    if (i.async == async_role::arrive) m.kind = access_kind::store; // it has no result
                    if (m.kind == access_kind::store) core.operations_begin(w, 1);
                });
        }
        if (parts.empty()) parts.emplace_back(); // no lane takes part, or none looks into any space
        parts.back().last = true;
        // Loads and atomics have one result, when all parts have theirs; of stores to memory each part is
        // acknowledged, other parts of stores have a result each.
        auto token = no_token;
        for (auto& p : parts) {
            p.ready = now + n_.core.operand_cycles;
            if (kind == access_kind::store && p.to != transaction_lane::none) continue;
            if (token == no_token || kind == access_kind::store) {
                token = static_cast<std::uint32_t>(next_token_++ % first_bulk_token);
                operations_[token] = {w, index, 0, 0, one_of_several && kind != access_kind::store};
                core.operations_begin(w, 1);
            }
            auto& o = operations_.at(token);
            o.returns_data |= p.to != transaction_lane::none;
            o.missing += p.transactions.empty();
            p.token = p.message.token = token;
            for (auto& t : p.transactions) {
                t.token = token;
                o.missing += kind == access_kind::atomic ? t.bytes : 1;
            }
        }
        if (n_.core.register_banks != 0) {
            collecting_[number] = std::move(parts);
            return;
        }
        for (auto& p : parts) queue_.push_back(std::move(p));
    }

    /// The cycle of the write-back port, if there is one.
    void write_back(cycle now, Core& core) {
        port_.tick(now, core, [&](auto const& a) { arrived(now, a.token, a.amount, core); });
    }
    /// A cycle, back to front: heads of delay pipes look up the L1; transactions set out whose page has come; with a
    /// write-back port what was taken before sends to it; another is taken; the texture in front of its FIFO is served;
    /// the instruction in front sends; the replay queue tries one of its own if the L1's port is free; if it still is,
    /// and no head waits, a prefetch does.
    void tick(cycle now, Core& core) {
        translation_.tick(now);
        auto presented = replay_route::wait;
        for (auto& b : l1_banks_)
            if (!b.pipe.empty() && b.pipe.front().at <= now && !b.lacking) presented = present(now, b, core);
        auto const to_l1 = [this] { return queue_.front().to == transaction_lane::l1; };
        bool const others_set_out = !translation_.ready().empty();
        bool went_past = others_set_out && send_translated(now);
        auto const must_wait = [&] {
            return others_set_out && (to_l1() || queue_.front().to == transaction_lane::past_l1);
        };
        if (has_port() && !queue_.empty() && to_l1() && !must_wait() && now >= shared_busy_until_)
            send(now, core);
        if (queue_.empty() && now >= shared_busy_until_) core.hand_over();
        auto const has_come = [&](std::uint32_t token) {
            comes(now, writeback_port::client::texture, token, 1, core);
        };
        if (read_only_.can_serve()) read_only_.serve(has_come);
        bool const has_turn =
            !queue_.empty() && queue_.front().ready <= now && now >= shared_busy_until_ && !must_wait();
        went_past |= has_turn && !(has_port() && to_l1()) && send(now, core);
        bool free = presented != replay_route::access;
        if (free)
            free = !replay_.try_one(presented == replay_route::wait && !went_past,
                                    [&](cache_access const& a) { return offer_again(now, a, core); });
        for (auto const& b : l1_banks_) free &= !b.lacking;
        if (free && !ahead_.empty()) read_ahead(core);
    }

    // ---- other cores of a cluster

    /// A message from one of them. An access has the banks as soon as they are free; before the unit's own of this
    /// cycle.
    void take_message(cycle now, cluster_message const& m, Core& core) {
        if (m.is_answer) {
            if (m.kind == access_kind::store) return core.operations_ended(warp_slot{m.warp}, 1);
            return comes(now, writeback_port::client::past_l1, m.token, 1, core);
        }
        if (m.signals) core.signalled(m);
        auto const from = std::max(now, shared_busy_until_);
        shared_busy_until_ = from + m.cycles;
        answers_.push_back({shared_busy_until_ - 1 + n_.lsu.shared_latency, answer_to(m)});
    }
    /// Answers whose data has been read leave now.
    void send_answers(cycle now) {
        for (; !answers_.empty() && answers_.front().at <= now; answers_.pop_front())
            messages_.push_back(answers_.front().what);
    }
    void tell_other(cluster_message const& m) { messages_.push_back(m); }
    /// What leaves for others in this cycle.
    std::vector<cluster_message>& messages() { return messages_; }

    // ---- towards memory: constants first, then textures, what goes past the L1, and the L1

    bool has_request() const { return read_only_.has_request() || !past_l1_.empty() || data_.has_request(); }
    packet request() const {
        if (read_only_.has_request()) return read_only_.request();
        if (!past_l1_.empty()) return packet_of(past_l1_.front(), past_l1_.front().token);
        return packet_of(data_.front_request(), of_the_l1);
    }
    void pop_request() {
        if (read_only_.has_request()) return read_only_.pop_request();
        past_l1_.empty() ? data_.pop_request() : past_l1_.pop_front();
        for (auto& b : l1_banks_)
            if (b.lacking == refusal::miss_queue) b.lacking.reset();
        replay_.room_below();
    }
    /// A reply to a read or an atomic.
    void receive(cycle now, packet const& p, Core& core) {
        using client = writeback_port::client;
        auto const to = [&](client c) {
            return [this, now, c, &core](std::uint32_t token) { comes(now, c, token, 1, core); };
        };
        if (p.kind == packet_kind::constant || p.kind == packet_kind::texture)
            return void(read_only_.fill(p, to(client::constant)));
        if (p.token != of_the_l1) return comes(now, client::past_l1, p.token, p.bytes, core);
        auto const address = data_.fetch_of(p.address);
        auto const waits = data_.outstanding();
        auto const departed = data_.fill(p.address, p.bytes, to(client::l1));
        if (data_.outstanding() == waits) return; // a part
        // What was refused may find its sector here, a way of its set, or an MSHR.
        for (auto& b : l1_banks_)
            if (b.lacking == refusal::mshr_entry || data_.may_free_way(b.refused, address)) b.lacking.reset();
        replay_.anything_changed();
        core.tell(l1_filled{line_of(address)});
        tell_departed(departed, core);
    }

    // ---- what others want to know

    /// Room behind the L1, in the L1's own terms; without an L1, in those of the queue that takes its place.
    memory_pressure pressure() const {
        auto const narrow = [](std::size_t n) { return static_cast<std::uint16_t>(n); };
        auto const& n = data_.parameters();
        auto const taken = has_l1() ? data_.requests() : past_l1_.size();
        auto const queue = has_l1() ? n.miss_queue : n_.l1d.miss_queue;
        auto const mshrs = has_l1() ? n.mshr_entries : 0;
        return {.free_mshrs = narrow(mshrs - data_.outstanding()),
                .mshrs = narrow(mshrs),
                .free_queue = narrow(taken < queue ? queue - taken : 0),
                .queue = narrow(queue)};
    }
    auto const& data() const { return data_; }
    auto& translation() { return translation_; }
    auto const& translation() const { return translation_; }
    auto& prefetch() { return ahead_.policy(); }
    /// What was asked for ahead has not come yet, or not set out.
    bool reading_ahead() const { return ahead_.in_use() && (!ahead_.empty() || data_.outstanding() != 0); }
    void add_to(core_counters& c) const {
        c.transactions = accesses_.transactions();
        c.bank_conflict_cycles = accesses_.bank_conflict_cycles();
        c.replays = replay_.replays();
        c.l1_bypasses = bypasses_;
        ahead_.add_to(c);
    }
    void add_to(run_counters& c) const {
        c.l1d += data_.counters();
        c.l1c += read_only_.constants().counters();
        c.l1t += read_only_.textures().counters();
        c.tlb += translation_.counters();
    }
    /// Whether no instruction is under way. Write-backs, and the fetches of lines that were stored to, may be.
    bool idle() const {
        for (auto const& b : l1_banks_)
            if (!b.pipe.empty()) return false;
        return queue_.empty() && collecting_.empty() && past_l1_.empty() && replay_.empty() &&
               operations_.empty() && port_.empty() && translation_.idle() && answers_.empty() &&
               messages_.empty();
    }
    /// Empties the caches; the L1 has so many lines from now on, if it is one that can.
    void invalidate([[maybe_unused]] std::uint32_t l1_lines) {
        ahead_.invalidate();
        if constexpr (requires { data_.carve(l1_lines); })
            if (has_l1()) data_.carve(l1_lines);
        data_.invalidate_all();
        read_only_.invalidate();
    }
    /// New warps are in these slots: lines that the former ones brought in belong to nobody.
    void disown(warp_set slots) {
        data_.disown(slots);
        read_only_.disown(slots);
    }
    /// The warps in these slots have ended.
    void exited(warp_set slots) {
        if constexpr (requires { data_.exited(slots); }) data_.exited(slots);
        read_only_.exited(slots);
    }
    /// So many warps may keep lines in the L1, if it minds.
    void granted([[maybe_unused]] unsigned warps) {
        if constexpr (requires { data_.granted(warps); }) data_.granted(warps);
    }

private:
    template <class Policies>
    cache_of<Policies> make(char const* name, cache_numbers const& n, std::string const& variant = {}) const {
        return make_cache<cache_of<Policies>, Policies>(name, n, variant, n_.policy_parameters);
    }
    /// What an instruction does in one memory space.
    struct part {
        cycle ready = 0; ///< the operands have been read
        memory_space space = memory_space::none;
        transaction_lane to = transaction_lane::none;
        std::uint32_t token = no_token; ///< of the operation that it is a part of
        unsigned shared_cycles = 1;
        bool last = false; ///< of its instruction
        fifo_queue<cache_access> transactions;
        cluster_message message; ///< of what goes to another core
    };
    /// A transaction whose page has come, or that waits for it.
    struct translated {
        transaction_lane to;
        cache_access access;
    };
    struct l1_bank {
        fifo_queue<timed<cache_access>> pipe;
        std::optional<refusal> lacking; ///< why its head was refused, until what it lacked can have come
        std::uint64_t refused = 0;      ///< the address of what was
    };
    /// What an instruction waits for until it has its result.
    struct operation {
        warp_slot warp;
        std::uint32_t instruction = 0;
        std::uint32_t missing = 0; ///< transactions, and parts without any; past the L1, bytes
        cycle earliest = 0;        ///< of its result: when parts without transactions have theirs
        bool returns_data = false;
    };
    using page_answer = typename core_translation<translated>::answer;
    static constexpr std::uint32_t of_the_l1 = 0xfffffffe; ///< token of packets known by their address

    std::size_t instructions() const {
        return static_cast<std::size_t>(
            std::count_if(queue_.begin(), queue_.end(), [](auto const& p) { return p.last; }));
    }
    bool has_l1() const { return n_.l1d.size != 0; }
    bool past_l1_full() const { return past_l1_.size() == n_.l1d.miss_queue; }
    std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{n_.l1d.line - 1}; }
    /// Works out what is to be done for an access to one memory space.
    part prepare(cycle now, memory_space space, warp_access const& a, warp_slot w, std::uint32_t pc,
                 Core& core) {
        part p;
        p.space = space;
        if (space == memory_space::shared) p.shared_cycles = accesses_.shared_cycles(a);
        transaction_list list;
        p.to = accesses_.cut(space, a, list);
        for (auto const& t : list) {
            p.transactions.push_back({t.address, t.bytes, a.kind, space, w, no_token, pc, t.used});
            if (a.kind == access_kind::store) core.operations_begin(w, t.bytes);
        }
        if (p.to == transaction_lane::l1 && a.kind == access_kind::load)
            ahead_.seen(p.transactions.front(), p.transactions, now, data_.counters());
        return p;
    }

    /// The instruction in front sends a transaction, or has its answer. Whether a transaction went past the L1.
    bool send(cycle now, Core& core) {
        auto& p = queue_.front();
        bool went_past = false;
        if (p.to == transaction_lane::none) {
            answer(now, p, core);
        } else if (p.to == transaction_lane::cluster) {
            tell_other(p.message);
            shared_busy_until_ = now + cycles_of(p.message, n_.cluster.bandwidth);
            bool const arrival = p.message.kind == access_kind::store && p.token != no_token;
            if (arrival) arrived(now, p.token, 1, core); // which its warp does not wait for
        } else if (p.to == transaction_lane::l1) {
            send_to_l1(now, p.transactions);
        } else {
            auto const& t = p.transactions.front();
            if (p.to == transaction_lane::past_l1) {
                if (past_l1_closed(t)) return false;
                auto const found = look_up_page(now, p.to, t);
                if (found == page_answer::not_yet) return false;
                went_past = found == page_answer::now;
                if (went_past) send_past(t);
            } else if (!send_read_only(now, t, core)) {
                return false;
            }
            p.transactions.pop_front();
        }
        if (p.transactions.empty()) queue_.pop_front();
        return went_past;
    }
    /// As many as find room, in order, one in each bank; up to one whose page the TLB has not.
    void send_to_l1(cycle now, fifo_queue<cache_access>& transactions) {
        for (; !transactions.empty() && l1_has_room(now, transactions.front()); transactions.pop_front()) {
            auto const found = look_up_page(now, transaction_lane::l1, transactions.front());
            if (found == page_answer::later) transactions.pop_front();
            if (found != page_answer::now) return;
            enter_l1(now, transactions.front());
        }
    }
    cycle l1_due(cycle now) const { return now + n_.lsu.l1_latency - 1 + n_.lsu.writeback_port; }
    l1_bank& bank_of(cache_access const& a) { return l1_banks_[a.address / 32 % l1_banks_.size()]; }
    bool l1_has_room(cycle now, cache_access const& a) {
        auto const& pipe = bank_of(a).pipe;
        return pipe.size() != n_.lsu.l1_latency && (pipe.empty() || pipe.back().at != l1_due(now));
    }
    void enter_l1(cycle now, cache_access const& a) { bank_of(a).pipe.push_back({l1_due(now), a}); }
    page_answer look_up_page(cycle now, transaction_lane to, cache_access const& a) {
        return translation_.look_up(now, a.address, a.owner, {to, a});
    }
    /// Those whose pages have come, as many as find room, in order, before the instruction in front; one of those past
    /// the L1. Whether one of these.
    bool send_translated(cycle now) {
        for (auto& ready = translation_.ready(); !ready.empty(); ready.erase(ready.begin())) {
            auto const t = ready.front();
            if (t.to == transaction_lane::past_l1) {
                if (past_l1_closed(t.access)) return false;
                send_past(t.access);
                ready.erase(ready.begin());
                return true;
            }
            if (!l1_has_room(now, t.access)) return false;
            enter_l1(now, t.access);
        }
        return false;
    }
    void answer(cycle now, part const& p, Core& core) {
        auto at = now; // no lane took part
        if (p.space == memory_space::shared) {
            shared_busy_until_ = now + p.shared_cycles;
            at = shared_busy_until_ - 1 + n_.lsu.shared_latency;
            if (has_port())
                return core.writes(operations_.at(p.token).instruction)
                           ? comes(at, writeback_port::client::shared, p.token, 1, core)
                           : arrived(now, p.token, 1, core);
        } else if (p.space != memory_space::none) {
            at = now + n_.lsu.constant_latency;
        }
        auto& o = operations_.at(p.token);
        if (o.earliest < at) o.earliest = at;
        arrived(now, p.token, 1, core);
    }
    bool send_read_only(cycle now, cache_access const& a, Core& core) {
        if (read_only_.refused()) return false;
        auto const r = read_only_.access(a.space, a);
        if (r.answer == cache_answer::refused) core.tell(lsu_refused{a.owner, r.reason});
        if (r.answer == cache_answer::now) arrived(now, a.token, 1, core, n_.lsu.constant_latency);
        return r.answer != cache_answer::refused;
    }
    bool past_l1_closed(cache_access const& a) const {
        auto const route = replay_.route(a.owner, a.kind);
        return route == replay_route::wait ||
               (route == replay_route::access && past_l1_full() && !replay_.takes_refused());
    }
    void send_past(cache_access const& a) {
        auto const route = replay_.route(a.owner, a.kind);
        if (route == replay_route::enter || past_l1_full())
            replay_.keep(a, a, route == replay_route::access, true);
        else
            send_down(a);
    }
    /// To the next level, past the L1 if there is one.
    void send_down(cache_access const& a) {
        auto const kind = a.kind == access_kind::load    ? lower_kind::fetch
                          : a.kind == access_kind::store ? lower_kind::store
                                                         : lower_kind::atomic;
        if (a.kind == access_kind::load) operations_.at(a.token).missing += a.bytes - 1; // bytes from now on
        past_l1_.push_back({a.address, a.bytes, a.token, a.written, kind, a.space, a.owner});
    }

    /// The transaction at the end of a delay pipe has its turn; where it went.
    replay_route present(cycle now, l1_bank& b, Core& core) {
        auto const a = b.pipe.front().what;
        auto const route = replay_.route(a.owner, a.kind);
        if (route == replay_route::wait) return route;
        if (route == replay_route::enter) {
            replay_.keep(a, a, false, false);
        } else {
            b.lacking = look_up(now, a, core);
            b.refused = a.address;
            if (b.lacking && !replay_.takes_refused()) return route;
            if (b.lacking) replay_.keep(a, a, true, b.lacking == refusal::miss_queue);
            b.lacking.reset();
        }
        b.pipe.pop_front();
        return route;
    }
    /// Offers a transaction to the L1; why it was refused, if it was.
    std::optional<refusal> look_up(cycle now, cache_access const& a, Core& core) {
        auto const r = data_.access(a);
        if (r.answer == cache_answer::refused) {
            core.tell(lsu_refused{a.owner, r.reason});
            return r.reason;
        }
        core.tell(l1_accessed{a.owner, a.pc, line_of(a.address), a.kind, r.outcome});
        if (a.kind == access_kind::load) ahead_.demanded(a.address, r.outcome);
        tell_departed(r.departed, core);
        if (a.kind == access_kind::store) { // done once the L1 has it, even if it fetches the rest
            if (r.answer != cache_answer::below) core.operations_ended(a.owner, a.bytes);
        } else if (r.answer == cache_answer::now) {
            arrived(now, a.token, 1, core);
        }
        return std::nullopt;
    }
    void tell_departed(departed_line const& d, Core& core) {
        if (!d) return;
        ahead_.departed(d.line);
        core.tell(l1_evicted{d.line, d.owner, d.how == line_departure::invalidated});
    }
    bool has_port() const { return n_.lsu.writeback_port != 0; }
    /// So much of it comes at `now`; through the write-back port, if there is one.
    void comes(cycle now, writeback_port::client c, std::uint32_t token, std::uint32_t amount, Core& core) {
        if (!has_port()) return arrived(now, token, amount, core);
        auto const& o = operations_.at(token);
        port_.push(c, {now, token, amount, o.instruction, o.warp});
    }
    /// So much of what an operation waits for has come. With the last of it, its result is under way, `later` than
    /// usual.
    void arrived(cycle now, std::uint32_t token, std::uint32_t amount, Core& core, cycle later = 0) {
        auto& o = operations_.at(token);
        o.missing -= amount;
        if (o.missing != 0) return;
        auto const done = o;
        operations_.erase(token);
        auto const at = now + later < done.earliest ? done.earliest : now + later;
        if (has_port() && at == now)
            core.written(done.warp, done.instruction);
        else
            core.result_at(at + n_.core.writeback_cycles, done.warp, done.instruction);
        if (done.returns_data)
            core.tell(load_returned{done.warp, done.instruction * n_.core.instruction_bytes});
    }

    /// The first block that the prefetcher waits for enters the L1, as a load that wakes nobody, or is dropped.
    void read_ahead(Core& core) {
        auto const a = ahead_.take();
        if (!translation_.has(a.address)) return;
        auto const found = data_.probe(a);
        if (found != cache_outcome::miss && found != cache_outcome::sector_miss) return;
        auto const r = data_.access(a);
        if (r.answer == cache_answer::refused) return;
        tell_departed(r.departed, core);
        ahead_.issued(a);
    }

    /// A transaction of the replay queue has another turn. A load whose set is full may go past the L1.
    replay_answer offer_again(cycle now, cache_access const& a, Core& core) {
        if (a.kind != access_kind::atomic && has_l1()) {
            auto const lacking = look_up(now, a, core);
            if (!lacking) return replay_answer::taken;
            bool const goes_past = lacking == refusal::line_allocation && a.kind == access_kind::load &&
                                   replay_.bypasses_full_sets();
            if (!goes_past)
                return lacking == refusal::miss_queue ? replay_answer::lacks_room_below
                                                      : replay_answer::refused;
            bypasses_ += !past_l1_full();
        }
        if (past_l1_full()) return replay_answer::lacks_room_below;
        send_down(a);
        return replay_answer::taken;
    }

    gpu_parameters n_;
    cache_of<typename P::data_cache> data_;
    access_cutter<typename P::coalescer> accesses_;
    read_only_caches<cache_of<typename P::constant_cache>, cache_of<typename P::texture_cache>> read_only_;
    fifo_queue<part> queue_;                               ///< of all instructions
    std::map<std::uint64_t, fifo_queue<part>> collecting_; ///< of those on their way to it, by number
    cycle shared_busy_until_ = 0;
    writeback_port port_;
    core_translation<translated> translation_;
    std::vector<l1_bank> l1_banks_;
    fifo_queue<lower_request> past_l1_;
    std::map<std::uint32_t, operation> operations_; ///< by token
    std::uint64_t next_token_ = 0;
    replay_stage<typename P::replay_queue, cache_access> replay_;
    data_prefetch_queue<typename P::data_prefetch> ahead_;
    std::uint64_t bypasses_ = 0;
    std::vector<cluster_message> messages_;      ///< that leave in this cycle
    fifo_queue<timed<cluster_message>> answers_; ///< to be sent when their data has been read
};

} // namespace warpkit::reference
