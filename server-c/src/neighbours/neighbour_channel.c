/* SPDX-License-Identifier: MIT */
/* neighbour_channel.c — the socket does not block: what waits is poll(), which knows until when. */
#include "neighbours/neighbour_channel.h"

#include "base/util.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

/* --- settings --- */

static BIO *open_text(const char *text)
{
    size_t len = strlen(text);

    return len < INT_MAX ? BIO_new_mem_buf(text, (int)len) : NULL;
}

static bool use_certificates(SSL_CTX *settings, const char *text)
{
    BIO *bio = open_text(text);
    X509 *one = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    bool ok = one && SSL_CTX_use_certificate(settings, one) == 1;

    X509_free(one);
    while (ok && (one = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
        ok = SSL_CTX_add1_chain_cert(settings, one) == 1;
        X509_free(one);
    }
    BIO_free(bio);
    return ok;
}

static bool use_key(SSL_CTX *settings, const char *text)
{
    BIO *bio = open_text(text);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
    bool ok = key && SSL_CTX_use_PrivateKey(settings, key) == 1 &&
              SSL_CTX_check_private_key(settings) == 1;

    EVP_PKEY_free(key);
    BIO_free(bio);
    return ok;
}

/* These alone: not the system's. */
static bool trust(SSL_CTX *settings, const char *text)
{
    X509_STORE *store = SSL_CTX_get_cert_store(settings);
    BIO *bio = open_text(text);
    int count = 0;

    for (X509 *one; bio && (one = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL; count++) {
        bool ok = X509_STORE_add_cert(store, one) == 1;
        X509_free(one);
        if (!ok) {
            count = 0;
            break;
        }
    }
    BIO_free(bio);
    return count > 0;
}

SSL_CTX *neighbour_channel_settings(const char *certificate, const char *key, const char *ca)
{
    SSL_CTX *settings = SSL_CTX_new(TLS_server_method());
    bool ok = settings && SSL_CTX_set_min_proto_version(settings, TLS1_3_VERSION) == 1 &&
              SSL_CTX_set_num_tickets(settings, 0) == 1 &&
              use_certificates(settings, certificate) && use_key(settings, key) &&
              trust(settings, ca) && SSL_CTX_set_purpose(settings, X509_PURPOSE_SSL_CLIENT) == 1;

    ERR_clear_error();
    if (!ok) {
        SSL_CTX_free(settings);
        return NULL;
    }
    SSL_CTX_set_options(settings, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(settings, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_verify(settings, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return settings;
}

/* --- waiting --- */

static bool await(int fd, short events, uint64_t until_ns)
{
    for (;;) {
        struct pollfd one = {.fd = fd, .events = events};
        uint64_t now_ns = monotonic_ns();
        int ready;

        if (now_ns >= until_ns)
            return false;
        ready = poll(&one, 1, (int)smaller_of((until_ns - now_ns) / NS_PER_MS + 1, INT_MAX));
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

/* What the library returned wants the socket to be ready first. False: it has failed, or the time is over. */
static bool await_library(struct neighbour_channel *channel, int returned, uint64_t until_ns)
{
    int wants = SSL_get_error(channel->ssl, returned);

    ERR_clear_error();
    if (wants == SSL_ERROR_WANT_READ)
        return await(channel->fd, POLLIN, until_ns);
    return wants == SSL_ERROR_WANT_WRITE && await(channel->fd, POLLOUT, until_ns);
}

/* --- a channel --- */

static bool shake_hands(struct neighbour_channel *channel, uint64_t until_ns)
{
    int done;

    while ((done = SSL_accept(channel->ssl)) != 1)
        if (!await_library(channel, done, until_ns))
            return false;
    return true;
}

static bool know_taker(struct neighbour_channel *channel)
{
    X509 *certificate = SSL_get0_peer_certificate(channel->ssl);

    return certificate && SSL_get_verify_result(channel->ssl) == X509_V_OK &&
           neighbour_key_of(certificate, channel->taker_key);
}

bool neighbour_channel_open(struct neighbour_channel *channel, int fd, SSL_CTX *settings,
                            uint64_t until_ns)
{
    *channel = (struct neighbour_channel){.fd = fd, .ssl = SSL_new(settings)};
    if (channel->ssl && SSL_set_fd(channel->ssl, fd) == 1 && shake_hands(channel, until_ns) &&
        know_taker(channel))
        return true;
    SSL_free(channel->ssl);
    ERR_clear_error();
    return false;
}

/* Who takes nothing takes no goodbye, either: what waits to be sent is thrown away. */
void neighbour_channel_close(struct neighbour_channel *channel)
{
    const struct linger at_once = {.l_onoff = 1};

    if (channel->is_broken)
        setsockopt(channel->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    else
        SSL_shutdown(channel->ssl);
    SSL_free(channel->ssl);
    ERR_clear_error();
}

size_t neighbour_channel_read(struct neighbour_channel *channel, char *bytes, size_t len,
                              uint64_t until_ns)
{
    size_t got = 0;

    while (monotonic_ns() < until_ns) { /* also while something comes again and again */
        int done = SSL_read_ex(channel->ssl, bytes, len, &got);

        if (done == 1)
            return got;
        if (!await_library(channel, done, until_ns))
            return 0;
    }
    return 0;
}

static bool is_too_slow(struct neighbour_channel *channel)
{
    const uint64_t bytes = (uint64_t)NEIGHBOUR_SLOW_BYTES_PER_SECOND * NEIGHBOUR_SLOW_SECONDS;

    if (channel->waited_ns < NEIGHBOUR_SLOW_SECONDS * NS_PER_SECOND)
        return false;
    if (channel->sent_bytes < bytes)
        return true;
    channel->sent_bytes = channel->waited_ns = 0;
    return false;
}

bool neighbour_channel_write(struct neighbour_channel *channel, const char *bytes, size_t len)
{
    size_t sent = 0;
    int done;

    while ((done = SSL_write_ex(channel->ssl, bytes, len, &sent)) != 1) {
        uint64_t began_ns = monotonic_ns();
        uint64_t left_ns = NEIGHBOUR_SLOW_SECONDS * NS_PER_SECOND - channel->waited_ns;

        bool is_ready = await_library(channel, done, began_ns + left_ns);
        channel->waited_ns += monotonic_ns() - began_ns;
        /* A wait that ends with the time is no fault by itself: what went out in all of it decides. */
        channel->is_broken = channel->waited_ns >= NEIGHBOUR_SLOW_SECONDS * NS_PER_SECOND
                                 ? is_too_slow(channel)
                                 : !is_ready;
        if (channel->is_broken)
            return false;
    }
    channel->sent_bytes += len;
    return true;
}
