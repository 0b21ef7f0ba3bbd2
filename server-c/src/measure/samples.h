/* SPDX-License-Identifier: MIT */
/* samples.h — some requests one by one: when each began, how long each stage took, what it came to.
 *
 * Kept are regular ones, on average one in so many, and every slow one; each kind in a ring of its
 * own, so that neither drives the other out. The regular ones are chosen by chance: every hundredth
 * request of a page with a hundred parts would always be the same part. Nothing of a sample says who
 * asked or for what. One loop's; its thread only. */
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
    uint64_t stage_ns[STAGE_COUNT]; /* or STAGE_ABSENT */
    uint32_t loop;                  /* which; set by whoever asks several */
    uint16_t status;                /* 0: no response was begun */
    enum end_reason aborted_for;    /* why it ended early; END_NONE: it did not */
    bool is_regular, is_slow;       /* what it was kept for; may be both */
};

enum sample_kind { SAMPLES_REGULAR, SAMPLES_SLOW, SAMPLE_KINDS };

struct sample_ring {
    struct sample *items;
    size_t cap, count, next; /* items[next - 1] is the newest */
    uint64_t taken;          /* so far, with those that are gone */
};

struct sample_limits {
    uint32_t every_requests; /* 0: none are regular */
    uint64_t slow_ns;        /* 0: none are slow */
    size_t keep;             /* of each kind */
};

struct samples {
    uint64_t until_next; /* requests until a regular one */
    uint64_t slow_ns;    /* UINT64_MAX: none are slow */
    uint32_t every_requests;
    uint64_t random;
    struct sample_ring rings[SAMPLE_KINDS]; /* slow ones are in the slow ring, regular or not */
};

void samples_init(struct samples *samples, uint64_t seed); /* keeps nothing yet */
void samples_fini(struct samples *samples);
/* From now on. What is kept stays, as much of it as there is room for, the newest first. */
void samples_configure(struct samples *samples, const struct sample_limits *limits);

/* To be asked once for each request at its end; true: give it to samples_add(). */
static inline bool samples_want(struct samples *samples, uint64_t total_ns)
{
#ifdef FARMSTEAD_WITHOUT_STAGES
    (void)samples, (void)total_ns;
    return false;
#else
    samples->until_next--;
    return samples->until_next == 0 || total_ns >= samples->slow_ns;
#endif
}

/* After samples_want(). Sets is_regular and is_slow itself. */
void samples_add(struct samples *samples, const struct sample *sample);

/* What to look for: those that ended in (after_ns, until_ns]. */
struct sample_filter {
    uint64_t after_ns, until_ns;
    bool wants_regular, wants_slow; /* a sample that is both is either */
};
/* Copies the newest that match, newest first, at most `limit`, and adds to *matched how many there
 * are. Returns the number of copies. */
size_t samples_collect(const struct samples *samples, const struct sample_filter *filter,
                       struct sample *out, size_t limit, uint64_t *matched);

struct buf;
/* As a JSON object. */
void sample_append_json(struct buf *out, const struct sample *sample);
/* "2026-11-22T02:20:00.123456Z" */
#define SAMPLE_TIME_LEN 27
void sample_time_format(char out[SAMPLE_TIME_LEN + 1], uint64_t us);

#endif
