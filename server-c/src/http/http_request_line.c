/* SPDX-License-Identifier: MIT */
/* http_request_line.c — method, target in one of its four forms, version (RFC 9112 section 3). */
#include "http/http_request_line.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum parse http_refuse(struct http_request *req, enum http_status status, const char *reason)
{
    req->status = status;
    req->reason = reason;
    return PARSE_BAD;
}

static enum parse bad(struct http_request *req, const char *reason)
{
    return http_refuse(req, HTTP_BAD_REQUEST, reason);
}

/* The characters of a token (RFC 9110 section 5.6.2). */
static bool is_token_char(unsigned char c)
{
    static const bool table[256] = {
        ['!'] = true,         ['#'] = true,         ['$'] = true, ['%'] = true,
        ['&'] = true,         ['\''] = true,        ['*'] = true, ['+'] = true,
        ['-'] = true,         ['.'] = true,         ['^'] = true, ['_'] = true,
        ['`'] = true,         ['|'] = true,         ['~'] = true, ['0' ... '9'] = true,
        ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
    };
    return table[c];
}

bool http_is_token(struct span span)
{
    for (size_t i = 0; i < span.len; i++)
        if (!is_token_char((unsigned char)span.ptr[i]))
            return false;
    return span.len > 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Method names are case-sensitive (RFC 9110 section 9.1). */
static enum http_method method_of(struct span name)
{
    static const char *const known[] = {
#define M(name) name,
#include "http/http_methods.def"
#undef M
    };

    if (span_is(name, "GET"))
        return HTTP_GET;
    if (span_is(name, "HEAD"))
        return HTTP_HEAD;
    if (span_is(name, "OPTIONS"))
        return HTTP_OPTIONS;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (span_is(name, known[i]))
            return HTTP_KNOWN_METHOD;
    return HTTP_OTHER_METHOD;
}

/* The characters of a name in RFC 3986 section 3.2.2, but without percent-encoding and without the
 * comma: no host that we can serve needs them. */
static bool is_host_char(char c)
{
    static const bool table[256] = {
        ['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['-'] = true,
        ['.'] = true,         ['_'] = true,         ['~'] = true,         ['!'] = true,
        ['$'] = true,         ['&' ... '+'] = true, [';'] = true,         ['='] = true,
    };
    return table[(unsigned char)c];
}

/* The length of a "[" IPv6 address "]" at the front (RFC 3986 section 3.2.2), or 0. */
static size_t ip_literal_len(struct span authority)
{
    const char *end = memchr(authority.ptr, ']', authority.len);
    char text[INET6_ADDRSTRLEN];
    size_t len = end ? (size_t)(end - authority.ptr) - 1 : 0;
    struct in6_addr address;

    if (len == 0 || len >= sizeof(text))
        return 0;
    memcpy(text, authority.ptr + 1, len);
    text[len] = '\0';
    return inet_pton(AF_INET6, text, &address) == 1 ? len + 2 : 0;
}

int64_t http_host_len(struct span authority)
{
    size_t i = 0, len;

    if (authority.len > 0 && authority.ptr[0] == '[') {
        i = ip_literal_len(authority);
        if (i == 0)
            return -1;
    } else {
        while (i < authority.len && is_host_char(authority.ptr[i]))
            i++;
    }
    len = i;
    if (i < authority.len && authority.ptr[i] == ':')
        for (i++; i < authority.len && is_digit(authority.ptr[i]) && i < len + 6;)
            i++;
    return i == authority.len ? (int64_t)len : -1;
}

static void split_query(struct http_request *req, const char *head, uint32_t off, uint32_t len)
{
    const char *mark = memchr(head + off, '?', len);
    req->path = (struct http_slice){off, mark ? (uint32_t)(mark - head) - off : len};
    if (mark)
        req->query = (struct http_slice){off + req->path.len + 1, len - req->path.len - 1};
}

/* RFC 9112 section 3.2.2: the host in an absolute target counts, and Host is ignored. */
static enum parse take_absolute(struct http_request *req, const char *head, uint32_t scheme_len)
{
    uint32_t off = req->target.off + scheme_len, end = req->target.off + req->target.len;
    uint32_t slash = off;
    int64_t len;

    while (slash < end && head[slash] != '/' && head[slash] != '?')
        slash++;
    len = http_host_len((struct span){head + off, slash - off});
    if (len <= 0)
        return bad(req, "the target's host is not valid");
    req->host = (struct http_slice){off, (uint32_t)len};
    split_query(req, head, slash, end - slash);
    return PARSE_OK;
}

/* Which of the four forms is it (RFC 9112 section 3.2)? Characters that no URI has are refused, and
 * so is a fragment, which belongs to none of the forms. */
static enum parse take_target(struct http_request *req, const char *head, bool is_connect)
{
    struct span target = http_slice_of(head, req->target);

    for (size_t i = 0; i < target.len; i++)
        if ((unsigned char)target.ptr[i] <= ' ' || (unsigned char)target.ptr[i] >= 0x7f ||
            target.ptr[i] == '#')
            return bad(req, "the target has a character that must be percent-encoded");
    if (is_connect) /* authority form (RFC 9112 section 3.2.3): CONNECT gets 405 whatever follows */
        return PARSE_OK;
    if (target.ptr[0] == '/') {
        split_query(req, head, req->target.off, req->target.len);
        return PARSE_OK;
    }
    if (target.len >= 7 && strncasecmp(target.ptr, "http://", 7) == 0)
        return take_absolute(req, head, 7);
    if (target.len >= 8 && strncasecmp(target.ptr, "https://", 8) == 0)
        return take_absolute(req, head, 8);
    if (target.len == 1 && target.ptr[0] == '*' && req->method == HTTP_OPTIONS) {
        req->is_asterisk = true;
        return PARSE_OK;
    }
    return bad(req, "the target is not of a form RFC 9112 knows");
}

/* RFC 9112 section 2.3. Another major version gets 505 (RFC 9110 section 15.6.6); a higher minor
 * version is handled like 1.1 (RFC 9110 section 2.5). */
static enum parse take_version(struct http_request *req, struct span version)
{
    if (version.len != strlen("HTTP/1.1") || memcmp(version.ptr, "HTTP/", 5) != 0 ||
        !is_digit(version.ptr[5]) || version.ptr[6] != '.' || !is_digit(version.ptr[7]))
        return bad(req, "the request line does not end in an HTTP version");
    if (version.ptr[5] != '1')
        return http_refuse(req, HTTP_VERSION_NOT_SUPPORTED, "only HTTP/1.x is spoken here");
    req->minor = version.ptr[7] == '0' ? 0 : 1;
    return PARSE_OK;
}

enum parse http_take_request_line(struct http_request *req, const char *head, uint32_t len)
{
    const char *line = head + req->line, *end = line + len;
    const char *space = memchr(line, ' ', len), *last;
    struct span method;
    enum parse result;

    if (!space)
        return bad(req, "the request line has no target");
    method = (struct span){line, (size_t)(space - line)};
    if (!http_is_token(method))
        return bad(req, "the method is not a token");
    last = memchr(space + 1, ' ', (size_t)(end - space - 1));
    if (!last || last == space + 1)
        return bad(req, "the request line is not: method, space, target, space, version");
    req->request_line = (struct http_slice){req->line, len};
    req->target = (struct http_slice){(uint32_t)(space + 1 - head), (uint32_t)(last - space - 1)};
    result = take_version(req, (struct span){last + 1, (size_t)(end - last - 1)});
    if (result != PARSE_OK)
        return result;
    if (req->target.len > req->max_target)
        return http_refuse(req, HTTP_URI_TOO_LONG, "the target is longer than limits.targetBytes");
    req->method = method_of(method);
    return take_target(req, head, span_is(method, "CONNECT"));
}
