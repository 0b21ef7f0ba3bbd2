/* SPDX-License-Identifier: MIT */
/* agent_pull.c — the thread does one thing after the other: it brings what was asked for last, removes, or mends. */
#include "agent/agent_pull.h"

#include "agent/agent_source.h"
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
        struct agent_pull_ways ways; /* the thread's, from then on */
        enum release_end end;
        char why[RELEASE_WHY_LEN];
    } mending;
    struct agent_found_wrong found[AGENT_FOUND_MAX];
    size_t found_count;
    struct agent_releases kept;
    bool has_kept, spares_contents;

    /* Set before is_wanted is, and read by the thread until it is not busy. */
    struct agent_releases list, known;
    struct agent_pull_ways ways;
    uint64_t store_max_bytes;

    /* The thread's own. */
    struct release_store store;
    bool is_open;
    struct agent_source source;
    bool gives_way;                           /* to a pull */
    bool brings_next;                         /* a pull, when it has swept */
    enum { UNKNOWN, NO, YES } sweep_holds_up; /* that pull, or one that came meanwhile */
};

/* --- what the source asks of us --- */

static bool is_over(void *arg)
{
    const struct agent_pull *pull = arg;
    return atomic_load(&pull->breaks_off) || (pull->gives_way && atomic_load(&pull->is_wanted));
}

static void wait_until(void *arg, uint64_t at_ns)
{
    struct agent_pull *pull = arg;
    struct timespec until = {(time_t)(at_ns / NS_PER_SECOND), (long)(at_ns % NS_PER_SECOND)};
    pthread_mutex_lock(&pull->lock);
    while (!atomic_load(&pull->breaks_off) &&
           pthread_cond_clockwait(&pull->changed, &pull->lock, CLOCK_MONOTONIC, &until) == 0)
        ;
    pthread_mutex_unlock(&pull->lock);
}

/* --- the thread --- */

static void found_wrong(void *arg, const char *sha256, const struct stat *st)
{
    struct agent_pull *pull = arg;
    pthread_mutex_lock(&pull->lock);
    if (pull->found_count < AGENT_FOUND_MAX) {
        struct agent_found_wrong *found = &pull->found[pull->found_count++];
        memcpy(found->sha256, sha256, sizeof(found->sha256));
        found->st = *st;
    }
    pthread_mutex_unlock(&pull->lock);
    agent_http_wake(pull->waker);
}

static int open_store(struct agent_pull *pull, char *why, size_t why_len)
{
    if (pull->is_open)
        return 0;
    if (release_store_open(&pull->store, pull->state_fd, UINT64_MAX, &pull->breaks_off, why,
                           why_len) != 0)
        return -1;
    pull->store.found_wrong = found_wrong;
    pull->store.found_wrong_arg = pull;
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

static void use_ways(struct agent_pull *pull, const struct agent_pull_ways *ways)
{
    pull->source.http = ways->http;
    pull->source.neighbours = ways->neighbours;
    pull->source.rate = ways->max_bytes_per_second;
}

static void bring(struct agent_pull *pull, struct agent_pulled *pulled)
{
    const struct release_source source = agent_source_of(&pull->source);
    *pulled = (struct agent_pulled){.end = RELEASE_STANDS};
    if (open_store(pull, pulled->why, sizeof(pulled->why)) != 0) {
        pulled->end = RELEASE_NO_ROOM;
        pulled->failed = pull->list.items[0];
        return;
    }
    pull->store.max_bytes = pull->store_max_bytes;
    use_ways(pull, &pull->ways);
    pull->gives_way = false;
    for (size_t i = 0; i < pull->list.count && pulled->end == RELEASE_STANDS; i++) {
        const struct agent_release *item = &pull->list.items[i];
        bool was_there = release_store_has_tree(&pull->store, item->manifest);
        agent_source_begin(&pull->source, item->manifest);
        pulled->end = release_build(&pull->store, &source, item->manifest, newest_held(pull, item),
                                    &pull->progress, pulled->why);
        pulled->failed = *item;
        if (pulled->end == RELEASE_STANDS && !was_there) {
            log_info("agent: version %" PRIu64 " of the release \"%s\" is here", item->number,
                     item->name);
            agent_source_held(&pull->source);
        }
    }
}

/* Uses what agent_pull_mend() has left, which nobody changes until this has been heard of. */
static void mend(struct agent_pull *pull)
{
    const struct release_source source = agent_source_of(&pull->source);
    struct mending *mending = &pull->mending;
    mending->end = RELEASE_NO_ROOM;
    use_ways(pull, &mending->ways);
    agent_source_begin(&pull->source, NULL);
    pull->gives_way = true;
    if (open_store(pull, mending->why, sizeof(mending->why)) == 0)
        mending->end = release_mend(&pull->store, &source, mending->sha256, mending->why);
    agent_http_free(mending->ways.http);
    mending->ways.http = NULL;
}

/* Has something come up that is here, so that nothing of it is waited for but this? Of a million contents the sweep takes seconds, and the way back
 * none. What is not here may need the room that the sweep makes. */
static bool holds_up(void *arg)
{
    struct agent_pull *pull = arg;
    bool is_wanted = pull->brings_next || atomic_load(&pull->is_wanted);
    if (pull->sweep_holds_up != UNKNOWN || !is_wanted)
        return pull->sweep_holds_up == YES;
    pull->sweep_holds_up = YES;
    for (size_t i = 0; i < pull->list.count; i++)
        if (!release_store_has_tree(&pull->store, pull->list.items[i].manifest))
            pull->sweep_holds_up = NO;
    return pull->sweep_holds_up == YES;
}

/* False: it gave way, and is to be done again. */
static bool sweep(struct agent_pull *pull, const struct agent_releases *kept, bool spares_contents)
{
    char why[RELEASE_WHY_LEN];
    bool is_done = true;
    const char **manifests = xcalloc(kept->count, sizeof(*manifests));
    for (size_t i = 0; i < kept->count; i++)
        manifests[i] = kept->items[i].manifest;
    pull->sweep_holds_up = UNKNOWN;
    if (open_store(pull, why, sizeof(why)) == 0) {
        pull->store.gives_way = holds_up;
        pull->store.gives_way_arg = pull;
        is_done = release_store_keep(&pull->store, manifests, kept->count, spares_contents);
    }
    free(manifests);
    return is_done;
}

/* Under `lock`: what is left of a sweep that gave way comes next, unless more is known by now of what may go. */
static void sweep_later(struct agent_pull *pull, struct agent_releases *kept, bool spares_contents)
{
    if (pull->has_kept) {
        agent_releases_fini(kept);
        return;
    }
    pull->kept = *kept;
    pull->has_kept = true;
    pull->spares_contents = spares_contents;
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
        pull->brings_next = is_wanted;
        bool is_swept = !has_kept || sweep(pull, &kept, spares_contents);
        if (is_swept)
            agent_releases_fini(&kept);
        if (is_wanted)
            bring(pull, &pulled);
        if (is_mending)
            mend(pull);
        pthread_mutex_lock(&pull->lock);
        if (!is_swept)
            sweep_later(pull, &kept, spares_contents);
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

struct agent_pull *agent_pull_start(int state_fd, const char *incarnation, struct agent_http *waker)
{
    struct agent_pull *pull = xcalloc(1, sizeof(*pull));
    pull->state_fd = state_fd;
    pull->waker = waker;
    pull->source.owner = pull;
    pull->source.incarnation = incarnation;
    pull->source.is_over = is_over;
    pull->source.wait_until = wait_until;
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

static void free_ways(struct agent_pull_ways *ways)
{
    agent_http_free(ways->http);
    agent_http_free(ways->neighbours);
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
    free_ways(&pull->ways);
    free_ways(&pull->mending.ways);
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
                      const struct agent_releases *known, const struct agent_pull_ways *ways,
                      uint64_t store_max_bytes)
{
    pthread_mutex_lock(&pull->lock);
    CHECK(pull->is_heard && !pull->is_wanted);
    free_ways(&pull->ways);
    agent_releases_fini(&pull->list);
    agent_releases_copy(&pull->list, list);
    agent_releases_fini(&pull->known);
    agent_releases_copy(&pull->known, known);
    pull->ways = *ways;
    pull->store_max_bytes = store_max_bytes;
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

bool agent_pull_next_wrong(struct agent_pull *pull, struct agent_found_wrong *out)
{
    pthread_mutex_lock(&pull->lock);
    bool has_any = pull->found_count > 0;
    if (has_any)
        *out = pull->found[--pull->found_count];
    pthread_mutex_unlock(&pull->lock);
    return has_any;
}

void agent_pull_neighbours(struct agent_pull *pull, uint64_t *bytes, uint64_t *wrong_bytes)
{
    *bytes = atomic_load(&pull->source.neighbour_bytes);
    *wrong_bytes = atomic_load(&pull->source.wrong_bytes);
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
    mending->ways = (struct agent_pull_ways){http, NULL, max_bytes_per_second};
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
