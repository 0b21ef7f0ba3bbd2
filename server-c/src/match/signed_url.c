/* SPDX-License-Identifier: MIT */
/* signed_url.c — an HMAC-SHA256 over the path and the end of its validity. Both parameters are
 * searched in the query as it was received, and each may occur once. */
#include "match/signed_url.h"

#include <inttypes.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <string.h>

#define MAC_LEN 32
#define EXPIRES_DIGITS 10

struct parameters {
    struct span expires, signature; /* ptr is NULL if it is missing */
};

/* Takes the next "name=value" off the query. False at its end. */
static bool next_parameter(struct span *query, struct span *parameter)
{
    const char *end;

    if (query->len == 0)
        return false;
    end = memchr(query->ptr, '&', query->len);
    parameter->ptr = query->ptr;
    parameter->len = end ? (size_t)(end - query->ptr) : query->len;
    query->ptr += parameter->len + (end ? 1 : 0);
    query->len -= parameter->len + (end ? 1 : 0);
    return true;
}

/* False if the parameter `name` occurs for the second time. */
static bool take(struct span *value, const char *name, struct span parameter)
{
    size_t len = strlen(name);

    if (parameter.len <= len || memcmp(parameter.ptr, name, len) != 0 || parameter.ptr[len] != '=')
        return true;
    if (value->ptr)
        return false;
    *value = (struct span){parameter.ptr + len + 1, parameter.len - len - 1};
    return true;
}

static bool parse_query(struct parameters *found, struct span query)
{
    struct span parameter;

    *found = (struct parameters){0};
    while (next_parameter(&query, &parameter))
        if (!take(&found->expires, "expires", parameter) ||
            !take(&found->signature, "signature", parameter))
            return false;
    return found->expires.ptr && found->signature.ptr &&
           found->signature.len == SIGNED_URL_SIGNATURE_LEN;
}

/* Decimal, without sign, blanks or leading zeros: a time can be written in only one way. */
static bool parse_expires(int64_t *expires, struct span text)
{
    if (text.len == 0 || text.len > EXPIRES_DIGITS || (text.len > 1 && text.ptr[0] == '0'))
        return false;
    *expires = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        *expires = *expires * 10 + (text.ptr[i] - '0');
    }
    return true;
}

static void encode_base64url(char out[SIGNED_URL_SIGNATURE_LEN + 1],
                             const unsigned char mac[MAC_LEN])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint32_t bits = 0;
    size_t bit_count = 0, at = 0;

    for (size_t i = 0; i < MAC_LEN; i++) {
        bits = bits << 8 | mac[i];
        for (bit_count += 8; bit_count >= 6; bit_count -= 6)
            out[at++] = digits[bits >> (bit_count - 6) & 63];
    }
    out[at++] = digits[bits << (6 - bit_count) & 63];
    out[at] = '\0';
}

static bool make_mac(unsigned char mac[MAC_LEN], struct span key, struct span path,
                     const char *expires)
{
    static char digest[] = "SHA256";
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                           OSSL_PARAM_construct_end()};
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *ctx = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
    size_t len = 0;
    bool is_made = ctx && EVP_MAC_init(ctx, (const unsigned char *)key.ptr, key.len, params) == 1 &&
                   EVP_MAC_update(ctx, (const unsigned char *)path.ptr, path.len) == 1 &&
                   EVP_MAC_update(ctx, (const unsigned char *)expires, strlen(expires)) == 1 &&
                   EVP_MAC_final(ctx, mac, &len, MAC_LEN) == 1 && len == MAC_LEN;

    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(algorithm);
    return is_made;
}

bool signed_url_sign(char out[SIGNED_URL_SIGNATURE_LEN + 1], struct span key, struct span path,
                     int64_t expires)
{
    unsigned char mac[MAC_LEN];
    char line[EXPIRES_DIGITS + 2];

    if (expires < 0 || expires > SIGNED_URL_EXPIRES_MAX)
        return false;
    snprintf(line, sizeof(line), "\n%" PRId64, expires);
    if (!make_mac(mac, key, path, line))
        return false;
    encode_base64url(out, mac);
    return true;
}

enum signed_url signed_url_check(struct span key, struct span path, struct span query,
                                 int64_t now_seconds)
{
    char right[SIGNED_URL_SIGNATURE_LEN + 1];
    struct parameters found;
    int64_t expires;

    if (!parse_query(&found, query) || !parse_expires(&expires, found.expires) ||
        !signed_url_sign(right, key, path, expires) ||
        CRYPTO_memcmp(right, found.signature.ptr, SIGNED_URL_SIGNATURE_LEN) != 0)
        return SIGNED_URL_WRONG;
    return now_seconds < expires ? SIGNED_URL_VALID : SIGNED_URL_EXPIRED;
}
