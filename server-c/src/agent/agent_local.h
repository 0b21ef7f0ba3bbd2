/* SPDX-License-Identifier: MIT */
/* agent_local.h — a config that was changed on the node: loaded when a person says so, or at the
 * start, and never in the way of the last confirmed one, which is what the node goes back to when
 * the change is no good.
 *
 * Agent's thread only. */
#ifndef FARMSTEAD_AGENT_LOCAL_H
#define FARMSTEAD_AGENT_LOCAL_H

#include "agent/agent_drift.h"
#include "agent/agent_messages.h"
#include "server/server.h"

#include <stdbool.h>
#include <stdint.h>

struct agent_local {
    struct server *server;
    struct agent_drift drift;
    struct config *cfg;  /* serves in place of the confirmed one, NULL: none does */
    uint64_t generation; /* … under that one's generation */
    uint64_t proven_at_ms;
    bool is_on_trial; /* the supervisor counts its crashes */
};

void agent_local_init(struct agent_local *local, struct server *server, struct agent_state *state);
void agent_local_fini(struct agent_local *local);

/* Serves what the file says, if that is good, else what served before goes on. A file without an
 * edit: the confirmed config. False when nothing of it could be served. */
bool agent_local_load(struct agent_local *local, struct config *confirmed, uint64_t generation,
                      uint64_t now_ms);

/* What is to serve while no assignment is under way: NULL is nothing. */
struct config *agent_local_resting(const struct agent_local *local, struct config *confirmed);

/* Whether this assignment would overwrite an edit that it does not know of. */
bool agent_local_forbids(struct agent_local *local, const struct config *confirmed,
                         const struct agent_assignment *assignment);

/* `confirmed` takes the place of what was confirmed before, and of the edit `replaces` ("": none).
 * Any other edit stays in the file. */
void agent_local_end(struct agent_local *local, const struct config *before,
                     const struct config *confirmed, const char *replaces);

bool agent_local_is_effective(const struct agent_local *local,
                              const struct server_effective *effective);
void agent_local_change(const struct agent_local *local, const struct server_effective *effective,
                        struct agent_change *out);

/* It has served for a while: a later crash is not its fault. AGENT_NEVER-like UINT64_MAX: not due. */
void agent_local_on_time(struct agent_local *local, uint64_t now_ms);
uint64_t agent_local_due_ms(const struct agent_local *local);

#endif
