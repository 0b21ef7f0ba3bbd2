/* SPDX-License-Identifier: MIT */
/* agent_renewal.c — a new identity is written completely before it is used. A crash leaves the old
 * one, which the control plane accepts until the new one has been used. */
#include "agent/agent_renewal.h"

#include "agent/agent_keys.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PUT_OFF_MS 60000u

void agent_renewal_init(struct agent_renewal *renewal)
{
    memset(renewal, 0, sizeof(*renewal));
    renewal->due_ms = AGENT_RENEWAL_NEVER;
}

static void forget_key(struct agent_renewal *renewal)
{
    agent_secret_free(renewal->key);
    renewal->key = NULL;
}

void agent_renewal_fini(struct agent_renewal *renewal)
{
    forget_key(renewal);
}

void agent_renewal_plan(struct agent_renewal *renewal, uint64_t after_ms, uint64_t now_ms)
{
    renewal->due_ms = now_ms + after_ms;
    if (renewal->due_ms < renewal->earliest_ms)
        renewal->due_ms = renewal->earliest_ms;
}

void agent_renewal_put_off(struct agent_renewal *renewal, uint64_t now_ms)
{
    uint32_t random = 0;
    forget_key(renewal);
    /* Without randomness the renewals of nodes come a little closer together, that is all. */
    if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
        random = 0;
    renewal->due_ms = renewal->earliest_ms = now_ms + PUT_OFF_MS + random % PUT_OFF_MS;
}

char *agent_renewal_ask(struct agent_renewal *renewal, const char *incarnation,
                        char why[AGENT_WHY_LEN])
{
    forget_key(renewal);
    renewal->key = agent_key_new();
    char *csr = renewal->key ? agent_key_request(renewal->key) : NULL;
    if (!csr) {
        snprintf(why, AGENT_WHY_LEN, "OpenSSL cannot make a P-256 key here");
        return NULL;
    }
    char *body = agent_build_renew(incarnation, csr);
    free(csr);
    return body;
}

/* Takes over `next`, which is written and then used, or freed. */
static int replace(struct agent_identity *identity, struct agent_identity *next,
                   struct agent_state *state, char why[AGENT_WHY_LEN])
{
    if (agent_state_write_identity(state, next, why) != 0) {
        agent_identity_fini(next);
        return -1;
    }
    agent_identity_fini(identity);
    *identity = *next;
    return 0;
}

int agent_renewal_take(struct agent_renewal *renewal, const char *answer, size_t len,
                       struct agent_identity *identity, struct agent_state *state, uint64_t now_ms,
                       char why[AGENT_WHY_LEN])
{
    struct agent_issued issued;
    struct agent_identity next;
    if (agent_read_issued(answer, len, &issued, why) != 0)
        return -1;
    uint64_t after_ms = issued.renew_after_ms;
    if (!renewal->key ||
        agent_certificate_check(issued.certificate, renewal->key, why, AGENT_WHY_LEN) != 0 ||
        agent_ca_check(issued.ca_certificates, why, AGENT_WHY_LEN) != 0) {
        agent_issued_fini(&issued);
        return -1;
    }
    agent_identity_copy(&next, identity);
    agent_identity_take(&next, renewal->key, &issued);
    renewal->key = NULL;
    if (replace(identity, &next, state, why) != 0)
        return -1;
    renewal->earliest_ms = 0;
    agent_renewal_plan(renewal, after_ms, now_ms);
    return 0;
}

int agent_renewal_trust(struct agent_identity *identity, const char *ca_certificates,
                        struct agent_state *state, char why[AGENT_WHY_LEN])
{
    struct agent_identity next;
    /* Over plain http the sender is unknown, so its certificates are not believed. */
    if (!ca_certificates || !identity->ca_certificates ||
        strcmp(ca_certificates, identity->ca_certificates) == 0)
        return 0;
    if (agent_ca_check(ca_certificates, why, AGENT_WHY_LEN) != 0)
        return -1;
    agent_identity_copy(&next, identity);
    free(next.ca_certificates);
    next.ca_certificates = xstrdup(ca_certificates);
    return replace(identity, &next, state, why) == 0 ? 1 : -1;
}
