/* SPDX-License-Identifier: MIT */
/* tls_certificate.c — judges a chain and its key. The first fault counts: the later ones follow
 * from it, or weigh less. */
#include "tls/tls_certificate.h"

#include "base/digest.h"
#include "base/mem.h"
#include "tls/tls_state.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <string.h>

#define SYSTEM_ROOTS "/etc/ssl/certs" /* by hash, as c_rehash(1) makes it */
#define WEAKEST_BITS 112              /* of security: RSA of 2048 bits, SHA-224 */

struct tls_certificate {
    struct tls_chain chain;
    EVP_PKEY *key;
    struct tls_verdict verdict;
};

static const struct {
    bool is_fatal;
    const char *sentence, *hint;
} faults[] = {
#define F(name, useless, sentence, hint) [TLS_FAULT_##name] = {useless, sentence, hint},
#include "tls/tls_faults.def"
#undef F
    [TLS_FAULT_NONE] = {false, "is fine", ""},
};

const char *tls_fault_sentence(enum tls_fault fault)
{
    return faults[fault].sentence;
}

const char *tls_fault_hint(enum tls_fault fault)
{
    return faults[fault].hint;
}

bool tls_fault_is_fatal(enum tls_fault fault)
{
    return faults[fault].is_fatal;
}

/* --- judging --------------------------------------------------------------------------------- */

static bool fits(const struct tls_certificate *certificate, int index)
{
    bool fits = X509_check_private_key(certificate->chain.items[index], certificate->key) == 1;

    ERR_clear_error();
    return fits;
}

static enum tls_fault judge_key(const struct tls_certificate *certificate)
{
    if (fits(certificate, 0))
        return TLS_FAULT_NONE;
    for (int i = 1; i < certificate->chain.count; i++)
        if (fits(certificate, i))
            return TLS_FAULT_LEAF_NOT_FIRST;
    return TLS_FAULT_KEY_OF_ANOTHER;
}

/* Is there a signature algorithm of TLS for the key (RFC 8446 section 4.2.3)? */
static bool has_fit_key(const EVP_PKEY *key)
{
    char curve[32] = "";

    switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS:
    case EVP_PKEY_ED25519:
    case EVP_PKEY_ED448:
        return true;
    case EVP_PKEY_EC:
        return EVP_PKEY_get_group_name(key, curve, sizeof(curve), NULL) == 1 &&
               (strcmp(curve, "prime256v1") == 0 || strcmp(curve, "secp384r1") == 0 ||
                strcmp(curve, "secp521r1") == 0);
    default:
        return false;
    }
}

/* The library is asked, too: it will be when the certificate is put in force. */
static bool is_unfit(const struct tls_certificate *certificate)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    bool is_shown;

    if (ctx)
        SSL_CTX_set_security_level(ctx, TLS_SECURITY_LEVEL);
    is_shown = ctx && tls_show(ctx, &certificate->chain, certificate->key);
    SSL_CTX_free(ctx);
    return !is_shown || !has_fit_key(certificate->key);
}

static bool is_weak(X509 *certificate)
{
    const EVP_PKEY *key = X509_get0_pubkey(certificate);
    int bits = -1;

    if (!key || EVP_PKEY_get_security_bits(key) < WEAKEST_BITS)
        return true;
    /* Nobody relies on the signature of a certificate that signed itself. */
    if (X509_self_signed(certificate, 0) == 1)
        return false;
    /* 80 bits or less is SHA-1 and older. */
    return X509_get_signature_info(certificate, NULL, NULL, &bits, NULL) == 1 && bits <= 80;
}

static bool signed_by(X509 *certificate, X509 *issuer)
{
    bool is_signed = X509_check_issued(issuer, certificate) == X509_V_OK &&
                     X509_verify(certificate, X509_get0_pubkey(issuer)) == 1;

    ERR_clear_error();
    return is_signed;
}

/* Does the certificate say where its issuer's can be fetched (RFC 5280 section 4.2.2.1)? Those of
 * public authorities do. */
static bool tells_issuer(X509 *certificate)
{
    AUTHORITY_INFO_ACCESS *access = X509_get_ext_d2i(certificate, NID_info_access, NULL, NULL);
    bool tells = false;

    for (int i = 0; i < sk_ACCESS_DESCRIPTION_num(access); i++)
        tells |= OBJ_obj2nid(sk_ACCESS_DESCRIPTION_value(access, i)->method) == NID_ad_ca_issuers;
    AUTHORITY_INFO_ACCESS_free(access);
    return tells;
}

/* Is the issuer one of the roots that this system trusts? */
static bool is_signed_by_root(X509 *certificate)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *search = X509_STORE_CTX_new();
    X509 *issuer = NULL;
    bool found = false;

    if (store && search && X509_STORE_load_path(store, SYSTEM_ROOTS) == 1 &&
        X509_STORE_CTX_init(search, store, certificate, NULL) == 1)
        found = X509_STORE_CTX_get1_issuer(&issuer, search, certificate) == 1;
    X509_free(issuer);
    X509_STORE_CTX_free(search);
    X509_STORE_free(store);
    ERR_clear_error();
    return found;
}

/* Only a certificate that stands alone is suspect: what follows an authority's own certificate is
 * known to clients, as far as one can tell from here. */
static bool lacks_issuer(const struct tls_chain *chain)
{
    X509 *leaf = chain->items[0];

    return chain->count == 1 && X509_self_signed(leaf, 0) != 1 && tells_issuer(leaf) &&
           !is_signed_by_root(leaf);
}

static enum tls_fault judge_time(X509 *certificate, int64_t now_seconds)
{
    time_t now = (time_t)now_seconds;

    if (X509_cmp_time(X509_get0_notAfter(certificate), &now) < 0)
        return TLS_FAULT_EXPIRED;
    return X509_cmp_time(X509_get0_notBefore(certificate), &now) > 0 ? TLS_FAULT_NOT_YET
                                                                     : TLS_FAULT_NONE;
}

static struct tls_verdict at(const struct tls_chain *chain, int index, enum tls_fault fault)
{
    return (struct tls_verdict){.fault = fault, .line = chain->lines[index]};
}

/* What clients may refuse, though a handshake is possible. */
static struct tls_verdict judge_chain(const struct tls_chain *chain, int64_t now_seconds)
{
    for (int i = 1; i < chain->count; i++)
        if (!signed_by(chain->items[i - 1], chain->items[i]))
            return at(chain, i, TLS_FAULT_OUT_OF_ORDER);
    for (int i = 0; i < chain->count; i++) {
        enum tls_fault fault = judge_time(chain->items[i], now_seconds);
        if (fault != TLS_FAULT_NONE)
            return at(chain, i, fault);
    }
    return at(chain, 0, lacks_issuer(chain) ? TLS_FAULT_NO_INTERMEDIATE : TLS_FAULT_NONE);
}

static struct tls_verdict judge(const struct tls_certificate *certificate, int64_t now_seconds)
{
    const struct tls_chain *chain = &certificate->chain;
    enum tls_fault fault = judge_key(certificate);

    if (fault != TLS_FAULT_NONE)
        return (struct tls_verdict){.fault = fault, .is_in_key = fault == TLS_FAULT_KEY_OF_ANOTHER};
    for (int i = 0; i < chain->count; i++)
        if (is_weak(chain->items[i]))
            return at(chain, i, TLS_FAULT_WEAK_KEY);
    if (is_unfit(certificate))
        return at(chain, 0, TLS_FAULT_UNFIT);
    return judge_chain(chain, now_seconds);
}

struct tls_certificate *tls_certificate_read(struct span chain, struct span key,
                                             int64_t now_seconds)
{
    struct tls_certificate *certificate = xcalloc(1, sizeof(*certificate));
    struct tls_verdict *verdict = &certificate->verdict;

    verdict->fault = tls_pem_chain(&certificate->chain, NULL, chain, &verdict->line);
    if (verdict->fault != TLS_FAULT_NONE)
        return certificate;
    verdict->fault = tls_pem_key(&certificate->key, NULL, key, &verdict->line);
    if (verdict->fault != TLS_FAULT_NONE)
        verdict->is_in_key = true;
    else
        *verdict = judge(certificate, now_seconds);
    return certificate;
}

void tls_certificate_free(struct tls_certificate *certificate)
{
    if (!certificate)
        return;
    tls_chain_fini(&certificate->chain);
    EVP_PKEY_free(certificate->key);
    free(certificate);
}

struct tls_verdict tls_certificate_verdict(const struct tls_certificate *certificate)
{
    return certificate->verdict;
}

/* --- what it says ---------------------------------------------------------------------------- */

/* A wildcard of the config needs the same wildcard in the certificate: any name in its place tells
 * whether that is there. */
static bool covers_wildcard(X509 *leaf, const char *suffix)
{
    char name[280];
    int len = snprintf(name, sizeof(name), "any%s", suffix);

    return len < (int)sizeof(name) &&
           X509_check_host(leaf, name, (size_t)len, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) == 1;
}

bool tls_certificate_covers(const struct tls_certificate *certificate, const char *host)
{
    X509 *leaf = certificate->chain.items[0];
    size_t len = strlen(host);
    char address[64];
    int is_address;

    if (host[0] == '*')
        return host[1] == '.' && covers_wildcard(leaf, host + 1);
    if (host[0] == '[' && len - 2 < sizeof(address)) {
        memcpy(address, host + 1, len - 2);
        address[len - 2] = '\0';
        return X509_check_ip_asc(leaf, address, 0) == 1;
    }
    /* An address that stands there as a name counts for nobody. */
    is_address = X509_check_ip_asc(leaf, host, 0);
    if (is_address >= 0)
        return is_address == 1;
    return X509_check_host(leaf, host, len, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) == 1;
}

/* A name with a NUL in it is none: it would look like another. */
void tls_certificate_names(const struct tls_certificate *certificate,
                           void (*take)(void *arg, const char *name), void *arg)
{
    GENERAL_NAMES *names =
        X509_get_ext_d2i(certificate->chain.items[0], NID_subject_alt_name, NULL, NULL);

    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        const char *text;
        if (name->type != GEN_DNS)
            continue;
        text = (const char *)ASN1_STRING_get0_data(name->d.dNSName);
        if (strlen(text) == (size_t)ASN1_STRING_length(name->d.dNSName))
            take(arg, text);
    }
    GENERAL_NAMES_free(names);
}

int tls_certificate_kind(const struct tls_certificate *certificate)
{
    return EVP_PKEY_get_base_id(certificate->key);
}

int64_t tls_certificate_ends(const struct tls_certificate *certificate)
{
    struct tm tm = {0};

    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate->chain.items[0]), &tm) != 1)
        return 0;
    return (int64_t)timegm(&tm);
}

void tls_certificate_fingerprint(const struct tls_certificate *certificate,
                                 char out[TLS_FINGERPRINT_LEN + 1])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;

    if (X509_digest(certificate->chain.items[0], EVP_sha256(), digest, &len) != 1)
        len = 0;
    digest_hex(out, digest, len);
}

static bool drop(void *arg, X509 *certificate, uint32_t line)
{
    (void)arg;
    (void)line;
    X509_free(certificate);
    return true;
}

enum tls_fault tls_authorities_check(struct span pem, uint32_t *line)
{
    return tls_pem_each(NULL, pem, line, drop, NULL);
}
