/* SPDX-License-Identifier: MIT */
/* agent_probes.h — fetches paths from this node itself, so that there is something to measure even
 * without visitors.
 *
 * One request at a time, over a connection like any client's, to an address that the node listens
 * on: so visitors would get what is measured. The requests run on their own thread, which waits for
 * the answers; for the loops it is one more client. An order ends when it is done
 * (agent_probe_order.h), with the next order, or with agent_probes_end(). */
#ifndef FARMSTEAD_AGENT_PROBES_H
#define FARMSTEAD_AGENT_PROBES_H

#include "agent/agent_probe_order.h"
#include "agent/agent_probed.h"
#include "server/server.h"

struct agent_probes;

/* `server` must live until agent_probes_free(). Call it after libcurl was initialised. */
struct agent_probes *agent_probes_new(struct server *server);
/* Ends the order under way, joins the thread and frees. NULL is allowed. */
void agent_probes_free(struct agent_probes *probes);

/* Takes over `order`, and leaves an empty one. False: it is the same order as the last one. */
bool agent_probes_begin(struct agent_probes *probes, struct agent_probe_order *order);
/* What was answered to the last order that is done and asks for it. Each is taken once; false: there is none. */
bool agent_probes_take(struct agent_probes *probes, struct agent_probed *out);
/* Ends the order under way. Its current request may take up to a second to end. */
void agent_probes_end(struct agent_probes *probes);

#endif
