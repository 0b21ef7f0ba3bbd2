/* SPDX-License-Identifier: MIT */
/* supervisor.h — the parent of `farmstead-node run`: starts the process that serves, passes signals
 * on to it, starts it again after a crash (supervisor_policy.h), and speaks to the service manager.
 *
 * It has no thread but its own, no listening socket, reads nothing from a network or from a config,
 * and allocates next to nothing: what could crash is in the child. Both hold the state folder's
 * lock. When the parent dies, the kernel ends the child with it. */
#ifndef FARMSTEAD_SUPERVISOR_H
#define FARMSTEAD_SUPERVISOR_H

/* Returns the process's exit code when all is over. `policy_path` is passed on; NULL: none was named.
 * Call it before there is a thread. */
int supervisor_run(const char *state_dir, const char *policy_path);

#endif
