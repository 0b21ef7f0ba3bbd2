/* SPDX-License-Identifier: MIT */
/* agent_enrol.h — how a machine becomes a node: the control plane's CA is fetched and held against
 * the token's fingerprint, then the token is said and an identity comes back.
 *
 * Blocks; for `join`, which has one thread. */
#ifndef FARMSTEAD_AGENT_ENROL_H
#define FARMSTEAD_AGENT_ENROL_H

#include "agent/agent_identity.h"
#include "agent/agent_keys.h"

#include <stdbool.h>

#define AGENT_ENROL_WHY_LEN 3072 /* a sentence of the control plane's, with ours around it */

/* What a person copies: `secret` or `secret.fingerprint`. */
struct agent_token {
    char secret[AGENT_SECRET_LEN + 1];
    char fingerprint[AGENT_FINGERPRINT_LEN + 1]; /* "": the control plane speaks plain http */
};

bool agent_token_read(const char *text, struct agent_token *out);

enum agent_enrol_outcome {
    AGENT_ENROLLED,
    AGENT_ENROL_REFUSED,    /* or never begun */
    AGENT_ENROL_UNANSWERED, /* it may have worked: asked again with the same key, it costs nothing */
};

/* Fills in `identity`, whose addresses and insecure_http are set. `name` NULL: the host's. `key` is
 * what a certificate is asked for, NULL over plain http. A sentence in `why` for a failure. */
enum agent_enrol_outcome agent_enrol(const struct agent_token *token, const char *name,
                                     const char *key, struct agent_identity *identity,
                                     char why[AGENT_ENROL_WHY_LEN]);

#endif
