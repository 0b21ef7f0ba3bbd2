/* SPDX-License-Identifier: MIT */
/* agent_keys.c — OpenSSL's errors are not passed on, because they name its internals. Instead the
 * message tells which step failed. */
#include "agent/agent_keys.h"

#include "base/mem.h"
#include "neighbours/neighbour_pass.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CERTIFICATES_MAX 64 /* in one text */
#define SHA256_BYTES 32

static int fail(char *why, size_t why_len, const char *what)
{
    ERR_clear_error();
    snprintf(why, why_len, "%s", what);
    return -1;
}

void agent_secret_free(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

/* --- writing --- */

/* Returns what was written to `bio`, and frees `bio`. NULL if there is nothing. */
static char *take_text(BIO *bio)
{
    char *bytes = NULL;
    long len = bio ? BIO_get_mem_data(bio, &bytes) : 0;
    char *text = len > 0 ? xmemdup(bytes, (size_t)len) : NULL;
    BIO_free(bio);
    return text;
}

static char *key_text(EVP_PKEY *key)
{
    BIO *bio = BIO_new(BIO_s_secmem()); /* overwrites its memory when it is freed */
    if (!bio || PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) != 1) {
        BIO_free(bio);
        return NULL;
    }
    return take_text(bio);
}

/* The control plane sets the subject of the certificate, so the request has none that matters. */
static bool fill_request(X509_REQ *request, EVP_PKEY *key)
{
    X509_NAME *name = X509_REQ_get_subject_name(request);
    return X509_REQ_set_version(request, X509_REQ_VERSION_1) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                      (const unsigned char *)"farmstead-node", -1, -1, 0) == 1 &&
           X509_REQ_set_pubkey(request, key) == 1 && X509_REQ_sign(request, key, EVP_sha256()) > 0;
}

static char *request_text(EVP_PKEY *key)
{
    X509_REQ *request = X509_REQ_new();
    BIO *bio = BIO_new(BIO_s_mem());
    bool ok =
        request && bio && fill_request(request, key) && PEM_write_bio_X509_REQ(bio, request) == 1;
    X509_REQ_free(request);
    if (!ok) {
        BIO_free(bio);
        return NULL;
    }
    return take_text(bio);
}

char *agent_key_new(void)
{
    EVP_PKEY *pair = EVP_EC_gen("P-256");
    char *text = pair ? key_text(pair) : NULL;
    EVP_PKEY_free(pair);
    ERR_clear_error();
    return text;
}

static BIO *open_text(const char *text)
{
    size_t len = strlen(text);
    return len < INT_MAX ? BIO_new_mem_buf(text, (int)len) : NULL;
}

static EVP_PKEY *read_key(const char *key)
{
    BIO *bio = open_text(key);
    EVP_PKEY *pair = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    return pair;
}

char *agent_key_request(const char *key)
{
    EVP_PKEY *pair = read_key(key);
    char *text = pair ? request_text(pair) : NULL;
    EVP_PKEY_free(pair);
    ERR_clear_error();
    return text;
}

/* --- reading --------------------------------------------------------------------------------- */

int agent_certificate_check(const char *certificate, const char *key, char *why, size_t why_len)
{
    BIO *bio = open_text(certificate);
    X509 *x509 = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    EVP_PKEY *pair = read_key(key);
    int err = 0;
    if (!x509)
        err = fail(why, why_len, "\"certificate\" is no certificate in PEM form");
    else if (!pair)
        err = fail(why, why_len, "the node's key is no key in PEM form");
    else if (X509_check_private_key(x509, pair) != 1)
        err = fail(why, why_len, "\"certificate\" is for another key than this node's");
    EVP_PKEY_free(pair);
    X509_free(x509);
    BIO_free(bio);
    return err;
}

/* Calls `visit` for each certificate. Returns their number, or -1 if one is invalid. */
static int for_each_certificate(const char *certificates,
                                void (*visit)(X509 *certificate, void *arg), void *arg)
{
    BIO *bio = open_text(certificates);
    int count = 0;
    X509 *x509 = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    for (; x509 && count < CERTIFICATES_MAX; count++) {
        if (visit)
            visit(x509, arg);
        X509_free(x509);
        x509 = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    }
    /* Only the error "no other PEM begins here" means the end; any other means a damaged one. */
    unsigned long end = ERR_peek_last_error();
    bool whole =
        !x509 && ERR_GET_LIB(end) == ERR_LIB_PEM && ERR_GET_REASON(end) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    X509_free(x509);
    BIO_free(bio);
    return whole ? count : -1;
}

int agent_ca_check(const char *certificates, char *why, size_t why_len)
{
    if (for_each_certificate(certificates, NULL, NULL) > 0)
        return 0;
    return fail(why, why_len, "\"caCertificates\" are no certificates in PEM form");
}

/* --- fingerprints --- */

static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool agent_fingerprint_is_one(const char *text)
{
    return strlen(text) == AGENT_FINGERPRINT_LEN &&
           strspn(text, base64url) == AGENT_FINGERPRINT_LEN;
}

/* 32 bytes are 43 characters: the last one holds only 4 bits. */
static void encode_base64url(const unsigned char bytes[SHA256_BYTES],
                             char out[AGENT_FINGERPRINT_LEN + 1])
{
    for (size_t i = 0; i < AGENT_FINGERPRINT_LEN; i++) {
        size_t bit = i * 6, at = bit / 8;
        unsigned two = (unsigned)bytes[at] << 8 | (at + 1 < SHA256_BYTES ? bytes[at + 1] : 0u);
        out[i] = base64url[two >> (10 - bit % 8) & 63u];
    }
    out[AGENT_FINGERPRINT_LEN] = '\0';
}

static bool has_fingerprint(X509 *certificate, const char *fingerprint)
{
    unsigned char digest[SHA256_BYTES];
    char found[AGENT_FINGERPRINT_LEN + 1];
    if (!neighbour_key_digest(certificate, digest))
        return false;
    encode_base64url(digest, found);
    return strcmp(found, fingerprint) == 0;
}

struct pick {
    const char *fingerprint;
    BIO *out;
};

static void pick_one(X509 *certificate, void *arg)
{
    struct pick *pick = arg;
    if (has_fingerprint(certificate, pick->fingerprint))
        PEM_write_bio_X509(pick->out, certificate);
}

char *agent_ca_pick(const char *certificates, const char *fingerprint)
{
    struct pick pick = {fingerprint, BIO_new(BIO_s_mem())};
    if (!pick.out)
        return NULL;
    if (for_each_certificate(certificates, pick_one, &pick) < 0) {
        BIO_free(pick.out);
        return NULL;
    }
    return take_text(pick.out);
}
