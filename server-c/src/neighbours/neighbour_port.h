/* SPDX-License-Identifier: MIT */
/* neighbour_port.h — a listening socket. Any thread. */
#ifndef FARMSTEAD_NEIGHBOUR_PORT_H
#define FARMSTEAD_NEIGHBOUR_PORT_H

#include "base/address.h"

#include <stdint.h>

/* A socket that does not block, or -1 with errno. The address of all zeros: any. */
int neighbour_port_open(const uint8_t address[ADDRESS_LEN], uint16_t port);

#endif
