#include <warpkit/config/presets.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/warp/oldest.hpp>

#include "catch.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using namespace warpkit;

namespace machine_test {
struct counts_launches {
    unsigned launches = 0;
    void on(cta_launched const&) { ++launches; }
    friend bool operator==(counts_launches const&, counts_launches const&) = default;
};

} // namespace machine_test
using machine_test::counts_launches;

namespace {

using swapped = presets::gtx480::with<use::warp_scheduler<lrr>, use::dram_scheduler<dram::fcfs>>;
using other_order = presets::gtx480::with<use::dram_scheduler<dram::fcfs>, use::warp_scheduler<lrr>>;
using in_steps = presets::gtx480::with<use::warp_scheduler<oldest>>::with<
    use::dram_scheduler<dram::fcfs>>::with<use::warp_scheduler<lrr>>;

} // namespace

static_assert(std::is_same_v<swapped, other_order>, "with<> takes slots in any order");
static_assert(std::is_same_v<swapped, in_steps>, "with<> may be nested; the last word counts");
static_assert(std::is_same_v<presets::gtx480::with<>, presets::gtx480>);
static_assert(!std::is_same_v<swapped, presets::gtx480>);
static_assert(std::is_same_v<presets::gtx480::with<use::warp_scheduler<gto>>, presets::gtx480>,
              "naming what is there already changes nothing");

static_assert(std::is_same_v<swapped::policies::warp_scheduler, lrr>);
static_assert(std::is_same_v<swapped::policies::dram_scheduler, dram::fcfs>);
static_assert(std::is_same_v<swapped::policies::page_policy, dram::open_page>,
              "the other slots keep the preset's");
static_assert(std::is_same_v<swapped::policies::data_cache, presets::gtx480::policies::data_cache>);
static_assert(std::is_same_v<presets::gtx480::policies::warp_scheduler, gto>);
static_assert(std::is_same_v<presets::owl::policies::warp_scheduler, lrr>);
static_assert(!std::is_same_v<presets::gtx480_v3::policies::l2_cache, presets::gtx480::policies::l2_cache>);
static_assert(std::is_same_v<presets::gtx480::with<use::observer<counts_launches>>::policies::observer,
                             counts_launches>);
// Machines that differ in one part share the code of the others.
static_assert(std::is_same_v<presets::gtx480::with<use::dram_scheduler<dram::fcfs>>::policies::core,
                             presets::gtx480::policies::core>);
static_assert(std::is_same_v<presets::gtx480::with<use::warp_scheduler<lrr>>::policies::memory,
                             presets::gtx480::policies::memory>);
static_assert(std::is_same_v<swapped::policies::memory::dram_scheduler, dram::fcfs>);
static_assert(std::is_same_v<swapped::policies::core::warp_scheduler, lrr>);
static_assert(std::is_same_v<swapped::policies::cta_choice, round_robin_dispatch>);

TEST_CASE("a machine tells its policies by name, seat by seat") {
    auto const in = [](std::vector<slot_and_policy> const& said, std::string_view slot) {
        for (auto const& s : said)
            if (s.slot == slot) return s.policy;
        return std::string("no such slot");
    };
    auto const said = swapped::describe();
    REQUIRE(said.size() == 23);
    CHECK(said[0] == slot_and_policy{"warp_scheduler", "lrr"});
    CHECK(in(said, "replay_queue") == "none");
    CHECK(in(said, "l1i") == "cache<linear, lru, on_fill, read_only>");
    CHECK(in(said, "dram_scheduler") == "fcfs");
    CHECK(in(said, "observer") == "none");
    CHECK(in(said, "instruction_prefetch") == "no_prefetch");
    CHECK(in(said, "memory_prefetcher") == "no_memory_prefetch");
    CHECK(in(said, "dram_observer") == "none");
    CHECK(in(said, "l2_observer") == "none");
    CHECK(in(said, "l1t") == "texture_cache<linear, lru>");
    CHECK(in(said, "network") == "crossbar");
    for (auto const* machine_name : {"gtx480"}) CHECK(swapped::numbers().name == std::string(machine_name));
    CHECK(presets::gtx480::describe()[0].policy == "gto");
    CHECK(in(presets::owl::describe(), "network") == "mesh");
}

TEST_CASE("a machine's numbers are its preset's") {
    CHECK(swapped::parameters() == presets::gtx480::parameters());
    CHECK(presets::owl::parameters().core.count == 28);
}

TEST_CASE("the Fermi presets' set index is the Fermi hash where that is defined, and linear elsewhere") {
    cache_geometry const g32{32, 4, 128, 128};
    cache_geometry const g64{64, 6, 128, 128};
    cache_geometry const g96{96, 4, 128, 128};
    for (std::uint64_t a = 0; a < (1U << 22); a += 7 * 128) {
        CHECK(fermi_index(g32)(a, a / 128) == fermi_hash_index(g32)(a, a / 128));
        CHECK(fermi_index(g64)(a, a / 128) == fermi_hash_index(g64)(a, a / 128));
        CHECK(fermi_index(g96)(a, a / 128) == a / 128 % 96);
    }
}

TEST_CASE("the page of machines lists every seat as it is declared") {
    std::string table = "| seat | decides | standard | contract |\n|---|---|---|---|\n";
    for (auto const& row : seat_rows())
        table += "| `" + row.name + "` | " + row.decides + " | `" + row.standard + "` | `" + row.contract +
                 "` |\n";
    std::ifstream file(std::string(WARPKIT_SOURCE_DIR) + "/docs/reference/config.md");
    std::stringstream page;
    page << file.rdbuf();
    INFO(table);
    CHECK(page.str().find(table) != std::string::npos);
}
