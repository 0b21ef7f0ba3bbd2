/* SPDX-License-Identifier: MIT */
/* What is said of chains and keys: each fault with its line, whatever form the files have; the names
 * that a certificate covers; and until when it is good. */
#include "tls/tls_certificate.c"

#include "check.h"
#include "tls_pki.h"

#define NOW INT64_C(1900000000)
#define DAY 86400

/* Root, intermediate, and a site's own certificate of it. */
static EVP_PKEY *root_key, *signer_key, *site_key, *other_key;
static X509 *root, *signer, *leaf;

static X509 *signed_with(struct pki_wish wish)
{
    wish.name = wish.name ? wish.name : "site";
    wish.key = wish.key ? wish.key : site_key;
    wish.issuer = signer;
    wish.signer = signer_key;
    wish.from = wish.from ? wish.from : NOW - DAY;
    wish.to = wish.to ? wish.to : NOW + DAY;
    return pki_certificate_of(&wish);
}

static void make_authorities(void)
{
    struct pki_wish wish = {
        .name = "root", .is_authority = true, .from = NOW - DAY, .to = NOW + DAY};

    root_key = pki_key(PKI_P256);
    signer_key = pki_key(PKI_P256);
    site_key = pki_key(PKI_P256);
    other_key = pki_key(PKI_P256);
    wish.key = root_key;
    root = pki_certificate_of(&wish);
    wish.name = "signer";
    wish.key = signer_key;
    wish.issuer = root;
    wish.signer = root_key;
    signer = pki_certificate_of(&wish);
    leaf = signed_with((struct pki_wish){.names = "DNS:a.example"});
}

static void free_authorities(void)
{
    EVP_PKEY_free(root_key);
    EVP_PKEY_free(signer_key);
    EVP_PKEY_free(site_key);
    EVP_PKEY_free(other_key);
    X509_free(root);
    X509_free(signer);
    X509_free(leaf);
}

/* --- verdicts -------------------------------------------------------------------------------- */

static struct buf chain_text, key_text;

static void start_texts(void)
{
    buf_fini(&chain_text);
    buf_fini(&key_text);
    buf_init(&chain_text);
    buf_init(&key_text);
}

static uint32_t line_of_end(const struct buf *text)
{
    uint32_t line = 1;

    for (size_t i = 0; i < text->len; i++)
        line += text->data[i] == '\n';
    return line;
}

static void expect_at(int row, const char *name, int64_t now, enum tls_fault fault, bool is_in_key,
                      uint32_t line)
{
    struct tls_certificate *certificate =
        tls_certificate_read(pki_span(&chain_text), pki_span(&key_text), now);
    struct tls_verdict verdict = tls_certificate_verdict(certificate);

    CHECK_STR(row, name, tls_fault_sentence(verdict.fault), tls_fault_sentence(fault));
    CHECK_INT(row, name, verdict.is_in_key, is_in_key);
    if (fault != TLS_FAULT_NONE)
        CHECK_INT(row, name, verdict.line, line);
    tls_certificate_free(certificate);
}

static void expect(int row, const char *name, enum tls_fault fault, bool is_in_key, uint32_t line)
{
    expect_at(row, name, NOW, fault, is_in_key, line);
}

static void fine_texts(void)
{
    start_texts();
    pki_append(&chain_text, leaf);
    pki_append(&chain_text, signer);
    pki_append_key(&key_text, site_key);
}

static void test_forms(void)
{
    struct buf turned;
    EVP_PKEY *kinds[] = {pki_key(PKI_P384), pki_key(PKI_RSA), pki_key(PKI_ED25519)};

    fine_texts();
    expect(__LINE__, "a chain", TLS_FAULT_NONE, false, 0);
    pki_append(&chain_text, root);
    expect(__LINE__, "with the root", TLS_FAULT_NONE, false, 0);

    fine_texts();
    buf_init(&turned);
    for (size_t i = 0; i < chain_text.len; i++)
        buf_append_str(&turned,
                       chain_text.data[i] == '\n' ? "\r\n" : (char[]){chain_text.data[i], 0});
    buf_fini(&chain_text);
    chain_text = turned;
    expect(__LINE__, "CRLF", TLS_FAULT_NONE, false, 0);

    start_texts();
    buf_append_str(&chain_text, "subject=a.example\nissuer=signer\n\n");
    pki_append(&chain_text, leaf);
    buf_append_str(&chain_text, "\n\n-----BEGIN of nothing\nsubject=signer\n");
    pki_append(&chain_text, signer);
    buf_append_str(&chain_text, "the end, without a line's end");
    pki_append_old_key(&key_text, site_key, NULL);
    expect(__LINE__, "text around, SEC 1", TLS_FAULT_NONE, false, 0);

    start_texts();
    pki_append_key(&chain_text, site_key);
    pki_append(&chain_text, leaf);
    buf_append(&key_text, chain_text.data, chain_text.len);
    expect(__LINE__, "the key before the chain in one file", TLS_FAULT_NONE, false, 0);

    start_texts();
    pki_append(&chain_text, leaf);
    buf_append_str(&key_text, "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n"
                              "-----END EC PARAMETERS-----\n");
    pki_append_old_key(&key_text, site_key, NULL);
    expect(__LINE__, "EC PARAMETERS first", TLS_FAULT_NONE, false, 0);

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        X509 *certificate = signed_with((struct pki_wish){.key = kinds[i]});
        start_texts();
        pki_append(&chain_text, certificate);
        pki_append_key(&key_text, kinds[i]);
        expect((int)i, "another kind of key", TLS_FAULT_NONE, false, 0);
        if (EVP_PKEY_get_base_id(kinds[i]) != EVP_PKEY_ED25519) {
            buf_fini(&key_text);
            buf_init(&key_text);
            pki_append_old_key(&key_text, kinds[i], NULL);
            expect((int)i, "in its older form", TLS_FAULT_NONE, false, 0);
        }
        X509_free(certificate);
        EVP_PKEY_free(kinds[i]);
    }

    start_texts();
    pki_append(&chain_text, root);
    pki_append_key(&key_text, root_key);
    expect(__LINE__, "signed by itself", TLS_FAULT_NONE, false, 0);
}

/* A block that ends a byte after its certificate. */
static void pki_append_longer(struct buf *out, X509 *certificate)
{
    BIO *bio = BIO_new(BIO_s_mem());
    unsigned char *der = NULL;
    int len = i2d_X509(certificate, &der);

    der = OPENSSL_realloc(der, (size_t)len + 1);
    der[len] = 0;
    CHECK(PEM_write_bio(bio, "CERTIFICATE", "", der, len + 1) > 0);
    OPENSSL_free(der);
    pki_take(out, bio);
}

/* Of the certificate's file. */
static void test_unreadable_chains(void)
{
    uint32_t line;

    fine_texts();
    chain_text.len = 0;
    expect(__LINE__, "empty", TLS_FAULT_NO_CERTIFICATE, false, 0);
    start_texts();
    pki_append_key(&chain_text, site_key);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "a key alone", TLS_FAULT_NO_CERTIFICATE, false, 0);
    start_texts();
    buf_append_str(&chain_text, "0\x82\x01\x01 DER, or whatever");
    buf_append(&chain_text, "", 1);
    expect(__LINE__, "binary", TLS_FAULT_NO_CERTIFICATE, false, 0);

    fine_texts();
    line = line_of_end(&chain_text);
    pki_append(&chain_text, root);
    chain_text.len -= 100;
    expect(__LINE__, "the third is cut", TLS_FAULT_BAD_CERTIFICATE, false, line);
    fine_texts();
    line = line_of_end(&chain_text);
    buf_append_str(&chain_text, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    expect(__LINE__, "no certificate within", TLS_FAULT_BAD_CERTIFICATE, false, line);
    fine_texts();
    line = line_of_end(&chain_text);
    pki_append_longer(&chain_text, root);
    expect(__LINE__, "with a byte after it", TLS_FAULT_BAD_CERTIFICATE, false, line);
    fine_texts();
    chain_text.data[100] = '*';
    expect(__LINE__, "not base64", TLS_FAULT_BAD_CERTIFICATE, false, 1);

    start_texts();
    pki_append(&chain_text, leaf);
    pki_append(&chain_text, signer);
    for (int i = 2; i < TLS_CHAIN_MAX; i++)
        pki_append(&chain_text, root);
    line = line_of_end(&chain_text);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "sixteen", TLS_FAULT_NONE, false, 0);
    pki_append(&chain_text, root);
    expect(__LINE__, "seventeen", TLS_FAULT_TOO_MANY, false, line);
}

static void test_unreadable_keys(void)
{
    BIO *bio;

    fine_texts();
    key_text.len = 0;
    expect(__LINE__, "empty", TLS_FAULT_NO_KEY, true, 0);
    pki_append(&key_text, leaf);
    expect(__LINE__, "a certificate", TLS_FAULT_NO_KEY, true, 0);

    fine_texts();
    key_text.len -= 60;
    expect(__LINE__, "cut", TLS_FAULT_BAD_KEY, true, 1);
    fine_texts();
    key_text.len = 0;
    buf_append_str(&key_text,
                   "# mine\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    expect(__LINE__, "no key within", TLS_FAULT_BAD_KEY, true, 2);

    fine_texts();
    key_text.len = 0;
    pki_append_old_key(&key_text, site_key, EVP_aes_128_cbc());
    expect(__LINE__, "encrypted, RFC 1421", TLS_FAULT_ENCRYPTED_KEY, true, 1);
    key_text.len = 0;
    bio = BIO_new(BIO_s_mem());
    CHECK(PEM_write_bio_PKCS8PrivateKey(bio, site_key, EVP_aes_128_cbc(), "secret", 6, NULL, NULL));
    buf_append_str(&key_text, "\n\n");
    pki_take(&key_text, bio);
    expect(__LINE__, "encrypted, PKCS #8", TLS_FAULT_ENCRYPTED_KEY, true, 3);

    fine_texts();
    key_text.len = 0;
    pki_append_key(&key_text, other_key);
    expect(__LINE__, "another's", TLS_FAULT_KEY_OF_ANOTHER, true, 0);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "the first key counts", TLS_FAULT_KEY_OF_ANOTHER, true, 0);
}

static void test_order(void)
{
    uint32_t line;
    X509 *stranger = pki_certificate_of(&(struct pki_wish){.name = "signer",
                                                           .key = other_key,
                                                           .is_authority = true,
                                                           .from = NOW - DAY,
                                                           .to = NOW + DAY});

    start_texts();
    pki_append(&chain_text, signer);
    pki_append(&chain_text, leaf);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "the leaf second", TLS_FAULT_LEAF_NOT_FIRST, false, 0);

    start_texts();
    pki_append(&chain_text, leaf);
    line = line_of_end(&chain_text);
    pki_append(&chain_text, root);
    pki_append(&chain_text, signer);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "turned", TLS_FAULT_OUT_OF_ORDER, false, line);
    start_texts();
    pki_append(&chain_text, leaf);
    pki_append(&chain_text, stranger);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "its name, but not its key", TLS_FAULT_OUT_OF_ORDER, false, line);
    X509_free(stranger);
}

static void test_weak(void)
{
    EVP_PKEY *short_key = pki_key(PKI_RSA_1024);
    X509 *weak = signed_with((struct pki_wish){.key = short_key});
    X509 *sha1 = signed_with((struct pki_wish){.is_sha1 = true});
    X509 *own = pki_certificate_of(&(struct pki_wish){
        .name = "own", .key = site_key, .is_sha1 = true, .from = NOW - DAY, .to = NOW + DAY});

    start_texts();
    pki_append(&chain_text, weak);
    pki_append_key(&key_text, short_key);
    expect(__LINE__, "RSA of 1024 bits", TLS_FAULT_WEAK_KEY, false, 1);
    start_texts();
    buf_append_str(&chain_text, "\n\n\n");
    pki_append(&chain_text, sha1);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "SHA-1", TLS_FAULT_WEAK_KEY, false, 4);
    start_texts();
    pki_append(&chain_text, own);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "SHA-1, but signed by itself", TLS_FAULT_NONE, false, 0);
    EVP_PKEY_free(short_key);
    X509_free(weak);
    X509_free(sha1);
    X509_free(own);
}

/* Certificates that no client of TLS takes, though the library does. */
static void test_unfit(void)
{
    EVP_PKEY *keys[] = {EVP_EC_gen("secp256k1"), EVP_EC_gen("brainpoolP256r1")};
    X509 *certificate;
    unsigned char *der = NULL, *at;
    const unsigned char *from;
    int len;

    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        certificate = signed_with((struct pki_wish){.key = keys[i]});
        start_texts();
        pki_append(&chain_text, certificate);
        pki_append_key(&key_text, keys[i]);
        expect((int)i, "a curve", TLS_FAULT_UNFIT, false, 1);
        X509_free(certificate);
        EVP_PKEY_free(keys[i]);
    }
    /* The algorithm stands there twice; the second time is not covered by the signature. */
    len = i2d_X509(leaf, &der);
    at = memmem(der + 200, (size_t)len - 200, "\x2a\x86\x48\xce\x3d\x04\x03\x02", 8);
    CHECK(at != NULL);
    at[1] ^= 1;
    from = der;
    certificate = d2i_X509(NULL, &from, len);
    start_texts();
    pki_append(&chain_text, certificate);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "an unknown signature", TLS_FAULT_UNFIT, false, 1);
    X509_free(certificate);
    OPENSSL_free(der);
}

static void test_intermediate(void)
{
    X509 *telling = signed_with((struct pki_wish){.tells = true});

    start_texts();
    pki_append(&chain_text, telling);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "alone", TLS_FAULT_NO_INTERMEDIATE, false, 1);
    pki_append(&chain_text, signer);
    expect(__LINE__, "not alone", TLS_FAULT_NONE, false, 0);
    start_texts();
    pki_append(&chain_text, leaf);
    pki_append_key(&key_text, site_key);
    expect(__LINE__, "of an authority that is not public", TLS_FAULT_NONE, false, 0);
    X509_free(telling);
}

static void test_times(void)
{
    uint32_t line;
    X509 *shorter = signed_with((struct pki_wish){.from = NOW - 10, .to = NOW + 10});

    fine_texts();
    expect_at(__LINE__, "begins now", NOW - DAY, TLS_FAULT_NONE, false, 0);
    expect_at(__LINE__, "a second before", NOW - DAY - 1, TLS_FAULT_NOT_YET, false, 1);
    expect_at(__LINE__, "a second to go", NOW + DAY - 1, TLS_FAULT_NONE, false, 0);
    expect_at(__LINE__, "over", NOW + DAY + 1, TLS_FAULT_EXPIRED, false, 1);
    start_texts();
    pki_append(&chain_text, shorter);
    pki_append(&chain_text, signer);
    line = line_of_end(&chain_text);
    pki_append_key(&key_text, site_key);
    expect_at(__LINE__, "its own end counts", NOW + 11, TLS_FAULT_EXPIRED, false, 1);
    X509_free(shorter);

    shorter = signed_with((struct pki_wish){.from = NOW - DAY, .to = NOW + 3 * DAY});
    start_texts();
    pki_append(&chain_text, shorter);
    line = line_of_end(&chain_text);
    pki_append(&chain_text, signer);
    pki_append_key(&key_text, site_key);
    expect_at(__LINE__, "its authority's, too", NOW + 2 * DAY, TLS_FAULT_EXPIRED, false, line);
    X509_free(shorter);
}

/* --- what it says ---------------------------------------------------------------------------- */

static struct tls_certificate *named(const char *names, struct span raw)
{
    X509 *certificate =
        signed_with((struct pki_wish){.name = "cn.example", .names = names, .raw = raw});

    start_texts();
    pki_append(&chain_text, certificate);
    pki_append_key(&key_text, site_key);
    X509_free(certificate);
    return tls_certificate_read(pki_span(&chain_text), pki_span(&key_text), NOW);
}

static void take_name(void *arg, const char *name)
{
    buf_printf(arg, "%s|", name);
}

static void test_names(void)
{
    static const struct {
        int line;
        const char *host;
        bool is_covered;
    } rows[] = {
        {__LINE__, "a.example", true},
        {__LINE__, "A.Example", true},
        {__LINE__, "b.example", false},
        {__LINE__, "upper.example", true},
        {__LINE__, "x.w.example", true},
        {__LINE__, "x.y.w.example", false}, /* one label */
        {__LINE__, "w.example", false},
        {__LINE__, "*.w.example", true},
        {__LINE__, "*.a.example", false},
        {__LINE__, "*.example", false},
        {__LINE__, "*", false},
        {__LINE__, "*x", false},
        {__LINE__, "cn.example", false}, /* the subject's name is no host's (RFC 9525) */
        {__LINE__, "192.0.2.1", true},
        {__LINE__, "192.0.2.2", false},
        {__LINE__, "[2001:db8::1]", true},
        {__LINE__, "[2001:DB8:0::1]", true},
        {__LINE__, "[2001:db8::2]", false},
        {__LINE__, "[", false},
        {__LINE__, "[]", false},
        {__LINE__, "198.51.100.7", false}, /* is there as a name */
        {__LINE__, "", false},
    };
    static const char names[] = "DNS:a.example,DNS:UPPER.example,DNS:*.w.example,IP:192.0.2.1,"
                                "IP:2001:db8::1,email:a@mail.example,DNS:198.51.100.7";
    struct tls_certificate *certificate = named(names, (struct span){NULL, 0});
    char long_host[400];
    struct buf list;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].host, tls_certificate_covers(certificate, rows[i].host),
                  rows[i].is_covered);
    memset(long_host, 'x', sizeof(long_host) - 1);
    long_host[sizeof(long_host) - 1] = '\0';
    CHECK_TRUE(!tls_certificate_covers(certificate, long_host), "long");
    long_host[0] = '*';
    long_host[1] = '.';
    CHECK_TRUE(!tls_certificate_covers(certificate, long_host), "a long wildcard");
    long_host[0] = '[';
    CHECK_TRUE(!tls_certificate_covers(certificate, long_host), "a long address");
    buf_init(&list);
    tls_certificate_names(certificate, take_name, &list);
    buf_append(&list, "", 1);
    CHECK_STR(__LINE__, "names", list.data, "a.example|UPPER.example|*.w.example|198.51.100.7|");
    buf_fini(&list);
    tls_certificate_free(certificate);

    certificate = named(NULL, (struct span){"good.example\0.evil.example", 26});
    buf_init(&list);
    tls_certificate_names(certificate, take_name, &list);
    CHECK_INT(__LINE__, "a NUL in a name", list.len, 0);
    CHECK_TRUE(!tls_certificate_covers(certificate, "good.example"), "it is cut");
    CHECK_TRUE(!tls_certificate_covers(certificate, "cn.example"), "nor the subject's");
    buf_fini(&list);
    tls_certificate_free(certificate);

    certificate = named(NULL, (struct span){NULL, 0});
    CHECK_TRUE(!tls_certificate_covers(certificate, "cn.example"), "no names at all");
    tls_certificate_free(certificate);
}

static void test_facts(void)
{
    struct tls_certificate *certificate = named("DNS:a", (struct span){NULL, 0});
    char fingerprint[TLS_FINGERPRINT_LEN + 1], want[TLS_FINGERPRINT_LEN + 1] = "";
    unsigned char digest[32];
    unsigned char *der = NULL;
    int len = i2d_X509(certificate->chain.items[0], &der);

    CHECK_INT(__LINE__, "the end", tls_certificate_ends(certificate), NOW + DAY);
    CHECK_INT(__LINE__, "the kind", tls_certificate_kind(certificate), EVP_PKEY_EC);
    EVP_Digest(der, (size_t)len, digest, NULL, EVP_sha256(), NULL);
    for (size_t i = 0; i < sizeof(digest); i++)
        snprintf(want + 2 * i, 3, "%02x", digest[i]);
    tls_certificate_fingerprint(certificate, fingerprint);
    CHECK_STR(__LINE__, "fingerprint", fingerprint, want);
    OPENSSL_free(der);
    tls_certificate_free(certificate);
    tls_certificate_free(NULL);
}

static void test_authorities(void)
{
    uint32_t line = 99;

    start_texts();
    for (int i = 0; i < 40; i++)
        pki_append(&chain_text, root);
    CHECK_INT(__LINE__, "many", tls_authorities_check(pki_span(&chain_text), &line),
              TLS_FAULT_NONE);
    start_texts();
    CHECK_INT(__LINE__, "none", tls_authorities_check(pki_span(&chain_text), &line),
              TLS_FAULT_NO_CERTIFICATE);
    CHECK_INT(__LINE__, "none", line, 0);
    buf_append_str(&chain_text, "#\n");
    pki_append(&chain_text, root);
    chain_text.len -= 20;
    CHECK_INT(__LINE__, "cut", tls_authorities_check(pki_span(&chain_text), &line),
              TLS_FAULT_BAD_CERTIFICATE);
    CHECK_INT(__LINE__, "cut", line, 2);
}

/* Each has words of its own, and what is fatal is not merely remarked. */
static void test_table(void)
{
    for (int i = 0; i < TLS_FAULT_NONE; i++) {
        CHECK_TRUE(strlen(tls_fault_sentence((enum tls_fault)i)) > 5, "fault %d", i);
        CHECK_TRUE(strlen(tls_fault_hint((enum tls_fault)i)) > 5, "fault %d", i);
        CHECK_INT(i, "is fatal", tls_fault_is_fatal((enum tls_fault)i), i < TLS_FAULT_OUT_OF_ORDER);
    }
    CHECK_TRUE(!tls_fault_is_fatal(TLS_FAULT_NONE), "none");
}

int main(void)
{
    make_authorities();
    test_forms();
    test_unreadable_chains();
    test_unreadable_keys();
    test_order();
    test_weak();
    test_unfit();
    test_intermediate();
    test_times();
    test_names();
    test_facts();
    test_authorities();
    test_table();
    start_texts();
    buf_fini(&chain_text);
    buf_fini(&key_text);
    free_authorities();
    return check_end("tls_certificate");
}
