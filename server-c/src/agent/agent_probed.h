/* SPDX-License-Identifier: MIT */
/* agent_probed.h — what a node answered when it fetched paths from itself, for an order that asks for it. */
#ifndef FARMSTEAD_AGENT_PROBED_H
#define FARMSTEAD_AGENT_PROBED_H

#include "agent/agent_probe_order.h"

#include <openssl/evp.h>

#define AGENT_PROBED_SHA256_LEN 64
#define AGENT_PROBED_TYPE_LEN 127

struct agent_probe_answer {
    uint16_t status;                          /* 0: none came */
    uint64_t bytes;                           /* of the content */
    char sha256[AGENT_PROBED_SHA256_LEN + 1]; /* of the content; "": not all of it came */
    char type[AGENT_PROBED_TYPE_LEN + 1];     /* Content-Type; "": none, or one that is too long */
};

/* In the order of the order's paths. */
struct agent_probed {
    char id[AGENT_PROBE_ID_LEN + 1]; /* of the order; "": there is nothing to say */
    size_t count;
    struct agent_probe_answer answers[AGENT_PROBE_PATHS_MAX];
};

json_t *agent_probed_json(const struct agent_probed *probed);

/* One answer while it comes. The digest is made of what is added, and not kept. */
struct agent_probe_reading {
    EVP_MD_CTX *digest; /* NULL: nobody wants it */
    uint64_t bytes;
};
void agent_probe_reading_begin(struct agent_probe_reading *reading, bool wants_digest);
void agent_probe_reading_add(struct agent_probe_reading *reading, const char *bytes, size_t len);
/* `type` may be NULL. Ends the reading. */
void agent_probe_reading_end(struct agent_probe_reading *reading, long status, bool is_whole,
                             const char *type, struct agent_probe_answer *out);

#endif
