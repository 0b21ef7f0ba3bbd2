/* SPDX-License-Identifier: MIT */
/* config_rules.h — rules between options. What a single option must be is in its row of the
 * table. */
#ifndef FARMSTEAD_CONFIG_RULES_H
#define FARMSTEAD_CONFIG_RULES_H

#include "config/config.h"
#include "text/json_text.h"

/* Adds an error for each broken rule. `root` is the tree that cfg was read from, for positions.
 * Fields of options that were wrong by themselves may be NULL or 0, and are skipped. Any thread. */
void config_check_rules(const struct config *cfg, const struct json_value *root,
                        struct config_errors *errors);

/* Does the server alone decide about this response header, whatever a rule would do with it? Any
 * thread. */
bool config_header_is_the_servers(const char *name);

#endif
