/* SPDX-License-Identifier: MIT */
/* site_host.c — works on the bytes of names only; no name is ever resolved. */
#include "site/site_host.h"

#include <string.h>
#include <strings.h>

static struct span without_last_dot(struct span host)
{
    /* "example.org." is the same host (RFC 3986 section 3.2.2). */
    if (host.len > 0 && host.ptr[host.len - 1] == '.')
        host.len--;
    return host;
}

size_t site_host_normalise(char out[SITE_HOST_MAX + 1], struct span host)
{
    host = without_last_dot(host);
    if (host.len > SITE_HOST_MAX)
        return 0;
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        out[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    out[host.len] = '\0';
    return host.len;
}

bool site_host_is_name(struct span host)
{
    bool after_dot = true;

    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        bool is_dot = c == '.';
        if (is_dot && after_dot)
            return false;
        if (!is_dot && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
            return false;
        after_dot = is_dot;
    }
    return !after_dot;
}

bool site_host_equals(struct span a, struct span b)
{
    a = without_last_dot(a);
    b = without_last_dot(b);
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

static bool is_beneath(const char *suffix, struct span host)
{
    size_t len = strlen(suffix);

    return host.len > len && host.ptr[0] != '.' &&
           strncasecmp(host.ptr + host.len - len, suffix, len) == 0;
}

bool site_host_in(char *const *names, size_t count, struct span host)
{
    host = without_last_dot(host);
    for (size_t i = 0; i < count; i++) {
        if (names[i][0] == '*' && names[i][1] == '.' && is_beneath(names[i] + 1, host))
            return true;
        if (host.len == strlen(names[i]) && strncasecmp(host.ptr, names[i], host.len) == 0)
            return true;
    }
    return false;
}

bool site_host_of_url(struct span url, struct span *host)
{
    static const char *const schemes[] = {"http://", "https://"};
    const char *at, *end = url.ptr + url.len;

    for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
        size_t len = strlen(schemes[i]), rest;
        const char *start = url.ptr + len;

        if (url.len < len || strncasecmp(url.ptr, schemes[i], len) != 0)
            continue;
        for (rest = 0; start + rest < end && !strchr("/?#", start[rest]);)
            rest++;
        at = memrchr(start, '@', rest);
        if (at) {
            rest -= (size_t)(at + 1 - start);
            start = at + 1;
        }
        *host = (struct span){start, rest};
        if (rest > 0 && *start == '[') { /* an IPv6 address contains colons */
            const char *bracket = memchr(start, ']', rest);
            host->len = bracket ? (size_t)(bracket + 1 - start) : 0;
        } else {
            const char *colon = memchr(start, ':', rest);
            host->len = colon ? (size_t)(colon - start) : rest;
        }
        return host->len > 0;
    }
    return false;
}
