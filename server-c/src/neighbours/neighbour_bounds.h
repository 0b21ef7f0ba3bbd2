/* SPDX-License-Identifier: MIT */
/* neighbour_bounds.h — what all that is given has in common: the rules of the control plane, one rate, so many answers at
 * once, nothing while the node's loops are late; and what was given and refused. Any thread. */
#ifndef FARMSTEAD_NEIGHBOUR_BOUNDS_H
#define FARMSTEAD_NEIGHBOUR_BOUNDS_H

#include "base/byte_pace.h"
#include "neighbours/neighbour_answer.h"
#include "neighbours/neighbour_pass.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the control plane lets be given. */
struct neighbour_rules {
    struct neighbour_pass_keys keys; /* none: nothing is given */
    uint64_t max_bytes_per_second;   /* of all together; 0: any */
    unsigned at_once;                /* answers */
};

struct neighbour_bounds {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool are_loops_late; /* nothing is given for now */
    atomic_uint_fast64_t given_bytes, refusals;

    /* Under `lock`. */
    struct neighbour_rules rules;
    struct byte_pace pace;
    unsigned answering;
    bool is_over;     /* nothing more is given */
    uint64_t said_ns; /* when a refusal was logged last; 0: never */
};

void neighbour_bounds_init(struct neighbour_bounds *bounds);
void neighbour_bounds_fini(struct neighbour_bounds *bounds);

void neighbour_bounds_use(struct neighbour_bounds *bounds, const struct neighbour_rules *rules);
bool neighbour_bounds_are_on(struct neighbour_bounds *bounds);
void neighbour_bounds_end(struct neighbour_bounds *bounds);

/* Somebody got nothing. `why` is a sentence's end. */
void neighbour_bounds_refuse(struct neighbour_bounds *bounds, const char *why);
/* What answers ask of them. */
struct neighbour_giving neighbour_bounds_giving(struct neighbour_bounds *bounds, int state_fd);

#endif
