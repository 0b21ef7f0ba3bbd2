/* SPDX-License-Identifier: MIT */
/* Any fields: another form than the usual one is chosen only when its type stands in them, and then
 * also when it is the only other one there is. */
#include "http/http_accept.h"
#include "base/util.h"

#include <string.h>

#define START "GET / HTTP/1.1\r\nHost: a\r\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct http_form forms[] = {
    {"application/vnd.google.protobuf",
     {{"proto", "io.prometheus.client.metricfamily", true}, {"encoding", "delimited", true}}},
    {"application/openmetrics-text", {{"version", "1.0.0", false}}},
    {"text/plain", {{"version", "0.0.4", false}}},
};

static bool is_named(const char *head, size_t len, const char *type)
{
    size_t type_len = strlen(type);

    for (size_t i = 0; i + type_len <= len; i++)
        if (http_span_equals((struct span){head + i, type_len}, type))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t head_len = sizeof(START) - 1 + len + 4, usual = ARRAY_LEN(forms) - 1, chosen;
    char *head = malloc(head_len);
    struct http_request req;

    memcpy(head, START, sizeof(START) - 1);
    memcpy(head + sizeof(START) - 1, data, len);
    memcpy(head + head_len - 4, "\r\n\r\n", 4);
    http_request_init(&req, (uint32_t)head_len, (uint32_t)head_len);
    if (http_parse_request(&req, head, head_len) == PARSE_OK) {
        chosen = http_accept_choose(&req, head, forms, ARRAY_LEN(forms));
        CHECK(chosen < ARRAY_LEN(forms));
        if (chosen != usual) {
            const struct http_form two[] = {forms[chosen], forms[usual]};
            CHECK(is_named(head, req.head_len, forms[chosen].type));
            CHECK(http_accept_choose(&req, head, two, 2) == 0);
        }
    }
    free(head);
    return 0;
}
