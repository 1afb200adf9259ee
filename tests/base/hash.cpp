#include <warpkit/base/hash.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

#include "catch.hpp"

#include <array>
#include <vector>

using namespace warpkit;

namespace {

struct tight {
    std::uint32_t a = 1;
    std::uint32_t b = 2;
    bool operator==(tight const&) const = default;
};
struct padded {
    std::uint64_t a = 1;
    std::uint8_t b = 2;
    bool operator==(padded const&) const = default;
};
struct padded_with_members {
    std::uint64_t a = 1;
    std::uint8_t b = 2;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(a, b);
    }
    bool operator==(padded_with_members const&) const = default;
};
struct empty {
    bool operator==(empty const&) const = default;
};

// Padding bytes have no value: a type that has some must list its members.
static_assert(regular_state<tight> && !hashable<padded> && regular_state<padded_with_members> &&
              regular_state<empty>);
static_assert(regular_state<warp_slot> && regular_state<warp_set> && regular_state<std::vector<int>>);
static_assert(hashable<double> && hashable<bool>);
// An address differs from run to run; it is never a part of a fingerprint.
static_assert(!hashable<int const*> && !hashable<tight*>);

// The same in a constant expression and at run time, hence on every host.
constexpr auto constant = hash_of(tight{3, 4});
static_assert(constant == hash_of(tight{3, 4}) && constant != hash_of(tight{4, 3}));
static_assert(hash_of(padded_with_members{}) == hash_of(padded_with_members{1, 2}));

} // namespace

TEST_CASE("equal values hash alike at compile time and at run time") {
    tight volatile const at_run_time{3, 4};
    CHECK(hash_of(tight{at_run_time.a, at_run_time.b}) == constant);
    CHECK(hash_of(std::uint8_t{5}) == hash_of(std::uint64_t{5}));
}

TEST_CASE("the two zeros of floating point are equal, and so hash alike") {
    CHECK(0.0 == -0.0);
    CHECK(hash_of(0.0) == hash_of(-0.0));
    CHECK(hash_of(1.5) != hash_of(-1.5));
    CHECK(hash_of(1.5F) == hash_of(1.5));
}

TEST_CASE("order, size and value count") {
    CHECK(hash_of(std::vector<int>{1, 2}) != hash_of(std::vector<int>{2, 1}));
    CHECK(hash_of(std::vector<int>{}) != hash_of(std::vector<int>{0}));
    CHECK(hash_of(std::vector<std::vector<int>>{{1}, {2}}) !=
          hash_of(std::vector<std::vector<int>>{{1, 2}, {}}));
    CHECK(hash_of(std::array<int, 2>{1, 2}) == hash_of(std::vector<int>{1, 2}));
    CHECK(hash_of(warp_set::first_n(3)) != hash_of(warp_set::first_n(4)));
    CHECK(hash_of(no_warp) != hash_of(warp_slot{0}));
}

TEST_CASE("the hash is the documented one: the fingerprints of different hosts can be compared") {
    // splitmix64 as published: its first outputs for the seed 0.
    CHECK(hasher::mix(0x9e3779b97f4a7c15U) == 0xe220a8397b1dcdafU);
    CHECK(hasher::mix(2 * 0x9e3779b97f4a7c15U) == 0x6e789e6aa1b965f4U);
}
