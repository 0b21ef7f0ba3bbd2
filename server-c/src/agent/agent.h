/* SPDX-License-Identifier: MIT */
/* agent.h — the node's side of the agent protocol, on a thread of its own.
 *
 * Says hello, waits for what to serve in a long poll that is always under way, applies it
 * (agent_apply.h) and reports measurements (agent_report.h). The control plane may be away for
 * ever: the server serves on and the agent keeps asking, less and less often. */
#ifndef FARMSTEAD_AGENT_H
#define FARMSTEAD_AGENT_H

#include "agent/agent_state.h"
#include "process/supervised.h"
#include "server/server.h"

struct agent;

/* Applies the last confirmed config to `server`, then starts the thread. The server and the state
 * must live until agent_stop(). NULL with a sentence in `why` when a thread or libcurl is not to be
 * had. */
struct agent *agent_start(struct server *server, struct agent_state *state,
                          const struct agent_identity *identity, const struct supervised_past *past,
                          char why[AGENT_WHY_LEN]);

/* Loads config.jsonc of the state folder as a person left it, soon. Any thread. */
void agent_reload(struct agent *agent);

/* Interrupts what is under way, joins and frees. The server goes on. */
void agent_stop(struct agent *agent);

/* 32 hex digits of the kernel's randomness: an incarnation. */
void agent_random_id(char out[33]);

#endif
