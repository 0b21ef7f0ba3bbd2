/* SPDX-License-Identifier: MIT */
/* samples.c — two rings. A request that is not kept costs a decrement and two comparisons. */
#include "measure/samples.h"

#include "base/mem.h"

#include <string.h>

void samples_init(struct samples *samples, uint64_t seed)
{
    memset(samples, 0, sizeof(*samples));
    samples->until_next = samples->slow_ns = samples->want_ns = UINT64_MAX;
    samples->random = seed | 1;
}

void samples_fini(struct samples *samples)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++)
        free(samples->rings[kind].items);
}

/* Returns the sample that was recorded `age` samples before the newest. */
static const struct sample *at_age(const struct sample_ring *ring, size_t age)
{
    return &ring->items[(ring->next + ring->cap - 1 - age) % ring->cap];
}

static void resize(struct sample_ring *ring, size_t cap)
{
    size_t count = ring->count < cap ? ring->count : cap;
    struct sample *items;

    if (cap == ring->cap)
        return;
    items = xmalloc(cap * sizeof(*items));
    for (size_t i = 0; i < count; i++)
        items[i] = *at_age(ring, count - 1 - i);
    free(ring->items);
    ring->items = items;
    ring->cap = cap;
    ring->count = count;
    ring->next = count % cap;
}

/* Returns 1 … 2n - 1, n on average. Xorshift (Marsaglia 2003). */
static uint64_t draw_distance(struct samples *samples)
{
    uint64_t *x = &samples->random, n = samples->every_requests;

    if (n == 0)
        return UINT64_MAX;
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return 1 + *x % (2 * n - 1);
}

void samples_configure(struct samples *samples, const struct sample_limits *limits)
{
    bool wants_all = samples->want_ns == 0;

    samples->slow_ns = limits->slow_ns ? limits->slow_ns : UINT64_MAX;
    samples_want_all(samples, wants_all);
    if (limits->every_requests != samples->every_requests) {
        samples->every_requests = limits->every_requests;
        samples->until_next = draw_distance(samples);
    }
    for (int kind = 0; kind < SAMPLE_KINDS; kind++)
        resize(&samples->rings[kind], limits->keep ? limits->keep : 1);
}

void samples_want_all(struct samples *samples, bool wants_all)
{
    samples->want_ns = wants_all ? 0 : samples->slow_ns;
}

bool samples_add(struct samples *samples, const struct sample *sample)
{
    bool is_regular = samples->until_next == 0;
    bool is_slow = sample->stage_ns[STAGE_TOTAL] >= samples->slow_ns;
    struct sample_ring *ring = &samples->rings[is_slow ? SAMPLES_SLOW : SAMPLES_REGULAR];
    struct sample *item;

    if (is_regular)
        samples->until_next = draw_distance(samples);
    /* Without a ring no config has been in force yet. */
    if ((!is_regular && !is_slow) || ring->cap == 0)
        return is_slow;
    item = &ring->items[ring->next];
    *item = *sample;
    item->is_regular = is_regular;
    item->is_slow = is_slow;
    ring->next = (ring->next + 1) % ring->cap;
    ring->count += ring->count < ring->cap;
    ring->taken++;
    return is_slow;
}

/* --- reading --------------------------------------------------------------------------------- */

struct cursor {
    const struct sample_ring *ring;
    const struct sample_filter *filter;
    size_t age;
};

static bool matches(const struct sample_filter *filter, const struct sample *sample)
{
    return sample->ended_ns <= filter->until_ns && ((sample->is_regular && filter->wants_regular) ||
                                                    (sample->is_slow && filter->wants_slow));
}

/* Returns the newest sample that matches and has not been taken; NULL: none. Samples in a ring are
 * in the order in which they ended. */
static const struct sample *peek(struct cursor *cursor)
{
    for (; cursor->age < cursor->ring->count; cursor->age++) {
        const struct sample *sample = at_age(cursor->ring, cursor->age);
        if (sample->ended_ns <= cursor->filter->after_ns)
            return NULL;
        if (matches(cursor->filter, sample))
            return sample;
    }
    return NULL;
}

size_t samples_collect(const struct samples *samples, const struct sample_filter *filter,
                       struct sample *out, size_t limit, uint64_t *matched)
{
    struct cursor cursors[SAMPLE_KINDS] = {{&samples->rings[SAMPLES_REGULAR], filter, 0},
                                           {&samples->rings[SAMPLES_SLOW], filter, 0}};
    size_t count = 0;

    for (;;) {
        const struct sample *regular = peek(&cursors[0]), *slow = peek(&cursors[1]);
        bool takes_slow = slow && (!regular || slow->ended_ns >= regular->ended_ns);
        if (!regular && !slow)
            return count;
        (*matched)++;
        if (count < limit)
            out[count++] = takes_slow ? *slow : *regular;
        cursors[takes_slow].age++;
    }
}
