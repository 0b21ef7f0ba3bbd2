/* SPDX-License-Identifier: MIT */
/* request_samples.c — reservoirs for those that are chosen, and a short list in no order for the
 * slowest. */
#include "measure/request_samples.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void request_samples_init(struct request_samples *samples, uint64_t seed)
{
    memset(samples, 0, sizeof(*samples));
    samples->random = seed | 1;
}

void request_samples_fini(struct request_samples *samples)
{
    request_reservoir_fini(&samples->live);
    request_searches_fini(&samples->searches);
}

void request_samples_look(struct request_samples *samples, struct samples *regular,
                          const struct request_looks *looks)
{
    samples_want_all(regular, looks->is_watched || looks->search_count > 0);
    if (looks->is_watched && !samples->live.items)
        request_reservoir_init(&samples->live, REQUEST_SAMPLES_LIVE);
    else if (!looks->is_watched)
        request_reservoir_fini(&samples->live);
    request_searches_set(&samples->searches, looks->searches, looks->search_count);
}

static uint64_t total_of(const struct request_sample *request)
{
    return request->sample.stage_ns[STAGE_TOTAL];
}

/* A place among `count` of at most `cap`: a free one, or that of the fastest, if it was faster. */
static struct request_sample *place_among(struct request_sample *items, size_t *count, size_t cap,
                                          uint64_t total_ns)
{
    struct request_sample *fastest = items;

    if (*count < cap)
        return &items[(*count)++];
    for (size_t i = 1; i < cap; i++)
        if (total_of(&items[i]) < total_of(fastest))
            fastest = &items[i];
    return total_of(fastest) < total_ns ? fastest : NULL;
}

struct request_sample *request_samples_worst_place(struct request_samples *samples,
                                                   uint64_t total_ns)
{
    return place_among(samples->worst, &samples->worst_count, REQUEST_SAMPLES_WORST, total_ns);
}

/* --- many loops together --- */

void request_samples_take_live(struct request_samples *samples, struct taken_requests *out)
{
    request_reservoir_take(&samples->live, out, &samples->random);
}

void request_samples_take_worst(struct request_samples *samples, struct taken_requests *out)
{
    if (samples->worst_count == 0)
        return;
    struct request_sample *items = out->items;
    if (!items)
        items = out->items = xcalloc(REQUEST_SAMPLES_WORST, sizeof(*items));
    CHECK(items); /* it is; clang's analyzer does not see that */
    for (size_t i = 0; i < samples->worst_count; i++) {
        const struct request_sample *one = &samples->worst[i];
        struct request_sample *place =
            place_among(items, &out->count, REQUEST_SAMPLES_WORST, total_of(one));
        if (place)
            *place = *one;
    }
    out->seen += samples->worst_count;
    samples->worst_count = 0;
}
