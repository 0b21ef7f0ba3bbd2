/* SPDX-License-Identifier: MIT */
/* Which clients are waited for, by a clock of the test's own. */
#include <uv.h>

static uint64_t clock_ms = 1000000;
#define uv_now(loop) ((void)(loop), clock_ms)
#include "net/progress.c"
#undef uv_now

#include "base/util.h"
#include "memory_transport.h"

#define LEAST 1000     /* minBytesPerSecond */
#define LOOK_MS 15000  /* a quarter of writeSeconds */
#define LINGER_MS 2000 /* between looks at who lingers */

static struct config cfg = {.limits.min_bytes_per_second = LEAST};
static struct live_config live = {.cfg = &cfg};
static struct loop loop = {.timeout_ms = {[TIMEOUT_WRITE] = LOOK_MS}, .live = &live};

static void test_enough(void)
{
    static const struct {
        const char *name;
        int64_t taken;
        uint64_t least, elapsed_ms;
        bool suffices;
    } rows[] = {
        {"as many as it must", 1000, LEAST, 1000, true}, {"one too few", 999, LEAST, 1000, false},
        {"any byte will do", 1, 0, 60000, true},         {"none", 0, 0, 60000, false},
        {"none, at once", 0, LEAST, 0, false},           {"one, at once", 1, LEAST, 0, true},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        const struct progress progress = {clock_ms - rows[r].elapsed_ms, 500};
        CHECK_INT((int)r, rows[r].name,
                  progress_suffices(&progress, 500 + rows[r].taken, rows[r].least, clock_ms),
                  rows[r].suffices);
    }
}

/* What the client has not acknowledged at each look, and how many looks it takes to be over. */
static void test_lingering(void)
{
    static const struct {
        const char *name;
        int64_t unsent[40]; /* the last one holds for all later looks */
        int unsent_count;
        int looks;
    } rows[] = {
        {"has all at the first look", {0}, 1, 1},
        {"nobody knows", {-EBADF}, 1, 1},
        {"gets all between two looks: time to notice", {5000, 0}, 2, 3},
        {"takes what it must, to the end", {6000, 4000, 2000, 0}, 4, 5},
        {"takes nothing: all of writeSeconds after the first look", {5000}, 1, 31},
        {"takes too little", {5000, 4999}, 2, 31},
        {"pauses, and goes on", {5000, 5000, 5000, 1000, 0}, 5, 6},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct memory_transport memory = {0};
        struct transport transport = memory_transport_open(&memory);
        struct progress progress;
        int looks = 0;
        bool goes_on = true;
        progress_begin_lingering(&progress, &loop);
        while (goes_on && looks < 100) {
            int at = looks < rows[r].unsent_count ? looks : rows[r].unsent_count - 1;
            memory.unsent = rows[r].unsent[at];
            clock_ms += LINGER_MS;
            goes_on = progress_lingers(&progress, &loop, &transport);
            looks++;
        }
        CHECK_INT((int)r, rows[r].name, looks, rows[r].looks);
        transport_close(&transport);
    }
}

int main(void)
{
    test_enough();
    test_lingering();
    return check_end("progress");
}
