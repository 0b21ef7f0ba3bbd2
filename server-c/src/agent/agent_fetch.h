/* SPDX-License-Identifier: MIT */
/* agent_fetch.h — gets what an assignment needs besides its text: certificates that are not on the
 * disk, one after the other, in a slot of their own, and then releases (agent_pull.h). The assignment waits
 * meanwhile; while releases come a newer one is asked for, and takes its place. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_FETCH_H
#define FARMSTEAD_AGENT_FETCH_H

#include "agent/agent_apply.h"
#include "agent/agent_http.h"

#include <stdbool.h>
#include <stddef.h>

struct agent_fetch {
    struct agent_assignment waiting; /* no text: none */
    size_t at;                       /* the certificate that is being fetched */
    bool is_asked;                   /* there is a request for it */
    bool was_fetched;                /* all certificates have been, once */
    bool is_pulling;                 /* its releases come, also while there is no session */
    uint64_t since_ms;               /* when it began to be fetched */
    bool made_room;                  /* for them, of what was fetched ahead */
};

/* Takes over `assignment`, of which certificates or releases are lacking. */
void agent_fetch_begin(struct agent_fetch *fetch, const struct agent_apply *apply,
                       struct agent_assignment *assignment, uint64_t now_ms);
void agent_fetch_end(struct agent_fetch *fetch);

/* Starts the next request if the slot is free. */
void agent_fetch_speak(struct agent_fetch *fetch, struct agent_http *http);

/* An answer has come, or none: false if nobody waits for it any more. */
bool agent_fetch_is_awaited(struct agent_fetch *fetch);
/* Takes a good answer, and wipes it. True: nothing is lacking any more, so the assignment is to be taken;
 * or it was refused and waits no more. */
bool agent_fetch_hear(struct agent_fetch *fetch, struct agent_apply *apply,
                      const struct agent_reply *reply);
/* There was none, or it was a problem: the assignment is refused. */
void agent_fetch_fail(struct agent_fetch *fetch, struct agent_apply *apply, const char *code,
                      const char *why);

#endif
