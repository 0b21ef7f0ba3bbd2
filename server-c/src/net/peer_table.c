/* SPDX-License-Identifier: MIT */
/* peer_table.c — several hash tables, each with a lock; a hash of the address chooses one. The hash
 * is seeded anew at each start, so that nobody can choose addresses that fall into one chain. */
#include "net/peer_table.h"

#include "base/address.h"
#include "base/hash_table.h"
#include "base/mem.h"
#include "base/util.h"

#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#define SHARDS 16

struct peer_key {
    uint64_t bits;
    uint32_t family;
};

struct peer {
    struct hash_link link;
    struct peer_key key;
    uint32_t connections;
};

struct shard {
    pthread_mutex_t lock;
    struct hash_table peers;
};

struct peer_table {
    uint64_t seed[2];
    struct shard shards[SHARDS];
};

bool peer_is_local(const struct sockaddr *peer)
{
    const struct sockaddr_in *v4 = (const void *)peer;
    const struct sockaddr_in6 *v6 = (const void *)peer;

    switch (peer->sa_family) {
    case AF_UNIX:
        return true;
    case AF_INET:
        return ntohl(v4->sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
    case AF_INET6:
        return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    default:
        return false;
    }
}

/* Returns false for a peer that is not counted. */
static bool key_of(struct peer_key *key, const struct sockaddr *peer)
{
    const uint8_t *bytes, *v4;
    uint32_t bits;

    *key = (struct peer_key){0, AF_INET};
    if (peer->sa_family == AF_INET) {
        key->bits = ((const struct sockaddr_in *)(const void *)peer)->sin_addr.s_addr;
        return true;
    }
    if (peer->sa_family != AF_INET6)
        return false;
    bytes = ((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr.s6_addr;
    v4 = address_v4(bytes);
    if (v4) {
        memcpy(&bits, v4, sizeof(bits));
        key->bits = bits;
        return true;
    }
    key->family = AF_INET6;
    memcpy(&key->bits, bytes, sizeof(key->bits)); /* the first 64 bits: the network */
    return true;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t peer_hash(const struct sockaddr *peer, uint64_t seed)
{
    struct peer_key key;

    return key_of(&key, peer) ? mix(mix(key.bits ^ seed) + key.family) | 1 : 0;
}

static uint64_t hash_of(const struct peer_table *table, const struct peer_key *key)
{
    return mix(mix(key->bits ^ table->seed[0]) + table->seed[1] + key->family);
}

static struct shard *shard_of(struct peer_table *table, uint64_t hash)
{
    return &table->shards[hash % SHARDS];
}

/* NULL: the peer has no connection. The bits of the hash that chose the shard are not used in its
 * table. */
static struct peer *find(const struct shard *shard, const struct peer_key *key, uint64_t hash)
{
    struct hash_link *link = hash_table_chain(&shard->peers, hash / SHARDS);
    struct peer *peer;

    for (; link; link = link->next) {
        peer = container_of(link, struct peer, link);
        if (peer->key.bits == key->bits && peer->key.family == key->family)
            return peer;
    }
    return NULL;
}

static bool enter(struct shard *shard, const struct peer_key *key, uint64_t hash, uint32_t limit)
{
    struct peer *peer = find(shard, key, hash);

    if (peer && peer->connections >= limit)
        return false;
    if (!peer) {
        peer = calloc(1, sizeof(*peer));
        if (!peer)
            return false;
        peer->key = *key;
        hash_table_add(&shard->peers, &peer->link, hash / SHARDS);
    }
    peer->connections++;
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
    entered = limit > 0 && enter(shard, &key, hash, limit);
    pthread_mutex_unlock(&shard->lock);
    return entered;
}

void peer_table_leave(struct peer_table *table, const struct sockaddr *peer)
{
    struct peer_key key;
    struct shard *shard;
    struct peer *held;
    uint64_t hash;

    if (!key_of(&key, peer))
        return;
    hash = hash_of(table, &key);
    shard = shard_of(table, hash);
    pthread_mutex_lock(&shard->lock);
    held = find(shard, &key, hash);
    CHECK(held);
    if (--held->connections == 0) {
        hash_table_remove(&shard->peers, &held->link);
        free(held);
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
        hash_table_init(&table->shards[i].peers);
    }
    return table;
}

static void free_peer(struct hash_link *link)
{
    free(container_of(link, struct peer, link));
}

void peer_table_free(struct peer_table *table)
{
    for (size_t i = 0; i < SHARDS; i++) {
        hash_table_fini(&table->shards[i].peers, free_peer);
        pthread_mutex_destroy(&table->shards[i].lock);
    }
    free(table);
}

size_t peer_table_size(struct peer_table *table)
{
    size_t size = 0;

    for (size_t i = 0; i < SHARDS; i++) {
        pthread_mutex_lock(&table->shards[i].lock);
        size += table->shards[i].peers.count;
        pthread_mutex_unlock(&table->shards[i].lock);
    }
    return size;
}
