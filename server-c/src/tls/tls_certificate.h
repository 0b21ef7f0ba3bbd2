/* SPDX-License-Identifier: MIT */
/* tls_certificate.h — what the files of a certificate hold: is something wrong with them, for which
 * names are they, and until when.
 *
 * Any thread. */
#ifndef FARMSTEAD_TLS_CERTIFICATE_H
#define FARMSTEAD_TLS_CERTIFICATE_H

#include "base/util.h"

#define TLS_FINGERPRINT_LEN 64 /* SHA-256 of the certificate, in hexadecimal digits */

enum tls_fault {
#define F(name, useless, sentence, hint) TLS_FAULT_##name,
#include "tls/tls_faults.def"
#undef F
    TLS_FAULT_NONE
};

/* The end of a sentence: "… has no certificate in PEM form". Static. */
const char *tls_fault_sentence(enum tls_fault fault);
const char *tls_fault_hint(enum tls_fault fault);
/* True: no handshake is possible with it. False: it can be used, but clients may refuse it. */
bool tls_fault_is_fatal(enum tls_fault fault);

struct tls_certificate; /* a chain, its key, and what is to be said of them */

/* Reads PEM. `chain` and `key` may be the same bytes. Never NULL; free it. */
struct tls_certificate *tls_certificate_read(struct span chain, struct span key,
                                             int64_t now_seconds);
void tls_certificate_free(struct tls_certificate *certificate); /* NULL is allowed */

struct tls_verdict {
    enum tls_fault fault; /* TLS_FAULT_NONE: nothing is wrong */
    bool is_in_key;       /* it is about the key's file */
    uint32_t line;        /* where the certificate or key begins; 0: nowhere */
};
/* Returns the worst that is to be said. */
struct tls_verdict tls_certificate_verdict(const struct tls_certificate *certificate);

/* Of a certificate without a fatal fault: */

/* Does it cover a host as a config names it: "example.org", "*.example.org", "192.0.2.1" or
 * "[2001:db8::1]" (RFC 6125 section 6.4, RFC 9525)? */
bool tls_certificate_covers(const struct tls_certificate *certificate, const char *host);
/* Calls `take` with each DNS name it has (subjectAltName). */
void tls_certificate_names(const struct tls_certificate *certificate,
                           void (*take)(void *arg, const char *name), void *arg);
/* Of two certificates of one kind of key only one can be shown for a name. */
int tls_certificate_kind(const struct tls_certificate *certificate);
int64_t tls_certificate_ends(const struct tls_certificate *certificate); /* seconds since 1970 */
void tls_certificate_fingerprint(const struct tls_certificate *certificate,
                                 char out[TLS_FINGERPRINT_LEN + 1]);

/* Has the PEM text at least one certificate of an authority, and nothing that can't be read? */
enum tls_fault tls_authorities_check(struct span pem, uint32_t *line);

#endif
