/* SPDX-License-Identifier: MIT */
/* tls_talk.h — a session and a client that talk in memory, for unit tests of sessions: the client's
 * flights can be cut anywhere. */
#ifndef FARMSTEAD_TEST_TLS_TALK_H
#define FARMSTEAD_TEST_TLS_TALK_H

#include "tls/tls.h"
#include "tls/tls_tickets.h"

#include "check.h"
#include "tls_client.h"

#include <uv.h>

#include "tls_pki.h"

static struct tls_io io;
static struct tls_tickets *tickets;
static struct tls_engine *engine;
static struct tls_set *set;
static struct tls_context *plain_context, *club_context, *chosen;
static struct pki_pair ec_pair, rsa_pair, people, strangers;
static char asked[300]; /* what choose() was asked for */
static int choices, freed;

static inline struct tls_context *on_choice(void *arg, struct span name)
{
    (void)arg;
    snprintf(asked, sizeof(asked), "%.*s", (int)name.len, name.ptr);
    choices++;
    return chosen;
}

static inline void on_free(void *arg)
{
    (void)arg;
    freed++;
}

static inline void begin_set(bool is_modern, bool speaks_http2)
{
    const struct tls_settings settings = {is_modern, speaks_http2, on_choice, on_free, NULL};
    const struct tls_pair pairs[] = {{pki_span(&ec_pair.chain), pki_span(&ec_pair.key_text)},
                                     {pki_span(&rsa_pair.chain), pki_span(&rsa_pair.key_text)}};
    struct tls_plan plan = {.pairs = pairs, .pair_count = 2};

    set = tls_set_new(engine, &settings);
    plain_context = tls_set_add(set, &plan);
    plan.authorities = pki_span(&people.chain);
    plan.id[0] = 1;
    club_context = tls_set_add(set, &plan);
    CHECK_TRUE(set && plain_context && club_context, "a set");
    chosen = plain_context;
}

static inline void end_set(void)
{
    tls_set_put(set);
}

/* --- a talk ---------------------------------------------------------------------------------- */

struct talk {
    struct client client;
    struct tls_session *session;
    bool is_open;
    int result; /* of the session's last call */
    char plain[70000];
    size_t plain_len;
    size_t flights[8]; /* the lengths of the client's */
    int flight_count;
    int signings; /* on a thread of their own */
};

static struct talk talk;

static inline void start(const struct client_wish *wish)
{
    memset(&talk, 0, sizeof(talk));
    client_init(&talk.client, wish);
    talk.session = tls_session_new(set);
    talk.result = -EAGAIN;
}

static inline void finish(void)
{
    tls_session_free(talk.session);
    client_fini(&talk.client);
}

static inline void deliver(void)
{
    client_hears(&talk.client, io.out, io.out_len);
    io.out_len = 0;
}

static inline void sign_on_thread(void *session)
{
    tls_session_sign(session);
}

/* Has a thread of its own sign, if the session asks for that: what was signed comes back, and nothing
 * of it is in the engine's io before. */
static inline void let_sign(void)
{
    uv_thread_t thread;

    while (talk.result == -EINPROGRESS) {
        size_t out_len = io.out_len;
        talk.signings++;
        CHECK_TRUE(tls_session_begin_signing(talk.session), "memory");
        CHECK_INT(__LINE__, "a thread", uv_thread_create(&thread, sign_on_thread, talk.session), 0);
        uv_thread_join(&thread);
        CHECK_INT(__LINE__, "the engine's io is not touched", io.out_len, out_len);
        talk.result = tls_session_end_signing(talk.session);
    }
}

/* Gives the session bytes of the client. */
static inline void serve(const char *bytes, size_t len)
{
    ssize_t n;

    io.in = bytes;
    io.in_len = len;
    if (!talk.is_open)
        talk.result = tls_session_handshake(talk.session);
    let_sign();
    talk.is_open = talk.is_open || talk.result == 0;
    while (talk.is_open) {
        n = tls_session_read(talk.session, talk.plain + talk.plain_len,
                             sizeof(talk.plain) - talk.plain_len);
        talk.plain_len += n > 0 ? (size_t)n : 0;
        talk.result = (int)n;
        if (n <= 0)
            break;
    }
    if (talk.result == -EAGAIN)
        CHECK_INT(__LINE__, "all is used", io.in_len, 0);
    io.in_len = 0;
    deliver();
}

static inline size_t hear_client(char *room, size_t cap)
{
    size_t len = client_says(&talk.client, room, cap);

    if (len > 0 && talk.flight_count < 8)
        talk.flights[talk.flight_count++] = len;
    return len;
}

/* Cuts the flight of that number (-1: none) before byte `at`; 0: before each byte. */
static inline void shake(int flight, size_t at)
{
    static char bytes[80000];
    size_t len;

    for (int turn = 0; turn < 8; turn++) {
        SSL_do_handshake(talk.client.ssl);
        len = hear_client(bytes, sizeof(bytes));
        if (len == 0 || (talk.result != -EAGAIN && !talk.is_open))
            break;
        if (talk.flight_count - 1 != flight) {
            serve(bytes, len);
        } else if (at > 0) {
            serve(bytes, at);
            serve(bytes + at, len - at);
        } else {
            for (size_t i = 0; i < len; i++)
                serve(bytes + i, 1);
        }
    }
    client_reads(&talk.client, bytes, sizeof(bytes)); /* tickets */
}

/* Has the client say what it has to, and the session hear it. */
static inline void pass(void)
{
    static char bytes[80000];
    size_t len = client_says(&talk.client, bytes, sizeof(bytes));

    serve(bytes, len);
}

static inline void check_works(int line, const char *name)
{
    char got[100] = "";

    CHECK_INT(line, name, talk.is_open, 1);
    if (!talk.is_open)
        return;
    talk.plain_len = 0;
    CHECK_INT(line, name, SSL_write(talk.client.ssl, "question", 8), 8);
    pass();
    CHECK_TRUE(talk.plain_len == 8 && memcmp(talk.plain, "question", 8) == 0, "row %d \"%s\"", line,
               name);
    CHECK_INT(line, name, tls_session_write(talk.session, "answer", 6), 0);
    deliver();
    CHECK_INT(line, name, client_reads(&talk.client, got, sizeof(got)), 6);
    CHECK_STR(line, name, got, "answer");
}

static inline SSL_SESSION *session_of(const struct client_wish *wish)
{
    SSL_SESSION *session;

    start(wish);
    shake(-1, 0);
    CHECK_TRUE(talk.client.session != NULL, "a session");
    session = talk.client.session;
    SSL_SESSION_up_ref(session);
    finish();
    return session;
}

static inline bool resumes(struct client_wish wish, SSL_SESSION *session)
{
    bool is_resumed;

    wish.session = session;
    start(&wish);
    shake(-1, 0);
    check_works(wish.version, "resumed or not");
    is_resumed = talk.is_open && tls_session_facts(talk.session).is_resumed;
    finish();
    return is_resumed;
}

static inline X509 *issue(const struct pki_pair *by, EVP_PKEY *key)
{
    return pki_certificate_of(&(struct pki_wish){
        .name = "anna", .key = key, .issuer = by->certificate, .signer = by->key});
}

static inline void make_people(struct pki_pair *pair, const char *name)
{
    pair->key = pki_key(PKI_P256);
    pair->certificate = pki_certificate_of(
        &(struct pki_wish){.name = name, .key = pair->key, .is_authority = true});
    buf_init(&pair->chain);
    buf_init(&pair->key_text);
    pki_append(&pair->chain, pair->certificate);
}

/* Engine, keys and certificates of all tests of a file. */
static inline void begin_talks(void)
{
    tickets = tls_tickets_new();
    engine = tls_engine_new(&io, tickets);
    pki_pair_init(&ec_pair, PKI_P256, "DNS:a.example");
    pki_pair_init(&rsa_pair, PKI_RSA, "DNS:a.example");
    make_people(&people, "people");
    make_people(&strangers, "strangers");
}

static inline int end_talks(const char *name)
{
    pki_pair_fini(&ec_pair);
    pki_pair_fini(&rsa_pair);
    pki_pair_fini(&people);
    pki_pair_fini(&strangers);
    tls_engine_free(engine);
    tls_tickets_free(tickets);
    free(io.out);
    return check_end(name);
}

#endif
