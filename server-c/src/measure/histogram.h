/* SPDX-License-Identifier: MIT */
/* histogram.h — a base-2 exponential histogram of seconds with scale 3, of fixed size.
 *
 * Bucket i counts values in (2^(i/8), 2^((i+1)/8)] seconds. These are the bounds of OpenTelemetry
 * and of Prometheus' native histograms, so an export loses nothing. i is -168 … 79. Values of at
 * most 2^-21 s count in `zero_count`, values of more than 2^10 s in the last bucket. One writer.
 * Merging is adding (agent-protocol/README.md). */
#ifndef FARMSTEAD_HISTOGRAM_H
#define FARMSTEAD_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SCALE 3
#define HISTOGRAM_MIN_INDEX (-168)
#define HISTOGRAM_MAX_INDEX 79
#define HISTOGRAM_BUCKETS (HISTOGRAM_MAX_INDEX - HISTOGRAM_MIN_INDEX + 1)

struct histogram {
    uint64_t count;
    uint64_t zero_count;
    uint64_t sum_ns;
    uint64_t max_ns;
    uint64_t buckets[HISTOGRAM_BUCKETS]; /* [0] is bucket HISTOGRAM_MIN_INDEX */
};

void histogram_record(struct histogram *h, uint64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *from);
/* into = later - earlier, for two snapshots of one histogram. max_ns is that of `later`. */
void histogram_subtract(struct histogram *into, const struct histogram *later,
                        const struct histogram *earlier);
/* Returns the quantile q (0…1) in seconds: the geometric middle of the bucket that holds it, but at
 * most the maximum seen; -1 if the histogram is empty. */
double histogram_quantile(const struct histogram *h, double q);

#endif
