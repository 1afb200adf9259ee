/* A host in C11: a core of 16 warps whose scheduler, L1 and DRAM channel come from libwarpkit. */
#include <warpkit/facade/warpkit.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CHECK(what)                                                                                          \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            printf("line %d: %s: %s\n", __LINE__, #what, error.message);                                     \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

static void remember(void* user, uint32_t token) { *(uint32_t*)user = token; }
static void count_long(void* user, uint64_t token) { *(uint64_t*)user += token; }

int main(void) {
    warpkit_error error = {{0}};

    /* A scheduler: greedy, then oldest. */
    warpkit_scheduler* s = warpkit_scheduler_create("gto", &error);
    CHECK(s != NULL);
    CHECK(warpkit_scheduler_is_told(
        s, WARPKIT_KERNEL_BEGAN | WARPKIT_CTA_LAUNCHED | WARPKIT_ISSUED | WARPKIT_WARP_EXITED, &error));
    warpkit_kernel kernel;
    warpkit_kernel_init(&kernel);
    kernel.warp_slots = 16;
    CHECK(warpkit_scheduler_kernel_began(s, &kernel, &error));
    warpkit_scheduler_cta_launched(s, 1, 0, 0xff00, 0);
    warpkit_scheduler_cta_launched(s, 0, 1, 0x00ff, 0);
    CHECK(warpkit_scheduler_pick(s, 0xffff, NULL) == 8);
    warpkit_scheduler_issued(s, 3, 0, WARPKIT_ARITHMETIC, 0xffffffff, 1);
    CHECK(warpkit_scheduler_pick(s, 0xffff, NULL) == 3);
    CHECK(warpkit_scheduler_pick(s, 0, NULL) == WARPKIT_NO_WARP);
    warpkit_scheduler* copy = warpkit_scheduler_copy(s, &error);
    CHECK(copy != NULL && warpkit_scheduler_equal(s, copy));
    warpkit_scheduler_issued(copy, 4, 0, WARPKIT_ARITHMETIC, 1, 2);
    CHECK(!warpkit_scheduler_equal(s, copy));
    warpkit_scheduler_destroy(copy);
    warpkit_scheduler_destroy(s);

    /* Errors are values. */
    CHECK(warpkit_scheduler_create("gtoo", &error) == NULL && strstr(error.message, "did you mean gto?"));
    CHECK(warpkit_scheduler_create("two_level:0", &error) == NULL && strstr(error.message, "give 1 to"));
    CHECK(warpkit_scheduler_create(NULL, NULL) == NULL);
    s = warpkit_scheduler_create("cta_aware", &error);
    CHECK(s != NULL && !warpkit_scheduler_is_told(s, WARPKIT_KERNEL_BEGAN, &error) &&
          strstr(error.message, "blocked"));
    CHECK(!warpkit_scheduler_kernel_began(s, &kernel, &error) && strstr(error.message, "kernel_began::"));
    warpkit_scheduler_destroy(s);

    /* A cache that misses, asks below, and is filled. */
    warpkit_cache* c = warpkit_cache_create("srrip+xor+write_evict:sets=16:ways=2:bits=3", &error);
    CHECK(c != NULL);
    warpkit_access access;
    warpkit_access_init(&access);
    access.address = 0x1000;
    access.token = 77;
    access.warp = 5;
    CHECK(warpkit_cache_access(c, &access).answer == WARPKIT_ANSWER_AT_FILL);
    warpkit_cache_request request;
    CHECK(warpkit_cache_front_request(c, &request) && request.kind == WARPKIT_REQUEST_FETCH &&
          request.address == 0x1000);
    warpkit_cache_pop_request(c);
    CHECK(!warpkit_cache_front_request(c, &request));
    uint32_t token = 0;
    CHECK(warpkit_cache_fill(c, 0x1000, WARPKIT_UNTOLD, remember, &token, NULL, &error) && token == 77);
    CHECK(warpkit_cache_access(c, &access).answer == WARPKIT_ANSWER_NOW);
    CHECK(!warpkit_cache_fill(c, 0x2000, WARPKIT_UNTOLD, NULL, NULL, NULL, &error) &&
          strstr(error.message, "no outstanding"));
    warpkit_cache_counters counters;
    warpkit_cache_get_counters(c, &counters);
    CHECK(counters.accesses == 2 && counters.hits == 1 && counters.misses == 1);
    warpkit_cache_destroy(c);
    CHECK(warpkit_cache_create("lru:ways=65", &error) == NULL && strstr(error.message, "64"));

    /* Replacement alone. */
    warpkit_replacement* r = warpkit_replacement_create("lru", 4, 4, &error);
    CHECK(r != NULL);
    for (uint32_t way = 0; way < 4; ++way) warpkit_replacement_inserted(r, 2, way, NULL);
    warpkit_replacement_used(r, 2, 0, NULL);
    CHECK(warpkit_replacement_victim(r, 2, 0xf) == 1);
    CHECK(warpkit_replacement_victim(r, 2, 0xd) == 2);
    warpkit_replacement_destroy(r);

    /* A DRAM channel. */
    warpkit_dram* d = warpkit_dram_create("gddr5_gtx480:scheduler=fr_fcfs:queue=8", &error);
    CHECK(d != NULL);
    warpkit_dram_request read;
    warpkit_dram_request_init(&read);
    read.bytes = warpkit_dram_atom_bytes(d);
    for (read.token = 1; read.token <= 8; ++read.token) {
        read.address = read.token * 4096;
        CHECK(warpkit_dram_push(d, &read, 0));
    }
    CHECK(!warpkit_dram_push(d, &read, 0));
    uint64_t sum = 0;
    for (uint64_t now = 0; !warpkit_dram_idle(d); now = warpkit_dram_next_event(d, now))
        warpkit_dram_tick(d, now, count_long, &sum);
    CHECK(sum == 36);
    warpkit_dram_counters moved;
    warpkit_dram_get_counters(d, &moved);
    CHECK(moved.reads == 8);
    warpkit_dram_destroy(d);
    CHECK(warpkit_dram_create("ddr5", &error) == NULL && strstr(error.message, "there is no dram standard"));
    CHECK(warpkit_dram_create("gddr5_gtx480:cll=3", &error) == NULL && strstr(error.message, "cl"));

    /* Nothing is freed twice where nothing was made. */
    warpkit_scheduler_destroy(NULL);
    warpkit_cache_destroy(NULL);
    warpkit_replacement_destroy(NULL);
    warpkit_dram_destroy(NULL);
    printf("libwarpkit %s\n", warpkit_version());
    return strlen(warpkit_scheduler_catalogue()) > 1000 ? 0 : 1;
}
