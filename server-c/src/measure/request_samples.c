/* SPDX-License-Identifier: MIT */
/* request_samples.c — Algorithm R (Vitter 1985) for those that are chosen, and a short list in no
 * order for the slowest. */
#include "measure/request_samples.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Xorshift (Marsaglia 2003). */
static uint64_t draw(struct request_samples *samples, uint64_t below)
{
    uint64_t *x = &samples->random;

    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x % below;
}

void request_samples_init(struct request_samples *samples, uint64_t seed)
{
    memset(samples, 0, sizeof(*samples));
    samples->random = seed | 1;
}

void request_samples_fini(struct request_samples *samples)
{
    free(samples->live);
}

void request_samples_watch(struct request_samples *samples, struct samples *regular,
                           bool is_watched)
{
    samples_want_all(regular, is_watched);
    if (is_watched && !samples->live) {
        samples->live = xcalloc(REQUEST_SAMPLES_LIVE, sizeof(*samples->live));
        samples->live_seen = 0;
    } else if (!is_watched) {
        free(samples->live);
        samples->live = NULL;
    }
}

struct request_sample *request_samples_live_place(struct request_samples *samples)
{
    uint64_t place;

    if (!samples->live)
        return NULL;
    place = samples->live_seen++;
    if (place >= REQUEST_SAMPLES_LIVE)
        place = draw(samples, samples->live_seen);
    return place < REQUEST_SAMPLES_LIVE ? &samples->live[place] : NULL;
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

/* Puts one of the first `count` last, by chance, and returns it. */
static struct request_sample *draw_one(struct request_samples *samples,
                                       struct request_sample *items, size_t count)
{
    size_t chosen = (size_t)draw(samples, count);
    struct request_sample swapped = items[count - 1];

    items[count - 1] = items[chosen];
    items[chosen] = swapped;
    return &items[count - 1];
}

/* Two samples of n and m requests become one of n + m: each place is of the one or the other as their
 * numbers of requests are, and within each every request has the same chance. */
void request_samples_take_live(struct request_samples *samples, struct taken_requests *out)
{
    size_t mine = request_samples_live_count(samples), theirs = out->count;
    uint64_t my_left = samples->live ? samples->live_seen : 0, their_left = out->seen;
    struct request_sample *all;
    size_t count = 0;

    if (my_left == 0)
        return;
    all = xcalloc(REQUEST_SAMPLES_LIVE, sizeof(*all));
    while (count < REQUEST_SAMPLES_LIVE && mine + theirs > 0) {
        bool is_mine = draw(samples, my_left + their_left) < my_left;
        if (is_mine)
            all[count++] = *draw_one(samples, samples->live, mine--);
        else
            all[count++] = *draw_one(samples, out->items, theirs--);
        *(is_mine ? &my_left : &their_left) -= 1;
    }
    free(out->items);
    out->items = all;
    out->count = count;
    out->seen += samples->live_seen;
    samples->live_seen = 0;
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

void taken_requests_fini(struct taken_requests *taken)
{
    free(taken->items);
    *taken = (struct taken_requests){0};
}
