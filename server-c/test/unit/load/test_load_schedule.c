/* SPDX-License-Identifier: MIT */
/* When requests are due, and how often each URL is asked for. */
#include "load/load_schedule.c"

#include "check.h"

static struct load_url urls[] = {{.weight = 1}, {.weight = 3}, {.weight = 6}};

static void test_open(void)
{
    struct load_plan plan = {
        .mode = LOAD_OPEN, .rate = 4, .seconds = 2, .urls = urls, .url_count = 1};
    struct load_schedule s;
    int count = 0;

    load_schedule_init(&s, &plan);
    for (; load_schedule_due(&s) != LOAD_NEVER; count++) {
        CHECK_INT(__LINE__, "due", load_schedule_due(&s), (uint64_t)count * NS_PER_SECOND / 4);
        load_schedule_take(&s);
    }
    CHECK_INT(__LINE__, "of two seconds", count, 8);
    load_schedule_fini(&s);
}

static void test_closed(void)
{
    struct load_plan plan = {
        .mode = LOAD_CLOSED, .requests = 2, .seconds = 1, .urls = urls, .url_count = 1};
    struct load_schedule s;

    load_schedule_init(&s, &plan);
    CHECK_INT(__LINE__, "due", load_schedule_due(&s), LOAD_WHENEVER);
    load_schedule_take(&s);
    load_schedule_take(&s);
    CHECK_TRUE(load_schedule_due(&s) == LOAD_NEVER, "no third request");
    load_schedule_fini(&s);
}

static void test_replay(void)
{
    struct load_due dues[] = {{0, 2}, {5, 0}, {NS_PER_SECOND, 1}};
    struct load_plan plan = {.mode = LOAD_REPLAY,
                             .seconds = 1,
                             .urls = urls,
                             .url_count = 3,
                             .replay = dues,
                             .replay_count = 3};
    struct load_schedule s;

    load_schedule_init(&s, &plan);
    CHECK_TRUE(load_schedule_take(&s) == &urls[2], "the URL of the first line");
    CHECK_INT(__LINE__, "due", load_schedule_due(&s), 5);
    CHECK_TRUE(load_schedule_take(&s) == &urls[0], "and of the second");
    CHECK_TRUE(load_schedule_due(&s) == LOAD_NEVER, "what is due after the end is not asked for");
    load_schedule_fini(&s);
}

static void test_weights(void)
{
    struct load_plan plan = {.seed = 7, .urls = urls, .url_count = 3};
    struct load_schedule s;
    int counts[3] = {0};

    load_schedule_init(&s, &plan);
    for (int i = 0; i < 100000; i++)
        counts[load_schedule_any(&s) - urls]++;
    for (int i = 0; i < 3; i++) {
        double share = counts[i] / 100000.0 - urls[i].weight / 10;
        CHECK_TRUE(share > -0.01 && share < 0.01, "URL %d: %d times", i, counts[i]);
    }
    load_schedule_fini(&s);
}

int main(void)
{
    test_open();
    test_closed();
    test_replay();
    test_weights();
    return check_end("load_schedule");
}
