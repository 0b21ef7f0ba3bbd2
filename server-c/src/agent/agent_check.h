/* SPDX-License-Identifier: MIT */
/* agent_check.h — may this assignment run on this node, and if not, why: the node's half of "a
 * node only ever runs what it validated itself". Changes nothing. May block on the disk. */
#ifndef FARMSTEAD_AGENT_CHECK_H
#define FARMSTEAD_AGENT_CHECK_H

#include "agent/agent_messages.h"
#include "config/config.h"
#include "server/server.h"

/* The config that the assignment carries, with a reference, or NULL and `nack` filled in, to be
 * ended with agent_nack_fini(). Any thread but an event loop's. */
struct config *agent_check(const struct agent_assignment *assignment,
                           const struct agent_fences *fences, struct server *server,
                           struct agent_nack *nack);

/* The same for a text that nobody has offered yet: without the fences. */
struct config *agent_check_release(const struct agent_assignment *assignment, struct server *server,
                                   struct agent_nack *nack);

/* Whether `cfg` would work on this machine: 0, or -1 with findings. What runs here already works
 * here, whatever the disk looks like by now (N6). */
int agent_check_machine(const struct config *cfg, struct server *server,
                        struct config_errors *errors);

/* Starts a nack of `assignment` with a code and a sentence. */
void agent_nack_init(struct agent_nack *nack, const struct agent_assignment *assignment,
                     const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void agent_nack_fini(struct agent_nack *nack); /* all zero is allowed */

/* The first finding as one sentence, and how many more there are. */
void agent_findings_say(const struct config_errors *errors, char *out, size_t size);

#endif
