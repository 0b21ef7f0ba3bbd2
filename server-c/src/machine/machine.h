/* SPDX-License-Identifier: MIT */
/* machine.h — what this process may have of the machine it runs on. */
#ifndef FARMSTEAD_MACHINE_H
#define FARMSTEAD_MACHINE_H

#include "config/config_sizes.h"

/* Processors and memory are those of the first call, at the start: afterwards the process may be where
 * it can't read them. Descriptors are those of now. Any thread. */
void machine_read(struct config_machine *out);

#endif
