#pragma once
/// \file
/// Naive twins of the schedulers that go by who asks: a vector in the order of arrival, everything recalculated
/// whenever it is needed. Written from the papers rather than from the policies.

#include <warpkit/dram/atlas.hpp>
#include <warpkit/dram/par_bs.hpp>
#include <warpkit/dram/request.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace warpkit::test {

class naive_queue_by_thread {
public:
    naive_queue_by_thread() = default;
    naive_queue_by_thread(std::uint32_t, std::uint32_t capacity) : capacity_(capacity) {}
    bool can_accept() const { return all_.size() < capacity_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
    dram::bank_set waiting() const {
        dram::bank_set s = 0;
        for (auto const& e : all_) s |= dram::bank_set{1} << e.what.bank;
        return s;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const {
        return std::any_of(all_.begin(), all_.end(),
                           [&](auto const& e) { return e.what.bank == bank && e.what.row == row; });
    }
    friend bool operator==(naive_queue_by_thread const&, naive_queue_by_thread const&) = default;
    template <class F>
    void each_member(F&& f) const {
        f(capacity_);
    }

protected:
    struct entry {
        dram::request what;
        bool marked = false;
        cycle came = 0;
        friend bool operator==(entry const&, entry const&) = default;
    };
    static int thread(dram::request const& r) { return r.by ? r.by.core : -1; }
    /// Of the bank's requests the one with the smallest key, the oldest of equals.
    template <class Key>
    std::size_t first_by(std::uint32_t bank, Key key) const {
        auto best = all_.size();
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (all_[i].what.bank == bank && (best == all_.size() || key(all_[i]) < key(all_[best])))
                best = i;
        return best;
    }
    dram::request remove(std::size_t i) {
        auto const r = all_[i].what;
        all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
        return r;
    }
    std::size_t capacity_ = 0;
    std::vector<entry> all_;
};

template <unsigned Cap = 5>
class naive_par_bs : public naive_queue_by_thread {
public:
    static constexpr bool asks_who = true;
    using naive_queue_by_thread::naive_queue_by_thread;
    void push(dram::request const& r) {
        all_.push_back({r, false, 0});
        look_for_batch();
    }
    dram::request const& pick(std::uint32_t bank, std::uint32_t row) const {
        return all_[choose(bank, row)].what;
    }
    dram::request take(std::uint32_t bank, std::uint32_t row) {
        auto const r = remove(choose(bank, row));
        look_for_batch();
        return r;
    }

private:
    void look_for_batch() {
        for (auto const& e : all_)
            if (e.marked) return;
        std::map<std::pair<int, int>, unsigned> marked; // by thread and bank
        for (auto& e : all_) e.marked = marked[{thread(e.what), e.what.bank}]++ < Cap;
        most_.clear();
        total_.clear();
        for (auto const& [where, n] : marked) {
            most_[where.first] = std::max(most_[where.first], std::min(n, Cap));
            total_[where.first] += std::min(n, Cap);
        }
    }
    std::size_t choose(std::uint32_t bank, std::uint32_t row) const {
        auto const of = [](std::map<int, unsigned> const& m, int t) {
            auto const i = m.find(t);
            return i == m.end() ? 0U : i->second;
        };
        return first_by(bank, [&](entry const& e) {
            auto const t = thread(e.what);
            return std::tuple(!e.marked, e.what.row != row, of(most_, t), of(total_, t));
        });
    }
    std::map<int, unsigned> most_, total_;
};

template <auto Numbers>
class naive_atlas : public naive_queue_by_thread {
public:
    static constexpr bool asks_who = true;
    using naive_queue_by_thread::naive_queue_by_thread;
    void clock(cycle now) {
        for (; now_ < now; ++now_)
            if ((now_ + 1) % Numbers.quantum == 0)
                for (auto const t : threads_) {
                    ranks_[t] =
                        (ranks_[t] * Numbers.history + recent_[t] * 1024 * (1000 - Numbers.history)) / 1000;
                    recent_[t] = 0;
                }
    }
    void push(dram::request const& r) {
        threads_.insert(thread(r));
        all_.push_back({r, false, now_});
    }
    dram::request const& pick(std::uint32_t bank, std::uint32_t row) const {
        return all_[choose(bank, row)].what;
    }
    dram::request take(std::uint32_t bank, std::uint32_t row) {
        auto const r = remove(choose(bank, row));
        serving_[bank] = {thread(r), now_};
        return r;
    }
    void ended(std::uint32_t bank) { recent_[serving_[bank].first] += now_ - serving_[bank].second + 1; }

private:
    std::size_t choose(std::uint32_t bank, std::uint32_t row) const {
        return first_by(bank, [&](entry const& e) {
            auto const i = ranks_.find(thread(e.what));
            return std::tuple(now_ - e.came <= Numbers.threshold,
                              i == ranks_.end() ? std::uint64_t{0} : i->second, e.what.row != row);
        });
    }
    cycle now_ = 0;
    std::set<int> threads_;
    std::map<std::uint32_t, std::pair<int, cycle>> serving_;
    std::map<int, std::uint64_t> recent_, ranks_;
};

} // namespace warpkit::test
