/* SPDX-License-Identifier: MIT */
/* confinement.h — has the kernel confine this process to the folders of the owner's policy
 * (Landlock), so that neither a mistake of ours nor somebody who has taken over the process can
 * reach other files.
 *
 * It applies to all threads started later, and can't be undone. Besides the policy's folders the
 * process can use the node's own files (state folder, config file), and read what system libraries
 * need (/etc, /usr, /proc, /sys). No program can be started. */
#ifndef FARMSTEAD_CONFINEMENT_H
#define FARMSTEAD_CONFINEMENT_H

#include <stdbool.h>

/* Call it while there is only one thread, and after the bounds are set. `own_folder` (may be NULL)
 * can be read, too: that of a config file. Returns 0, also if the kernel has no Landlock, which is
 * logged; -1 with the reason in the log. Does nothing without a policy. */
int confinement_enter(const char *own_folder);

/* The kernel knows folders by their inodes. True if a folder of the policy has been replaced or
 * created since: only a new process can reach it. Waits for the disk. */
bool confinement_is_outdated(void);

#endif
