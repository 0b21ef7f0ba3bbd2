/* SPDX-License-Identifier: MIT */
/* agent_challenges.h — the challenges of authorities that the control plane has the node answer, in
 * messages. Pure: no I/O, no clock. Any thread. */
#ifndef FARMSTEAD_AGENT_CHALLENGES_H
#define FARMSTEAD_AGENT_CHALLENGES_H

#include "agent/agent_json.h"
#include "site/acme_challenges.h"

#include <stdbool.h>
#include <stddef.h>

struct agent_challenges {
    bool is_said; /* false: those that there are stay */
    struct acme_challenge *items;
    size_t count;
};

/* Reads the member `challenges`, if there is one. The time of an end is the one that is said: it
 * counts from the receipt. Nothing is to be freed after a failure. */
void agent_challenges_read(struct agent_reader *outer, struct agent_challenges *out);
void agent_challenges_fini(struct agent_challenges *challenges); /* leaves it empty */
json_t *agent_challenges_tokens(const struct agent_challenges *challenges);
/* Are they answered already, with the same answers? */
bool agent_challenges_equal(const struct agent_challenges *a, const struct agent_challenges *b);

#endif
