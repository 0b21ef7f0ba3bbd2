/* SPDX-License-Identifier: MIT */
/* tls_session.c — one client's session, and the choice of its certificate.
 *
 * The name decides before anything else of the handshake is looked at, session tickets included: a
 * session of one site is not resumed at another that asks for other clients' certificates. */
#include "base/mem.h"
#include "tls/tls_state.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>

/* --- the name -------------------------------------------------------------------------------- */

/* Takes a length of two bytes and what it counts off the front. */
static bool take_block(struct span *from, struct span *block)
{
    size_t len;

    if (from->len < 2)
        return false;
    len = (size_t)(unsigned char)from->ptr[0] << 8 | (unsigned char)from->ptr[1];
    if (len > from->len - 2)
        return false;
    *block = (struct span){from->ptr + 2, len};
    from->ptr += 2 + len;
    from->len -= 2 + len;
    return true;
}

/* The host name in the client's hello (RFC 6066 section 3); empty: there is none, or it is not as
 * it must be, which the library will find, too. */
static struct span asked_name(SSL *ssl)
{
    const unsigned char *bytes;
    struct span extension, names, name = {"", 0};
    size_t len;

    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &len) != 1)
        return name;
    extension = (struct span){(const char *)bytes, len};
    if (!take_block(&extension, &names) || names.len < 1 ||
        names.ptr[0] != TLSEXT_NAMETYPE_host_name)
        return name;
    names.ptr++;
    names.len--;
    if (!take_block(&names, &name))
        name = (struct span){"", 0};
    return name;
}

/* False: no memory. Once for a session: of a second hello, for another group, the library does not
 * tell. */
static bool note_name(struct tls_session *session, struct span name)
{
    session->name = name.len > 0 ? strndup(name.ptr, name.len) : NULL;
    return session->name || name.len == 0;
}

int tls_on_hello(SSL *ssl, int *alert, void *arg)
{
    const struct tls_set *set = arg;
    struct span name = asked_name(ssl);
    const struct tls_context *context = set->settings.choose(set->settings.arg, name);

    if (!context || !note_name(SSL_get_app_data(ssl), name) ||
        SSL_set_SSL_CTX(ssl, context->ctx) != context->ctx) {
        *alert = context ? SSL_AD_INTERNAL_ERROR : SSL_AD_UNRECOGNIZED_NAME;
        return SSL_CLIENT_HELLO_ERROR;
    }
    SSL_set_verify(ssl, SSL_CTX_get_verify_mode(context->ctx), NULL);
    SSL_set_verify_depth(ssl, SSL_CTX_get_verify_depth(context->ctx));
    return SSL_CLIENT_HELLO_SUCCESS;
}

/* --- the protocol above ---------------------------------------------------------------------- */

/* Is `protocol` in a list as ALPN has it: each name after its length (RFC 7301 section 3.1)? */
static bool is_offered(const char *protocol, const unsigned char *in, unsigned int in_len,
                       const unsigned char **out, unsigned char *out_len)
{
    size_t len = strlen(protocol);

    for (unsigned int at = 0; at < in_len; at += 1U + in[at]) {
        if (in[at] != len || in_len - at - 1 < len || memcmp(in + at + 1, protocol, len) != 0)
            continue;
        *out = in + at + 1;
        *out_len = in[at];
        return true;
    }
    return false;
}

/* A client that offers nothing that we speak is not answered in something else: what it takes for
 * another protocol could be abused (RFC 7301 section 3.2). */
int tls_on_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                const unsigned char *in, unsigned int in_len, void *arg)
{
    const struct tls_set *set = arg;

    (void)ssl;
    if ((set->settings.speaks_http2 && is_offered("h2", in, in_len, out, out_len)) ||
        is_offered("http/1.1", in, in_len, out, out_len) ||
        is_offered("http/1.0", in, in_len, out, out_len))
        return SSL_TLSEXT_ERR_OK;
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* --- alerts ---------------------------------------------------------------------------------- */

void tls_on_info(const SSL *ssl, int where, int value)
{
    struct tls_session *session;

    if (!(where & SSL_CB_ALERT) || (value & 0xff) == SSL_AD_CLOSE_NOTIFY)
        return;
    session = SSL_get_app_data(ssl);
    session->alert = (struct tls_alert){true, (where & SSL_CB_READ) != 0, (uint8_t)(value & 0xff)};
}

struct tls_alert tls_session_alert(const struct tls_session *session)
{
    return session->alert;
}

const char *tls_alert_name(uint8_t alert)
{
    static const struct {
        uint8_t number;
        const char *name;
    } names[] = {
#define A(number, name) {number, name},
#include "tls/tls_alerts.def"
#undef A
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].number == alert)
            return names[i].name;
    return "unknown";
}

/* --- the session ----------------------------------------------------------------------------- */

struct tls_session *tls_session_new(struct tls_set *set)
{
    struct tls_session *session = calloc(1, sizeof(*session));
    BIO *bio = set->engine->bio;

    if (!session)
        return NULL;
    session->ssl = SSL_new(set->base);
    if (!session->ssl) {
        free(session);
        ERR_clear_error();
        return NULL;
    }
    SSL_set_app_data(session->ssl, session);
    BIO_up_ref(bio);
    SSL_set_bio(session->ssl, bio, bio);
    SSL_set_accept_state(session->ssl);
    session->set = set;
    set->refs++;
    return session;
}

static void free_signing(struct tls_session *session)
{
    if (session->signing)
        free(session->signing->io.out);
    free(session->signing);
    session->signing = NULL;
}

void tls_session_free(struct tls_session *session)
{
    if (!session)
        return;
    SSL_free(session->ssl);
    tls_set_put(session->set);
    free_signing(session);
    free(session->name);
    free(session);
}

/* The library keeps a queue of errors for each thread, which must be empty before a call. */
static int error_of(const struct tls_session *session, int result)
{
    int error = SSL_get_error(session->ssl, result);

    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        return -EAGAIN;
    if (error == SSL_ERROR_WANT_X509_LOOKUP)
        return -EINPROGRESS;
    if (ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return -ENOMEM;
    return -EPROTO;
}

static int step(const struct tls_session *session)
{
    int result, err = 0;

    ERR_clear_error();
    result = SSL_do_handshake(session->ssl);
    if (result != 1)
        err = error_of(session, result);
    ERR_clear_error();
    return err;
}

int tls_session_handshake(struct tls_session *session)
{
    int err = step(session);

    if (!err) {
        tls_set_put(session->set);
        session->set = NULL;
    }
    return err;
}

/* --- signing --------------------------------------------------------------------------------- */

/* Will it be a key that signs fast, of those that the context has? Of TLS 1.3 that is certain, where
 * the client takes such a certificate: those algorithms come first. In TLS 1.2 the cipher decides,
 * which is not known yet. */
static bool will_sign_fast(SSL *ssl)
{
    STACK_OF(X509) * chain;

    if (SSL_version(ssl) != TLS1_3_VERSION)
        return false;
    for (long which = SSL_CERT_SET_FIRST; SSL_set_current_cert(ssl, which) == 1;
         which = SSL_CERT_SET_NEXT) {
        EVP_PKEY *key = SSL_get_privatekey(ssl);
        if (tls_signs_fast(key) && SSL_get0_chain_certs(ssl, &chain) == 1 &&
            SSL_check_chain(ssl, SSL_get_certificate(ssl), key, chain) & CERT_PKEY_VALID)
            return true;
    }
    return false;
}

/* The library calls it when it knows that there will be a signature: the session is not resumed. */
int tls_on_certificate(SSL *ssl, void *unused)
{
    const struct tls_session *session = SSL_get_app_data(ssl);

    (void)unused;
    return session->signing || will_sign_fast(ssl) ? 1 : -1;
}

bool tls_session_begin_signing(struct tls_session *session)
{
    struct tls_signing *signing = calloc(1, sizeof(*signing));
    BIO *bio = signing ? tls_bio_new(session->set->engine, &signing->io) : NULL;

    if (!bio) {
        free(signing);
        return false;
    }
    SSL_set_bio(session->ssl, bio, bio);
    session->signing = signing;
    return true;
}

void tls_session_sign(struct tls_session *session)
{
    session->signing->result = step(session);
}

int tls_session_end_signing(struct tls_session *session)
{
    const struct tls_engine *engine = session->set->engine;
    const struct tls_signing *signing = session->signing;
    int result = signing->result;

    BIO_up_ref(engine->bio);
    SSL_set_bio(session->ssl, engine->bio, engine->bio);
    if (signing->io.out_len > 0 && !tls_io_append(engine->io, signing->io.out, signing->io.out_len))
        result = -ENOMEM;
    free_signing(session);
    return result;
}

/* --- the open session ------------------------------------------------------------------------ */

ssize_t tls_session_read(struct tls_session *session, void *room, size_t cap)
{
    size_t n = 0;
    int result;
    ssize_t err;

    ERR_clear_error();
    result = SSL_read_ex(session->ssl, room, cap, &n);
    if (result == 1)
        return (ssize_t)n;
    if (SSL_get_error(session->ssl, result) == SSL_ERROR_ZERO_RETURN)
        return 0;
    err = error_of(session, result);
    ERR_clear_error();
    return err;
}

bool tls_session_has_pending(const struct tls_session *session)
{
    return SSL_pending(session->ssl) > 0;
}

int tls_session_write(struct tls_session *session, const void *bytes, size_t len)
{
    const char *at = bytes;

    ERR_clear_error();
    while (len > 0) {
        size_t n = 0;
        int result = SSL_write_ex(session->ssl, at, len, &n);
        if (result != 1) {
            int err = error_of(session, result);
            ERR_clear_error();
            return err == -EAGAIN ? -EPROTO : err;
        }
        at += n;
        len -= n;
    }
    return 0;
}

void tls_session_end(struct tls_session *session)
{
    ERR_clear_error();
    SSL_shutdown(session->ssl);
    ERR_clear_error();
}

/* --- what came of it ------------------------------------------------------------------------- */

static const struct {
    enum tls_protocol protocol;
    const char *library, *iana;
} ciphers[] = {
#define C(name, protocol, library, iana) [TLS_CIPHER_##name] = {protocol, library, iana},
#include "tls/tls_ciphers.def"
#undef C
};

const char *tls_cipher_name(enum tls_cipher cipher)
{
    return ciphers[cipher].iana;
}

enum tls_protocol tls_cipher_protocol(enum tls_cipher cipher)
{
    return ciphers[cipher].protocol;
}

const char *tls_protocol_name(enum tls_protocol protocol)
{
    return protocol == TLS_1_3 ? "TLSv1.3" : "TLSv1.2";
}

static enum tls_cipher cipher_of(const SSL *ssl)
{
    const char *name = SSL_get_cipher_name(ssl);
    int cipher = 0;

    while (cipher < TLS_CIPHER_COUNT - 1 && strcmp(ciphers[cipher].library, name) != 0)
        cipher++;
    return (enum tls_cipher)cipher;
}

struct tls_facts tls_session_facts(const struct tls_session *session)
{
    const unsigned char *protocol = NULL;
    unsigned int len = 0;

    SSL_get0_alpn_selected(session->ssl, &protocol, &len);
    return (struct tls_facts){
        .protocol = SSL_version(session->ssl) == TLS1_3_VERSION ? TLS_1_3 : TLS_1_2,
        .cipher = cipher_of(session->ssl),
        .is_resumed = SSL_session_reused(session->ssl) == 1,
        .is_http2 = len == 2,
    };
}

struct span tls_session_name(const struct tls_session *session)
{
    return session->name ? (struct span){session->name, strlen(session->name)}
                         : (struct span){"", 0};
}

bool tls_session_is_verified(const struct tls_session *session)
{
    return SSL_get0_peer_certificate(session->ssl) &&
           SSL_get_verify_result(session->ssl) == X509_V_OK;
}
