/* SPDX-License-Identifier: MIT */
/* content_table.c — a hash table under a lock, in the order of use. */
#include "files/content_table.h"

#include "base/list.h"
#include "base/mem.h"

#include <stdatomic.h>
#include <string.h>
#include <uv.h>

#define AGAIN_NS (10 * NS_PER_SECOND) /* what was not begun is tried again after so long */

#define SETTLED_SECONDS 2
#define SETTLED_COARSE_SECONDS 3 /* on file systems with whole seconds */

struct known {
    struct hash_link by_key;
    struct list by_use;
    struct content_key key;
    unsigned char hash[CONTENT_HASH_BYTES];
};

struct content_table {
    atomic_bool is_stopping;
    _Atomic uint32_t ended; /* how many works */
    uv_mutex_t lock;        /* for what follows */
    struct hash_table known, under_way;
    struct list by_use; /* least recently used first */
    uint32_t large;     /* how many of those under way are large */
};

struct content_key content_key_of(const struct stat *st)
{
    struct content_key key;

    memset(&key, 0, sizeof(key));
    key.device = st->st_dev;
    key.inode = st->st_ino;
    key.size = (uint64_t)st->st_size;
    key.mtime = st->st_mtim;
    key.ctime = st->st_ctim;
    return key;
}

bool content_key_is_of(const struct content_key *key, const struct stat *st)
{
    return st->st_dev == key->device && st->st_ino == key->inode &&
           (uint64_t)st->st_size == key->size && st->st_mtim.tv_sec == key->mtime.tv_sec &&
           st->st_mtim.tv_nsec == key->mtime.tv_nsec && st->st_ctim.tv_sec == key->ctime.tv_sec &&
           st->st_ctim.tv_nsec == key->ctime.tv_nsec;
}

bool content_is_settled(const struct timespec *ctime, int64_t now_second)
{
    int64_t age = now_second - ctime->tv_sec;
    int64_t least = ctime->tv_nsec == 0 ? SETTLED_COARSE_SECONDS : SETTLED_SECONDS;

    return age >= least || age < -least;
}

static uint64_t hash_of(const struct content_key *key)
{
    const uint64_t words[] = {key->device,
                              key->inode,
                              key->size,
                              (uint64_t)key->mtime.tv_sec,
                              (uint64_t)key->mtime.tv_nsec,
                              (uint64_t)key->ctime.tv_sec,
                              (uint64_t)key->ctime.tv_nsec};
    uint64_t hash = 0;

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool same_key(const struct content_key *a, const struct content_key *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

struct content_table *content_table_new(void)
{
    struct content_table *table = xcalloc(1, sizeof(*table));

    atomic_init(&table->is_stopping, false);
    atomic_init(&table->ended, 0);
    CHECK(uv_mutex_init(&table->lock) == 0);
    hash_table_init(&table->known);
    hash_table_init(&table->under_way);
    list_init(&table->by_use);
    return table;
}

static void free_known(struct hash_link *link)
{
    free(container_of(link, struct known, by_key));
}

void content_table_free(struct content_table *table)
{
    hash_table_fini(&table->known, free_known);
    hash_table_fini(&table->under_way, NULL);
    uv_mutex_destroy(&table->lock);
    free(table);
}

void content_table_stop(struct content_table *table)
{
    atomic_store(&table->is_stopping, true);
}

bool content_table_is_stopping(struct content_table *table)
{
    return atomic_load_explicit(&table->is_stopping, memory_order_relaxed);
}

static struct known *find_known(struct content_table *table, const struct content_key *key,
                                uint64_t hash)
{
    for (struct hash_link *link = hash_table_chain(&table->known, hash); link; link = link->next) {
        struct known *known = container_of(link, struct known, by_key);
        if (link->hash == hash && same_key(&known->key, key))
            return known;
    }
    return NULL;
}

static bool is_under_way(struct content_table *table, const struct content_key *key, uint64_t hash)
{
    for (struct hash_link *link = hash_table_chain(&table->under_way, hash); link;
         link = link->next)
        if (link->hash == hash &&
            same_key(&container_of(link, struct content_work, under_way)->key, key))
            return true;
    return false;
}

bool content_table_find(struct content_table *table, const struct content_key *key,
                        unsigned char hash[CONTENT_HASH_BYTES])
{
    struct known *known;

    uv_mutex_lock(&table->lock);
    known = find_known(table, key, hash_of(key));
    if (known) {
        memcpy(hash, known->hash, CONTENT_HASH_BYTES);
        list_remove(&known->by_use);
        list_append(&table->by_use, &known->by_use);
    }
    uv_mutex_unlock(&table->lock);
    return known != NULL;
}

bool content_table_begin(struct content_table *table, struct content_work *work)
{
    uint64_t hash = hash_of(&work->key);
    bool is_large = work->key.size > CONTENT_LARGE_BYTES, begins;

    uv_mutex_lock(&table->lock);
    begins = !content_table_is_stopping(table) && !is_under_way(table, &work->key, hash) &&
             !(is_large && table->large >= CONTENT_LARGE_MAX);
    if (begins) {
        hash_table_add(&table->under_way, &work->under_way, hash);
        table->large += is_large;
    }
    uv_mutex_unlock(&table->lock);
    return begins;
}

/* Without memory it is not kept, and hashed again when it has left the file cache. */
static void keep(struct content_table *table, const struct content_work *work, uint64_t hash)
{
    struct known *known = find_known(table, &work->key, hash);

    if (known || !(known = malloc(sizeof(*known))))
        return;
    known->key = work->key;
    memcpy(known->hash, work->hash, CONTENT_HASH_BYTES);
    list_init(&known->by_use);
    list_append(&table->by_use, &known->by_use);
    hash_table_add(&table->known, &known->by_key, hash);
    if (table->known.count <= CONTENT_TABLE_MAX)
        return;
    known = container_of(table->by_use.next, struct known, by_use);
    hash_table_remove(&table->known, &known->by_key);
    list_remove(&known->by_use);
    free(known);
}

void content_table_end(struct content_table *table, struct content_work *work)
{
    uv_mutex_lock(&table->lock);
    hash_table_remove(&table->under_way, &work->under_way);
    table->large -= work->key.size > CONTENT_LARGE_BYTES;
    if (work->end == CONTENT_HASHED)
        keep(table, work, hash_of(&work->key));
    uv_mutex_unlock(&table->lock);
    if (work->end != CONTENT_STOPPED)
        atomic_fetch_add(&table->ended, 1);
}

uint32_t content_table_round(struct content_table *table)
{
    uint32_t round = atomic_load_explicit(&table->ended, memory_order_relaxed) +
                     (uint32_t)(monotonic_ns() / AGAIN_NS);

    return round > 0 ? round : 1;
}
