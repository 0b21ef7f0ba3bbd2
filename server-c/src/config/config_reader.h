/* SPDX-License-Identifier: MIT */
/* config_reader.h — moves a JSON tree into a struct config as the option table says. */
#ifndef FARMSTEAD_CONFIG_READER_H
#define FARMSTEAD_CONFIG_READER_H

#include "config/config.h"
#include "text/json_text.h"

/* Fills the options of `cfg`, which is all zero: from the object `root`, or else from the table's
 * defaults. Where errors are added, the field stays zero or partly filled. Any thread. */
void config_read_options(struct config *cfg, const struct json_value *root,
                         struct config_errors *errors);

/* Frees what config_read_options() filled in. Any thread. */
void config_free_options(struct config *cfg);

#endif
