/* SPDX-License-Identifier: MIT */
/* rate_limit.h — token buckets for bytes per second: one for each connection, and one for each
 * site, from which all loops draw.
 *
 * A bucket is a single number, the time at which it was empty. The bytes that may be sent are the
 * time since then multiplied by the rate, but at most a burst of RATE_BURST_MS. So an unused bucket
 * costs nothing, and a shared one is one compare-and-swap, without a lock. pace.h decides who may
 * send when. */
#ifndef FARMSTEAD_RATE_LIMIT_H
#define FARMSTEAD_RATE_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RATE_BURST_MS 500
#define RATE_BURST_BYTES_MIN 16384 /* so that at a slow rate a small page still arrives at once */

/* For one connection. Loop thread. */
struct rate_limit {
    uint64_t bytes_per_second; /* 0: no limit */
    uint64_t empty_ns;
};
void rate_limit_init(struct rate_limit *limit, uint64_t bytes_per_second); /* sets it full */
/* Changes the rate. What has been used up stays used up. */
void rate_limit_set(struct rate_limit *limit, uint64_t bytes_per_second);
/* Takes up to `wanted` bytes. Returns how many; 0: there are none. */
uint64_t rate_limit_take(struct rate_limit *limit, uint64_t wanted, uint64_t now_ns);
void rate_limit_give_back(struct rate_limit *limit, uint64_t unused);

/* For a site: shared, with a count of references. Any thread. */
struct rate_bucket {
    _Atomic uint32_t refs;
    _Atomic uint32_t waiting; /* responses that wait, across all loops */
    _Atomic uint64_t empty_ns;
    uint64_t bytes_per_second;
};
struct rate_bucket *rate_bucket_new(uint64_t bytes_per_second);  /* NULL for 0: no limit */
struct rate_bucket *rate_bucket_get(struct rate_bucket *bucket); /* NULL is allowed */
void rate_bucket_put(struct rate_bucket *bucket);                /* NULL is allowed */
uint64_t rate_bucket_take(struct rate_bucket *bucket, uint64_t wanted, uint64_t now_ns);
void rate_bucket_give_back(struct rate_bucket *bucket, uint64_t unused);

/* The bytes that one response may take while others wait: an equal share of those that became
 * available in `due_ns`. */
uint64_t rate_bucket_share(const struct rate_bucket *bucket, uint64_t due_ns);
/* The bytes per second for one response while others wait. */
uint64_t rate_bucket_rate_of_one(const struct rate_bucket *bucket);

#endif
