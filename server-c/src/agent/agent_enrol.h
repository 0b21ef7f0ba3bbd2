/* SPDX-License-Identifier: MIT */
/* agent_enrol.h — how a machine becomes a node: fetches the control plane's CA and compares it with
 * the fingerprint in the token, then sends the token and gets an identity.
 *
 * Waits for the answers; for `join`, which has a single thread. */
#ifndef FARMSTEAD_AGENT_ENROL_H
#define FARMSTEAD_AGENT_ENROL_H

#include "agent/agent_identity.h"
#include "agent/agent_keys.h"

#include <stdbool.h>

#define AGENT_ENROL_WHY_LEN 3072 /* room for a sentence of the control plane and ours around it */

/* The token that a person copies: `secret` or `secret.fingerprint`. */
struct agent_token {
    char secret[AGENT_SECRET_LEN + 1];
    char fingerprint[AGENT_FINGERPRINT_LEN + 1]; /* "": the control plane uses plain http */
};

bool agent_token_read(const char *text, struct agent_token *out);

enum agent_enrol_outcome {
    AGENT_ENROLLED,
    AGENT_ENROL_REFUSED,    /* or not sent at all */
    AGENT_ENROL_UNANSWERED, /* it may have worked: asking again with the same key is free */
};

/* Fills in `identity`, in which the addresses and insecure_http are already set. `name` NULL: the
 * host's name. `key` is for the certificate that is requested; NULL over plain http. On failure
 * there is a sentence in `why`. */
enum agent_enrol_outcome agent_enrol(const struct agent_token *token, const char *name,
                                     const char *key, struct agent_identity *identity,
                                     char why[AGENT_ENROL_WHY_LEN]);

#endif
