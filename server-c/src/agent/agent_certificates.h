/* SPDX-License-Identifier: MIT */
/* agent_certificates.h — which versions of certificates go with a config, as the control plane says
 * it, and what it answers when one is fetched. Pure: no I/O, no clock. Any thread. */
#ifndef FARMSTEAD_AGENT_CERTIFICATES_H
#define FARMSTEAD_AGENT_CERTIFICATES_H

#include "agent/agent_json.h"
#include "config/config.h"
#include "tls/certificates_shown.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_CERTIFICATES_MAX 1024
#define AGENT_CERTIFICATE_NAME_LEN 63

struct agent_certificate {
    char name[AGENT_CERTIFICATE_NAME_LEN + 1]; /* is good as the name of a file, too */
    uint64_t version;
    char fingerprint[TLS_FINGERPRINT_LEN + 1];
};

struct agent_certificates {
    struct agent_certificate *items;
    size_t count;
};

/* Reads the member `certificates`, if there is one. Nothing is to be freed after a failure. */
void agent_certificates_read(struct agent_reader *outer, struct agent_certificates *out);
json_t *agent_certificates_json(const struct agent_certificates *list);
void agent_certificates_copy(struct agent_certificates *to, const struct agent_certificates *from);
void agent_certificates_fini(struct agent_certificates *list); /* leaves it empty */

/* NULL: it has none of that name, or with that fingerprint. */
const struct agent_certificate *agent_certificates_find(const struct agent_certificates *list,
                                                        const char *name);
/* Drops what `cfg` does not name. Returns a name that the list lacks; NULL: it has all. */
const char *agent_certificates_fit(struct agent_certificates *list, const struct config *cfg);
/* Makes a list of what is loaded, sorted by name; the versions are those that `lists` has with these
 * fingerprints. */
void agent_certificates_loaded(struct agent_certificates *out,
                               const struct certificates_shown *shown,
                               const struct agent_certificates *const *lists, size_t count);

/* A chain and its key in PEM. Free them with agent_certificate_text_fini(), which overwrites the
 * key. */
struct agent_certificate_text {
    char *chain, *key;
};
/* Reads the answer to `certificate`, which must be about the one that was asked for. 0, or -1 with a
 * sentence and nothing to free. */
int agent_read_certificate(const char *body, size_t len, const struct agent_certificate *asked,
                           struct agent_certificate_text *out, char *why, size_t why_len);
void agent_certificate_text_fini(struct agent_certificate_text *text);

#endif
