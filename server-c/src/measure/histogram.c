/* SPDX-License-Identifier: MIT */
/* histogram.c — recording a time takes its top bits, a table and one comparison: no logarithm, no
 * loop, and no branch that depends on the time.
 *
 * The upper bound of a bucket in nanoseconds is floor(10^9 * 2^(k/8)) with k = index + 1. A time is
 * an integer, so it is at most the exact bound if and only if it is at most that floor, and
 * rounding never decides in which bucket it counts. */
#include "measure/histogram.h"

#include <math.h>
#include <string.h>

#define STEPS (1 << HISTOGRAM_SCALE)
#define FIXED_BITS 21

/* floor(10^9 * 2^(r/8) * 2^21) for r = 0 … 7. */
static const uint64_t fixed_bounds[STEPS] = {
    UINT64_C(2097152000000000), UINT64_C(2286960472574410), UINT64_C(2493948079642186),
    UINT64_C(2719669665715474), UINT64_C(2965820800757861), UINT64_C(3234250516925913),
    UINT64_C(3526975198084315), UINT64_C(3846193726429525),
};

/* Returns the upper bound in nanoseconds of bucket `slot`: 0 is HISTOGRAM_MIN_INDEX, -1 the bucket
 * of zero. */
static uint64_t upper_bound(int slot)
{
    unsigned k = (unsigned)(slot + HISTOGRAM_MIN_INDEX + 1 + FIXED_BITS * STEPS);
    return fixed_bounds[k % STEPS] >> (2 * FIXED_BITS - k / STEPS);
}

/* For each value of the five bits after the top one of a time: the slot of the least time with
 * these bits in the octave n = 8 (an octave is 2^n … 2^(n+1) ns). Five bits are fine enough that at
 * most one bound lies between this time and that of the next value, so one comparison finds the
 * slot. */
#define CELL_BITS 5
static const int8_t cells[1 << CELL_BITS] = {
    -8, -7, -7, -7, -6, -6, -6, -5, -5, -5, -5, -4, -4, -4, -3, -3,
    -3, -3, -3, -2, -2, -2, -2, -1, -1, -1, -1, -1, 0,  0,  0,  0,
};

/* Returns the slot of a time above 2^-21 s. */
static int slot_of(uint64_t ns)
{
    int top = 63 - __builtin_clzll(ns); /* at least 8, as 2^-21 s is 476 ns */
    int slot = (top - 8) * STEPS + cells[(ns >> (top - CELL_BITS)) & ((1 << CELL_BITS) - 1)];

    if (slot >= HISTOGRAM_BUCKETS - 1)
        return HISTOGRAM_BUCKETS - 1;
    return slot + (ns > upper_bound(slot));
}

void histogram_record(struct histogram *h, uint64_t ns)
{
    h->count++;
    h->sum_ns += ns;
    if (ns > h->max_ns)
        h->max_ns = ns;
    if (ns <= fixed_bounds[0] >> (2 * FIXED_BITS))
        h->zero_count++;
    else
        h->buckets[slot_of(ns)]++;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    into->count += from->count;
    into->zero_count += from->zero_count;
    into->sum_ns += from->sum_ns;
    if (from->max_ns > into->max_ns)
        into->max_ns = from->max_ns;
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
}

void histogram_subtract(struct histogram *into, const struct histogram *later,
                        const struct histogram *earlier)
{
    into->count = later->count - earlier->count;
    into->zero_count = later->zero_count - earlier->zero_count;
    into->sum_ns = later->sum_ns - earlier->sum_ns;
    into->max_ns = later->max_ns;
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->buckets[i] = later->buckets[i] - earlier->buckets[i];
}

double histogram_quantile(const struct histogram *h, double q)
{
    double max_seconds = (double)h->max_ns / 1e9, middle;
    uint64_t rank, seen = h->zero_count;

    if (h->count == 0)
        return -1;
    rank = (uint64_t)ceil(q * (double)h->count);
    if (rank < 1)
        rank = 1;
    if (rank <= seen)
        return fmin(exp2(-FIXED_BITS), max_seconds);
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->buckets[i];
        if (rank <= seen) {
            middle = exp2((i + HISTOGRAM_MIN_INDEX + 0.5) / STEPS);
            return fmin(middle, max_seconds);
        }
    }
    return max_seconds;
}
