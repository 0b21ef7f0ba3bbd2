/* SPDX-License-Identifier: MIT */
/* Any fields: a hash that was read is what stands there, in the one alphabet that there is; two lines are none. */
#include "http/http_dictionary.h"
#include "base/util.h"
#include "http/http_digest.h"

#include <string.h>

#define START "GET / HTTP/1.1\r\nHost: a\r\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The digits that http_digest_format() writes; of the last one two bits mean nothing. */
static void check_hash(const unsigned char *hash, struct span value)
{
    char text[HTTP_DIGEST_LEN + 1];
    const char *digits = memchr(value.ptr, ':', value.len);

    http_digest_format(text, hash);
    CHECK(digits != NULL && (size_t)(value.ptr + value.len - digits) >= 45);
    CHECK(memcmp(digits + 1, text + sizeof("sha-256=:") - 1, 42) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t head_len = sizeof(START) - 1 + len + 4;
    char *head = malloc(head_len);
    unsigned char hash[HTTP_DICTIONARY_HASH_BYTES];
    struct http_request req;

    memcpy(head, START, sizeof(START) - 1);
    memcpy(head + sizeof(START) - 1, data, len);
    memcpy(head + head_len - 4, "\r\n\r\n", 4);
    http_request_init(&req, (uint32_t)head_len, (uint32_t)head_len);
    if (http_parse_request(&req, head, head_len) == PARSE_OK) {
        if (http_available_dictionary(&req, head, hash))
            check_hash(hash, http_request_field(&req, head, FIELD_AVAILABLE_DICTIONARY));
        CHECK(http_dictionary_is_readable(&req, head, true) ||
              !http_dictionary_is_readable(&req, head, false));
    }
    free(head);
    return 0;
}
