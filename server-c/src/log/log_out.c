/* SPDX-License-Identifier: MIT */
/* log_out.c — one writer is current. Others are about to leave, or hang. */
#include "log/log_out.h"

#include "base/mem.h"
#include "base/util.h"
#include "config/log_target.h"
#include "log/log_syslog.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define GATHER_MS 200   /* lines that come within it are written together */
#define RETRY_MS 200    /* to what has taken nothing */
#define END_SECONDS 2   /* how long what is left may take at the end */
#define LEAVE_SECONDS 1 /* how long a batch for an old file may take */

/* Lines that a writer has taken but not written. */
struct rest {
    struct rest *next;
    size_t len;
    char lines[];
};

struct writer {
    struct log_out *out;
    struct writer *next;
    bool was_called; /* has been made current, perhaps before its thread has seen it */
    int fd;          /* -1: lines go to `syslog`, or are thrown away */
    struct log_syslog *syslog;
    size_t len, done;
    char batch[LOG_OUT_BATCH_BYTES];
};

struct log_out {
    struct log_out_source source;
    sem_t wake; /* for the current writer */
    /* The current writer sleeps until somebody wakes it, and has looked for lines after it said so: of
     * whoever adds one and it, one sees what the other did. */
    atomic_bool is_asleep;
    /* Protects what follows. Held while a file is opened, which takes limited time. */
    pthread_mutex_t changing;
    char *target;         /* log_target.h; "": none */
    struct log_file file; /* of the current writer; -1: none was opened */
    pthread_mutex_t lock; /* protects what follows; held only for moments */
    /* Another writer is current, or one has ended; not signalled by loops. */
    pthread_cond_t changed;
    struct writer *current; /* NULL: none, for a moment */
    struct writer *writers; /* all that have a thread */
    struct rest *rests;
    bool is_ending;
};

/* --- a writer's thread ----------------------------------------------------------------------- */

/* The lock must be held. Lines that another writer has left come first. */
static void refill(struct writer *writer)
{
    struct log_out *out = writer->out;
    struct rest *rest = out->rests;

    writer->done = 0;
    if (!rest) {
        writer->len = out->source.take(out->source.arg, writer->batch, sizeof(writer->batch));
        return;
    }
    out->rests = rest->next;
    memcpy(writer->batch, rest->lines, rest->len);
    writer->len = rest->len;
    free(rest);
}

/* The lock must be held. A line of which a part was written is given back as a whole. */
static void give_back(struct writer *writer)
{
    struct rest **last = &writer->out->rests, *rest;
    size_t from = writer->done;

    if (writer->done == writer->len)
        return;
    while (from > 0 && writer->batch[from - 1] != '\n')
        from--;
    rest = xmalloc(sizeof(*rest) + writer->len - from);
    rest->next = NULL;
    rest->len = writer->len - from;
    memcpy(rest->lines, writer->batch + from, rest->len);
    while (*last)
        last = &(*last)->next;
    *last = rest;
}

/* How much of the lines is written to standard output or error at once: others may write to the same
 * pipe, which keeps so many bytes together. */
static size_t whole_lines(const char *lines, size_t len)
{
    size_t most = len < PIPE_BUF ? len : PIPE_BUF, at = most;

    while (at > 0 && lines[at - 1] != '\n')
        at--;
    return at > 0 ? at : most;
}

/* A thread may hang here. False: the file takes nothing at present. */
static bool write_some(struct writer *writer)
{
    const char *lines = writer->batch + writer->done;
    ssize_t n = (ssize_t)(writer->len - writer->done);

    if (writer->syslog)
        n = (ssize_t)log_syslog_send(writer->syslog, lines, (size_t)n);
    else if (writer->fd == STDOUT_FILENO || writer->fd == STDERR_FILENO)
        n = write(writer->fd, lines, whole_lines(lines, (size_t)n));
    else if (writer->fd >= 0)
        n = write(writer->fd, lines, (size_t)n);
    if (n > 0)
        writer->done += (size_t)n;
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Until somebody wakes the writer, but for no longer than this. */
static void wait_for(struct log_out *out, long ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until); /* CLOCK_REALTIME may be set back */
    until.tv_nsec += ms * (long)NS_PER_MS;
    until.tv_sec += until.tv_nsec / (long)NS_PER_SECOND;
    until.tv_nsec %= (long)NS_PER_SECOND;
    sem_clockwait(&out->wake, CLOCK_MONOTONIC, &until);
}

/* For as long as there is nothing to do. After the first line more are waited for. */
static void sleep_until_woken(struct log_out *out)
{
    sem_wait(&out->wake);
    if (!atomic_exchange(&out->is_asleep, false)) /* log_out_has_lines() has */
        wait_for(out, GATHER_MS);
}

/* The lock must be held. False: there are none, and who adds one wakes the writer. */
static bool find_lines(struct writer *writer)
{
    if (writer->done == writer->len)
        refill(writer);
    if (writer->done == writer->len) {
        atomic_store(&writer->out->is_asleep, true);
        refill(writer);
    }
    if (writer->done == writer->len)
        return false;
    atomic_store(&writer->out->is_asleep, false);
    return true;
}

/* Writes until another writer is current, or until the end. The lock must be held; it is released
 * for writing and waiting. */
static void write_lines(struct writer *writer)
{
    struct log_out *out = writer->out;

    while (out->current == writer) {
        /* A writer that is about to leave may give lines back. */
        bool is_last = out->is_ending && !out->writers->next, has_lines, wrote;
        has_lines = find_lines(writer);
        pthread_mutex_unlock(&out->lock);
        wrote = has_lines && write_some(writer);
        if (!has_lines && !is_last)
            sleep_until_woken(out);
        else if (!wrote && !is_last)
            wait_for(out, RETRY_MS);
        pthread_mutex_lock(&out->lock);
        if (!wrote && is_last)
            return;
    }
    give_back(writer);
}

static void leave(struct writer *writer)
{
    struct log_out *out = writer->out;
    struct writer **link = &out->writers;

    pthread_mutex_lock(&out->lock);
    while (*link != writer)
        link = &(*link)->next;
    *link = writer->next;
    pthread_cond_broadcast(&out->changed);
    sem_post(&out->wake); /* the current writer may be the last one now */
    pthread_mutex_unlock(&out->lock);
    free(writer);
}

static void *writer_main(void *arg)
{
    struct writer *writer = arg;
    struct log_out *out = writer->out;

    pthread_setname_np(pthread_self(), out->source.thread_name);
    pthread_mutex_lock(&out->lock);
    while (!writer->was_called)
        pthread_cond_wait(&out->changed, &out->lock);
    write_lines(writer);
    pthread_mutex_unlock(&out->lock);
    if (writer->fd > STDERR_FILENO)
        close(writer->fd);
    if (writer->syslog)
        log_syslog_free(writer->syslog);
    leave(writer);
    return NULL;
}

/* --- the current writer ---------------------------------------------------------------------- */

/* Starts a writer, which waits for its turn. Takes over what it writes to, unless it returns NULL: no
 * thread is available. */
static struct writer *start_writer(struct log_out *out, int fd, struct log_syslog *syslog)
{
    struct writer *writer = xcalloc(1, sizeof(*writer));
    pthread_t thread;

    writer->out = out;
    writer->fd = fd;
    writer->syslog = syslog;
    pthread_mutex_lock(&out->lock);
    if (pthread_create(&thread, NULL, writer_main, writer) == 0) {
        pthread_detach(thread);
        writer->next = out->writers;
        out->writers = writer;
    } else {
        free(writer);
        writer = NULL;
    }
    pthread_mutex_unlock(&out->lock);
    return writer;
}

static bool is_there(const struct log_out *out, const struct writer *writer)
{
    const struct writer *at = out->writers;

    while (at && at != writer)
        at = at->next;
    return at != NULL;
}

/* Waits until `writer` has left; NULL: until all have. The lock must be held, and is released
 * meanwhile. */
static void wait_until_gone(struct log_out *out, const struct writer *writer, time_t seconds)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    while (writer ? is_there(out, writer) : out->writers != NULL)
        if (pthread_cond_clockwait(&out->changed, &out->lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT)
            return;
}

/* The old writer leaves first, so that nothing is written to its file any more, which may be about
 * to be archived. A writer that hangs is left behind. */
static void hand_over(struct log_out *out, struct writer *writer)
{
    pthread_mutex_lock(&out->lock);
    struct writer *old = out->current;
    out->current = NULL;
    sem_post(&out->wake);
    if (old)
        wait_until_gone(out, old, LEAVE_SECONDS);
    out->current = writer;
    writer->was_called = true;
    pthread_cond_broadcast(&out->changed);
    pthread_mutex_unlock(&out->lock);
}

/* --- begin and end --------------------------------------------------------------------------- */

static int fd_without_target(const struct log_out *out)
{
    return out->source.uses_stderr ? STDERR_FILENO : -1;
}

static void destroy(struct log_out *out)
{
    for (struct rest *rest = out->rests, *next; rest; rest = next) {
        next = rest->next;
        free(rest);
    }
    pthread_cond_destroy(&out->changed);
    pthread_mutex_destroy(&out->lock);
    pthread_mutex_destroy(&out->changing);
    sem_destroy(&out->wake);
    free(out->target);
    free(out);
}

struct log_out *log_out_new(const struct log_out_source *source)
{
    struct log_out *out = xcalloc(1, sizeof(*out));

    out->source = *source;
    out->target = xstrdup("");
    out->file.fd = -1;
    CHECK(sem_init(&out->wake, 0, 0) == 0);
    pthread_mutex_init(&out->changing, NULL);
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->changed, NULL);
    struct writer *writer = start_writer(out, fd_without_target(out), NULL);
    if (writer) {
        hand_over(out, writer);
        return out;
    }
    destroy(out);
    return NULL;
}

/* Still used by a thread that hangs. The process is about to end, in one way or another. */
static struct log_out *left_behind;

bool log_out_free(struct log_out *out)
{
    pthread_mutex_lock(&out->lock);
    out->is_ending = true;
    sem_post(&out->wake);
    wait_until_gone(out, NULL, END_SECONDS);
    bool has_ended = out->writers == NULL;
    pthread_mutex_unlock(&out->lock);
    if (has_ended)
        destroy(out);
    else
        left_behind = out;
    return has_ended;
}

void log_out_wake(struct log_out *out)
{
    sem_post(&out->wake);
}

void log_out_has_lines(struct log_out *out)
{
    if (atomic_load(&out->is_asleep) && atomic_exchange(&out->is_asleep, false))
        sem_post(&out->wake);
}

/* --- another file ---------------------------------------------------------------------------- */

/* Starts the writer for `target`; its file, if it has one, is *file. NULL and the problem. */
static struct writer *start_for(struct log_out *out, const char *text, struct log_file *file,
                                struct log_file_problem *problem)
{
    struct log_syslog *syslog = NULL;
    struct log_target target;
    int fd = fd_without_target(out);

    CHECK(log_target_parse(&target, text)); /* config_table.c has */
    if (target.kind == LOG_TARGET_FILE && log_file_open(text, out->source.kind, file, problem) != 0)
        return NULL;
    switch (target.kind) {
    case LOG_TARGET_NONE:
        break;
    case LOG_TARGET_FILE:
        fd = file->fd;
        break;
    case LOG_TARGET_STDOUT:
        fd = STDOUT_FILENO;
        break;
    case LOG_TARGET_STDERR:
        fd = STDERR_FILENO;
        break;
    case LOG_TARGET_SYSLOG_UNIX:
    case LOG_TARGET_SYSLOG_UDP:
        fd = -1;
        syslog = log_syslog_new(&target, out->source.kind);
        break;
    }
    struct writer *writer = start_writer(out, fd, syslog);
    if (writer)
        return writer;
    if (file->fd >= 0)
        close(file->fd);
    if (syslog)
        log_syslog_free(syslog);
    log_file_failed(problem, UV_EAGAIN);
    return NULL;
}

/* `changing` must be held. */
static int switch_to(struct log_out *out, const char *target, struct log_file_problem *problem)
{
    struct log_file file = {.fd = -1};
    struct writer *writer = start_for(out, target, &file, problem);

    if (!writer)
        return -1;
    hand_over(out, writer);
    free(out->target);
    out->target = xstrdup(target);
    out->file = file;
    return 0;
}

int log_out_configure(struct log_out *out, const char *target, struct log_file_problem *problem)
{
    int err = 0;

    pthread_mutex_lock(&out->changing);
    if (strcmp(out->target, target) != 0)
        err = switch_to(out, target, problem);
    pthread_mutex_unlock(&out->changing);
    return err;
}

int log_out_reopen(struct log_out *out, struct log_file_problem *problem)
{
    char *path;
    int err = 0;

    pthread_mutex_lock(&out->changing);
    path = xstrdup(out->target); /* the switch frees it */
    if (log_target_is_file(path) && !log_file_is_at(path, &out->file))
        err = switch_to(out, path, problem);
    pthread_mutex_unlock(&out->changing);
    free(path);
    return err;
}

int log_out_give(struct log_out *out, uid_t uid, gid_t gid)
{
    int err = 0;

    pthread_mutex_lock(&out->changing);
    if (out->file.fd >= 0 && out->file.is_made && fchown(out->file.fd, uid, gid) != 0)
        err = -errno;
    pthread_mutex_unlock(&out->changing);
    return err;
}
