/* SPDX-License-Identifier: MIT */
/* digest.c — SHA-256 by OpenSSL in one call, written in lower-case hex digits. */
#include "base/digest.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

void digest_sha256(char out[DIGEST_LEN + 1], const void *bytes, size_t len)
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned int hash_len = 0;
    int at;

    if (EVP_Digest(bytes, len, hash, &hash_len, EVP_sha256(), NULL) != 1) {
        fputs("farmstead-node: OpenSSL has no SHA-256; see its openssl.cnf\n", stderr);
        abort();
    }
    at = snprintf(out, DIGEST_LEN + 1, "sha256:");
    for (unsigned int i = 0; i < hash_len; i++)
        at += snprintf(out + at, (size_t)(DIGEST_LEN + 1 - at), "%02x", hash[i]);
}
