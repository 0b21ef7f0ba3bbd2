/* SPDX-License-Identifier: MIT */
/* io_lane.c — the threads of a lane, and its two queues, with one mutex.
 *
 * Threads wait at semaphores. glibc's condition variables won't do: signalling one may mean waiting
 * until threads that were signalled earlier have run, and a loop must not wait for the lane
 * (decision 66). */
#include "lanes/io_lane.h"

#include "base/mem.h"
#include "base/util.h"
#include "log/log.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#define THREADS_MAX 1024
#define FIRST_IN_A_ROW 8 /* then one of the other queue gets its turn */
#define STACK_BYTES (256 * 1024)

struct lane_thread {
    uv_thread_t handle;
    struct io_lane *lane;
    uint32_t index;
    bool started;    /* must be joined; used by resize and free only */
    bool is_running; /* has not decided to end; protected by the lane's lock */
};

struct queue {
    struct io_job *first, **end;
    uint32_t length;
};

/* Threads that wait until a job has come, or until they may have to end. Protected by the lane's
 * lock. */
struct sleepers {
    uv_sem_t wake;
    uint32_t count; /* those not woken yet */
    uint32_t woken; /* those woken that have not looked yet */
};

struct io_lane {
    char name[16];
    int niceness;     /* added to the process's */
    bool has_reserve; /* thread 0 takes only jobs of `first`, if there are others */
    uv_mutex_t lock;
    struct sleepers zeroth; /* thread 0 alone, as it may be the reserve */
    struct sleepers others;
    struct queue queue;      /* this and what follows is protected by `lock` */
    struct queue first;      /* its jobs go before those of `queue` */
    uint32_t first_in_a_row; /* jobs taken from `first` in a row while others waited */
    uint32_t queue_length;   /* limit for each queue */
    uint32_t wanted;         /* threads with a lower index stay */
    uint32_t busy;
    bool ending;
    struct lane_thread threads[THREADS_MAX];
};

/* --- the queues: the lane's lock must be held ------------------------------------------------ */

static void queue_init(struct queue *queue)
{
    *queue = (struct queue){.end = &queue->first};
}

static void append(struct queue *queue, struct io_job *job)
{
    *queue->end = job;
    queue->end = &job->next;
    queue->length++;
}

static struct io_job *take(struct queue *queue)
{
    struct io_job *job = queue->first;

    if (!job)
        return NULL;
    queue->first = job->next;
    if (!queue->first)
        queue->end = &queue->first;
    queue->length--;
    return job;
}

static bool keeps_reserve(const struct io_lane *lane)
{
    return lane->has_reserve && lane->wanted > 1;
}

static bool is_reserve(const struct lane_thread *thread)
{
    return thread->index == 0 && keeps_reserve(thread->lane);
}

static struct io_job *take_for(const struct lane_thread *thread)
{
    struct io_lane *lane = thread->lane;
    struct io_job *job;

    if (is_reserve(thread))
        return take(&lane->first);
    if (lane->first.length > 0 && lane->queue.length > 0 &&
        ++lane->first_in_a_row > FIRST_IN_A_ROW) {
        lane->first_in_a_row = 0;
        return take(&lane->queue);
    }
    job = take(&lane->first);
    return job ? job : take(&lane->queue);
}

static void count_as_woken(struct sleepers *sleepers)
{
    sleepers->count--;
    sleepers->woken++;
}

/* Returns where to wake a thread that may take the job. Wake it after releasing the lock, or it
 * would have to wait for that. NULL: none is asleep, and a busy one will find the job. */
static uv_sem_t *choose_sleeper(struct io_lane *lane, const struct queue *queue)
{
    struct sleepers *sleepers = &lane->others;

    if (lane->zeroth.count > 0 &&
        (queue == &lane->first || (lane->others.count == 0 && !keeps_reserve(lane))))
        sleepers = &lane->zeroth;
    if (sleepers->count == 0)
        return NULL;
    count_as_woken(sleepers);
    return &sleepers->wake;
}

/* A thread that was woken for a job may have taken one of the other queue, or may have to end.
 * Returns where to wake another one for the job, or NULL. */
static uv_sem_t *choose_for_rest(struct io_lane *lane)
{
    uint32_t woken = lane->others.woken + (keeps_reserve(lane) ? 0 : lane->zeroth.woken);

    return lane->queue.length > woken ? choose_sleeper(lane, &lane->queue) : NULL;
}

static void wake_all(struct io_lane *lane)
{
    struct sleepers *const all[] = {&lane->zeroth, &lane->others};

    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        while (all[i]->count > 0) {
            count_as_woken(all[i]);
            uv_sem_post(&all[i]->wake);
        }
}

/* --- threads --------------------------------------------------------------------------------- */

/* Waits until something has changed. Releases the lock meanwhile. */
static void wait_for_work(struct lane_thread *thread)
{
    struct io_lane *lane = thread->lane;
    struct sleepers *sleepers = thread->index == 0 ? &lane->zeroth : &lane->others;

    sleepers->count++;
    uv_mutex_unlock(&lane->lock);
    uv_sem_wait(&sleepers->wake);
    uv_mutex_lock(&lane->lock);
    sleepers->woken--;
}

/* Returns the next job, or NULL if this thread has to end. */
static struct io_job *next_job(struct lane_thread *thread, bool was_busy)
{
    struct io_lane *lane = thread->lane;
    struct io_job *job = NULL;
    uv_sem_t *wake;

    uv_mutex_lock(&lane->lock);
    if (was_busy)
        lane->busy--;
    /* A surplus thread leaves the queue to the others, but only if there are any. */
    while (thread->index < lane->wanted && !(job = take_for(thread)) && !lane->ending)
        wait_for_work(thread);
    if (job)
        lane->busy++;
    else
        thread->is_running = false;
    wake = choose_for_rest(lane);
    uv_mutex_unlock(&lane->lock);
    if (wake)
        uv_sem_post(wake);
    return job;
}

static void thread_main(void *arg)
{
    struct lane_thread *thread = arg;
    struct io_job *job = NULL;

    pthread_setname_np(pthread_self(), thread->lane->name);
    if (thread->lane->niceness > 0) /* on Linux it is the thread's own; refused, it works as well */
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + thread->lane->niceness);
    while ((job = next_job(thread, job != NULL)) != NULL) {
        job->started_ns = monotonic_ns();
        job->run(job);
        job->ended_ns = monotonic_ns();
        io_port_deliver(job);
    }
}

static bool start_thread(struct io_lane *lane, uint32_t index)
{
    static const uv_thread_options_t options = {UV_THREAD_HAS_STACK_SIZE, STACK_BYTES};
    struct lane_thread *thread = &lane->threads[index];

    if (thread->started) /* one that an earlier resize has ended */
        uv_thread_join(&thread->handle);
    thread->lane = lane;
    thread->index = index;
    thread->is_running = true; /* from now on only the thread writes it, holding the lock */
    thread->started = uv_thread_create_ex(&thread->handle, &options, thread_main, thread) == 0;
    if (!thread->started)
        thread->is_running = false;
    return thread->started;
}

/* A thread that should end, but has not noticed yet, simply stays. */
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
    wake_all(lane);
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
    return io_lane_new_nice(name, threads, queue_length, 0);
}

struct io_lane *io_lane_new_nice(const char *name, uint32_t threads, uint32_t queue_length,
                                 int niceness)
{
    struct io_lane *lane = xcalloc(1, sizeof(*lane));

    CHECK(strlen(name) < sizeof(lane->name));
    lane->niceness = niceness;
    strcpy(lane->name, name);
    queue_init(&lane->queue);
    queue_init(&lane->first);
    if (uv_mutex_init(&lane->lock) != 0)
        goto fail_mutex;
    if (uv_sem_init(&lane->others.wake, 0) != 0)
        goto fail_others;
    if (uv_sem_init(&lane->zeroth.wake, 0) != 0)
        goto fail_reserve;
    if (io_lane_resize(lane, threads, queue_length) == 0)
        goto fail_threads;
    return lane;

fail_threads:
    uv_sem_destroy(&lane->zeroth.wake);
fail_reserve:
    uv_sem_destroy(&lane->others.wake);
fail_others:
    uv_mutex_destroy(&lane->lock);
fail_mutex:
    free(lane);
    return NULL;
}

void io_lane_reserve_thread(struct io_lane *lane)
{
    uv_mutex_lock(&lane->lock);
    lane->has_reserve = true;
    wake_all(lane);
    uv_mutex_unlock(&lane->lock);
}

void io_lane_free(struct io_lane *lane)
{
    uv_mutex_lock(&lane->lock);
    lane->ending = true;
    wake_all(lane);
    uv_mutex_unlock(&lane->lock);
    for (uint32_t i = 0; i < THREADS_MAX; i++)
        if (lane->threads[i].started)
            uv_thread_join(&lane->threads[i].handle);
    CHECK(lane->queue.length == 0 && lane->first.length == 0);
    uv_sem_destroy(&lane->zeroth.wake);
    uv_sem_destroy(&lane->others.wake);
    uv_mutex_destroy(&lane->lock);
    free(lane);
}

/* --- jobs ------------------------------------------------------------------------------------ */

static int submit(struct io_lane *lane, struct queue *queue, bool is_bounded, struct io_port *port,
                  struct io_job *job)
{
    uv_sem_t *wake;

    job->port = port;
    job->next = NULL;
    job->queued_ns = monotonic_ns();
    uv_mutex_lock(&lane->lock);
    if (is_bounded && queue->length >= lane->queue_length) {
        uv_mutex_unlock(&lane->lock);
        return UV_EAGAIN;
    }
    append(queue, job);
    wake = choose_sleeper(lane, queue);
    uv_mutex_unlock(&lane->lock);
    if (wake)
        uv_sem_post(wake);
    port->outstanding++;
    return 0;
}

int io_lane_submit(struct io_lane *lane, struct io_port *port, struct io_job *job)
{
    return submit(lane, &lane->queue, true, port, job);
}

int io_lane_submit_first(struct io_lane *lane, struct io_port *port, struct io_job *job)
{
    return submit(lane, &lane->first, true, port, job);
}

void io_lane_submit_next(struct io_lane *lane, struct io_port *port, struct io_job *job)
{
    submit(lane, &lane->queue, false, port, job);
}

bool io_lane_has_queue(struct io_lane *lane)
{
    bool has_queue;

    uv_mutex_lock(&lane->lock);
    has_queue = lane->queue.length > 0;
    uv_mutex_unlock(&lane->lock);
    return has_queue;
}

void io_lane_state(struct io_lane *lane, struct io_lane_state *state)
{
    uv_mutex_lock(&lane->lock);
    *state =
        (struct io_lane_state){lane->wanted, lane->busy, lane->queue.length + lane->first.length};
    uv_mutex_unlock(&lane->lock);
}
