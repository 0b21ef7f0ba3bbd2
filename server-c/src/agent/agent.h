/* SPDX-License-Identifier: MIT */
/* agent.h — the node's side of the agent protocol, on its own thread.
 *
 * Says hello, asks in a long poll what to serve, applies it (agent_apply.h) and reports
 * measurements (agent_report.h). If the control plane is away, for however long, the server goes on
 * serving and the agent goes on asking, with growing pauses up to a limit. */
#ifndef FARMSTEAD_AGENT_H
#define FARMSTEAD_AGENT_H

#include "agent/agent_state.h"
#include "process/supervised.h"
#include "server/server.h"

struct agent;

/* Applies the last confirmed config to `server`, then starts the thread. Server and state must live
 * until agent_stop(). Returns NULL and a sentence in `why` if no thread or no libcurl is
 * available. */
struct agent *agent_start(struct server *server, struct agent_state *state,
                          const struct agent_identity *identity, const struct supervised_past *past,
                          char why[AGENT_WHY_LEN]);

/* Has the agent load config.jsonc from the state folder as somebody has left it. Returns at once.
 * Any thread. */
void agent_reload(struct agent *agent);

/* Interrupts what is under way, joins the thread and frees the agent. The server goes on. */
void agent_stop(struct agent *agent);

/* Writes 32 random hex digits and a NUL: an incarnation. */
void agent_random_id(char out[33]);

#endif
