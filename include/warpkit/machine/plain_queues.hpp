#pragma once
/// \file
/// Queues as plain as can be, for who is read rather than run: the reference, and twins in tests.

#include <warpkit/base/cycle.hpp>

#include <map>
#include <vector>

namespace warpkit {

/// A queue in order of arrival, in a vector, which costs a compiler less than a std::deque.
template <class T>
struct fifo_queue : std::vector<T> {
    using std::vector<T>::vector;
    void pop_front() { this->erase(this->begin()); }
};

/// Something that is there from a cycle on: what lies in delay pipes.
template <class T>
struct timed {
    cycle at = 0;
    T what{};
};

/// What is due in later cycles; in one cycle, in the order of insertion. It is used as a timing_wheel is.
template <class T>
class calendar {
public:
    explicit calendar(bool = true) {}
    void insert(cycle, cycle due, T const& what) { due_.emplace(due, what); }
    /// Calls `f(what)` for all that is due at `now`.
    template <class F>
    void expire(cycle now, F f) {
        while (!due_.empty() && due_.begin()->first <= now) f(due_.extract(due_.begin()).mapped());
    }

private:
    std::multimap<cycle, T> due_;
};

} // namespace warpkit
