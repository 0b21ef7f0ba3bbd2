/* SPDX-License-Identifier: MIT */
/* agent_identity.h — who this node is: which control plane it joined, as whom, and by what it proves
 * that. All of it is one document, so that a key never stands beside another's certificate.
 *
 * No I/O. One thread at a time. */
#ifndef FARMSTEAD_AGENT_IDENTITY_H
#define FARMSTEAD_AGENT_IDENTITY_H

#include "agent/agent_json.h"
#include "agent/agent_messages.h"

#include <stdbool.h>

#define AGENT_URL_LEN 1024

struct agent_identity {
    char control_plane_url[AGENT_URL_LEN + 1]; /* no slash at its end */
    char proxy[AGENT_URL_LEN + 1];             /* "": as the environment says */
    struct agent_enrolled enrolled;
    bool insecure_http; /* plain http:// was asked for by name */
    /* PEM, all NULL over plain http. */
    char *key, *certificate, *ca_certificates;
};

void agent_identity_fini(struct agent_identity *identity);
void agent_identity_copy(struct agent_identity *to, const struct agent_identity *from);

/* Its key and certificates from now on: takes `key` and what is in `issued`. */
void agent_identity_take(struct agent_identity *identity, char *key, struct agent_issued *issued);

/* The document of identity.json, NULL when memory is gone. */
json_t *agent_identity_json(const struct agent_identity *identity);
/* … and back. `out` is empty when the reader has failed; else agent_identity_fini() it. */
void agent_identity_read(struct agent_reader *reader, struct agent_identity *out);

#endif
