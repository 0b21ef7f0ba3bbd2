/* SPDX-License-Identifier: MIT */
/* request_table.c — buckets in small sets, each set found by a hash that is seeded anew at each start,
 * so that nobody can choose addresses that fall into one; locks for parts of the sets. A megabyte,
 * which the kernel gives as it is used. */
#include "net/request_table.h"

#include "base/mem.h"
#include "base/util.h"
#include "net/peer_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

#define SETS 8192
#define WAYS 8
#define LOCKS 16

struct bucket {
    uint64_t key;     /* a hash; 0: unused */
    uint64_t full_ns; /* when it is full again */
};

struct request_table {
    uint64_t seed;
    pthread_mutex_t locks[LOCKS];
    struct bucket sets[SETS][WAYS];
};

struct request_table *request_table_new(void)
{
    struct request_table *table = xcalloc(1, sizeof(*table));

    if (getrandom(&table->seed, sizeof(table->seed), 0) != sizeof(table->seed))
        table->seed = monotonic_ns();
    for (size_t i = 0; i < LOCKS; i++)
        pthread_mutex_init(&table->locks[i], NULL);
    return table;
}

void request_table_free(struct request_table *table)
{
    for (size_t i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&table->locks[i]);
    free(table);
}

/* The bucket, or the place for it: an unused one or the one that is full soonest, or was already. */
static struct bucket *find(struct bucket set[WAYS], uint64_t key)
{
    struct bucket *place = &set[0];

    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].key == key)
            return &set[i];
        if (set[i].full_ns < place->full_ns)
            place = &set[i];
    }
    *place = (struct bucket){.key = key};
    return place;
}

static uint32_t take(struct bucket *bucket, const struct request_rate *rate, uint64_t now_ns)
{
    uint64_t full_ns = bucket->full_ns > now_ns ? bucket->full_ns : now_ns;
    uint64_t missing_ns = full_ns - now_ns, most_ns = (rate->burst - 1) * rate->interval_ns;

    if (missing_ns > most_ns)
        return (uint32_t)((missing_ns - most_ns + NS_PER_SECOND - 1) / NS_PER_SECOND);
    bucket->full_ns = full_ns + rate->interval_ns;
    return 0;
}

uint32_t request_table_take(struct request_table *table, const struct sockaddr *peer, uint64_t mark,
                            const struct request_rate *rate, uint64_t now_ns)
{
    uint64_t key = peer_hash(peer, table->seed ^ mark);
    pthread_mutex_t *lock = &table->locks[key / 2 % LOCKS];
    uint32_t seconds;

    if (key == 0)
        return 0;
    pthread_mutex_lock(lock);
    seconds = take(find(table->sets[key / 2 % SETS], key), rate, now_ns);
    pthread_mutex_unlock(lock);
    return seconds;
}
