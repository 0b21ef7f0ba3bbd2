/* SPDX-License-Identifier: MIT */
/* agent_local.h — a config that was changed on the node. It is loaded at the start or when somebody
 * asks for it. The last confirmed config is kept all the time: the node goes back to it if the
 * change is no good.
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
    const struct agent_releases
        *releases; /* those of the confirmed config: an edit serves them, too */
    struct agent_drift drift;
    struct config *cfg;  /* serves instead of the confirmed one; NULL: none does */
    uint64_t generation; /* the generation it serves under, that of the confirmed one */
    uint64_t proven_at_ms;
    bool is_on_trial; /* the supervisor is counting its crashes */
};

void agent_local_init(struct agent_local *local, struct server *server, struct agent_state *state,
                      const struct agent_releases *releases);
void agent_local_fini(struct agent_local *local);

/* Serves what is in the file if that is good; else what served before goes on. If nobody has
 * changed the file it serves the confirmed config. False if this failed. */
bool agent_local_load(struct agent_local *local, struct config *confirmed, uint64_t generation,
                      uint64_t now_ms);

/* The config to serve while no assignment is under way; NULL: none. */
struct config *agent_local_resting(const struct agent_local *local, struct config *confirmed);

/* Would this assignment overwrite an edit that it does not know about? */
bool agent_local_forbids(struct agent_local *local, const struct config *confirmed,
                         const struct agent_assignment *assignment);

/* `confirmed` replaces the config confirmed before, and the edit with digest `replaces` ("": none).
 * Any other edit stays in the file. */
void agent_local_end(struct agent_local *local, const struct config *before,
                     const struct config *confirmed, const char *replaces);

bool agent_local_is_effective(const struct agent_local *local,
                              const struct server_effective *effective);
void agent_local_change(const struct agent_local *local, const struct server_effective *effective,
                        struct agent_change *out);

/* Ends the trial when its time is over: a later crash is not the fault of the change.
 * agent_local_due_ms() is UINT64_MAX if there is no trial. */
void agent_local_on_time(struct agent_local *local, uint64_t now_ms);
uint64_t agent_local_due_ms(const struct agent_local *local);

#endif
