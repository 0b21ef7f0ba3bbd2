/* SPDX-License-Identifier: MIT */
/* tls_pki.h — keys and certificates of any kind for unit tests, made when they are asked for, and
 * their PEM text. */
#ifndef FARMSTEAD_TEST_TLS_PKI_H
#define FARMSTEAD_TEST_TLS_PKI_H

#include "base/buf.h"
#include "base/util.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <string.h>

enum pki_kind { PKI_P256, PKI_P384, PKI_RSA, PKI_RSA_1024, PKI_RSA_3072, PKI_ED25519 };

static inline EVP_PKEY *pki_key(enum pki_kind kind)
{
    EVP_PKEY *key = NULL;

    switch (kind) {
    case PKI_P256:
        key = EVP_EC_gen("P-256");
        break;
    case PKI_P384:
        key = EVP_EC_gen("P-384");
        break;
    case PKI_RSA:
    case PKI_RSA_1024:
        key = EVP_RSA_gen(kind == PKI_RSA ? 2048U : 1024U);
        break;
    case PKI_RSA_3072:
        key = EVP_RSA_gen(kind == PKI_RSA ? 2048U : 3072U);
        break;
    case PKI_ED25519:
        key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
        break;
    }
    CHECK(key != NULL);
    return key;
}

struct pki_wish {
    const char *name;  /* the subject's CN */
    EVP_PKEY *key;     /* its own */
    X509 *issuer;      /* NULL: it signs itself */
    EVP_PKEY *signer;  /* the issuer's key */
    const char *names; /* "DNS:a.example,IP:192.0.2.1"; NULL: none */
    struct span raw;   /* a DNS name besides, byte for byte */
    bool is_authority;
    bool tells;       /* where the issuer's certificate is */
    bool is_sha1;     /* the signature's digest; else SHA-256 */
    int64_t from, to; /* seconds since 1970; 0: an hour around now */
};

static inline void pki_extend(X509 *certificate, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

    CHECK(extension && X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
}

static inline void pki_name(X509 *certificate, const struct pki_wish *wish)
{
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *text = ASN1_IA5STRING_new();

    if (wish->names)
        pki_extend(certificate, NID_subject_alt_name, wish->names);
    ASN1_STRING_set(text, wish->raw.ptr, (int)wish->raw.len);
    GENERAL_NAME_set0_value(name, GEN_DNS, text);
    sk_GENERAL_NAME_push(names, name);
    if (wish->raw.len > 0)
        CHECK(X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, 0) == 1);
    GENERAL_NAMES_free(names);
}

static inline X509 *pki_certificate_of(const struct pki_wish *wish)
{
    static long serial = 1;
    X509 *certificate = X509_new();
    X509_NAME *subject = X509_get_subject_name(certificate);
    const unsigned char *cn = (const unsigned char *)wish->name;
    EVP_PKEY *signer = wish->issuer ? wish->signer : wish->key;
    const EVP_MD *digest = wish->is_sha1 ? EVP_sha1() : EVP_sha256();

    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
    ASN1_TIME_set(X509_getm_notBefore(certificate), wish->from ? wish->from : time(NULL) - 3600);
    ASN1_TIME_set(X509_getm_notAfter(certificate), wish->to ? wish->to : time(NULL) + 3600);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, cn, -1, -1, 0);
    X509_set_issuer_name(certificate, wish->issuer ? X509_get_subject_name(wish->issuer) : subject);
    X509_set_pubkey(certificate, wish->key);
    pki_extend(certificate, NID_basic_constraints,
               wish->is_authority ? "critical,CA:TRUE" : "CA:FALSE");
    if (wish->tells)
        pki_extend(certificate, NID_info_access, "caIssuers;URI:http://ca.example/issuer.cer");
    pki_name(certificate, wish);
    if (EVP_PKEY_get_base_id(signer) == EVP_PKEY_ED25519)
        digest = NULL;
    CHECK(X509_sign(certificate, signer, digest) > 0);
    return certificate;
}

static inline void pki_take(struct buf *out, BIO *bio)
{
    char *bytes;
    long len = BIO_get_mem_data(bio, &bytes);

    buf_append(out, bytes, (size_t)len);
    BIO_free(bio);
}

static inline void pki_append(struct buf *out, X509 *certificate)
{
    BIO *bio = BIO_new(BIO_s_mem());

    CHECK(PEM_write_bio_X509(bio, certificate) == 1);
    pki_take(out, bio);
}

/* As PKCS #8. */
static inline void pki_append_key(struct buf *out, EVP_PKEY *key)
{
    BIO *bio = BIO_new(BIO_s_mem());

    CHECK(PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1);
    pki_take(out, bio);
}

/* As SEC 1 (EC) and PKCS #1 (RSA) have it; with a password if `cipher` is not NULL. */
static inline void pki_append_old_key(struct buf *out, EVP_PKEY *key, const EVP_CIPHER *cipher)
{
    const unsigned char password[] = "secret";
    BIO *bio = BIO_new(BIO_s_mem());

    CHECK(PEM_write_bio_PrivateKey_traditional(bio, key, cipher, cipher ? password : NULL,
                                               cipher ? 6 : 0, NULL, NULL) == 1);
    pki_take(out, bio);
}

static inline struct span pki_span(const struct buf *text)
{
    return (struct span){text->data ? text->data : "", text->len};
}

/* A certificate of its own key, signed by itself, and both as PEM. */
struct pki_pair {
    EVP_PKEY *key;
    X509 *certificate;
    struct buf chain, key_text;
};

static inline void pki_pair_init(struct pki_pair *pair, enum pki_kind kind, const char *names)
{
    pair->key = pki_key(kind);
    pair->certificate =
        pki_certificate_of(&(struct pki_wish){.name = "test", .key = pair->key, .names = names});
    buf_init(&pair->chain);
    buf_init(&pair->key_text);
    pki_append(&pair->chain, pair->certificate);
    pki_append_key(&pair->key_text, pair->key);
}

static inline void pki_pair_fini(struct pki_pair *pair)
{
    EVP_PKEY_free(pair->key);
    X509_free(pair->certificate);
    buf_fini(&pair->chain);
    buf_fini(&pair->key_text);
}

#endif
