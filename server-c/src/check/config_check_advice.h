/* SPDX-License-Identifier: MIT */
/* config_check_advice.h — what a config may say, but its author has perhaps not meant. */
#ifndef FARMSTEAD_CONFIG_CHECK_ADVICE_H
#define FARMSTEAD_CONFIG_CHECK_ADVICE_H

#include "config/config.h"

/* Adds a finding for each. Any thread. */
void config_check_advise(const struct config *cfg, struct config_errors *warnings);

#endif
