/* SPDX-License-Identifier: MIT */
/* descriptors.h — makes sure that the process has the descriptors a config needs (config_sizes.h)
 * when it needs them. */
#ifndef FARMSTEAD_DESCRIPTORS_H
#define FARMSTEAD_DESCRIPTORS_H

#include <stdint.h>

/* Raises the soft limit to the hard limit. */
void descriptors_raise_limit(void);
/* Has the kernel make room for so many descriptors in the table of the process. The table also
 * grows by itself, but in the call that needs the room, such as an accept or an open on a loop; and
 * in a process with threads that call waits for all processors (Linux, expand_files():
 * synchronize_rcu()), 10 ms and more at every power of two. With this, the calling thread waits
 * instead. */
void descriptors_reserve(uint64_t count);

#endif
