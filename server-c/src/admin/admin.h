/* SPDX-License-Identifier: MIT */
/* admin.h — the admin listener: GET / (a page), /status and /samples (JSON), and /metrics
 * (Prometheus).
 *
 * Runs on its own thread. So it may ask the loops, which a loop itself may not, and no client of
 * the sites ever waits for it. */
#ifndef FARMSTEAD_ADMIN_H
#define FARMSTEAD_ADMIN_H

#include "server/server.h"

/* To be passed to server_new(). */
extern const struct server_admin admin_listener;

#endif
