/* SPDX-License-Identifier: MIT */
/* log_file.c — see log_file.h. A thread of its own does what may hang, for a caller who waits so
 * long and no longer; then the thread finds out that nobody wants its result any more. */
#include "log_file.h"

#include "log_line.h"
#include "mem.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define WAIT_SECONDS 2
#define WAITING_MAX 8 /* threads that a disk holds; more would be no wiser */
#define FIRST_LINE_BYTES 1024
#define NEW_FILE_MODE 0640

static const char choose_another[] =
    "name a path where nothing is yet, or a log that a server has begun";

/* --- what is there --------------------------------------------------------------------------- */

static int refuse(struct log_file_problem *problem, int err, const char *hint, const char *what)
{
    problem->code = CONFIG_CODE_UNUSABLE_FILE;
    problem->hint = hint;
    snprintf(problem->what, sizeof(problem->what), "%s", what);
    return err;
}

int log_file_failed(struct log_file_problem *problem, int err)
{
    bool is_missing = err == UV_ENOENT || err == UV_ENOTDIR;
    bool is_limit = err == UV_EMFILE || err == UV_ENFILE || err == UV_ENOMEM || err == UV_EAGAIN ||
                    err == UV_ENOSPC;

    problem->code = is_missing ? CONFIG_CODE_MISSING_FILE
                    : is_limit ? CONFIG_CODE_RESOURCE_LIMIT
                               : CONFIG_CODE_PERMISSION;
    problem->hint = is_missing ? "create the folder and let the node's user write there"
                    : is_limit ? "make room for it on this machine"
                               : "name a file that the node's user may read and write";
    snprintf(problem->what, sizeof(problem->what), "can't be opened: %s", uv_strerror(err));
    return err;
}

/* Of any file, also one that is not open: a device may do something when it is opened. */
static int judge_type(const struct stat *st, struct log_file_problem *problem)
{
    if (S_ISLNK(st->st_mode))
        return refuse(problem, UV_ELOOP, "name the file itself",
                      "is a symbolic link, and a log is not written through one");
    if (S_ISDIR(st->st_mode))
        return refuse(problem, UV_EISDIR, "name a file in it", "is a folder");
    if (!S_ISREG(st->st_mode))
        return refuse(problem, UV_EINVAL, "name a file; for standard error leave errorLog.path out",
                      "is a pipe, a socket or a device, and a log is a plain file");
    if (st->st_nlink > 1)
        return refuse(problem, UV_EINVAL, choose_another, "has a second name (a hard link)");
    return 0;
}

static int judge_content(int fd, off_t size, enum log_file_kind kind,
                         struct log_file_problem *problem)
{
    char text[FIRST_LINE_BYTES];
    ssize_t len = size == 0 ? 0 : pread(fd, text, sizeof(text), 0);

    if (len < 0)
        return log_file_failed(problem, -errno);
    if (len == 0)
        return 0;
    if (kind == LOG_FILE_ACCESS ? log_line_is_access(text, (size_t)len)
                                : log_line_is_error(text, (size_t)len))
        return 0;
    return refuse(problem, UV_EINVAL, "name another path, or move the file away",
                  kind == LOG_FILE_ACCESS
                      ? "has something else in it: its first line is none of an access log"
                      : "has something else in it: its first line is none of an error log of ours");
}

/* --- opening --------------------------------------------------------------------------------- */

#define OPEN_FLAGS (O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)

static int open_existing(const char *path, enum log_file_kind kind,
                         struct log_file_problem *problem)
{
    struct stat st;

    if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return log_file_failed(problem, -errno);
    int err = judge_type(&st, problem);
    if (err)
        return err;
    int fd = open(path, OPEN_FLAGS);
    if (fd < 0)
        return log_file_failed(problem, -errno);
    /* It may be another one by now. */
    err = fstat(fd, &st) == 0 ? judge_type(&st, problem) : log_file_failed(problem, -errno);
    if (!err)
        err = judge_content(fd, st.st_size, kind, problem);
    if (!err)
        return fd;
    close(fd);
    return err;
}

/* Without O_CREAT first: in a folder that everybody may write to, the kernel refuses O_CREAT even to
 * root for another user's file (fs.protected_regular), and after a restart the log is one. */
static int open_or_make(const char *path, enum log_file_kind kind, bool *is_made,
                        struct log_file_problem *problem)
{
    int fd = open_existing(path, kind, problem);

    if (fd != UV_ENOENT)
        return fd;
    fd = open(path, OPEN_FLAGS | O_CREAT | O_EXCL, NEW_FILE_MODE);
    *is_made = fd >= 0;
    if (fd >= 0)
        return fd;
    /* Somebody else, logrotate say, was faster. */
    return errno == EEXIST ? open_existing(path, kind, problem) : log_file_failed(problem, -errno);
}

/* It is open, and nothing is written yet. */
static int hold_to_bounds(const char *path, int fd, bool is_made, struct log_file_problem *problem)
{
    char why[BOUNDS_WHY_LEN];

    if (bounds_may_write(fd, OWNER_LOGS, why) == 0)
        return fd;
    if (is_made)
        unlink(path);
    close(fd);
    refuse(problem, UV_EACCES, "name a file in a folder of logs of the machine's policy", why);
    problem->code = CONFIG_CODE_POLICY;
    return UV_EACCES;
}

static int open_within_bounds(const char *path, enum log_file_kind kind, bool *is_made,
                              struct log_file_problem *problem)
{
    int fd = open_or_make(path, kind, is_made, problem);

    return fd >= 0 ? hold_to_bounds(path, fd, *is_made, problem) : fd;
}

static int is_at(const char *path, const struct log_file *file)
{
    struct stat st;

    return lstat(path, &st) == 0 && st.st_dev == file->device && st.st_ino == file->inode;
}

/* --- for so long and no longer --------------------------------------------------------------- */

enum question { TO_OPEN, TO_LOOK, IS_AT };

struct job {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_done, is_left;
    enum question question;
    enum log_file_kind kind;
    char *path;
    struct log_file held; /* of IS_AT */
    bool is_made;
    int result; /* a descriptor, or a negative UV_E*; of IS_AT: 1 or 0 */
    struct log_file_problem problem;
};

static atomic_int under_way;

static void free_job(struct job *job)
{
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->lock);
    free(job->path);
    free(job);
}

static int answer(const struct job *job, bool *is_made, struct log_file_problem *problem)
{
    switch (job->question) {
    case TO_OPEN:
        return open_within_bounds(job->path, job->kind, is_made, problem);
    case TO_LOOK:
        return open_existing(job->path, job->kind, problem);
    case IS_AT:
        break;
    }
    return is_at(job->path, &job->held);
}

static void *job_main(void *arg)
{
    struct job *job = arg;
    struct log_file_problem problem = {0};
    bool is_made = false;
    int result = answer(job, &is_made, &problem);

    atomic_fetch_sub(&under_way, 1);
    pthread_mutex_lock(&job->lock);
    job->result = result;
    job->is_made = is_made;
    job->problem = problem;
    job->is_done = true;
    bool is_left = job->is_left;
    if (!is_left)
        pthread_cond_signal(&job->changed);
    pthread_mutex_unlock(&job->lock);
    if (is_left) {
        if (result >= 0 && job->question != IS_AT)
            close(result);
        free_job(job);
    }
    return NULL;
}

static bool start(struct job *job)
{
    pthread_t thread;

    if (atomic_fetch_add(&under_way, 1) < WAITING_MAX &&
        pthread_create(&thread, NULL, job_main, job) == 0) {
        pthread_detach(thread);
        return true;
    }
    atomic_fetch_sub(&under_way, 1);
    return false;
}

/* False: it is the thread's now. */
static bool wait_for(struct job *job)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += WAIT_SECONDS;
    pthread_mutex_lock(&job->lock);
    while (!job->is_done &&
           pthread_cond_clockwait(&job->changed, &job->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
        ;
    bool is_done = job->is_done;
    job->is_left = !is_done;
    pthread_mutex_unlock(&job->lock);
    return is_done;
}

static void no_answer(struct log_file_problem *problem, const char *what)
{
    problem->code = CONFIG_CODE_RESOURCE_LIMIT;
    problem->hint = "see that the disk or the network file system that it is on answers";
    snprintf(problem->what, sizeof(problem->what), "%s", what);
}

/* NULL with a problem: there was no answer. Else the caller ends it with free_job(). */
static struct job *ask(const char *path, enum question question, enum log_file_kind kind,
                       const struct log_file *held, struct log_file_problem *problem)
{
    struct job *job = xcalloc(1, sizeof(*job));

    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->changed, NULL);
    job->path = xstrdup(path);
    job->question = question;
    job->kind = kind;
    if (held)
        job->held = *held;
    if (!start(job)) {
        free_job(job);
        no_answer(problem, "can't be opened: no thread is to be had, or too many wait for a disk");
        return NULL;
    }
    if (wait_for(job))
        return job;
    no_answer(problem, "can't be opened: the disk does not answer");
    return NULL;
}

/* A descriptor or a negative UV_E*. */
static int ask_to_open(const char *path, enum question question, enum log_file_kind kind,
                       bool *is_made, struct log_file_problem *problem)
{
    struct job *job = ask(path, question, kind, NULL, problem);
    int result;

    if (!job)
        return UV_ETIMEDOUT;
    result = job->result;
    *is_made = job->is_made;
    if (result < 0)
        *problem = job->problem;
    free_job(job);
    return result;
}

int log_file_open(const char *path, enum log_file_kind kind, struct log_file *file,
                  struct log_file_problem *problem)
{
    bool is_made;
    int fd = ask_to_open(path, TO_OPEN, kind, &is_made, problem);
    struct stat st;

    if (fd < 0)
        return fd;
    *file = (struct log_file){.fd = fd, .is_made = is_made};
    if (fstat(fd, &st) == 0) {
        file->device = st.st_dev;
        file->inode = st.st_ino;
    }
    return 0;
}

bool log_file_is_at(const char *path, const struct log_file *file)
{
    struct log_file_problem ignored;
    struct job *job = ask(path, IS_AT, LOG_FILE_ACCESS, file, &ignored);
    bool is_there = !job || job->result == 1;

    if (job)
        free_job(job);
    return is_there;
}

int log_file_look(const char *path, enum log_file_kind kind, struct log_file_problem *problem)
{
    bool ignored;
    int result = ask_to_open(path, TO_LOOK, kind, &ignored, problem);

    if (result < 0)
        return result;
    close(result);
    return 0;
}
