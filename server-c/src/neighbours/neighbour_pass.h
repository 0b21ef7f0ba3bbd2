/* SPDX-License-Identifier: MIT */
/* neighbour_pass.h — may this node take that release from us? The control plane has signed it for the key that the node
 * shows and for one manifest; nobody is asked, and no list is kept.
 *
 *   1.MANIFEST.KEY.UNTIL.SIGNATURE   all but 1 and UNTIL (seconds since 1970) lower-case hex
 *
 * No I/O, no clock. Any thread. */
#ifndef FARMSTEAD_NEIGHBOUR_PASS_H
#define FARMSTEAD_NEIGHBOUR_PASS_H

#include <openssl/x509.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEIGHBOUR_PASS_LEN 280
#define NEIGHBOUR_KEY_LEN 64 /* the SHA-256 of a public key, in hex */
#define NEIGHBOUR_PASS_KEYS_MAX 4
#define NEIGHBOUR_PASS_KEY_BYTES 32
/* A pass that lasts longer is nobody's, or this machine's clock is far behind. */
#define NEIGHBOUR_PASS_LONGEST_SECONDS 7200

/* Any of these Ed25519 keys may have signed it. */
struct neighbour_pass_keys {
    unsigned char items[NEIGHBOUR_PASS_KEYS_MAX][NEIGHBOUR_PASS_KEY_BYTES];
    size_t count;
};

/* NULL: it is good; else why not. `taker_key` is the digest of the key that the other side has shown. */
const char *neighbour_pass_fault(const char *pass, const struct neighbour_pass_keys *keys,
                                 const char *manifest, const char *taker_key, int64_t now_seconds);

/* The digest of the certificate's public key (DER, SubjectPublicKeyInfo). */
bool neighbour_key_digest(X509 *certificate, unsigned char out[NEIGHBOUR_KEY_LEN / 2]);
/* The same in hex. */
bool neighbour_key_of(X509 *certificate, char out[NEIGHBOUR_KEY_LEN + 1]);

#endif
