/* SPDX-License-Identifier: MIT */
/* access_log.c — one ring per loop, with one writer and one reader and no lock between them.
 *
 * Only the loop moves `filled`, and only the thread that writes the log (log_out.h) moves
 * `written`, both from line to line. The bytes between them belong to the thread. */
#include "log/access_log.h"

#include "base/mem.h"
#include "log/access_line.h"
#include "log/log_out.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <uv.h>

#define RING_BYTES (256 * 1024) /* a power of two */

struct access_ring {
    struct access_ring *next;
    _Atomic uint64_t filled, written; /* bytes since the start */
    struct access_stamps stamps;      /* loop thread */
    char bytes[RING_BYTES];
};

struct access_log {
    struct log_out *out;
    char *target;
    _Atomic uint32_t refs;
    /* Each is made by its loop when it has its first line. */
    struct access_ring *of_loop[ACCESS_LOG_LOOPS];
    pthread_mutex_t lock; /* protects the list */
    struct access_ring *rings;
    struct access_ring *turn; /* whose lines are taken next; NULL: those of the first */
};

static struct access_ring *add_ring(struct access_log *log)
{
    struct access_ring *ring = xcalloc(1, sizeof(*ring));

    pthread_mutex_lock(&log->lock); /* the thread holds it for no longer than it copies lines */
    ring->next = log->rings;
    log->rings = ring;
    pthread_mutex_unlock(&log->lock);
    return ring;
}

bool access_log_write(struct access_log *log, uint32_t loop, const struct access_form *form,
                      const struct access_record *record)
{
    struct access_ring *ring = log->of_loop[loop];
    struct access_line line;

    if (!ring)
        ring = log->of_loop[loop] = add_ring(log);
    uint64_t filled = atomic_load_explicit(&ring->filled, memory_order_relaxed);
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    size_t at = filled % RING_BYTES, first;

    access_line_write(&line, &ring->stamps, form, record);
    if (line.len > RING_BYTES - (filled - written))
        return false;
    first = line.len < RING_BYTES - at ? line.len : RING_BYTES - at;
    memcpy(ring->bytes + at, line.text, first);
    memcpy(ring->bytes, line.text + first, line.len - first);
    atomic_store(&ring->filled, filled + line.len); /* in one order with log_out.h's flag */
    /* The thread comes in a while, and at once when the ring becomes half full. */
    log_out_has_lines(log->out);
    if (filled - written < RING_BYTES / 2 && filled - written + line.len >= RING_BYTES / 2)
        log_out_wake(log->out);
    return true;
}

/* --- the thread ------------------------------------------------------------------------------ */

/* Takes as many whole lines as fit. Returns their length. */
static size_t take_from(struct access_ring *ring, char *batch, size_t cap)
{
    uint64_t filled = atomic_load(&ring->filled);
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    size_t at = written % RING_BYTES, len = filled - written, first;

    if (len > cap) {
        len = cap;
        while (len > 0 && ring->bytes[(at + len - 1) % RING_BYTES] != '\n')
            len--;
    }
    first = len < RING_BYTES - at ? len : RING_BYTES - at;
    memcpy(batch, ring->bytes + at, first);
    memcpy(batch + first, ring->bytes, len - first);
    atomic_store_explicit(&ring->written, written + len, memory_order_release);
    return len;
}

/* Takes lines from `ring` and those after it while a line still fits. Returns the ring to begin
 * with next time; NULL: the first. */
static struct access_ring *take_round(struct access_ring *ring, char *batch, size_t cap,
                                      size_t *len)
{
    while (ring && cap - *len >= ACCESS_LINE_BYTES) {
        *len += take_from(ring, batch + *len, cap - *len);
        ring = ring->next;
    }
    return ring;
}

static size_t take_lines(void *arg, char *batch, size_t cap)
{
    struct access_log *log = arg;
    size_t len = 0;

    pthread_mutex_lock(&log->lock);
    log->turn = take_round(log->turn, batch, cap, &len);
    if (len == 0) /* the rings before it may have some */
        log->turn = take_round(log->rings, batch, cap, &len);
    pthread_mutex_unlock(&log->lock);
    return len;
}

/* --- begin and end --------------------------------------------------------------------------- */

/* The thread has ended, or was never started. */
static void destroy(struct access_log *log)
{
    for (struct access_ring *ring = log->rings, *next; ring; ring = next) {
        next = ring->next;
        free(ring);
    }
    pthread_mutex_destroy(&log->lock);
    free(log->target);
    free(log);
}

struct access_log *access_log_new(const char *target, struct log_file_problem *problem)
{
    struct access_log *log = xcalloc(1, sizeof(*log));
    const struct log_out_source source = {
        .thread_name = "access-log", .kind = LOG_FILE_ACCESS, .take = take_lines, .arg = log};

    pthread_mutex_init(&log->lock, NULL);
    log->target = xstrdup(target);
    atomic_init(&log->refs, 1);
    log->out = log_out_new(&source);
    if (log->out && log_out_configure(log->out, target, problem) == 0)
        return log;
    if (log->out)
        access_log_free(log);
    else {
        log_file_failed(problem, UV_EAGAIN);
        destroy(log);
    }
    return NULL;
}

bool access_log_free(struct access_log *log)
{
    if (!log_out_free(log->out))
        return false;
    destroy(log);
    return true;
}

struct access_log *access_log_get(struct access_log *log)
{
    atomic_fetch_add_explicit(&log->refs, 1, memory_order_relaxed);
    return log;
}

void access_log_put(struct access_log *log)
{
    atomic_fetch_sub_explicit(&log->refs, 1, memory_order_release);
}

bool access_log_is_used(const struct access_log *log)
{
    return atomic_load_explicit(&log->refs, memory_order_acquire) > 0;
}

const char *access_log_target(const struct access_log *log)
{
    return log->target;
}

int access_log_give(struct access_log *log, uid_t uid, gid_t gid)
{
    return log_out_give(log->out, uid, gid);
}

int access_log_reopen(struct access_log *log, struct log_file_problem *problem)
{
    return log_out_reopen(log->out, problem);
}
