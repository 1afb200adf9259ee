/// What machine/state_archive.hpp promises: what is read is what was written, and other bytes end in an error.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/machine/state_archive.hpp>
#include <warpkit/program/stream.hpp>

#include "catch.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

enum class colour : std::uint16_t { red, green = 700 };

struct inner {
    std::uint32_t a = 1;
    bool is = false;
    friend bool operator==(inner const&, inner const&) = default;
};
struct with_base : inner {
    int more = 0;
};
/// A plain struct, with an array in the middle: walked member by member.
struct plain {
    std::uint64_t word = 0;
    std::uint16_t many[3][2]{};
    colour hue = colour::red;
    inner nested;
    std::vector<inner> list;
    std::optional<std::int64_t> maybe;
    double real = 0;
    std::string text;
    friend bool operator==(plain const&, plain const&) = default;
};
static_assert(warpkit::detail::parts_of<plain>() == 8 && warpkit::detail::parts_of<inner>() == 2);
static_assert(warpkit::detail::parts_of<with_base>() == 0);

/// Says how many members it has.
class counted {
public:
    counted() = default;
    explicit counted(unsigned n) : ring_(5), numbers_(7), set_{n, n + 1}, map_{{n, "x"}}, queue_{1, n} {
        for (unsigned i = 0; i < 3; ++i) ring_.push(n + i);
        ring_.pop();
        numbers_[2] = n;
    }
    friend bool operator==(counted const&, counted const&) = default;
    WARPKIT_STORED_MEMBERS(6)

private:
    ring<unsigned> ring_;
    heap_array<std::uint64_t> numbers_;
    std::set<std::uint32_t> set_;
    std::map<std::uint32_t, std::string> map_;
    std::deque<std::uint64_t> queue_;
    std::array<std::uint8_t, 3> bytes_{1, 2, 3};
};

/// A policy as most are: it hands out its members, and a parameter.
class policy {
public:
    explicit policy(unsigned most, unsigned last = 0) : most_(most), last_(last) {}
    friend bool operator==(policy const&, policy const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(last_, most());
    }

private:
    unsigned most() const noexcept { return most_; }
    unsigned most_;
    unsigned last_;
};
/// One that hashes what it works out.
class working_out {
public:
    explicit working_out(std::vector<unsigned> list) : list_(std::move(list)) {}
    template <class F>
    constexpr void each_member(F&& f) const {
        for (auto const n : list_) f(n);
    }

private:
    std::vector<unsigned> list_;
};
class pointing {
public:
    template <class F>
    constexpr void each_member(F&& f) const {
        f(at_);
    }

private:
    int* at_ = nullptr;
};
struct tiny_policy_base {};
/// Without a word of its members: small state, as its bytes.
class tiny : tiny_policy_base {
public:
    warp_slot last;
    friend bool operator==(tiny const& a, tiny const& b) { return a.last == b.last && a.more_ == b.more_; }
    void set() { more_ = 7; }

private:
    std::uint16_t more_ = 0;
};

plain some() {
    plain p;
    p.word = ~std::uint64_t{0};
    p.many[2][1] = 65535;
    p.hue = colour::green;
    p.nested = {77, true};
    p.list = {{1, true}, {2, false}, {300, true}};
    p.maybe = std::numeric_limits<std::int64_t>::min();
    p.real = -0.125;
    p.text = std::string("a\0b", 3);
    return p;
}

template <class T>
T read(std::string const& bytes, T over = T{}) {
    load_bytes(over, bytes);
    return over;
}

} // namespace

TEST_CASE("what is read is what was written", "[base]") {
    auto p = some();
    CHECK(read<plain>(stored_bytes(p)) == p);
    auto old = some();
    old.list.clear();
    old.maybe.reset();
    CHECK(read(stored_bytes(p), old) == p);
    counted c(1000);
    CHECK(read<counted>(stored_bytes(c)) == c);
    CHECK(read(stored_bytes(c), counted(3)) == c);
    tiny t;
    t.last = warp_slot{5};
    t.set();
    CHECK(read<tiny>(stored_bytes(t)) == t);
    for (std::uint64_t const n : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                  std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 1}) {
        auto number = n;
        CHECK(read<std::uint64_t>(stored_bytes(number)) == n);
        auto part = static_cast<std::int32_t>(n);
        CHECK(read<std::int32_t>(stored_bytes(part)) == part);
    }
    std::vector<inner> many(1000);
    auto const empty = stored_bytes(many).size();
    CHECK(empty < 150);
    many[500] = {9, true};
    CHECK(stored_bytes(many).size() > empty);
    CHECK(read<std::vector<inner>>(stored_bytes(many)) == many);
    auto never = ~std::uint64_t{0};
    CHECK(stored_bytes(never).size() == 1);
    warp_stream s;
    s.append(3, 0xff, memory_space::global, lane_addresses{});
    s.append(4, all_lanes);
    CHECK(read<warp_stream>(stored_bytes(s)) == s);
}

TEST_CASE("a policy is stored by what it hands out, over one with the same parameters", "[base]") {
    policy p(8, 3);
    CHECK(read(stored_bytes(p), policy(8)) == p);
    CHECK_THROWS_WITH(read(stored_bytes(p), policy(9)), Catch::Contains("policy cannot be stored"));
    working_out w({1, 2});
    CHECK_NOTHROW(read(stored_bytes(w), working_out({1, 2})));
    CHECK_THROWS_WITH(read(stored_bytes(w), working_out({1, 3})), Catch::Contains("each_stored"));
    pointing at;
    CHECK_THROWS_WITH(stored_bytes(at), Catch::Contains("cannot be stored"));
}

TEST_CASE("bytes of something else end in an error, or in some value", "[base]") {
    auto p = some();
    counted c(1000);
    auto const whole = stored_bytes(p);
    for (std::size_t n = 0; n < whole.size(); ++n) CHECK_THROWS_AS(read<plain>(whole.substr(0, n)), error);
    CHECK_THROWS_AS(read<plain>(whole + 'x'), error);
    auto const try_all = [](auto over, std::string const& good) {
        for (std::size_t at = 0; at < good.size(); ++at)
            for (unsigned bit = 0; bit < 8; ++bit) {
                auto bytes = good;
                bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
                auto to = over;
                try {
                    load_bytes(to, bytes);
                } catch (error const&) {}
            }
    };
    try_all(p, whole);
    try_all(c, stored_bytes(c));
    std::uint64_t huge = std::uint64_t{1} << 60;
    std::vector<std::uint64_t> list;
    CHECK_THROWS_WITH(load_bytes(list, stored_bytes(huge)), Catch::Contains("ends too early"));
}
