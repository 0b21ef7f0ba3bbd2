/* SPDX-License-Identifier: MIT */
/* http_cond.c — evaluates preconditions in the order of RFC 9110 section 13.2.2. */
#include "http/http_cond.h"
#include "http/http_date.h"

#include <string.h>

/* Takes the next entity tag (RFC 9110 section 8.8.3) off the front of the list. A tag may contain
 * commas, so the list can't be split at them. False at the end, and at the first thing that is not
 * a tag. */
static bool next_tag(struct span *list, struct span *tag, bool *weak)
{
    const char *quote;

    while (list->len > 0 && (list->ptr[0] == ' ' || list->ptr[0] == '\t' || list->ptr[0] == ','))
        list->ptr++, list->len--;
    *weak = list->len >= 2 && list->ptr[0] == 'W' && list->ptr[1] == '/';
    if (*weak)
        list->ptr += 2, list->len -= 2;
    if (list->len < 2 || list->ptr[0] != '"')
        return false;
    quote = memchr(list->ptr + 1, '"', list->len - 1);
    if (!quote)
        return false;
    *tag = (struct span){list->ptr, (size_t)(quote + 1 - list->ptr)};
    list->ptr += tag->len;
    list->len -= tag->len;
    return true;
}

static bool same_tag(struct span a, struct span b)
{
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/* Does `field` list the file's tag, or "*", which stands for any? `weak_counts`: weak comparison,
 * else strong (RFC 9110 section 8.8.3.2). */
static bool names_tag(const struct http_request *req, const char *head, enum http_field field,
                      const struct http_validators *file, bool weak_counts)
{
    uint32_t cursor = 0;
    struct span value, tag;
    bool weak;

    while (http_request_next_value(req, head, field, &cursor, &value)) {
        if (value.len == 1 && value.ptr[0] == '*')
            return true;
        while (next_tag(&value, &tag, &weak))
            if ((weak_counts || !weak) && same_tag(tag, file->etag))
                return true;
    }
    return false;
}

static bool field_date(const struct http_request *req, const char *head, enum http_field field,
                       int64_t now, int64_t *seconds)
{
    return http_request_has(req, field) &&
           http_date_parse(http_request_field(req, head, field), now, seconds);
}

enum http_cond http_cond_decide(const struct http_request *req, const char *head,
                                const struct http_validators *file, int64_t now)
{
    int64_t date;

    if (http_request_has(req, FIELD_IF_MATCH)) {
        if (!names_tag(req, head, FIELD_IF_MATCH, file, false))
            return HTTP_COND_FAILED;
    } else if (field_date(req, head, FIELD_IF_UNMODIFIED_SINCE, now, &date)) {
        if (file->last_modified > date)
            return HTTP_COND_FAILED;
    }
    if (http_request_has(req, FIELD_IF_NONE_MATCH)) {
        if (names_tag(req, head, FIELD_IF_NONE_MATCH, file, true))
            return HTTP_COND_NOT_MODIFIED;
    } else if (field_date(req, head, FIELD_IF_MODIFIED_SINCE, now, &date)) {
        if (file->last_modified <= date && file->has_date)
            return HTTP_COND_NOT_MODIFIED;
    }
    return HTTP_COND_SERVE;
}

bool http_cond_range_applies(const struct http_request *req, const char *head,
                             const struct http_validators *file, int64_t now)
{
    struct span value, rest, tag;
    int64_t date;
    bool weak;

    if (!http_request_has(req, FIELD_IF_RANGE))
        return true;
    value = rest = http_request_field(req, head, FIELD_IF_RANGE);
    if (next_tag(&rest, &tag, &weak)) /* a single tag: If-Range takes no list (section 13.1.5) */
        return tag.ptr == value.ptr && rest.len == 0 && !weak && same_tag(tag, file->etag);
    /* A date is a strong validator only if the file can't have changed again within that second
     * (RFC 9110 section 8.8.2.2). */
    return http_date_parse(value, now, &date) && file->has_date && date == file->last_modified &&
           now > date + 1;
}

bool http_cond_names(const struct http_request *req, const char *head, struct span etag)
{
    static const enum http_field fields[] = {FIELD_IF_NONE_MATCH, FIELD_IF_MATCH, FIELD_IF_RANGE};
    uint32_t cursor;
    struct span value, tag;
    bool weak;

    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        cursor = 0;
        while (http_request_has(req, fields[i]) &&
               http_request_next_value(req, head, fields[i], &cursor, &value))
            while (next_tag(&value, &tag, &weak))
                if (same_tag(tag, etag))
                    return true;
    }
    return false;
}
