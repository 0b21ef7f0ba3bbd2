/* SPDX-License-Identifier: MIT */
/* agent_watch.h — has requests below some paths counted, as an order says (agent_watch_order.h), until a time
 * that each order may put off. Agent's thread. */
#ifndef FARMSTEAD_AGENT_WATCH_H
#define FARMSTEAD_AGENT_WATCH_H

#include "agent/agent_watch_order.h"
#include "server/server.h"

#define AGENT_WATCH_FOR_MAX_MS 600000u

struct agent_watch {
    uint64_t until_ms; /* 0: nothing is counted */
};

/* True: the order said something. */
bool agent_watch_take(struct agent_watch *watch, struct server *server,
                      const struct agent_watch_order *order, uint64_t now_ms);
/* Ends when it is time. */
void agent_watch_on_time(struct agent_watch *watch, struct server *server, uint64_t now_ms);

#endif
