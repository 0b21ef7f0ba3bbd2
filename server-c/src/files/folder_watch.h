/* SPDX-License-Identifier: MIT */
/* folder_watch.h — one loop's inotify descriptor: what is reported on it goes into the tree.
 *
 * The loop reads the descriptor itself, so that an event changes the loop's own cache without a
 * lock. Watches are set by pool threads (folder_chain.h) and count from the moment their look-up's
 * result has come back to the loop. What is reported in between belongs to nothing yet: it puts in
 * doubt what was learnt before by look-ups that set watches (unknown_ns). A watch that was removed
 * is remembered until the look-ups that may have been given it have come back.
 *
 * When the kernel's queue ran over, nothing that was learnt before holds and all begins anew with
 * another descriptor. Work per turn of the loop is bounded. Loop thread only. */
#ifndef FARMSTEAD_FOLDER_WATCH_H
#define FARMSTEAD_FOLDER_WATCH_H

#include "files/folder_chain.h"
#include "files/folder_tree.h"

#include <uv.h>

struct file_place;
struct folder_watcher;

struct folder_owner {
    void (*on_leaf)(struct folder_leaf *leaf, uint64_t now_ns); /* its name was changed */
    void (*on_doubt)(void *arg);      /* what was learnt of folders before may not hold */
    void (*close)(void *arg, int fd); /* nobody uses `fd` any more; closing it may take long */
    void *arg;
};

/* A descriptor lives until the last look-up that sets watches with it is over. */
struct folder_inotify {
    uv_poll_t poll;
    int fd;
    uint32_t jobs;
    bool is_closed;                 /* by uv */
    struct folder_watcher *watcher; /* NULL: it has another one, or is no more */
    struct folder_owner owner;
};

struct folder_watcher {
    struct folder_tree tree;
    struct folder_owner owner;
    uv_loop_t *loop;
    struct folder_inotify *inotify; /* NULL: there is none to be had just now */
    struct hash_table watches;      /* by number; those of earlier generations, too */
    uint32_t in_use, reserved, limit;
    uint64_t unknown_ns;
    struct list removed[2]; /* by the parity of the round they were removed in */
    uint32_t jobs[2];       /* under way, by the round they began in */
    uint32_t removed_count;
    unsigned round;
    int64_t try_again_ms; /* for a descriptor */
    int64_t add_again_ms; /* watches: the system had none left */
};

/* What a look-up was lent, from folder_watcher_lend() to folder_watcher_settle(). */
struct folder_loan {
    struct folder_inotify *inotify; /* NULL: nothing */
    struct folder_node *start;      /* the deepest folder known then; NULL: none. Referenced */
    unsigned round;
    struct folder_chain chain;
};

/* NULL: no memory. Watches at most `limit` folders. */
struct folder_watcher *folder_watcher_new(uv_loop_t *loop, uint32_t limit,
                                          const struct folder_owner *owner);
/* Leaves must be off the tree and no look-up under way. The loop must run once more afterwards. */
void folder_watcher_free(struct folder_watcher *watcher);
/* From now on; 0: no watches at all, and no descriptor for them. */
void folder_watcher_limit(struct folder_watcher *watcher, uint32_t limit);
void folder_watcher_tick(struct folder_watcher *watcher, int64_t now_ms);

/* Makes the loan's chain ready for a look-up of `path` in the place. */
void folder_watcher_lend(struct folder_watcher *watcher, struct folder_loan *loan,
                         uint64_t lookup_id, struct span variable, struct span path);

struct folder_settled {
    struct folder_node *folder; /* the deepest on the path that is known now; NULL: none */
    size_t used;                /* so much of the path leads there */
    bool holds;                 /* nothing was reported since that puts the answer in doubt */
    bool is_reported;           /* a change of it will be */
};
/* The look-up that began at `began_ns` is over: takes what it found into the tree, and the loan back.
 * `is_fact`: it was neither left out nor kept from its answer by a shortage. */
void folder_watcher_settle(struct folder_watcher *watcher, struct folder_loan *loan,
                           const struct file_place *place, struct span variable, struct span path,
                           uint64_t began_ns, bool is_fact, struct folder_settled *settled);

/* --- for folder_events.c --- */

struct folder_watch *folder_watcher_find(struct folder_watcher *watcher, int wd);
/* The kernel reports nothing more under this number; `watch` is NULL when it is not known. */
void folder_watcher_forget(struct folder_watcher *watcher, struct folder_watch *watch, int wd);
void folder_watcher_begin_anew(struct folder_watcher *watcher);
void folder_events_read(struct folder_watcher *watcher);

#endif
