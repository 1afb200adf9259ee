#ifndef WARPKIT_FACADE_WARPKIT_H
#define WARPKIT_FACADE_WARPKIT_H
/** \file
 * warpkit in C, and in C++ older than C++20 (facade.hpp has classes over this): warp schedulers, replacement policies,
 * caches and DRAM channels of the catalogue, made by name with their parameters as text. Link libwarpkit.
 *
 * Contract:
 *  - What can fail says so by what it returns: a null pointer or 0, with the reason in `error`, which may be null.
 *    Nothing throws, prints or ends the program; what the host hands in to be called must not throw.
 *  - Only warpkit_..._create, warpkit_..._copy, warpkit_scheduler_kernel_began and the catalogues allocate.
 *  - One object belongs to one thread at a time; different objects know nothing of each other.
 *  - Warp and CTA slots are core-wide and 0-based, a set of warps has bit w for slot w, cycles are the host's. What
 *    each event means and when it is told is said once, in warpkit/base/events.hpp (docs/model/events.md).
 *  - A warpkit_..._create takes a name and, each behind a colon, parameters: "locality_aware:active=16". A value
 *    without a name is the first parameter's: "two_level:8". The catalogues list both.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WARPKIT_API __attribute__((visibility("default")))
#else
#define WARPKIT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library, as "0.1.0". */
WARPKIT_API char const* warpkit_version(void);

/** Why a call failed: one sentence, cut at the end where it is longer. */
typedef struct warpkit_error {
    char message[1024];
} warpkit_error;

/** A fact that the host does not tell (warpkit_kernel). */
#define WARPKIT_UNTOLD UINT32_MAX
/** No warp, where a slot is asked for or answered. */
#define WARPKIT_NO_WARP (-1)

/* ---- warp schedulers -------------------------------------------------------------------------------------------- */

/** One warp scheduler of a core. */
typedef struct warpkit_scheduler warpkit_scheduler;

/** What a warp issues (issue_class), why it cannot (block_reason), what an access does (access_kind), how a cache
 * answered it (cache_outcome), why it refused (refusal), and what became of a scheduler's cycle (cycle_cause). */
enum warpkit_issue_class {
    WARPKIT_ARITHMETIC,
    WARPKIT_SPECIAL_FUNCTION,
    WARPKIT_SHARED_MEMORY,
    WARPKIT_LOAD,
    WARPKIT_STORE,
    WARPKIT_ATOMIC,
    WARPKIT_BRANCH,
    WARPKIT_BARRIER,
    WARPKIT_EXIT,
    WARPKIT_OTHER
};
enum warpkit_block_reason {
    WARPKIT_BLOCKED_BY_MEMORY,
    WARPKIT_BLOCKED_BY_DEPENDENCY,
    WARPKIT_BLOCKED_BY_BARRIER,
    WARPKIT_BLOCKED_BY_FENCE
};
enum warpkit_access_kind { WARPKIT_ACCESS_LOAD, WARPKIT_ACCESS_STORE, WARPKIT_ACCESS_ATOMIC };
enum warpkit_cache_outcome {
    WARPKIT_HIT,
    WARPKIT_HIT_RESERVED,
    WARPKIT_MISS,
    WARPKIT_SECTOR_MISS,
    WARPKIT_RESERVATION_FAIL
};
enum warpkit_refusal {
    WARPKIT_REFUSED_LINE_ALLOCATION,
    WARPKIT_REFUSED_MSHR_ENTRY,
    WARPKIT_REFUSED_MSHR_MERGE,
    WARPKIT_REFUSED_MISS_QUEUE,
    WARPKIT_REFUSED_NETWORK,
    WARPKIT_REFUSED_MSHR_READ_WRITE_PENDING
};
enum warpkit_cycle_cause {
    WARPKIT_CYCLE_ISSUED,
    WARPKIT_CYCLE_NO_CTA,
    WARPKIT_CYCLE_DRAINED,
    WARPKIT_CYCLE_STRUCTURAL_MEMORY,
    WARPKIT_CYCLE_STRUCTURAL_OTHER,
    WARPKIT_CYCLE_THROTTLED,
    WARPKIT_CYCLE_RAW_MEMORY,
    WARPKIT_CYCLE_RAW_OTHER,
    WARPKIT_CYCLE_SYNC,
    WARPKIT_CYCLE_CONTROL,
    WARPKIT_CYCLE_FETCH
};

/** One static instruction, for the schedulers that read the program (elf, loop footprints): as much of
 * static_instruction as they go by. `kind` is the name of an op_class ("load", "branch", "fp_mad", ...), `space` that of
 * a memory_space ("global", ...) or null. */
typedef struct warpkit_instruction {
    char const* kind;
    char const* space;
    uint32_t target; /**< of a branch: index of the instruction that it may jump to; else WARPKIT_UNTOLD */
    uint8_t access_bytes;
    uint8_t guarded;      /**< runs under a predicate */
    uint8_t destinations; /**< registers that it writes: an atomic without any returns nothing */
} warpkit_instruction;

/** What a scheduler is told of a kernel. Begin with warpkit_kernel_init, which leaves all untold, and set what is
 * known: a scheduler that goes by something untold refuses the kernel and names it. */
typedef struct warpkit_kernel {
    uint32_t core;
    uint32_t cores;
    uint32_t warp_slots;
    uint32_t ctas_per_core;
    uint32_t warps_per_cta;
    uint32_t instruction_bytes;
    uint32_t l1_lines;
    uint32_t schedulers; /**< in the core; slot w belongs to scheduler w mod schedulers */
    uint32_t scheduler;  /**< which of them this one is; 0 if untold */
    uint32_t instructions;
    warpkit_instruction const* code; /**< copied; null with instructions == 0 for a kernel that has none */
} warpkit_kernel;
WARPKIT_API void warpkit_kernel_init(warpkit_kernel* kernel);

/** Which of the candidates would issue what. */
typedef struct warpkit_issue_classes {
    uint64_t loads;   /**< global, local, texture or parameter loads */
    uint64_t stores;  /**< global or local stores */
    uint64_t atomics; /**< global atomics */
} warpkit_issue_classes;

/** Where a warp will touch memory (warp_footprint). */
typedef struct warpkit_footprint {
    uint16_t region[5];
    uint16_t touched[5];
} warpkit_footprint;

/** The events, a bit each, for warpkit_scheduler_hears. kernel_began tells which slots are the scheduler's, too. */
enum warpkit_event {
    WARPKIT_KERNEL_BEGAN = 1 << 0,
    WARPKIT_KERNEL_ENDED = 1 << 1,
    WARPKIT_CTA_LAUNCHED = 1 << 2,
    WARPKIT_FOOTPRINT_KNOWN = 1 << 3,
    WARPKIT_CTA_FINISHED = 1 << 4,
    WARPKIT_WARP_EXITED = 1 << 5,
    WARPKIT_ISSUED = 1 << 6,
    WARPKIT_BRANCHED = 1 << 7,
    WARPKIT_BLOCKED = 1 << 8,
    WARPKIT_UNBLOCKED = 1 << 9,
    WARPKIT_BARRIER_ARRIVED = 1 << 10,
    WARPKIT_BARRIER_RELEASED = 1 << 11,
    WARPKIT_L1_ACCESSED = 1 << 12,
    WARPKIT_L1_EVICTED = 1 << 13,
    WARPKIT_L1_FILLED = 1 << 14,
    WARPKIT_LOAD_RETURNED = 1 << 15,
    WARPKIT_LSU_REFUSED = 1 << 16,
    WARPKIT_MEMORY_PRESSURE = 1 << 17,
    WARPKIT_NEXT_DECODED = 1 << 18,
    WARPKIT_CYCLES_SPENT = 1 << 19
};

/** All schedulers, a line each, "name  what it is", below it a line for each parameter. The text stays. Null if there
 * is no memory for it. */
WARPKIT_API char const* warpkit_scheduler_catalogue(void);
/** Null, with the reason, for a name or a parameter that there is not, and for a value out of range. */
WARPKIT_API warpkit_scheduler* warpkit_scheduler_create(char const* text, warpkit_error* error);
WARPKIT_API warpkit_scheduler* warpkit_scheduler_copy(warpkit_scheduler const* s, warpkit_error* error);
WARPKIT_API void warpkit_scheduler_destroy(warpkit_scheduler* s);
/** Whether both are the same policy in the same state. */
WARPKIT_API int warpkit_scheduler_equal(warpkit_scheduler const* a, warpkit_scheduler const* b);
WARPKIT_API char const* warpkit_scheduler_name(warpkit_scheduler const* s);
/** The events that it goes by, of enum warpkit_event. */
WARPKIT_API uint32_t warpkit_scheduler_hears(warpkit_scheduler const* s);
/** 1 if a host that tells the events in `told` tells it all that it goes by; else 0, and the error names what is missing.
 * A scheduler that waits for an event that never comes decides as another one. */
WARPKIT_API int warpkit_scheduler_is_told(warpkit_scheduler const* s, uint32_t told, warpkit_error* error);
/** Whether warpkit_scheduler_pick must be told what the candidates would issue. */
WARPKIT_API int warpkit_scheduler_asks_classes(warpkit_scheduler const* s);

/** The candidate that issues next: its slot, or WARPKIT_NO_WARP. Asking changes nothing. `next` may be null for those
 * that do not ask for it; for those that do, null answers WARPKIT_NO_WARP. */
WARPKIT_API int warpkit_scheduler_pick(warpkit_scheduler const* s, uint64_t candidates,
                                       warpkit_issue_classes const* next);
/** The candidates that it would not refuse (a throttle refuses some). */
WARPKIT_API uint64_t warpkit_scheduler_eligible(warpkit_scheduler const* s, uint64_t candidates,
                                                warpkit_issue_classes const* next);

/* Events. All schedulers of a core hear all of its events, but `issued` and `cycles_spent`, which only the one concerned
 * hears. One that a scheduler does not go by costs a call. */

/** The first event of all, and at each kernel: the scheduler is as good as new. 0 if it goes by something untold, and
 * then it must not be used before it was told. */
WARPKIT_API int warpkit_scheduler_kernel_began(warpkit_scheduler* s, warpkit_kernel const* kernel,
                                               warpkit_error* error);
WARPKIT_API void warpkit_scheduler_kernel_ended(warpkit_scheduler* s);
WARPKIT_API void warpkit_scheduler_cta_launched(warpkit_scheduler* s, uint32_t cta, uint64_t linear_id,
                                                uint64_t warps, uint64_t at);
WARPKIT_API void warpkit_scheduler_footprint_known(warpkit_scheduler* s, uint32_t warp,
                                                   warpkit_footprint const* footprint);
WARPKIT_API void warpkit_scheduler_cta_finished(warpkit_scheduler* s, uint32_t cta, uint64_t linear_id,
                                                uint64_t at);
WARPKIT_API void warpkit_scheduler_warp_exited(warpkit_scheduler* s, uint32_t warp);
WARPKIT_API void warpkit_scheduler_issued(warpkit_scheduler* s, uint32_t warp, uint32_t pc,
                                          enum warpkit_issue_class kind, uint64_t active_lanes, uint64_t at);
WARPKIT_API void warpkit_scheduler_branched(warpkit_scheduler* s, uint32_t warp, uint32_t pc, uint32_t next_pc,
                                            int taken);
WARPKIT_API void warpkit_scheduler_blocked(warpkit_scheduler* s, uint32_t warp, enum warpkit_block_reason why);
WARPKIT_API void warpkit_scheduler_unblocked(warpkit_scheduler* s, uint32_t warp, enum warpkit_block_reason why);
WARPKIT_API void warpkit_scheduler_barrier_arrived(warpkit_scheduler* s, uint32_t warp, int waits);
WARPKIT_API void warpkit_scheduler_barrier_released(warpkit_scheduler* s, uint64_t warps);
WARPKIT_API void warpkit_scheduler_l1_accessed(warpkit_scheduler* s, uint32_t warp, uint32_t pc, uint64_t line,
                                               enum warpkit_access_kind kind,
                                               enum warpkit_cache_outcome outcome);
/** `owner` is the warp that brought the line in, or WARPKIT_NO_WARP. */
WARPKIT_API void warpkit_scheduler_l1_evicted(warpkit_scheduler* s, uint64_t line, int owner, int by_store);
WARPKIT_API void warpkit_scheduler_l1_filled(warpkit_scheduler* s, uint64_t line);
WARPKIT_API void warpkit_scheduler_load_returned(warpkit_scheduler* s, uint32_t warp, uint32_t pc);
WARPKIT_API void warpkit_scheduler_lsu_refused(warpkit_scheduler* s, uint32_t warp, enum warpkit_refusal why);
WARPKIT_API void warpkit_scheduler_memory_pressure(warpkit_scheduler* s, uint16_t free_mshrs, uint16_t mshrs,
                                                   uint16_t free_queue, uint16_t queue);
WARPKIT_API void warpkit_scheduler_next_decoded(warpkit_scheduler* s, uint32_t warp, uint32_t pc);
WARPKIT_API void warpkit_scheduler_cycles_spent(warpkit_scheduler* s, uint32_t scheduler,
                                                enum warpkit_cycle_cause cause, uint64_t from, uint64_t count);

/* ---- replacement policies --------------------------------------------------------------------------------------- */

/** Which line of a set goes, in a cache of the host's own. */
typedef struct warpkit_replacement warpkit_replacement;

/** Who uses a line: what policies go by that predict (ship, pcal). */
typedef struct warpkit_line_use {
    uint64_t address;
    uint32_t pc; /**< WARPKIT_UNTOLD for no instruction's */
    int warp;    /**< slot, or WARPKIT_NO_WARP */
} warpkit_line_use;

WARPKIT_API char const* warpkit_replacement_catalogue(void);
/** For `sets` sets, 1 to 2^24, of `ways` ways, 1 to 64. */
WARPKIT_API warpkit_replacement* warpkit_replacement_create(char const* text, uint32_t sets, uint32_t ways,
                                                            warpkit_error* error);
WARPKIT_API warpkit_replacement* warpkit_replacement_copy(warpkit_replacement const* r, warpkit_error* error);
WARPKIT_API void warpkit_replacement_destroy(warpkit_replacement* r);
WARPKIT_API int warpkit_replacement_equal(warpkit_replacement const* a, warpkit_replacement const* b);
/** A line that is here was accessed; `by` may be null. */
WARPKIT_API void warpkit_replacement_used(warpkit_replacement* r, uint32_t set, uint32_t way,
                                          warpkit_line_use const* by);
/** A line came in. */
WARPKIT_API void warpkit_replacement_inserted(warpkit_replacement* r, uint32_t set, uint32_t way,
                                              warpkit_line_use const* by);
/** A line went, and no other takes its place now. */
WARPKIT_API void warpkit_replacement_removed(warpkit_replacement* r, uint32_t set, uint32_t way);
/** The way whose line goes, of those whose bit is set in `eligible` (at least one; all hold lines). Changes nothing. */
WARPKIT_API uint32_t warpkit_replacement_victim(warpkit_replacement const* r, uint32_t set, uint64_t eligible);
/** Whether what has come is not to be kept (pcal). */
WARPKIT_API int warpkit_replacement_declines(warpkit_replacement const* r, warpkit_line_use const* by);
/** These slots have new warps (pcal). */
WARPKIT_API void warpkit_replacement_launched(warpkit_replacement* r, uint64_t warps);
/** The warps in these slots have ended (pcal). */
WARPKIT_API void warpkit_replacement_exited(warpkit_replacement* r, uint64_t warps);

/* ---- caches ----------------------------------------------------------------------------------------------------- */

/** A cache with tags, MSHRs and a queue to the next level, which answers at once and knows no time
 * (warpkit/cache/cache.hpp; docs/model/cache.md). */
typedef struct warpkit_cache warpkit_cache;

enum warpkit_memory_space {
    WARPKIT_SPACE_NONE,
    WARPKIT_SPACE_GLOBAL,
    WARPKIT_SPACE_SHARED,
    WARPKIT_SPACE_LOCAL,
    WARPKIT_SPACE_CONSTANT,
    WARPKIT_SPACE_PARAMETER,
    WARPKIT_SPACE_TEXTURE,
    WARPKIT_SPACE_GENERIC
};

/** The token of an access that nobody waits for. */
#define WARPKIT_NO_TOKEN UINT32_MAX

/** One access. Begin with warpkit_access_init: a load of 4 bytes of global memory by nobody. */
typedef struct warpkit_access {
    uint64_t address;
    uint64_t written[2]; /**< of a store: its bytes in the aligned 128 bytes; all 0: every one of `bytes` */
    uint32_t bytes;
    enum warpkit_access_kind kind;
    enum warpkit_memory_space space;
    uint32_t token; /**< handed back by warpkit_cache_fill, or with the request */
    uint32_t pc;
    int warp;
} warpkit_access;
WARPKIT_API void warpkit_access_init(warpkit_access* access);

enum warpkit_cache_answer {
    WARPKIT_ANSWER_REFUSED, /**< nothing happened: try again later */
    WARPKIT_ANSWER_NOW,     /**< the cache has the data, or has taken the store */
    WARPKIT_ANSWER_AT_FILL, /**< warpkit_cache_fill hands back the token */
    WARPKIT_ANSWER_BELOW    /**< the access itself was sent on: the next level answers it */
};
/** A line that left. */
typedef struct warpkit_departed {
    uint64_t line;
    int owner;
    int how; /**< 0: none left, 1: another took its place, 2: removed by a store that hit it */
} warpkit_departed;
typedef struct warpkit_cache_result {
    enum warpkit_cache_answer answer;
    enum warpkit_cache_outcome outcome;
    enum warpkit_refusal refusal; /**< if the outcome is WARPKIT_RESERVATION_FAIL */
    warpkit_departed departed;
} warpkit_cache_result;

enum warpkit_request_kind {
    WARPKIT_REQUEST_FETCH, /**< answer it with warpkit_cache_fill */
    WARPKIT_REQUEST_STORE,
    WARPKIT_REQUEST_ATOMIC,
    WARPKIT_REQUEST_WRITE_BACK
};
/** One request to the next level. */
typedef struct warpkit_cache_request {
    uint64_t address;
    uint64_t written[2];
    uint32_t bytes;
    uint32_t token;
    enum warpkit_request_kind kind;
    enum warpkit_memory_space space;
    int warp;
    uint32_t sectors; /**< of a write-back: the dirty ones, a bit each */
} warpkit_cache_request;

/** cache_counters. */
typedef struct warpkit_cache_counters {
    uint64_t accesses, hits, hit_reserved, misses, sector_misses;
    uint64_t refused_line_allocation, refused_mshr_entry, refused_mshr_merge, refused_miss_queue,
        refused_mshr_read_write_pending;
    uint64_t evictions, fetches, stores_passed_on, write_backs;
} warpkit_cache_counters;

/** The names that the first word may join by '+', and the parameters. */
WARPKIT_API char const* warpkit_cache_catalogue(void);
/** The first word names policies, joined by '+', none of which need be said (linear index, lru, on_miss, write_back with
 * write_and_fetch): "srrip+xor+write_evict:sets=64:ways=8:line_bytes=128:sector_bytes=32:mshr_entries=64". */
WARPKIT_API warpkit_cache* warpkit_cache_create(char const* text, warpkit_error* error);
WARPKIT_API warpkit_cache* warpkit_cache_copy(warpkit_cache const* c, warpkit_error* error);
WARPKIT_API void warpkit_cache_destroy(warpkit_cache* c);
WARPKIT_API int warpkit_cache_equal(warpkit_cache const* a, warpkit_cache const* b);
WARPKIT_API warpkit_cache_result warpkit_cache_access(warpkit_cache* c, warpkit_access const* access);
/** How an access would find its line, without changing anything; whether it would be refused is not looked into. */
WARPKIT_API enum warpkit_cache_outcome warpkit_cache_probe(warpkit_cache const* c, warpkit_access const* access);
/** The oldest request to the next level: 1, and it is in `request`; 0 if there is none. */
WARPKIT_API int warpkit_cache_front_request(warpkit_cache const* c, warpkit_cache_request* request);
/** Removes it. */
WARPKIT_API void warpkit_cache_pop_request(warpkit_cache* c);
/** `bytes` of the data of a fetch have come, WARPKIT_UNTOLD for all; `address` is the fetch's. With the last of them,
 * `sink` (may be null) is called with each token that waited. 0 if nothing was asked for there. `departed` may be null. */
WARPKIT_API int warpkit_cache_fill(warpkit_cache* c, uint64_t address, uint32_t bytes,
                                   void (*sink)(void* user, uint32_t token), void* user,
                                   warpkit_departed* departed, warpkit_error* error);
/** These slots have new warps: lines that their last ones brought in are nobody's. */
WARPKIT_API void warpkit_cache_launched(warpkit_cache* c, uint64_t warps);
/** The warps in these slots have ended: pcal hands on their tokens. */
WARPKIT_API void warpkit_cache_exited(warpkit_cache* c, uint64_t warps);
/** Queues write-backs of dirty lines, as many as there is room for: 1 when none is left. Lines stay. */
WARPKIT_API int warpkit_cache_flush(warpkit_cache* c);
/** Drops every line at once, dirty or not. Accesses that wait are still served by their fill. */
WARPKIT_API void warpkit_cache_invalidate(warpkit_cache* c);
/** Fetches outstanding. */
WARPKIT_API uint32_t warpkit_cache_outstanding(warpkit_cache const* c);
WARPKIT_API void warpkit_cache_get_counters(warpkit_cache const* c, warpkit_cache_counters* counters);

/* ---- DRAM channels ---------------------------------------------------------------------------------------------- */

/** One DRAM channel with its controller (warpkit/dram/channel.hpp; docs/model/dram.md). */
typedef struct warpkit_dram warpkit_dram;

/** channel_counters, without those of a memory-side prefetcher. */
typedef struct warpkit_dram_counters {
    uint64_t reads, writes, read_atoms, write_atoms, activates, precharges, refreshes, requests_served, row_hits,
        bus_busy_cycles, busy_cycles, bank_cycles, bank_busy_cycles;
} warpkit_dram_counters;

/** One request. Begin with warpkit_dram_request_init: a read of one atom at 0 by nobody. */
typedef struct warpkit_dram_request {
    uint64_t address; /**< the channel's own, split by the standard's mapping */
    uint64_t token;   /**< handed back by warpkit_dram_tick */
    uint32_t bytes;   /**< at least 1, within one row; a part of an atom costs a whole one */
    int write;
    int core; /**< who asks, for schedulers that go by it (par_bs, atlas); -1: nobody */
    int warp; /**< slot in that core, or WARPKIT_NO_WARP */
} warpkit_dram_request;
WARPKIT_API void warpkit_dram_request_init(warpkit_dram_request* request);

/** The standards, schedulers and page policies, and the parameters. */
WARPKIT_API char const* warpkit_dram_catalogue(void);
/** A standard and what is to be different: "gddr5_gtx480:scheduler=fr_fcfs:queue=64:cl=14",
 * "hbm2_dramsim3:scheduler=bank_queues:page=closed_page:refresh=1". Any number of the timing table can be set. */
WARPKIT_API warpkit_dram* warpkit_dram_create(char const* text, warpkit_error* error);
WARPKIT_API warpkit_dram* warpkit_dram_copy(warpkit_dram const* d, warpkit_error* error);
WARPKIT_API void warpkit_dram_destroy(warpkit_dram* d);
WARPKIT_API int warpkit_dram_equal(warpkit_dram const* a, warpkit_dram const* b);
/** Bytes that one column command moves: the least that a request costs. */
WARPKIT_API uint32_t warpkit_dram_atom_bytes(warpkit_dram const* d);
/** Bytes of the channel; addresses wrap at them. */
WARPKIT_API uint64_t warpkit_dram_capacity(warpkit_dram const* d);
WARPKIT_API int warpkit_dram_can_accept(warpkit_dram const* d, warpkit_dram_request const* request);
/** 1, and the request is queued; 0 if there is no room, or its bytes do not lie in one row. `now` is the cycle that is
 * ticked next, or was ticked last. */
WARPKIT_API int warpkit_dram_push(warpkit_dram* d, warpkit_dram_request const* request, uint64_t now);
/** Advances to cycle `now` of the command clock, later than every earlier one, and calls `done` with the token of each
 * request that has ended. Cycles before warpkit_dram_next_event need no tick. */
WARPKIT_API void warpkit_dram_tick(warpkit_dram* d, uint64_t now, void (*done)(void* user, uint64_t token),
                                   void* user);
/** The next cycle after `now` that matters if nothing is pushed; UINT64_MAX if idle. */
WARPKIT_API uint64_t warpkit_dram_next_event(warpkit_dram const* d, uint64_t now);
WARPKIT_API int warpkit_dram_idle(warpkit_dram const* d);
/** The row in a bank's row buffer; WARPKIT_UNTOLD if it is closed. */
WARPKIT_API uint32_t warpkit_dram_open_row(warpkit_dram const* d, uint32_t bank);
WARPKIT_API void warpkit_dram_get_counters(warpkit_dram const* d, warpkit_dram_counters* counters);

#ifdef __cplusplus
}
#endif

#endif
