/* SPDX-License-Identifier: MIT */
/* tls_tickets.h — the keys with which session tickets are encrypted (RFC 5077, RFC 8446 section
 * 4.6.1): a client that shows a ticket needs no full handshake.
 *
 * Whoever has such a key can impersonate and, for TLS 1.2, read sessions that were resumed with it.
 * So keys live in memory only and are replaced: by whoever gives them (a control plane gives all
 * nodes the same, so that a client resumes on any of them), else by this module itself, every
 * TLS_TICKET_SECONDS. Any thread. */
#ifndef FARMSTEAD_TLS_TICKETS_H
#define FARMSTEAD_TLS_TICKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TLS_TICKET_SECONDS 43200 /* a key is used for new tickets for so long */
#define TLS_TICKET_KEYS 8        /* at most: the one for new tickets, and others still taken */
#define TLS_TICKET_OWN_KEYS 3    /* of those that are made here */
#define TLS_TICKET_NAME 16

struct tls_ticket_key {
    unsigned char name[TLS_TICKET_NAME]; /* public: it is in the ticket */
    unsigned char cipher[32];            /* AES-256 */
    unsigned char mac[32];               /* HMAC with SHA-256 */
};

struct tls_tickets;
struct tls_tickets *tls_tickets_new(void); /* makes a key; NULL: the system gives no random bytes */
void tls_tickets_free(struct tls_tickets *tickets); /* NULL is allowed */

/* The key for a new ticket, or the one of that name. `is_newest`: new tickets are made with it.
 * False: there is none any more, so the client needs a full handshake. Wipe `out` after use. */
bool tls_tickets_newest(struct tls_tickets *tickets, struct tls_ticket_key *out);
bool tls_tickets_find(struct tls_tickets *tickets, const unsigned char name[TLS_TICKET_NAME],
                      struct tls_ticket_key *out, bool *is_newest);

/* From now on these keys are used, the first one for new tickets, and none is made here any more;
 * `count` 0: they are made here again, and those that were given are forgotten. */
void tls_tickets_set(struct tls_tickets *tickets, const struct tls_ticket_key *keys, size_t count);

/* Makes a new key if it is time. `now_ms`: monotonic. */
void tls_tickets_rotate(struct tls_tickets *tickets, uint64_t now_ms);

#endif
