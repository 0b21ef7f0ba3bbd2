/* SPDX-License-Identifier: MIT */
/* How much a response may send: shares of a site's rate, what is given back, and what is still
 * due. */
#include "site/pace.c"

#include "check.h"

#define SECOND_NS UINT64_C(1000000000)
#define RATE 1000000

static void test_one_connection(void)
{
    struct rate_limit limit;
    struct pace pace;
    uint64_t now = 10 * SECOND_NS, burst;

    rate_limit_init(&limit, RATE);
    pace_begin(&pace, NULL, &limit, now);
    burst = pace_draw(&pace, now);
    CHECK_INT(__LINE__, "a burst", burst, RATE / 1000 * RATE_BURST_MS);
    CHECK_INT(__LINE__, "no more", pace_draw(&pace, now), 0);
    pace_settle(&pace, 0);
    now += SECOND_NS / 10;
    CHECK_INT(__LINE__, "a tenth of a second's", pace_draw(&pace, now), RATE / 10);
    pace_settle(&pace, RATE / 10);
    CHECK_INT(__LINE__, "what was not sent is there again", pace_draw(&pace, now), RATE / 10);
    CHECK_INT(__LINE__, "asked to take no more than its rate", pace_least(&pace, UINT64_MAX), RATE);
    CHECK_INT(__LINE__, "nor more than was asked", pace_least(&pace, 5), 5);
}

static void test_no_limit(void)
{
    struct rate_limit limit;
    struct pace pace;

    rate_limit_init(&limit, 0);
    pace_begin(&pace, NULL, &limit, SECOND_NS);
    CHECK_INT(__LINE__, "all there is", pace_draw(&pace, SECOND_NS), UINT64_MAX);
    pace_settle(&pace, UINT64_MAX - 100);
    CHECK_INT(__LINE__, "and again", pace_draw(&pace, SECOND_NS), UINT64_MAX);
}

/* With both a site's and a connection's rate: the smaller share counts, and the rest goes back to
 * the other. */
static void test_both(void)
{
    struct rate_bucket *bucket = rate_bucket_new(RATE);
    struct rate_limit limit;
    struct pace pace;
    uint64_t now = 10 * SECOND_NS, got;

    rate_limit_init(&limit, 4 * RATE);
    pace_begin(&pace, bucket, &limit, now);
    got = pace_draw(&pace, now);
    CHECK_INT(__LINE__, "the site's", got, RATE / 1000 * RATE_BURST_MS);
    CHECK_INT(__LINE__, "the connection's is not used up", rate_limit_take(&limit, UINT64_MAX, now),
              4 * RATE / 1000 * RATE_BURST_MS - got);
    rate_bucket_put(bucket);
}

/* Two responses that wait have equal shares of what has become available since their last ones,
 * however often each asks. */
static void test_shares(void)
{
    struct rate_bucket *bucket = rate_bucket_new(RATE);
    struct rate_limit limit[2];
    struct pace pace[2];
    uint64_t now = 10 * SECOND_NS, sent[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        rate_limit_init(&limit[i], 0);
        pace_begin(&pace[i], bucket, &limit[i], now);
    }
    CHECK_INT(__LINE__, "the first has it all", pace_draw(&pace[0], now), RATE / 2);
    pace_settle(&pace[0], 0);
    for (int i = 0; i < 2; i++) {
        pace_wait(&pace[i]);
        pace_wait(&pace[i]); /* counts only once */
    }
    CHECK_INT(__LINE__, "both wait", bucket->waiting, 2);
    for (int tick = 0; tick < 40; tick++) {
        now += SECOND_NS / 4;
        for (int i = 0; i < 2; i++) {
            uint64_t drawn = pace_draw(&pace[i], now), unused = i == 1 ? drawn / 2 : 0;
            sent[i] += drawn - unused;
            pace_settle(&pace[i], unused);
        }
    }
    CHECK_TRUE(sent[0] + sent[1] > 9 * RATE && sent[0] + sent[1] <= 105 * (uint64_t)RATE / 10,
               "%" PRIu64 " bytes in 10 seconds", sent[0] + sent[1]);
    CHECK_TRUE(sent[1] * 10 > sent[0] * 7,
               "what it could not send is still due: %" PRIu64 " and %" PRIu64, sent[0], sent[1]);
    for (int i = 0; i < 2; i++) {
        pace_stop_waiting(&pace[i]);
        pace_stop_waiting(&pace[i]);
    }
    CHECK_INT(__LINE__, "nobody waits", bucket->waiting, 0);
    rate_bucket_put(bucket);
}

int main(void)
{
    test_one_connection();
    test_no_limit();
    test_both();
    test_shares();
    return check_end("pace");
}
