/* SPDX-License-Identifier: MIT */
/* agent_check.h — may this assignment run on this node, and if not, why not? Implements the rule
 * that a node runs only what it has validated itself. Changes nothing. May wait for the disk. */
#ifndef FARMSTEAD_AGENT_CHECK_H
#define FARMSTEAD_AGENT_CHECK_H

#include "agent/agent_messages.h"
#include "config/config.h"
#include "server/server.h"

/* Returns the config in the assignment, with a reference; or NULL with `nack` filled in, which the
 * caller ends with agent_nack_fini(). Any thread but that of an event loop. */
struct config *agent_check(const struct agent_assignment *assignment,
                           const struct agent_fences *fences, struct server *server,
                           struct agent_nack *nack);

/* The same without the fences, for a text that has not been offered yet. */
struct config *agent_check_release(const struct agent_assignment *assignment, struct server *server,
                                   struct agent_nack *nack);

/* Is one that was placed not on the disk? Then it was not looked at yet: ask again when it is. */
bool agent_check_lacks_release(const struct config *cfg);
bool agent_check_site_lacks_release(const struct config_site *site);
/* The same of one version, which has been placed; false: no site names it. */
bool agent_check_lacks_version(const struct agent_release *item, const struct config *cfg);

/* Would `cfg` work on this machine? 0, or -1 with findings. What runs here already works here,
 * whatever has happened to the disk since (N6). */
int agent_check_machine(const struct config *cfg, struct server *server,
                        struct config_errors *errors);

/* Starts a nack of `assignment` with a code and a sentence. */
void agent_nack_init(struct agent_nack *nack, const struct agent_assignment *assignment,
                     const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void agent_nack_fini(struct agent_nack *nack); /* all zero is allowed */

/* Writes the first finding as a sentence, and how many more there are. */
void agent_findings_say(const struct config_errors *errors, char *out, size_t size);

#endif
