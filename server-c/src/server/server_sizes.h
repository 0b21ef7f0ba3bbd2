/* SPDX-License-Identifier: MIT */
/* server_sizes.h — a config that is to be put in force is fitted to this machine. */
#ifndef FARMSTEAD_SERVER_SIZES_H
#define FARMSTEAD_SERVER_SIZES_H

#include "config/config_sizes.h"
#include "measure/metrics.h"

/* Lowers what was left out in `cfg` to what there is, and says so in the log, unless `said`, which becomes
 * this, was the same: not at every reload. A config that is applied for the
 * first time is read by nobody else. May wait for the disk. */
void server_sizes_fit(struct config_sizes *said, struct config *cfg);

/* How much there may be of everything, beside how much there is. `cfg` NULL: nothing is served. */
void server_sizes_gauges(double gauges[GAUGE_COUNT], const struct config *cfg);

#endif
