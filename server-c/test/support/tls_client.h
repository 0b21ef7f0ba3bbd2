/* SPDX-License-Identifier: MIT */
/* tls_client.h — a client of TLS in memory, made with the library: what it says, and what it is told. */
#ifndef FARMSTEAD_TEST_TLS_CLIENT_H
#define FARMSTEAD_TEST_TLS_CLIENT_H

#include "base/buf.h"
#include "base/util.h"

#include <openssl/ssl.h>

struct client_wish {
    int version;           /* TLS1_2_VERSION or TLS1_3_VERSION; 0: any */
    const char *name;      /* server_name; NULL: none */
    struct span protocols; /* ALPN, as on the wire */
    SSL_SESSION *session;  /* to be resumed */
    X509 *trusts;          /* NULL: everybody */
    X509 *certificate;     /* its own, with its key; NULL: none */
    EVP_PKEY *key;
    const char *ciphers, *groups; /* NULL: the library's own */
};

struct client {
    SSL_CTX *ctx;
    SSL *ssl;
    SSL_SESSION *session; /* the last one that it was given */
};

static inline int client_keep_session(SSL *ssl, SSL_SESSION *session)
{
    struct client *client = SSL_get_app_data(ssl);

    SSL_SESSION_free(client->session);
    client->session = session;
    return 1;
}

static inline void client_set_ciphers(struct client *client, const struct client_wish *wish)
{
    if (wish->ciphers && wish->version == TLS1_3_VERSION)
        CHECK(SSL_CTX_set_ciphersuites(client->ctx, wish->ciphers) == 1);
    else if (wish->ciphers)
        CHECK(SSL_CTX_set_cipher_list(client->ctx, wish->ciphers) == 1);
    if (wish->groups) {
        char groups[100];
        snprintf(groups, sizeof(groups), "%s", wish->groups);
        CHECK(SSL_CTX_set1_groups_list(client->ctx, groups) == 1);
    }
}

static inline void client_init(struct client *client, const struct client_wish *wish)
{
    *client = (struct client){.ctx = SSL_CTX_new(TLS_client_method())};
    SSL_CTX_set_min_proto_version(client->ctx, wish->version);
    SSL_CTX_set_max_proto_version(client->ctx, wish->version);
    SSL_CTX_set_session_cache_mode(client->ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(client->ctx, client_keep_session);
    if (wish->trusts) {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(client->ctx), wish->trusts);
        SSL_CTX_set_verify(client->ctx, SSL_VERIFY_PEER, NULL);
    }
    if (wish->certificate)
        CHECK(SSL_CTX_use_certificate(client->ctx, wish->certificate) == 1 &&
              SSL_CTX_use_PrivateKey(client->ctx, wish->key) == 1);
    client_set_ciphers(client, wish);
    client->ssl = SSL_new(client->ctx);
    SSL_set_app_data(client->ssl, client);
    SSL_set_bio(client->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    BIO_set_mem_eof_return(SSL_get_rbio(client->ssl), -1);
    SSL_set_connect_state(client->ssl);
    if (wish->name)
        SSL_set_tlsext_host_name(client->ssl, (char *)(uintptr_t)wish->name);
    if (wish->protocols.len > 0)
        SSL_set_alpn_protos(client->ssl, (const unsigned char *)wish->protocols.ptr,
                            (unsigned int)wish->protocols.len);
    if (wish->session) {
        /* The library lets one of TLS 1.3 be used once only. */
        SSL_SESSION *copy = SSL_SESSION_dup(wish->session);
        SSL_set_session(client->ssl, copy);
        SSL_SESSION_free(copy);
    }
}

static inline void client_fini(struct client *client)
{
    /* Without a word of the end the library would not let its session be resumed. */
    SSL_set_shutdown(client->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(client->ssl);
    SSL_CTX_free(client->ctx);
    SSL_SESSION_free(client->session);
}

/* Takes what it has to say off it, at most `cap` bytes. */
static inline size_t client_says(struct client *client, char *room, size_t cap)
{
    int n = BIO_read(SSL_get_wbio(client->ssl), room, (int)cap);

    return n > 0 ? (size_t)n : 0;
}

static inline void client_hears(struct client *client, const char *bytes, size_t len)
{
    if (len > 0)
        CHECK(BIO_write(SSL_get_rbio(client->ssl), bytes, (int)len) == (int)len);
}

/* Reads plain bytes until there is no whole record; returns how many. */
static inline size_t client_reads(struct client *client, char *room, size_t cap)
{
    size_t done = 0, n = 0;

    while (done < cap && SSL_read_ex(client->ssl, room + done, cap - done, &n) == 1)
        done += n;
    return done;
}

#endif
