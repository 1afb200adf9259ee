// Replacement policies and caches: with_alternatives, whose policies are chosen by name.
#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/cache.hpp>

#include "common.hpp"

using namespace warpkit;

namespace {

using first_cache = cache<linear_index, lru, on_miss, write_back<write_miss::write_and_fetch>>;
using any_cache = with_alternatives<first_cache>;
using any_replacement = any_cache::replacement_policy_type;

line_use use_of(warpkit_line_use const* by) noexcept {
    if (by == nullptr) return {};
    return {by->address, by->pc == WARPKIT_UNTOLD ? no_pc : by->pc, facade::slot_of(by->warp)};
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(':')); }

/// Its numbers, by name.
struct cache_text_numbers {
    cache_parameters is;
    template <class Self, class F>
    static void each_parameter(Self& self, F&& f) {
        auto& n = self.is;
        f(parameter{"sets", "", 1, 1U << 24}, n.geometry.sets);
        f(parameter{"ways", "", 1, 64}, n.geometry.ways);
        f(parameter{"line_bytes", "a power of two", 8, 4096}, n.geometry.line_bytes);
        f(parameter{"sector_bytes", "a power of two, at most line_bytes", 8, 4096}, n.geometry.sector_bytes);
        f(parameter{"mshr_entries", "sectors outstanding", 1, most_mshr_entries}, n.mshr_entries);
        f(parameter{"mshr_merges", "accesses that can wait for one sector, the first included", 1,
                    most_mshr_merges},
          n.mshr_merges);
        f(parameter{"miss_queue", "requests that wait for the next level", 1, 65536}, n.miss_queue);
        f(parameter{"write_ratio", "per cent of the lines stored to, below which those are kept", 0, 100},
          n.write_ratio);
    }
};

any_cache cache_from(std::string_view text) {
    facade::with_numbers<cache_text_numbers, any_cache> c;
    auto const words = first_word(text);
    c.numbers.is.choice = any_cache::choice_from(words == "cache" ? std::string_view() : words);
    c.policy = any_cache(c.numbers.is);
    auto const named = "cache" + std::string(text.substr(words.size()));
    set_parameters(c, named, "cache");
    c.policy = any_cache(c.numbers.is); // as large as it is, and then its policies again
    set_parameters(c, named, "cache");
    return std::move(c.policy);
}

std::string about_caches() {
    std::string all;
    for (auto const& part : any_cache::parts()) {
        all += std::string(part.kind) + ':';
        for (auto const name : part.names) all += ' ' + std::string(name);
        all += '\n';
    }
    return all + "cache, with these numbers and those of its replacement policy:\n" +
           facade::listed(parameters_of(cache_text_numbers{}));
}

warpkit_departed departed_of(departed_line const& d) noexcept {
    return {d.line, facade::number_of(d.owner), static_cast<int>(d.how)};
}

cache_access access_of(warpkit_access const& a) noexcept {
    cache_access to;
    to.address = a.address;
    to.bytes = a.bytes;
    to.kind = static_cast<access_kind>(a.kind);
    to.space = static_cast<memory_space>(a.space);
    to.owner = facade::slot_of(a.warp);
    to.token = a.token;
    to.pc = a.pc;
    to.written = {a.written[0], a.written[1]};
    return to;
}
static_assert(no_token == WARPKIT_NO_TOKEN && no_pc == WARPKIT_UNTOLD);
static_assert(static_cast<int>(cache_answer::below) == WARPKIT_ANSWER_BELOW &&
              static_cast<int>(lower_kind::write_back) == WARPKIT_REQUEST_WRITE_BACK &&
              static_cast<int>(line_departure::invalidated) == 2);

} // namespace

struct warpkit_replacement {
    any_replacement policy;
};
struct warpkit_cache {
    any_cache is;
};

char const* warpkit_replacement_catalogue(void) {
    return facade::kept_text([] {
        std::string all;
        for (std::uint32_t i = 0; i != std::size(any_replacement::names); ++i)
            all += std::string(any_replacement::names[i]) + '\n' +
                   facade::listed(parameters_of(any_replacement(1, 1, i)));
        return all;
    });
}
warpkit_replacement* warpkit_replacement_create(char const* text, std::uint32_t sets, std::uint32_t ways,
                                                warpkit_error* error) {
    return facade::guarded(error, [&] {
        std::string_view const all = facade::text_of(text);
        check(cache_geometry{.sets = sets, .ways = ways});
        detail::check_cache_range("ways", ways, 1, 64); // a host asks with one word
        auto const name = first_word(all);
        std::uint32_t chosen = 0;
        while (chosen != std::size(any_replacement::names) && any_replacement::names[chosen] != name)
            ++chosen;
        if (chosen == std::size(any_replacement::names)) {
            std::vector<std::string> const names(std::begin(any_replacement::names),
                                                 std::end(any_replacement::names));
            throw warpkit::error({"there is no replacement policy '", name,
                                  '\'' + did_you_mean(std::string(name), names),
                                  "; there are: ", detail::list_of(names)});
        }
        any_replacement policy(sets, ways, chosen);
        set_parameters(policy, all, "replacement policy");
        return new warpkit_replacement{std::move(policy)};
    });
}
warpkit_replacement* warpkit_replacement_copy(warpkit_replacement const* r, warpkit_error* error) {
    return facade::guarded(error, [&] { return new warpkit_replacement(*r); });
}
void warpkit_replacement_destroy(warpkit_replacement* r) { delete r; }
int warpkit_replacement_equal(warpkit_replacement const* a, warpkit_replacement const* b) {
    return a->policy == b->policy;
}
void warpkit_replacement_used(warpkit_replacement* r, std::uint32_t set, std::uint32_t way,
                              warpkit_line_use const* by) {
    r->policy.used(set, way, use_of(by));
}
void warpkit_replacement_inserted(warpkit_replacement* r, std::uint32_t set, std::uint32_t way,
                                  warpkit_line_use const* by) {
    r->policy.inserted(set, way, use_of(by));
}
void warpkit_replacement_removed(warpkit_replacement* r, std::uint32_t set, std::uint32_t way) {
    r->policy.removed(set, way);
}
std::uint32_t warpkit_replacement_victim(warpkit_replacement const* r, std::uint32_t set,
                                         std::uint64_t eligible) {
    return r->policy.victim(set, eligible);
}
int warpkit_replacement_declines(warpkit_replacement const* r, warpkit_line_use const* by) {
    return r->policy.declines(use_of(by));
}
void warpkit_replacement_launched(warpkit_replacement* r, std::uint64_t warps) {
    r->policy.launched(facade::set_of(warps));
}
void warpkit_replacement_exited(warpkit_replacement* r, std::uint64_t warps) {
    r->policy.exited(facade::set_of(warps));
}

void warpkit_access_init(warpkit_access* a) {
    *a = {0,
          {0, 0},
          4,
          WARPKIT_ACCESS_LOAD,
          WARPKIT_SPACE_GLOBAL,
          WARPKIT_NO_TOKEN,
          WARPKIT_UNTOLD,
          WARPKIT_NO_WARP};
}
char const* warpkit_cache_catalogue(void) { return facade::kept_text(about_caches); }
warpkit_cache* warpkit_cache_create(char const* text, warpkit_error* error) {
    return facade::guarded(error, [&] { return new warpkit_cache{cache_from(facade::text_of(text))}; });
}
warpkit_cache* warpkit_cache_copy(warpkit_cache const* c, warpkit_error* error) {
    return facade::guarded(error, [&] { return new warpkit_cache(*c); });
}
void warpkit_cache_destroy(warpkit_cache* c) { delete c; }
int warpkit_cache_equal(warpkit_cache const* a, warpkit_cache const* b) { return a->is == b->is; }
warpkit_cache_result warpkit_cache_access(warpkit_cache* c, warpkit_access const* access) {
    auto const r = c->is.access(access_of(*access));
    return {static_cast<warpkit_cache_answer>(r.answer), static_cast<warpkit_cache_outcome>(r.outcome),
            static_cast<warpkit_refusal>(r.reason), departed_of(r.departed)};
}
warpkit_cache_outcome warpkit_cache_probe(warpkit_cache const* c, warpkit_access const* access) {
    return static_cast<warpkit_cache_outcome>(c->is.probe(access_of(*access)));
}
int warpkit_cache_front_request(warpkit_cache const* c, warpkit_cache_request* request) {
    if (!c->is.has_request()) return 0;
    auto const& r = c->is.front_request();
    *request = {r.address,
                {r.written[0], r.written[1]},
                r.bytes,
                r.token,
                static_cast<warpkit_request_kind>(r.kind),
                static_cast<warpkit_memory_space>(r.space),
                facade::number_of(r.owner),
                r.sectors};
    return 1;
}
void warpkit_cache_pop_request(warpkit_cache* c) {
    if (c->is.has_request()) c->is.pop_request();
}
int warpkit_cache_fill(warpkit_cache* c, std::uint64_t address, std::uint32_t bytes,
                       void (*sink)(void*, std::uint32_t), void* user, warpkit_departed* departed,
                       warpkit_error* error) {
    return facade::guarded(error, [&] {
        auto const all = c->is.parameters().geometry.sector_bytes;
        auto const gone =
            c->is.fill(address, bytes == WARPKIT_UNTOLD ? all : bytes, [&](std::uint32_t token) {
                if (sink != nullptr) sink(user, token);
            });
        if (departed != nullptr) *departed = departed_of(gone);
        return 1;
    });
}
void warpkit_cache_launched(warpkit_cache* c, std::uint64_t warps) { c->is.disown(facade::set_of(warps)); }
void warpkit_cache_exited(warpkit_cache* c, std::uint64_t warps) { c->is.exited(facade::set_of(warps)); }
int warpkit_cache_flush(warpkit_cache* c) { return c->is.flush(); }
void warpkit_cache_invalidate(warpkit_cache* c) { c->is.invalidate_all(); }
std::uint32_t warpkit_cache_outstanding(warpkit_cache const* c) { return c->is.outstanding(); }
void warpkit_cache_get_counters(warpkit_cache const* c, warpkit_cache_counters* to) {
    auto const& n = c->is.counters();
    *to = {n.accesses,           n.hits,
           n.hit_reserved,       n.misses,
           n.sector_misses,      n.refused_line_allocation,
           n.refused_mshr_entry, n.refused_mshr_merge,
           n.refused_miss_queue, n.refused_mshr_read_write_pending,
           n.evictions,          n.fetches,
           n.stores_passed_on,   n.write_backs};
}
