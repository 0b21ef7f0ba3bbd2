/* SPDX-License-Identifier: MIT */
/* neighbour_pass.c — the form first, then what it is for, then the signature: that is what costs time. */
#include "neighbours/neighbour_pass.h"

#include "base/digest.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <string.h>

#define SIGNATURE_BYTES 64
#define UNTIL_DIGITS_MAX 12

static const char signed_begin[] = "farmstead neighbour pass ";

static bool skip_hex(const char **at, size_t digits)
{
    if (strspn(*at, "0123456789abcdef") != digits)
        return false;
    *at += digits;
    return true;
}

static bool skip_dot(const char **at)
{
    return *(*at)++ == '.';
}

/* Whose parts these are: texts within the pass. */
struct parts {
    const char *manifest, *key, *signature;
    int64_t until;
};

static bool read_parts(const char *pass, struct parts *out)
{
    const char *at = pass;
    size_t digits;

    if (strlen(pass) > NEIGHBOUR_PASS_LEN || *at++ != '1' || !skip_dot(&at))
        return false;
    out->manifest = at;
    if (!skip_hex(&at, NEIGHBOUR_KEY_LEN) || !skip_dot(&at))
        return false;
    out->key = at;
    if (!skip_hex(&at, NEIGHBOUR_KEY_LEN) || !skip_dot(&at))
        return false;
    digits = strspn(at, "0123456789");
    if (digits == 0 || digits > UNTIL_DIGITS_MAX)
        return false;
    for (out->until = 0; digits > 0; digits--)
        out->until = out->until * 10 + (*at++ - '0');
    if (!skip_dot(&at))
        return false;
    out->signature = at;
    return skip_hex(&at, 2 * (size_t)SIGNATURE_BYTES) && *at == '\0';
}

static bool has_signed(const unsigned char key[NEIGHBOUR_PASS_KEY_BYTES], const char *text,
                       size_t len, const unsigned char signature[SIGNATURE_BYTES])
{
    EVP_PKEY *signer =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, NEIGHBOUR_PASS_KEY_BYTES);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_good =
        signer && context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, signer) == 1 &&
        EVP_DigestVerify(context, signature, SIGNATURE_BYTES, (const unsigned char *)text, len) ==
            1;

    EVP_MD_CTX_free(context);
    EVP_PKEY_free(signer);
    ERR_clear_error();
    return is_good;
}

static bool is_signed(const char *pass, const struct parts *parts,
                      const struct neighbour_pass_keys *keys)
{
    unsigned char signature[SIGNATURE_BYTES];
    char text[sizeof(signed_begin) + NEIGHBOUR_PASS_LEN];
    size_t begin = sizeof(signed_begin) - 1, len = (size_t)(parts->signature - 1 - pass);

    if (!digest_bytes(signature, parts->signature, SIGNATURE_BYTES))
        return false;
    memcpy(text, signed_begin, begin);
    memcpy(text + begin, pass, len);
    for (size_t i = 0; i < keys->count; i++)
        if (has_signed(keys->items[i], text, begin + len, signature))
            return true;
    return false;
}

const char *neighbour_pass_fault(const char *pass, const struct neighbour_pass_keys *keys,
                                 const char *manifest, const char *taker_key, int64_t now_seconds)
{
    struct parts parts;

    if (!read_parts(pass, &parts))
        return "what came is no pass";
    if (memcmp(parts.manifest, manifest, NEIGHBOUR_KEY_LEN) != 0)
        return "the pass is for another release";
    if (memcmp(parts.key, taker_key, NEIGHBOUR_KEY_LEN) != 0)
        return "the pass is for another node's key";
    if (now_seconds > parts.until)
        return "the pass is over, or this machine's clock is wrong";
    if (parts.until - now_seconds > NEIGHBOUR_PASS_LONGEST_SECONDS)
        return "the pass lasts too long, or this machine's clock is wrong";
    if (!is_signed(pass, &parts, keys))
        return "the pass is signed by none of the control plane's keys";
    return NULL;
}

bool neighbour_key_digest(X509 *certificate, unsigned char out[NEIGHBOUR_KEY_LEN / 2])
{
    unsigned char *der = NULL;
    int len = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
    bool ok = len > 0 && EVP_Digest(der, (size_t)len, out, NULL, EVP_sha256(), NULL) == 1;

    OPENSSL_free(der);
    return ok;
}

bool neighbour_key_of(X509 *certificate, char out[NEIGHBOUR_KEY_LEN + 1])
{
    unsigned char digest[NEIGHBOUR_KEY_LEN / 2];

    if (!neighbour_key_digest(certificate, digest))
        return false;
    digest_hex(out, digest, sizeof(digest));
    return true;
}
