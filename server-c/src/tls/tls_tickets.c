/* SPDX-License-Identifier: MIT */
/* tls_tickets.c — a short list of keys under a lock, the newest first. */
#include "tls/tls_tickets.h"

#include "base/mem.h"
#include "base/util.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

struct tls_tickets {
    pthread_mutex_t lock;
    struct tls_ticket_key keys[TLS_TICKET_KEYS];
    size_t count;
    bool are_given;   /* by tls_tickets_set() */
    uint64_t made_ms; /* when the newest was made here; 0: not known yet */
};

static bool make_key(struct tls_ticket_key *key)
{
    return getrandom(key, sizeof(*key), 0) == (ssize_t)sizeof(*key);
}

struct tls_tickets *tls_tickets_new(void)
{
    struct tls_tickets *tickets = xcalloc(1, sizeof(*tickets));

    if (!make_key(&tickets->keys[0])) {
        free(tickets);
        return NULL;
    }
    tickets->count = 1;
    pthread_mutex_init(&tickets->lock, NULL);
    return tickets;
}

void tls_tickets_free(struct tls_tickets *tickets)
{
    if (!tickets)
        return;
    pthread_mutex_destroy(&tickets->lock);
    explicit_bzero(tickets, sizeof(*tickets));
    free(tickets);
}

bool tls_tickets_newest(struct tls_tickets *tickets, struct tls_ticket_key *out)
{
    bool found;

    pthread_mutex_lock(&tickets->lock);
    found = tickets->count > 0;
    *out = tickets->keys[0];
    pthread_mutex_unlock(&tickets->lock);
    return found;
}

bool tls_tickets_find(struct tls_tickets *tickets, const unsigned char name[TLS_TICKET_NAME],
                      struct tls_ticket_key *out, bool *is_newest)
{
    bool found = false;

    pthread_mutex_lock(&tickets->lock);
    for (size_t i = 0; i < tickets->count && !found; i++) {
        found = memcmp(tickets->keys[i].name, name, TLS_TICKET_NAME) == 0;
        if (!found)
            continue;
        *out = tickets->keys[i];
        *is_newest = i == 0;
    }
    pthread_mutex_unlock(&tickets->lock);
    return found;
}

/* In front of the others, of which the oldest is dropped. */
static void push(struct tls_tickets *tickets, const struct tls_ticket_key *key)
{
    if (tickets->count < TLS_TICKET_OWN_KEYS)
        tickets->count++;
    memmove(&tickets->keys[1], &tickets->keys[0], (tickets->count - 1) * sizeof(tickets->keys[0]));
    tickets->keys[0] = *key;
}

/* Without random bytes the keys stay as they are. */
static void push_own(struct tls_tickets *tickets, uint64_t now_ms)
{
    struct tls_ticket_key key;

    if (!make_key(&key))
        return;
    push(tickets, &key);
    tickets->made_ms = now_ms;
    explicit_bzero(&key, sizeof(key));
}

void tls_tickets_set(struct tls_tickets *tickets, const struct tls_ticket_key *keys, size_t count)
{
    pthread_mutex_lock(&tickets->lock);
    tickets->are_given = count > 0;
    if (count > 0) {
        tickets->count = count < TLS_TICKET_KEYS ? count : TLS_TICKET_KEYS;
        explicit_bzero(tickets->keys, sizeof(tickets->keys));
        memcpy(tickets->keys, keys, tickets->count * sizeof(*keys));
    } else {
        tickets->count = 0;
        explicit_bzero(tickets->keys, sizeof(tickets->keys));
        push_own(tickets, 0);
    }
    pthread_mutex_unlock(&tickets->lock);
}

void tls_tickets_rotate(struct tls_tickets *tickets, uint64_t now_ms)
{
    pthread_mutex_lock(&tickets->lock);
    if (tickets->made_ms == 0)
        tickets->made_ms = now_ms;
    else if (!tickets->are_given &&
             now_ms - tickets->made_ms >= TLS_TICKET_SECONDS * UINT64_C(1000))
        push_own(tickets, now_ms);
    pthread_mutex_unlock(&tickets->lock);
}
