#pragma once
/// \file
/// The load/store unit of a core (docs/model/load_store.md): coalescing, shared-memory conflicts, the caches of
/// its data, and the replay queue.

#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/lsu/cut_transactions.hpp>
#include <warpkit/lsu/l1_banks.hpp>
#include <warpkit/lsu/line_coalescing.hpp>
#include <warpkit/lsu/local_interleaving.hpp>
#include <warpkit/lsu/replay_policy.hpp>
#include <warpkit/lsu/shared_banks.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/data_prefetch_queue.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policy_parameters.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/reference/cache.hpp>
#include <warpkit/reference/link.hpp>

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
/// `result_at(cycle, warp, instruction)` and `tell(event)`.
template <class P, class Core>
class load_store_unit {
public:
    load_store_unit(gpu_parameters const& p, auto const& values, unsigned core)
        : n_(p),
          banks_(p.lsu.shared_banks),
          coalesce_(values.coalescer),
          places_{core, p.core.count},
          data_(make<typename P::data_cache>("l1d", p.l1d, p.l1d_variant)),
          l1_banks_(p.lsu.l1_banks),
          replay_(values.replay_queue),
          replayed_(replay_.capacity()),
          ahead_(values.data_prefetch, p) {
        check_l1_banks(p.lsu.l1_banks, replay_.queues());
        if (p.l1c.size != 0) constants_ = make<typename P::constant_cache>("l1c", p.l1c);
        if (p.l1t.size != 0) textures_ = make<typename P::texture_cache>("l1t", p.l1t);
    }

    /// A kernel of which a core holds so many CTAs at most begins.
    void begin_kernel(std::uint32_t ctas, std::uint32_t warps_per_cta) {
        places_.ctas = ctas;
        places_.warps_per_cta = warps_per_cta;
    }
    bool can_accept() const { return instructions() < n_.lsu.queue; }
    /// Behind operand collectors: it has done with the last instruction, and takes the one of this number.
    bool has_room() const { return queue_.empty(); }
    void take(cycle now, std::uint64_t number) {
        queue_ = collecting_.extract(number).mapped();
        for (auto& p : queue_) p.ready = now;
    }
    /// Takes over the instruction under the cursor, which issues at `now`. Precondition: can_accept(). Behind operand
    /// collectors it waits there under its number.
    void issue(cycle now, std::uint64_t number, warp_slot w, std::uint32_t index, static_instruction const& i,
               stream_cursor const& at, warp_stream const& s, Core& core) {
        fifo_queue<part> parts;
        lane_addresses address{};
        warp_access a;
        a.kind = access_kind_of(i.kind);
        a.bytes = i.access_bytes;
        a.affine = false;
        a.addresses = &address;
        bool in_parts = false;
        for (auto const space : spaces_of(at, s)) {
            a.active = at.addresses_in(s, space, address);
            if (a.active == 0) continue;
            auto const pc = index * n_.core.instruction_bytes;
            in_parts |= a.active != at.mask();
            if (space != memory_space::local) {
                parts.push_back(prepare(now, space, a, w, pc, core));
                continue;
            }
            // Local memory lies interleaved: an access for each word.
            local_interleaving const local{local_base, places_.threads()};
            auto const words = local_interleaving::words(a);
            auto const first = places_.first_thread(w.index());
            for (std::uint32_t k = 0; k < words; ++k) {
                lane_addresses placed;
                parts.push_back(prepare(now, space, local.word_of(a, first, k, placed), w, pc, core));
            }
            in_parts |= words != 1;
        }
        if (parts.empty()) parts.emplace_back(); // no lane takes part, or none looks into any space
        // Loads and atomics have one result, when all parts have theirs; of stores to memory each part is
        // acknowledged, other parts of stores have a result each.
        std::optional<std::uint32_t> token;
        for (auto& p : parts) {
            p.ready = now + n_.core.operand_cycles;
            p.last = &p == &parts.back();
            if (a.kind == access_kind::store && p.to != way::none) continue;
            if (!token || a.kind == access_kind::store) {
                token = begin_operation({w, index, 0, 0, in_parts && a.kind != access_kind::store});
                core.operations_begin(w, 1);
            }
            auto& o = operations_.at(*token);
            o.returns_data |= p.to != way::none;
            p.token = *token;
            if (p.to == way::none) ++o.missing;
            for (auto& t : p.transactions) {
                t.token = *token;
                o.missing += a.kind == access_kind::atomic ? t.bytes : 1;
            }
        }
        if (n_.core.register_banks != 0) {
            collecting_[number] = std::move(parts);
            return;
        }
        for (auto& p : parts) queue_.push_back(std::move(p));
    }

    /// A cycle, back to front: what is at the end of the delay pipe looks up the L1, the texture access in front of
    /// its FIFO is served, the instruction in front sends a transaction, and the replay queue tries one of its own if
    /// the L1's port is free; if it still is, a prefetch does, unless the head of the pipe waits.
    void tick(cycle now, Core& core) {
        auto presented = replay_route::wait;
        for (auto& b : l1_banks_)
            if (!b.pipe.empty() && b.pipe.front().at <= now && !b.lacking) presented = present(now, b, core);
        if (textures_.can_serve()) {
            arrived(now, textures_.serve(), 1, core);
            read_only_refused_ = false;
        }
        bool const has_turn = !queue_.empty() && queue_.front().ready <= now && now >= shared_busy_until_;
        bool const went_past = has_turn && send(now, core);
        bool free = presented != replay_route::access;
        if (free) free = !replay(now, presented == replay_route::wait && !went_past, core);
        for (auto const& b : l1_banks_) free &= !b.lacking;
        if (free && !ahead_.empty()) read_ahead(core);
    }

    // ---- towards memory: constants first, then textures, what goes past the L1, and the L1

    bool has_request() const {
        return constants_.has_request() || textures_.has_request() || !past_l1_.empty() ||
               data_.has_request();
    }
    packet request() const {
        if (constants_.has_request())
            return packet_of(constants_.front_request(), of_a_cache, packet_kind::constant);
        if (textures_.has_request())
            return packet_of(textures_.front_request(), textures_.front_request().mshr, packet_kind::texture);
        if (!past_l1_.empty()) return packet_of(past_l1_.front(), past_l1_.front().token);
        return packet_of(data_.front_request(), of_a_cache);
    }
    void pop_request() {
        if (constants_.has_request() || textures_.has_request()) {
            constants_.has_request() ? constants_.pop_request() : textures_.pop_request();
            read_only_refused_ = false;
            return;
        }
        past_l1_.empty() ? data_.pop_request() : past_l1_.pop_front();
        for (auto& b : l1_banks_)
            if (b.lacking == refusal::miss_queue) b.lacking.reset();
        if (replay_lacks_room_below_) room_changed();
    }
    /// A reply to a read or an atomic.
    void receive(cycle now, packet const& p, Core& core) {
        if (p.kind == packet_kind::texture) return textures_.fill(p.bytes, p.token);
        if (p.token != of_a_cache) return arrived(now, p.token, p.bytes, core);
        bool const constant = p.kind == packet_kind::constant;
        auto const f = constant ? constants_.fill(p.address, p.bytes) : data_.fill(p.address, p.bytes);
        if (!f.complete) return;
        for (auto const token : f.tokens)
            if (token != no_token) arrived(now, token, 1, core);
        if (constant) {
            read_only_refused_ = false;
            return;
        }
        // What was refused may find its sector here, a way of its set, or an MSHR.
        for (auto& b : l1_banks_)
            if (b.lacking == refusal::mshr_entry || data_.may_free_way(b.refused, f.address))
                b.lacking.reset();
        room_changed();
        core.tell(l1_filled{line_of(f.address)});
        tell_departed(f.departed, core);
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
    auto& prefetch() { return ahead_.policy(); }
    /// What was asked for ahead has not come yet, or not set out.
    bool reading_ahead() const { return !ahead_.empty() || data_.outstanding() != 0; }
    void add_to(core_counters& c) const {
        c.transactions = transactions_;
        c.bank_conflict_cycles = bank_conflict_cycles_;
        c.replays = replays_;
        c.l1_bypasses = bypasses_;
        ahead_.add_to(c);
    }
    void add_to(run_counters& c) const {
        c.l1d += data_.counters();
        c.l1c += constants_.counters();
        c.l1t += textures_.counters();
    }
    /// Whether no instruction is under way. Write-backs, and the fetches of lines that were stored to, may be.
    bool idle() const {
        for (auto const& b : l1_banks_)
            if (!b.pipe.empty()) return false;
        return queue_.empty() && collecting_.empty() && past_l1_.empty() && replay_.empty() &&
               operations_.empty();
    }
    void invalidate() {
        ahead_.invalidate();
        data_.invalidate_all();
        constants_.invalidate_all();
        textures_.invalidate_all();
    }
    /// New warps are in these slots: lines that the former ones brought in belong to nobody.
    void disown(warp_set slots) {
        data_.disown(slots);
        constants_.disown(slots);
        textures_.disown(slots);
    }

    friend bool operator==(load_store_unit const&, load_store_unit const&) = default;

private:
    template <class Policies>
    cache_of<Policies> make(char const* name, cache_numbers const& n, std::string const& variant = {}) const {
        return make_cache<cache_of<Policies>, Policies>(name, n, variant, n_.policy_parameters);
    }
    enum class way { none, l1, past_l1, read_only }; ///< where transactions go
    /// What an instruction does in one memory space.
    struct part {
        cycle ready = 0; ///< the operands have been read
        memory_space space = memory_space::none;
        way to = way::none;
        std::uint32_t token = no_token; ///< of the operation that it is a part of
        unsigned shared_cycles = 1;
        bool last = true; ///< of its instruction
        fifo_queue<cache_access> transactions;
        friend bool operator==(part const&, part const&) = default;
    };
    struct l1_bank {
        fifo_queue<timed<cache_access>> pipe;
        std::optional<refusal> lacking; ///< why its head was refused, until what it lacked can have come
        std::uint64_t refused = 0;      ///< the address of what was
        friend bool operator==(l1_bank const&, l1_bank const&) = default;
    };
    /// What an instruction waits for until it has its result.
    struct operation {
        warp_slot warp;
        std::uint32_t instruction = 0;
        std::uint32_t missing =
            0; ///< transactions, and parts without any; past the L1, where answers come in parts: bytes
        cycle earliest = 0; ///< of its result: when parts without transactions have theirs
        bool returns_data = false;
        friend bool operator==(operation const&, operation const&) = default;
    };
    static constexpr std::uint32_t of_a_cache =
        0xfffffffe; ///< token of packets that a cache knows by their address

    std::size_t instructions() const {
        return static_cast<std::size_t>(
            std::count_if(queue_.begin(), queue_.end(), [](auto const& p) { return p.last; }));
    }
    bool has_l1() const { return n_.l1d.size != 0; }
    bool past_l1_full() const { return past_l1_.size() == n_.l1d.miss_queue; }
    std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{n_.l1d.line - 1}; }
    static std::vector<memory_space> spaces_of(stream_cursor const& at, warp_stream const& s) {
        if (at.mask() == 0) return {};
        if (at.space(s) != memory_space::generic) return {at.space(s)};
        return {std::begin(generic_spaces), std::end(generic_spaces)};
    }
    std::uint32_t begin_operation(operation const& o) {
        while (operations_.count(next_token_) != 0) next_token_ = (next_token_ + 1) % of_a_cache;
        operations_[next_token_] = o;
        return next_token_;
    }

    /// Works out what is to be done for an access to one memory space.
    part prepare(cycle now, memory_space space, warp_access const& a, warp_slot w, std::uint32_t pc,
                 Core& core) {
        part p;
        p.space = space;
        transaction_list list;
        std::uint64_t base = 0;
        bool const constant = space == memory_space::constant || space == memory_space::parameter;
        bool const texture = space == memory_space::texture;
        if (space == memory_space::shared) {
            p.shared_cycles = banks_.cycles(a);
            bank_conflict_cycles_ += p.shared_cycles - 1;
        } else if (a.kind == access_kind::load &&
                   ((constant && n_.l1c.size != 0) || (texture && n_.l1t.size != 0))) {
            line_coalescing{texture ? n_.l1t.line : n_.l1c.line}(a, false, list);
            if (space == memory_space::parameter && list[0].address >= call_frame)
                list.clear(); // parameters of inlined functions are no memory
            if (constant && n_.l1c.sector < n_.l1c.line) cut_transactions(list, n_.l1c.sector);
            if (constant) base = space == memory_space::constant ? constant_base : parameter_base;
            if (texture) transactions_ += list.size();
            p.to = list.empty() ? way::none : way::read_only;
        } else if (!constant) {
            bool const past = a.kind == access_kind::atomic || !has_l1();
            coalesce_(a, past, list);
            bool const whole_lines = a.kind == access_kind::store && !data_.fetches_on_store();
            if (auto const most = whole_lines ? n_.l1d.line : n_.l1d.sector; most < 128 && !past)
                cut_transactions(list, most);
            transactions_ += list.size();
            p.to = past ? way::past_l1 : way::l1;
        }
        for (auto const& t : list) {
            p.transactions.push_back({t.address + base, t.bytes, a.kind, space, w, no_token, pc, t.used});
            if (a.kind == access_kind::store) core.operations_begin(w, t.bytes);
        }
        if (p.to == way::l1 && a.kind == access_kind::load)
            ahead_.seen(p.transactions.front(), p.transactions, now, data_.counters());
        return p;
    }

    /// The instruction in front sends a transaction, or has its answer. Whether a transaction went past the L1.
    bool send(cycle now, Core& core) {
        auto& p = queue_.front();
        bool const went_past = p.to == way::past_l1;
        if (p.to == way::none) {
            answer(now, p, core);
        } else if (p.to == way::l1) {
            send_to_l1(now, p.transactions);
        } else {
            auto const& t = p.transactions.front();
            if (p.to == way::past_l1 && !send_past(t)) return false;
            if (p.to == way::read_only && !send_read_only(now, t, core)) return false;
            p.transactions.pop_front();
        }
        if (p.transactions.empty()) queue_.pop_front();
        return went_past;
    }
    /// As many as find room, in order, one in each bank.
    void send_to_l1(cycle now, fifo_queue<cache_access>& transactions) {
        auto const due = now + n_.lsu.l1_latency - 1;
        while (!transactions.empty()) {
            auto& pipe = l1_banks_[transactions.front().address / 32 % l1_banks_.size()].pipe;
            if (pipe.size() == n_.lsu.l1_latency || (!pipe.empty() && pipe.back().at == due)) return;
            pipe.push_back({due, transactions.front()});
            transactions.pop_front();
        }
    }
    void answer(cycle now, part const& p, Core& core) {
        auto at = now; // no lane took part
        if (p.space == memory_space::shared) {
            shared_busy_until_ = now + p.shared_cycles;
            at = shared_busy_until_ - 1 + n_.lsu.shared_latency;
        } else if (p.space != memory_space::none) {
            at = now + n_.lsu.constant_latency;
        }
        auto& o = operations_.at(p.token);
        if (o.earliest < at) o.earliest = at;
        arrived(now, p.token, 1, core);
    }
    bool send_read_only(cycle now, cache_access const& a, Core& core) {
        if (read_only_refused_) return false;
        auto const r = a.space == memory_space::texture ? textures_.access(a) : constants_.access(a);
        read_only_refused_ = r.answer == cache_answer::refused;
        if (read_only_refused_) core.tell(lsu_refused{a.owner, r.reason});
        if (r.answer == cache_answer::now) arrived(now, a.token, 1, core, n_.lsu.constant_latency);
        return !read_only_refused_;
    }
    bool send_past(cache_access const& a) {
        auto const route = replay_.route(a.owner, a.kind);
        if (route == replay_route::wait) return false;
        if (route == replay_route::access && past_l1_full() && !replay_.takes_refused()) return false;
        if (route == replay_route::enter || past_l1_full())
            keep(a, route == replay_route::access);
        else
            send_down(a);
        return true;
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
            keep(a, false);
        } else {
            b.lacking = look_up(now, a, core);
            b.refused = a.address;
            if (b.lacking && !replay_.takes_refused()) return route;
            if (b.lacking) keep(a, true, b.lacking == refusal::miss_queue);
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
        if (a.kind ==
            access_kind::store) { // done once the L1 has it, even if it fetches the rest of the line
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
    /// So much of what an operation waits for has come. With the last of it, its result is under way, `later` than
    /// usual.
    void arrived(cycle now, std::uint32_t token, std::uint32_t amount, Core& core, cycle later = 0) {
        auto& o = operations_.at(token);
        o.missing -= amount;
        if (o.missing != 0) return;
        auto const done = o;
        operations_.erase(token);
        auto const at = now + later < done.earliest ? done.earliest : now + later;
        core.result_at(at + n_.core.writeback_cycles, done.warp, done.instruction);
        if (done.returns_data)
            core.tell(load_returned{done.warp, done.instruction * n_.core.instruction_bytes});
    }

    /// The first block that the prefetcher waits for enters the L1, as a load that wakes nobody, or is dropped.
    void read_ahead(Core& core) {
        auto const a = ahead_.take();
        auto const found = data_.probe(a);
        if (found != cache_outcome::miss && found != cache_outcome::sector_miss) return;
        auto const r = data_.access(a);
        if (r.answer == cache_answer::refused) return;
        tell_departed(r.departed, core);
        ahead_.issued(a);
    }

    // ---- the replay queue

    /// Puts a transaction into it; `refused`: it has just been tried in vain; `no_room`: for want of a place below.
    void keep(cache_access const& a, bool refused, bool no_room = false) {
        replayed_[replay_.push(a.owner, a.kind, refused)] = a;
        bool const goes_past = a.kind == access_kind::atomic || !has_l1();
        replay_lacks_room_below_ |= refused && (goes_past || no_room);
        ++replays_;
    }
    /// What was refused may be taken now.
    void room_changed() {
        replay_.room_changed();
        replay_lacks_room_below_ = false;
    }
    /// Tries one of its transactions, if there is any; a load whose set is full may go past the L1.
    bool replay(cycle now, bool unit_idle, Core& core) {
        auto const entry = replay_.pick(unit_idle);
        if (entry == no_replay_entry) return false;
        replay_entry(entry, now, core);
        return true;
    }
    void replay_entry(std::uint32_t entry, cycle now, Core& core) {
        auto const& a = replayed_[entry];
        std::optional<refusal> refused;
        if (a.kind != access_kind::atomic && has_l1()) {
            refused = look_up(now, a, core);
            if (!refused) return replay_.accepted(entry);
            bool const goes_past = refused == refusal::line_allocation && a.kind == access_kind::load &&
                                   replay_.bypasses_full_sets();
            if (goes_past) refused.reset();
            bypasses_ += goes_past && !past_l1_full();
        }
        if (!refused && past_l1_full()) refused = refusal::miss_queue;
        replay_lacks_room_below_ |= refused == refusal::miss_queue;
        if (refused) return replay_.refused(entry);
        send_down(a);
        replay_.accepted(entry);
    }

    gpu_parameters n_;
    shared_banks banks_;
    typename P::coalescer coalesce_;
    resident_places places_;
    cache_of<typename P::data_cache> data_;
    cache_of<typename P::constant_cache> constants_;
    cache_of<typename P::texture_cache> textures_;
    fifo_queue<part> queue_; ///< of all instructions
    std::map<std::uint64_t, fifo_queue<part>>
        collecting_; ///< of those that have not come to it, by their number
    cycle shared_busy_until_ = 0;
    std::vector<l1_bank> l1_banks_;
    bool read_only_refused_ = false; ///< the access in front of the constant or texture cache, likewise
    fifo_queue<lower_request> past_l1_;
    std::map<std::uint32_t, operation> operations_; ///< by token
    std::uint32_t next_token_ = 0;
    typename P::replay_queue replay_;
    std::vector<cache_access> replayed_;   ///< by entry of the replay queue
    bool replay_lacks_room_below_ = false; ///< something in it was refused for want of a place in a queue
    data_prefetch_queue<typename P::data_prefetch> ahead_;
    std::uint64_t transactions_ = 0;
    std::uint64_t bank_conflict_cycles_ = 0;
    std::uint64_t replays_ = 0;
    std::uint64_t bypasses_ = 0;
};

} // namespace warpkit::reference
