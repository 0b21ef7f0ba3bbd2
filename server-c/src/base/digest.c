/* SPDX-License-Identifier: MIT */
/* digest.c — SHA-256 by OpenSSL in one call, written in lower-case hex digits. */
#include "base/digest.h"

#include "base/util.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

void digest_hex(char *out, const unsigned char *bytes, size_t len)
{
    out[0] = '\0';
    for (size_t i = 0; i < len; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

bool digest_bytes(unsigned char *out, const char *hex, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        int high = hex_digit(hex[2 * i]);
        int low = high < 0 ? -1 : hex_digit(hex[2 * i + 1]);

        if (low < 0)
            return false;
        out[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

void digest_sha256(char out[DIGEST_LEN + 1], const void *bytes, size_t len)
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned int hash_len = 0;

    if (EVP_Digest(bytes, len, hash, &hash_len, EVP_sha256(), NULL) != 1) {
        fputs("farmstead-node: OpenSSL has no SHA-256; see its openssl.cnf\n", stderr);
        abort();
    }
    digest_hex(out + snprintf(out, DIGEST_LEN + 1, "sha256:"), hash, hash_len);
}
