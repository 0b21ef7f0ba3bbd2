/* SPDX-License-Identifier: MIT */
/* server_sizes.h — fits a config to this machine before it is put in force. */
#ifndef FARMSTEAD_SERVER_SIZES_H
#define FARMSTEAD_SERVER_SIZES_H

#include "config/config_sizes.h"
#include "measure/metrics.h"

/* Lowers options that were left out in `cfg` to what the machine has. Logs this unless it is the
 * same as `said`, which is updated: not at every reload. A config that is applied for the first
 * time has no other reader yet. May wait for the disk. */
void server_sizes_fit(struct config_sizes *said, struct config *cfg);

/* The limits, to be shown beside the present values. `cfg` NULL: nothing is served. */
void server_sizes_gauges(double gauges[GAUGE_COUNT], const struct config *cfg);

#endif
