/* SPDX-License-Identifier: MIT */
/* metrics_family.h — what our numbers are called in Prometheus, and the bounds of classic
 * histograms. They are the same in every format, so that a series goes on if another format is
 * scraped. */
#ifndef FARMSTEAD_METRICS_FAMILY_H
#define FARMSTEAD_METRICS_FAMILY_H

#include "measure/metrics.h"

#define FAMILY_NAME_LEN 64

struct metrics_family {
    char name[FAMILY_NAME_LEN]; /* for a counter without "_total" */
    const char *help;
    const char *unit; /* at the end of the name; NULL: none */
};

struct metrics_family metrics_family_of_gauge(enum gauge gauge);
struct metrics_family metrics_family_of_counter(enum counter counter);
/* Counters that have labels of their own. */
enum labelled { LABELLED_ENDS, LABELLED_HANDSHAKES, LABELLED_HANDSHAKE_FAILURES, LABELLED_COUNT };
struct metrics_family metrics_family_of_labelled(enum labelled labelled);
struct metrics_label {
    const char *name, *value; /* static */
};
/* Calls `take` for each of the family's counters, at least one; `labels` end with one without a
 * name. */
void metrics_each_labelled(const struct server_metrics *metrics, enum labelled labelled,
                           void (*take)(void *arg, const struct metrics_label *labels,
                                        uint64_t value),
                           void *arg);
struct metrics_family metrics_family_of_stages(void);
/* A gauge for each certificate. */
struct metrics_family metrics_family_of_certificates(void);
#define CERTIFICATES_TOLD_MAX 1024

/* Classic buckets: one for each octave, at 2^-20 s … 2^9 s, each an exact sum of our finer ones.
 * Longer times are only in the bucket of infinity, since our last bucket has no upper bound. */
#define CLASSIC_FIRST_POWER (-20)
#define CLASSIC_LAST_POWER 9
#define CLASSIC_BUCKETS (CLASSIC_LAST_POWER - CLASSIC_FIRST_POWER + 1)
void metrics_classic_counts(uint64_t cumulative[CLASSIC_BUCKETS], const struct histogram *h);

#endif
