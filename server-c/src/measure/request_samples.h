/* SPDX-License-Identifier: MIT */
/* request_samples.h — single requests with their path, for the control plane: some of all while
 * somebody looks, some of those that somebody searches for, and always the slowest.
 *
 * The worst are the slowest since they were last taken, of those that are slow at all. There is no
 * memory for the others while nobody looks. Paths are masked (match/path_mask.h). For one loop; loop
 * thread only. */
#ifndef FARMSTEAD_REQUEST_SAMPLES_H
#define FARMSTEAD_REQUEST_SAMPLES_H

#include "measure/request_searches.h"

/* Of the whole node, as of each loop: in a window, and between two looks. */
#define REQUEST_SAMPLES_WORST 8
#define REQUEST_SAMPLES_LIVE 100

struct request_samples {
    struct request_reservoir live; /* without places while nobody looks */
    struct request_searches searches;
    struct request_sample worst[REQUEST_SAMPLES_WORST];
    size_t worst_count;
    uint64_t random;
};

void request_samples_init(struct request_samples *samples, uint64_t seed);
void request_samples_fini(struct request_samples *samples);

/* Somebody looks, or nobody does any more; and what is searched for. Tells `regular`, so that it wants
 * every request while there is anything of it. */
struct request_looks {
    bool is_watched;
    const struct request_search *searches;
    size_t search_count; /* at most REQUEST_SEARCHES_MAX */
};
void request_samples_look(struct request_samples *samples, struct samples *regular,
                          const struct request_looks *looks);

/* Where to write a slow request that has ended; NULL: it is not kept. Each is asked once. */
struct request_sample *request_samples_worst_place(struct request_samples *samples,
                                                   uint64_t total_ns);

/* Adds this loop's, and empties it. Of the live ones there stay REQUEST_SAMPLES_LIVE of all loops, each
 * request with the same chance; of the worst the REQUEST_SAMPLES_WORST slowest. */
void request_samples_take_live(struct request_samples *samples, struct taken_requests *out);
void request_samples_take_worst(struct request_samples *samples, struct taken_requests *out);

#endif
