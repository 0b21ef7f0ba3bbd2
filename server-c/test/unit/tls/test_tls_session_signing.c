/* SPDX-License-Identifier: MIT */
/* Which signatures a thread of its own makes, and sessions that end meanwhile. */
#include "tls_talk.h"

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

/* By kind: some take half a second to make. */
static const enum pki_kind made_kinds[] = {PKI_P256, PKI_P384, PKI_RSA, PKI_RSA_3072, PKI_ED25519};
static struct pki_pair made[PKI_ED25519 + 1];

static void check_signing(const struct signing_row *row)
{
    struct client_wish wish = {.version = row->version, .groups = row->groups};
    struct tls_pair pairs[2];
    const struct tls_plan plan = {.pairs = pairs, .pair_count = row->count};

    begin_set(false, false);
    for (size_t i = 0; i < row->count; i++) {
        const struct pki_pair *pair = &made[row->kinds[i]];
        pairs[i] = (struct tls_pair){pki_span(&pair->chain), pki_span(&pair->key_text)};
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
    const struct pki_pair *slow = &made[PKI_RSA_3072];
    const struct tls_pair pair = {pki_span(&slow->chain), pki_span(&slow->key_text)};
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
    begin_talks();
    for (size_t i = 0; i < ARRAY_LEN(made_kinds); i++)
        pki_pair_init(&made[made_kinds[i]], made_kinds[i], "DNS:a.example");
    test_signing();
    test_end_while_signing();
    for (size_t i = 0; i < ARRAY_LEN(made_kinds); i++)
        pki_pair_fini(&made[made_kinds[i]]);
    return end_talks("tls_session_signing");
}
