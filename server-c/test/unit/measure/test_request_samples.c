/* SPDX-License-Identifier: MIT */
/* Which requests are kept for the control plane: each with the same chance, on however many loops,
 * and the slowest of all. */
#include "measure/request_samples.c"

#include "check.h"

#define LOOPS 3

static struct samples regular;
static struct request_samples loops[LOOPS];

/* The number of a request is its time. */
static void request(struct request_samples *loop, uint64_t number)
{
    struct request_sample *place = request_samples_live_place(loop);
    if (place)
        place->sample.stage_ns[STAGE_TOTAL] = number;
}

static void begin(void)
{
    samples_init(&regular, 1);
    for (size_t i = 0; i < LOOPS; i++) {
        request_samples_init(&loops[i], 1000 + i);
        request_samples_watch(&loops[i], &regular, true);
    }
}

static void end(void)
{
    for (size_t i = 0; i < LOOPS; i++)
        request_samples_fini(&loops[i]);
    samples_fini(&regular);
}

static void nothing_is_kept_while_nobody_looks(void)
{
    struct taken_requests taken = {0};
    begin();
    CHECK_TRUE(samples_want(&regular, 0), "all are wanted");
    request(&loops[0], 1);
    request_samples_watch(&loops[0], &regular, true); /* said again, it changes nothing */
    request_samples_take_live(&loops[0], &taken);
    CHECK_INT(__LINE__, "kept", taken.count, 1);
    request_samples_watch(&loops[0], &regular, false);
    CHECK_TRUE(!samples_want(&regular, UINT64_MAX - 1), "none is wanted");
    CHECK_TRUE(!request_samples_live_place(&loops[0]), "no place");
    request_samples_take_live(&loops[0], &taken);
    CHECK_INT(__LINE__, "still", taken.count, 1);
    taken_requests_fini(&taken);
    end();
}

static void few_are_all_kept(void)
{
    struct taken_requests taken = {0};
    uint64_t sum = 0;
    begin();
    for (uint64_t n = 1; n <= REQUEST_SAMPLES_LIVE; n++)
        request(&loops[n % LOOPS], n);
    for (size_t i = 0; i < LOOPS; i++)
        request_samples_take_live(&loops[i], &taken);
    CHECK_INT(__LINE__, "all", taken.count, REQUEST_SAMPLES_LIVE);
    CHECK_INT(__LINE__, "seen", taken.seen, REQUEST_SAMPLES_LIVE);
    for (size_t i = 0; i < taken.count; i++)
        sum += taken.items[i].sample.stage_ns[STAGE_TOTAL];
    CHECK_INT(__LINE__, "each once", sum, REQUEST_SAMPLES_LIVE * (REQUEST_SAMPLES_LIVE + 1) / 2);
    taken_requests_fini(&taken);
    for (size_t i = 0; i < LOOPS; i++)
        request_samples_take_live(&loops[i], &taken);
    CHECK_INT(__LINE__, "taken once", taken.count, 0);
    end();
}

/* 2,000 requests, of which the loops have 10, 490 and 1,500, a thousand times: each tenth of them is
 * to be chosen 10,000 times, whichever loop had it and whenever it came. */
static void each_has_the_same_chance(void)
{
    static const uint64_t upto[LOOPS] = {10, 500, 2000};
    uint64_t chosen[10] = {0}, of_first = 0;
    begin();
    for (int round = 0; round < 1000; round++) {
        struct taken_requests taken = {0};
        for (uint64_t n = 0, loop = 0; n < 2000; n++) {
            while (n >= upto[loop])
                loop++;
            request(&loops[loop], n);
        }
        for (size_t i = 0; i < LOOPS; i++)
            request_samples_take_live(&loops[i], &taken);
        CHECK_INT(round, "as many as may be", taken.count, REQUEST_SAMPLES_LIVE);
        CHECK_INT(round, "of all", taken.seen, 2000);
        for (size_t i = 0; i < taken.count; i++) {
            uint64_t number = taken.items[i].sample.stage_ns[STAGE_TOTAL];
            chosen[number / 200]++;
            of_first += number < 10;
        }
        taken_requests_fini(&taken);
    }
    for (size_t i = 0; i < ARRAY_LEN(chosen); i++)
        CHECK_TRUE(chosen[i] > 9500 && chosen[i] < 10500, "tenth %zu: %d", i, (int)chosen[i]);
    CHECK_TRUE(of_first > 400 && of_first < 600, "of the quiet loop: %d", (int)of_first);
    end();
}

static void the_slowest_are_kept(void)
{
    struct taken_requests taken = {0};
    bool found[REQUEST_SAMPLES_WORST] = {false};
    begin();
    /* 1 … 997 in a mixed order, as 7 generates the numbers modulo the prime. */
    for (uint64_t n = 0, number = 1; n < 996; n++, number = number * 7 % 997) {
        struct request_sample *place = request_samples_worst_place(&loops[n % LOOPS], number);
        if (place)
            place->sample.stage_ns[STAGE_TOTAL] = number;
    }
    for (size_t i = 0; i < LOOPS; i++)
        request_samples_take_worst(&loops[i], &taken);
    CHECK_INT(__LINE__, "kept", taken.count, REQUEST_SAMPLES_WORST);
    for (size_t i = 0; i < taken.count; i++) {
        uint64_t number = taken.items[i].sample.stage_ns[STAGE_TOTAL];
        CHECK_TRUE(number > 996 - REQUEST_SAMPLES_WORST, "%d is among them", (int)number);
        found[996 - number] = true;
    }
    for (size_t i = 0; i < ARRAY_LEN(found); i++)
        CHECK_TRUE(found[i], "%d is there", (int)(996 - i));
    taken_requests_fini(&taken);
    request_samples_take_worst(&loops[0], &taken);
    CHECK_INT(__LINE__, "taken once", taken.count, 0);
    end();
}

int main(void)
{
    nothing_is_kept_while_nobody_looks();
    few_are_all_kept();
    each_has_the_same_chance();
    the_slowest_are_kept();
    return check_end("request_samples");
}
