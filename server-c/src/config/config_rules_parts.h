/* SPDX-License-Identifier: MIT */
/* config_rules_parts.h — what the files of config_rules.h share; only config_rules*.c include
 * this. */
#ifndef FARMSTEAD_CONFIG_RULES_PARTS_H
#define FARMSTEAD_CONFIG_RULES_PARTS_H

#include "config/config.h"
#include "text/json_text.h"

#include <stdbool.h>
#include <stddef.h>

#define RULES_POINTER_LEN 128

/* A check of one config. */
struct rules {
    const struct config *cfg;
    const struct json_value *root;
    struct config_errors *errors;
};

/* All of these: any thread. */

/* Adds an error at the value that `pointer` names, or at the innermost value around it. */
void config_rules_report(const struct rules *rules, enum config_code code, const char *pointer,
                         const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same, placed within that string at the character that begins at `byte` of its value. */
void config_rules_report_in(const struct rules *rules, enum config_code code, const char *pointer,
                            size_t byte, const char *hint, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Did the author write a value there, so that it is not a default? */
bool config_rules_is_given(const struct rules *rules, const char *pointer);

/* The line of the value at `pointer`. */
uint32_t config_rules_line(const struct rules *rules, const char *pointer);

/* The parts of the check, each in its own file. */
void config_rules_check_listeners(const struct rules *rules);
void config_rules_check_tls(const struct rules *rules);
void config_rules_check_hosts(const struct rules *rules);
void config_rules_check_site(const struct rules *rules, size_t site);
void config_rules_check_site_tls(const struct rules *rules, size_t site);
void config_rules_check_urls(const struct rules *rules, size_t site);
void config_rules_check_headers(const struct rules *rules, size_t site);
void config_rules_check_cors(const struct rules *rules, size_t site);
void config_rules_check_expires(const struct rules *rules, size_t site);
void config_rules_check_logs(const struct rules *rules);

#endif
