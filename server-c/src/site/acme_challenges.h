/* SPDX-License-Identifier: MIT */
/* acme_challenges.h — the answers by which an authority sees that the farm holds a host name (RFC
 * 8555 section 8.3). They are given by the control plane, for minutes, and kept in memory only. Any
 * thread. */
#ifndef FARMSTEAD_ACME_CHALLENGES_H
#define FARMSTEAD_ACME_CHALLENGES_H

#include "base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACME_PATH "/.well-known/acme-challenge/"
#define ACME_CHALLENGES_MAX 256
#define ACME_HOST_LEN 253
#define ACME_TOKEN_LEN 256
#define ACME_ANSWER_LEN 512

struct acme_challenge {
    char host[ACME_HOST_LEN + 1];
    char token[ACME_TOKEN_LEN + 1];
    char answer[ACME_ANSWER_LEN + 1];
    uint64_t ends_ms; /* monotonic; it is forgotten then */
};

struct acme_challenges;
struct acme_challenges *acme_challenges_new(void);
void acme_challenges_free(struct acme_challenges *challenges); /* NULL is allowed */

/* These, at most ACME_CHALLENGES_MAX, replace all that there were. */
void acme_challenges_set(struct acme_challenges *challenges, const struct acme_challenge *items,
                         size_t count);
/* Copies those that have not ended to `out`, which has room for ACME_CHALLENGES_MAX. */
size_t acme_challenges_copy(struct acme_challenges *challenges, struct acme_challenge *out,
                            uint64_t now_ms);
/* `host` in any case, the token exactly. False: there is none. Takes no lock while there is none at
 * all. */
bool acme_challenges_find(struct acme_challenges *challenges, struct span host, struct span token,
                          uint64_t now_ms, char answer[ACME_ANSWER_LEN + 1]);

#endif
