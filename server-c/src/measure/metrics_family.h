/* SPDX-License-Identifier: MIT */
/* metrics_family.h — what Prometheus calls our numbers, and where it cuts our histograms: the same in
 * every form, so that a series goes on when another form is scraped. */
#ifndef FARMSTEAD_METRICS_FAMILY_H
#define FARMSTEAD_METRICS_FAMILY_H

#include "measure/metrics.h"

#define FAMILY_NAME_LEN 64

struct metrics_family {
    char name[FAMILY_NAME_LEN]; /* a counter's is without "_total" */
    const char *help;
    const char *unit; /* which the name ends in; NULL: none */
};

struct metrics_family metrics_family_of_gauge(enum gauge gauge);
struct metrics_family metrics_family_of_counter(enum counter counter);
struct metrics_family metrics_family_of_ends(void);
struct metrics_family metrics_family_of_stages(void);

/* Classic buckets: one per octave, at 2^-20 s … 2^9 s, each an exact sum of our finer ones. What is
 * longer is in no bucket but that of infinity: our last one holds all that is longer than its own
 * lower bound. */
#define CLASSIC_FIRST_POWER (-20)
#define CLASSIC_LAST_POWER 9
#define CLASSIC_BUCKETS (CLASSIC_LAST_POWER - CLASSIC_FIRST_POWER + 1)
void metrics_classic_counts(uint64_t cumulative[CLASSIC_BUCKETS], const struct histogram *h);

#endif
