/* SPDX-License-Identifier: MIT */
/* config_check.h — would this config work on this very machine? Folders, files, ports, sockets,
 * users.
 *
 * Looks, never changes: a port is tried by binding and closing it, a socket that is there by
 * connecting to it, unless `running` already listens there. What is served is looked at with the
 * rights of process.user when root asks before the start. Blocks on the file system, though for no
 * longer than 10 s whatever hangs: never call it on an event loop's thread. */
#ifndef FARMSTEAD_CONFIG_CHECK_H
#define FARMSTEAD_CONFIG_CHECK_H

#include "config/config.h"

/* Adds what is wrong to `errors`; the codes of config_codes.def that need the machine, resource_limit
 * also when a disk does not answer. Returns 0 when nothing is wrong, else -1. `running` may be NULL.
 * Any thread. */
int config_check_machine(const struct config *cfg, const struct config *running,
                         struct config_errors *errors);

/* The part of it that is about the machine's owner (bounds.h), which holds for a config that is known to
 * work here, too. As above. */
int config_check_owner(const struct config *cfg, const struct config *running,
                       struct config_errors *errors);

/* This process is in process.chroot from now on: paths are what they seem, and accounts can't be
 * looked up any more. Without it paths are looked for beneath the folder that cfg names, while
 * nothing runs yet. Any thread. */
void config_check_set_jailed(void);

#endif
