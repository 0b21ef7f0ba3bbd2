/* SPDX-License-Identifier: MIT */
/* confinement.h — the kernel holds this process to the folders of the owner's policy (Landlock), so
 * that a mistake of ours, or somebody who has taken the process over, reaches no other file.
 *
 * Once it is in force it holds for all threads that are started later, and can't be taken back. What
 * remains besides the policy's folders: the node's own (state folder, config file), and for reading
 * what the system's libraries need (/etc, /usr, /proc, /sys). No program can be started. */
#ifndef FARMSTEAD_CONFINEMENT_H
#define FARMSTEAD_CONFINEMENT_H

#include <stdbool.h>

/* Before there is a second thread; the bounds are set. `own_folder`, which may be NULL, is read as
 * well: that of a config file. 0, also where the kernel has no Landlock, which the log says; -1 with the
 * reason in the log. Without a policy there is nothing to do. */
int confinement_enter(const char *own_folder);

/* The kernel knows folders by their inodes: true when a folder of the policy is another one by now, or
 * came into being, and the process must be started anew to reach it. Blocks on the disk. */
bool confinement_is_outdated(void);

#endif
