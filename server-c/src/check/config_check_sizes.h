/* SPDX-License-Identifier: MIT */
/* config_check_sizes.h — which options are lower on this machine than their defaults. */
#ifndef FARMSTEAD_CONFIG_CHECK_SIZES_H
#define FARMSTEAD_CONFIG_CHECK_SIZES_H

#include "config/config_sizes.h"

/* Fits the config to this machine, and adds a finding for each option that was left out and has
 * been lowered. May wait for the disk. Any thread. */
void config_check_fit(struct config_sizes *out, const struct config *cfg,
                      struct config_errors *warnings);

#endif
