/* SPDX-License-Identifier: MIT */
/* bounded_call.c — at its end the thread finds out whether somebody still waits for it. */
#include "machine/bounded_call.h"

#include "base/mem.h"
#include "machine/left_threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define HANGING_MAX 8 /* threads that hang on a disk; with more nothing is gained */

struct call {
    void (*work)(void *arg);
    void (*forget)(void *arg);
    void *arg;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_done, is_left;
};

static atomic_int under_way;

static void free_call(struct call *call)
{
    pthread_cond_destroy(&call->changed);
    pthread_mutex_destroy(&call->lock);
    free(call);
}

static void *call_main(void *arg)
{
    struct call *call = arg;
    bool is_left;

    call->work(call->arg);
    atomic_fetch_sub(&under_way, 1);
    pthread_mutex_lock(&call->lock);
    call->is_done = true;
    is_left = call->is_left;
    if (!is_left)
        pthread_cond_signal(&call->changed);
    pthread_mutex_unlock(&call->lock);
    if (is_left) {
        call->forget(call->arg);
        free_call(call);
        left_threads_remove();
    }
    return NULL;
}

static bool start(struct call *call)
{
    pthread_t thread;

    if (atomic_fetch_add(&under_way, 1) < HANGING_MAX &&
        pthread_create(&thread, NULL, call_main, call) == 0) {
        pthread_detach(thread);
        return true;
    }
    atomic_fetch_sub(&under_way, 1);
    return false;
}

/* False: `call` belongs to the thread from now on. */
static bool wait_for(struct call *call, unsigned seconds)
{
    struct timespec until;
    bool is_done;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)seconds;
    pthread_mutex_lock(&call->lock);
    while (!call->is_done && pthread_cond_clockwait(&call->changed, &call->lock, CLOCK_MONOTONIC,
                                                    &until) != ETIMEDOUT)
        ;
    is_done = call->is_done;
    call->is_left = !is_done;
    if (!is_done)
        left_threads_add();
    pthread_mutex_unlock(&call->lock);
    return is_done;
}

enum bounded bounded_call(void (*work)(void *arg), void (*forget)(void *arg), void *arg,
                          unsigned seconds)
{
    struct call *call = xcalloc(1, sizeof(*call));
    bool was_started;

    *call = (struct call){.work = work, .forget = forget, .arg = arg};
    pthread_mutex_init(&call->lock, NULL);
    pthread_cond_init(&call->changed, NULL);
    was_started = start(call);
    if (was_started && !wait_for(call, seconds))
        return BOUNDED_LEFT;
    free_call(call);
    return was_started ? BOUNDED_DONE : BOUNDED_REFUSED;
}
