// expect: warpkit: an instruction prefetcher needs `bool wants
#include <warpkit/fetch/concepts.hpp>

using namespace warpkit;

struct always {
    bool wants(fetched const&) const noexcept { return true; } // and the occupied MSHRs?
    friend bool operator==(always const&, always const&) = default;
};

static_assert(check_instruction_prefetch<always>());
