/* SPDX-License-Identifier: MIT */
/* machine.h — what this process may use of the machine it runs on. */
#ifndef FARMSTEAD_MACHINE_H
#define FARMSTEAD_MACHINE_H

#include "config/config_sizes.h"

/* Processors and memory are those of the first call, at the start, since later the process may be
 * unable to read them. Descriptors are the present ones. Any thread. */
void machine_read(struct config_machine *out);

#endif
