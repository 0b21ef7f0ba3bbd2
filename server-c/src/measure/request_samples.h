/* SPDX-License-Identifier: MIT */
/* request_samples.h — single requests with their path, for the control plane: some of all while
 * somebody looks, and always the slowest.
 *
 * A reservoir holds as many as it has places, chosen so that each request since it was last emptied
 * has the same chance; it has no memory while nobody looks. The worst are the slowest since they
 * were last taken, of those that are slow at all. Paths are masked (match/path_mask.h). For one loop;
 * loop thread only. */
#ifndef FARMSTEAD_REQUEST_SAMPLES_H
#define FARMSTEAD_REQUEST_SAMPLES_H

#include "measure/samples.h"

#define REQUEST_PATH_LEN 200
#define REQUEST_PROTOCOL_LEN 8

/* Of the whole node, as of each loop: in a window, and between two looks. */
#define REQUEST_SAMPLES_WORST 8
#define REQUEST_SAMPLES_LIVE 100

struct request_sample {
    struct sample sample;
    uint16_t path_len; /* 0: the target had none that can be read */
    char path[REQUEST_PATH_LEN];
    char protocol[REQUEST_PROTOCOL_LEN + 1]; /* "HTTP/1.1"; "": it was none */
};

struct request_samples {
    struct request_sample *live; /* REQUEST_SAMPLES_LIVE places; NULL: nobody looks */
    uint64_t live_seen;          /* requests since it was emptied */
    struct request_sample worst[REQUEST_SAMPLES_WORST];
    size_t worst_count;
    uint64_t random;
};

void request_samples_init(struct request_samples *samples, uint64_t seed);
void request_samples_fini(struct request_samples *samples);

/* Somebody looks, or nobody does any more. Tells `regular`, so that it wants every request. */
void request_samples_watch(struct request_samples *samples, struct samples *regular,
                           bool is_watched);

/* Where to write a request that has ended; NULL: it is not kept. Each is asked once. */
struct request_sample *request_samples_live_place(struct request_samples *samples);
struct request_sample *request_samples_worst_place(struct request_samples *samples,
                                                   uint64_t total_ns);

static inline size_t request_samples_live_count(const struct request_samples *samples)
{
    if (!samples->live)
        return 0;
    return samples->live_seen < REQUEST_SAMPLES_LIVE ? (size_t)samples->live_seen
                                                     : REQUEST_SAMPLES_LIVE;
}

/* --- many loops together: any thread --- */

/* What loops have kept of one kind since the last time; on the heap. */
struct taken_requests {
    struct request_sample *items;
    size_t count;
    uint64_t seen; /* of how many */
};
void taken_requests_fini(struct taken_requests *taken);

/* Adds this loop's, and empties it. Of the live ones there stay REQUEST_SAMPLES_LIVE of all loops, each
 * request with the same chance; of the worst the REQUEST_SAMPLES_WORST slowest. */
void request_samples_take_live(struct request_samples *samples, struct taken_requests *out);
void request_samples_take_worst(struct request_samples *samples, struct taken_requests *out);

#endif
