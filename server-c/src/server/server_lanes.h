/* SPDX-License-Identifier: MIT */
/* server_lanes.h — how many threads the lanes have under a config. */
#ifndef FARMSTEAD_SERVER_LANES_H
#define FARMSTEAD_SERVER_LANES_H

#include "config/config.h"
#include "net/loop.h"

/* `loops`: how many will be active, each of which can keep one thread busy with signing;
 * compressing gets half as many. Threads start and end at once; jobs under way and in the queue are not affected. Not on a loop's
 * thread, since it asks the disks of the roots. */
void server_lanes_resize(struct loop_shared *shared, struct config *cfg, uint32_t loops);

#endif
