// Replay queues: ELF's rules cell by cell, the drain orders, and naive twins on random traffic.
#include <warpkit/lsu/one_replay_queue.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace warpkit;

constexpr warp_slot w0{0};
constexpr warp_slot wn{7};
constexpr auto load = access_kind::load;
constexpr auto store = access_kind::store;
constexpr auto atomic = access_kind::atomic;

} // namespace

TEST_CASE("NewCAR: ELF's figure 6, a load of W[0] in the queue") {
    for (auto const w : {w0, wn})
        for (auto const k : {load, store}) {
            new_car q;
            q.push(w0, load, true);
            INFO("warp " << w.index() << (k == load ? " load" : " store"));
            bool const goes_into_queue = w == w0 && k == store;
            CHECK(q.route(w, k) == (goes_into_queue ? replay_route::enter : replay_route::access));
        }
}

TEST_CASE("NewCAR: ELF's figure 6, a store of W[0] in the queue") {
    for (auto const w : {w0, wn})
        for (auto const k : {load, store}) {
            new_car q;
            q.push(w0, store, true);
            INFO("warp " << w.index() << (k == load ? " load" : " store"));
            CHECK(q.route(w, k) == (w == w0 ? replay_route::enter : replay_route::access));
        }
}

TEST_CASE("NewCAR: an atomic passes and is passed like a store") {
    new_car q;
    q.push(w0, load, true);
    CHECK(q.route(w0, atomic) == replay_route::enter);
    q.push(w0, atomic, false);
    CHECK(q.route(w0, load) == replay_route::enter);
    CHECK(q.route(wn, atomic) == replay_route::access);
}

TEST_CASE("NewCAR: the unit has priority, until the queue is full") {
    new_car q(2);
    auto const a = q.push(w0, load, true);
    q.room_changed();
    CHECK(q.pick(false) == no_replay_entry); // the unit has a request
    CHECK(q.pick(true) == a);
    CHECK(q.takes_refused());
    q.push(wn, load, true);
    CHECK_FALSE(q.takes_refused());
    CHECK(q.route(warp_slot{9}, load) == replay_route::wait);
    q.room_changed();
    CHECK(q.pick(false) == a);
}

TEST_CASE(
    "NewCAR: the oldest that may go is tried first, then the next, none twice before something changed") {
    new_car q;
    auto const a = q.push(w0, store, true);
    auto const behind = q.push(w0, load, false); // may not pass the store
    auto const b = q.push(wn, load, true);
    CHECK(q.pick(true) == no_replay_entry); // both have just been refused
    q.room_changed();
    CHECK(q.pick(true) == a);
    q.refused(a);
    CHECK(q.pick(true) == b);
    q.refused(b);
    CHECK(q.pick(true) == no_replay_entry);
    q.room_changed();
    q.accepted(a);
    CHECK(q.pick(true) == behind);
    q.accepted(behind);
    q.accepted(b);
    CHECK(q.empty());
}

TEST_CASE("CAR: one request a warp, in order") {
    car q;
    auto const a = q.push(w0, load, true);
    CHECK(q.route(w0, load) == replay_route::wait);
    CHECK(q.route(wn, store) == replay_route::access);
    auto const b = q.push(wn, load, true);
    q.room_changed();
    CHECK(q.pick(false) == no_replay_entry);
    CHECK(q.pick(true) == a);
    q.refused(a);
    CHECK(q.pick(true) == no_replay_entry); // the younger does not pass it
    q.room_changed();
    q.accepted(a);
    CHECK(q.route(w0, load) == replay_route::access);
    CHECK(q.pick(true) == b);
}

TEST_CASE("MRPB: a warp's requests in one go, then the first warp that has any") {
    mrpb q(8);
    CHECK(q.route(w0, load) == replay_route::enter);
    auto const first_of_5 = q.push(warp_slot{5}, load, false);
    q.push(warp_slot{3}, load, false);
    auto const second_of_5 = q.push(warp_slot{5}, load, false);
    auto const first_of_0 = q.push(w0, load, false);
    // Nobody's turn yet: the lowest.
    CHECK(q.pick(false) == first_of_0);
    q.accepted(first_of_0);
    CHECK(q.pick(false) == q.pick(true)); // whatever the unit does
    q.accepted(q.pick(false));            // warp 3
    CHECK(q.pick(false) == first_of_5);
    q.accepted(first_of_5);
    q.push(w0, load, false); // lower, but 5 has the turn
    CHECK(q.pick(false) == second_of_5);
    q.refused(second_of_5);
    CHECK(q.pick(false) == no_replay_entry); // its head blocks the buffer
    q.room_changed();
    CHECK(q.pick(false) == second_of_5);
    CHECK(q.bypasses_full_sets());
}

TEST_CASE("without a queue nothing enters") {
    no_replay q;
    CHECK(q.route(w0, store) == replay_route::access);
    CHECK_FALSE(q.takes_refused());
    CHECK(q.pick(true) == no_replay_entry);
    CHECK(q.empty());
    STATIC_REQUIRE_FALSE(no_replay::queues());
}

TEST_CASE("replay queues: what they cost") {
    core_shape const gtx480;
    CHECK(detail::replay_entry_bits(gtx480) == 301); // ELF, table 3
    CHECK(hardware_cost_of<new_car>(gtx480).total_bits() == 32 * 301);
    CHECK(hardware_cost_of<car>(gtx480).total_bits() == hardware_cost_of<new_car>(gtx480).total_bits());
    CHECK(hardware_cost_of<no_replay>(gtx480).total_bits() == 0);
}

TEST_CASE("replay queues: impossible numbers of entries are refused") {
    CHECK_THROWS_WITH(new_car(0), Catch::Contains("nearest legal value is 1"));
    CHECK_THROWS_WITH(car(65), Catch::Contains("nearest legal value is 64"));
    CHECK_THROWS_WITH(mrpb(100), Catch::Contains("nearest legal value is 64"));
    CHECK_NOTHROW(new_car(64));
}

namespace {

// A request as the naive twins keep it: a list in order of age, searched from the front each time.
struct request {
    int id;
    unsigned warp;
    access_kind kind;
    bool tried;
};
bool passes(request const& older, unsigned warp, access_kind k) {
    return older.warp != warp || (older.kind == load && k == load);
}

enum class replay_kind { none, mrpb, car, new_car };

struct naive {
    replay_kind rules;
    std::size_t capacity;
    std::vector<request> list;
    unsigned turn = 0;

    replay_route route(unsigned w, access_kind k) const {
        if (rules == replay_kind::none) return replay_route::access;
        if (list.size() == capacity) return replay_route::wait;
        if (rules == replay_kind::mrpb) return replay_route::enter;
        for (auto const& r : list)
            if (rules == replay_kind::car ? r.warp == w : !passes(r, w, k))
                return rules == replay_kind::car ? replay_route::wait : replay_route::enter;
        return replay_route::access;
    }
    // The id of the request to try; -1 for none.
    int pick(bool idle) const {
        if (rules == replay_kind::mrpb) {
            auto which = turn;
            auto const has = [&](unsigned w) {
                return std::any_of(list.begin(), list.end(), [&](auto const& r) { return r.warp == w; });
            };
            if (!has(which))
                for (which = 0; which < 64 && !has(which); ++which) {}
            for (auto const& r : list)
                if (r.tried) return -1;
            for (auto const& r : list)
                if (r.warp == which) return r.id;
            return -1;
        }
        if (!idle && list.size() < capacity) return -1;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (rules == replay_kind::car) return list[0].tried ? -1 : list[0].id;
            bool may = !list[i].tried;
            for (std::size_t j = 0; j < i; ++j) may = may && passes(list[j], list[i].warp, list[i].kind);
            if (may) return list[i].id;
        }
        return -1;
    }
    request& find(int id) {
        return *std::find_if(list.begin(), list.end(), [&](auto const& r) { return r.id == id; });
    }
    void accepted(int id) {
        turn = find(id).warp;
        list.erase(list.begin() + (&find(id) - list.data()));
    }
    void refused(int id) {
        turn = find(id).warp;
        find(id).tried = true;
    }
    void room_changed() {
        for (auto& r : list) r.tried = false;
    }
};

// What of one warp may not be overtaken.
bool must_keep_order(replay_kind rules, access_kind older, access_kind younger) {
    return rules != replay_kind::new_car || older != load || younger != load;
}

// A unit with random requests in front of a cache that refuses at random. An empty text if queue and twin agree in
// every cycle, each request is taken exactly once, and those of a warp in an order that the rules allow.
template <class Queue>
std::string drive(Queue q, replay_kind rules, std::size_t capacity, std::uint32_t seed, int cycles) {
    std::mt19937 source(seed);
    auto const random = [&source] { return static_cast<unsigned>(source()); };
    auto const chance = [&](unsigned percent) { return random() % 100 < percent; };
    auto const refusing = 20 + random() % 75;
    auto const warps = 1 + random() % 48;
    naive twin{rules, capacity, {}};
    std::map<std::uint32_t, int> id_of; // by entry
    std::vector<request> all;           // by id
    std::vector<bool> taken;
    std::map<unsigned, std::vector<int>> open; // by warp: ids not taken, oldest first
    bool has = false;
    request next{};
    auto const fail = [&](char const* what) {
        return std::string(what) + ", seed " + std::to_string(seed) + ", rules " +
               std::to_string(static_cast<int>(rules));
    };
    std::string wrong;
    auto const take = [&](int id) {
        auto const& r = all[static_cast<std::size_t>(id)];
        if (taken[static_cast<std::size_t>(id)]) wrong = fail("taken twice");
        taken[static_cast<std::size_t>(id)] = true;
        auto& mine = open[r.warp];
        for (auto const older : mine) {
            if (older == id) break;
            if (must_keep_order(rules, all[static_cast<std::size_t>(older)].kind, r.kind))
                wrong = fail("out of order");
        }
        mine.erase(std::find(mine.begin(), mine.end(), id));
    };
    auto const push = [&](bool refused) {
        auto const entry = q.push(warp_slot{next.warp}, next.kind, refused);
        if (entry >= q.capacity() || id_of.count(entry) != 0) wrong = fail("bad entry");
        id_of[entry] = next.id;
        next.tried = refused;
        twin.list.push_back(next);
        has = false;
    };
    for (int c = 0; wrong.empty() && (c < cycles || has || !q.empty()); ++c) {
        if (c > 50 * cycles) return fail("stuck");
        if (chance(10)) {
            q.room_changed();
            twin.room_changed();
        }
        if (!has && c < cycles && chance(70)) {
            auto const kind = chance(60) ? load : chance(80) ? store : atomic;
            next = {static_cast<int>(all.size()), random() % warps, kind, false};
            all.push_back(next);
            taken.push_back(false);
            open[next.warp].push_back(next.id);
            has = true;
        }
        bool idle = !has;
        bool port = true;
        if (has) {
            auto const r = q.route(warp_slot{next.warp}, next.kind);
            if (r != twin.route(next.warp, next.kind)) return fail("another route");
            if (r == replay_route::wait) {
                idle = true;
            } else if (r == replay_route::enter) {
                push(false);
            } else {
                port = false;
                if (!chance(refusing)) {
                    take(next.id);
                    has = false;
                } else if (q.takes_refused()) {
                    push(true);
                }
            }
        }
        if (!port) continue;
        auto const entry = q.pick(idle);
        auto const id = twin.pick(idle);
        if ((entry == no_replay_entry) != (id < 0)) return fail("one picks, the other does not");
        if (id < 0) continue;
        if (id_of.count(entry) == 0 || id_of[entry] != id) return fail("another pick");
        if (chance(refusing)) {
            q.refused(entry);
            twin.refused(id);
        } else {
            take(id);
            q.accepted(entry);
            twin.accepted(id);
            id_of.erase(entry);
        }
    }
    if (wrong.empty() && std::find(taken.begin(), taken.end(), false) != taken.end()) return fail("one lost");
    return wrong;
}

} // namespace

TEST_CASE("replay queues agree with their naive twins and lose nothing") {
    std::string wrong;
    for (std::uint32_t seed = 1; seed <= 120 && wrong.empty(); ++seed) {
        std::uint32_t const capacity = seed % 3 == 0 ? 32 : 1 + seed % 8;
        wrong = drive(new_car(capacity), replay_kind::new_car, capacity, seed, 400);
        if (wrong.empty()) wrong = drive(car(capacity), replay_kind::car, capacity, seed, 400);
        if (wrong.empty()) wrong = drive(mrpb(capacity), replay_kind::mrpb, capacity, seed, 400);
        if (wrong.empty()) wrong = drive(no_replay{}, replay_kind::none, 0, seed, 400);
    }
    CHECK(wrong == "");
}

TEST_CASE("a replay queue chosen at run time is the one it names") {
    std::string wrong;
    for (std::uint32_t seed = 1; seed <= 10 && wrong.empty(); ++seed)
        for (auto const& [kind, q] : {std::pair(replay_kind::none, any_replay_queue()),
                                      std::pair(replay_kind::mrpb, any_replay_queue(mrpb())),
                                      std::pair(replay_kind::car, any_replay_queue(car())),
                                      std::pair(replay_kind::new_car, any_replay_queue(new_car()))})
            if (wrong.empty()) wrong = drive(q, kind, q.capacity(), seed, 600);
    CHECK(wrong == "");
    CHECK(any_replay_queue(mrpb()).bypasses_full_sets());
    CHECK_FALSE(any_replay_queue(new_car()).bypasses_full_sets());
    CHECK(std::string(any_replay_queue(new_car()).chosen_name()) == "new_car");
}

TEST_CASE("replay queues are regular values") {
    new_car a;
    auto b = a;
    auto const entry = a.push(w0, store, false);
    CHECK_FALSE(a == b);
    CHECK(hash_of(a) != hash_of(b));
    a.accepted(entry);
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
}
