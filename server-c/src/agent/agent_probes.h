/* SPDX-License-Identifier: MIT */
/* agent_probes.h — fetches paths from this very node, so that a farm without visitors has something
 * to measure.
 *
 * One request at a time, over a connection like any client's to an address the node listens on: what
 * is measured is what visitors would get. On a thread of its own, which waits for the answers; the
 * loops see one client more. An order ends by itself (agent_probe_order.h), at the next one, and
 * with agent_probes_end(). */
#ifndef FARMSTEAD_AGENT_PROBES_H
#define FARMSTEAD_AGENT_PROBES_H

#include "agent/agent_probe_order.h"
#include "server/server.h"

struct agent_probes;

/* `server` must live until agent_probes_free(). Call it after libcurl was made ready. */
struct agent_probes *agent_probes_new(struct server *server);
/* Ends what is under way, joins and frees. NULL is allowed. */
void agent_probes_free(struct agent_probes *probes);

/* Takes `order` over and leaves an empty one. False: it is the one that came last. */
bool agent_probes_begin(struct agent_probes *probes, struct agent_probe_order *order);
/* Nothing is to be fetched any more. The request under way may take up to a second to end. */
void agent_probes_end(struct agent_probes *probes);

#endif
