/* SPDX-License-Identifier: MIT */
/* config_check.h — would this config work on this machine? Checks folders, files, ports, sockets
 * and users.
 *
 * Changes nothing. A port is tested by binding and closing it, a socket by connecting to it, unless
 * `running` already listens there. What is served is checked with the rights of process.user if
 * root asks before the start. Waits for file systems, but for at most 10 s even if one hangs: never
 * call it on an event loop's thread. */
#ifndef FARMSTEAD_CONFIG_CHECK_H
#define FARMSTEAD_CONFIG_CHECK_H

#include "config/config.h"

/* Adds findings to `errors`: those codes of config_codes.def that need the machine, and
 * resource_limit if a disk does not answer. Returns 0 if there are none, else -1. `running` may be
 * NULL. Any thread. */
int config_check_machine(const struct config *cfg, const struct config *running,
                         struct config_errors *errors);

/* Only the checks that concern the machine's owner (bounds.h), which also apply to a config that is
 * known to work here. Otherwise the same. */
int config_check_owner(const struct config *cfg, const struct config *running,
                       struct config_errors *errors);

/* Call it when this process has entered process.chroot: paths are then as they seem, and accounts
 * can't be looked up any more. Until then paths are searched below that folder, if nothing is
 * running yet. Any thread. */
void config_check_set_jailed(void);

#endif
