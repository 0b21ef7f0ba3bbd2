/* SPDX-License-Identifier: MIT */
/* folder_watch.c — the inotify descriptor, the watches by number, and how new ones are taken in. */
#include "files/folder_watch.h"

#include "files/file_place.h"
#include "log/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <unistd.h>

#define IDLE_MS 60000      /* how long a folder is still watched on which nothing depends */
#define TRY_AGAIN_MS 10000 /* after the system had no descriptor or no watch left */
#define TIDY_STEPS 1024    /* per tick */
#define REMOVED_MAX 4096   /* remembered ones; further ones are removed later */

/* --- watches by number ----------------------------------------------------------------------- */

/* The kernel numbers watches in sequence, so clients can't choose the numbers: they need no
 * hash. */
static uint64_t hash_of(int wd)
{
    return (unsigned)wd;
}

struct folder_watch *folder_watcher_find(struct folder_watcher *watcher, int wd)
{
    struct hash_link *link = hash_table_chain(&watcher->watches, hash_of(wd));
    struct folder_watch *watch;

    for (; link; link = link->next) {
        watch = container_of(link, struct folder_watch, by_number);
        if (watch->wd == wd && watch->generation == watcher->tree.generation)
            return watch;
    }
    return NULL;
}

static void free_watch(struct folder_watcher *watcher, struct folder_watch *watch)
{
    hash_table_remove(&watcher->watches, &watch->by_number);
    list_remove(&watch->link);
    free(watch);
}

static void free_link(struct hash_link *link)
{
    free(container_of(link, struct folder_watch, by_number));
}

static struct folder_watch *new_watch(struct folder_watcher *watcher, int wd)
{
    struct folder_watch *watch = calloc(1, sizeof(*watch));

    if (!watch)
        return NULL;
    list_init(&watch->nodes);
    list_init(&watch->link);
    watch->wd = wd;
    watch->generation = watcher->tree.generation;
    hash_table_add(&watcher->watches, &watch->by_number, hash_of(wd));
    return watch;
}

/* Returns the watch that a look-up was given, not used by any node yet. NULL: it was removed
 * meanwhile, or there is no memory and everything begins anew. */
static struct folder_watch *take_watch(struct folder_watcher *watcher, int wd)
{
    struct folder_watch *watch = folder_watcher_find(watcher, wd);

    if (watch)
        return watch->is_removed ? NULL : watch;
    watch = new_watch(watcher, wd);
    if (!watch) {
        folder_watcher_begin_anew(watcher);
        return NULL;
    }
    watch->event_ns = watch->folders_ns = watcher->unknown_ns;
    list_append(&watcher->tree.unwanted, &watch->link);
    watcher->in_use++;
    return watch;
}

void folder_watcher_forget(struct folder_watcher *watcher, struct folder_watch *watch, int wd)
{
    if (watch) {
        watcher->in_use--;
    } else {
        watch = new_watch(watcher, wd);
        if (!watch) {
            folder_watcher_begin_anew(watcher);
            return;
        }
    }
    while (!list_empty(&watch->nodes)) {
        struct folder_node *node = container_of(watch->nodes.next, struct folder_node, in_watch);
        node->watch = NULL;
        list_remove(&node->in_watch);
        folder_tree_mark_gone(&watcher->tree, node);
    }
    watch->is_removed = true;
    list_remove(&watch->link);
    list_append(&watcher->removed[watcher->round & 1], &watch->link);
    watcher->removed_count++;
}

/* A round ends when no look-up of the round before is under way: no result can then refer to a
 * watch that was removed in that earlier round. */
static void end_rounds(struct folder_watcher *watcher)
{
    for (int i = 0; i < 2 && watcher->removed_count > 0; i++) {
        unsigned before = (watcher->round + 1) & 1;

        if (watcher->jobs[before] > 0)
            return;
        while (!list_empty(&watcher->removed[before])) {
            free_watch(watcher,
                       container_of(watcher->removed[before].next, struct folder_watch, link));
            watcher->removed_count--;
        }
        watcher->round++;
    }
}

static void remove_unwanted(struct folder_watcher *watcher, size_t most)
{
    struct list *unwanted = &watcher->tree.unwanted;

    for (; most > 0 && !list_empty(unwanted); most--) {
        struct folder_watch *watch = container_of(unwanted->next, struct folder_watch, link);

        if (watch->generation != watcher->tree.generation || !watcher->inotify) {
            free_watch(watcher, watch);
            continue;
        }
        if (watcher->removed_count >= REMOVED_MAX)
            return;
        inotify_rm_watch(watcher->inotify->fd, watch->wd);
        folder_watcher_forget(watcher, watch, watch->wd);
    }
}

/* --- the descriptor -------------------------------------------------------------------------- */

static void end_inotify(struct folder_inotify *inotify)
{
    if (!inotify->is_closed || inotify->jobs > 0)
        return;
    inotify->owner.close(inotify->owner.arg, inotify->fd);
    free(inotify);
}

static void on_poll_closed(uv_handle_t *handle)
{
    struct folder_inotify *inotify = container_of(handle, struct folder_inotify, poll);

    inotify->is_closed = true;
    end_inotify(inotify);
}

static void retire(struct folder_watcher *watcher)
{
    struct folder_inotify *inotify = watcher->inotify;

    if (!inotify)
        return;
    watcher->inotify = NULL;
    inotify->watcher = NULL;
    uv_close((uv_handle_t *)&inotify->poll, on_poll_closed);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct folder_inotify *inotify = container_of(poll, struct folder_inotify, poll);

    (void)status, (void)events; /* reading shows what there is */
    if (inotify->watcher)
        folder_events_read(inotify->watcher);
}

/* Logged once per process, since all loops have the same problem. */
static void say_unwatched(const char *why)
{
    static atomic_bool was_said;

    if (!atomic_exchange(&was_said, true))
        log_warn("statCache: folders can't be watched: %s; changes are seen after ttlMillis", why);
}

static void try_later(struct folder_watcher *watcher, const char *why)
{
    watcher->try_again_ms = watcher->tree.now_ms + TRY_AGAIN_MS;
    say_unwatched(why);
}

static void open_inotify(struct folder_watcher *watcher)
{
    struct folder_inotify *inotify = calloc(1, sizeof(*inotify));
    int err;

    if (!inotify) {
        try_later(watcher, "no memory");
        return;
    }
    inotify->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (inotify->fd < 0) {
        try_later(watcher, errno == EMFILE ? "too many inotify descriptors of this user, or open "
                                             "files (fs.inotify.max_user_instances)"
                                           : strerror(errno));
        free(inotify);
        return;
    }
    err = uv_poll_init(watcher->loop, &inotify->poll, inotify->fd);
    if (err) {
        close(inotify->fd);
        free(inotify);
        try_later(watcher, uv_strerror(err));
        return;
    }
    inotify->owner = watcher->owner;
    inotify->watcher = watcher;
    watcher->inotify = inotify;
    uv_poll_start(&inotify->poll, UV_READABLE, on_readable);
    uv_unref((uv_handle_t *)&inotify->poll);
}

static void forget_all(struct folder_watcher *watcher)
{
    retire(watcher);
    folder_tree_begin_anew(&watcher->tree);
    watcher->in_use = 0;
    watcher->unknown_ns = monotonic_ns();
    watcher->owner.on_doubt(watcher->owner.arg);
}

void folder_watcher_begin_anew(struct folder_watcher *watcher)
{
    forget_all(watcher);
    open_inotify(watcher);
}

/* --- the watcher ----------------------------------------------------------------------------- */

struct folder_watcher *folder_watcher_new(uv_loop_t *loop, uint32_t limit,
                                          const struct folder_owner *owner)
{
    struct folder_watcher *watcher = calloc(1, sizeof(*watcher));
    uint64_t seed;

    if (!watcher)
        return NULL;
    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
        seed = monotonic_ns();
    hash_table_init(&watcher->watches);
    folder_tree_init(&watcher->tree, seed);
    list_init(&watcher->removed[0]);
    list_init(&watcher->removed[1]);
    watcher->owner = *owner;
    watcher->loop = loop;
    watcher->limit = limit;
    watcher->tree.now_ms = (int64_t)uv_now(loop);
    open_inotify(watcher);
    return watcher;
}

void folder_watcher_free(struct folder_watcher *watcher)
{
    retire(watcher);
    folder_tree_fini(&watcher->tree);
    hash_table_fini(&watcher->watches, free_link);
    free(watcher);
}

void folder_watcher_limit(struct folder_watcher *watcher, uint32_t limit)
{
    watcher->limit = limit;
    watcher->try_again_ms = 0;
    if (watcher->in_use > limit || (limit == 0 && watcher->inotify))
        forget_all(watcher);
    if (limit > 0 && !watcher->inotify)
        open_inotify(watcher);
}

void folder_watcher_tick(struct folder_watcher *watcher, int64_t now_ms)
{
    watcher->tree.now_ms = now_ms;
    folder_tree_tidy(&watcher->tree, TIDY_STEPS, now_ms - IDLE_MS);
    remove_unwanted(watcher, TIDY_STEPS);
    end_rounds(watcher);
    if (watcher->limit > 0 && !watcher->inotify && now_ms >= watcher->try_again_ms)
        open_inotify(watcher);
}

/* --- loans ----------------------------------------------------------------------------------- */

/* How many of the watches that a look-up needs it may set. Folders on which nothing depends make
 * room. */
static uint32_t reserve(struct folder_watcher *watcher, uint32_t needed)
{
    uint32_t used = watcher->in_use + watcher->reserved, free_now;

    if (needed == 0 || watcher->tree.now_ms < watcher->add_again_ms)
        return 0;
    if (used + needed > watcher->limit) {
        folder_tree_tidy(&watcher->tree, FOLDER_CHAIN_MAX, INT64_MAX);
        remove_unwanted(watcher, FOLDER_CHAIN_MAX);
        used = watcher->in_use + watcher->reserved;
    }
    free_now = used < watcher->limit ? watcher->limit - used : 0;
    return needed < free_now ? needed : free_now;
}

static uint32_t count_missing(struct span path, size_t known_len)
{
    uint32_t count = known_len == 0;

    for (size_t i = known_len ? known_len : 1; i < path.len && count < FOLDER_CHAIN_MAX; i++)
        count += path.ptr[i] == '/';
    return count;
}

void folder_watcher_lend(struct folder_watcher *watcher, struct folder_loan *loan,
                         uint64_t lookup_id, struct span variable, struct span path)
{
    struct folder_chain *chain = &loan->chain;
    struct folder_node *top;

    loan->inotify = NULL;
    loan->start = NULL;
    memset(chain, 0, sizeof(*chain));
    chain->inotify = chain->folder = -1;
    if (!watcher->inotify)
        return;
    top = folder_tree_top(&watcher->tree, lookup_id, variable);
    if (top && !top->watch)
        return;
    if (top) {
        chain->device = top->top->device;
        chain->inode = top->top->inode;
        loan->start =
            folder_node_get(folder_tree_walk(&watcher->tree, top, path, &chain->known_len));
    }
    chain->may_add = reserve(watcher, count_missing(path, chain->known_len));
    if (!watcher->inotify || (!top && chain->may_add == 0)) {
        if (loan->start)
            folder_node_put(&watcher->tree, loan->start);
        loan->start = NULL;
        return;
    }
    watcher->reserved += chain->may_add;
    loan->inotify = watcher->inotify;
    loan->inotify->jobs++;
    loan->round = watcher->round & 1;
    watcher->jobs[loan->round]++;
    chain->inotify = loan->inotify->fd;
}

static void give_back(struct folder_watcher *watcher, struct folder_loan *loan)
{
    if (loan->start)
        folder_node_put(&watcher->tree, loan->start);
    loan->start = NULL;
    watcher->reserved -= loan->chain.may_add;
    watcher->jobs[loan->round]--;
    loan->inotify->jobs--;
    end_inotify(loan->inotify);
    loan->inotify = NULL;
    end_rounds(watcher);
}

/* --- taking in results ----------------------------------------------------------------------- */

static void take_error(struct folder_watcher *watcher, int err)
{
    static atomic_bool was_said;

    if (err == -ENOSPC || err == -ENOMEM) {
        watcher->add_again_ms = watcher->tree.now_ms + TRY_AGAIN_MS;
        if (!atomic_exchange(&was_said, true))
            log_warn("statCache: the system gives no more watches (fs.inotify.max_user_watches); "
                     "what is not watched is trusted for ttlMillis");
        return;
    }
    forget_all(watcher);
    try_later(watcher, err == -ENOENT   ? "there is no /proc"
                       : err == -ENOSYS ? "the kernel, or a container's filter, lacks openat2"
                                        : strerror(-err));
}

static bool is_root(const struct folder_node *top, const struct folder_chain *chain)
{
    return top->top->device == chain->root_device && top->top->inode == chain->root_inode;
}

/* Checks the top against what the look-up saw. A top that was replaced or is missing is marked as
 * gone. */
static struct folder_node *check_top(struct folder_watcher *watcher, struct folder_node *top,
                                     const struct folder_chain *chain, uint64_t began_ns,
                                     bool is_fact)
{
    int64_t began_ms = (int64_t)(began_ns / NS_PER_MS);

    if (!top || (!chain->has_root && !is_fact))
        return NULL;
    if (!chain->has_root || !is_root(top, chain)) {
        folder_tree_mark_gone(&watcher->tree, top);
        watcher->owner.on_doubt(watcher->owner.arg);
        return NULL;
    }
    if (top->top->verified_ms < began_ms)
        top->top->verified_ms = began_ms;
    return top;
}

static struct folder_node *add_top(struct folder_watcher *watcher, const struct folder_chain *chain,
                                   const struct file_place *place, struct span variable,
                                   struct folder_watch *watch, uint64_t began_ns)
{
    const struct folder_top facts = {
        .lookup_id = place->lookup_id,
        .device = chain->root_device,
        .inode = chain->root_inode,
        .verified_ms = (int64_t)(began_ns / NS_PER_MS),
        .index_count = place->site->index_count,
    };

    if (watch && watch->event_ns >= began_ns)
        return NULL;
    return folder_tree_add_top(&watcher->tree, &facts, place->site->index, variable, watch);
}

/* Adds the folder at the first `len` bytes of the path. Not if folders were made, removed or moved
 * in the folder above since the look-up began: the watch may then be on another folder of that
 * name. */
static void add_folder(struct folder_watcher *watcher, struct folder_node *top, struct span path,
                       size_t len, struct folder_watch *watch, uint64_t began_ns)
{
    size_t used;
    struct folder_node *parent =
        folder_tree_walk(&watcher->tree, top, (struct span){path.ptr, len}, &used);
    const char *slash;

    if (used == len)
        return;
    slash = memchr(path.ptr + used, '/', len - used);
    if (slash != path.ptr + len - 1 || !parent->watch || parent->watch->folders_ns >= began_ns)
        return;
    folder_tree_add(&watcher->tree, parent, (struct span){path.ptr + used, len - 1 - used}, watch);
}

static struct folder_node *take_in(struct folder_watcher *watcher, struct folder_node *top,
                                   const struct folder_chain *chain, const struct file_place *place,
                                   struct span variable, struct span path, uint64_t began_ns)
{
    const struct folder_inotify *inotify = watcher->inotify;

    if (!top && chain->is_foreign)
        add_top(watcher, chain, place, variable, NULL, began_ns);
    for (uint32_t i = 0; i < chain->added_count; i++) {
        struct folder_watch *watch = take_watch(watcher, chain->added[i].wd);

        if (watcher->inotify != inotify)
            return NULL;
        if (!watch)
            continue;
        if (chain->added[i].len > 1 && top)
            add_folder(watcher, top, path, chain->added[i].len, watch, began_ns);
        else if (!top)
            top = chain->added[i].len == 1
                      ? add_top(watcher, chain, place, variable, watch, began_ns)
                      : NULL;
    }
    return top;
}

/* For folders that were not known when the look-up began: was nothing reported of them since? */
static bool were_quiet(const struct folder_node *node, const struct folder_node *start,
                       uint64_t began_ns)
{
    for (; node && node != start; node = node->parent)
        if (!node->watch || node->watch->event_ns >= began_ns || node->changed_ns >= began_ns)
            return false;
    return true;
}

void folder_watcher_settle(struct folder_watcher *watcher, struct folder_loan *loan,
                           const struct file_place *place, struct span variable, struct span path,
                           uint64_t began_ns, bool is_fact, struct folder_settled *settled)
{
    const struct folder_chain *chain = &loan->chain;
    struct folder_node *top;

    *settled = (struct folder_settled){.holds = true};
    if (!loan->inotify)
        return;
    settled->holds = loan->inotify == watcher->inotify &&
                     (!loan->start || folder_tree_holds(&watcher->tree, loan->start, began_ns));
    if (loan->inotify == watcher->inotify && chain->error)
        take_error(watcher, chain->error);
    if (loan->inotify == watcher->inotify) {
        top = check_top(watcher, folder_tree_top(&watcher->tree, place->lookup_id, variable), chain,
                        began_ns, is_fact);
        if (chain->has_root)
            top = take_in(watcher, top, chain, place, variable, path, began_ns);
        if (top && top->watch) {
            settled->folder = folder_tree_walk(&watcher->tree, top, path, &settled->used);
            settled->holds = settled->holds && were_quiet(settled->folder, loan->start, began_ns);
            settled->is_reported = chain->is_reported && settled->used == chain->watched_len;
        }
    }
    give_back(watcher, loan);
}
