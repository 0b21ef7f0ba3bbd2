/* SPDX-License-Identifier: MIT */
/* The bounds of buckets compared with long double, and what is computed from the buckets. */
#include "measure/histogram.c"

#include "check.h"

#include <stdlib.h>

/* The bucket by the definition, computed in floating point; for ns > 476. */
static int expected_slot(uint64_t ns)
{
    long double steps = log2l((long double)ns / 1e9L) * STEPS;
    int index = (int)ceill(steps) - 1;

    if (index < HISTOGRAM_MIN_INDEX)
        index = HISTOGRAM_MIN_INDEX;
    if (index > HISTOGRAM_MAX_INDEX)
        index = HISTOGRAM_MAX_INDEX;
    return index - HISTOGRAM_MIN_INDEX;
}

static void test_bounds(void)
{
    for (int slot = 0; slot < HISTOGRAM_BUCKETS; slot++) {
        long double exact = exp2l((long double)(slot + HISTOGRAM_MIN_INDEX + 1) / STEPS) * 1e9L;
        CHECK_INT(slot, "bound", upper_bound(slot), (uint64_t)floorl(exact));
    }
}

static void test_slots_around_every_bound(void)
{
    for (int slot = 0; slot < HISTOGRAM_BUCKETS; slot++)
        for (int64_t off = -2; off <= 2; off++) {
            uint64_t ns = upper_bound(slot) + (uint64_t)off;
            /* At 2^0 s and its powers the bound is a whole number: the logarithm is exact there. */
            CHECK_INT(slot, "slot", slot_of(ns), expected_slot(ns));
        }
}

static void test_slots_everywhere(void)
{
    uint64_t state = 88172645463325252u;

    for (int i = 0; i < 200000; i++) {
        uint64_t ns;
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        ns = 477 + (state >> (state % 40 + 1)) % UINT64_C(2000000000000);
        CHECK_INT(__LINE__, "slot", slot_of(ns), expected_slot(ns));
    }
}

static void test_edges(void)
{
    struct histogram h = {0};

    histogram_record(&h, 0);
    histogram_record(&h, 476); /* 2^-21 s is 476.8 ns */
    CHECK_INT(__LINE__, "zero", h.zero_count, 2);
    histogram_record(&h, 477);
    CHECK_INT(__LINE__, "first bucket", h.buckets[0], 1);
    histogram_record(&h, UINT64_MAX / 2);
    CHECK_INT(__LINE__, "last bucket", h.buckets[HISTOGRAM_BUCKETS - 1], 1);
    histogram_record(&h, UINT64_C(1000000000));
    CHECK_INT(__LINE__, "1 s belongs below 2^0", h.buckets[-1 - HISTOGRAM_MIN_INDEX], 1);
    CHECK_INT(__LINE__, "count", h.count, 5);
}

static void test_quantiles(void)
{
    struct histogram h = {0};

    CHECK_TRUE(histogram_quantile(&h, 0.5) == -1, "empty");
    for (uint64_t ms = 1; ms <= 1000; ms++)
        histogram_record(&h, ms * 1000000);
    for (double q = 0.01; q < 1; q += 0.01) {
        double got = histogram_quantile(&h, q), want = q;
        CHECK_TRUE(fabs(got - want) <= want * 0.0445 + 0.001, "q %.2f: got %.4f", q, got);
    }
    CHECK_TRUE(histogram_quantile(&h, 1) <= 1.0, "never above the maximum");
    CHECK_TRUE(histogram_quantile(&h, 0) > 0, "q 0 is the smallest");
}

static void test_merge_and_subtract(void)
{
    struct histogram a = {0}, b = {0}, sum = {0}, back;

    for (uint64_t i = 1; i < 5000; i++) {
        histogram_record(i % 3 ? &a : &b, i * i * 100);
        histogram_record(&sum, i * i * 100);
    }
    back = a;
    histogram_merge(&a, &b);
    CHECK_TRUE(memcmp(&a, &sum, sizeof(a)) == 0, "merging is recording together");
    histogram_subtract(&b, &sum, &back);
    CHECK_INT(__LINE__, "difference", b.count, sum.count - back.count);
    histogram_merge(&back, &b);
    CHECK_TRUE(memcmp(&back, &sum, sizeof(back)) == 0, "the difference adds up again");
}

int main(void)
{
    test_bounds();
    test_slots_around_every_bound();
    test_slots_everywhere();
    test_edges();
    test_quantiles();
    test_merge_and_subtract();
    return check_end("histogram");
}
