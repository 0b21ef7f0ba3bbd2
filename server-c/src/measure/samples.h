/* SPDX-License-Identifier: MIT */
/* samples.h — single requests: when each began, how long each stage took, and how it ended.
 *
 * Kept are regular samples, on average one request in so many, and every slow request. Each kind
 * has its own ring, so that neither pushes the other out. Regular samples are chosen at random:
 * otherwise, on a page with a hundred parts, every hundredth request would always be the same part.
 * A sample does not tell who asked or for what. For one loop; loop thread only. */
#ifndef FARMSTEAD_SAMPLES_H
#define FARMSTEAD_SAMPLES_H

#include "measure/end_reasons.h"
#include "measure/stages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
    uint64_t ended_ns; /* monotonic */
    uint64_t start_us; /* since 1970 */
    uint64_t generation;
    uint64_t bytes;
    uint64_t stage_ns[STAGE_COUNT]; /* STAGE_ABSENT for stages it did not have */
    uint32_t loop;                  /* number of the loop; set by callers that ask several */
    uint16_t status;                /* 0: no response was begun */
    enum end_reason aborted_for;    /* why it ended early; END_NONE: it did not */
    bool is_regular, is_slow;       /* why it was kept; both are possible */
};

enum sample_kind { SAMPLES_REGULAR, SAMPLES_SLOW, SAMPLE_KINDS };

struct sample_ring {
    struct sample *items;
    size_t cap, count, next; /* items[next - 1] is the newest */
    uint64_t taken;          /* number of samples ever taken */
};

struct sample_limits {
    uint32_t every_requests; /* 0: no regular samples */
    uint64_t slow_ns;        /* 0: no slow samples */
    size_t keep;             /* how many of each kind */
};

struct samples {
    uint64_t until_next; /* requests until the next regular sample */
    uint64_t slow_ns;    /* UINT64_MAX: no slow samples */
    uint64_t want_ns;    /* the same, but 0 while every request is wanted */
    uint32_t every_requests;
    uint64_t random;
    struct sample_ring rings[SAMPLE_KINDS]; /* a slow sample is in the slow ring, even if regular */
};

void samples_init(struct samples *samples, uint64_t seed); /* keeps nothing yet */
void samples_fini(struct samples *samples);
/* Sets new limits. Samples that are kept stay as far as there is room, the newest first. */
void samples_configure(struct samples *samples, const struct sample_limits *limits);
/* From now on samples_want() is true for every request, because somebody else wants them, too; or no
 * longer. */
void samples_want_all(struct samples *samples, bool wants_all);

/* Call it once for each request when it ends. True: pass the request to samples_add(). */
static inline bool samples_want(struct samples *samples, uint64_t total_ns)
{
#ifdef FARMSTEAD_WITHOUT_STAGES
    (void)samples, (void)total_ns;
    return false;
#else
    samples->until_next--;
    return samples->until_next == 0 || total_ns >= samples->want_ns;
#endif
}

/* Call it if samples_want() returned true. Sets is_regular and is_slow itself. Returns whether it is
 * slow. */
bool samples_add(struct samples *samples, const struct sample *sample);

/* Selects samples that ended in (after_ns, until_ns]. */
struct sample_filter {
    uint64_t after_ns, until_ns;
    bool wants_regular, wants_slow; /* a sample that is both matches either */
};
/* Copies the newest samples that match, newest first, at most `limit`, and adds to *matched how
 * many match in all. Returns the number of copies. */
size_t samples_collect(const struct samples *samples, const struct sample_filter *filter,
                       struct sample *out, size_t limit, uint64_t *matched);

struct buf;
/* Appends the sample as a JSON object. */
void sample_append_json(struct buf *out, const struct sample *sample);
/* "2026-11-22T02:20:00.123456Z" */
#define SAMPLE_TIME_LEN 27
void sample_time_format(char out[SAMPLE_TIME_LEN + 1], uint64_t us);

#endif
