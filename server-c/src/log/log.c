/* SPDX-License-Identifier: MIT */
/* log.c — writes lines like "2026-11-21T09:14:43.123Z info message". A message can't leave its line
 * (log_format.h), so a client's bytes can't forge another. */
#include "log/log.h"

#include "base/mem.h"
#include "log/log_format.h"
#include "log/log_out.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <uv.h>

#define LINE_MAX_LEN 1024
#define QUEUE_BYTES (LOG_OUT_BATCH_BYTES - LINE_MAX_LEN) /* and a line about dropped ones */

static struct {
    pthread_mutex_t lock;
    enum config_log_level level;
    struct log_out *out;   /* NULL: no thread writes */
    struct log_tail *tail; /* NULL: no lines are kept */
    void (*diverted)(const char *line, size_t len);
    char queue[QUEUE_BYTES];
    size_t queued;
    unsigned long dropped;
} the_log = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .level = LOG_LEVEL_INFO,
};

/* Only for starting, configuring and stopping: writing a line does not wait for it. */
static pthread_mutex_t out_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- lines ----------------------------------------------------------------------------------- */

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

static size_t format_line(char line[LINE_MAX_LEN], enum config_log_level level, const char *format,
                          va_list args) __attribute__((format(printf, 3, 0)));

static size_t format_line(char line[LINE_MAX_LEN], enum config_log_level level, const char *format,
                          va_list args)
{
    size_t len = format_prefix(line, LINE_MAX_LEN, level);

    len += log_format(line + len, LINE_MAX_LEN - len, format, args);
    line[len++] = '\n';
    return len;
}

static size_t make_line(char line[LINE_MAX_LEN], enum config_log_level level, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

static size_t make_line(char line[LINE_MAX_LEN], enum config_log_level level, const char *format,
                        ...)
{
    va_list args;

    va_start(args, format);
    size_t len = format_line(line, level, format, args);
    va_end(args);
    return len;
}

/* --- the thread ------------------------------------------------------------------------------ */

/* The lock must be held. */
static size_t tell_dropped(char line[LINE_MAX_LEN])
{
    size_t len =
        make_line(line, LOG_LEVEL_WARN,
                  "log: %lu lines were dropped: they came faster than they could be written",
                  the_log.dropped);

    the_log.dropped = 0;
    if (the_log.tail)
        log_tail_append(the_log.tail, line, len);
    return len;
}

static size_t take_lines(void *unused, char *batch, size_t cap)
{
    size_t len;

    (void)unused;
    (void)cap; /* the queue and a line always fit */
    pthread_mutex_lock(&the_log.lock);
    len = the_log.queued;
    memcpy(batch, the_log.queue, len);
    the_log.queued = 0;
    if (the_log.dropped > 0)
        len += tell_dropped(batch + len);
    pthread_mutex_unlock(&the_log.lock);
    return len;
}

/* out_lock must be held. NULL: no thread is available, and lines are still written at once. */
static struct log_out *begin(void)
{
    static const struct log_out_source source = {
        .thread_name = "log", .kind = LOG_FILE_ERROR, .uses_stderr = true, .take = take_lines};

    if (!the_log.out) {
        struct log_out *out = log_out_new(&source);
        pthread_mutex_lock(&the_log.lock);
        the_log.out = out;
        pthread_mutex_unlock(&the_log.lock);
    }
    return the_log.out;
}

void log_start(void)
{
    pthread_mutex_lock(&out_lock);
    begin();
    pthread_mutex_unlock(&out_lock);
}

void log_stop(void)
{
    pthread_mutex_lock(&out_lock);
    pthread_mutex_lock(&the_log.lock);
    struct log_out *out = the_log.out;
    the_log.out = NULL;
    pthread_mutex_unlock(&the_log.lock);
    if (out)
        log_out_free(out); /* or leaves it to a thread that hangs; the process ends anyway */
    pthread_mutex_unlock(&out_lock);
}

int log_configure(const char *path, enum config_log_level level, struct log_file_problem *problem)
{
    pthread_mutex_lock(&out_lock);
    struct log_out *out = begin();
    int err = out ? log_out_configure(out, path, problem) : log_file_failed(problem, UV_EAGAIN);
    pthread_mutex_unlock(&out_lock);
    if (err)
        return err;
    pthread_mutex_lock(&the_log.lock);
    the_log.level = level;
    pthread_mutex_unlock(&the_log.lock);
    return 0;
}

int log_reopen(struct log_file_problem *problem)
{
    pthread_mutex_lock(&out_lock);
    int err = the_log.out ? log_out_reopen(the_log.out, problem) : 0;
    pthread_mutex_unlock(&out_lock);
    return err;
}

int log_give(uid_t uid, gid_t gid)
{
    pthread_mutex_lock(&out_lock);
    int err = the_log.out ? log_out_give(the_log.out, uid, gid) : 0;
    pthread_mutex_unlock(&out_lock);
    return err;
}

/* --- what is kept ---------------------------------------------------------------------------- */

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

    /* Read outside the lock, for which every thread that logs would wait. */
    pthread_mutex_lock(&the_log.lock);
    if (the_log.tail)
        memcpy(copy, the_log.tail, sizeof(*copy));
    pthread_mutex_unlock(&the_log.lock);
    text = log_tail_lines(copy, SIZE_MAX);
    *lines = copy->lines;
    free(copy);
    return text;
}

/* --- writing --------------------------------------------------------------------------------- */

void log_divert(void (*write_line)(const char *line, size_t len))
{
    the_log.diverted = write_line;
}

bool log_stderr_is_ready(void)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&ready, 1, 0) == 1;
}

static void write_at_once(const char *line, size_t len)
{
    if (the_log.diverted)
        the_log.diverted(line, len);
    else if (log_stderr_is_ready())
        (void)!write(STDERR_FILENO, line, len);
}

/* True if the line waits for the thread, or was counted as dropped. */
static bool enqueue(const char *line, size_t len)
{
    pthread_mutex_lock(&the_log.lock);
    if (the_log.tail)
        log_tail_append(the_log.tail, line, len);
    bool runs = the_log.out != NULL, fits = the_log.queued + len <= QUEUE_BYTES;
    if (runs && fits) {
        memcpy(the_log.queue + the_log.queued, line, len);
        if (the_log.queued == 0)
            log_out_wake(the_log.out);
        the_log.queued += len;
    } else if (runs) {
        the_log.dropped++;
    }
    pthread_mutex_unlock(&the_log.lock);
    return runs;
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
    va_list args;

    if (!is_wanted(level))
        return;
    va_start(args, format);
    size_t len = format_line(line, level, format, args);
    va_end(args);
    if (!enqueue(line, len))
        write_at_once(line, len);
}
