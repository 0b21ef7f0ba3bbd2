/* SPDX-License-Identifier: MIT */
/* neighbour_answer.h — one request of another node, from its first byte to the last of the answer. Waits for the
 * network and the disk: a thread of the giver's. */
#ifndef FARMSTEAD_NEIGHBOUR_ANSWER_H
#define FARMSTEAD_NEIGHBOUR_ANSWER_H

#include "neighbours/neighbour_channel.h"

#include <stdbool.h>
#include <stdint.h>

/* Of contents in one answer, unless it is one content. */
#define NEIGHBOUR_ANSWER_BYTES (16u << 20)

/* What one answer needs of the giver. */
struct neighbour_giving {
    int state_fd;
    void *arg;
    /* Of this moment. False: nothing is given now. */
    bool (*keys)(void *arg, struct neighbour_pass_keys *out);
    /* A place among those that are answered at once; false: there is none, or the visitors need the machine. */
    bool (*begin)(void *arg);
    void (*end)(void *arg);
    /* Called before so many bytes are sent. False: no more. */
    bool (*pace)(void *arg, uint64_t bytes);
    /* Somebody was refused. `why` is a sentence's end. */
    void (*refused)(void *arg, const char *why);
};

/* True: another one may follow on this connection. */
bool neighbour_answer_next(const struct neighbour_giving *giving,
                           struct neighbour_channel *channel);

#endif
