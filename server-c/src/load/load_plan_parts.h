/* SPDX-License-Identifier: MIT */
/* load_plan_parts.h — what the readers of a plan share. */
#ifndef FARMSTEAD_LOAD_PLAN_PARTS_H
#define FARMSTEAD_LOAD_PLAN_PARTS_H

#include "load/load_plan.h"

#include <jansson.h>

/* All of these: 0, or -1 with a sentence in `why`. */
int load_refuse(struct buf *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
int load_read_targets(struct load_plan *plan, const json_t *root, struct buf *why);
int load_read_urls(struct load_plan *plan, const json_t *root, struct buf *why);
int load_read_replay(struct load_plan *plan, struct span lines, struct buf *why);

/* The memory that a run takes at most, in bytes. */
uint64_t load_plan_memory(const struct load_plan *plan);

#endif
