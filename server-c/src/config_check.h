/* SPDX-License-Identifier: MIT */
/* config_check.h — would this config work on this very machine? Roots, ports, log paths.
 *
 * Looks, never changes: a port is tried by binding and closing it, unless `running` already
 * listens on it. Blocks on the file system: never call it on an event loop's thread. */
#ifndef FARMSTEAD_CONFIG_CHECK_H
#define FARMSTEAD_CONFIG_CHECK_H

#include "config.h"

/* Adds what is wrong to `errors` (codes as in agent-protocol's nack codes: missing_file,
 * port_in_use, permission, resource_limit; and address_unavailable). Returns 0 when nothing is
 * wrong, else -1. `running` may be NULL. Any thread. */
int config_check_machine(const struct config *cfg, const struct config *running,
                         struct config_errors *errors);

#endif
