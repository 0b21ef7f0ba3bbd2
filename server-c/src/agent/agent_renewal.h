/* SPDX-License-Identifier: MIT */
/* agent_renewal.h — the node's certificate is renewed in good time, each time with a new key.
 *
 * The control plane says when, counted from now, so that no clock of this machine is asked. The old
 * key and certificate are used until the new ones are on disk; an answer that is lost costs nothing
 * but another request. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_RENEWAL_H
#define FARMSTEAD_AGENT_RENEWAL_H

#include "agent/agent_identity.h"
#include "agent/agent_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent_renewal {
    uint64_t due_ms;      /* AGENT_RENEWAL_NEVER: not known, or nothing to renew */
    uint64_t earliest_ms; /* after one that failed */
    char *key;            /* asked for and not yet answered */
};
#define AGENT_RENEWAL_NEVER UINT64_MAX

void agent_renewal_init(struct agent_renewal *renewal);
void agent_renewal_fini(struct agent_renewal *renewal);
void agent_renewal_plan(struct agent_renewal *renewal, uint64_t after_ms, uint64_t now_ms);

/* The body of `renew`, for a new key; the caller frees it. NULL with a sentence in `why`. */
char *agent_renewal_ask(struct agent_renewal *renewal, const char *incarnation,
                        char why[AGENT_WHY_LEN]);

/* The answer: checked, written, and then in `identity`. 0, or -1 with a sentence and nothing
 * changed. */
int agent_renewal_take(struct agent_renewal *renewal, const char *answer, size_t len,
                       struct agent_identity *identity, struct agent_state *state, uint64_t now_ms,
                       char why[AGENT_WHY_LEN]);
/* It came to nothing: again in a minute or two, whatever is planned meanwhile. */
void agent_renewal_put_off(struct agent_renewal *renewal, uint64_t now_ms);

/* Believe `ca_certificates` from now on, as the control plane that is believed so far says. 1: done,
 * 0: nothing new, -1 with a sentence and nothing changed. */
int agent_renewal_trust(struct agent_identity *identity, const char *ca_certificates,
                        struct agent_state *state, char why[AGENT_WHY_LEN]);

#endif
