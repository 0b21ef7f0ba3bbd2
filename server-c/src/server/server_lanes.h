/* SPDX-License-Identifier: MIT */
/* server_lanes.h — how many threads the lanes have under a config. */
#ifndef FARMSTEAD_SERVER_LANES_H
#define FARMSTEAD_SERVER_LANES_H

#include "config/config.h"
#include "net/loop.h"

/* Threads come and go at once; jobs under way and queued ones are not touched. Not on a loop: it
 * asks the disks under the roots. */
void server_lanes_resize(struct loop_shared *shared, struct config *cfg);

#endif
