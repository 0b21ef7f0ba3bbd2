/* SPDX-License-Identifier: MIT */
/* config_check_exposed.h — files with passwords or keys that lie where clients could fetch them.
 *
 * That works, and a rule of access may keep them safe: a warning, never a reason to refuse a config.
 * Blocks on the file system: never call it on an event loop's thread. */
#ifndef FARMSTEAD_CONFIG_CHECK_EXPOSED_H
#define FARMSTEAD_CONFIG_CHECK_EXPOSED_H

#include "config.h"

/* Adds a finding for each such file, at the option that names it. `running` as for
 * config_check_machine(). Any thread. */
void config_check_exposed(const struct config *cfg, const struct config *running,
                          struct config_errors *warnings);

/* The same to the error log; `name` is the config's. Any thread. */
void config_check_log_exposed(const char *name, const struct config *cfg,
                              const struct config *running);

#endif
