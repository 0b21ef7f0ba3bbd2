/* SPDX-License-Identifier: MIT */
/* admin.h — the admin listener: GET / (a page), /status and /samples (JSON), and /metrics (Prometheus).
 *
 * A thread of its own: it may ask the loops, which a loop itself may not, and no client of the sites
 * ever waits for it. */
#ifndef FARMSTEAD_ADMIN_H
#define FARMSTEAD_ADMIN_H

#include "server.h"

struct admin;

/* Takes over the listening, non-blocking socket. NULL when there is no thread to have. */
struct admin *admin_start(struct server *server, int fd);
void admin_stop(struct admin *admin); /* joins and frees; NULL is allowed */

#endif
