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

#define RING_BYTES (256 * 1024) /* a power of two */

struct access_ring {
    struct access_log *log;
    struct access_ring *next;
    _Atomic uint64_t filled, written; /* bytes since the start */
    struct access_stamp stamp;        /* loop thread */
    char bytes[RING_BYTES];
};

struct access_log {
    struct log_out *out;
    pthread_mutex_t lock; /* protects the list */
    struct access_ring *rings;
    struct access_ring *turn; /* whose lines are taken next; NULL: those of the first */
};

bool access_ring_write(struct access_ring *ring, enum config_log_format format,
                       const struct access_record *record)
{
    uint64_t filled = atomic_load_explicit(&ring->filled, memory_order_relaxed);
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    size_t at = filled % RING_BYTES, first;
    struct access_line line;

    access_line_write(&line, &ring->stamp, format, record);
    if (line.len > RING_BYTES - (filled - written))
        return false;
    first = line.len < RING_BYTES - at ? line.len : RING_BYTES - at;
    memcpy(ring->bytes + at, line.text, first);
    memcpy(ring->bytes, line.text + first, line.len - first);
    atomic_store_explicit(&ring->filled, filled + line.len, memory_order_release);
    /* Wake the thread early when the ring becomes half full; otherwise it comes by itself. */
    if (filled - written < RING_BYTES / 2 && filled - written + line.len >= RING_BYTES / 2)
        log_out_wake(ring->log->out);
    return true;
}

/* --- the thread ------------------------------------------------------------------------------ */

/* Takes as many whole lines as fit. Returns their length. */
static size_t take_from(struct access_ring *ring, char *batch, size_t cap)
{
    uint64_t filled = atomic_load_explicit(&ring->filled, memory_order_acquire);
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

struct access_log *access_log_new(void)
{
    struct access_log *log = xcalloc(1, sizeof(*log));
    const struct log_out_source source = {
        .thread_name = "access-log", .kind = LOG_FILE_ACCESS, .take = take_lines, .arg = log};

    pthread_mutex_init(&log->lock, NULL);
    log->out = log_out_new(&source);
    if (log->out)
        return log;
    pthread_mutex_destroy(&log->lock);
    free(log);
    return NULL;
}

bool access_log_free(struct access_log *log)
{
    if (!log_out_free(log->out))
        return false;
    for (struct access_ring *ring = log->rings, *next; ring; ring = next) {
        next = ring->next;
        free(ring);
    }
    pthread_mutex_destroy(&log->lock);
    free(log);
    return true;
}

struct log_out_next *access_log_prepare(struct access_log *log, const char *path,
                                        struct log_file_problem *problem)
{
    return log_out_prepare(log->out, path, problem);
}

void access_log_take(struct access_log *log, struct log_out_next *next)
{
    log_out_take(log->out, next);
}

void access_log_discard(struct access_log *log, struct log_out_next *next)
{
    log_out_discard(log->out, next);
}

int access_log_give(struct access_log *log, uid_t uid, gid_t gid)
{
    return log_out_give(log->out, uid, gid);
}

int access_log_configure(struct access_log *log, const char *path, struct log_file_problem *problem)
{
    return log_out_configure(log->out, path, problem);
}

int access_log_reopen(struct access_log *log, struct log_file_problem *problem)
{
    return log_out_reopen(log->out, problem);
}

struct access_ring *access_log_add_ring(struct access_log *log)
{
    struct access_ring *ring = xcalloc(1, sizeof(*ring));

    ring->log = log;
    pthread_mutex_lock(&log->lock);
    ring->next = log->rings;
    log->rings = ring;
    pthread_mutex_unlock(&log->lock);
    return ring;
}
