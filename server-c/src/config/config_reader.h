/* SPDX-License-Identifier: MIT */
/* config_reader.h — moves a JSON tree into a struct config as the option table says. */
#ifndef FARMSTEAD_CONFIG_READER_H
#define FARMSTEAD_CONFIG_READER_H

#include "config/config.h"
#include "text/json_text.h"

/* Fills in the options of `cfg`, which must be all zero, from the object `root`, or else with the
 * table's defaults. After an error a field stays zero or is partly filled. Any thread. */
void config_read_options(struct config *cfg, const struct json_value *root,
                         struct config_errors *errors);

/* Frees what config_read_options() has filled in. Any thread. */
void config_free_options(struct config *cfg);

#endif
