/* SPDX-License-Identifier: MIT */
/* precompress.c — a list of jobs, one for each file and coding, that threads take from. */
#include "deploy/precompress.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/util.h"
#include "coding/coder.h"
#include "deploy/copy_tree.h"
#include "files/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <uv.h>

#define THREADS_MAX 256

enum job_end { JOB_MADE, JOB_CURRENT, JOB_WORTHLESS, JOB_LEFT_OUT, JOB_FAILED };

struct job {
    const struct copy_tree_file *file;
    enum http_coding coding;
    enum job_end end;
    bool has_removed; /* a copy of another state */
    char why[128];    /* JOB_FAILED */
};

struct jobs {
    const struct precompress_options *options;
    struct job *items;
    size_t count;
    atomic_size_t next;
};

static enum job_end fail(struct job *job, const char *what, int err)
{
    snprintf(job->why, sizeof(job->why), "%s%s%s", what, err ? ": " : "", err ? strerror(err) : "");
    return JOB_FAILED;
}

static bool is_same_time(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_same_state(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           is_same_time(a, b) && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* --- one copy -------------------------------------------------------------------------------- */

/* The caller frees the bytes. NULL: the job has failed. */
static char *read_file(struct job *job, struct stat *st)
{
    int fd = open(job->file->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat after;
    char *bytes;
    ssize_t n;

    if (fd < 0 || fstat(fd, st) != 0) {
        fail(job, "can't be read", errno);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    bytes = S_ISREG(st->st_mode) ? malloc((size_t)st->st_size + 1) : NULL;
    n = bytes ? file_read_fully(fd, bytes, (size_t)st->st_size, 0) : 0;
    if (!bytes || n < 0)
        fail(job, "can't be read", bytes ? (int)-n : ENOMEM);
    else if (n != st->st_size || fstat(fd, &after) != 0 || !is_same_state(st, &after))
        fail(job, "changed while it was read: run this again", 0);
    close(fd);
    if (job->why[0]) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static int write_whole(int fd, const char *bytes, size_t len, const struct stat *st)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, st->st_mtim};
    int err;

    if (fchmod(fd, st->st_mode & 0777) != 0)
        return errno;
    err = -file_write_fully(fd, bytes, len);
    return err != 0 || futimens(fd, times) == 0 ? err : errno;
}

/* "/a/.b.html.br.precompress" for "/a/b.html.br". */
static char *unfinished_path(const char *copy)
{
    const char *name = strrchr(copy, '/') + 1;
    struct buf path;

    buf_init(&path);
    buf_printf(&path, "%.*s.%s" COPY_TREE_UNFINISHED, (int)(name - copy), copy, name);
    return buf_take(&path);
}

static enum job_end write_copy(struct job *job, const char *copy, const char *bytes, size_t len,
                               const struct stat *st)
{
    char *unfinished = unfinished_path(copy);
    int fd = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int err = fd < 0 ? errno : write_whole(fd, bytes, len, st);
    struct stat now;

    if (fd >= 0)
        close(fd);
    if (fd >= 0 && err == 0 && rename(unfinished, copy) != 0)
        err = errno;
    if (fd >= 0 && err != 0)
        unlink(unfinished);
    free(unfinished);
    if (err != 0)
        return fail(job, "its copy can't be written", err);
    /* Another file may have taken the name meanwhile, with a time that would make this copy its own. */
    if (lstat(job->file->path, &now) == 0 && is_same_state(st, &now))
        return JOB_MADE;
    unlink(copy);
    return fail(job, "changed while it was compressed: run this again", 0);
}

static enum job_end make_copy(struct job *job, const char *copy)
{
    struct stat st;
    char *bytes = read_file(job, &st), *made;
    size_t cap = bytes && st.st_size > 0 ? (size_t)st.st_size - 1 : 0, len = 0;
    enum job_end end = JOB_FAILED;

    if (!bytes)
        return JOB_FAILED;
    made = malloc(cap + 1);
    switch (made ? coder_compress(job->coding, coder_max_level(job->coding),
                                  (struct span){bytes, (size_t)st.st_size}, made, cap, &len, NULL)
                 : CODER_NO_MEMORY) {
    case CODER_DONE:
        end = write_copy(job, copy, made, len, &st);
        break;
    case CODER_NO_ROOM:
        end = JOB_WORTHLESS;
        break;
    case CODER_STOPPED:
    case CODER_NO_MEMORY:
        end = fail(job, "can't be compressed", ENOMEM);
        break;
    }
    free(made);
    free(bytes);
    return end;
}

/* The inode's time tells of another file with the size and time of the one before. */
static bool is_current(const struct stat *copy, const struct stat *file)
{
    const struct timespec *made = &copy->st_ctim, *changed = &file->st_ctim;

    return copy->st_size > 0 && is_same_time(copy, file) &&
           (changed->tv_sec < made->tv_sec ||
            (changed->tv_sec == made->tv_sec && changed->tv_nsec <= made->tv_nsec));
}

static enum job_end bring_up_to_date(const struct precompress_options *options, struct job *job,
                                     const char *copy)
{
    struct stat st;
    bool exists = lstat(copy, &st) == 0;
    enum job_end end = JOB_LEFT_OUT;

    if (exists && !S_ISREG(st.st_mode))
        return fail(job, "what stands in the place of its copy is no file", 0);
    if (exists && is_current(&st, &job->file->st))
        return JOB_CURRENT;
    if ((uint64_t)job->file->st.st_size >= options->min_bytes)
        end = job->file->st.st_size <= CODER_MAX_BYTES ? make_copy(job, copy) : JOB_WORTHLESS;
    if (exists && end != JOB_MADE && unlink(copy) == 0)
        job->has_removed = true;
    return end;
}

/* --- all of them ----------------------------------------------------------------------------- */

static void run_jobs(void *arg)
{
    struct jobs *jobs = arg;
    size_t i;

    while ((i = atomic_fetch_add(&jobs->next, 1)) < jobs->count) {
        struct job *job = &jobs->items[i];
        struct buf copy;
        buf_init(&copy);
        buf_printf(&copy, "%s%s", job->file->path, http_coding_suffix(job->coding));
        job->end = bring_up_to_date(jobs->options, job, copy.data);
        buf_fini(&copy);
    }
}

static void run_on_threads(struct jobs *jobs)
{
    uv_thread_t threads[THREADS_MAX];
    uint32_t started = 0, wanted = jobs->options->threads;

    /* This thread is one of them. */
    while (started + 1 < wanted && started < THREADS_MAX &&
           uv_thread_create(&threads[started], run_jobs, jobs) == 0)
        started++;
    run_jobs(jobs);
    while (started > 0)
        uv_thread_join(&threads[--started]);
}

static void count(const struct job *job, const struct precompress_options *options,
                  struct precompress_result *result)
{
    result->made += job->end == JOB_MADE;
    result->current += job->end == JOB_CURRENT;
    result->worthless += job->end == JOB_WORTHLESS;
    result->failed += job->end == JOB_FAILED;
    result->removed += job->has_removed;
    if (job->end == JOB_FAILED)
        options->say(job->file->path, job->why, true);
}

static void make_copies(const struct precompress_options *options,
                        const struct copy_tree_list *files, struct precompress_result *result)
{
    struct jobs jobs = {.options = options};

    atomic_init(&jobs.next, 0);
    jobs.items = xcalloc(files->count * options->coding_count, sizeof(*jobs.items));
    for (size_t i = 0; i < files->count; i++) {
        result->files += (uint64_t)files->items[i].st.st_size >= options->min_bytes;
        for (size_t j = 0; j < options->coding_count; j++)
            jobs.items[jobs.count++] =
                (struct job){.file = &files->items[i], .coding = options->codings[j]};
    }
    run_on_threads(&jobs);
    for (size_t i = 0; i < jobs.count; i++)
        count(&jobs.items[i], options, result);
    free(jobs.items);
}

static void take_care_of_orphans(const struct precompress_options *options,
                                 const struct copy_tree_list *orphans,
                                 struct precompress_result *result)
{
    for (size_t i = 0; i < orphans->count; i++) {
        const char *path = orphans->items[i].path;
        if (!options->removes_orphans) {
            options->say(path, "looks like a copy of a file that is not there", false);
            result->orphans++;
        } else if (unlink(path) == 0) {
            result->removed++;
        } else {
            options->say(path, strerror(errno), true);
            result->failed++;
        }
    }
}

int precompress_run(const struct precompress_options *options, struct precompress_result *result)
{
    int folder = open(options->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
    struct copy_tree tree;

    *result = (struct precompress_result){0};
    if (folder < 0)
        return -errno;
    if (flock(folder, LOCK_EX | LOCK_NB) != 0) {
        err = -errno;
        close(folder);
        return err;
    }
    copy_tree_read(&tree, options->folder, options->cfg);
    for (size_t i = 0; i < tree.problems.count; i++) {
        options->say(tree.problems.items[i].path, strerror((int)tree.problems.items[i].st.st_mode),
                     true);
        result->failed++;
    }
    make_copies(options, &tree.files, result);
    take_care_of_orphans(options, &tree.orphans, result);
    copy_tree_fini(&tree);
    close(folder);
    return 0;
}
