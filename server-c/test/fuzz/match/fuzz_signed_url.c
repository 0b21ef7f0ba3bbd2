/* SPDX-License-Identifier: MIT */
/* Any query: it only holds when our own signature for its time is in it, and a right link holds
 * whatever other parameters stand behind it, unless they are its own once more. */
#include "match/signed_url.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct span key = {"0123456789abcdef0123456789abcdef", 32};
static const struct span path = {"/downloads/report.pdf", 21};

/* Where "expires=" begins a parameter. */
static const char *find_time(struct span query)
{
    const char *end = query.ptr + query.len, *at = query.ptr;

    while ((at = memmem(at, (size_t)(end - at), "expires=", 8)) != NULL) {
        if (at == query.ptr || at[-1] == '&')
            return at;
        at++;
    }
    return NULL;
}

static void check_taken(struct span query)
{
    const char *time = find_time(query);
    char signature[SIGNED_URL_SIGNATURE_LEN + 1];
    int64_t expires = 0;

    CHECK(time != NULL);
    for (const char *p = time + 8; p < query.ptr + query.len && *p != '&'; p++)
        expires = expires * 10 + (*p - '0');
    CHECK(signed_url_sign(signature, key, path, expires));
    CHECK(memmem(query.ptr, query.len, signature, SIGNED_URL_SIGNATURE_LEN) != NULL);
}

static void check_extended(const uint8_t *data, size_t len)
{
    char signature[SIGNED_URL_SIGNATURE_LEN + 1], query[512];
    size_t at;
    bool is_own;

    CHECK(signed_url_sign(signature, key, path, 1800000000));
    at = (size_t)snprintf(query, sizeof(query), "expires=1800000000&signature=%s&", signature);
    len = len < sizeof(query) - at ? len : sizeof(query) - at;
    memcpy(query + at, data, len);
    is_own = memmem(data, len, "expires=", 8) || memmem(data, len, "signature=", 10);
    CHECK(is_own ||
          signed_url_check(key, path, (struct span){query, at + len}, 0) == SIGNED_URL_VALID);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct span query = {(const char *)data, len};

    if (signed_url_check(key, path, query, 1700000000) != SIGNED_URL_WRONG)
        check_taken(query);
    check_extended(data, len);
    return 0;
}
