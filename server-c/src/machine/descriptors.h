/* SPDX-License-Identifier: MIT */
/* descriptors.h — that the process has the descriptors a config needs (config_sizes.h) when it does. */
#ifndef FARMSTEAD_DESCRIPTORS_H
#define FARMSTEAD_DESCRIPTORS_H

#include <stdint.h>

/* Raises the soft limit to the hard one. */
void descriptors_raise_limit(void);
/* Has the kernel make room for so many in the process's table. It grows by itself, too, but in the
 * call that needs the room, an accept or an open of a loop, and in a process with threads that call
 * waits for all processors meanwhile (Linux, expand_files(): synchronize_rcu()), 10 ms and more at
 * every power of two. The calling thread waits for that instead. */
void descriptors_reserve(uint64_t count);

#endif
