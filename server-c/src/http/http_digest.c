/* SPDX-License-Identifier: MIT */
/* http_digest.c — a dictionary of algorithms and weights, "sha-256=10, sha-512=3"; and bytes as a
 * structured field has them, in base64 between colons (RFC 8941 sections 3.2 and 3.3.5). */
#include "http/http_digest.h"

#include <string.h>

#define NAME "sha-256"

/* The weight that a member gives to SHA-256: 0 to 10, or -1 if it is about another algorithm or is
 * malformed. Names have no other case (RFC 8941 section 3.1.2), and parameters mean nothing. */
static int weight_of(struct span member)
{
    const size_t name_len = sizeof(NAME) - 1;
    const char *end = memchr(member.ptr, ';', member.len);
    int weight = 0;

    if (end)
        member.len = (size_t)(end - member.ptr);
    member = http_trim(member);
    if (member.len < name_len + 2 || member.len > name_len + 3 ||
        memcmp(member.ptr, NAME "=", name_len + 1) != 0)
        return -1;
    for (size_t i = name_len + 1; i < member.len; i++) {
        if (member.ptr[i] < '0' || member.ptr[i] > '9')
            return -1;
        weight = weight * 10 + (member.ptr[i] - '0');
    }
    return weight <= 10 ? weight : -1;
}

bool http_wants_digest(const struct http_request *req, const char *head)
{
    struct span value, member;
    uint32_t cursor = 0;
    int weight = 0, its;

    if (!http_request_has(req, FIELD_WANT_REPR_DIGEST))
        return false;
    while (http_request_next_value(req, head, FIELD_WANT_REPR_DIGEST, &cursor, &value))
        while (http_list_next(&value, &member))
            if ((its = weight_of(member)) >= 0)
                weight = its;
    return weight > 0;
}

void http_digest_format(char out[HTTP_DIGEST_LEN + 1], const unsigned char hash[HTTP_SHA256_BYTES])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char padded[HTTP_SHA256_BYTES + 1] = {0};
    char *at = out;

    memcpy(padded, hash, HTTP_SHA256_BYTES);
    memcpy(at, NAME "=:", sizeof(NAME "=:") - 1);
    at += sizeof(NAME "=:") - 1;
    for (size_t i = 0; i < sizeof(padded); i += 3) {
        uint32_t bits = (uint32_t)padded[i] << 16 | (uint32_t)padded[i + 1] << 8 | padded[i + 2];

        for (int shift = 18; shift >= 0; shift -= 6)
            *at++ = digits[bits >> shift & 63];
    }
    at[-1] = '='; /* it stands for the byte that was added */
    *at++ = ':';
    *at = '\0';
}
