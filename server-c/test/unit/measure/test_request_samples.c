/* SPDX-License-Identifier: MIT */
/* Which requests are kept for the control plane: each with the same chance, on however many loops,
 * and the slowest of all. */
#include "measure/request_reservoir.c"
#include "measure/request_samples.c"
#include "measure/request_searches.c"

#include "check.h"

#define LOOPS 3

static struct samples regular;
static struct request_samples loops[LOOPS];
static const struct request_looks nobody, watched = {.is_watched = true};

/* The number of a request is its time. */
static void request(struct request_samples *loop, uint64_t number)
{
    struct request_sample *place = request_reservoir_place(&loop->live, &loop->random);
    if (place)
        place->sample.stage_ns[STAGE_TOTAL] = number;
}

static void begin(void)
{
    samples_init(&regular, 1);
    for (size_t i = 0; i < LOOPS; i++) {
        request_samples_init(&loops[i], 1000 + i);
        request_samples_look(&loops[i], &regular, &watched);
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
    request_samples_look(&loops[0], &regular, &watched); /* said again, it changes nothing */
    request_samples_take_live(&loops[0], &taken);
    CHECK_INT(__LINE__, "kept", taken.count, 1);
    request_samples_look(&loops[0], &regular, &nobody);
    CHECK_TRUE(!samples_want(&regular, UINT64_MAX - 1), "none is wanted");
    CHECK_TRUE(!request_reservoir_place(&loops[0].live, &loops[0].random), "no place");
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

static struct request_search search_of(const char *id, uint32_t most)
{
    struct request_search search = {.most = most};

    snprintf(search.id, sizeof(search.id), "%s", id);
    return search;
}

static void find_one(struct request_samples *loop, size_t search, uint64_t number)
{
    struct request_searching *one = &loop->searches.items[search];
    struct request_sample *place = request_reservoir_place(&one->found, &loop->random);

    one->looked_at += 2; /* every second one matches */
    if (place)
        place->sample.stage_ns[STAGE_TOTAL] = number;
}

static void searches_have_a_reservoir_each(void)
{
    struct request_search wanted[] = {search_of("one", 5), search_of("two", 50)};
    struct request_looks looks = {false, wanted, 2}, second = {false, wanted + 1, 1};
    struct taken_requests taken = {0};

    samples_init(&regular, 1);
    request_samples_init(&loops[0], 7);
    request_samples_look(&loops[0], &regular, &looks);
    CHECK_TRUE(samples_want(&regular, 0), "all are wanted");
    CHECK_TRUE(!request_reservoir_place(&loops[0].live, &loops[0].random), "none is live");
    for (uint64_t n = 1; n <= 40; n++) {
        find_one(&loops[0], 0, n);
        find_one(&loops[0], 1, n);
    }
    request_searches_take(&loops[0].searches, "one", &taken, &loops[0].random);
    CHECK_INT(__LINE__, "no more than it may have", taken.count, 5);
    CHECK_INT(__LINE__, "matched", taken.seen, 40);
    CHECK_INT(__LINE__, "looked at", taken.looked_at, 80);
    taken_requests_fini(&taken);
    /* The first ends; what the second has found stays, though it stands elsewhere now. */
    request_samples_look(&loops[0], &regular, &second);
    request_searches_take(&loops[0].searches, "one", &taken, &loops[0].random);
    CHECK_INT(__LINE__, "ended", taken.seen, 0);
    request_searches_take(&loops[0].searches, "two", &taken, &loops[0].random);
    CHECK_INT(__LINE__, "all of them", taken.count, 40);
    taken_requests_fini(&taken);
    request_samples_look(&loops[0], &regular, &nobody);
    CHECK_TRUE(!samples_want(&regular, UINT64_MAX - 1), "none is wanted");
    CHECK_TRUE(!loops[0].searches.items, "nothing is held");
    request_samples_fini(&loops[0]);
    samples_fini(&regular);
}

int main(void)
{
    searches_have_a_reservoir_each();
    nothing_is_kept_while_nobody_looks();
    few_are_all_kept();
    each_has_the_same_chance();
    the_slowest_are_kept();
    return check_end("request_samples");
}
