/* SPDX-License-Identifier: MIT */
/* Sessions with a client in memory: wherever its bytes are cut the same comes of them; who is resumed
 * where; what it may choose; and what it can't do to us. */
#include "tls/tls_session.c"

#include "check.h"
#include "tls_client.h"

#include <uv.h>

#include "tls_pki.h"

static struct tls_io io;
static struct tls_tickets *tickets;
static struct tls_engine *engine;
static struct tls_set *set;
static struct tls_context *plain_context, *club_context, *chosen;
static struct pki_pair ec_pair, rsa_pair, slow_pair, people, strangers;
static char asked[300]; /* what choose() was asked for */
static int choices, freed;

static struct tls_context *on_choice(void *arg, struct span name)
{
    (void)arg;
    snprintf(asked, sizeof(asked), "%.*s", (int)name.len, name.ptr);
    choices++;
    return chosen;
}

static void on_free(void *arg)
{
    (void)arg;
    freed++;
}

static void begin_set(bool is_modern, bool speaks_http2)
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

static void end_set(void)
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

static void start(const struct client_wish *wish)
{
    memset(&talk, 0, sizeof(talk));
    client_init(&talk.client, wish);
    talk.session = tls_session_new(set);
    talk.result = -EAGAIN;
}

static void finish(void)
{
    tls_session_free(talk.session);
    client_fini(&talk.client);
}

static void deliver(void)
{
    client_hears(&talk.client, io.out, io.out_len);
    io.out_len = 0;
}

static void sign_on_thread(void *session)
{
    tls_session_sign(session);
}

/* Has a thread of its own sign, if the session asks for that: what was signed comes back, and nothing
 * of it is in the engine's io before. */
static void let_sign(void)
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
static void serve(const char *bytes, size_t len)
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

static size_t hear_client(char *room, size_t cap)
{
    size_t len = client_says(&talk.client, room, cap);

    if (len > 0 && talk.flight_count < 8)
        talk.flights[talk.flight_count++] = len;
    return len;
}

/* Cuts the flight of that number (-1: none) before byte `at`; 0: before each byte. */
static void shake(int flight, size_t at)
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
static void pass(void)
{
    static char bytes[80000];
    size_t len = client_says(&talk.client, bytes, sizeof(bytes));

    serve(bytes, len);
}

static void check_works(int line, const char *name)
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

static SSL_SESSION *session_of(const struct client_wish *wish)
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

static bool resumes(struct client_wish wish, SSL_SESSION *session)
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

/* --- cuts ------------------------------------------------------------------------------------ */

/* Every cut of every flight. */
static void test_cuts_of(const char *name, struct client_wish wish, bool is_resumed)
{
    size_t flights[8];
    int flight_count;

    start(&wish);
    shake(-1, 0);
    check_works(__LINE__, name);
    CHECK_INT(wish.version, name, tls_session_facts(talk.session).is_resumed, is_resumed);
    memcpy(flights, talk.flights, sizeof(flights));
    flight_count = talk.flight_count;
    finish();
    CHECK_TRUE(flight_count >= 2, "%s: %d flights", name, flight_count);
    for (int flight = 0; flight < flight_count; flight++)
        for (size_t at = 0; at < flights[flight]; at++) {
            start(&wish);
            shake(flight, at);
            if (!talk.is_open || at % 50 == 0)
                check_works((int)at, name);
            finish();
        }
}

static void test_cuts(void)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

    begin_set(false, false);
    for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
        struct client_wish wish = {.version = versions[i], .name = "a.example"};
        test_cuts_of("full", wish, false);
        wish.session = session_of(&wish);
        test_cuts_of("resumed", wish, true);
        SSL_SESSION_free(wish.session);
    }
    choices = 0;
    test_cuts_of("another group is asked for (HelloRetryRequest)",
                 (struct client_wish){
                     .version = TLS1_3_VERSION, .name = "a.example", .groups = "P-521:P-256"},
                 false);
    end_set();
}

/* --- what is chosen -------------------------------------------------------------------------- */

static void test_alpn(void)
{
    static const struct {
        int line;
        bool speaks_http2;
        struct span offer;
        const char *chosen; /* NULL: none; "": the handshake fails */
    } rows[] = {
        {__LINE__, true, {NULL, 0}, NULL},
        {__LINE__, true, {"\2h2\10http/1.1", 12}, "h2"},
        {__LINE__, true, {"\10http/1.1\2h2", 12}, "h2"},
        {__LINE__, false, {"\2h2\10http/1.1", 12}, "http/1.1"},
        {__LINE__, false, {"\10http/1.0", 9}, "http/1.0"},
        {__LINE__, true, {"\10http/1.0", 9}, "http/1.0"},
        {__LINE__, true, {"\3h2c\10http/1.1", 13}, "http/1.1"},
        {__LINE__, true, {"\5\2h2xx\4imap", 11}, ""}, /* "h2" within a name is none */
        {__LINE__, false, {"\2h2", 3}, ""},
        {__LINE__, true, {"\2H2", 3}, ""},
        {__LINE__, true, {"\7http/1.", 8}, ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const unsigned char *got = NULL;
        unsigned int len = 0;
        begin_set(false, rows[i].speaks_http2);
        start(&(struct client_wish){.protocols = rows[i].offer});
        shake(-1, 0);
        CHECK_INT(rows[i].line, "open", talk.is_open, !rows[i].chosen || rows[i].chosen[0]);
        SSL_get0_alpn_selected(talk.client.ssl, &got, &len);
        if (!talk.is_open) {
            struct tls_alert alert = tls_session_alert(talk.session);
            CHECK_INT(rows[i].line, "alert", alert.is_any && !alert.from_client, 1);
            CHECK_INT(rows[i].line, "no_application_protocol", alert.number, 120);
        } else {
            CHECK_TRUE(len == (rows[i].chosen ? strlen(rows[i].chosen) : 0) &&
                           (!len || memcmp(got, rows[i].chosen, len) == 0),
                       "row %d", rows[i].line);
            CHECK_INT(rows[i].line, "h2", tls_session_facts(talk.session).is_http2,
                      rows[i].chosen && strcmp(rows[i].chosen, "h2") == 0);
        }
        finish();
        end_set();
    }
}

static void test_ciphers(void)
{
    begin_set(false, false);
    for (int i = 0; i < TLS_CIPHER_COUNT; i++) {
        bool is_13 = ciphers[i].protocol == TLS_1_3;
        struct tls_facts facts;
        start(&(struct client_wish){.version = is_13 ? TLS1_3_VERSION : TLS1_2_VERSION,
                                    .ciphers = ciphers[i].library});
        shake(-1, 0);
        check_works(i, ciphers[i].iana);
        facts = tls_session_facts(talk.session);
        CHECK_INT(i, "cipher", facts.cipher, i);
        CHECK_INT(i, "protocol", facts.protocol, ciphers[i].protocol);
        CHECK_STR(i, "name", tls_cipher_name((enum tls_cipher)i), ciphers[i].iana);
        CHECK_INT(i, "of", tls_cipher_protocol((enum tls_cipher)i), ciphers[i].protocol);
        CHECK_STR(i, "protocol", tls_protocol_name(facts.protocol), is_13 ? "TLSv1.3" : "TLSv1.2");
        finish();
    }
    end_set();
}

/* A client's list begins with ChaCha20 only if its machine has no AES. */
static void test_preference(void)
{
    static const struct {
        const char *offer;
        enum tls_cipher chosen;
    } rows[] = {
        {"ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256",
         TLS_CIPHER_ECDSA_AES_128_GCM},
        {"ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256", TLS_CIPHER_ECDSA_CHACHA20},
    };

    begin_set(false, false);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        start(&(struct client_wish){.version = TLS1_2_VERSION, .ciphers = rows[i].offer});
        shake(-1, 0);
        CHECK_INT((int)i, rows[i].offer, tls_session_facts(talk.session).cipher, rows[i].chosen);
        finish();
    }
    end_set();
}

static void test_names(void)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    static const char *const names[] = {"a.example", "A.Example", "a.example.", NULL};

    begin_set(false, false);
    for (size_t v = 0; v < ARRAY_LEN(versions); v++)
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            const char *want = names[i] ? names[i] : "";
            struct client_wish wish = {.version = versions[v], .name = names[i]};
            asked[0] = '?';
            wish.session = session_of(&wish);
            CHECK_STR((int)v, "asked for", asked, want);
            start(&wish);
            shake(-1, 0);
            CHECK_INT((int)v, want, tls_session_facts(talk.session).is_resumed, 1);
            CHECK_TRUE(span_is(tls_session_name(talk.session), want),
                       "version %zu: \"%s\" when resumed", v, want);
            finish();
            wish.session = (SSL_SESSION_free(wish.session), NULL);
            start(&wish);
            shake(-1, 0);
            CHECK_TRUE(span_is(tls_session_name(talk.session), want), "version %zu: \"%s\"", v,
                       want);
            finish();
        }
    /* A session of another name of the same scope: the name is what this client asked for now. */
    for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
        struct client_wish wish = {.version = versions[v], .name = "a.example"};
        SSL_SESSION *session = session_of(&wish);
        wish.name = "b.example";
        wish.session = session;
        start(&wish);
        shake(-1, 0);
        CHECK_TRUE(span_is(tls_session_name(talk.session), "b.example"), "version %zu", v);
        CHECK_STR((int)v, "asked for", asked, "b.example");
        finish();
        SSL_SESSION_free(session);
    }
    chosen = NULL;
    start(&(struct client_wish){.name = "nobody.example"});
    shake(-1, 0);
    CHECK_INT(__LINE__, "none is shown", talk.result, -EPROTO);
    CHECK_INT(__LINE__, "unrecognized_name", tls_session_alert(talk.session).number, 112);
    finish();
    end_set();
}

/* --- sessions that are resumed --------------------------------------------------------------- */

static void test_resuming(void)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    struct tls_ticket_key given[2];

    memset(&given[0], 7, sizeof(given[0]));
    memset(&given[1], 8, sizeof(given[1]));
    for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
        struct client_wish wish = {.version = versions[v], .name = "a.example"};
        SSL_SESSION *session;
        begin_set(false, false);
        session = session_of(&wish);
        CHECK_INT((int)v, "no early data", SSL_SESSION_get_max_early_data(session), 0);
        CHECK_TRUE(resumes(wish, session), "version %zu", v);
        chosen = club_context;
        CHECK_TRUE(!resumes(wish, session), "version %zu: not in another scope", v);
        chosen = plain_context;
        end_set();
        begin_set(false, false); /* as after a reload */
        CHECK_TRUE(resumes(wish, session), "version %zu: after a reload", v);
        tls_tickets_rotate(tickets, 1);
        for (int turn = 1; turn <= TLS_TICKET_OWN_KEYS; turn++) {
            tls_tickets_rotate(tickets, 2 + TLS_TICKET_SECONDS * UINT64_C(1000) *
                                                (uint64_t)(turn + 10 * (int)v));
            CHECK_INT(turn, "an older key", resumes(wish, session), turn < TLS_TICKET_OWN_KEYS);
        }
        SSL_SESSION_free(session);

        tls_tickets_set(tickets, given, 1);
        session = session_of(&wish);
        CHECK_TRUE(resumes(wish, session), "version %zu: a key that was given", v);
        tls_tickets_set(tickets, given + 1, 1);
        CHECK_TRUE(!resumes(wish, session), "version %zu: which is no more", v);
        tls_tickets_set(tickets, given, 2);
        CHECK_TRUE(resumes(wish, session), "version %zu: and is again", v);
        tls_tickets_set(tickets, NULL, 0);
        SSL_SESSION_free(session);
        end_set();
    }
}

/* Does the client have another ticket than the one it came with? */
static bool has_new_ticket(const SSL_SESSION *before)
{
    const unsigned char *old, *now;
    size_t old_len = 0, len = 0;

    SSL_SESSION_get0_ticket(before, &old, &old_len);
    SSL_SESSION_get0_ticket(
        talk.client.session ? talk.client.session : SSL_get0_session(talk.client.ssl), &now, &len);
    return len > 0 && (len != old_len || memcmp(old, now, len) != 0);
}

/* A ticket of an older key is good, and its client gets a newer one. */
static void test_new_tickets(void)
{
    struct client_wish wish = {.version = TLS1_2_VERSION};
    struct tls_ticket_key given[2];

    memset(&given[0], 3, sizeof(given[0]));
    memset(&given[1], 4, sizeof(given[1]));
    begin_set(false, false);
    tls_tickets_set(tickets, given, 1);
    wish.session = session_of(&wish);
    start(&wish);
    shake(-1, 0);
    CHECK_TRUE(!has_new_ticket(wish.session), "with the newest key none is sent");
    finish();
    given[0] = given[1];
    memset(&given[1], 3, sizeof(given[1]));
    tls_tickets_set(tickets, given, 2);
    start(&wish);
    shake(-1, 0);
    CHECK_INT(__LINE__, "an older key", tls_session_facts(talk.session).is_resumed, 1);
    CHECK_TRUE(has_new_ticket(wish.session), "another ticket");
    finish();
    SSL_SESSION_free(wish.session);
    wish = (struct client_wish){.version = TLS1_3_VERSION};
    wish.session = session_of(&wish);
    start(&wish);
    shake(-1, 0);
    CHECK_TRUE(has_new_ticket(wish.session), "in TLS 1.3 always");
    finish();
    SSL_SESSION_free(wish.session);
    tls_tickets_set(tickets, NULL, 0);
    end_set();
}

static void test_early_data(void)
{
    struct client_wish wish = {.version = TLS1_3_VERSION};
    size_t n = 0;

    begin_set(false, false);
    wish.session = session_of(&wish);
    SSL_SESSION_set_max_early_data(wish.session, 1000);
    start(&wish);
    CHECK_INT(__LINE__, "said early", SSL_write_early_data(talk.client.ssl, "replayed", 8, &n), 1);
    shake(-1, 0);
    CHECK_INT(__LINE__, "not taken", SSL_get_early_data_status(talk.client.ssl),
              SSL_EARLY_DATA_REJECTED);
    CHECK_INT(__LINE__, "not heard", talk.plain_len, 0);
    check_works(__LINE__, "early data");
    finish();
    SSL_SESSION_free(wish.session);
    end_set();
}

/* --- clients' certificates ------------------------------------------------------------------- */

static X509 *issue(const struct pki_pair *by, EVP_PKEY *key)
{
    return pki_certificate_of(&(struct pki_wish){
        .name = "anna", .key = key, .issuer = by->certificate, .signer = by->key});
}

static void make_people(struct pki_pair *pair, const char *name)
{
    pair->key = pki_key(PKI_P256);
    pair->certificate = pki_certificate_of(
        &(struct pki_wish){.name = name, .key = pair->key, .is_authority = true});
    buf_init(&pair->chain);
    buf_init(&pair->key_text);
    pki_append(&pair->chain, pair->certificate);
}

static void test_client_certificates(void)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    EVP_PKEY *key = pki_key(PKI_P256);
    X509 *anna = issue(&people, key), *stranger = issue(&strangers, key);
    X509 *between = pki_certificate_of(&(struct pki_wish){.name = "between",
                                                          .key = strangers.key,
                                                          .issuer = people.certificate,
                                                          .signer = people.key,
                                                          .is_authority = true});
    X509 *far_anna = pki_certificate_of(&(struct pki_wish){
        .name = "far anna", .key = key, .issuer = between, .signer = strangers.key});

    begin_set(false, false);
    for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
        struct client_wish wish = {.version = versions[v], .name = "club.example"};
        struct tls_alert alert;
        chosen = club_context;
        start(&wish);
        shake(-1, 0);
        check_works((int)v, "without one");
        CHECK_TRUE(!tls_session_is_verified(talk.session), "without one");
        finish();
        wish.certificate = anna;
        wish.key = key;
        wish.session = session_of(&wish);
        for (int turn = 0; turn < 2; turn++) {
            start(&wish);
            shake(-1, 0);
            check_works((int)v, "with one");
            CHECK_INT(turn, "resumed", tls_session_facts(talk.session).is_resumed, turn == 0);
            CHECK_TRUE(tls_session_is_verified(talk.session), "turn %d", turn);
            CHECK_TRUE(span_is(tls_session_name(talk.session), "club.example"), "turn %d", turn);
            finish();
            SSL_SESSION_free(wish.session);
            wish.session = NULL;
        }
        chosen = plain_context;
        start(&wish);
        shake(-1, 0);
        CHECK_TRUE(!tls_session_is_verified(talk.session), "where none is asked for");
        finish();
        chosen = club_context;
        wish.certificate = far_anna;
        start(&wish);
        SSL_add1_chain_cert(talk.client.ssl, between);
        shake(-1, 0);
        check_works((int)v, "an authority between");
        CHECK_TRUE(tls_session_is_verified(talk.session), "version %zu", v);
        CHECK_INT((int)v, "whose are taken",
                  sk_X509_NAME_num(SSL_get_client_CA_list(talk.client.ssl)), 1);
        finish();
        wish.certificate = stranger;
        start(&wish);
        shake(-1, 0);
        alert = tls_session_alert(talk.session);
        CHECK_INT((int)v, "a stranger", talk.result, -EPROTO);
        CHECK_TRUE(alert.is_any && !alert.from_client && alert.number == SSL_AD_UNKNOWN_CA,
                   "version %zu: %d", v, alert.number);
        finish();
    }
    end_set();
    X509_free(anna);
    X509_free(far_anna);
    X509_free(between);
    X509_free(stranger);
    EVP_PKEY_free(key);
}

/* --- how it fails ---------------------------------------------------------------------------- */

static void test_alerts(void)
{
    static const struct {
        int line;
        bool is_modern;
        struct client_wish wish;
        int number;
    } rows[] = {
        {__LINE__, true, {.version = TLS1_2_VERSION}, SSL_AD_PROTOCOL_VERSION},
        {__LINE__,
         false,
         {.version = TLS1_1_VERSION, .ciphers = "ALL:@SECLEVEL=0"},
         SSL_AD_PROTOCOL_VERSION},
        {__LINE__,
         false,
         {.version = TLS1_2_VERSION, .ciphers = "AES128-SHA"},
         SSL_AD_HANDSHAKE_FAILURE},
        {__LINE__,
         false,
         {.version = TLS1_2_VERSION, .ciphers = "ECDHE-RSA-AES128-SHA256"},
         SSL_AD_HANDSHAKE_FAILURE},
        {__LINE__, false, {.version = TLS1_3_VERSION, .groups = "P-521"}, SSL_AD_HANDSHAKE_FAILURE},
    };
    struct tls_alert alert;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        begin_set(rows[i].is_modern, false);
        start(&rows[i].wish);
        shake(-1, 0);
        alert = tls_session_alert(talk.session);
        CHECK_INT(rows[i].line, "fails", talk.result, -EPROTO);
        CHECK_INT(rows[i].line, "ours", alert.is_any && !alert.from_client, 1);
        CHECK_INT(rows[i].line, tls_alert_name(alert.number), alert.number, rows[i].number);
        finish();
        end_set();
    }
    begin_set(false, false);
    start(&(struct client_wish){.trusts = people.certificate});
    shake(-1, 0);
    alert = tls_session_alert(talk.session);
    CHECK_INT(__LINE__, "a client that does not trust us", talk.result, -EPROTO);
    CHECK_INT(__LINE__, "its alert", alert.is_any && alert.from_client, 1);
    CHECK_TRUE(alert.number == SSL_AD_UNKNOWN_CA || alert.number == SSL_AD_BAD_CERTIFICATE, "%d",
               alert.number);
    finish();
    start(&(struct client_wish){.version = TLS1_3_VERSION});
    shake(-1, 0);
    CHECK_TRUE(!tls_session_alert(talk.session).is_any, "none");
    finish();
    CHECK_STR(__LINE__, "name", tls_alert_name(0), "close_notify");
    CHECK_STR(__LINE__, "name", tls_alert_name(40), "handshake_failure");
    CHECK_STR(__LINE__, "name", tls_alert_name(120), "no_application_protocol");
    CHECK_STR(__LINE__, "name", tls_alert_name(121), "unknown");
    end_set();
}

static void test_nonsense(void)
{
    static const struct span starts[] = {
        {"GET / HTTP/1.1\r\n\r\n", 18},      {"\x16\x03\x01\x00\x05hello", 10},
        {"\x80\x05\x01\x00\x02\x00\x15", 7}, {"\x15\x03\x01\x00\x02\x02\x28", 7},
        {"\x17\x03\x03\x00\x05hello", 10},   {"\x16\x03\x01\xff\xffxxxxxxxxxx", 15},
    };

    begin_set(false, false);
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        start(&(struct client_wish){.name = "a"});
        serve(starts[i].ptr, starts[i].len);
        CHECK_TRUE(talk.result == -EPROTO, "%zu: %d", i, talk.result);
        serve("more", 4);
        CHECK_TRUE(!talk.is_open && talk.result == -EPROTO, "%zu: it stays so: %d", i, talk.result);
        finish();
    }
    end_set();
}

static void test_spoilt(void)
{
    static char bytes[1000];
    size_t len;

    begin_set(false, false);
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        start(&(struct client_wish){.version = version});
        shake(-1, 0);
        SSL_write(talk.client.ssl, "question", 8);
        len = client_says(&talk.client, bytes, sizeof(bytes));
        serve(bytes, len - 1);
        CHECK_INT(version, "not whole", talk.result, -EAGAIN);
        CHECK_INT(version, "nothing of it", talk.plain_len, 0);
        CHECK_TRUE(!tls_session_has_pending(talk.session), "nothing is decrypted");
        bytes[len - 1] ^= 1;
        serve(bytes + len - 1, 1);
        CHECK_INT(version, "spoilt", talk.result, -EPROTO);
        CHECK_INT(version, "nothing of it", talk.plain_len, 0);
        CHECK_INT(version, "alert", tls_session_alert(talk.session).number, SSL_AD_BAD_RECORD_MAC);
        CHECK_TRUE(tls_session_write(talk.session, "x", 1) < 0, "nothing more is said");
        finish();
    }
    end_set();
}

/* --- once it is open ------------------------------------------------------------------------- */

static void test_ends(void)
{
    char got[10];

    begin_set(false, false);
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        start(&(struct client_wish){.version = version});
        shake(-1, 0);
        check_works(version, "before the end");
        SSL_write(talk.client.ssl, "last", 4);
        SSL_shutdown(talk.client.ssl);
        talk.plain_len = 0;
        pass();
        CHECK_INT(version, "the end", talk.result, 0);
        CHECK_INT(version, "after its last bytes", talk.plain_len, 4);
        CHECK_TRUE(!tls_session_alert(talk.session).is_any, "which is no alert to count");
        CHECK_INT(version, "half an end", tls_session_write(talk.session, "still", 5), 0);
        tls_session_end(talk.session);
        deliver();
        CHECK_INT(version, "still heard", SSL_read(talk.client.ssl, got, sizeof(got)), 5);
        CHECK_INT(version, "then the end", SSL_read(talk.client.ssl, got, sizeof(got)), 0);
        CHECK_INT(version, "a clean one", SSL_get_shutdown(talk.client.ssl) & SSL_RECEIVED_SHUTDOWN,
                  SSL_RECEIVED_SHUTDOWN);
        CHECK_TRUE(tls_session_write(talk.session, "x", 1) < 0, "nothing follows");
        finish();
    }
    start(&(struct client_wish){.version = 0});
    tls_session_end(talk.session); /* before anything was said */
    io.out_len = 0;
    finish();
    end_set();
}

static void test_renegotiation(void)
{
    begin_set(false, false);
    start(&(struct client_wish){.version = TLS1_2_VERSION});
    shake(-1, 0);
    choices = 0;
    CHECK_INT(__LINE__, "asks", SSL_renegotiate(talk.client.ssl), 1);
    SSL_do_handshake(talk.client.ssl);
    pass();
    CHECK_INT(__LINE__, "goes on", talk.result, -EAGAIN);
    CHECK_INT(__LINE__, "no certificate is chosen", choices, 0);
    CHECK_INT(__LINE__, "no_renegotiation", tls_session_alert(talk.session).number,
              SSL_AD_NO_RENEGOTIATION);
    CHECK_TRUE(SSL_do_handshake(talk.client.ssl) != 1, "it did not get it");
    finish();
    end_set();
}

static void test_key_update(void)
{
    begin_set(false, false);
    start(&(struct client_wish){.version = TLS1_3_VERSION});
    shake(-1, 0);
    for (int i = 0; i < 3; i++) {
        bool asks = i < 2;
        SSL_key_update(talk.client.ssl,
                       asks ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED);
        CHECK_INT(i, "asks", SSL_do_handshake(talk.client.ssl), 1);
        talk.plain_len = 0;
        pass();
        CHECK_INT(i, "goes on", talk.result, -EAGAIN);
        CHECK_INT(i, "no bytes", talk.plain_len, 0);
        check_works(i, "with new keys");
    }
    finish();
    end_set();
}

static void test_large(void)
{
    static char bytes[60000], got[70000];
    char few[10];

    begin_set(false, false);
    start(&(struct client_wish){.version = TLS1_3_VERSION});
    shake(-1, 0);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7 + i / 251);
    CHECK_INT(__LINE__, "written whole", tls_session_write(talk.session, bytes, sizeof(bytes)), 0);
    deliver();
    CHECK_INT(__LINE__, "read whole", client_reads(&talk.client, got, sizeof(got)), sizeof(bytes));
    CHECK_TRUE(memcmp(got, bytes, sizeof(bytes)) == 0, "the same");
    CHECK_INT(__LINE__, "of nothing", tls_session_write(talk.session, "", 0), 0);
    CHECK_INT(__LINE__, "of nothing", io.out_len, 0);

    SSL_write(talk.client.ssl, bytes, 1000);
    io.in_len = client_says(&talk.client, got, sizeof(got));
    io.in = got;
    CHECK_INT(__LINE__, "a part", tls_session_read(talk.session, few, sizeof(few)), 10);
    CHECK_TRUE(memcmp(few, bytes, 10) == 0, "its first");
    CHECK_TRUE(tls_session_has_pending(talk.session), "there is more");
    CHECK_INT(__LINE__, "the rest", tls_session_read(talk.session, got, sizeof(got)), 990);
    CHECK_TRUE(!tls_session_has_pending(talk.session), "that was all");
    finish();
    end_set();
}

/* --- lifetimes ------------------------------------------------------------------------------- */

static void test_lifetimes(void)
{
    begin_set(false, false);
    freed = 0;
    start(&(struct client_wish){.version = TLS1_3_VERSION});
    tls_set_put(set); /* the config has been replaced */
    CHECK_INT(__LINE__, "a handshake is under way", freed, 0);
    shake(-1, 0);
    CHECK_INT(__LINE__, "its last", freed, 1);
    SSL_key_update(talk.client.ssl, SSL_KEY_UPDATE_REQUESTED);
    SSL_do_handshake(talk.client.ssl);
    pass();
    check_works(__LINE__, "without its set");
    finish();
    begin_set(false, false);
    freed = 0;
    start(&(struct client_wish){.version = 0});
    tls_set_put(set);
    finish();
    CHECK_INT(__LINE__, "given up", freed, 1);
    tls_session_free(NULL);
    tls_set_put(NULL);
    tls_engine_free(NULL);
}

/* The whole chain is shown, in its order. */
static void test_chain(void)
{
    const struct tls_settings settings = {false, false, on_choice, on_free, NULL};
    X509 *leaf = issue(&people, ec_pair.key);
    struct tls_pair pair = {.key = pki_span(&ec_pair.key_text)};
    const struct tls_plan plan = {.pairs = &pair, .pair_count = 1};
    STACK_OF(X509) * shown;
    struct buf text;

    buf_init(&text);
    pki_append(&text, leaf);
    pki_append(&text, people.certificate);
    pair.chain = pki_span(&text);
    set = tls_set_new(engine, &settings);
    chosen = tls_set_add(set, &plan);
    start(&(struct client_wish){.version = 0});
    shake(-1, 0);
    check_works(__LINE__, "a chain");
    shown = SSL_get_peer_cert_chain(talk.client.ssl);
    CHECK_INT(__LINE__, "both", sk_X509_num(shown), 2);
    CHECK_TRUE(X509_cmp(sk_X509_value(shown, 0), leaf) == 0 &&
                   X509_cmp(sk_X509_value(shown, 1), people.certificate) == 0,
               "in order");
    finish();
    end_set();
    buf_fini(&text);
    X509_free(leaf);
}

static void test_unusable(void)
{
    const struct tls_settings settings = {false, false, on_choice, on_free, NULL};
    struct tls_pair pair = {pki_span(&ec_pair.chain), pki_span(&ec_pair.chain)};
    struct tls_plan plan = {.pairs = &pair, .pair_count = 1};

    set = tls_set_new(engine, &settings);
    CHECK_TRUE(tls_set_add(set, &plan) == NULL, "no key");
    pair.key = pki_span(&ec_pair.key_text);
    plan.authorities = pki_span(&ec_pair.key_text);
    CHECK_TRUE(tls_set_add(set, &plan) == NULL, "no authorities");
    plan.authorities.len = 0;
    CHECK_TRUE(tls_set_add(set, &plan) != NULL, "good");
    end_set();
}

/* --- signing --------------------------------------------------------------------------------- */

struct signing_row {
    int line;
    int version;
    enum pki_kind kinds[2];
    size_t count;           /* of kinds */
    const char *algorithms; /* the client's; NULL: all */
    const char *groups;
    bool is_resumed;
    int signings;
};

static void check_signing(const struct signing_row *row)
{
    struct client_wish wish = {.version = row->version, .groups = row->groups};
    struct pki_pair made[2];
    struct tls_pair pairs[2];
    const struct tls_plan plan = {.pairs = pairs, .pair_count = row->count};

    begin_set(false, false);
    for (size_t i = 0; i < row->count; i++) {
        pki_pair_init(&made[i], row->kinds[i], "DNS:a.example");
        pairs[i] = (struct tls_pair){pki_span(&made[i].chain), pki_span(&made[i].key_text)};
    }
    chosen = tls_set_add(set, &plan);
    CHECK_TRUE(chosen != NULL, "row %d", row->line);
    if (row->is_resumed)
        wish.session = session_of(&wish);
    start(&wish);
    if (row->algorithms)
        CHECK(SSL_set1_sigalgs_list(talk.client.ssl, row->algorithms) == 1);
    shake(-1, 0);
    check_works(row->line, "it works");
    CHECK_INT(row->line, "signings elsewhere", talk.signings, row->signings);
    if (talk.is_open)
        CHECK_INT(row->line, "resumed", tls_session_facts(talk.session).is_resumed,
                  row->is_resumed);
    finish();
    SSL_SESSION_free(wish.session);
    for (size_t i = 0; i < row->count; i++)
        pki_pair_fini(&made[i]);
    end_set();
}

static void test_signing(void)
{
    static const char rsa_only[] = "rsa_pss_rsae_sha256:rsa_pkcs1_sha256";
    static const struct signing_row rows[] = {
        {__LINE__, TLS1_3_VERSION, {PKI_P256}, 1, NULL, NULL, false, 0},
        {__LINE__, TLS1_2_VERSION, {PKI_P256}, 1, NULL, NULL, false, 0},
        {__LINE__, TLS1_3_VERSION, {PKI_ED25519}, 1, NULL, NULL, false, 0},
        {__LINE__, TLS1_3_VERSION, {PKI_RSA}, 1, NULL, NULL, false, 0},
        {__LINE__, TLS1_2_VERSION, {PKI_RSA}, 1, NULL, NULL, false, 0},
        {__LINE__, TLS1_3_VERSION, {PKI_RSA_3072}, 1, NULL, NULL, false, 1},
        {__LINE__, TLS1_2_VERSION, {PKI_RSA_3072}, 1, NULL, NULL, false, 1},
        {__LINE__, TLS1_3_VERSION, {PKI_P384}, 1, NULL, NULL, false, 1},
        {__LINE__, TLS1_2_VERSION, {PKI_P384}, 1, NULL, NULL, false, 1},
        {__LINE__, TLS1_3_VERSION, {PKI_RSA_3072}, 1, NULL, NULL, true, 0},
        {__LINE__, TLS1_2_VERSION, {PKI_RSA_3072}, 1, NULL, NULL, true, 0},
        /* Asked for another group, the client says hello twice. */
        {__LINE__, TLS1_3_VERSION, {PKI_RSA_3072}, 1, NULL, "P-521:P-256", false, 2},
        /* Of two keys it depends on the client. */
        {__LINE__, TLS1_3_VERSION, {PKI_RSA_3072, PKI_P256}, 2, NULL, NULL, false, 0},
        {__LINE__, TLS1_3_VERSION, {PKI_P256, PKI_RSA_3072}, 2, rsa_only, NULL, false, 1},
        {__LINE__, TLS1_2_VERSION, {PKI_P256, PKI_RSA_3072}, 2, rsa_only, NULL, false, 1},
        {__LINE__, TLS1_3_VERSION, {PKI_RSA_3072, PKI_P384}, 2, NULL, NULL, false, 1},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_signing(&rows[i]);
}

/* Sessions end before they are signed for, and before what was signed is taken. */
static void test_end_while_signing(void)
{
    const struct tls_pair pair = {pki_span(&slow_pair.chain), pki_span(&slow_pair.key_text)};
    const struct tls_plan plan = {.pairs = &pair, .pair_count = 1};
    static char bytes[20000];

    begin_set(false, false);
    chosen = tls_set_add(set, &plan);
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        start(&(struct client_wish){.name = "a.example"});
        SSL_do_handshake(talk.client.ssl);
        io.in = bytes;
        io.in_len = client_says(&talk.client, bytes, sizeof(bytes));
        CHECK_INT(is_signed, "a hello", tls_session_handshake(talk.session), -EINPROGRESS);
        CHECK_INT(is_signed, "all is used", io.in_len, 0);
        CHECK_TRUE(tls_session_begin_signing(talk.session), "memory");
        if (is_signed)
            tls_session_sign(talk.session);
        CHECK_INT(is_signed, "nothing is said", io.out_len, 0);
        finish();
    }
    end_set();
}

int main(void)
{
    tickets = tls_tickets_new();
    engine = tls_engine_new(&io, tickets);
    pki_pair_init(&ec_pair, PKI_P256, "DNS:a.example");
    pki_pair_init(&rsa_pair, PKI_RSA, "DNS:a.example");
    pki_pair_init(&slow_pair, PKI_RSA_3072, "DNS:a.example");
    make_people(&people, "people");
    make_people(&strangers, "strangers");
    test_cuts();
    test_alpn();
    test_ciphers();
    test_preference();
    test_names();
    test_resuming();
    test_new_tickets();
    test_early_data();
    test_client_certificates();
    test_alerts();
    test_nonsense();
    test_spoilt();
    test_ends();
    test_renegotiation();
    test_key_update();
    test_large();
    test_lifetimes();
    test_chain();
    test_unusable();
    test_signing();
    test_end_while_signing();
    pki_pair_fini(&ec_pair);
    pki_pair_fini(&rsa_pair);
    pki_pair_fini(&slow_pair);
    pki_pair_fini(&people);
    pki_pair_fini(&strangers);
    tls_engine_free(engine);
    tls_tickets_free(tickets);
    free(io.out);
    return check_end("tls_session");
}
