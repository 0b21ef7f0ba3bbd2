/* SPDX-License-Identifier: MIT */
/* request_searches.c — an id stands for one filter for ever, so what has the same id is the same. */
#include "measure/request_searches.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static struct request_searching *find(struct request_searches *searches, const char *id)
{
    for (size_t i = 0; i < searches->count; i++)
        if (strcmp(searches->items[i].search.id, id) == 0)
            return &searches->items[i];
    return NULL;
}

void request_searches_set(struct request_searches *searches, const struct request_search *wanted,
                          size_t count)
{
    struct request_searches next = {NULL, count};

    if (count > 0)
        next.items = xcalloc(count, sizeof(*next.items));
    for (size_t i = 0; i < count; i++) {
        struct request_searching *one = &next.items[i], *old = find(searches, wanted[i].id);
        if (old) {
            *one = *old;
            old->found.items = NULL;
        } else {
            one->search = wanted[i];
            request_reservoir_init(&one->found, wanted[i].most);
        }
    }
    request_searches_fini(searches);
    *searches = next;
}

void request_searches_fini(struct request_searches *searches)
{
    for (size_t i = 0; i < searches->count; i++)
        request_reservoir_fini(&searches->items[i].found);
    free(searches->items);
    *searches = (struct request_searches){0};
}

void request_searches_take(struct request_searches *searches, const char *id,
                           struct taken_requests *out, uint64_t *random)
{
    struct request_searching *one = find(searches, id);

    if (!one)
        return;
    request_reservoir_take(&one->found, out, random);
    out->looked_at += one->looked_at;
    one->looked_at = 0;
}
