/* SPDX-License-Identifier: MIT */
/* rate_limit.c — the level of a bucket is the time that has passed since it was empty. */
#include "site/rate_limit.h"

#include "base/mem.h"
#include "base/util.h"

/* Together more than all, so that bytes one response leaves are used. */
#define SHARE_SLACK_PERCENT 105
#define SHARE_BYTES_MIN 512
/* More than this is no limit; products with it fit in 64 bits. */
#define RATE_MAX UINT64_C(10000000000)

/* Returns the nanoseconds that `bytes` last at this rate. `bytes` is at most a burst at
 * RATE_MAX. */
static uint64_t time_of(uint64_t bytes, uint64_t bytes_per_second)
{
    return bytes * NS_PER_SECOND / bytes_per_second;
}

static uint64_t bytes_of(uint64_t ns, uint64_t bytes_per_second)
{
    uint64_t seconds = ns / NS_PER_SECOND, rest = ns % NS_PER_SECOND;
    uint64_t of_rest = bytes_per_second / 1000 * (rest / 1000) / 1000;

    if (bytes_per_second < 1000 * 1000) /* small enough for an exact product */
        of_rest = bytes_per_second * rest / NS_PER_SECOND;
    return seconds * bytes_per_second + of_rest;
}

static uint64_t burst_ns(uint64_t bytes_per_second)
{
    uint64_t least = time_of(RATE_BURST_BYTES_MIN, bytes_per_second);
    return least > RATE_BURST_MS * NS_PER_MS ? least : RATE_BURST_MS * NS_PER_MS;
}

/* Takes up to `wanted` bytes from a bucket that was empty at `empty_ns`. Returns the new
 * `empty_ns`; *taken is 0 when the bucket is empty. */
static uint64_t take(uint64_t empty_ns, uint64_t bytes_per_second, uint64_t wanted, uint64_t now_ns,
                     uint64_t *taken)
{
    uint64_t burst = burst_ns(bytes_per_second), level;

    if (empty_ns + burst < now_ns)
        empty_ns = now_ns - burst;
    level = now_ns > empty_ns ? bytes_of(now_ns - empty_ns, bytes_per_second) : 0;
    *taken = wanted < level ? wanted : level;
    return empty_ns + time_of(*taken, bytes_per_second);
}

/* --- for one connection ---------------------------------------------------------------------- */

void rate_limit_init(struct rate_limit *limit, uint64_t bytes_per_second)
{
    rate_limit_set(limit, bytes_per_second);
    limit->empty_ns = 0; /* long ago, so it is full */
}

void rate_limit_set(struct rate_limit *limit, uint64_t bytes_per_second)
{
    limit->bytes_per_second = bytes_per_second < RATE_MAX ? bytes_per_second : RATE_MAX;
}

uint64_t rate_limit_take(struct rate_limit *limit, uint64_t wanted, uint64_t now_ns)
{
    uint64_t taken;

    if (limit->bytes_per_second == 0)
        return wanted;
    limit->empty_ns = take(limit->empty_ns, limit->bytes_per_second, wanted, now_ns, &taken);
    return taken;
}

void rate_limit_give_back(struct rate_limit *limit, uint64_t unused)
{
    if (limit->bytes_per_second > 0)
        limit->empty_ns -= time_of(unused, limit->bytes_per_second);
}

/* --- for a site ------------------------------------------------------------------------------ */

struct rate_bucket *rate_bucket_new(uint64_t bytes_per_second)
{
    struct rate_bucket *bucket;

    if (bytes_per_second == 0)
        return NULL;
    bucket = xcalloc(1, sizeof(*bucket));
    atomic_init(&bucket->refs, 1);
    bucket->bytes_per_second = bytes_per_second < RATE_MAX ? bytes_per_second : RATE_MAX;
    return bucket;
}

struct rate_bucket *rate_bucket_get(struct rate_bucket *bucket)
{
    if (bucket)
        atomic_fetch_add_explicit(&bucket->refs, 1, memory_order_relaxed);
    return bucket;
}

void rate_bucket_put(struct rate_bucket *bucket)
{
    if (bucket && atomic_fetch_sub_explicit(&bucket->refs, 1, memory_order_acq_rel) == 1)
        free(bucket);
}

uint64_t rate_bucket_take(struct rate_bucket *bucket, uint64_t wanted, uint64_t now_ns)
{
    uint64_t empty_ns = atomic_load_explicit(&bucket->empty_ns, memory_order_relaxed);
    uint64_t then_ns, taken;

    do {
        then_ns = take(empty_ns, bucket->bytes_per_second, wanted, now_ns, &taken);
        if (taken == 0)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&bucket->empty_ns, &empty_ns, then_ns,
                                                    memory_order_relaxed, memory_order_relaxed));
    return taken;
}

void rate_bucket_give_back(struct rate_bucket *bucket, uint64_t unused)
{
    atomic_fetch_sub_explicit(&bucket->empty_ns, time_of(unused, bucket->bytes_per_second),
                              memory_order_relaxed);
}

uint64_t rate_bucket_share(const struct rate_bucket *bucket, uint64_t due_ns)
{
    uint32_t waiting = atomic_load_explicit(&bucket->waiting, memory_order_relaxed);
    uint64_t all = bytes_of(due_ns, bucket->bytes_per_second) / 100 * SHARE_SLACK_PERCENT;
    uint64_t share = all / (waiting ? waiting : 1);

    return share > SHARE_BYTES_MIN ? share : SHARE_BYTES_MIN;
}

uint64_t rate_bucket_rate_of_one(const struct rate_bucket *bucket)
{
    uint32_t waiting = atomic_load_explicit(&bucket->waiting, memory_order_relaxed);

    return bucket->bytes_per_second / (waiting ? waiting : 1);
}
