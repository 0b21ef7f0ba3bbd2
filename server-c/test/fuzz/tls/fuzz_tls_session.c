/* SPDX-License-Identifier: MIT */
/* A client that says any bytes before it has keys: cut in two ways the same comes of it, and when it has
 * gone nothing is left. The first byte says how they are cut. */
#include "tls/tls.h"

#include "tls_pki.h"

#include <errno.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct tls_io io;
static struct tls_set *set;
static struct tls_context *plain, *club;

static struct tls_context *on_choice(void *arg, struct span name)
{
    (void)arg;
    return span_is(name, "nobody") ? NULL : span_is(name, "club") ? club : plain;
}

static void on_free(void *arg)
{
    (void)arg;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const struct tls_settings settings = {
        .speaks_http2 = true, .choose = on_choice, .free_arg = on_free};
    struct pki_pair ec, rsa;
    struct tls_pair pairs[2];
    struct tls_plan plan = {.pairs = pairs, .pair_count = 2};
    struct tls_ticket_key key; /* tickets of the corpus are for it */
    struct tls_tickets *tickets = tls_tickets_new();

    (void)argc, (void)argv;
    memset(&key, 7, sizeof(key));
    tls_tickets_set(tickets, &key, 1);
    pki_pair_init(&ec, PKI_P256, "DNS:a.example");
    pki_pair_init(&rsa, PKI_RSA, "DNS:a.example");
    pairs[0] = (struct tls_pair){pki_span(&ec.chain), pki_span(&ec.key_text)};
    pairs[1] = (struct tls_pair){pki_span(&rsa.chain), pki_span(&rsa.key_text)};
    set = tls_set_new(tls_engine_new(&io, tickets), &settings);
    plain = tls_set_add(set, &plan);
    plan.authorities = pki_span(&ec.chain);
    plan.id[0] = 1;
    club = tls_set_add(set, &plan);
    CHECK(plain && club);
    pki_pair_fini(&ec);
    pki_pair_fini(&rsa);
    return 0;
}

struct outcome {
    int result;
    struct tls_alert alert;
};

static struct outcome talk(const char *bytes, size_t len, size_t most)
{
    struct tls_session *session = tls_session_new(set);
    struct outcome outcome = {.result = -EAGAIN};
    char room[1000];

    while (len > 0 && outcome.result == -EAGAIN) {
        size_t n = (size_t)smaller_of(len, most);
        io.in = bytes;
        io.in_len = n;
        outcome.result = tls_session_handshake(session);
        if (outcome.result == -EINPROGRESS) {
            CHECK(tls_session_begin_signing(session));
            tls_session_sign(session);
            outcome.result = tls_session_end_signing(session);
        }
        CHECK(outcome.result != -EAGAIN || io.in_len == 0);
        CHECK(io.out_len < 100000);
        bytes += n;
        len -= n;
    }
    CHECK(outcome.result != 0); /* it can't know our keys */
    outcome.alert = tls_session_alert(session);
    io.in_len = 0;
    CHECK(tls_session_name(session).len <= 65535);
    CHECK(outcome.result == -EAGAIN || tls_session_read(session, room, sizeof(room)) < 0);
    CHECK(!tls_session_is_verified(session));
    tls_session_end(session);
    tls_session_free(session);
    io.out_len = 0;
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct outcome whole, cut;

    if (len < 1 || len > 20000)
        return 0;
    whole = talk((const char *)data + 1, len - 1, SIZE_MAX);
    cut = talk((const char *)data + 1, len - 1, (size_t)data[0] + 1);
    CHECK(whole.result == cut.result);
    CHECK(whole.alert.is_any == cut.alert.is_any && whole.alert.number == cut.alert.number &&
          whole.alert.from_client == cut.alert.from_client);
    return 0;
}
