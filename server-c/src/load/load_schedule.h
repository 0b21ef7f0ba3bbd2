/* SPDX-License-Identifier: MIT */
/* load_schedule.h — which request is next, and when it is due. Knows no clock and no client. */
#ifndef FARMSTEAD_LOAD_SCHEDULE_H
#define FARMSTEAD_LOAD_SCHEDULE_H

#include "load/load_plan.h"

#define LOAD_WHENEVER 0       /* due as soon as a client is free */
#define LOAD_NEVER UINT64_MAX /* nothing is due any more */

struct load_schedule {
    const struct load_plan *plan;
    uint64_t taken; /* requests so far */
    uint64_t random;
    double *sums; /* of the weights, up to and with each URL */
};

void load_schedule_init(struct load_schedule *s, const struct load_plan *plan);
void load_schedule_fini(struct load_schedule *s);

/* When the next request is due, in nanoseconds from the beginning; LOAD_WHENEVER in a closed
 * loop. */
uint64_t load_schedule_due(const struct load_schedule *s);
/* Takes the next request: its URL. Not when the answer above was LOAD_NEVER. */
const struct load_url *load_schedule_take(struct load_schedule *s);
/* A URL by weight that is no request of the schedule: for clients that misbehave. */
const struct load_url *load_schedule_any(struct load_schedule *s);
/* A number from 0 to `below` - 1. */
uint64_t load_schedule_random(struct load_schedule *s, uint64_t below);

#endif
