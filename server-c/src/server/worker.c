/* SPDX-License-Identifier: MIT */
/* worker.c — the thread of a loop, the calls of other threads, and its end. */
#include "server/worker.h"

#include "base/mem.h"
#include "base/util.h"
#include "body/body.h"
#include "connection/conn.h"
#include "connection/listener.h"
#include "http2/http2.h"

#include <pthread.h>
#include <stdio.h>

#define LANES_MS 5000  /* how long jobs may take to come back after the drain */
#define SPARES_KEPT 64 /* requests for which a loop keeps memory */

struct worker_call {
    void (*function)(struct worker *, void *);
    void *arg;
    uv_sem_t done; /* not a condition variable, which might make the loop wait (io_lane.c) */
    struct worker_call *next;
};

static void on_wake(uv_async_t *async)
{
    struct worker *worker = container_of(async, struct worker, wake);
    struct worker_call *call, *next;

    uv_mutex_lock(&worker->lock);
    call = worker->calls;
    worker->calls = NULL;
    uv_mutex_unlock(&worker->lock);
    for (; call; call = next) {
        next = call->next; /* in the caller's memory, gone when it is done */
        call->function(worker, call->arg);
        uv_sem_post(&call->done);
    }
}

void worker_call(struct worker *worker, void (*function)(struct worker *, void *), void *arg)
{
    struct worker_call call = {.function = function, .arg = arg};

    CHECK(uv_sem_init(&call.done, 0) == 0);
    uv_mutex_lock(&worker->lock);
    call.next = worker->calls;
    worker->calls = &call;
    uv_async_send(&worker->wake);
    uv_mutex_unlock(&worker->lock);
    uv_sem_wait(&call.done);
    uv_sem_destroy(&call.done);
}

/* --- the tick -------------------------------------------------------------------------------- */

static void finish_if_drained(struct worker *worker);

static void on_tick(uv_timer_t *timer)
{
    struct worker *worker = container_of(timer, struct worker, tick);
    struct loop *loop = &worker->loop;

    loop->tick_count++;
    loop->files.now_ms = uv_now(&loop->uv);
    conn_check_timeouts(loop);
    conn_retry_throttled(loop);
    http2_check_timeouts(loop);
    http2_retry_throttled(loop);
    conn_trim_spares(loop, SPARES_KEPT);
    http2_trim_spares(loop, SPARES_KEPT);
    file_cache_sweep(&loop->files);
    accept_deferral_tick(&loop->deferral);
    if (worker->index == 0)
        tls_tickets_rotate(loop->shared->tickets, uv_now(&loop->uv));
    for (struct list *link = worker->listeners.next; link != &worker->listeners; link = link->next)
        listener_tick(listener_of_link(link));
    if (loop->is_stopping)
        finish_if_drained(worker);
}

/* --- the swap -------------------------------------------------------------------------------- */

/* Returns what a config says about this listener; NULL: nothing. */
static const struct config_listen *find_config(const struct listener *listener,
                                               const struct config *cfg)
{
    for (size_t i = 0; cfg && i < cfg->listen_count; i++)
        if (listener_is_for(listener, &cfg->listens[i]))
            return &cfg->listens[i];
    return NULL;
}

/* Stops all listeners except those that `keep` names, which follow it. True if there was one to
 * stop. */
static bool stop_listeners(struct worker *worker, const struct config *keep)
{
    bool has_stopped = false;

    for (struct list *link = worker->listeners.next, *next; link != &worker->listeners;
         link = next) {
        struct listener *listener = listener_of_link(link);
        const struct config_listen *cfg = find_config(listener, keep);
        next = link->next;
        if (cfg)
            listener_follow(listener, cfg);
        else
            listener_stop(listener);
        has_stopped |= !cfg;
    }
    return has_stopped;
}

struct preparation {
    const struct config *cfg;
    int *fds;
    size_t failed;
    int err;
};

static void do_prepare(struct worker *worker, void *arg)
{
    struct preparation *prep = arg;

    for (size_t i = 0; i < prep->cfg->listen_count && !prep->err; i++) {
        int fd = prep->fds[i];
        if (fd < 0)
            continue;
        prep->fds[i] = -1;
        prep->failed = i;
        prep->err = listener_new(&worker->loop, fd, &prep->cfg->listens[i], &worker->awaiting_swap);
    }
}

int worker_prepare(struct worker *worker, const struct config *cfg, int *fds, size_t *failed)
{
    struct preparation prep = {.cfg = cfg, .fds = fds};

    worker_call(worker, do_prepare, &prep);
    *failed = prep.failed;
    return prep.err;
}

static void do_unprepare(struct worker *worker, void *unused)
{
    (void)unused;
    while (!list_empty(&worker->awaiting_swap))
        listener_drop(listener_of_link(worker->awaiting_swap.next));
}

void worker_unprepare(struct worker *worker)
{
    worker_call(worker, do_unprepare, NULL);
}

/* --- the folder of copies -------------------------------------------------------------------- */

struct tidying {
    struct io_job job;
    struct copy_store *copies;
};

static void run_tidying(struct io_job *job)
{
    copy_store_tidy(container_of(job, struct tidying, job)->copies);
}

static void on_tidied(struct io_job *job)
{
    free(container_of(job, struct tidying, job));
}

/* Has the copies counted that a process before this one has left. */
static void tidy_copies(struct loop *loop)
{
    struct tidying *tidying = xcalloc(1, sizeof(*tidying));

    tidying->job = (struct io_job){.run = run_tidying, .on_done = on_tidied};
    tidying->copies = loop->shared->copies;
    io_lane_submit_next(loop->shared->copy_lane, &loop->port, &tidying->job);
}

static void do_swap(struct worker *worker, void *arg)
{
    const struct worker_swap *swap = arg;
    const struct config *cfg = swap->sites ? swap->sites->cfg : NULL;
    struct loop *loop = &worker->loop;
    bool has_stopped = false;

    loop->files.now_ms = uv_now(&loop->uv);
    /* Connections in the queues of listeners that will be closed are accepted while there is a
     * config to serve them. */
    if (!cfg || !swap->listens)
        has_stopped = stop_listeners(worker, NULL);
    loop_set_live(loop, swap->sites, swap->generation, swap->loops);
    loop_set_tls(loop, swap->tls);
    if (worker->index == 0 && swap->sites && swap->sites->copies)
        tidy_copies(loop);
    for (struct list *link = worker->awaiting_swap.next; link != &worker->awaiting_swap;
         link = link->next)
        listener_accept(listener_of_link(link));
    list_move_all(&worker->listeners, &worker->awaiting_swap);
    has_stopped |= stop_listeners(worker, swap->listens ? cfg : NULL);
    conn_apply_timeouts(loop);
    http2_apply_timeouts(loop);
    if (!cfg)
        conn_close_idle(loop);
    if (!cfg || !cfg->http2 || has_stopped)
        http2_leave_all(loop);
}

struct release {
    const struct config *next;
    bool had_held;
};

static void do_release(struct worker *worker, void *arg)
{
    struct release *release = arg;

    for (struct list *link = worker->listeners.next; link != &worker->listeners; link = link->next)
        if (!find_config(listener_of_link(link), release->next))
            release->had_held |= listener_release(listener_of_link(link));
}

bool worker_release_held(struct worker *worker, const struct config *next)
{
    struct release release = {.next = next};

    worker_call(worker, do_release, &release);
    return release.had_held;
}

void worker_swap(struct worker *worker, const struct worker_swap *swap)
{
    worker_call(worker, do_swap, (void *)(uintptr_t)swap);
}

/* --- start and end --------------------------------------------------------------------------- */

static void thread_main(void *arg)
{
    struct worker *worker = arg;
    char name[16];

    snprintf(name, sizeof(name), "loop-%u", worker->index);
    pthread_setname_np(pthread_self(), name);
    while (!worker->is_stuck && poller_turn(&worker->loop.poller))
        ;
}

static int start_handles(struct worker *worker)
{
    uv_loop_t *uv = &worker->loop.uv;
    int err = uv_async_init(uv, &worker->wake, on_wake);

    if (err)
        return err;
    uv_timer_init(uv, &worker->tick);
    uv_timer_init(uv, &worker->drain);
    uv_timer_start(&worker->tick, on_tick, LOOP_TICK_MS, LOOP_TICK_MS);
    return 0;
}

int worker_new(struct worker **out, struct loop_shared *shared, uint32_t index)
{
    struct worker *worker = xcalloc(1, sizeof(*worker));
    int err = loop_init(&worker->loop, shared, index);

    if (err)
        goto fail_loop;
    worker->index = index;
    list_init(&worker->listeners);
    list_init(&worker->awaiting_swap);
    uv_mutex_init(&worker->lock);
    err = start_handles(worker);
    if (err)
        goto fail_handles;
    err = uv_thread_create(&worker->thread, thread_main, worker);
    if (err)
        goto fail_thread;
    *out = worker;
    return 0;

fail_thread:
    uv_close((uv_handle_t *)&worker->wake, NULL);
    uv_close((uv_handle_t *)&worker->tick, NULL);
    uv_close((uv_handle_t *)&worker->drain, NULL);
fail_handles:
    io_port_close(&worker->loop.port, NULL);
    uv_run(&worker->loop.uv, UV_RUN_DEFAULT);
    loop_fini(&worker->loop);
    uv_mutex_destroy(&worker->lock);
fail_loop:
    free(worker);
    return err;
}

/* Jobs that do not come back keep their loop from ending. A disk that hangs must not keep the
 * process. */
static void on_lanes_over(uv_timer_t *timer)
{
    struct worker *worker = container_of(timer, struct worker, drain);

    worker->is_stuck = worker->loop.port.outstanding > 0;
}

static void wait_for_lanes(struct worker *worker)
{
    if (worker->waits_for_lanes)
        return;
    worker->waits_for_lanes = true;
    uv_timer_start(&worker->drain, on_lanes_over, LANES_MS, 0);
}

/* The loop ends when its last handle is closed, which jobs on the lanes prevent. */
static void finish_if_drained(struct worker *worker)
{
    struct loop *loop = &worker->loop;

    if (loop->connection_count > 0 || uv_is_closing((uv_handle_t *)&worker->tick))
        return;
    if (loop->port.outstanding > 0) {
        wait_for_lanes(worker);
        return;
    }
    uv_close((uv_handle_t *)&worker->tick, NULL);
    uv_close((uv_handle_t *)&worker->drain, NULL);
    uv_close((uv_handle_t *)&worker->wake, NULL);
    io_port_close(&loop->port, NULL);
}

static void on_drain_over(uv_timer_t *timer)
{
    struct worker *worker = container_of(timer, struct worker, drain);

    conn_close_all(&worker->loop);
    http2_close_all(&worker->loop);
    wait_for_lanes(worker);
}

static void do_stop(struct worker *worker, void *arg)
{
    const uint32_t *drain_ms = arg;
    struct loop *loop = &worker->loop;

    stop_listeners(worker, NULL);
    loop->is_stopping = true;
    conn_close_idle(loop);
    http2_leave_all(loop);
    uv_timer_start(&worker->drain, on_drain_over, *drain_ms, 0);
    uv_timer_set_repeat(&worker->tick, 10); /* look often whether everything is done */
    uv_timer_again(&worker->tick);
}

void worker_stop(struct worker *worker, uint32_t drain_ms)
{
    worker_call(worker, do_stop, &drain_ms);
}

bool worker_join(struct worker *worker)
{
    uv_thread_join(&worker->thread);
    return !worker->is_stuck;
}

void worker_free(struct worker *worker)
{
    conn_trim_spares(&worker->loop, 0);
    http2_trim_spares(&worker->loop, 0);
    loop_fini(&worker->loop);
    uv_mutex_destroy(&worker->lock);
    free(worker);
}
