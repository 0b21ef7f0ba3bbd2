/* SPDX-License-Identifier: MIT */
/* config_check_bounds.h — does a config ask for something that the machine's owner does not allow,
 * or for the node's own files (bounds.h)? */
#ifndef FARMSTEAD_CONFIG_CHECK_BOUNDS_H
#define FARMSTEAD_CONFIG_CHECK_BOUNDS_H

#include "config/config.h"

/* Compares only texts, for a config of another machine: links are not resolved. Adds findings. */
void config_check_bounds_text(const struct config *cfg, struct config_errors *errors);

#endif
