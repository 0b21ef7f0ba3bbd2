/* SPDX-License-Identifier: MIT */
/* Sessions with a client in memory: what is chosen of what it offers, whom it may be, what it can't do
 * to us, and how an open session ends. */
#include "tls/tls_session.c"

#include "tls_talk.h"

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

/* --- clients' certificates ------------------------------------------------------------------- */

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

int main(void)
{
    begin_talks();
    test_alpn();
    test_ciphers();
    test_preference();
    test_names();
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
    return end_talks("tls_session");
}
