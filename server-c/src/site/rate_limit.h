/* SPDX-License-Identifier: MIT */
/* rate_limit.h — token buckets for bytes per second: one per connection, and one per site that all
 * loops draw from.
 *
 * A bucket is one number, the time at which it was empty: what may be sent is the time since then
 * times the rate, at most RATE_BURST_MS worth of it. So an unused bucket costs nothing and a shared
 * one is a single compare-and-swap, without a lock. Who may send when is pace.h's. */
#ifndef FARMSTEAD_RATE_LIMIT_H
#define FARMSTEAD_RATE_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RATE_BURST_MS 500
#define RATE_BURST_BYTES_MIN 16384 /* of a slow rate: a small page still comes at once */

/* Of one connection. Loop thread. */
struct rate_limit {
    uint64_t bytes_per_second; /* 0: no limit */
    uint64_t empty_ns;
};
void rate_limit_init(struct rate_limit *limit, uint64_t bytes_per_second); /* full */
/* Keeps what was used up when only the rate changes. */
void rate_limit_set(struct rate_limit *limit, uint64_t bytes_per_second);
/* Takes at most `wanted` bytes; returns how many: 0 when there are none. */
uint64_t rate_limit_take(struct rate_limit *limit, uint64_t wanted, uint64_t now_ns);
void rate_limit_give_back(struct rate_limit *limit, uint64_t unused);

/* Shared and counted. Everything here: any thread. */
struct rate_bucket {
    _Atomic uint32_t refs;
    _Atomic uint32_t waiting; /* connections that wait for a turn, over all loops */
    _Atomic uint64_t empty_ns;
    uint64_t bytes_per_second;
};
struct rate_bucket *rate_bucket_new(uint64_t bytes_per_second);  /* NULL for 0: no limit */
struct rate_bucket *rate_bucket_get(struct rate_bucket *bucket); /* NULL is allowed */
void rate_bucket_put(struct rate_bucket *bucket);                /* NULL is allowed */
uint64_t rate_bucket_take(struct rate_bucket *bucket, uint64_t wanted, uint64_t now_ns);
void rate_bucket_give_back(struct rate_bucket *bucket, uint64_t unused);

/* What one may take while some wait: an equal share of what came together in `due_ns`. */
uint64_t rate_bucket_share(const struct rate_bucket *bucket, uint64_t due_ns);
/* Bytes per second of one while some wait. */
uint64_t rate_bucket_rate_of_one(const struct rate_bucket *bucket);

#endif
