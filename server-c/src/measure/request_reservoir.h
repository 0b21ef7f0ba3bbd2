/* SPDX-License-Identifier: MIT */
/* request_reservoir.h — some of many requests, each with the same chance.
 *
 * A reservoir holds as many as it has places, chosen so that each request since it was last emptied
 * has the same chance. Those of several loops are put together so that this still holds. For one
 * loop; loop thread only, but for what is taken already. */
#ifndef FARMSTEAD_REQUEST_RESERVOIR_H
#define FARMSTEAD_REQUEST_RESERVOIR_H

#include "base/address.h"
#include "match/request_filter.h"
#include "measure/samples.h"

#define REQUEST_PATH_LEN 200
#define REQUEST_PROTOCOL_LEN 8
#define REQUEST_HOST_LEN 100

struct request_sample {
    struct sample sample;
    uint16_t path_len; /* 0: the target had none that can be read */
    char path[REQUEST_PATH_LEN];
    char protocol[REQUEST_PROTOCOL_LEN + 1]; /* "HTTP/1.1"; "": it was none */
    /* Visible ASCII without '"' and '\\', in lower case, perhaps cut; "": none. */
    char host[REQUEST_HOST_LEN + 1];
    char method[REQUEST_METHOD_LEN + 1]; /* "": none that is known */
    bool has_client;
    uint8_t client[ADDRESS_LEN];
};

struct request_reservoir {
    struct request_sample *items; /* NULL: it takes none */
    size_t places;
    uint64_t seen; /* requests since it was emptied */
};

void request_reservoir_init(struct request_reservoir *reservoir, size_t places);
void request_reservoir_fini(struct request_reservoir *reservoir); /* leaves it without places */

/* Where to write a request that has ended; NULL: it is not kept. Ask once for each. `random` is never 0. */
struct request_sample *request_reservoir_place(struct request_reservoir *reservoir,
                                               uint64_t *random);

/* What loops have kept of one kind since the last time; on the heap. */
struct taken_requests {
    struct request_sample *items;
    size_t count;
    uint64_t seen;      /* of how many these were chosen */
    uint64_t looked_at; /* by a search, of which the others did not match */
};
void taken_requests_fini(struct taken_requests *taken);

/* Adds this loop's, of which there stay as many as it has places, and empties it. */
void request_reservoir_take(struct request_reservoir *reservoir, struct taken_requests *out,
                            uint64_t *random);

#endif
