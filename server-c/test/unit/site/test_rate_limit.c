/* SPDX-License-Identifier: MIT */
/* Buckets with a clock set by the test: bursts, long runs, what is given back, and threads. */
#include "site/rate_limit.c"

#include "check.h"

#include <pthread.h>

#define SECOND NS_PER_SECOND
#define START (UINT64_C(1000) * SECOND)

struct row {
    const char *name;
    uint64_t rate;
    uint64_t step_ns; /* between two tries */
    uint64_t wanted;  /* at each */
    uint64_t seconds;
    uint64_t least, most; /* bytes in that time */
};

static const struct row rows[] = {
    {"slow", 1000, SECOND / 4, UINT64_MAX, 60, 60000, 60000 + RATE_BURST_BYTES_MIN + 250},
    {"a byte a second", 1, SECOND, UINT64_MAX, 100, 100, RATE_BURST_BYTES_MIN + 101},
    {"200 KB/s at each tick", 200000, SECOND / 4, UINT64_MAX, 30, 6000000, 6150001},
    {"200 KB/s in small pieces", 200000, SECOND / 1000, 100, 30, 2900000, 3000100},
    {"tries that come late lose what is above the burst", 200000, SECOND, UINT64_MAX, 30, 2900000,
     3100000},
    {"a gigabyte per second", 1000000000, SECOND / 100, UINT64_MAX, 10, 9999000000, 10510000000},
    {"ten gigabytes per second", UINT64_C(10000000000), SECOND / 100, UINT64_MAX, 10,
     UINT64_C(99990000000), UINT64_C(105100000000)},
    {"as good as none", UINT64_MAX, SECOND / 100, UINT64_MAX, 10, UINT64_C(99990000000),
     UINT64_C(105100000000)},
};

static void check_row(int i, const struct row *row, uint64_t sum)
{
    CHECK_TRUE(sum >= row->least && sum <= row->most, "row %d \"%s\": %" PRIu64, i, row->name, sum);
}

static void test_rates(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *row = &rows[i];
        struct rate_bucket *bucket = rate_bucket_new(row->rate);
        struct rate_limit limit;
        uint64_t of_limit = 0, of_bucket = 0;

        rate_limit_init(&limit, row->rate);
        for (uint64_t t = 0; t <= row->seconds * SECOND; t += row->step_ns) {
            of_limit += rate_limit_take(&limit, row->wanted, START + t);
            of_bucket += rate_bucket_take(bucket, row->wanted, START + t);
        }
        check_row((int)i, row, of_limit);
        check_row((int)i, row, of_bucket);
        rate_bucket_put(bucket);
    }
}

static void test_giving_back(void)
{
    struct rate_bucket *bucket = rate_bucket_new(100000);
    struct rate_limit limit;

    rate_limit_init(&limit, 100000);
    for (int i = 0; i < 1000; i++) { /* nothing is used, so nothing is missing */
        rate_limit_give_back(&limit, rate_limit_take(&limit, UINT64_MAX, START));
        rate_bucket_give_back(bucket, rate_bucket_take(bucket, UINT64_MAX, START));
    }
    CHECK_INT(__LINE__, "limit", rate_limit_take(&limit, UINT64_MAX, START), 50000);
    CHECK_INT(__LINE__, "bucket", rate_bucket_take(bucket, UINT64_MAX, START), 50000);
    CHECK_INT(__LINE__, "and then", rate_limit_take(&limit, UINT64_MAX, START), 0);
    CHECK_INT(__LINE__, "and then", rate_bucket_take(bucket, UINT64_MAX, START), 0);
    rate_limit_set(&limit, 200000);
    CHECK_INT(__LINE__, "another rate fills nothing", rate_limit_take(&limit, 9, START), 0);
    CHECK_INT(__LINE__, "but faster", rate_limit_take(&limit, UINT64_MAX, START + SECOND / 10),
              20000);
    rate_limit_set(&limit, 0);
    CHECK_INT(__LINE__, "none", rate_limit_take(&limit, 1000000, START), 1000000);
    rate_limit_give_back(&limit, 1000000);
    rate_bucket_put(bucket);
    CHECK_TRUE(!rate_bucket_new(0), "0 is no limit");
    CHECK_TRUE(!rate_bucket_get(NULL), "nor is NULL");
    rate_bucket_put(NULL);
}

static void test_shares(void)
{
    struct rate_bucket *bucket = rate_bucket_new(1000000);

    CHECK_INT(__LINE__, "alone", rate_bucket_share(bucket, SECOND / 4), 262500);
    bucket->waiting = 10;
    CHECK_INT(__LINE__, "ten", rate_bucket_share(bucket, SECOND / 4), 26250);
    bucket->waiting = 1000000;
    CHECK_INT(__LINE__, "a crowd", rate_bucket_share(bucket, SECOND / 4), SHARE_BYTES_MIN);
    rate_bucket_put(bucket);
}

/* --- threads --------------------------------------------------------------------------------- */

static struct rate_bucket *shared;
static _Atomic uint64_t taken_by_all;

static void *take_much(void *arg)
{
    (void)arg;
    rate_bucket_get(shared);
    for (uint64_t i = 0; i <= 20000; i++) { /* 10 s of its clock */
        uint64_t n = rate_bucket_take(shared, 1000, START + i * SECOND / 2000);
        if (n > 10) {
            rate_bucket_give_back(shared, 10);
            n -= 10;
        }
        atomic_fetch_add(&taken_by_all, n);
    }
    rate_bucket_put(shared);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];

    shared = rate_bucket_new(1000000);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        pthread_create(&threads[i], NULL, take_much, NULL);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        pthread_join(threads[i], NULL);
    CHECK_TRUE(taken_by_all <= 10500000 + 4000, "%" PRIu64 " taken", (uint64_t)taken_by_all);
    CHECK_TRUE(taken_by_all >= 5000000, "%" PRIu64 " taken", (uint64_t)taken_by_all);
    CHECK_INT(__LINE__, "references", shared->refs, 1);
    rate_bucket_put(shared);
}

int main(void)
{
    test_rates();
    test_giving_back();
    test_shares();
    test_threads();
    return check_end("rate_limit");
}
