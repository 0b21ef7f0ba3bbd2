/* SPDX-License-Identifier: MIT */
/* worker.h — a thread with an event loop: its listeners, its connections, its share of everything.
 *
 * Other threads speak to it by worker_call(): a function that runs on the loop's thread while the
 * caller waits. That is the only way in. */
#ifndef FARMSTEAD_WORKER_H
#define FARMSTEAD_WORKER_H

#include "base/list.h"
#include "config/config.h"
#include "net/loop.h"

struct worker {
    struct loop loop;
    struct list listeners;
    struct list awaiting_swap; /* listeners that do not accept yet */
    uint32_t index;
    uv_thread_t thread;
    uv_async_t wake;
    uv_timer_t tick;
    uv_timer_t drain;     /* from worker_stop on */
    bool waits_for_lanes; /* all connections are closed, or had their time */
    bool is_stuck;        /* a disk did not answer in time; loop thread, and others after its end */
    uv_mutex_t lock;
    struct worker_call *calls; /* under `lock`, newest first */
};

struct worker_call;

/* Its thread runs when this returns 0; else a negative UV_E* and *out is untouched. */
int worker_new(struct worker **out, struct loop_shared *shared, uint32_t index);

/* Runs `function(worker, arg)` on the loop's thread and returns when it has. Any other thread. */
void worker_call(struct worker *worker, void (*function)(struct worker *, void *arg), void *arg);

/* Ahead of a swap: the sockets for addresses of `cfg` that the loop does not listen on yet, one per
 * listen, -1 where it does. They are taken over (and are -1 then) as far as the loop can watch them. 0,
 * or a negative UV_E* and *failed is the listen that it was about. Any other thread. */
int worker_prepare(struct worker *worker, const struct config *cfg, int *fds, size_t *failed);
void worker_unprepare(struct worker *worker); /* there is no swap after all; closes them */

/* What a loop is to serve from now on; what was prepared accepts then. */
struct worker_swap {
    struct site_set *sites; /* NULL: nothing */
    uint64_t generation;
    uint32_t loops; /* among how many the budgets are shared */
    bool listens;   /* false: this loop rests; its connections end in their own time */
};
void worker_swap(struct worker *worker, const struct worker_swap *swap); /* Any other thread. */
/* Ahead of a swap to `next`: listeners that are not in it (NULL: all) have the kernel hold back no
 * more connections for a while. True when some did. Any other thread. */
bool worker_release_held(struct worker *worker, const struct config *next);

/* Stop accepting, let requests end for at most `drain_ms`, then close; does not wait. */
void worker_stop(struct worker *worker, uint32_t drain_ms);
/* After worker_stop(). False when jobs on the lanes have not come back: the worker's memory is still
 * theirs then and must stay. */
bool worker_join(struct worker *worker);
void worker_free(struct worker *worker); /* after worker_join() returned true */

#endif
