/* SPDX-License-Identifier: MIT */
/* agent_keys.h — the node's own key, the request for its certificate, and checks of the
 * certificates that a control plane issues. All as PEM text; keys never leave this machine.
 *
 * No I/O. Any thread. */
#ifndef FARMSTEAD_AGENT_KEYS_H
#define FARMSTEAD_AGENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* A token has the SHA-256 of a certificate's SubjectPublicKeyInfo, in base64url (RFC 4648 section
 * 5). */
#define AGENT_FINGERPRINT_LEN 43

/* Returns a new P-256 key, to be freed with agent_secret_free(), and a certificate request for a
 * key. NULL if OpenSSL fails. */
char *agent_key_new(void);
char *agent_key_request(const char *key);

/* Overwrites the text before freeing it; NULL is allowed. */
void agent_secret_free(char *text);

/* Is `certificate` for `key`? 0, or -1 with a sentence. */
int agent_certificate_check(const char *certificate, const char *key, char *why, size_t why_len);

/* Are there only complete certificates in `certificates`, and at least one? 0, or -1 with a
 * sentence. */
int agent_ca_check(const char *certificates, char *why, size_t why_len);

bool agent_fingerprint_is_one(const char *text);

/* Returns those of `certificates` that have this fingerprint, as anybody may have added others; the
 * caller frees them. NULL: there is none. */
char *agent_ca_pick(const char *certificates, const char *fingerprint);

#endif
