/* SPDX-License-Identifier: MIT */
/* log.c — "2026-11-21T09:14:43.123Z info message". Control characters in a message become "?":
 * a client's bytes can't forge a line. */
#include "log.h"

#include "log_place.h"
#include "mem.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define LINE_MAX_LEN 1024
#define QUEUE_BYTES (64 * 1024)

static struct {
    pthread_mutex_t lock; /* of everything but `fd` while the thread writes */
    pthread_cond_t filled;
    pthread_t thread;
    bool running, ending;
    enum config_log_level level;
    int fd;
    bool is_made;          /* by us, and so ours to give away */
    char *path;            /* NULL: standard error */
    struct log_tail *tail; /* NULL: none is kept */
    char queue[QUEUE_BYTES];
    size_t queued;
    unsigned long dropped;
} the_log = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
    .level = LOG_LEVEL_INFO,
    .fd = STDERR_FILENO,
};

/* Of the descriptor: it is not changed while the thread is writing to it. */
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;

static void write_all(const char *bytes, size_t len)
{
    pthread_mutex_lock(&file_lock);
    while (len > 0) {
        ssize_t n = write(the_log.fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* a full disk: the lines are lost, the server goes on */
            break;
        bytes += n;
        len -= (size_t)n;
    }
    pthread_mutex_unlock(&file_lock);
}

static int open_log(const char *path, int *fd, bool *is_made)
{
    return log_place_open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY, fd, is_made);
}

static void replace_file(int fd, char *path, bool is_made)
{
    pthread_mutex_lock(&file_lock);
    if (the_log.fd != STDERR_FILENO)
        close(the_log.fd);
    the_log.fd = fd;
    the_log.is_made = is_made;
    free(the_log.path);
    the_log.path = path;
    pthread_mutex_unlock(&file_lock);
}

static bool is_open(const char *path)
{
    bool is;

    pthread_mutex_lock(&file_lock);
    is = strcmp(path, the_log.path ? the_log.path : "") == 0;
    pthread_mutex_unlock(&file_lock);
    return is;
}

static int open_other(const char *path)
{
    int fd = STDERR_FILENO, err;
    bool is_made = false;

    if (is_open(path))
        return 0;
    err = path[0] ? open_log(path, &fd, &is_made) : 0;
    if (!err)
        replace_file(fd, path[0] ? xstrdup(path) : NULL, is_made);
    return err;
}

int log_configure(const char *path, enum config_log_level level)
{
    int err = open_other(path);

    if (err)
        return err;
    pthread_mutex_lock(&the_log.lock);
    the_log.level = level;
    pthread_mutex_unlock(&the_log.lock);
    return 0;
}

/* NULL: there is nothing to open anew. */
static char *moved_path(void)
{
    struct stat held;
    char *path = NULL;

    pthread_mutex_lock(&file_lock);
    if (the_log.path && fstat(the_log.fd, &held) == 0)
        path = xstrdup(the_log.path);
    pthread_mutex_unlock(&file_lock);
    if (!path || !log_place_is(path, &held))
        return path;
    free(path);
    return NULL;
}

int log_reopen(void)
{
    char *path = moved_path();
    bool is_made;
    int err, fd;

    if (!path)
        return 0;
    err = open_log(path, &fd, &is_made);
    if (err)
        free(path);
    else
        replace_file(fd, path, is_made);
    return err;
}

int log_give(uid_t uid, gid_t gid)
{
    int err;

    pthread_mutex_lock(&file_lock);
    err = the_log.is_made && fchown(the_log.fd, uid, gid) != 0 ? -errno : 0;
    pthread_mutex_unlock(&file_lock);
    return err;
}

static void *thread_main(void *unused)
{
    static char batch[QUEUE_BYTES];
    bool ending;

    (void)unused;
    pthread_setname_np(pthread_self(), "log");
    do {
        size_t len;
        unsigned long dropped;

        pthread_mutex_lock(&the_log.lock);
        while (the_log.queued == 0 && !the_log.ending)
            pthread_cond_wait(&the_log.filled, &the_log.lock);
        len = the_log.queued;
        memcpy(batch, the_log.queue, len);
        the_log.queued = 0;
        dropped = the_log.dropped;
        the_log.dropped = 0;
        ending = the_log.ending;
        pthread_mutex_unlock(&the_log.lock);
        write_all(batch, len);
        if (dropped > 0)
            log_warn("log: %lu lines were dropped: they came faster than they could be written",
                     dropped);
    } while (!ending);
    return NULL;
}

void log_keep(struct log_tail *tail)
{
    pthread_mutex_lock(&the_log.lock);
    the_log.tail = tail;
    pthread_mutex_unlock(&the_log.lock);
}

char *log_kept(uint64_t *lines)
{
    struct log_tail *copy = xcalloc(1, sizeof(*copy));
    char *text;

    /* Read outside of the lock, which every thread that logs waits for. */
    pthread_mutex_lock(&the_log.lock);
    if (the_log.tail)
        memcpy(copy, the_log.tail, sizeof(*copy));
    pthread_mutex_unlock(&the_log.lock);
    text = log_tail_lines(copy, SIZE_MAX);
    *lines = copy->lines;
    free(copy);
    return text;
}

void log_start(void)
{
    pthread_mutex_lock(&the_log.lock);
    the_log.ending = false;
    the_log.running = pthread_create(&the_log.thread, NULL, thread_main, NULL) == 0;
    pthread_mutex_unlock(&the_log.lock);
}

void log_stop(void)
{
    bool was_running;

    pthread_mutex_lock(&the_log.lock);
    was_running = the_log.running;
    the_log.running = false;
    the_log.ending = true;
    pthread_cond_signal(&the_log.filled);
    pthread_mutex_unlock(&the_log.lock);
    if (was_running)
        pthread_join(the_log.thread, NULL);
}

static size_t format_prefix(char *line, size_t cap, enum config_log_level level)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    struct timeval now;
    struct tm tm;
    size_t len;

    gettimeofday(&now, NULL);
    gmtime_r(&now.tv_sec, &tm);
    len = strftime(line, cap, "%Y-%m-%dT%H:%M:%S", &tm);
    return len + (size_t)snprintf(line + len, cap - len, ".%03dZ %s ", (int)(now.tv_usec / 1000),
                                  names[level]);
}

/* True when the line waits for the thread or was counted as dropped. */
static bool enqueue(const char *line, size_t len)
{
    bool running;

    pthread_mutex_lock(&the_log.lock);
    if (the_log.tail)
        log_tail_append(the_log.tail, line, len);
    running = the_log.running;
    if (running && the_log.queued + len <= QUEUE_BYTES) {
        memcpy(the_log.queue + the_log.queued, line, len);
        the_log.queued += len;
        pthread_cond_signal(&the_log.filled);
    } else if (running) {
        the_log.dropped++;
    }
    pthread_mutex_unlock(&the_log.lock);
    return running;
}

static bool is_wanted(enum config_log_level level)
{
    bool wanted;

    pthread_mutex_lock(&the_log.lock);
    wanted = level <= the_log.level;
    pthread_mutex_unlock(&the_log.lock);
    return wanted;
}

void log_write(enum config_log_level level, const char *format, ...)
{
    char line[LINE_MAX_LEN];
    size_t prefix, len;
    va_list args;
    int n;

    if (!is_wanted(level))
        return;
    prefix = format_prefix(line, sizeof(line), level);
    va_start(args, format);
    n = vsnprintf(line + prefix, sizeof(line) - prefix - 1, format, args);
    va_end(args);
    len = prefix + (n > 0 ? (size_t)n : 0);
    if (len > sizeof(line) - 2)
        len = sizeof(line) - 2;
    for (size_t i = prefix; i < len; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    line[len++] = '\n';
    if (!enqueue(line, len))
        write_all(line, len);
}
