/* SPDX-License-Identifier: MIT */
/* agent_renewal.h — renews the node's certificate in good time, each time with a new key.
 *
 * The control plane says how long from now, so that this machine's clock does not matter. The old
 * key and certificate are used until the new ones are on disk. If an answer is lost, another
 * request is all that is needed. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_RENEWAL_H
#define FARMSTEAD_AGENT_RENEWAL_H

#include "agent/agent_identity.h"
#include "agent/agent_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent_renewal {
    uint64_t due_ms;      /* AGENT_RENEWAL_NEVER: unknown, or nothing to renew */
    uint64_t earliest_ms; /* after a failure */
    char *key;            /* a certificate was requested for it, no answer yet */
};
#define AGENT_RENEWAL_NEVER UINT64_MAX

void agent_renewal_init(struct agent_renewal *renewal);
void agent_renewal_fini(struct agent_renewal *renewal);
void agent_renewal_plan(struct agent_renewal *renewal, uint64_t after_ms, uint64_t now_ms);

/* Returns the body of `renew` for a new key, which the caller frees. NULL with a sentence in
 * `why`. */
char *agent_renewal_ask(struct agent_renewal *renewal, const char *incarnation,
                        char why[AGENT_WHY_LEN]);

/* Takes the answer: it is checked, written, and then put into `identity`. 0, or -1 with a sentence
 * and nothing changed. */
int agent_renewal_take(struct agent_renewal *renewal, const char *answer, size_t len,
                       struct agent_identity *identity, struct agent_state *state, uint64_t now_ms,
                       char why[AGENT_WHY_LEN]);
/* The renewal failed: try again in a minute or two, whatever time the control plane names
 * meanwhile. */
void agent_renewal_put_off(struct agent_renewal *renewal, uint64_t now_ms);

/* Trusts `ca_certificates` from now on, which came from the control plane that is trusted so far.
 * Returns 1: done, 0: nothing new, -1 with a sentence and nothing changed. */
int agent_renewal_trust(struct agent_identity *identity, const char *ca_certificates,
                        struct agent_state *state, char why[AGENT_WHY_LEN]);

#endif
