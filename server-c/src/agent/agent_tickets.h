/* SPDX-License-Identifier: MIT */
/* agent_tickets.h — the keys of session tickets that all nodes of a group share, so that a client
 * resumes on any of them. They are kept in memory only. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_TICKETS_H
#define FARMSTEAD_AGENT_TICKETS_H

#include "agent/agent_http.h"
#include "server/server.h"

#include <stdbool.h>
#include <stdint.h>

#define AGENT_TICKETS_HOURS 24 /* keys are used for so long without newer ones */

struct agent_tickets {
    uint64_t due_ms;
    uint64_t given_ms; /* when the last ones came; 0: the node makes its own */
    bool is_asked;     /* the request in the slot FETCH is for them */
};

void agent_tickets_speak(struct agent_tickets *tickets, struct agent_http *http,
                         struct server *server, uint64_t now_ms);
/* Takes the answer to that request, good or not. */
void agent_tickets_hear(struct agent_tickets *tickets, const struct agent_reply *reply,
                        struct server *server, uint64_t now_ms);
/* Ends the use of keys that have become too old. */
void agent_tickets_on_time(struct agent_tickets *tickets, struct server *server, uint64_t now_ms);

#endif
