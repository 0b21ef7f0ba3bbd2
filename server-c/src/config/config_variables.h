/* SPDX-License-Identifier: MIT */
/* config_variables.h — puts the values of environment variables into a tree that was read from a
 * text. "${NAME}" in a string stands for the variable's value, "${NAME:-default}" for the default
 * where it is not set or empty, as in a shell. Names are upper-case letters, digits and "_", so
 * that "${host}" of redirects is none of them. Keys are left alone. */
#ifndef FARMSTEAD_CONFIG_VARIABLES_H
#define FARMSTEAD_CONFIG_VARIABLES_H

#include "text/config_errors.h"
#include "text/json_text.h"

/* A string that is one variable and nothing else is marked as `is_filled`. Adds an error for each
 * variable that is not set, and for values that no JSON string could hold. While no other thread
 * changes the environment. */
void config_fill_variables(struct json_value *root, struct config_errors *errors);

#endif
