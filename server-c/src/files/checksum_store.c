/* SPDX-License-Identifier: MIT */
/* checksum_store.c — a few lists in the order of use, under a lock, which is not held while one is read. */
#include "files/checksum_store.h"

#include "base/list.h"
#include "base/mem.h"
#include "files/content_table.h"
#include "files/file_read.h"
#include "text/checksum_index.h"

#include <string.h>
#include <uv.h>

struct stored {
    struct list by_use;
    struct content_key key;
    struct checksum_index *index;
};

struct checksum_store {
    uv_mutex_t lock;    /* for what follows */
    struct list by_use; /* least recently used first */
    size_t count, bytes;
};

struct checksum_store *checksum_store_new(void)
{
    struct checksum_store *store = xcalloc(1, sizeof(*store));

    CHECK(uv_mutex_init(&store->lock) == 0);
    list_init(&store->by_use);
    return store;
}

/* The lock must be held. */
static void drop(struct checksum_store *store, struct stored *stored)
{
    store->count--;
    store->bytes -= checksum_index_bytes(stored->index);
    list_remove(&stored->by_use);
    checksum_index_free(stored->index);
    free(stored);
}

static struct stored *oldest(struct checksum_store *store)
{
    return container_of(store->by_use.next, struct stored, by_use);
}

void checksum_store_free(struct checksum_store *store)
{
    while (store->count > 0)
        drop(store, oldest(store));
    uv_mutex_destroy(&store->lock);
    free(store);
}

/* False: the list is not in the store. *err as for checksum_store_find(). */
static bool find_stored(struct checksum_store *store, const struct stat *st, struct span name,
                        unsigned char hash[32], int *err)
{
    struct stored *stored = NULL;

    uv_mutex_lock(&store->lock);
    for (struct list *link = store->by_use.next; link != &store->by_use && !stored;
         link = link->next)
        if (content_key_is_of(&container_of(link, struct stored, by_use)->key, st))
            stored = container_of(link, struct stored, by_use);
    if (stored) {
        list_remove(&stored->by_use);
        list_append(&store->by_use, &stored->by_use);
        *err = checksum_index_find(stored->index, name, hash) ? 0 : UV_ENOENT;
    }
    uv_mutex_unlock(&store->lock);
    return stored != NULL;
}

static void keep(struct checksum_store *store, const struct stat *st, struct checksum_index *index)
{
    struct stored *stored = calloc(1, sizeof(*stored));

    if (!stored) {
        checksum_index_free(index);
        return;
    }
    stored->key = content_key_of(st);
    stored->index = index;
    list_init(&stored->by_use);
    uv_mutex_lock(&store->lock);
    list_append(&store->by_use, &stored->by_use);
    store->count++;
    store->bytes += checksum_index_bytes(index);
    while (store->count > CHECKSUM_STORE_LISTS || store->bytes > CHECKSUM_STORE_BYTES)
        drop(store, oldest(store));
    uv_mutex_unlock(&store->lock);
}

static int read_list(int fd, const struct stat *st, struct checksum_index **index)
{
    const struct content_key key = content_key_of(st);
    char *bytes;
    struct stat after;
    ssize_t n;

    if (st->st_size > CHECKSUM_LIST_BYTES)
        return UV_E2BIG;
    bytes = malloc((size_t)st->st_size + 1);
    if (!bytes)
        return UV_ENOMEM;
    n = file_read_fully(fd, bytes, (size_t)st->st_size, 0);
    if (n < 0 || n < st->st_size || fstat(fd, &after) != 0 || !content_key_is_of(&key, &after)) {
        free(bytes);
        return n < 0 ? (int)n : UV_EAGAIN;
    }
    *index = checksum_index_new(bytes, (size_t)n);
    return *index ? 0 : UV_ENOMEM;
}

int checksum_store_find(struct checksum_store *store, int fd, const struct stat *st,
                        struct span name, unsigned char hash[32])
{
    struct checksum_index *index = NULL;
    int err;

    if (find_stored(store, st, name, hash, &err))
        return err;
    err = read_list(fd, st, &index);
    if (err)
        return err;
    err = checksum_index_find(index, name, hash) ? 0 : UV_ENOENT;
    keep(store, st, index);
    return err;
}
