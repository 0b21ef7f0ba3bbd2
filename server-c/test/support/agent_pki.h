/* SPDX-License-Identifier: MIT */
/* agent_pki.h — certificates for unit tests: self-signed ones, for a key in PEM. */
#ifndef FARMSTEAD_TEST_AGENT_PKI_H
#define FARMSTEAD_TEST_AGENT_PKI_H

#include "check.h"

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

static inline char *pki_certificate(const char *key_pem)
{
    BIO *in = BIO_new_mem_buf(key_pem, -1), *out = BIO_new(BIO_s_mem());
    EVP_PKEY *key = PEM_read_bio_PrivateKey(in, NULL, NULL, NULL);
    X509 *x509 = X509_new();
    X509_NAME *name = X509_get_subject_name(x509);
    char *bytes, *text;
    X509_set_version(x509, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
    X509_set_issuer_name(x509, name);
    X509_set_pubkey(x509, key);
    CHECK_TRUE(X509_sign(x509, key, EVP_sha256()) > 0, "sign");
    PEM_write_bio_X509(out, x509);
    BIO_write(out, "", 1);
    BIO_get_mem_data(out, &bytes);
    text = strdup(bytes);
    X509_free(x509);
    EVP_PKEY_free(key);
    BIO_free(in);
    BIO_free(out);
    return text;
}

/* A self-signed certificate for a key that is thrown away. Readers take it for a CA. */
static inline char *pki_any_certificate(void)
{
    char *key = agent_key_new(), *certificate = pki_certificate(key);
    agent_secret_free(key);
    return certificate;
}

#endif
