/* SPDX-License-Identifier: MIT */
/* agent_scrub.c — when rounds begin, how fast they go, and what they found. */
#include "agent/agent_scrub.h"

#include "base/byte_pace.h"
#include "base/mem.h"
#include "base/util.h"
#include "log/log.h"
#include "machine/left_threads.h"
#include "owner/bounds.h"
#include "release/release_scrub.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STOP_SECONDS 2
#define NICENESS 19
/* ioprio_set(2), for which there is no header everywhere: this thread, in the idle class. */
#define IO_WHO_PROCESS 1
#define IO_CLASS_IDLE (3 << 13)

struct agent_scrub {
    int state_fd;
    struct server *server;
    struct agent_http *waker;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool stopping;

    /* Under `lock`. */
    uint64_t bytes_per_second;
    uint32_t every_seconds;
    struct byte_pace pace;
    bool has_ended;
    char wrong[AGENT_WRONG_MAX][RELEASE_SHA256_LEN + 1];
    struct server_scrubbed counts; /* counts.bad: how many of `wrong` there are */

    /* The thread's own. */
    uint64_t began_ns; /* the last round; 0: none did */
};

/* --- time, under the lock --- */

static void wait_until(struct agent_scrub *scrub, uint64_t at_ns)
{
    struct timespec until = {(time_t)(at_ns / NS_PER_SECOND), (long)(at_ns % NS_PER_SECOND)};

    pthread_cond_clockwait(&scrub->changed, &scrub->lock, CLOCK_MONOTONIC, &until);
}

/* False: it stops. */
static bool await_round(struct agent_scrub *scrub)
{
    while (!atomic_load(&scrub->stopping)) {
        uint64_t now_ns = monotonic_ns();
        uint64_t due_ns = scrub->began_ns + scrub->every_seconds * NS_PER_SECOND;

        if (scrub->bytes_per_second == 0) {
            pthread_cond_wait(&scrub->changed, &scrub->lock);
        } else if (scrub->began_ns == 0 || now_ns >= due_ns) {
            scrub->began_ns = now_ns;
            return true;
        } else {
            wait_until(scrub, due_ns);
        }
    }
    return false;
}

static bool pace(void *arg, uint64_t bytes)
{
    struct agent_scrub *scrub = arg;
    bool goes_on;

    if (bytes == 0)
        return !atomic_load(&scrub->stopping);
    pthread_mutex_lock(&scrub->lock);
    while (!atomic_load(&scrub->stopping) && scrub->bytes_per_second > 0 &&
           monotonic_ns() < scrub->pace.free_ns)
        wait_until(scrub, scrub->pace.free_ns);
    goes_on = !atomic_load(&scrub->stopping) && scrub->bytes_per_second > 0;
    if (goes_on) {
        byte_pace_take(&scrub->pace, bytes, scrub->bytes_per_second, monotonic_ns());
        scrub->counts.bytes += bytes;
    }
    pthread_mutex_unlock(&scrub->lock);
    return goes_on;
}

/* --- what is found --- */

static void tell(struct agent_scrub *scrub)
{
    server_tell_scrubbed(scrub->server, &scrub->counts);
}

static void compared(void *arg)
{
    struct agent_scrub *scrub = arg;

    pthread_mutex_lock(&scrub->lock);
    scrub->counts.contents++;
    tell(scrub);
    pthread_mutex_unlock(&scrub->lock);
}

static size_t find(const struct agent_scrub *scrub, const char *sha256)
{
    size_t at = 0;

    while (at < scrub->counts.bad && strcmp(scrub->wrong[at], sha256) != 0)
        at++;
    return at;
}

static void append(struct agent_scrub *scrub, const char *sha256)
{
    memcpy(scrub->wrong[scrub->counts.bad++], sha256, RELEASE_SHA256_LEN + 1);
}

/* False: nothing can be done for it. */
static bool keep_from_visitors(struct agent_scrub *scrub, const char *sha256, const struct stat *st)
{
    if ((st->st_mode & BOUNDS_WRONG_BYTES) == 0) {
        log_error("agent: the content %s of a release has other bytes on the disk than it had, and "
                  "the disk lets nothing be changed: its files are served on. Look after the disk",
                  sha256);
        return false;
    }
    server_forget_file(scrub->server, st->st_dev, st->st_ino);
    return true;
}

static void let_wait(struct agent_scrub *scrub, const char *sha256, const struct stat *st)
{
    pthread_mutex_lock(&scrub->lock);
    if (scrub->counts.bad < AGENT_WRONG_MAX && find(scrub, sha256) == scrub->counts.bad) {
        append(scrub, sha256);
        log_error("agent: the content %s of a release (%" PRIu64 " bytes) has other bytes on the "
                  "disk than it had: %s. Look after the disk",
                  sha256, (uint64_t)st->st_size,
                  st->st_nlink == 1 ? "no file is of it, and it is thrown away"
                                    : "its files are answered with 503 until it has come anew");
    }
    tell(scrub);
    pthread_mutex_unlock(&scrub->lock);
}

static void is_wrong(void *arg, int folder, const char *sha256, const struct stat *st)
{
    struct agent_scrub *scrub = arg;

    if (atomic_load(&scrub->stopping) || !keep_from_visitors(scrub, sha256, st) ||
        !release_scrub_is_there(folder, sha256, st))
        return;
    let_wait(scrub, sha256, st);
    agent_http_wake(scrub->waker);
}

/* --- the thread --- */

static unsigned some_folder(void)
{
    unsigned char byte = 0;

    if (getrandom(&byte, sizeof(byte), GRND_NONBLOCK) != (ssize_t)sizeof(byte))
        return 0; /* the kernel has no randomness yet: any folder will do */
    return byte;
}

/* A round begins anywhere: a node that is started again and again does not compare the same ones each time. */
static void *run(void *arg)
{
    struct agent_scrub *scrub = arg;
    const struct release_scrub round = {scrub->state_fd, scrub, pace, compared, is_wrong};

    pthread_setname_np(pthread_self(), "scrub");
    setpriority(PRIO_PROCESS, 0, NICENESS);
    syscall(SYS_ioprio_set, IO_WHO_PROCESS, 0, IO_CLASS_IDLE);
    release_scrub_round(&round, 0, false);
    pthread_mutex_lock(&scrub->lock);
    while (await_round(scrub)) {
        pthread_mutex_unlock(&scrub->lock);
        release_scrub_round(&round, some_folder(), true);
        pthread_mutex_lock(&scrub->lock);
    }
    scrub->has_ended = true;
    pthread_cond_broadcast(&scrub->changed);
    pthread_mutex_unlock(&scrub->lock);
    return NULL;
}

/* --- the agent's side --- */

struct agent_scrub *agent_scrub_start(int state_fd, struct server *server, struct agent_http *waker)
{
    struct agent_scrub *scrub = xcalloc(1, sizeof(*scrub));

    scrub->state_fd = state_fd;
    scrub->server = server;
    scrub->waker = waker;
    pthread_mutex_init(&scrub->lock, NULL);
    pthread_cond_init(&scrub->changed, NULL);
    if (pthread_create(&scrub->thread, NULL, run, scrub) == 0)
        return scrub;
    free(scrub);
    return NULL;
}

void agent_scrub_stop(struct agent_scrub *scrub)
{
    uint64_t until_ns = monotonic_ns() + STOP_SECONDS * NS_PER_SECOND;
    bool has_ended;

    if (!scrub)
        return;
    pthread_mutex_lock(&scrub->lock);
    atomic_store(&scrub->stopping, true);
    pthread_cond_broadcast(&scrub->changed);
    while (!scrub->has_ended && monotonic_ns() < until_ns)
        wait_until(scrub, until_ns);
    has_ended = scrub->has_ended;
    pthread_mutex_unlock(&scrub->lock);
    if (!left_threads_end(scrub->thread, has_ended)) /* what it holds ends with the process */
        return;
    pthread_mutex_destroy(&scrub->lock);
    pthread_cond_destroy(&scrub->changed);
    free(scrub);
}

void agent_scrub_configure(struct agent_scrub *scrub, uint64_t bytes_per_second,
                           uint32_t every_seconds)
{
    pthread_mutex_lock(&scrub->lock);
    if (scrub->bytes_per_second != bytes_per_second || scrub->every_seconds != every_seconds) {
        scrub->bytes_per_second = bytes_per_second;
        scrub->every_seconds = every_seconds;
        scrub->pace.free_ns = 0; /* a slow rate may have set it far ahead */
        pthread_cond_broadcast(&scrub->changed);
    }
    pthread_mutex_unlock(&scrub->lock);
}

void agent_scrub_found(struct agent_scrub *scrub, const char *sha256, const struct stat *st)
{
    if (keep_from_visitors(scrub, sha256, st))
        let_wait(scrub, sha256, st);
}

bool agent_scrub_wrong(struct agent_scrub *scrub, char sha256[RELEASE_SHA256_LEN + 1])
{
    bool has_any;

    pthread_mutex_lock(&scrub->lock);
    has_any = scrub->counts.bad > 0;
    if (has_any)
        memcpy(sha256, scrub->wrong[0], RELEASE_SHA256_LEN + 1);
    pthread_mutex_unlock(&scrub->lock);
    return has_any;
}

/* False: it does not wait. */
static bool take_out(struct agent_scrub *scrub, const char *sha256)
{
    size_t at = find(scrub, sha256);

    if (at == scrub->counts.bad)
        return false;
    scrub->counts.bad--;
    memmove(scrub->wrong[at], scrub->wrong[at + 1],
            (scrub->counts.bad - at) * sizeof(scrub->wrong[0]));
    return true;
}

void agent_scrub_mended(struct agent_scrub *scrub, const char *sha256)
{
    pthread_mutex_lock(&scrub->lock);
    scrub->counts.mended += take_out(scrub, sha256);
    tell(scrub);
    pthread_mutex_unlock(&scrub->lock);
}

void agent_scrub_put_last(struct agent_scrub *scrub, const char *sha256)
{
    char copy[RELEASE_SHA256_LEN + 1];

    memcpy(copy, sha256, sizeof(copy));
    pthread_mutex_lock(&scrub->lock);
    if (take_out(scrub, copy))
        append(scrub, copy);
    pthread_mutex_unlock(&scrub->lock);
}
