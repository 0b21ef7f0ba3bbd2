/* SPDX-License-Identifier: MIT */
/* tls.h — TLS 1.2 and 1.3 for servers (RFC 5246, RFC 8446), by a library of which nothing is seen
 * here.
 *
 * An engine is what one loop's sessions share. A set is what a config says: the certificates, made
 * ready. A session is one client's: it turns what the client sent into plain bytes and back, from
 * memory to memory (struct tls_io).
 *
 * An engine and its sessions are for one thread at a time, but for tls_session_sign(). A set is made
 * on any thread, which then gives it to the engine's. */
#ifndef FARMSTEAD_TLS_H
#define FARMSTEAD_TLS_H

#include "base/util.h"
#include "tls/tls_tickets.h"

#include <sys/types.h>

enum tls_protocol { TLS_1_2, TLS_1_3, TLS_PROTOCOL_COUNT };
enum tls_cipher {
#define C(name, protocol, library, iana) TLS_CIPHER_##name,
#include "tls/tls_ciphers.def"
#undef C
    TLS_CIPHER_COUNT
};
enum tls_protocol tls_cipher_protocol(enum tls_cipher cipher);
const char *tls_protocol_name(enum tls_protocol protocol); /* "TLSv1.3"; static */
const char *tls_cipher_name(enum tls_cipher cipher);       /* IANA's; static */
/* As in IANA's registry: "bad_certificate"; "unknown" for what is not in it. Static. */
const char *tls_alert_name(uint8_t alert);

/* --- engines --------------------------------------------------------------------------------- */

/* What the client sent, and what is to be sent to it. The caller owns both and keeps them in place
 * during a call. */
struct tls_io {
    const char *in;
    size_t in_len; /* what a call has used is taken off the front */
    char *out;     /* on the heap; appended to */
    size_t out_len, out_cap;
};

/* False: no memory. */
bool tls_io_append(struct tls_io *io, const void *bytes, size_t len);

struct tls_engine;
/* `io` is where all its sessions read and write. NULL: no memory. */
struct tls_engine *tls_engine_new(struct tls_io *io, struct tls_tickets *tickets);
/* After its sets and sessions, and the end of all threads that signed: the library keeps something of
 * the engine for each. NULL is allowed. */
void tls_engine_free(struct tls_engine *engine);

/* --- sets ------------------------------------------------------------------------------------ */

struct tls_set;
struct tls_context; /* what is shown for some names; belongs to its set */

struct tls_settings {
    bool is_modern;    /* TLS 1.3 alone */
    bool speaks_http2; /* "h2" is offered (ALPN, RFC 7301), beside "http/1.1" */
    /* The context for a name that a client asks for; an empty name: it named none. NULL: the
     * handshake fails. On the engine's thread. */
    struct tls_context *(*choose)(void *arg, struct span name);
    void (*free_arg)(void *arg); /* called when the set is freed */
    void *arg;
};
/* With one reference. NULL: no memory. */
struct tls_set *tls_set_new(struct tls_engine *engine, const struct tls_settings *settings);
void tls_set_put(struct tls_set *set);        /* NULL is allowed */
void *tls_set_arg(const struct tls_set *set); /* that of its settings */

struct tls_pair {
    struct span chain, key; /* PEM; of no fatal fault (tls_certificate.h) */
};
struct tls_plan {
    const struct tls_pair *pairs; /* of different kinds of keys; the client's algorithms decide */
    size_t pair_count;
    struct span authorities; /* PEM: who signed clients' certificates; empty: none is asked for */
    /* Sessions are resumed only with the same id: what clients' certificates are good for. */
    unsigned char id[32];
};
/* NULL: no memory, or a pair can't be used after all. */
struct tls_context *tls_set_add(struct tls_set *set, const struct tls_plan *plan);

/* --- sessions -------------------------------------------------------------------------------- */

struct tls_session;
struct tls_session *tls_session_new(struct tls_set *set); /* NULL: no memory */
void tls_session_free(struct tls_session *session);       /* NULL is allowed */

/* All of these read from the engine's io and append to it. */

/* 0: it is over. -EAGAIN: the client has to send more. -EINPROGRESS: what is next takes long, since
 * the certificate's key is of a kind that signs slowly; see tls_session_begin_signing(). -EPROTO: it
 * has failed, and io may have an alert for the client; tls_session_alert() says which. -ENOMEM. */
int tls_session_handshake(struct tls_session *session);

/* After -EINPROGRESS: from here to tls_session_end_signing() only tls_session_sign() may be called,
 * once and on any thread, or tls_session_free() before or after that. False: no memory. */
bool tls_session_begin_signing(struct tls_session *session);
void tls_session_sign(struct tls_session *session); /* does not use the engine's io */
/* On the engine's thread again; as tls_session_handshake(). */
int tls_session_end_signing(struct tls_session *session);

/* Bytes written to `room`; 0: the client has ended its side. -EAGAIN: all of io->in was used, and
 * there is no whole record. -EPROTO, -ENOMEM. */
ssize_t tls_session_read(struct tls_session *session, void *room, size_t cap);
/* Has a record been decrypted of which not all was read? */
bool tls_session_has_pending(const struct tls_session *session);
/* Encrypts all `len` bytes; more than 0. 0, -EPROTO or -ENOMEM. */
int tls_session_write(struct tls_session *session, const void *bytes, size_t len);
/* Appends that nothing follows (close_notify). Does nothing if it can't. */
void tls_session_end(struct tls_session *session);

/* Why a handshake failed. */
struct tls_alert {
    bool is_any;      /* false: without an alert */
    bool from_client; /* the client sent it; else we did */
    uint8_t number;   /* RFC 8446 section 6 */
};
struct tls_alert tls_session_alert(const struct tls_session *session);

/* After the handshake: */
struct tls_facts {
    enum tls_protocol protocol;
    enum tls_cipher cipher;
    bool is_resumed;
    bool is_http2; /* the client chose it */
};
struct tls_facts tls_session_facts(const struct tls_session *session);
/* The name that the client asked for; empty: none. */
struct span tls_session_name(const struct tls_session *session);
/* Has the client shown a certificate of the authorities that its context has? */
bool tls_session_is_verified(const struct tls_session *session);

#endif
