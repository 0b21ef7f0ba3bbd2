/* SPDX-License-Identifier: MIT */
/* neighbour_bounds.c — who waits for the rate, or for the loops, wakes when nothing more is given. */
#include "neighbours/neighbour_bounds.h"

#include "base/util.h"
#include "log/log.h"

#include <time.h>

#define AGAIN_MS 250 /* while the loops are late */
#define SAY_EVERY_SECONDS 60u

static void refused(void *arg, const char *why)
{
    struct neighbour_bounds *bounds = arg;
    uint64_t now_ns = monotonic_ns();
    bool is_said;

    atomic_fetch_add(&bounds->refusals, 1);
    pthread_mutex_lock(&bounds->lock);
    is_said = bounds->said_ns == 0 || now_ns - bounds->said_ns >= SAY_EVERY_SECONDS * NS_PER_SECOND;
    if (is_said)
        bounds->said_ns = now_ns;
    pthread_mutex_unlock(&bounds->lock);
    if (is_said) /* each minute one, whoever knocks how often */
        log_info("neighbours: another node was given nothing: %s", why);
}

static bool keys(void *arg, struct neighbour_pass_keys *out)
{
    struct neighbour_bounds *bounds = arg;

    pthread_mutex_lock(&bounds->lock);
    *out = bounds->rules.keys;
    pthread_mutex_unlock(&bounds->lock);
    return out->count > 0;
}

static bool begin(void *arg)
{
    struct neighbour_bounds *bounds = arg;
    bool may;

    pthread_mutex_lock(&bounds->lock);
    may = bounds->answering < bounds->rules.at_once && !atomic_load(&bounds->are_loops_late) &&
          !bounds->is_over;
    bounds->answering += may;
    pthread_mutex_unlock(&bounds->lock);
    return may;
}

static void end(void *arg)
{
    struct neighbour_bounds *bounds = arg;

    pthread_mutex_lock(&bounds->lock);
    bounds->answering--;
    pthread_mutex_unlock(&bounds->lock);
}

/* Under the lock. */
static void wait_until(struct neighbour_bounds *bounds, uint64_t at_ns)
{
    struct timespec until = {(time_t)(at_ns / NS_PER_SECOND), (long)(at_ns % NS_PER_SECOND)};

    pthread_cond_clockwait(&bounds->changed, &bounds->lock, CLOCK_MONOTONIC, &until);
}

static bool pace(void *arg, uint64_t bytes)
{
    struct neighbour_bounds *bounds = arg;
    uint64_t free_ns;
    bool goes_on;

    pthread_mutex_lock(&bounds->lock);
    free_ns =
        byte_pace_take(&bounds->pace, bytes, bounds->rules.max_bytes_per_second, monotonic_ns());
    while (!bounds->is_over && bounds->rules.keys.count > 0 &&
           (monotonic_ns() < free_ns || atomic_load(&bounds->are_loops_late)))
        wait_until(bounds,
                   monotonic_ns() < free_ns ? free_ns : monotonic_ns() + AGAIN_MS * NS_PER_MS);
    goes_on = !bounds->is_over && bounds->rules.keys.count > 0;
    pthread_mutex_unlock(&bounds->lock);
    if (goes_on)
        atomic_fetch_add(&bounds->given_bytes, bytes);
    return goes_on;
}

struct neighbour_giving neighbour_bounds_giving(struct neighbour_bounds *bounds, int state_fd)
{
    return (struct neighbour_giving){state_fd, bounds, keys, begin, end, pace, refused};
}

void neighbour_bounds_refuse(struct neighbour_bounds *bounds, const char *why)
{
    refused(bounds, why);
}

void neighbour_bounds_init(struct neighbour_bounds *bounds)
{
    pthread_mutex_init(&bounds->lock, NULL);
    pthread_cond_init(&bounds->changed, NULL);
}

void neighbour_bounds_fini(struct neighbour_bounds *bounds)
{
    pthread_mutex_destroy(&bounds->lock);
    pthread_cond_destroy(&bounds->changed);
}

void neighbour_bounds_use(struct neighbour_bounds *bounds, const struct neighbour_rules *rules)
{
    pthread_mutex_lock(&bounds->lock);
    bounds->rules = *rules;
    bounds->pace.free_ns = 0; /* a slow rate may have set it far ahead */
    pthread_cond_broadcast(&bounds->changed);
    pthread_mutex_unlock(&bounds->lock);
}

bool neighbour_bounds_are_on(struct neighbour_bounds *bounds)
{
    struct neighbour_pass_keys ignored;

    return keys(bounds, &ignored);
}

void neighbour_bounds_end(struct neighbour_bounds *bounds)
{
    pthread_mutex_lock(&bounds->lock);
    bounds->is_over = true;
    pthread_cond_broadcast(&bounds->changed);
    pthread_mutex_unlock(&bounds->lock);
}
