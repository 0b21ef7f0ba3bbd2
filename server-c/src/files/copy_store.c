/* SPDX-License-Identifier: MIT */
/* copy_store.c — which copies there are, by their names in memory, and how one is written.
 *
 * Only files with a name of ours are counted or removed: somebody may name a folder with other things
 * in it. The folder must be the node's alone, since what is in it is sent to clients. */
#include "files/copy_store.h"

#include "base/list.h"
#include "base/mem.h"
#include "base/util.h"
#include "coding/coder.h"
#include "files/file_read.h"
#include "owner/bounds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define PAUSE_MS 10000
#define IN_USE_MS 600000
#define BLOCK_BYTES 4096 /* what even an empty file costs */
#define UNFINISHED "unfinished-"

/* A copy in the folder. */
struct copy {
    struct hash_link by_name;
    struct list by_use;
    uint64_t bytes, used_ms; /* used_ms 0: not since the start */
    char name[];
};

struct copy_store {
    atomic_bool is_stopping;
    _Atomic uint32_t ended; /* works that have ended */
    uv_mutex_t tidying;     /* held while the folder is looked through; taken before `lock` */
    uv_mutex_t lock;        /* protects what follows, and is never held during a system call */
    char *folder;           /* "": none */
    uint64_t max_bytes;
    bool is_tidy;
    uint64_t paused_until_ms;
    uint64_t last_unfinished;
    struct hash_table under_way, by_name;
    struct list by_use; /* least recently used first */
    uint64_t bytes;
};

static uint64_t now_ms(void)
{
    return monotonic_ns() / NS_PER_MS;
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* --- what is in the folder: `lock` is held --------------------------------------------------- */

static struct copy *find_copy(struct copy_store *store, const char *name)
{
    uint64_t hash = hash_of(name);

    for (struct hash_link *link = hash_table_chain(&store->by_name, hash); link;
         link = link->next) {
        struct copy *copy = container_of(link, struct copy, by_name);
        if (link->hash == hash && strcmp(copy->name, name) == 0)
            return copy;
    }
    return NULL;
}

static void forget_copy(struct copy_store *store, struct copy *copy)
{
    hash_table_remove(&store->by_name, &copy->by_name);
    list_remove(&copy->by_use);
    store->bytes -= copy->bytes;
    free(copy);
}

static void forget_all(struct copy_store *store)
{
    while (!list_empty(&store->by_use))
        forget_copy(store, container_of(store->by_use.next, struct copy, by_use));
}

static uint64_t cost_of(uint64_t size)
{
    return size == 0 ? BLOCK_BYTES : (size + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

static void note_copy(struct copy_store *store, const char *name, uint64_t size, uint64_t used_ms)
{
    struct copy *copy = find_copy(store, name);

    if (copy) /* it was removed behind our back, and made again */
        forget_copy(store, copy);
    copy = xcalloc(1, sizeof(*copy) + strlen(name) + 1);
    strcpy(copy->name, name);
    copy->bytes = cost_of(size);
    copy->used_ms = used_ms;
    list_init(&copy->by_use);
    list_append(&store->by_use, &copy->by_use);
    hash_table_add(&store->by_name, &copy->by_name, hash_of(name));
    store->bytes += copy->bytes;
}

/* --- begin and end --------------------------------------------------------------------------- */

struct copy_store *copy_store_new(void)
{
    struct copy_store *store = xcalloc(1, sizeof(*store));

    atomic_init(&store->is_stopping, false);
    atomic_init(&store->ended, 0);
    CHECK(uv_mutex_init(&store->tidying) == 0 && uv_mutex_init(&store->lock) == 0);
    store->folder = xstrdup("");
    hash_table_init(&store->under_way);
    hash_table_init(&store->by_name);
    list_init(&store->by_use);
    return store;
}

void copy_store_free(struct copy_store *store)
{
    forget_all(store);
    hash_table_fini(&store->by_name, NULL);
    hash_table_fini(&store->under_way, NULL);
    uv_mutex_destroy(&store->lock);
    uv_mutex_destroy(&store->tidying);
    free(store->folder);
    free(store);
}

void copy_store_stop(struct copy_store *store)
{
    atomic_store(&store->is_stopping, true);
}

void copy_store_configure(struct copy_store *store, const char *folder, uint64_t max_bytes)
{
    uv_mutex_lock(&store->lock);
    if (strcmp(store->folder, folder) != 0) {
        free(store->folder);
        store->folder = xstrdup(folder);
        store->is_tidy = false;
        forget_all(store);
    }
    store->max_bytes = max_bytes;
    store->paused_until_ms = 0;
    uv_mutex_unlock(&store->lock);
    atomic_fetch_add(&store->ended, 1);
}

static bool is_under_way(struct copy_store *store, const char *name, uint64_t hash)
{
    for (struct hash_link *link = hash_table_chain(&store->under_way, hash); link;
         link = link->next)
        if (link->hash == hash &&
            strcmp(container_of(link, struct copy_work, under_way)->name, name) == 0)
            return true;
    return false;
}

bool copy_store_begin(struct copy_store *store, struct copy_work *work)
{
    uint64_t hash;
    bool begins;

    copy_name(work->name, &work->source);
    hash = hash_of(work->name);
    uv_mutex_lock(&store->lock);
    begins = !atomic_load(&store->is_stopping) && store->folder[0] &&
             now_ms() >= store->paused_until_ms && !is_under_way(store, work->name, hash);
    if (begins)
        hash_table_add(&store->under_way, &work->under_way, hash);
    uv_mutex_unlock(&store->lock);
    return begins;
}

void copy_store_end(struct copy_store *store, struct copy_work *work)
{
    uv_mutex_lock(&store->lock);
    hash_table_remove(&store->under_way, &work->under_way);
    if (work->end == COPY_FAILED)
        store->paused_until_ms = now_ms() + PAUSE_MS;
    uv_mutex_unlock(&store->lock);
    if (work->end == COPY_MADE || work->end == COPY_WORTHLESS)
        atomic_fetch_add(&store->ended, 1);
}

uint32_t copy_store_round(struct copy_store *store)
{
    return atomic_load_explicit(&store->ended, memory_order_relaxed) +
           (uint32_t)(now_ms() / PAUSE_MS);
}

void copy_store_used(struct copy_store *store, const char *name)
{
    struct copy *copy;

    uv_mutex_lock(&store->lock);
    copy = find_copy(store, name);
    if (copy) {
        copy->used_ms = now_ms();
        list_remove(&copy->by_use);
        list_append(&store->by_use, &copy->by_use);
    }
    uv_mutex_unlock(&store->lock);
}

void copy_store_state(struct copy_store *store, struct copy_store_state *state)
{
    uv_mutex_lock(&store->lock);
    *state = (struct copy_store_state){store->bytes, store->by_name.count};
    uv_mutex_unlock(&store->lock);
}

/* --- the folder ------------------------------------------------------------------------------ */

static char *take_folder(struct copy_store *store)
{
    char *folder;

    uv_mutex_lock(&store->lock);
    folder = xstrdup(store->folder);
    uv_mutex_unlock(&store->lock);
    return folder;
}

/* What others may write to is not ours: they could have clients sent what they like. */
static int check_folder(int folder, char why[BOUNDS_WHY_LEN])
{
    struct stat st;

    if (fstat(folder, &st) != 0) {
        snprintf(why, BOUNDS_WHY_LEN, "%s", strerror(errno));
        return -1;
    }
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        snprintf(why, BOUNDS_WHY_LEN,
                 "must belong to the node's user, and nobody else may write to it");
        return -1;
    }
    return bounds_may_write(folder, OWNER_RUNTIME, why);
}

/* Opens the folder, making it if it is not there. -1: `why` says why not. */
static int open_folder(const char *path, char why[BOUNDS_WHY_LEN])
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, folder = open(path, flags);

    if (folder < 0 && errno == ENOENT && mkdir(path, 0700) == 0)
        folder = open(path, flags);
    if (folder < 0) {
        snprintf(why, BOUNDS_WHY_LEN, "can't be opened or made: %s", strerror(errno));
        return -1;
    }
    if (check_folder(folder, why) != 0) {
        close(folder);
        return -1;
    }
    return folder;
}

struct seen_copy {
    char *name;
    uint64_t size;
    struct timespec made;
};

static int compare_made(const void *a, const void *b)
{
    const struct timespec *left = &((const struct seen_copy *)a)->made,
                          *right = &((const struct seen_copy *)b)->made;

    if (left->tv_sec != right->tv_sec)
        return left->tv_sec < right->tv_sec ? -1 : 1;
    return (left->tv_nsec > right->tv_nsec) - (left->tv_nsec < right->tv_nsec);
}

/* Removes what was left half done. Returns the copies there are. */
static struct seen_copy *look_through(int folder, size_t *count)
{
    struct seen_copy *seen = NULL;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    struct stat st;

    *count = 0;
    if (!names) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    while ((entry = readdir(names)) != NULL) {
        if (strncmp(entry->d_name, UNFINISHED, strlen(UNFINISHED)) == 0)
            unlinkat(folder, entry->d_name, 0);
        if (!copy_name_is_one(entry->d_name) ||
            fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        seen = xreallocarray(seen, *count + 1, sizeof(*seen));
        seen[(*count)++] =
            (struct seen_copy){xstrdup(entry->d_name), (uint64_t)st.st_size, st.st_mtim};
    }
    closedir(names);
    return seen;
}

/* Takes the copies into the list, oldest first, before those that were made or used meanwhile. */
static void take_seen(struct copy_store *store, const char *path, struct seen_copy *seen,
                      size_t count)
{
    char name[COPY_NAME_BYTES];
    struct list newer;

    uv_mutex_lock(&store->lock);
    if (strcmp(path, store->folder) == 0 && !store->is_tidy) {
        list_init(&newer);
        list_move_all(&newer, &store->by_use);
        for (size_t i = 0; i < count; i++) {
            snprintf(name, sizeof(name), "/%s", seen[i].name);
            if (!find_copy(store, name))
                note_copy(store, name, seen[i].size, 0);
        }
        list_move_all(&store->by_use, &newer);
        store->is_tidy = true;
    }
    uv_mutex_unlock(&store->lock);
}

static bool is_tidy(struct copy_store *store)
{
    bool tidy;

    uv_mutex_lock(&store->lock);
    tidy = store->is_tidy;
    uv_mutex_unlock(&store->lock);
    return tidy;
}

static void tidy(struct copy_store *store, const char *path, int folder)
{
    struct seen_copy *seen;
    size_t count;

    uv_mutex_lock(&store->tidying);
    if (!is_tidy(store)) {
        seen = look_through(folder, &count);
        if (count > 0)
            qsort(seen, count, sizeof(*seen), compare_made);
        take_seen(store, path, seen, count);
        for (size_t i = 0; i < count; i++)
            free(seen[i].name);
        free(seen);
    }
    uv_mutex_unlock(&store->tidying);
}

/* Takes the copy that was not used for the longest time off the list if, with `more` bytes, there are
 * too many, and if it is not in use. False: there is nothing to remove. */
static bool take_oldest(struct copy_store *store, uint64_t more, char name[COPY_NAME_BYTES])
{
    struct copy *oldest = NULL;

    uv_mutex_lock(&store->lock);
    if (store->bytes + more > store->max_bytes && !list_empty(&store->by_use))
        oldest = container_of(store->by_use.next, struct copy, by_use);
    if (oldest && oldest->used_ms > 0 && now_ms() - oldest->used_ms < IN_USE_MS)
        oldest = NULL;
    if (oldest) {
        snprintf(name, COPY_NAME_BYTES, "%s", oldest->name);
        forget_copy(store, oldest);
    }
    uv_mutex_unlock(&store->lock);
    return oldest != NULL;
}

/* False: even what may go leaves no room for `more` bytes. */
static bool make_room(struct copy_store *store, int folder, uint64_t more)
{
    char name[COPY_NAME_BYTES];
    bool has_room;

    while (take_oldest(store, more, name))
        unlinkat(folder, name + 1, 0);
    uv_mutex_lock(&store->lock);
    has_room = store->bytes + more <= store->max_bytes;
    uv_mutex_unlock(&store->lock);
    return has_room;
}

void copy_store_tidy(struct copy_store *store)
{
    char *path = take_folder(store), why[BOUNDS_WHY_LEN];
    int folder = path[0] ? open_folder(path, why) : -1;

    if (folder >= 0) {
        tidy(store, path, folder);
        make_room(store, folder, 0);
        close(folder);
    }
    free(path);
}

/* --- making one ------------------------------------------------------------------------------ */

static enum copy_end fail(struct copy_work *work, const char *what, int err)
{
    snprintf(work->why, sizeof(work->why), "%s: %s", what, strerror(err));
    return COPY_FAILED;
}

static bool is_of_source(int fd, const struct copy_source *source)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (uint64_t)st.st_size == source->size &&
           st.st_mtim.tv_sec == source->mtime.tv_sec &&
           st.st_mtim.tv_nsec == source->mtime.tv_nsec &&
           st.st_ctim.tv_sec == source->ctime.tv_sec && st.st_ctim.tv_nsec == source->ctime.tv_nsec;
}

/* The caller frees the bytes. NULL: the file has changed, or can't be read. */
static char *read_source(const struct copy_work *work)
{
    const struct copy_source *source = &work->source;
    char *bytes = is_of_source(work->fd, source) ? malloc(source->size) : NULL;

    if (bytes && file_read_fully(work->fd, bytes, source->size, 0) == (ssize_t)source->size &&
        is_of_source(work->fd, source))
        return bytes;
    free(bytes);
    return NULL;
}

static enum copy_end write_copy(struct copy_store *store, int folder, struct copy_work *work,
                                const char *bytes, size_t len)
{
    char unfinished[64];
    int fd, err;

    uv_mutex_lock(&store->lock);
    snprintf(unfinished, sizeof(unfinished), UNFINISHED "%ld-%" PRIu64, (long)getpid(),
             ++store->last_unfinished);
    uv_mutex_unlock(&store->lock);
    fd = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(work, "can't be written to", errno);
    err = -file_write_fully(fd, bytes, len);
    close(fd);
    if (err == 0 && renameat(folder, unfinished, folder, work->name + 1) != 0)
        err = errno;
    if (err == 0)
        return COPY_MADE;
    unlinkat(folder, unfinished, 0);
    return fail(work, "can't be written to", err);
}

/* With a dictionary that helps little a copy of the usual kind is as good, and brotli's perhaps smaller. */
static enum coder_end compress_delta(const struct copy_store *store,
                                     const struct copy_source *source,
                                     const struct coder_dictionary *dictionary, const char *bytes,
                                     char *made, size_t cap, size_t *len)
{
    struct span in = {bytes, source->size};
    enum coder_end end =
        coder_compress(CODING_ZSTD, source->level, in, made, cap, len, &store->is_stopping);

    if (end == CODER_DONE)
        cap = *len / 4 * 3;
    else if (end != CODER_NO_ROOM)
        return end;
    return coder_delta(source->level, dictionary, in, made, cap, len, &store->is_stopping);
}

static enum coder_end compress(const struct copy_store *store, const struct copy_source *source,
                               const struct coder_dictionary *dictionary, const char *bytes,
                               char *made, size_t cap, size_t *len)
{
    if (source->coding == CODING_DCZ)
        return compress_delta(store, source, dictionary, bytes, made, cap, len);
    return coder_compress(source->coding, source->level, (struct span){bytes, source->size}, made,
                          cap, len, &store->is_stopping);
}

/* Room for less than the file has: a copy that is not smaller is not wanted. */
static enum copy_end make(struct copy_store *store, const char *path, int folder,
                          struct copy_work *work, const char *bytes,
                          const struct coder_dictionary *dictionary)
{
    const struct copy_source *source = &work->source;
    size_t cap = source->size > 0 ? source->size - 1 : 0, len = 0;
    char *made = malloc(cap + 1);
    enum copy_end end = COPY_MADE;

    if (!made)
        return fail(work, "gets no copies", ENOMEM);
    switch (compress(store, source, dictionary, bytes, made, cap, &len)) {
    case CODER_DONE:
        break;
    case CODER_NO_ROOM:
        end = COPY_WORTHLESS;
        len = 0;
        break;
    case CODER_STOPPED:
        end = COPY_STOPPED;
        break;
    case CODER_NO_MEMORY:
        end = fail(work, "gets no copies", ENOMEM);
        break;
    }
    if ((end == COPY_MADE || end == COPY_WORTHLESS) && !make_room(store, folder, cost_of(len))) {
        snprintf(work->why, sizeof(work->why),
                 "is full of copies that are in use: raise compression.maxBytes");
        end = COPY_FAILED;
    }
    if ((end == COPY_MADE || end == COPY_WORTHLESS) &&
        write_copy(store, folder, work, made, len) == COPY_FAILED)
        end = COPY_FAILED;
    free(made);
    if (end != COPY_MADE && end != COPY_WORTHLESS)
        return end;
    uv_mutex_lock(&store->lock);
    if (strcmp(path, store->folder) == 0)
        note_copy(store, work->name, len, now_ms());
    uv_mutex_unlock(&store->lock);
    return end;
}

static void make_of_source(struct copy_store *store, const char *path, int folder,
                           struct copy_work *work)
{
    const struct copy_source *source = &work->source;
    struct coder_dictionary dictionary = {0};
    char *read = NULL, *dictionary_bytes = NULL;

    if (source->coding == CODING_DCZ) {
        dictionary_bytes = copy_dictionary_read(&dictionary, source->dictionary);
        if (!dictionary_bytes)
            return;
    }
    if (!work->bytes)
        read = read_source(work);
    if (work->bytes || read)
        work->end = make(store, path, folder, work, read ? read : work->bytes, &dictionary);
    free(read);
    free(dictionary_bytes);
}

void copy_store_make(struct copy_store *store, struct copy_work *work)
{
    char *path = take_folder(store), why[BOUNDS_WHY_LEN];
    int folder;

    work->end = atomic_load(&store->is_stopping) ? COPY_STOPPED : COPY_CHANGED;
    folder = work->end == COPY_STOPPED ? -1 : open_folder(path, why);
    if (folder < 0 && work->end != COPY_STOPPED) {
        snprintf(work->why, sizeof(work->why), "%.150s", why);
        work->end = COPY_FAILED;
    }
    if (folder >= 0) {
        tidy(store, path, folder);
        make_of_source(store, path, folder, work);
        close(folder);
    }
    free(path);
}
