/* SPDX-License-Identifier: MIT */
/* io_lane.c — one mutex per lane for the queue, one per port for what is done. */
#include "io_lane.h"

#include "log.h"
#include "mem.h"
#include "util.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define THREADS_MAX 1024
#define STACK_BYTES (256 * 1024)

struct lane_thread {
    uv_thread_t handle;
    struct io_lane *lane;
    uint32_t index;
    bool started;    /* to be joined; touched by resize and free only */
    bool is_running; /* has not decided to end; under the lane's lock */
};

struct io_lane {
    char name[16];
    uv_mutex_t lock;
    uv_cond_t work;              /* a job came, or a thread is to end */
    struct io_job *first, **end; /* this and what follows: under `lock` */
    uint32_t queued, queue_length;
    uint32_t wanted; /* threads of a lower index stay */
    uint32_t busy;
    bool ending;
    struct lane_thread threads[THREADS_MAX];
};

/* --- ports ----------------------------------------------------------------------------------- */

static void on_port_async(uv_async_t *async)
{
    struct io_port *port = container_of(async, struct io_port, async);
    struct io_job *job, *next;

    uv_mutex_lock(&port->lock);
    job = port->first;
    port->first = NULL;
    port->end = &port->first;
    uv_mutex_unlock(&port->lock);
    for (; job; job = next) {
        next = job->next;
        port->outstanding--;
        job->on_done(job);
    }
}

int io_port_init(struct io_port *port, uv_loop_t *loop)
{
    int err = uv_mutex_init(&port->lock);

    if (err)
        return err;
    err = uv_async_init(loop, &port->async, on_port_async);
    if (err)
        goto fail_async;
    port->first = NULL;
    port->end = &port->first;
    port->outstanding = 0;
    return 0;

fail_async:
    uv_mutex_destroy(&port->lock);
    return err;
}

void io_port_close(struct io_port *port, uv_close_cb on_close)
{
    CHECK(port->outstanding == 0);
    uv_close((uv_handle_t *)&port->async, on_close);
}

void io_port_fini(struct io_port *port)
{
    uv_mutex_destroy(&port->lock);
}

/* The wake-up is inside the lock: once the loop has seen the job and closes its port, no thread is
 * left that would still touch `async`. */
static void deliver(struct io_job *job)
{
    struct io_port *port = job->port;

    uv_mutex_lock(&port->lock);
    job->next = NULL;
    *port->end = job;
    port->end = &job->next;
    uv_async_send(&port->async);
    uv_mutex_unlock(&port->lock);
}

/* --- threads --------------------------------------------------------------------------------- */

/* The next job, or NULL when this thread is to end. */
static struct io_job *next_job(struct lane_thread *thread, bool was_busy)
{
    struct io_lane *lane = thread->lane;
    uint32_t index = thread->index;
    struct io_job *job;

    uv_mutex_lock(&lane->lock);
    if (was_busy)
        lane->busy--;
    while (!lane->first && !lane->ending && index < lane->wanted)
        uv_cond_wait(&lane->work, &lane->lock);
    /* A surplus thread leaves the queue to the others, but never to nobody. */
    job = index < lane->wanted ? lane->first : NULL;
    if (job) {
        lane->first = job->next;
        if (!lane->first)
            lane->end = &lane->first;
        lane->queued--;
        lane->busy++;
    } else {
        thread->is_running = false;
        uv_cond_signal(&lane->work); /* the wake-up may have been meant for a thread that stays */
    }
    uv_mutex_unlock(&lane->lock);
    return job;
}

static void thread_main(void *arg)
{
    struct lane_thread *thread = arg;
    struct io_job *job = NULL;

    pthread_setname_np(pthread_self(), thread->lane->name);
    while ((job = next_job(thread, job != NULL)) != NULL) {
        job->started_ns = monotonic_ns();
        job->run(job);
        job->ended_ns = monotonic_ns();
        deliver(job);
    }
}

static bool start_thread(struct io_lane *lane, uint32_t index)
{
    static const uv_thread_options_t options = {UV_THREAD_HAS_STACK_SIZE, STACK_BYTES};
    struct lane_thread *thread = &lane->threads[index];

    if (thread->started) /* one that an earlier shrinking ended */
        uv_thread_join(&thread->handle);
    thread->lane = lane;
    thread->index = index;
    thread->is_running = true; /* from here on, only the thread itself writes it, under the lock */
    thread->started = uv_thread_create_ex(&thread->handle, &options, thread_main, thread) == 0;
    if (!thread->started)
        thread->is_running = false;
    return thread->started;
}

/* A thread that was to end but has not noticed yet simply stays. */
static bool is_running(struct io_lane *lane, uint32_t index)
{
    bool running;

    uv_mutex_lock(&lane->lock);
    running = lane->threads[index].is_running;
    uv_mutex_unlock(&lane->lock);
    return running;
}

static uint32_t set_wanted(struct io_lane *lane, uint32_t threads, uint32_t queue_length)
{
    uint32_t old;

    uv_mutex_lock(&lane->lock);
    old = lane->wanted;
    lane->wanted = threads;
    lane->queue_length = queue_length;
    uv_cond_broadcast(&lane->work);
    uv_mutex_unlock(&lane->lock);
    return old;
}

uint32_t io_lane_resize(struct io_lane *lane, uint32_t threads, uint32_t queue_length)
{
    uint32_t old;

    if (threads < 1)
        threads = 1;
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    old = set_wanted(lane, threads, queue_length);
    for (uint32_t i = old; i < threads; i++) {
        if (is_running(lane, i) || start_thread(lane, i))
            continue;
        log_warn("io_lane: started %u of %u %s threads: the system gives no more", i, threads,
                 lane->name);
        threads = i;
        set_wanted(lane, threads, queue_length);
    }
    return threads;
}

struct io_lane *io_lane_new(const char *name, uint32_t threads, uint32_t queue_length)
{
    struct io_lane *lane = xcalloc(1, sizeof(*lane));

    CHECK(strlen(name) < sizeof(lane->name));
    strcpy(lane->name, name);
    lane->end = &lane->first;
    if (uv_mutex_init(&lane->lock) != 0)
        goto fail_mutex;
    if (uv_cond_init(&lane->work) != 0)
        goto fail_cond;
    if (io_lane_resize(lane, threads, queue_length) == 0)
        goto fail_threads;
    return lane;

fail_threads:
    uv_cond_destroy(&lane->work);
fail_cond:
    uv_mutex_destroy(&lane->lock);
fail_mutex:
    free(lane);
    return NULL;
}

void io_lane_free(struct io_lane *lane)
{
    uv_mutex_lock(&lane->lock);
    lane->ending = true;
    uv_cond_broadcast(&lane->work);
    uv_mutex_unlock(&lane->lock);
    for (uint32_t i = 0; i < THREADS_MAX; i++)
        if (lane->threads[i].started)
            uv_thread_join(&lane->threads[i].handle);
    CHECK(lane->queued == 0);
    uv_cond_destroy(&lane->work);
    uv_mutex_destroy(&lane->lock);
    free(lane);
}

int io_lane_submit(struct io_lane *lane, struct io_port *port, struct io_job *job)
{
    job->port = port;
    job->next = NULL;
    job->queued_ns = monotonic_ns();
    uv_mutex_lock(&lane->lock);
    if (lane->queued >= lane->queue_length) {
        uv_mutex_unlock(&lane->lock);
        return UV_EAGAIN;
    }
    *lane->end = job;
    lane->end = &job->next;
    lane->queued++;
    uv_cond_signal(&lane->work);
    uv_mutex_unlock(&lane->lock);
    port->outstanding++;
    return 0;
}

bool io_lane_has_room(struct io_lane *lane)
{
    bool has_room;

    uv_mutex_lock(&lane->lock);
    has_room = lane->queued < lane->queue_length;
    uv_mutex_unlock(&lane->lock);
    return has_room;
}

void io_lane_state(struct io_lane *lane, struct io_lane_state *state)
{
    uv_mutex_lock(&lane->lock);
    *state = (struct io_lane_state){lane->wanted, lane->busy, lane->queued};
    uv_mutex_unlock(&lane->lock);
}
