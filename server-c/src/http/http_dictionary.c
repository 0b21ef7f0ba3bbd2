/* SPDX-License-Identifier: MIT */
/* http_dictionary.c — base64 between colons; and paths with one part that changes. */
#include "http/http_dictionary.h"

#include <string.h>

#define DIGITS 43 /* of base64, for 32 bytes; two bits of the last one mean nothing */

/* The text between the colons. Parameters may follow, and none has a meaning. */
static bool take_digits(struct span value, struct span *digits)
{
    const char *end;

    value = http_trim(value);
    if (value.len < 2 || value.ptr[0] != ':')
        return false;
    end = memchr(value.ptr + 1, ':', value.len - 1);
    if (!end)
        return false;
    *digits = (struct span){value.ptr + 1, (size_t)(end - value.ptr) - 1};
    end++;
    return end == value.ptr + value.len || *end == ';';
}

bool http_available_dictionary(const struct http_request *req, const char *head,
                               unsigned char hash[HTTP_DICTIONARY_HASH_BYTES])
{
    struct span digits;
    uint32_t bits = 0;
    size_t len = 0;

    if (!http_request_has(req, FIELD_AVAILABLE_DICTIONARY) ||
        !take_digits(http_request_field(req, head, FIELD_AVAILABLE_DICTIONARY), &digits))
        return false;
    if (digits.len == DIGITS + 1 && digits.ptr[DIGITS] == '=')
        digits.len--;
    if (digits.len != DIGITS)
        return false;
    for (size_t i = 0; i < DIGITS; i++) {
        int digit = base64_digit(digits.ptr[i]);
        if (digit < 0)
            return false;
        bits = (bits << 6 | (uint32_t)digit) & 0xffff;
        /* after digit i there are 6 (i + 1) bits: another byte is whole unless i is a multiple of 4 */
        if (i % 4 != 0)
            hash[len++] = (unsigned char)(bits >> (2 * (3 - i % 4)));
    }
    return true;
}

static bool says(const struct http_request *req, const char *head, enum http_field field,
                 const char *what)
{
    return http_request_has(req, field) &&
           http_span_equals(http_request_field(req, head, field), what);
}

bool http_dictionary_is_readable(const struct http_request *req, const char *head, bool is_welcome)
{
    if (!http_request_has(req, FIELD_SEC_FETCH_SITE) ||
        says(req, head, FIELD_SEC_FETCH_SITE, "same-origin") ||
        !http_request_has(req, FIELD_SEC_FETCH_MODE) ||
        says(req, head, FIELD_SEC_FETCH_MODE, "navigate") ||
        says(req, head, FIELD_SEC_FETCH_MODE, "same-origin"))
        return true;
    return is_welcome && says(req, head, FIELD_SEC_FETCH_MODE, "cors") &&
           http_request_has(req, FIELD_ORIGIN);
}

bool http_dictionary_pattern_read(struct http_dictionary_pattern *pattern, const char *text)
{
    const char *star = strchr(text, '*');

    if (!star || strpbrk(star + 1, "*/"))
        return false;
    pattern->before = (struct span){text, (size_t)(star - text)};
    pattern->after = (struct span){star + 1, strlen(star + 1)};
    return true;
}

bool http_dictionary_pattern_fits(const struct http_dictionary_pattern *pattern, struct span path)
{
    const struct span before = pattern->before, after = pattern->after;

    return path.len > before.len + after.len && memcmp(path.ptr, before.ptr, before.len) == 0 &&
           memcmp(path.ptr + path.len - after.len, after.ptr, after.len) == 0 &&
           !memchr(path.ptr + before.len, '/', path.len - before.len - after.len);
}
