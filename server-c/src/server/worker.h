/* SPDX-License-Identifier: MIT */
/* worker.h — a thread with an event loop: its listeners, its connections, and its share of all
 * limits.
 *
 * Other threads can use it only by worker_call(), which runs a function on the loop's thread while
 * the caller waits. */
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
    uv_timer_t drain;     /* runs from worker_stop() on */
    bool waits_for_lanes; /* all connections are closed, or had their time */
    bool is_stuck;        /* a disk did not answer in time; loop thread, others after its end */
    uv_mutex_t lock;
    struct worker_call *calls; /* protected by `lock`, newest first */
};

struct worker_call;

/* 0: its thread runs. Otherwise a negative UV_E*, and *out is not changed. */
int worker_new(struct worker **out, struct loop_shared *shared, uint32_t index);

/* Runs `function(worker, arg)` on the loop's thread, and returns when that is done. Any other
 * thread. */
void worker_call(struct worker *worker, void (*function)(struct worker *, void *arg), void *arg);

/* Prepares a swap: takes over the sockets for addresses of `cfg` on which the loop does not listen
 * yet, one for each listen, -1 for the others. Sockets that were taken over become -1. 0; or a
 * negative UV_E*, and *failed is the listen that could not be watched. Any other thread. */
int worker_prepare(struct worker *worker, const struct config *cfg, int *fds, size_t *failed);
void worker_unprepare(struct worker *worker); /* there will be no swap: closes them */

/* What a loop serves from now on. Listeners that were prepared start to accept. */
struct worker_swap {
    struct site_set *sites; /* NULL: nothing was lent */
    struct tls_set *tls;    /* for this loop, which takes it over; NULL: none is needed */
    uint64_t generation;
    uint32_t loops; /* number of loops that share the limits */
    bool listens;   /* false: this loop rests, and its connections end in their own time */
};
void worker_swap(struct worker *worker, const struct worker_swap *swap); /* any other thread */
/* Before a swap to `next`: for listeners that are not in it (NULL: all), the kernel is told to hold
 * back no more connections for a while. True if it did for any of them. Any other thread. */
bool worker_release_held(struct worker *worker, const struct config *next);

/* Stops accepting, lets requests end for at most `drain_ms`, then closes. Does not wait for
 * that. */
void worker_stop(struct worker *worker, uint32_t drain_ms);
/* Call it after worker_stop(). False if jobs on the lanes have not come back: they still use the
 * worker's memory, which must stay. */
bool worker_join(struct worker *worker);
void worker_free(struct worker *worker); /* when worker_join() has returned true */

#endif
