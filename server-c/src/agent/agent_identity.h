/* SPDX-License-Identifier: MIT */
/* agent_identity.h — who this node is: the control plane it has joined, its name there, and how it
 * proves who it is. All of this is one document, so that a key is never stored with another key's
 * certificate.
 *
 * No I/O. One thread at a time. */
#ifndef FARMSTEAD_AGENT_IDENTITY_H
#define FARMSTEAD_AGENT_IDENTITY_H

#include "agent/agent_json.h"
#include "agent/agent_messages.h"

#include <stdbool.h>

#define AGENT_URL_LEN 1024

struct agent_identity {
    char control_plane_url[AGENT_URL_LEN + 1]; /* without a final slash */
    char proxy[AGENT_URL_LEN + 1];             /* "": the one in the environment */
    struct agent_enrolled enrolled;
    bool insecure_http; /* plain http:// was asked for explicitly */
    /* PEM; all NULL with plain http. */
    char *key, *certificate, *ca_certificates;
};

void agent_identity_fini(struct agent_identity *identity);
void agent_identity_copy(struct agent_identity *to, const struct agent_identity *from);

/* Replaces key and certificates: takes over `key` and the contents of `issued`. */
void agent_identity_take(struct agent_identity *identity, char *key, struct agent_issued *issued);

/* Returns the document of identity.json; NULL: no memory. */
json_t *agent_identity_json(const struct agent_identity *identity);
/* Reads the document. `out` is empty if the reader has failed; else end it with
 * agent_identity_fini(). */
void agent_identity_read(struct agent_reader *reader, struct agent_identity *out);

#endif
