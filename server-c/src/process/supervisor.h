/* SPDX-License-Identifier: MIT */
/* supervisor.h — the parent of `farmstead-node run`: starts the process that serves, passes signals
 * to it, starts it again after a crash (supervisor_policy.h), and speaks to the service manager.
 *
 * It has a single thread and no listening socket, reads neither a network nor a config, and
 * allocates hardly any memory: whatever could crash is in the child. Both hold the lock of the
 * state folder. If the parent dies, the kernel ends the child, too. */
#ifndef FARMSTEAD_SUPERVISOR_H
#define FARMSTEAD_SUPERVISOR_H

/* Returns the exit code of the process when all is over. `policy_path` is passed on; NULL: none was
 * given. Call it before there are other threads. */
int supervisor_run(const char *state_dir, const char *policy_path);

#endif
