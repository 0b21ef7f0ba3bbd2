/* SPDX-License-Identifier: MIT */
/* http_forwarded.c — strict: what is no address as it should be is nobody's. */
#include "http/http_forwarded.h"

#include <arpa/inet.h>
#include <string.h>

#define ADDRESS_TEXT_MAX 46 /* INET6_ADDRSTRLEN */

/* --- addresses ------------------------------------------------------------------------------- */

static bool copy_text(char text[ADDRESS_TEXT_MAX], struct span span)
{
    if (span.len == 0 || span.len >= ADDRESS_TEXT_MAX)
        return false;
    memcpy(text, span.ptr, span.len);
    text[span.len] = '\0';
    return strlen(text) == span.len;
}

static bool parse_v4(struct forwarded_hop *hop, struct span span)
{
    char text[ADDRESS_TEXT_MAX];

    return copy_text(text, span) && inet_pton(AF_INET, text, address_begin_v4(hop->address)) == 1;
}

static bool parse_v6(struct forwarded_hop *hop, struct span span)
{
    char text[ADDRESS_TEXT_MAX];

    return copy_text(text, span) && inet_pton(AF_INET6, text, hop->address) == 1;
}

static bool is_port(struct span span)
{
    if (span.len < 2 || span.len > 6 || span.ptr[0] != ':')
        return false;
    for (size_t i = 1; i < span.len; i++)
        if (span.ptr[i] < '0' || span.ptr[i] > '9')
            return false;
    return true;
}

static struct span behind(struct span span, const char *from)
{
    return (struct span){from, span.len - (size_t)(from - span.ptr)};
}

/* "192.0.2.7", "192.0.2.7:80", "[2001:db8::1]", "[2001:db8::1]:80", and where `bare` also "2001:db8::1". */
static bool parse_node(struct forwarded_hop *hop, struct span span, bool takes_bare)
{
    const char *colon, *bracket;

    if (span.len > 0 && span.ptr[0] == '[') {
        bracket = memchr(span.ptr, ']', span.len);
        if (!bracket)
            return false;
        return (bracket + 1 == span.ptr + span.len || is_port(behind(span, bracket + 1))) &&
               parse_v6(hop, (struct span){span.ptr + 1, (size_t)(bracket - span.ptr) - 1});
    }
    colon = memchr(span.ptr, ':', span.len);
    if (!colon)
        return parse_v4(hop, span);
    if (is_port(behind(span, colon)))
        return parse_v4(hop, (struct span){span.ptr, (size_t)(colon - span.ptr)});
    return takes_bare && parse_v6(hop, span);
}

/* --- Forwarded ------------------------------------------------------------------------------- */

/* Where `mark` is outside quotes; NULL: nowhere. */
static const char *find_outside(struct span span, char mark)
{
    bool is_quoted = false;

    for (size_t i = 0; i < span.len; i++) {
        if (is_quoted && span.ptr[i] == '\\')
            i++;
        else if (span.ptr[i] == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && span.ptr[i] == mark)
            return span.ptr + i;
    }
    return NULL;
}

/* What is before the next `mark`, trimmed, and *list what is behind it. */
static struct span cut(struct span *list, char mark)
{
    const char *end = find_outside(*list, mark);
    struct span first = {list->ptr, end ? (size_t)(end - list->ptr) : list->len};

    *list = end ? behind(*list, end + 1) : (struct span){list->ptr + list->len, 0};
    return http_trim(first);
}

static struct span unquoted(struct span value)
{
    if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"')
        return (struct span){value.ptr + 1, value.len - 2};
    return value;
}

/* The value of a parameter that an element has once. */
static struct span find_value(struct span element, const char *name)
{
    struct span value = {0};
    int count = 0;

    while (element.len > 0) {
        struct span pair = cut(&element, ';');
        const char *equals = memchr(pair.ptr, '=', pair.len);
        if (!equals)
            continue;
        if (http_span_equals((struct span){pair.ptr, (size_t)(equals - pair.ptr)}, name)) {
            value = unquoted(behind(pair, equals + 1));
            count++;
        }
    }
    return count == 1 ? value : (struct span){"", 0};
}

/* --- both ------------------------------------------------------------------------------------ */

struct forwarded_hop http_forwarded_hop(enum http_field field, struct span element)
{
    struct forwarded_hop hop = {0};

    if (field == FIELD_FORWARDED)
        hop.is_known = parse_node(&hop, find_value(element, "for"), false);
    else
        hop.is_known = parse_node(&hop, element, true);
    return hop;
}

bool http_forwarded_is_https(enum http_field field, struct span element)
{
    if (field == FIELD_FORWARDED)
        element = find_value(element, "proto");
    return http_span_equals(element, "https");
}

bool http_forwarded_next(enum http_field field, struct span *list, struct span *element)
{
    if (field != FIELD_FORWARDED)
        return http_list_next(list, element);
    while (list->len > 0) {
        *element = cut(list, ',');
        if (element->len > 0)
            return true;
    }
    return false;
}
