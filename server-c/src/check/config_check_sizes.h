/* SPDX-License-Identifier: MIT */
/* config_check_sizes.h — what of a config is less on this machine than it is by default. */
#ifndef FARMSTEAD_CONFIG_CHECK_SIZES_H
#define FARMSTEAD_CONFIG_CHECK_SIZES_H

#include "config/config_sizes.h"

/* Fits the config to this machine; adds a finding for each option that was left out and lowered. May
 * wait for the disk. Any thread. */
void config_check_fit(struct config_sizes *out, const struct config *cfg,
                      struct config_errors *warnings);

#endif
