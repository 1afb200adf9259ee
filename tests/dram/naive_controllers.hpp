#pragma once
/// \file
/// The naive twins of the controllers that choose each command (shared_queue, bank_queues): requests in vectors in the
/// order of arrival, all looked at in each cycle. When a command may be sent they ask the device, of which
/// naive_channel.hpp is the twin. Written from the two policies' descriptions and docs/model/peers.md.

#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/order.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpkit::test {

/// What both have: a request that waits, and what is asked of a list of such.
class naive_controller {
public:
    static constexpr bool answers_at_once = true;
    static constexpr bool prefetches = false;
    static constexpr bool tells_work = false;
    friend bool operator==(naive_controller const&, naive_controller const&) = default;

protected:
    struct waiting {
        dram::request what;
        std::uint64_t order = 0;
        std::uint64_t arrived = 0; ///< the cycle, counted in looks
        std::uint32_t sent = 0;    ///< atoms
        bool served = false;
        friend bool operator==(waiting const&, waiting const&) = default;
    };
    /// Since the row was opened.
    struct column_counts {
        std::uint32_t all = 0;
        std::uint32_t passed = 0;
        friend bool operator==(column_counts const&, column_counts const&) = default;
    };
    using list = std::vector<waiting>;
    using place = waiting const*; ///< null: none

    static bool same_place(dram::request const& a, dram::request const& b) {
        return a.bank == b.bank && a.row == b.row && a.column == b.column;
    }
    static bool holds(list const& l, dram::request const& r, bool write) {
        return std::any_of(l.begin(), l.end(),
                           [&](waiting const& w) { return w.what.write == write && same_place(w.what, r); });
    }
    static std::uint32_t count(list const& l, bool write) {
        return static_cast<std::uint32_t>(
            std::count_if(l.begin(), l.end(), [&](waiting const& w) { return w.what.write == write; }));
    }
    static dram::bank_set banks_of(list const& l) {
        dram::bank_set s = 0;
        for (auto const& w : l) s |= dram::bank_set{1} << w.what.bank;
        return s;
    }
    static bool has_row(list const& l, unsigned bank, std::uint32_t row) {
        return std::any_of(l.begin(), l.end(),
                           [&](waiting const& w) { return w.what.bank == bank && w.what.row == row; });
    }
    template <class Which>
    static place oldest(list const& l, Which which) {
        place found = nullptr;
        for (auto const& w : l)
            if (which(w) && (found == nullptr || w.order < found->order)) found = &w;
        return found;
    }
    static dram::bank_view view_of(place hit, place miss, column_counts const& columns) {
        dram::bank_view v;
        v.has_hit = hit != nullptr;
        v.has_miss = miss != nullptr;
        if (hit != nullptr) v.hit_order = hit->order, v.hit_arrived = hit->arrived;
        if (miss != nullptr) v.miss_order = miss->order, v.miss_arrived = miss->arrived;
        v.columns = columns.all;
        v.passed = columns.passed;
        return v;
    }
    static void drop(list& l, place p) { l.erase(l.begin() + (p - l.data())); }
    static waiting& in(list& l, place p) { return l[static_cast<std::size_t>(p - l.data())]; }
};

template <class Order, class Drain>
class naive_shared_queue : public naive_controller {
public:
    static constexpr bool closes_together = true;

    naive_shared_queue() = default;
    naive_shared_queue(dram::timing const& t, dram::queue_sizes const& sizes, dram::command_bus bus)
        : sizes_(sizes),
          dual_(bus == dram::command_bus::dual),
          columns_(t.banks),
          drain_(sizes.drain) {}

    bool can_accept(bool write) const {
        return count(queue_, write) < (write ? sizes_.writes : sizes_.reads);
    }
    bool can_accept(dram::request const& r) const { return can_accept(r.write) || holds(queue_, r, true); }
    dram::push_result push(dram::request const& r, dram::device const&) {
        if (holds(queue_, r, true)) return {true, 0};
        queue_.push_back({r, order_++, looks_, 0, false});
        return {false, 0};
    }
    dram::bank_set serving() const { return banks_of(queue_) | banks_of(opened_); }
    std::uint32_t working() const { return dram::bank_count(serving()); }
    std::uint32_t queued() const { return static_cast<std::uint32_t>(queue_.size()); }
    bool empty() const { return queue_.empty() && opened_.empty(); }
    bool has_row_hit(unsigned bank, std::uint32_t row) const { return has_row(queue_, bank, row); }
    template <class Rules>
    cycle earliest(cycle now, dram::device const&, Rules const&) const {
        return now + 1;
    }
    template <class Rules, class Bus>
    bool prepare(cycle now, dram::device const&, Rules const&, Bus&&) {
        if (looks_++ == 0 && now > 1) drain_.update({0, 0, sizes_.writes, true}); // before anything came
        return true;
    }
    template <class Rules, class Bus>
    bool schedule(cycle now, dram::device const& d, Rules const& rules, Bus&& bus) {
        bool const row_bus = now >= d.row_bus_at();
        if (dual_) {
            if (!send_opened(now, d, bus) && rules.refreshing == 0) {
                decide();
                send_column(choose_column(now, d), d, bus);
            }
            if (rules.refreshing != 0) {
                bus.refresh(banks_of(opened_));
            } else {
                decide();
                if (row_bus) send_row(choose_row(now, d), now, d, rules, bus);
            }
        } else if (row_bus && !send_opened(now, d, bus)) {
            if (rules.refreshing != 0) {
                bus.refresh(banks_of(opened_));
            } else {
                decide();
                auto const c = choose_column(now, d);
                auto const r = choose_row(now, d);
                bool const column_first =
                    c != nullptr && (Order::columns_first || r == nullptr || c->order < r->order);
                if (column_first)
                    send_column(c, d, bus);
                else
                    send_row(r, now, d, rules, bus);
            }
        }
        return true;
    }
    friend bool operator==(naive_shared_queue const&, naive_shared_queue const&) = default;
    template <class F>
    void each_member(F&& f) const {
        f(order_, looks_);
    }

private:
    void decide() {
        drain_.update({count(queue_, false), count(queue_, true), sizes_.writes, opened_.empty()});
    }
    bool is_served(waiting const& w) const { return drain_.serves(w.what.write); }
    static bool is_hit(waiting const& w, dram::device const& d) {
        return d.open_row(w.what.bank) == w.what.row;
    }
    place hit_of(unsigned b, dram::device const& d) const {
        return oldest(queue_,
                      [&](waiting const& w) { return w.what.bank == b && is_served(w) && is_hit(w, d); });
    }
    place miss_of(unsigned b, dram::device const& d) const {
        return oldest(queue_,
                      [&](waiting const& w) { return w.what.bank == b && is_served(w) && !is_hit(w, d); });
    }
    dram::bank_view view(unsigned b, dram::device const& d) const {
        return view_of(hit_of(b, d), miss_of(b, d), columns_[b]);
    }
    bool may_be_any(waiting const& w) const {
        return is_served(w) &&
               (!Order::strict || oldest(queue_, [&](waiting const& o) { return is_served(o); }) == &w);
    }
    bool holds_row(unsigned b) const { return (banks_of(opened_) >> b & 1) != 0; }
    place choose_column(cycle now, dram::device const& d) const {
        return oldest(queue_, [&](waiting const& w) {
            auto const b = w.what.bank;
            return may_be_any(w) && is_hit(w, d) && d.column_at(b, w.what.write) <= now &&
                   which_.may_hit(view(b, d));
        });
    }
    place choose_row(cycle now, dram::device const& d) const {
        return oldest(queue_, [&](waiting const& w) {
            auto const b = w.what.bank;
            if (!may_be_any(w) || miss_of(b, d) != &w) return false;
            if (d.open_row(b) == dram::no_row) return d.activate_at(b) <= now;
            return !holds_row(b) && d.precharge_at(b) <= now && which_.may_close(view(b, d));
        });
    }
    /// Those for which a row was opened: who came first, and then whose row was opened first.
    template <class Bus>
    bool send_opened(cycle now, dram::device const& d, Bus& bus) {
        place first = nullptr;
        for (auto const& w : opened_)
            if (d.column_at(w.what.bank, w.what.write) <= now &&
                (first == nullptr || w.arrived < first->arrived))
                first = &w;
        if (first == nullptr) return false;
        auto const r = first->what;
        auto const atom = in(opened_, first).sent++;
        if (atom + 1 == r.atoms) drop(opened_, first);
        ++columns_[r.bank].all;
        bus.column(r, atom);
        return true;
    }
    template <class Bus>
    void send_column(place p, dram::device const& d, Bus& bus) {
        if (p == nullptr) return;
        auto const r = p->what;
        auto& c = columns_[r.bank];
        ++c.all;
        if (auto const miss = miss_of(r.bank, d); miss != nullptr && miss->order < p->order) ++c.passed;
        auto& w = in(queue_, p);
        if (!w.served) bus.serves(true);
        w.served = true;
        auto const atom = w.sent++;
        if (w.sent == r.atoms) {
            drop(queue_, p);
            drain_.sent(r.write);
        }
        bus.column(r, atom, holds_row(r.bank));
    }
    template <class Rules, class Bus>
    void send_row(place p, cycle now, dram::device const& d, Rules const& rules, Bus& bus) {
        if (p == nullptr) {
            for (unsigned b = 0; b < columns_.size(); ++b)
                if ((rules.closing >> b & 1) != 0 && d.open_row(b) != dram::no_row && !holds_row(b) &&
                    !has_row(queue_, b, d.open_row(b)) && d.precharge_at(b) <= now) {
                    bus.precharge(b);
                    return;
                }
            return;
        }
        auto& w = in(queue_, p);
        auto const r = w.what;
        if (!w.served) bus.serves(false);
        w.served = true;
        if (d.open_row(r.bank) != dram::no_row) {
            bus.precharge(r.bank);
            return;
        }
        opened_.push_back(w);
        drop(queue_, p);
        drain_.sent(r.write);
        columns_[r.bank] = {};
        bus.activate(r);
    }

    dram::queue_sizes sizes_;
    bool dual_ = false;
    list queue_;
    list opened_; ///< in the order in which their rows were opened
    std::vector<column_counts> columns_;
    Order which_;
    Drain drain_;
    std::uint64_t order_ = 0;
    std::uint64_t looks_ = 0;
};

template <class Order, class Drain>
class naive_bank_queues : public naive_controller {
public:
    static constexpr bool closes_together = false;

    naive_bank_queues() = default;
    naive_bank_queues(dram::timing const& t, dram::queue_sizes const& sizes, dram::command_bus bus)
        : sizes_(sizes),
          dual_(bus == dram::command_bus::dual),
          columns_(t.banks),
          drain_(sizes.drain) {}

    bool can_accept(bool write) const {
        if (write) return count(front_, true) < sizes_.writes;
        return count(front_, false) < sizes_.reads && together_.size() < sizes_.reads;
    }
    bool can_accept(dram::request const& r) const { return can_accept(r.write); }
    dram::push_result push(dram::request const& r, dram::device const&) {
        if (holds(front_, r, true) || holds(back_, r, true)) return {true, 0};
        if (!r.write && (holds(front_, r, false) || holds(back_, r, false))) {
            together_.push_back(r);
            return {false, never};
        }
        front_.push_back({r, order_++, looks_, 0, false});
        return {false, 0};
    }
    dram::bank_set serving() const { return banks_of(back_); }
    std::uint32_t working() const { return dram::bank_count(serving()); }
    std::uint32_t queued() const { return static_cast<std::uint32_t>(front_.size()); }
    bool empty() const { return front_.empty() && back_.empty(); }
    bool has_row_hit(unsigned bank, std::uint32_t row) const {
        return has_row(front_, bank, row) || has_row(back_, bank, row);
    }
    template <class Rules>
    cycle earliest(cycle now, dram::device const&, Rules const&) const {
        return now + 1;
    }
    template <class Rules, class Bus>
    bool prepare(cycle now, dram::device const&, Rules const&, Bus&&) {
        if (looks_++ == 0 && now > 1) drain_.update({0, 0, sizes_.writes, true}); // before anything came
        return true;
    }
    template <class Rules, class Bus>
    bool schedule(cycle now, dram::device const& d, Rules const& rules, Bus&& bus) {
        bool const row_bus = now >= d.row_bus_at();
        offer first;
        if (rules.refreshing != 0 && bus.refresh(0)) {
            first.what = kind::row;
        } else {
            first = next(now, d, rules, row_bus);
            send(first, d, bus);
        }
        if (dual_ && first.what != kind::nothing) { // what is offered and cannot be sent has lost its turn
            auto const second = next(now, d, rules, row_bus);
            if (second.what != first.what) send(second, d, bus);
        }
        move_one();
        return true;
    }
    friend bool operator==(naive_bank_queues const&, naive_bank_queues const&) = default;
    template <class F>
    void each_member(F&& f) const {
        f(order_, looks_);
    }

private:
    enum class kind { nothing, row, column };
    struct offer {
        kind what = kind::nothing;
        unsigned bank = 0;
        place for_whom = nullptr; ///< none: the page policy
    };

    template <class Rules>
    offer next(cycle now, dram::device const& d, Rules const& rules, bool row_bus) {
        if (!dual_ && !row_bus) return {};
        for (unsigned i = 0; i < columns_.size(); ++i) {
            auto const b = static_cast<unsigned>((turn_ + i) % columns_.size());
            if ((rules.refreshing >> b & 1) != 0) continue;
            auto const o = of_bank(b, now, d, (rules.closing >> b & 1) != 0, row_bus);
            if (o.what == kind::nothing) continue;
            turn_ = b + 1;
            return o;
        }
        return {};
    }
    offer of_bank(unsigned b, cycle now, dram::device const& d, bool closing, bool row_bus) const {
        auto const open = d.open_row(b);
        auto const of = [&](auto which) {
            return oldest(back_, [&](waiting const& w) { return w.what.bank == b && which(w); });
        };
        auto const miss = of([&](waiting const& w) { return w.what.row != open; });
        if (open == dram::no_row) {
            bool const ready = miss != nullptr && row_bus && d.activate_at(b) <= now;
            return ready ? offer{kind::row, b, miss} : offer{};
        }
        auto const any_hit = of([&](waiting const& w) { return w.what.row == open; });
        auto const v = view_of(any_hit, miss, columns_[b]);
        auto hit =
            of([&](waiting const& w) { return w.what.row == open && d.column_at(b, w.what.write) <= now; });
        if (!which_.may_hit(v)) hit = nullptr;
        bool const closes = row_bus && d.precharge_at(b) <= now;
        if (closes && miss != nullptr && which_.may_close(v) && (hit == nullptr || miss->order < hit->order))
            return {kind::row, b, miss};
        if (hit != nullptr) return {kind::column, b, hit};
        return closes && closing && any_hit == nullptr ? offer{kind::row, b, nullptr} : offer{};
    }
    template <class Bus>
    void send(offer const& o, dram::device const& d, Bus& bus) {
        if (o.what == kind::nothing) return;
        if (o.for_whom == nullptr) {
            bus.precharge(o.bank);
            return;
        }
        auto& w = in(back_, o.for_whom);
        auto const r = w.what;
        if (!w.served) bus.serves(o.what == kind::column);
        w.served = true;
        if (o.what == kind::row && d.open_row(o.bank) != dram::no_row) {
            bus.precharge(o.bank);
        } else if (o.what == kind::row) {
            columns_[o.bank] = {};
            bus.activate(r);
        } else {
            ++columns_[o.bank].all;
            columns_[o.bank].passed += std::any_of(back_.begin(), back_.end(), [&](waiting const& m) {
                return m.what.bank == o.bank && m.what.row != r.row && m.order < w.order;
            });
            auto const atom = w.sent++;
            bool const last = w.sent == r.atoms;
            if (last) drop(back_, o.for_whom);
            bus.column(r, atom);
            if (last && !r.write)
                std::erase_if(together_, [&](dram::request const& t) {
                    if (!same_place(t, r)) return false;
                    bus.shares(t);
                    return true;
                });
        }
    }
    void move_one() {
        bool const reads = reads_first_;
        reads_first_ = false;
        if (!reads) drain_.update({count(front_, false), count(front_, true), sizes_.writes, back_.empty()});
        auto const first = oldest(front_, [&](waiting const& w) {
            auto const in_bank = std::count_if(back_.begin(), back_.end(),
                                               [&](waiting const& o) { return o.what.bank == w.what.bank; });
            return static_cast<std::uint32_t>(in_bank) < sizes_.bank &&
                   (reads ? !w.what.write : drain_.serves(w.what.write));
        });
        if (first == nullptr) return;
        auto w = *first;
        if (w.what.write && (holds(front_, w.what, false) || holds(back_, w.what, false))) {
            drain_.give_up();
            reads_first_ = holds(front_, w.what, false);
            return;
        }
        drop(front_, first);
        drain_.sent(w.what.write);
        w.order = moved_++;
        back_.push_back(w);
    }

    dram::queue_sizes sizes_;
    bool dual_ = false;
    list front_;
    list back_;                           ///< of all banks, in the order in which they came there
    std::vector<dram::request> together_; ///< reads that are answered with another one
    std::vector<column_counts> columns_;
    unsigned turn_ = 0; ///< the bank that is asked first
    Order which_;
    Drain drain_;
    bool reads_first_ = false;
    std::uint64_t order_ = 0;
    std::uint64_t moved_ = 0;
    std::uint64_t looks_ = 0;
};

} // namespace warpkit::test
