/* SPDX-License-Identifier: MIT */
/* url_path.c — decodes the path into `out`, and handles each segment as soon as it is complete. */
#include "http/url_path.h"

#include "base/util.h"

#include <string.h>

static enum http_status take_char(struct span *raw, bool is_encoded, char *c)
{
    int high, low;

    *c = raw->ptr[0];
    raw->ptr++, raw->len--;
    /* A backslash is not allowed unencoded (RFC 3986 section 3.3), and some programs take it for a
     * slash. */
    if (is_encoded && *c == '\\')
        return HTTP_BAD_REQUEST;
    if (is_encoded && *c == '%') {
        if (raw->len < 2 || (high = hex_digit(raw->ptr[0])) < 0 ||
            (low = hex_digit(raw->ptr[1])) < 0)
            return HTTP_BAD_REQUEST;
        raw->ptr += 2, raw->len -= 2;
        *c = (char)(high << 4 | low);
    }
    return (unsigned char)*c < ' ' || *c == 0x7f ? HTTP_BAD_REQUEST : HTTP_OK;
}

/* Handles the segment out[start, len) if it is "." or "..": removes it, and with ".." the segment
 * before it (RFC 3986 section 5.2.4). */
static enum http_status end_segment(char *out, size_t start, size_t *len, bool is_encoded)
{
    size_t segment = *len - start;

    if (segment == 1 && out[start] == '.') {
        if (!is_encoded)
            return HTTP_BAD_REQUEST;
        *len = start;
    } else if (segment == 2 && out[start] == '.' && out[start + 1] == '.') {
        if (start <= 1 || !is_encoded)
            return HTTP_BAD_REQUEST;
        for (*len = start - 1; out[*len - 1] != '/';)
            --*len;
    }
    return HTTP_OK;
}

static bool has_hidden_segment(struct span path)
{
    static const char well_known[] = "/.well-known";
    size_t i = 0, skip = sizeof(well_known) - 1;

    if (path.len >= skip && memcmp(path.ptr, well_known, skip) == 0 &&
        (path.len == skip || path.ptr[skip] == '/'))
        i = skip;
    for (; i + 1 < path.len; i++)
        if (path.ptr[i] == '/' && path.ptr[i + 1] == '.')
            return true;
    return false;
}

/* Writes an encoded slash as data: "%2F" in capitals, whose other form means the same (section
 * 6.2.2.1). */
static bool keep_slash(char *out, size_t cap, size_t *len)
{
    static const char kept[] = {'%', '2', 'F'};

    if (*len + sizeof(kept) + 1 > cap)
        return false;
    memcpy(out + *len, kept, sizeof(kept));
    *len += sizeof(kept);
    return true;
}

static enum http_status resolve(struct url_path *path, char *out, size_t cap, struct span raw,
                                bool is_encoded, enum url_slash encoded_slash)
{
    size_t len = 0, start = 1;
    enum http_status status;
    char c;

    if (raw.len == 0) /* "http://host" */
        raw = (struct span){"/", 1};
    if (raw.ptr[0] != '/' || cap < 2)
        return HTTP_BAD_REQUEST;
    while (raw.len > 0) {
        bool is_slash = raw.ptr[0] == '/';
        status = take_char(&raw, is_encoded, &c);
        if (status != HTTP_OK)
            return status;
        if (c == '/' && !is_slash && encoded_slash == URL_SLASH_REFUSE)
            return HTTP_NOT_FOUND;
        if (c == '/' && !is_slash && encoded_slash == URL_SLASH_KEEP) {
            if (!keep_slash(out, cap, &len))
                return HTTP_URI_TOO_LONG;
            continue;
        }
        is_slash = c == '/';
        if (is_slash && len > 0) {
            status = end_segment(out, start, &len, is_encoded);
            if (status != HTTP_OK)
                return status;
            start = len;
            if (out[len - 1] == '/') /* the segment was a dot segment, or empty */
                continue;
        }
        if (len + 2 > cap)
            return HTTP_URI_TOO_LONG;
        out[len++] = c;
        if (is_slash)
            start = len;
    }
    status = end_segment(out, start, &len, is_encoded);
    if (status != HTTP_OK)
        return status;
    out[len] = '\0';
    path->len = len;
    path->is_folder = out[len - 1] == '/';
    path->is_hidden = has_hidden_segment((struct span){out, len});
    return HTTP_OK;
}

/* Most paths need no work: nothing in them is percent-encoded, no segment is empty, and none begins
 * with a dot. */
static bool is_settled(struct span raw)
{
    static const bool plain[256] = {['!' ... '$'] = true,
                                    ['&' ... '['] = true,
                                    [']' ... '~'] = true,
                                    [' '] = true,
                                    [0x80 ... 0xff] = true};
    bool after_slash = false;

    if (raw.len == 0 || raw.ptr[0] != '/')
        return false;
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.ptr[i];
        if (!plain[(unsigned char)c] || (after_slash && (c == '/' || c == '.')))
            return false;
        after_slash = c == '/';
    }
    return true;
}

enum http_status url_path_resolve_as(struct url_path *path, char *out, size_t cap, struct span raw,
                                     enum url_slash encoded_slash)
{
    if (is_settled(raw) && raw.len < cap) {
        memcpy(out, raw.ptr, raw.len);
        out[raw.len] = '\0';
        *path = (struct url_path){
            .len = raw.len, .is_folder = raw.ptr[raw.len - 1] == '/', .is_hidden = false};
        return HTTP_OK;
    }
    return resolve(path, out, cap, raw, true, encoded_slash);
}

enum http_status url_path_normalise(struct url_path *path, char *out, size_t cap,
                                    struct span decoded)
{
    return resolve(path, out, cap, decoded, false, URL_SLASH_REFUSE);
}

size_t url_path_encode(char *out, size_t cap, struct span path)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t len = 0;

    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("/-._~!$&'()*+,;=:@", c) != NULL;
        if (len + (plain ? 1 : 3) > cap)
            return 0;
        if (plain) {
            out[len++] = (char)c;
        } else {
            out[len++] = '%';
            out[len++] = hex[c >> 4];
            out[len++] = hex[c & 15];
        }
    }
    return len;
}
