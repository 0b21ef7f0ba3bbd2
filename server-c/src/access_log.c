/* SPDX-License-Identifier: MIT */
/* access_log.c — a ring per loop, one writer and one reader each, without locks between them.
 *
 * `filled` only the loop moves, `written` only the thread, from line to line; the bytes between them
 * are the thread's. After a short write (a full disk) the same ring is continued before any other, in
 * the middle of its line; in another file that line begins again. So no line is ever torn, but the
 * last one of a file that was rotated away while its disk was full. */
#include "access_log.h"

#include "access_line.h"
#include "log_place.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define RING_BYTES (256 * 1024) /* a power of two */
#define WRITE_EVERY_MS 200

struct access_ring {
    struct access_log *log;
    struct access_ring *next;
    _Atomic uint64_t filled, written; /* bytes since the start */
    size_t begun; /* bytes of the line at `written` that are in the file; under file_lock */
    struct access_stamp stamp; /* loop thread */
    char bytes[RING_BYTES];
};

struct access_log {
    pthread_t thread;
    pthread_mutex_t lock; /* of `rings`, `ending` and the wake-up */
    pthread_cond_t wake;
    struct access_ring *rings;
    bool ending;
    pthread_mutex_t file_lock; /* of what follows, and while a batch is written */
    struct access_file file;
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
    /* Wake the thread early once, when the ring gets half full; else it comes by itself. */
    if (filled - written < RING_BYTES / 2 && filled - written + line.len >= RING_BYTES / 2)
        pthread_cond_signal(&ring->log->wake);
    return true;
}

/* --- the thread ------------------------------------------------------------------------------ */

/* The file has the ring's bytes up to `end`. */
static void move_on(struct access_ring *ring, uint64_t written, uint64_t end)
{
    uint64_t line = end;

    while (line > written && ring->bytes[(line - 1) % RING_BYTES] != '\n')
        line--;
    if (line == written) {
        ring->begun = (size_t)(end - written);
        return;
    }
    ring->begun = (size_t)(end - line);
    atomic_store_explicit(&ring->written, line, memory_order_release);
}

/* True when all that was in the ring is written, or there is no file to write it to. */
static bool write_ring(struct access_log *log, struct access_ring *ring)
{
    uint64_t filled = atomic_load_explicit(&ring->filled, memory_order_acquire);

    for (;;) {
        uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
        uint64_t from = written + ring->begun;
        size_t at = from % RING_BYTES, len = filled - from;
        size_t first = len < RING_BYTES - at ? len : RING_BYTES - at;
        struct iovec parts[2] = {{ring->bytes + at, first}, {ring->bytes, len - first}};
        ssize_t n;
        if (len == 0)
            return true;
        n = log->file.fd < 0 ? (ssize_t)len : writev(log->file.fd, parts, 2);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        move_on(ring, written, from + (uint64_t)n);
    }
}

static void *thread_main(void *arg)
{
    struct access_log *log = arg;
    struct access_ring *ring = NULL, *rings;
    struct timespec until;
    bool ending;

    pthread_setname_np(pthread_self(), "access-log");
    do {
        pthread_mutex_lock(&log->lock);
        if (!log->ending) {
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += WRITE_EVERY_MS * (long)NS_PER_MS;
            until.tv_sec += until.tv_nsec / (long)NS_PER_SECOND;
            until.tv_nsec %= (long)NS_PER_SECOND;
            pthread_cond_timedwait(&log->wake, &log->lock, &until);
        }
        ending = log->ending;
        rings = log->rings;
        pthread_mutex_unlock(&log->lock);

        pthread_mutex_lock(&log->file_lock);
        for (ring = ring ? ring : rings; ring && write_ring(log, ring);)
            ring = ring->next;
        pthread_mutex_unlock(&log->file_lock);
    } while (!ending);
    if (!ring) /* not stuck: what came into rings the last round had passed already */
        for (ring = rings; ring && write_ring(log, ring);)
            ring = ring->next;
    return NULL;
}

struct access_log *access_log_new(void)
{
    struct access_log *log = xcalloc(1, sizeof(*log));

    log->file.fd = -1;
    pthread_mutex_init(&log->lock, NULL);
    pthread_mutex_init(&log->file_lock, NULL);
    pthread_cond_init(&log->wake, NULL);
    if (pthread_create(&log->thread, NULL, thread_main, log) == 0)
        return log;
    free(log);
    return NULL;
}

void access_log_free(struct access_log *log)
{
    pthread_mutex_lock(&log->lock);
    log->ending = true;
    pthread_cond_signal(&log->wake);
    pthread_mutex_unlock(&log->lock);
    pthread_join(log->thread, NULL);
    for (struct access_ring *ring = log->rings, *next; ring; ring = next) {
        next = ring->next;
        free(ring);
    }
    access_file_close(&log->file);
    pthread_cond_destroy(&log->wake);
    pthread_mutex_destroy(&log->file_lock);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

/* A pipe that nobody reads is an error, not a wait. */
int access_file_open(struct access_file *file, const char *path)
{
    int err;

    *file = (struct access_file){.fd = -1};
    if (!path[0])
        return 0;
    err = log_place_open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, &file->fd,
                         &file->is_made);
    if (!err)
        file->path = xstrdup(path);
    return err;
}

void access_file_close(struct access_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    *file = (struct access_file){.fd = -1};
}

/* A line that the old file has the beginning of is to be whole in the new one. */
static void begin_lines_again(struct access_log *log)
{
    pthread_mutex_lock(&log->lock);
    for (struct access_ring *ring = log->rings; ring; ring = ring->next)
        ring->begun = 0;
    pthread_mutex_unlock(&log->lock);
}

void access_log_use(struct access_log *log, struct access_file *file)
{
    struct access_file old;

    pthread_mutex_lock(&log->file_lock);
    old = log->file;
    log->file = *file;
    begin_lines_again(log);
    pthread_mutex_unlock(&log->file_lock);
    access_file_close(&old);
}

int access_log_configure(struct access_log *log, const char *path)
{
    struct access_file file;
    int err = access_file_open(&file, path);

    if (!err)
        access_log_use(log, &file);
    return err;
}

/* NULL: there is nothing to open anew. */
static char *moved_path(struct access_log *log)
{
    struct stat held;
    char *path = NULL;

    pthread_mutex_lock(&log->file_lock);
    if (log->file.path && fstat(log->file.fd, &held) == 0)
        path = xstrdup(log->file.path);
    pthread_mutex_unlock(&log->file_lock);
    if (!path || !log_place_is(path, &held))
        return path;
    free(path);
    return NULL;
}

int access_log_reopen(struct access_log *log)
{
    char *path = moved_path(log);
    int err = path ? access_log_configure(log, path) : 0;

    free(path);
    return err;
}

int access_log_give(struct access_log *log, uid_t uid, gid_t gid)
{
    int err;

    pthread_mutex_lock(&log->file_lock);
    err = log->file.is_made && fchown(log->file.fd, uid, gid) != 0 ? -errno : 0;
    pthread_mutex_unlock(&log->file_lock);
    return err;
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
