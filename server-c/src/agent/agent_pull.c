/* SPDX-License-Identifier: MIT */
/* agent_pull.c — the thread does one thing after the other: it brings what was asked for last, removes, or mends. */
#include "agent/agent_pull.h"

#include "base/buf.h"
#include "base/byte_pace.h"
#include "base/mem.h"
#include "log/log.h"
#include "machine/left_threads.h"
#include "release/release_mend.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 250 /* how soon a stop is noticed while nothing comes */
#define PAUSE_MS 250
#define PAUSE_MAX_MS 5000
#define STOP_SECONDS 5

struct agent_pull {
    int state_fd;
    struct agent_http *waker;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool stopping;
    atomic_bool breaks_off; /* what is under way is to end: it is dropped, or the thread stops */
    struct release_progress progress; /* has a lock of its own */

    /* Under `lock`. */
    atomic_bool is_wanted; /* is read without it, too */
    bool is_busy, is_heard;
    uint64_t used_bytes; /* by the store, when it is not busy */
    struct agent_pulled pulled;
    struct mending {
        bool is_wanted, is_heard;
        char sha256[RELEASE_SHA256_LEN + 1];
        struct agent_http *http; /* the thread's, from then on */
        uint64_t max_bytes_per_second;
        enum release_end end;
        char why[RELEASE_WHY_LEN];
    } mending;
    struct agent_releases kept;
    bool has_kept, spares_contents;

    /* Set before is_wanted is, and read by the thread until it is not busy. */
    struct agent_releases list, known;
    struct agent_http *http;
    uint64_t max_bytes_per_second;
    uint64_t store_max_bytes;

    /* The thread's own. */
    struct release_store store;
    bool is_open;
    struct agent_http *asked; /* the one in use */
    struct agent_stream stream;
    release_take *take; /* those of the answer under way */
    void *taker;
    uint64_t rate; /* bytes per second; 0: any */
    struct byte_pace pace;
    bool gives_way; /* to a pull */
};

/* --- the source --- */

static enum release_end await(struct agent_pull *pull, char why[RELEASE_WHY_LEN])
{
    struct agent_reply reply;
    while (!atomic_load(&pull->breaks_off) && !(pull->gives_way && atomic_load(&pull->is_wanted))) {
        if (!agent_http_next(pull->asked, LOOK_MS, &reply))
            continue;
        if (reply.status == 200 || reply.status == 206 || reply.status == 416)
            return RELEASE_STANDS; /* 416: all of it came before; its digest says whether it did */
        if (reply.status == 404) {
            snprintf(why, RELEASE_WHY_LEN, "the control plane has it not, or not for this node");
            return RELEASE_WRONG;
        }
        if (reply.status == 0)
            snprintf(why, RELEASE_WHY_LEN, "%s", reply.error);
        else
            snprintf(why, RELEASE_WHY_LEN, "HTTP %d: %.200s", reply.status,
                     reply.body ? reply.body : "");
        return RELEASE_UNREACHED;
    }
    return RELEASE_STOPPED;
}

static void wait_until(struct agent_pull *pull, uint64_t at_ns)
{
    struct timespec until = {(time_t)(at_ns / NS_PER_SECOND), (long)(at_ns % NS_PER_SECOND)};
    pthread_mutex_lock(&pull->lock);
    while (!atomic_load(&pull->breaks_off) &&
           pthread_cond_clockwait(&pull->changed, &pull->lock, CLOCK_MONOTONIC, &until) == 0)
        ;
    pthread_mutex_unlock(&pull->lock);
}

/* libcurl's own limit lets the first megabytes of each answer pass. What is not taken yet waits at the other side. */
static bool take_in_time(void *arg, const char *bytes, size_t len)
{
    struct agent_pull *pull = arg;
    if (!pull->take(pull->taker, bytes, len))
        return false;
    if (pull->rate > 0)
        wait_until(pull, byte_pace_take(&pull->pace, len, pull->rate, monotonic_ns()));
    return true;
}

static enum release_end ask(struct agent_pull *pull, const char *message, char *body, uint64_t from,
                            release_take *take, void *taker, char why[RELEASE_WHY_LEN])
{
    pull->take = take;
    pull->taker = taker;
    pull->stream = (struct agent_stream){take_in_time, pull, from};
    agent_http_stream(pull->asked, AGENT_SLOT_FETCH, message, body, &pull->stream);
    return await(pull, why);
}

static enum release_end get_one(void *arg, bool is_manifest, const char *sha256, uint64_t from,
                                release_take *take, void *taker, char why[RELEASE_WHY_LEN])
{
    char message[128];
    snprintf(message, sizeof(message), "releases/%s/%s", is_manifest ? "manifests" : "contents",
             sha256);
    return ask(arg, message, NULL, from, take, taker, why);
}

static enum release_end get_delta(void *arg, const char *manifest, const char *base, uint64_t from,
                                  release_take *take, void *taker, char why[RELEASE_WHY_LEN])
{
    char message[192];
    snprintf(message, sizeof(message), "releases/manifests/%s/of/%s", manifest, base);
    return ask(arg, message, NULL, from, take, taker, why);
}

static enum release_end get_many(void *arg, char (*sha256)[RELEASE_SHA256_LEN + 1], size_t count,
                                 release_take *take, void *taker, char why[RELEASE_WHY_LEN])
{
    struct buf body;
    buf_init(&body);
    for (size_t i = 0; i < count; i++)
        buf_printf(&body, "%s\"%s\"", i ? "," : "{\"sha256\":[", sha256[i]);
    buf_append_str(&body, "]}");
    return ask(arg, "releases/contents", buf_take(&body), 0, take, taker, why);
}

static bool pause_after(void *arg, unsigned failures)
{
    struct agent_pull *pull = arg;
    uint64_t ms = smaller_of(PAUSE_MS << (failures < 8 ? failures - 1 : 7), PAUSE_MAX_MS);
    wait_until(pull, monotonic_ns() + ms * NS_PER_MS);
    return !atomic_load(&pull->breaks_off);
}

/* --- the thread --- */

static int open_store(struct agent_pull *pull, char *why, size_t why_len)
{
    if (!pull->is_open && release_store_open(&pull->store, pull->state_fd, UINT64_MAX,
                                             &pull->breaks_off, why, why_len) != 0)
        return -1;
    pull->is_open = true;
    return 0;
}

/* The manifest of the newest version of that release that is here whole; NULL: none is. */
static const char *newest_held(const struct agent_pull *pull, const struct agent_release *item)
{
    const struct agent_release *newest = NULL;
    for (size_t i = 0; i < pull->known.count; i++) {
        const struct agent_release *other = &pull->known.items[i];
        if (strcmp(other->name, item->name) == 0 && strcmp(other->manifest, item->manifest) != 0 &&
            (!newest || other->number > newest->number) &&
            release_store_has_tree(&pull->store, other->manifest) &&
            release_store_size(&pull->store, other->manifest) >= 0)
            newest = other;
    }
    return newest ? newest->manifest : NULL;
}

static void bring(struct agent_pull *pull, struct agent_pulled *pulled)
{
    const struct release_source source = {pull, get_one, get_delta, get_many, pause_after};
    *pulled = (struct agent_pulled){.end = RELEASE_STANDS};
    if (open_store(pull, pulled->why, sizeof(pulled->why)) != 0) {
        pulled->end = RELEASE_NO_ROOM;
        pulled->failed = pull->list.items[0];
        return;
    }
    pull->store.max_bytes = pull->store_max_bytes;
    pull->asked = pull->http;
    pull->rate = pull->max_bytes_per_second;
    pull->gives_way = false;
    for (size_t i = 0; i < pull->list.count && pulled->end == RELEASE_STANDS; i++) {
        const struct agent_release *item = &pull->list.items[i];
        bool was_there = release_store_has_tree(&pull->store, item->manifest);
        pulled->end = release_build(&pull->store, &source, item->manifest, newest_held(pull, item),
                                    &pull->progress, pulled->why);
        pulled->failed = *item;
        if (pulled->end == RELEASE_STANDS && !was_there)
            log_info("agent: version %" PRIu64 " of the release \"%s\" is here", item->number,
                     item->name);
    }
}

/* Uses what agent_pull_mend() has left, which nobody changes until this has been heard of. */
static void mend(struct agent_pull *pull)
{
    const struct release_source source = {pull, get_one, get_delta, get_many, pause_after};
    struct mending *mending = &pull->mending;
    mending->end = RELEASE_NO_ROOM;
    pull->asked = mending->http;
    pull->rate = mending->max_bytes_per_second;
    pull->gives_way = true;
    if (open_store(pull, mending->why, sizeof(mending->why)) == 0)
        mending->end = release_mend(&pull->store, &source, mending->sha256, mending->why);
    agent_http_free(mending->http);
    mending->http = NULL;
}

static void sweep(struct agent_pull *pull, const struct agent_releases *kept, bool spares_contents)
{
    char why[RELEASE_WHY_LEN];
    const char **manifests = xcalloc(kept->count, sizeof(*manifests));
    for (size_t i = 0; i < kept->count; i++)
        manifests[i] = kept->items[i].manifest;
    if (open_store(pull, why, sizeof(why)) == 0)
        release_store_keep(&pull->store, manifests, kept->count, spares_contents);
    free(manifests);
}

static void rest(struct agent_pull *pull)
{
    pull->is_busy = false;
    pull->used_bytes = pull->is_open ? pull->store.used_bytes : 0;
    pthread_cond_broadcast(&pull->changed);
}

/* What may go was said before the pull was asked for, so it goes first: it does not know the pull's trees. */
static void *run(void *arg)
{
    struct agent_pull *pull = arg;
    char why[RELEASE_WHY_LEN];
    pthread_setname_np(pthread_self(), "releases");
    if (faccessat(pull->state_fd, RELEASE_FOLDER, F_OK, 0) == 0 &&
        open_store(pull, why, sizeof(why)) != 0)
        log_error("agent: %s", why);
    pthread_mutex_lock(&pull->lock);
    rest(pull);
    while (!atomic_load(&pull->stopping)) {
        bool is_wanted = pull->is_wanted, has_kept = pull->has_kept;
        bool is_mending = pull->mending.is_wanted && !is_wanted && !has_kept;
        bool spares_contents = pull->spares_contents;
        struct agent_releases kept = pull->kept;
        if (!is_wanted && !has_kept && !is_mending) {
            pthread_cond_wait(&pull->changed, &pull->lock);
            continue;
        }
        struct agent_pulled pulled;
        pull->kept = (struct agent_releases){0};
        pull->is_wanted = pull->has_kept = false;
        pull->is_busy = true;
        pthread_mutex_unlock(&pull->lock);
        if (has_kept)
            sweep(pull, &kept, spares_contents);
        agent_releases_fini(&kept);
        if (is_wanted)
            bring(pull, &pulled);
        if (is_mending)
            mend(pull);
        pthread_mutex_lock(&pull->lock);
        rest(pull);
        if (is_wanted) {
            pull->pulled = pulled;
            pull->is_heard = false;
            agent_http_wake(pull->waker);
        }
        if (is_mending) {
            pull->mending.is_wanted = pull->mending.is_heard = false;
            agent_http_wake(pull->waker);
        }
    }
    pthread_mutex_unlock(&pull->lock);
    return NULL;
}

/* --- the agent's side --- */

struct agent_pull *agent_pull_start(int state_fd, struct agent_http *waker)
{
    struct agent_pull *pull = xcalloc(1, sizeof(*pull));
    pull->state_fd = state_fd;
    pull->waker = waker;
    pull->is_heard = pull->mending.is_heard = true;
    pull->is_busy = true; /* it counts what is there */
    pull->store.contents_fd = pull->store.trees_fd = -1;
    pthread_mutex_init(&pull->lock, NULL);
    pthread_mutex_init(&pull->progress.lock, NULL);
    pthread_cond_init(&pull->changed, NULL);
    if (pthread_create(&pull->thread, NULL, run, pull) == 0)
        return pull;
    free(pull);
    return NULL;
}

/* False while the thread is waiting for a disk. */
static bool await_rest(struct agent_pull *pull)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += STOP_SECONDS;
    while (pull->is_busy)
        if (pthread_cond_clockwait(&pull->changed, &pull->lock, CLOCK_MONOTONIC, &until) != 0)
            return !pull->is_busy;
    return true;
}

void agent_pull_stop(struct agent_pull *pull)
{
    if (!pull)
        return;
    pthread_mutex_lock(&pull->lock);
    atomic_store(&pull->stopping, true);
    atomic_store(&pull->breaks_off, true);
    pthread_cond_broadcast(&pull->changed);
    bool is_at_rest = await_rest(pull);
    pthread_mutex_unlock(&pull->lock);
    if (!left_threads_end(pull->thread, is_at_rest)) /* what it holds ends with the process */
        return;
    agent_http_free(pull->http);
    agent_http_free(pull->mending.http);
    agent_releases_fini(&pull->list);
    agent_releases_fini(&pull->known);
    agent_releases_fini(&pull->kept);
    release_store_close(&pull->store);
    pthread_mutex_destroy(&pull->lock);
    pthread_mutex_destroy(&pull->progress.lock);
    pthread_cond_destroy(&pull->changed);
    free(pull);
}

void agent_pull_begin(struct agent_pull *pull, const struct agent_releases *list,
                      const struct agent_releases *known, struct agent_http *http,
                      uint64_t store_max_bytes, uint64_t max_bytes_per_second)
{
    pthread_mutex_lock(&pull->lock);
    CHECK(pull->is_heard && !pull->is_wanted);
    agent_http_free(pull->http);
    agent_releases_fini(&pull->list);
    agent_releases_copy(&pull->list, list);
    agent_releases_fini(&pull->known);
    agent_releases_copy(&pull->known, known);
    pull->http = http;
    pull->store_max_bytes = store_max_bytes;
    pull->max_bytes_per_second = max_bytes_per_second;
    pull->is_wanted = true;
    pthread_cond_broadcast(&pull->changed);
    pthread_mutex_unlock(&pull->lock);
}

void agent_pull_drop(struct agent_pull *pull)
{
    pthread_mutex_lock(&pull->lock);
    atomic_store(&pull->breaks_off, true);
    pthread_cond_broadcast(&pull->changed);
    pthread_mutex_unlock(&pull->lock);
}

bool agent_pull_hear(struct agent_pull *pull, struct agent_pulled *out)
{
    pthread_mutex_lock(&pull->lock);
    bool is_news = !pull->is_heard;
    if (is_news) {
        *out = pull->pulled;
        atomic_store(&pull->breaks_off, false);
    }
    pull->is_heard = true;
    pthread_mutex_unlock(&pull->lock);
    return is_news;
}

void agent_pull_progress(struct agent_pull *pull, struct agent_fetching *out)
{
    struct release_progress *progress = &pull->progress;
    pthread_mutex_lock(&progress->lock);
    snprintf(out->manifest, sizeof(out->manifest), "%s", progress->manifest);
    out->files = progress->files;
    out->files_done = progress->files_done;
    out->bytes = progress->bytes;
    out->bytes_done = progress->bytes_done;
    pthread_mutex_unlock(&progress->lock);
}

void agent_pull_room(struct agent_pull *pull, struct agent_room *out)
{
    struct statvfs disk;
    int fd = openat(pull->state_fd, RELEASE_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_told = fstatvfs(fd >= 0 ? fd : pull->state_fd, &disk) == 0;
    if (fd >= 0)
        close(fd);
    *out = (struct agent_room){0};
    pthread_mutex_lock(&pull->lock);
    if (is_told && !pull->is_busy && !pull->is_wanted && !pull->has_kept)
        *out = (struct agent_room){true, pull->used_bytes,
                                   (uint64_t)disk.f_bavail * (uint64_t)disk.f_frsize};
    pthread_mutex_unlock(&pull->lock);
}

void agent_pull_keep(struct agent_pull *pull, const struct agent_releases *history,
                     bool spares_contents)
{
    pthread_mutex_lock(&pull->lock);
    agent_releases_fini(&pull->kept);
    agent_releases_copy(&pull->kept, history);
    pull->has_kept = true;
    pull->spares_contents = spares_contents;
    pthread_cond_broadcast(&pull->changed);
    pthread_mutex_unlock(&pull->lock);
}

void agent_pull_mend(struct agent_pull *pull, const char *sha256, struct agent_http *http,
                     uint64_t max_bytes_per_second)
{
    struct mending *mending = &pull->mending;
    pthread_mutex_lock(&pull->lock);
    CHECK(mending->is_heard && !mending->is_wanted);
    snprintf(mending->sha256, sizeof(mending->sha256), "%s", sha256);
    mending->http = http;
    mending->max_bytes_per_second = max_bytes_per_second;
    mending->is_wanted = true;
    pthread_cond_broadcast(&pull->changed);
    pthread_mutex_unlock(&pull->lock);
}

bool agent_pull_hear_mend(struct agent_pull *pull, enum release_end *end, char why[RELEASE_WHY_LEN])
{
    struct mending *mending = &pull->mending;
    pthread_mutex_lock(&pull->lock);
    bool is_news = !mending->is_heard;
    if (is_news) {
        *end = mending->end;
        memcpy(why, mending->why, RELEASE_WHY_LEN);
    }
    mending->is_heard = true;
    pthread_mutex_unlock(&pull->lock);
    return is_news;
}
