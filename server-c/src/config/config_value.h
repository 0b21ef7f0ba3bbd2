/* SPDX-License-Identifier: MIT */
/* config_value.h — checks a JSON value against a row of the option table: type, range, length,
 * form. config_reader.c handles what lists, maps and objects contain. */
#ifndef FARMSTEAD_CONFIG_VALUE_H
#define FARMSTEAD_CONFIG_VALUE_H

#include "config/config_table.h"
#include "text/config_errors.h"
#include "text/json_text.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* More patterns than the table has. */
#define CONFIG_MAX_PATTERNS 104

/* The reading of one config. Patterns of the table are compiled when first used. */
struct config_reader {
    struct config_errors *errors;
    uint32_t left_out; /* bits of enum config_fit */
    struct {
        const char *pattern; /* compared by address, as it is the table's */
        regex_t regex;
    } compiled[CONFIG_MAX_PATTERNS];
    size_t compiled_count;
};

void config_reader_fini(struct config_reader *r);

/* All of these: any thread. Those that return false have added an error. */

/* Adds an error about `value`, placed at `span`. */
void config_value_report(struct config_reader *r, enum config_code code,
                         const struct json_value *value, struct text_span span, const char *hint,
                         const char *format, ...) __attribute__((format(printf, 6, 7)));

/* `expected` says in words what it must be. */
bool config_value_has_kind(struct config_reader *r, const struct option *option,
                           const struct json_value *value, enum json_kind wanted,
                           const char *expected);

bool config_value_has_item_count(struct config_reader *r, const struct option *option,
                                 const struct json_value *value);

/* Is it a string that fits the row's length, pattern and check? */
bool config_value_is_text(struct config_reader *r, const struct option *option,
                          const struct json_value *value);

/* Does the key of a map's member have the row's form? */
bool config_value_has_key(struct config_reader *r, const struct option *option,
                          const struct json_value *member);

/* Reads the value of a boolean, integer, enum or string into `field`. */
bool config_value_read(struct config_reader *r, const struct option *option,
                       const struct json_value *value, void *field);

#endif
