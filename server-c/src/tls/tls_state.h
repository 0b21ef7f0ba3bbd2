/* SPDX-License-Identifier: MIT */
/* tls_state.h — an engine and its sets, as tls_engine.c, tls_set.c and tls_session.c share them. */
#ifndef FARMSTEAD_TLS_STATE_H
#define FARMSTEAD_TLS_STATE_H

#include "tls/tls.h"
#include "tls/tls_pem.h"

#include <openssl/ssl.h>

struct tls_engine {
    OSSL_LIB_CTX *library;
    EVP_CIPHER *aes; /* of tickets */
    BIO_METHOD *method;
    BIO *bio; /* of all sessions: there is one io */
    struct tls_io *io;
    struct tls_tickets *tickets;
};

struct tls_context {
    SSL_CTX *ctx;
    struct tls_context *next; /* in its set */
};

struct tls_set {
    uint32_t refs; /* the loop's, and one for each handshake under way */
    struct tls_engine *engine;
    struct tls_settings settings;
    SSL_CTX *base; /* sessions begin with it, before it is known for which name */
    struct tls_context *contexts;
};

struct tls_session {
    SSL *ssl;
    struct tls_set *set; /* a reference; NULL after the handshake */
    char *name;          /* that the client asked for; NULL: none. Of a session of TLS 1.2 that was
                            resumed the library does not know it. */
    struct tls_alert alert;
    struct tls_signing *signing; /* NULL: it is not being signed for */
};

/* What a session reads from and writes to in place of the engine's io, which is the loop's. */
struct tls_signing {
    struct tls_io io; /* no input: a signature needs none */
    int result;       /* of the handshake's step */
};

#define TLS_SECURITY_LEVEL 2 /* 112 bits */

/* One that reads from and writes to `io`. NULL: no memory. */
BIO *tls_bio_new(const struct tls_engine *engine, struct tls_io *io);

/* Does a key of this kind sign so fast that a signature is not worth the way to another thread? */
bool tls_signs_fast(const EVP_PKEY *key);

/* Has a context show the chain. False: the library won't. */
bool tls_show(SSL_CTX *ctx, const struct tls_chain *chain, EVP_PKEY *key);

/* tls_session.c: what the library calls during handshakes. */
int tls_on_hello(SSL *ssl, int *alert, void *set);
int tls_on_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                const unsigned char *in, unsigned int in_len, void *set);
/* Of contexts with a key that signs slowly. */
int tls_on_certificate(SSL *ssl, void *unused);
void tls_on_info(const SSL *ssl, int where, int value);

#endif
