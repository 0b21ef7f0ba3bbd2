/* SPDX-License-Identifier: MIT */
/* Any fields: what is chosen is there and was asked for, and would be chosen without the others. */
#include "http/http_coding.h"
#include "base/util.h"

#include <string.h>

#define START "GET / HTTP/1.1\r\nHost: a\r\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_choice(const struct http_request *req, const char *head, unsigned available)
{
    static const enum http_coding preference[] = {CODING_DCZ, CODING_BR, CODING_ZSTD, CODING_GZIP};
    enum http_coding coding =
        http_coding_choose(req, head, available, preference, ARRAY_LEN(preference));

    CHECK(coding < CODING_COUNT);
    if (coding == CODING_IDENTITY)
        return;
    CHECK(http_request_has(req, FIELD_ACCEPT_ENCODING));
    CHECK(available & (1u << coding));
    CHECK(http_coding_choose(req, head, 1u << coding, &coding, 1) == coding);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t head_len = sizeof(START) - 1 + len + 4;
    char *head = malloc(head_len);
    struct http_request req;

    memcpy(head, START, sizeof(START) - 1);
    memcpy(head + sizeof(START) - 1, data, len);
    memcpy(head + head_len - 4, "\r\n\r\n", 4);
    http_request_init(&req, (uint32_t)head_len, (uint32_t)head_len);
    if (http_parse_request(&req, head, head_len) == PARSE_OK) {
        for (unsigned available = 0; available < 1u << CODING_COUNT; available++)
            check_choice(&req, head, available);
        CHECK(!http_prefers_json(&req, head) || http_request_has(&req, FIELD_ACCEPT));
    }
    free(head);
    return 0;
}
