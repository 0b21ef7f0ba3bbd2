/* SPDX-License-Identifier: MIT */
/* request_reservoir.c — Algorithm R (Vitter 1985). */
#include "measure/request_reservoir.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Xorshift (Marsaglia 2003). */
static uint64_t draw(uint64_t *x, uint64_t below)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x % below;
}

void request_reservoir_init(struct request_reservoir *reservoir, size_t places)
{
    *reservoir = (struct request_reservoir){xcalloc(places, sizeof(*reservoir->items)), places, 0};
}

void request_reservoir_fini(struct request_reservoir *reservoir)
{
    free(reservoir->items);
    *reservoir = (struct request_reservoir){0};
}

struct request_sample *request_reservoir_place(struct request_reservoir *reservoir,
                                               uint64_t *random)
{
    uint64_t place;

    if (!reservoir->items)
        return NULL;
    place = reservoir->seen++;
    if (place >= reservoir->places)
        place = draw(random, reservoir->seen);
    return place < reservoir->places ? &reservoir->items[place] : NULL;
}

/* Puts one of the first `count` last, by chance, and returns it. */
static struct request_sample *draw_one(uint64_t *random, struct request_sample *items, size_t count)
{
    size_t chosen = (size_t)draw(random, count);
    struct request_sample swapped = items[count - 1];

    items[count - 1] = items[chosen];
    items[chosen] = swapped;
    return &items[count - 1];
}

/* Two samples of n and m requests become one of n + m: each place is of the one or the other as their
 * numbers of requests are, and within each every request has the same chance. */
void request_reservoir_take(struct request_reservoir *reservoir, struct taken_requests *out,
                            uint64_t *random)
{
    size_t mine = (size_t)smaller_of(reservoir->seen, reservoir->places), theirs = out->count;
    uint64_t my_left = reservoir->seen, their_left = out->seen;
    struct request_sample *all;
    size_t count = 0;

    if (!reservoir->items || my_left == 0)
        return;
    all = xcalloc(reservoir->places, sizeof(*all));
    while (count < reservoir->places && mine + theirs > 0) {
        bool is_mine = draw(random, my_left + their_left) < my_left;
        if (is_mine)
            all[count++] = *draw_one(random, reservoir->items, mine--);
        else
            all[count++] = *draw_one(random, out->items, theirs--);
        *(is_mine ? &my_left : &their_left) -= 1;
    }
    free(out->items);
    out->items = all;
    out->count = count;
    out->seen += reservoir->seen;
    reservoir->seen = 0;
}

void taken_requests_fini(struct taken_requests *taken)
{
    free(taken->items);
    *taken = (struct taken_requests){0};
}
