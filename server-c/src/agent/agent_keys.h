/* SPDX-License-Identifier: MIT */
/* agent_keys.h — the node's own key, the request for its certificate, and what is asked of
 * certificates that a control plane gives. All of it is PEM text; keys never leave this machine.
 *
 * No I/O. Any thread. */
#ifndef FARMSTEAD_AGENT_KEYS_H
#define FARMSTEAD_AGENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* base64url of the SHA-256 of a certificate's SubjectPublicKeyInfo, as a token carries it. */
#define AGENT_FINGERPRINT_LEN 43

/* A new P-256 key, to be freed with agent_secret_free(), and a request for a certificate for a key.
 * NULL when OpenSSL can't. */
char *agent_key_new(void);
char *agent_key_request(const char *key);

/* Overwrites before it frees; NULL is allowed. */
void agent_secret_free(char *text);

/* Whether `certificate` is one for `key`. 0, or -1 with a sentence. */
int agent_certificate_check(const char *certificate, const char *key, char *why, size_t why_len);

/* Whether `certificates` are some, whole, and nothing else that claims to be one. 0, or -1 with a
 * sentence. */
int agent_ca_check(const char *certificates, char *why, size_t why_len);

bool agent_fingerprint_is_one(const char *text);

/* Of `certificates`, those with this fingerprint: anybody may have added others. NULL when there is
 * none, else the caller frees it. */
char *agent_ca_pick(const char *certificates, const char *fingerprint);

#endif
