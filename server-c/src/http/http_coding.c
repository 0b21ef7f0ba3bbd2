/* SPDX-License-Identifier: MIT */
/* http_coding.c — codings, types and languages: weights are in thousandths. UNSAID stands for a coding or type that the client
 * did not mention, and is less than any weight. */
#include "http/http_coding.h"

#include <string.h>
#include <strings.h>

#define UNSAID (-1)

static const struct {
    const char *name, *suffix;
} codings[CODING_COUNT] = {
    [CODING_IDENTITY] = {"identity", ""}, [CODING_BR] = {"br", ".br"},
    [CODING_ZSTD] = {"zstd", ".zst"},     [CODING_GZIP] = {"gzip", ".gz"},
    [CODING_DCZ] = {"dcz", ".dcz"},
};

const char *http_coding_name(enum http_coding coding)
{
    return codings[coding].name;
}

const char *http_coding_suffix(enum http_coding coding)
{
    return codings[coding].suffix;
}

enum http_coding http_coding_named(const char *name)
{
    for (size_t i = 0; i < CODING_COUNT; i++)
        if (strcmp(name, codings[i].name) == 0)
            return (enum http_coding)i;
    return CODING_COUNT;
}

/* --- elements with a weight ------------------------------------------------------------------ */

/* Takes the text up to the next ';' off the front of `rest`, without the blanks around it. */
static struct span take_part(struct span *rest)
{
    const char *semicolon = memchr(rest->ptr, ';', rest->len);
    size_t len = semicolon ? (size_t)(semicolon - rest->ptr) : rest->len;
    struct span part = {rest->ptr, len};

    len += semicolon != NULL;
    rest->ptr += len;
    rest->len -= len;
    return http_trim(part);
}

int http_qvalue(struct span text)
{
    int value, scale = 100;

    if (text.len == 0 || text.len > 5 || (text.ptr[0] != '0' && text.ptr[0] != '1') ||
        (text.len > 1 && text.ptr[1] != '.'))
        return UNSAID;
    value = 1000 * (text.ptr[0] - '0');
    for (size_t i = 2; i < text.len; i++, scale /= 10) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return UNSAID;
        value += scale * (text.ptr[i] - '0');
    }
    return value <= 1000 ? value : UNSAID;
}

/* "gzip;q=0.5" → its name and 500. Returns UNSAID when the element is malformed. Parameters other
 * than the weight are malformed unless `can_have_parameters`: a content coding has none (RFC 9110
 * section 12.5.3), a media type may (section 12.5.1). */
static int read_element(struct span element, struct span *name, bool can_have_parameters)
{
    *name = take_part(&element);
    while (element.len > 0) {
        struct span part = take_part(&element);
        if (part.len >= 2 && (part.ptr[0] == 'q' || part.ptr[0] == 'Q') && part.ptr[1] == '=') {
            if (!can_have_parameters && element.len > 0)
                return UNSAID;
            return http_qvalue((struct span){part.ptr + 2, part.len - 2});
        }
        if (!can_have_parameters)
            return UNSAID;
    }
    return 1000;
}

static void add_weight(int *weight, int value)
{
    if (*weight == UNSAID || value < *weight)
        *weight = value;
}

/* --- Accept-Encoding ------------------------------------------------------------------------- */

/* `others` is the weight of "*": it counts for the codings that are not named. */
struct coding_weights {
    int named[CODING_COUNT], others;
};

static void add_coding(struct coding_weights *weights, struct span element)
{
    struct span name;
    int value = read_element(element, &name, false);

    if (value == UNSAID)
        return;
    if (http_span_equals(name, "*"))
        add_weight(&weights->others, value);
    if (http_span_equals(name, "x-gzip")) /* an old name of gzip: RFC 9110 section 8.4.1.3 */
        add_weight(&weights->named[CODING_GZIP], value);
    for (size_t i = 0; i < CODING_COUNT; i++)
        if (http_span_equals(name, codings[i].name))
            add_weight(&weights->named[i], value);
}

static int weight_of(const struct coding_weights *weights, enum http_coding coding)
{
    int named = weights->named[coding];
    return named != UNSAID || coding == CODING_DCZ ? named : weights->others;
}

static struct coding_weights read_weights(const struct http_request *req, const char *head)
{
    struct coding_weights weights = {{UNSAID, UNSAID, UNSAID, UNSAID, UNSAID}, UNSAID};
    struct span value, element;
    uint32_t cursor = 0;

    while (http_request_next_value(req, head, FIELD_ACCEPT_ENCODING, &cursor, &value))
        while (http_list_next(&value, &element))
            add_coding(&weights, element);
    return weights;
}

bool http_coding_accepts(const struct http_request *req, const char *head, enum http_coding coding)
{
    struct coding_weights weights;

    if (!http_request_has(req, FIELD_ACCEPT_ENCODING))
        return true;
    weights = read_weights(req, head);
    return weight_of(&weights, coding) > 0;
}

enum http_coding http_coding_choose(const struct http_request *req, const char *head,
                                    unsigned available, const enum http_coding *preference,
                                    size_t count)
{
    struct coding_weights weights;
    enum http_coding best = CODING_IDENTITY;
    int best_weight = 0;

    if (available == 0 || !http_request_has(req, FIELD_ACCEPT_ENCODING))
        return CODING_IDENTITY;
    weights = read_weights(req, head);
    for (size_t i = 0; i < count; i++) {
        int weight = weight_of(&weights, preference[i]);
        if (preference[i] != CODING_IDENTITY && (available & (1u << preference[i])) != 0 &&
            weight > best_weight) {
            best = preference[i];
            best_weight = weight;
        }
    }
    /* A client that does not mention identity accepts it (RFC 9110 section 12.5.3), but less than
     * any coding it does mention. */
    return weight_of(&weights, CODING_IDENTITY) > best_weight ? CODING_IDENTITY : best;
}

/* --- Accept ---------------------------------------------------------------------------------- */

/* A media type with the weights of the three ranges that can match it. */
struct type_weight {
    const char *ranges[3]; /* most specific first */
    int weights[3];
};

static void add_range(struct type_weight *type, struct span range, int value)
{
    for (size_t i = 0; i < ARRAY_LEN(type->ranges); i++)
        if (http_span_equals(range, type->ranges[i]))
            add_weight(&type->weights[i], value);
}

/* The greater, the more welcome: the weight decides, and at equal weights the more specific
 * range. */
static int type_rank(const struct type_weight *type)
{
    for (size_t i = 0; i < ARRAY_LEN(type->weights); i++)
        if (type->weights[i] > 0)
            return 4 * type->weights[i] - (int)i;
        else if (type->weights[i] == 0)
            break;
    return 0;
}

bool http_prefers_json(const struct http_request *req, const char *head)
{
    struct type_weight json = {{"application/json", "application/*", "*/*"},
                               {UNSAID, UNSAID, UNSAID}};
    struct type_weight html = {{"text/html", "text/*", "*/*"}, {UNSAID, UNSAID, UNSAID}};
    struct span value, element, range;
    uint32_t cursor = 0;
    int weight;

    if (!http_request_has(req, FIELD_ACCEPT))
        return false;
    while (http_request_next_value(req, head, FIELD_ACCEPT, &cursor, &value))
        while (http_list_next(&value, &element)) {
            weight = read_element(element, &range, true);
            if (weight == UNSAID)
                continue;
            add_range(&json, range, weight);
            add_range(&html, range, weight);
        }
    return type_rank(&json) > type_rank(&html);
}

/* --- Accept-Language ------------------------------------------------------------------------- */

/* Does the longer of two tags begin with the shorter, and end there or go on with a subtag? */
static bool is_related(struct span range, struct span tag)
{
    struct span longer = range.len > tag.len ? range : tag;
    size_t len = range.len > tag.len ? tag.len : range.len;

    return strncasecmp(range.ptr, tag.ptr, len) == 0 &&
           (longer.len == len || longer.ptr[len] == '-');
}

int http_language_weight(const struct http_request *req, const char *head, const char *tag)
{
    struct span text = {tag, strlen(tag)}, value, element, range;
    int exact = UNSAID, related = UNSAID, others = UNSAID, weight;
    uint32_t cursor = 0;

    if (!http_request_has(req, FIELD_ACCEPT_LANGUAGE))
        return 0;
    while (http_request_next_value(req, head, FIELD_ACCEPT_LANGUAGE, &cursor, &value))
        while (http_list_next(&value, &element)) {
            weight = read_element(element, &range, false);
            if (weight == UNSAID || range.len == 0)
                continue;
            if (http_span_equals(range, tag))
                add_weight(&exact, weight);
            else if (http_span_equals(range, "*"))
                add_weight(&others, weight);
            else if (is_related(range, text) && weight > related)
                related = weight;
        }
    if (exact == UNSAID)
        exact = related != UNSAID ? related : others;
    return exact == UNSAID ? 0 : exact;
}
