/* SPDX-License-Identifier: MIT */
/* peer_table.c — hash tables with a lock each, chosen by the hash; the seed is drawn anew at each
 * start, so that nobody can choose addresses that meet in one chain. */
#include "peer_table.h"

#include "mem.h"
#include "util.h"

#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#define SHARDS 16
#define FIRST_LEN 16 /* of a shard's table; a power of two */

struct peer_key {
    uint64_t bits;
    uint32_t family;
};

struct peer {
    struct peer *next;
    struct peer_key key;
    uint32_t connections;
};

struct shard {
    pthread_mutex_t lock;
    struct peer **table;
    size_t len, count;
};

struct peer_table {
    uint64_t seed[2];
    struct shard shards[SHARDS];
};

/* False for a peer that is not counted. */
static bool key_of(struct peer_key *key, const struct sockaddr *peer)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    const unsigned char *bytes;
    uint32_t v4;

    *key = (struct peer_key){0, AF_INET};
    if (peer->sa_family == AF_INET) {
        key->bits = ((const struct sockaddr_in *)(const void *)peer)->sin_addr.s_addr;
        return true;
    }
    if (peer->sa_family != AF_INET6)
        return false;
    bytes = ((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr.s6_addr;
    if (memcmp(bytes, mapped, sizeof(mapped)) == 0) {
        memcpy(&v4, bytes + sizeof(mapped), sizeof(v4));
        key->bits = v4;
        return true;
    }
    key->family = AF_INET6;
    memcpy(&key->bits, bytes, sizeof(key->bits)); /* the /64 */
    return true;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t hash_of(const struct peer_table *table, const struct peer_key *key)
{
    return mix(mix(key->bits ^ table->seed[0]) + table->seed[1] + key->family);
}

static struct shard *shard_of(struct peer_table *table, uint64_t hash)
{
    return &table->shards[hash % SHARDS];
}

static struct peer **slot_of(const struct shard *shard, const struct peer_key *key, uint64_t hash)
{
    struct peer **slot = &shard->table[hash / SHARDS & (shard->len - 1)];

    while (*slot && ((*slot)->key.bits != key->bits || (*slot)->key.family != key->family))
        slot = &(*slot)->next;
    return slot;
}

/* Without memory the chains get longer. */
static void grow(struct peer_table *table, struct shard *shard)
{
    size_t old_len = shard->len;
    struct peer **old = shard->table, **wider = calloc(2 * old_len, sizeof(*wider));

    if (!wider)
        return;
    shard->table = wider;
    shard->len = 2 * old_len;
    for (size_t i = 0; i < old_len; i++)
        for (struct peer *peer = old[i], *next; peer; peer = next) {
            struct peer **slot = slot_of(shard, &peer->key, hash_of(table, &peer->key));
            next = peer->next;
            peer->next = NULL;
            *slot = peer;
        }
    free(old);
}

static bool enter(struct peer_table *table, struct shard *shard, const struct peer_key *key,
                  uint64_t hash, uint32_t limit)
{
    struct peer **slot = slot_of(shard, key, hash);

    if (*slot && (*slot)->connections >= limit)
        return false;
    if (!*slot) {
        *slot = calloc(1, sizeof(**slot));
        if (!*slot)
            return false;
        (*slot)->key = *key;
        (*slot)->connections = 1;
        if (++shard->count > shard->len)
            grow(table, shard);
        return true;
    }
    (*slot)->connections++;
    return true;
}

bool peer_table_enter(struct peer_table *table, const struct sockaddr *peer, uint32_t limit)
{
    struct peer_key key;
    struct shard *shard;
    uint64_t hash;
    bool entered;

    if (!key_of(&key, peer))
        return true;
    hash = hash_of(table, &key);
    shard = shard_of(table, hash);
    pthread_mutex_lock(&shard->lock);
    entered = limit > 0 && enter(table, shard, &key, hash, limit);
    pthread_mutex_unlock(&shard->lock);
    return entered;
}

void peer_table_leave(struct peer_table *table, const struct sockaddr *peer)
{
    struct peer **slot, *gone;
    struct peer_key key;
    struct shard *shard;
    uint64_t hash;

    if (!key_of(&key, peer))
        return;
    hash = hash_of(table, &key);
    shard = shard_of(table, hash);
    pthread_mutex_lock(&shard->lock);
    slot = slot_of(shard, &key, hash);
    CHECK(*slot);
    if (--(*slot)->connections == 0) {
        gone = *slot;
        *slot = gone->next;
        free(gone);
        shard->count--;
    }
    pthread_mutex_unlock(&shard->lock);
}

struct peer_table *peer_table_new(void)
{
    struct peer_table *table = xcalloc(1, sizeof(*table));

    if (getrandom(table->seed, sizeof(table->seed), 0) != sizeof(table->seed))
        table->seed[0] = monotonic_ns();
    for (size_t i = 0; i < SHARDS; i++) {
        pthread_mutex_init(&table->shards[i].lock, NULL);
        table->shards[i].len = FIRST_LEN;
        table->shards[i].table = xcalloc(FIRST_LEN, sizeof(struct peer *));
    }
    return table;
}

void peer_table_free(struct peer_table *table)
{
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *shard = &table->shards[i];
        for (size_t slot = 0; slot < shard->len; slot++)
            for (struct peer *peer = shard->table[slot], *next; peer; peer = next) {
                next = peer->next;
                free(peer);
            }
        free(shard->table);
        pthread_mutex_destroy(&shard->lock);
    }
    free(table);
}

size_t peer_table_size(struct peer_table *table)
{
    size_t size = 0;

    for (size_t i = 0; i < SHARDS; i++) {
        pthread_mutex_lock(&table->shards[i].lock);
        size += table->shards[i].count;
        pthread_mutex_unlock(&table->shards[i].lock);
    }
    return size;
}
