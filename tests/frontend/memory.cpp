// The device's global memory: allocations that know their bounds, released space taken again, host memory mapped
// beside.
#include <warpkit/frontend/memory.hpp>

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

using namespace warpkit;

TEST_CASE("memory: an access lies inside one allocation or nowhere") {
    device_memory m;
    auto const a = m.allocate(100);
    auto const b = m.allocate(1);
    CHECK(a == device_memory::base);
    CHECK(a % device_memory::granule == 0);
    CHECK(b - a >= 100 + device_memory::granule);
    CHECK(m.find(a, 100) != nullptr);
    CHECK(m.find(a + 96, 4) != nullptr);
    CHECK(m.find(a + 97, 4) == nullptr);
    CHECK(m.find(a + 100, 1) == nullptr);
    CHECK(m.find(b, 2) == nullptr);
    CHECK(m.bytes_behind(a + 40) == 60);
    CHECK(m.bytes_behind(a + 101) == 0);
    CHECK(m.size_of(a) == 100);
    CHECK(m.size_of(a + 1) == 0);
}

TEST_CASE("memory: what is released is gone, zeroed, and taken again from below") {
    device_memory m;
    auto const a = m.allocate(1000);
    auto const b = m.allocate(1000);
    m.write(a, "x", 1);
    CHECK_FALSE(m.release(a + 256)); // no allocation begins here
    CHECK(m.release(a));
    CHECK_FALSE(m.release(a));
    CHECK(m.find(a, 1) == nullptr);
    CHECK(m.find(b, 1000) != nullptr);
    auto const size = m.size();
    auto const c = m.allocate(200);
    auto const d = m.allocate(200);
    CHECK(c == a);
    CHECK(d == a + 512);
    CHECK(m.size() == size);
    CHECK(*m.find(c, 1) == std::byte{0});
    // Gaps side by side become one.
    CHECK(m.release(d));
    CHECK(m.release(b));
    CHECK(m.release(c));
    CHECK(m.allocate(2300) == a);
    CHECK(m.size() == size);
}

TEST_CASE("memory: a thousand random allocations and releases beside a map") {
    device_memory m;
    std::map<device_address, std::size_t> live;
    std::uint64_t state = 7;
    auto const below = [&](std::uint64_t n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33) % n;
    };
    bool good = true;
    for (int i = 0; i < 1000; ++i) {
        if (live.size() > 20 || (!live.empty() && below(2) == 0)) {
            auto at = live.begin();
            std::advance(at, static_cast<std::ptrdiff_t>(below(live.size())));
            good = good && m.size_of(at->first) == at->second && m.release(at->first);
            live.erase(at);
        } else {
            auto const bytes = static_cast<std::size_t>(1 + below(3000));
            auto const a = m.allocate(bytes);
            auto const* const p = m.find(a, bytes);
            good = good && p != nullptr && m.find(a, bytes + 1) == nullptr;
            for (std::size_t k = 0; good && k < bytes; ++k) good = p[k] == std::byte{0};
            if (good) *m.find(a, 1) = *m.find(a + bytes - 1, 1) = std::byte{0xff};
            auto const above = live.upper_bound(a);
            good = good && (above == live.end() || a + bytes < above->first);
            good = good && (above == live.begin() || std::prev(above)->first + std::prev(above)->second < a);
            live[a] = bytes;
        }
    }
    CHECK(good);
}

TEST_CASE("memory: mapped host memory is seen at its address, and only while it is mapped") {
    device_memory m;
    std::vector<std::byte> host(64);
    constexpr device_address where = std::uint64_t{8} << 30;
    m.map(where, host.data(), host.size());
    CHECK(m.find(where, 64) == host.data());
    CHECK(m.find(where + 60, 4) == host.data() + 60);
    CHECK(m.find(where + 61, 4) == nullptr);
    CHECK(m.find(where - 1, 1) == nullptr);
    auto const copy = m; // sees the same bytes
    CHECK(copy.find(where, 1) == host.data());
    CHECK(m.unmap(where));
    CHECK_FALSE(m.unmap(where));
    CHECK(m.find(where, 1) == nullptr);
}
