/* SPDX-License-Identifier: MIT */
/* tls_set.c — makes the library's contexts: one with which sessions begin, and one for each choice
 * of certificates. */
#include "base/mem.h"
#include "tls/tls_state.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <string.h>

#define SESSION_SECONDS (2 * TLS_TICKET_SECONDS) /* a ticket's key lives longer than the session */
#define RSA_BITS_FAST                                                                              \
    2048 /* the way to the lane and back costs more than it saves: decision 0106 */
#define GROUPS "X25519:P-256:P-384"
/* What is recorded today is not read by a quantum computer of tomorrow. OpenSSL has it from 3.5 on. */
#define HYBRID_GROUPS "X25519MLKEM768:" GROUPS

/* --- tickets --------------------------------------------------------------------------------- */

static const struct tls_engine *engine_of(SSL *ssl)
{
    const struct tls_set *set = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

    return set->engine;
}

static bool start_cipher(const struct tls_engine *engine, const struct tls_ticket_key *key,
                         const unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
                         int encrypts)
{
    char sha256[] = "SHA256";
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)(uintptr_t)key->mac,
                                          sizeof(key->mac)),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha256, 0),
        OSSL_PARAM_construct_end(),
    };

    return EVP_CipherInit_ex2(cipher, engine->aes, key->cipher, iv, encrypts, NULL) == 1 &&
           EVP_MAC_CTX_set_params(mac, params) == 1;
}

static int encrypt_ticket(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                          EVP_MAC_CTX *mac)
{
    const struct tls_engine *engine = engine_of(ssl);
    struct tls_ticket_key key;
    bool is_set = tls_tickets_newest(engine->tickets, &key) &&
                  RAND_bytes_ex(engine->library, iv, 16, 0) == 1 &&
                  start_cipher(engine, &key, iv, cipher, mac, 1);

    if (is_set)
        memcpy(name, key.name, sizeof(key.name));
    explicit_bzero(&key, sizeof(key));
    return is_set ? 1 : 0; /* 0: no ticket is sent */
}

/* 1: the ticket is good; 2: it is, and gets a new one; 0: the client needs a full handshake. */
static int decrypt_ticket(SSL *ssl, const unsigned char *name, const unsigned char *iv,
                          EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac)
{
    const struct tls_engine *engine = engine_of(ssl);
    struct tls_ticket_key key = {{0}, {0}, {0}};
    bool is_newest = false;
    bool is_set = tls_tickets_find(engine->tickets, name, &key, &is_newest) &&
                  start_cipher(engine, &key, iv, cipher, mac, 0);

    explicit_bzero(&key, sizeof(key));
    if (!is_set)
        return 0;
    /* In TLS 1.3 a ticket is for one connection only, and each gets another. */
    return is_newest && SSL_version(ssl) != TLS1_3_VERSION ? 1 : 2;
}

static int on_ticket(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                     EVP_MAC_CTX *mac, int encrypts)
{
    return encrypts ? encrypt_ticket(ssl, name, iv, cipher, mac)
                    : decrypt_ticket(ssl, name, iv, cipher, mac);
}

/* --- contexts -------------------------------------------------------------------------------- */

/* The library's names of one protocol's cipher suites, the ones we like best first. */
static bool set_ciphers(SSL_CTX *ctx)
{
    static const struct {
        enum tls_protocol protocol;
        const char *name;
    } ciphers[] = {
#define C(name, protocol, library, iana) {protocol, library},
#include "tls/tls_ciphers.def"
#undef C
    };
    char lists[TLS_PROTOCOL_COUNT][512] = {{0}};

    for (size_t i = 0; i < ARRAY_LEN(ciphers); i++) {
        char *list = lists[ciphers[i].protocol];
        if (list[0])
            strcat(list, ":");
        strcat(list, ciphers[i].name);
    }
    return SSL_CTX_set_ciphersuites(ctx, lists[TLS_1_3]) == 1 &&
           SSL_CTX_set_cipher_list(ctx, lists[TLS_1_2]) == 1;
}

/* A list with a name that the library does not know is refused as a whole. */
static bool set_groups(SSL_CTX *ctx)
{
    char hybrid[] = HYBRID_GROUPS; /* the library's macro takes away a const */
    char classic[] = GROUPS;
    bool is_set = SSL_CTX_set1_groups_list(ctx, hybrid) == 1;

    if (!is_set) {
        ERR_clear_error();
        is_set = SSL_CTX_set1_groups_list(ctx, classic) == 1;
    }
    return is_set;
}

/* Renegotiation and compression are off, and early data are never taken: they can be replayed (RFC
 * 8446 section 8). A client whose machine has no AES instructions prefers ChaCha20, and gets it. */
static SSL_CTX *new_ctx(struct tls_set *set)
{
    SSL_CTX *ctx = SSL_CTX_new_ex(set->engine->library, NULL, TLS_server_method());

    if (!ctx)
        return NULL;
    SSL_CTX_set_app_data(ctx, set);
    SSL_CTX_set_security_level(ctx, TLS_SECURITY_LEVEL);
    SSL_CTX_set_min_proto_version(ctx, set->settings.is_modern ? TLS1_3_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                 SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                                 SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_timeout(ctx, SESSION_SECONDS);
    SSL_CTX_set_num_tickets(ctx, 1);
    SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx, on_ticket);
    SSL_CTX_set_alpn_select_cb(ctx, tls_on_alpn, set);
    SSL_CTX_set_info_callback(ctx, tls_on_info);
    if (set_ciphers(ctx) && set_groups(ctx))
        return ctx;
    SSL_CTX_free(ctx);
    return NULL;
}

bool tls_show(SSL_CTX *ctx, const struct tls_chain *chain, EVP_PKEY *key)
{
    bool is_shown =
        SSL_CTX_use_certificate(ctx, chain->items[0]) == 1 && SSL_CTX_use_PrivateKey(ctx, key) == 1;

    for (int i = 1; is_shown && i < chain->count; i++)
        is_shown = SSL_CTX_add1_chain_cert(ctx, chain->items[i]) == 1;
    ERR_clear_error();
    return is_shown;
}

bool tls_signs_fast(const EVP_PKEY *key)
{
    char curve[32] = "";

    switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_ED25519:
        return true;
    case EVP_PKEY_RSA:
        return EVP_PKEY_get_bits(key) <= RSA_BITS_FAST;
    case EVP_PKEY_EC: /* the library has code of its own for this curve only */
        return EVP_PKEY_get_group_name(key, curve, sizeof(curve), NULL) == 1 &&
               strcmp(curve, "prime256v1") == 0;
    default:
        return false;
    }
}

static bool use_pair(SSL_CTX *ctx, OSSL_LIB_CTX *library, const struct tls_pair *pair)
{
    struct tls_chain chain;
    EVP_PKEY *key = NULL;
    uint32_t line;
    bool is_used = tls_pem_chain(&chain, library, pair->chain, &line) == TLS_FAULT_NONE &&
                   tls_pem_key(&key, library, pair->key, &line) == TLS_FAULT_NONE &&
                   tls_show(ctx, &chain, key);

    if (is_used && !tls_signs_fast(key))
        SSL_CTX_set_cert_cb(ctx, tls_on_certificate, NULL);
    EVP_PKEY_free(key);
    tls_chain_fini(&chain);
    return is_used;
}

static bool add_authority(void *arg, X509 *certificate, uint32_t line)
{
    SSL_CTX *ctx = arg;

    (void)line;
    X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), certificate);
    SSL_CTX_add_client_CA(ctx, certificate);
    X509_free(certificate);
    return true;
}

static bool use_authorities(SSL_CTX *ctx, OSSL_LIB_CTX *library, struct span authorities)
{
    uint32_t line;

    if (authorities.len == 0)
        return true;
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_verify_depth(ctx, 4);
    return tls_pem_each(library, authorities, &line, add_authority, ctx) == TLS_FAULT_NONE;
}

struct tls_context *tls_set_add(struct tls_set *set, const struct tls_plan *plan)
{
    struct tls_context *context = calloc(1, sizeof(*context));

    if (!context)
        return NULL;
    context->ctx = new_ctx(set);
    if (!context->ctx ||
        SSL_CTX_set_session_id_context(context->ctx, plan->id, sizeof(plan->id)) != 1 ||
        !use_authorities(context->ctx, set->engine->library, plan->authorities))
        goto fail;
    for (size_t i = 0; i < plan->pair_count; i++)
        if (!use_pair(context->ctx, set->engine->library, &plan->pairs[i]))
            goto fail;
    context->next = set->contexts;
    set->contexts = context;
    return context;

fail:
    SSL_CTX_free(context->ctx);
    free(context);
    return NULL;
}

/* --- the set --------------------------------------------------------------------------------- */

struct tls_set *tls_set_new(struct tls_engine *engine, const struct tls_settings *settings)
{
    struct tls_set *set = calloc(1, sizeof(*set));

    if (!set)
        return NULL;
    set->refs = 1;
    set->engine = engine;
    set->settings = *settings;
    set->base = new_ctx(set);
    if (!set->base) {
        free(set);
        return NULL;
    }
    SSL_CTX_set_client_hello_cb(set->base, tls_on_hello, set);
    return set;
}

void *tls_set_arg(const struct tls_set *set)
{
    return set->settings.arg;
}

void tls_set_put(struct tls_set *set)
{
    if (!set || --set->refs > 0)
        return;
    while (set->contexts) {
        struct tls_context *context = set->contexts;
        set->contexts = context->next;
        SSL_CTX_free(context->ctx);
        free(context);
    }
    SSL_CTX_free(set->base);
    set->settings.free_arg(set->settings.arg);
    free(set);
}
