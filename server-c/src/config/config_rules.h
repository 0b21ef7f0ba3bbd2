/* SPDX-License-Identifier: MIT */
/* config_rules.h — what options must be to each other; what one option must be is its table row's.
 */
#ifndef FARMSTEAD_CONFIG_RULES_H
#define FARMSTEAD_CONFIG_RULES_H

#include "config/config.h"
#include "text/json_text.h"

/* Adds what is wrong. `root` is where cfg was read from, for the places. Fields of cfg whose option
 * was wrong by itself may be NULL or 0 and are passed over. Any thread. */
void config_check_rules(const struct config *cfg, const struct json_value *root,
                        struct config_errors *errors);

/* Does the server alone decide about this response header, whatever a rule would do with it? Any
 * thread. */
bool config_header_is_the_servers(const char *name);

#endif
