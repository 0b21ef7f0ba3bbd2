/* SPDX-License-Identifier: MIT */
/* Any Authorization: what is taken lies in the buffer, is within bounds, has no control characters
 * and is written in one way only, so that encoding it again gives the very same field. */
#include "http/http_auth.h"

#include <openssl/evp.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_same(const char *plain, size_t plain_len, struct span value)
{
    unsigned char encoded[2 * HTTP_AUTH_BUFFER];
    int len = EVP_EncodeBlock(encoded, (const unsigned char *)plain, (int)plain_len);

    CHECK(len > 0 && (size_t)len <= value.len);
    CHECK(memcmp(encoded, value.ptr + value.len - (size_t)len, (size_t)len) == 0);
    CHECK(value.ptr[value.len - (size_t)len - 1] == ' ');
}

static void check_realm(const uint8_t *data, size_t len)
{
    char realm[256] = "", out[600];
    size_t written;

    memcpy(realm, data, len < sizeof(realm) - 1 ? len : sizeof(realm) - 1);
    written = http_auth_challenge(out, sizeof(out), realm);
    CHECK(written == 0 || (strlen(out) == written && strpbrk(out, "\r\n") == NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct span value = {(const char *)data, len};
    char buffer[HTTP_AUTH_BUFFER];
    struct http_credentials who;

    check_realm(data, len);
    if (!http_auth_parse_basic(&who, buffer, value)) {
        for (size_t i = 0; i < sizeof(buffer); i++)
            CHECK(buffer[i] == 0);
        return 0;
    }
    CHECK(who.user.ptr == buffer && who.password.ptr == buffer + who.user.len + 1);
    CHECK(who.user.len > 0 && who.user.len <= HTTP_AUTH_USER_MAX);
    CHECK(who.password.len <= HTTP_AUTH_PASSWORD_MAX);
    CHECK(memchr(buffer, ':', who.user.len) == NULL && buffer[who.user.len] == ':');
    for (size_t i = 0; i < who.user.len + 1 + who.password.len; i++)
        CHECK((unsigned char)buffer[i] >= 0x20 && buffer[i] != 0x7f);
    check_same(buffer, who.user.len + 1 + who.password.len, value);
    return 0;
}
