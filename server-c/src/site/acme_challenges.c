/* SPDX-License-Identifier: MIT */
/* acme_challenges.c — a short list under a lock, which only requests below ACME_PATH take. */
#include "site/acme_challenges.h"

#include "base/mem.h"
#include "site/site_host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct acme_challenges {
    pthread_mutex_t lock;
    struct acme_challenge *items;
    _Atomic size_t count;
};

struct acme_challenges *acme_challenges_new(void)
{
    struct acme_challenges *challenges = xcalloc(1, sizeof(*challenges));

    pthread_mutex_init(&challenges->lock, NULL);
    return challenges;
}

void acme_challenges_free(struct acme_challenges *challenges)
{
    if (!challenges)
        return;
    pthread_mutex_destroy(&challenges->lock);
    free(challenges->items);
    free(challenges);
}

void acme_challenges_set(struct acme_challenges *challenges, const struct acme_challenge *items,
                         size_t count)
{
    struct acme_challenge *copy = xcalloc(count, sizeof(*copy)), *old;

    CHECK(count <= ACME_CHALLENGES_MAX);
    if (count > 0)
        memcpy(copy, items, count * sizeof(*copy));
    pthread_mutex_lock(&challenges->lock);
    old = challenges->items;
    challenges->items = copy;
    challenges->count = count;
    pthread_mutex_unlock(&challenges->lock);
    free(old);
}

size_t acme_challenges_copy(struct acme_challenges *challenges, struct acme_challenge *out,
                            uint64_t now_ms)
{
    size_t count = 0;

    pthread_mutex_lock(&challenges->lock);
    for (size_t i = 0; i < challenges->count; i++)
        if (now_ms < challenges->items[i].ends_ms)
            out[count++] = challenges->items[i];
    pthread_mutex_unlock(&challenges->lock);
    return count;
}

static bool is_text(struct span span, const char *text)
{
    return span.len == strlen(text) && memcmp(span.ptr, text, span.len) == 0;
}

bool acme_challenges_find(struct acme_challenges *challenges, struct span host, struct span token,
                          uint64_t now_ms, char answer[ACME_ANSWER_LEN + 1])
{
    bool found = false;

    if (challenges->count == 0 || token.len == 0 || host.len == 0)
        return false;
    pthread_mutex_lock(&challenges->lock);
    for (size_t i = 0; i < challenges->count && !found; i++) {
        const struct acme_challenge *item = &challenges->items[i];
        found = now_ms < item->ends_ms && is_text(token, item->token) &&
                site_host_equals(host, (struct span){item->host, strlen(item->host)});
        if (found)
            memcpy(answer, item->answer, sizeof(item->answer));
    }
    pthread_mutex_unlock(&challenges->lock);
    return found;
}
