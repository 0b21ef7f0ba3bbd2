/* SPDX-License-Identifier: MIT */
/* How the waits for one socket are told to those that waited. The kernel is a table here. */
#include "net/tcp_waits.c"

#include "check.h"

static struct tcp_reading kernel;
static bool kernel_knows = true;
static int asked;

bool tcp_reading_take(struct tcp_reading *reading, int fd)
{
    (void)fd;
    asked++;
    *reading = kernel;
    return kernel_knows;
}

static struct loop_series series;
static struct live_config live = {.series = &series};
static const struct tcp_waited from_the_start;

static uint64_t counted(enum counter counter)
{
    return series.data.counters[counter];
}

static void test_one_response(void)
{
    struct tcp_waits waits = {0};
    struct stage_clock clock = {0};

    kernel = (struct tcp_reading){10000, 4000, 1000, 500, 5, 70};
    asked = 0;
    tcp_waits_take(&waits, 0, false, &live);
    tcp_waits_tell(&waits, &from_the_start, &clock);
    CHECK_TRUE(!clock.waited && asked == 0, "who never waits asks nothing");
    tcp_waits_begin(&waits, 0);
    tcp_waits_begin(&waits, 0);
    CHECK_INT(__LINE__, "asked", asked, 1);
    kernel = (struct tcp_reading){30000, 16000, 3000, 900, 8, 90};
    tcp_waits_take(&waits, 0, false, &live);
    tcp_waits_tell(&waits, &from_the_start, &clock);
    CHECK_TRUE(clock.waited, "it waited");
    CHECK_INT(__LINE__, "client", clock.client_ns, 12000000);
    CHECK_INT(__LINE__, "buffer", clock.buffer_ns, 2000000);
    CHECK_INT(__LINE__, "network", clock.network_ns, 6000000);
    CHECK_INT(__LINE__, "round trip", clock.round_trip_ns, 90000);
    CHECK_INT(__LINE__, "bytes", counted(COUNTER_RETRANSMITTED_BYTES), 400);
    CHECK_INT(__LINE__, "segments", counted(COUNTER_RETRANSMITTED_SEGMENTS), 3);
}

/* The kernel's sums are each of a tick of their own: none goes back, and their parts may be more than the whole. */
static void test_ticks(void)
{
    struct tcp_waits waits = {0};
    struct stage_clock clock = {0};

    kernel = (struct tcp_reading){.busy_us = 8000, .client_us = 4000};
    tcp_waits_begin(&waits, 0);
    kernel = (struct tcp_reading){.busy_us = 8000, .client_us = 8000};
    tcp_waits_take(&waits, 0, true, &live);
    kernel = (struct tcp_reading){.busy_us = 4000, .client_us = 4000};
    tcp_waits_take(&waits, 0, false, &live);
    tcp_waits_tell(&waits, &from_the_start, &clock);
    CHECK_INT(__LINE__, "client", clock.client_ns, 4000000);
    CHECK_INT(__LINE__, "network", clock.network_ns, 0);
}

/* Two streams: one from the beginning to the end, another that comes while the socket is full. */
static void test_shared(void)
{
    struct tcp_waits waits = {0};
    struct tcp_waited second;
    struct stage_clock clocks[3] = {{0}};

    kernel = (struct tcp_reading){0};
    tcp_waits_begin(&waits, 0);
    kernel.busy_us = 10000;
    tcp_waits_take(&waits, 0, true, &live);
    second = waits.sums;
    tcp_waits_add_client(&waits, 1000);
    kernel.busy_us = 15000;
    tcp_waits_take(&waits, 0, true, &live);
    tcp_waits_tell(&waits, &second, &clocks[1]);
    kernel.busy_us = 17000;
    tcp_waits_take(&waits, 0, false, &live);
    tcp_waits_tell(&waits, &from_the_start, &clocks[0]);
    CHECK_INT(__LINE__, "of the second", clocks[1].network_ns, 5000000);
    CHECK_INT(__LINE__, "of the first", clocks[0].network_ns, 17000000);
    CHECK_INT(__LINE__, "by a window", clocks[0].client_ns, 1000);
    CHECK_INT(__LINE__, "of both", clocks[1].client_ns, 1000);
    tcp_waits_tell(&waits, &waits.sums, &clocks[2]);
    CHECK_TRUE(!clocks[2].waited, "a third comes when nobody waits any more");
}

static void test_unknown(void)
{
    struct tcp_waits waits = {0};
    struct stage_clock clock = {0};

    kernel_knows = false;
    asked = 0;
    for (int i = 0; i < 3; i++) {
        tcp_waits_begin(&waits, 0);
        tcp_waits_take(&waits, 0, false, &live);
    }
    tcp_waits_tell(&waits, &from_the_start, &clock);
    CHECK_TRUE(!clock.waited, "nothing is known");
    CHECK_INT(__LINE__, "asked", asked, 1);
    kernel_knows = true;
}

int main(void)
{
    test_one_response();
    test_ticks();
    test_shared();
    test_unknown();
    return check_end("tcp_waits");
}
