/* SPDX-License-Identifier: MIT */
/* folder_watch.h — the inotify descriptor of a loop: takes what it reports into the tree.
 *
 * The loop reads the descriptor itself, so that events change the loop's own cache without a lock.
 * Watches are set by threads of the lane (folder_chain.h), and count from the moment the result of
 * their look-up is back on the loop. An event in between belongs to no known watch: it puts in
 * doubt what look-ups that set watches learnt before it (unknown_ns). A watch that was removed is
 * remembered until all look-ups are back that may have been given it.
 *
 * If the kernel's queue overflows, nothing learnt before is valid, and all begins anew with another
 * descriptor. The work per turn of the loop is bounded. Loop thread only. */
#ifndef FARMSTEAD_FOLDER_WATCH_H
#define FARMSTEAD_FOLDER_WATCH_H

#include "files/folder_chain.h"
#include "files/folder_tree.h"

#include <uv.h>

struct file_place;
struct folder_watcher;

struct folder_owner {
    void (*on_leaf)(struct folder_leaf *leaf, uint64_t now_ns); /* the leaf's name was changed */
    void (*on_doubt)(void *arg);      /* what was learnt about folders before may be wrong */
    void (*close)(void *arg, int fd); /* `fd` is not used any more; closing it may take long */
    void *arg;
};

/* A descriptor. It lives until the last look-up that sets watches with it is over. */
struct folder_inotify {
    uv_poll_t poll;
    int fd;
    uint32_t jobs;
    bool is_closed;                 /* closed by libuv */
    struct folder_watcher *watcher; /* NULL: the watcher has another one, or is gone */
    struct folder_owner owner;
};

struct folder_watcher {
    struct folder_tree tree;
    struct folder_owner owner;
    uv_loop_t *loop;
    struct folder_inotify *inotify; /* NULL: the system has none at the moment */
    struct hash_table watches;      /* by number, also those of earlier generations */
    uint32_t in_use, reserved, limit;
    uint64_t unknown_ns;
    struct list removed[2]; /* by the parity of the round in which they were removed */
    uint32_t jobs[2];       /* look-ups under way, by the parity of the round in which they began */
    uint32_t removed_count;
    unsigned round;
    int64_t try_again_ms; /* when to ask for a descriptor again */
    int64_t add_again_ms; /* when to add watches again, if the system had none left */
};

/* What a look-up is lent, from folder_watcher_lend() to folder_watcher_settle(). */
struct folder_loan {
    struct folder_inotify *inotify; /* NULL: nothing was lent */
    struct folder_node *start;      /* a reference to the deepest folder known then; NULL: none */
    unsigned round;
    struct folder_chain chain;
};

/* Makes a watcher of at most `limit` folders. NULL: no memory. */
struct folder_watcher *folder_watcher_new(uv_loop_t *loop, uint32_t limit,
                                          const struct folder_owner *owner);
/* All leaves must have been removed, and no look-up may be under way. Afterwards the loop must run
 * once more. */
void folder_watcher_free(struct folder_watcher *watcher);
/* Sets another limit; 0: no watches, and no descriptor for them. */
void folder_watcher_limit(struct folder_watcher *watcher, uint32_t limit);
void folder_watcher_tick(struct folder_watcher *watcher, int64_t now_ms);

/* Prepares the loan's chain for a look-up of `path` in the place. */
void folder_watcher_lend(struct folder_watcher *watcher, struct folder_loan *loan,
                         uint64_t lookup_id, struct span variable, struct span path);

struct folder_settled {
    struct folder_node *folder; /* the deepest folder on the path that is now known; NULL: none */
    size_t used;                /* how many bytes of the path lead there */
    bool holds;                 /* no event since puts the result in doubt */
    bool is_reported;           /* a change of the result will be reported */
};
/* Call it when the look-up that began at `began_ns` is over: takes what it found into the tree, and
 * takes the loan back. `is_fact`: the look-up was neither skipped nor kept from a result by a lack
 * of resources. */
void folder_watcher_settle(struct folder_watcher *watcher, struct folder_loan *loan,
                           const struct file_place *place, struct span variable, struct span path,
                           uint64_t began_ns, bool is_fact, struct folder_settled *settled);

/* --- for folder_events.c --- */

struct folder_watch *folder_watcher_find(struct folder_watcher *watcher, int wd);
/* The kernel reports nothing more under this number; `watch` is NULL if it is not known. */
void folder_watcher_forget(struct folder_watcher *watcher, struct folder_watch *watch, int wd);
void folder_watcher_begin_anew(struct folder_watcher *watcher);
void folder_events_read(struct folder_watcher *watcher);

#endif
