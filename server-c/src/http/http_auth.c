/* SPDX-License-Identifier: MIT */
/* http_auth.c — Base64 is read strictly: padding is required and unused bits must be zero (RFC 4648
 * sections 3.2 and 3.5). So there is one way to write a user and a password, and no other program
 * on the way can read the field differently. */
#include "http/http_auth.h"

#include <string.h>
#include <strings.h>

#define ENCODED_MAX ((HTTP_AUTH_BUFFER + 2) / 3 * 4)

/* How many '=' end the text: none, one or two. */
static size_t padding_of(struct span text)
{
    if (text.ptr[text.len - 1] != '=')
        return 0;
    return text.ptr[text.len - 2] == '=' ? 2 : 1;
}

/* Returns the bytes written, or 0 if `text` is not Base64, is empty or does not fit. */
static size_t decode(char *out, size_t cap, struct span text)
{
    size_t padding, digits, len = 0;
    uint32_t bits = 0;

    if (text.len == 0 || text.len % 4 != 0)
        return 0;
    padding = padding_of(text);
    digits = text.len - padding;
    if (text.len / 4 * 3 - padding > cap)
        return 0;
    for (size_t i = 0; i < digits; i++) {
        int value = base64_digit(text.ptr[i]);

        if (value < 0)
            return 0;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 0)
            out[len++] = (char)(bits >> (6 - i % 4 * 2));
    }
    /* The unused bits after the last byte must be zero (RFC 4648 section 3.5), or two texts would
     * decode to the same bytes. */
    if (padding > 0 && (bits & (padding == 1 ? 0x3u : 0xfu)) != 0)
        return 0;
    return len;
}

static bool has_control(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)bytes[i] < 0x20 || bytes[i] == 0x7f)
            return true;
    return false;
}

/* What follows the scheme "Basic", in any case, and its spaces (RFC 9110 section 11.4). Empty for
 * another scheme. */
static struct span credentials_of(struct span value)
{
    static const char scheme[] = "basic";
    size_t at = sizeof(scheme) - 1;

    if (value.len <= at || strncasecmp(value.ptr, scheme, at) != 0 || value.ptr[at] != ' ')
        return (struct span){value.ptr, 0};
    while (at < value.len && value.ptr[at] == ' ')
        at++;
    return (struct span){value.ptr + at, value.len - at};
}

static bool split(struct http_credentials *out, const char *text, size_t len)
{
    const char *colon = memchr(text, ':', len);

    if (!colon || has_control(text, len))
        return false;
    out->user = (struct span){text, (size_t)(colon - text)};
    out->password = (struct span){colon + 1, len - out->user.len - 1};
    return out->user.len > 0 && out->user.len <= HTTP_AUTH_USER_MAX &&
           out->password.len <= HTTP_AUTH_PASSWORD_MAX;
}

bool http_auth_parse_basic(struct http_credentials *out, char buffer[HTTP_AUTH_BUFFER],
                           struct span value)
{
    struct span encoded = credentials_of(value);
    size_t len = encoded.len <= ENCODED_MAX ? decode(buffer, HTTP_AUTH_BUFFER, encoded) : 0;

    if (len > 0 && split(out, buffer, len))
        return true;
    explicit_bzero(buffer, HTTP_AUTH_BUFFER);
    *out = (struct http_credentials){0};
    return false;
}

size_t http_auth_challenge(char *out, size_t cap, const char *realm)
{
    static const char before[] = "Basic realm=\"", after[] = "\", charset=\"UTF-8\"";
    size_t at = sizeof(before) - 1;

    if (has_control(realm, strlen(realm)) ||
        cap < 2 * strlen(realm) + sizeof(before) + sizeof(after))
        return 0;
    memcpy(out, before, at);
    for (; *realm; realm++) {
        if (*realm == '"' || *realm == '\\') /* quoted-pair, RFC 9110 section 5.6.4 */
            out[at++] = '\\';
        out[at++] = *realm;
    }
    memcpy(out + at, after, sizeof(after));
    return at + sizeof(after) - 1;
}
