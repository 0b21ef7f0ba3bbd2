/* SPDX-License-Identifier: MIT */
/* http_accept.c — compares every media range of the field with every form. Of the ranges that match
 * a form the most specific one decides its weight (RFC 9110 section 12.5.1); of equally specific
 * ones, the lowest weight does. */
#include "http/http_accept.h"

#include "http/http_coding.h"

#include <string.h>
#include <strings.h>

#define FORMS_MAX 8

/* How specifically a media range matches a form, least first (RFC 9110 section 12.5.1). */
enum precision { NOTHING, STAR_STAR, TYPE_STAR, TYPE, TYPE_AND_PARAMETERS };

struct verdict {
    enum precision precision;
    int weight; /* in thousandths */
};

/* --- lexing ---------------------------------------------------------------------------------- */

/* Takes the text up to the next `separator` that is not inside a quoted string off the front of
 * `rest`, without the blanks around it. False at the end. */
static bool next_part(struct span *rest, char separator, struct span *part)
{
    bool is_quoted = false;
    size_t len = 0;

    if (rest->len == 0)
        return false;
    for (; len < rest->len && (is_quoted || rest->ptr[len] != separator); len++) {
        if (rest->ptr[len] == '"')
            is_quoted = !is_quoted;
        else if (is_quoted && rest->ptr[len] == '\\' && len + 1 < rest->len)
            len++;
    }
    *part = http_trim((struct span){rest->ptr, len});
    len += len < rest->len;
    rest->ptr += len;
    rest->len -= len;
    return true;
}

/* Splits "version=1.0.0" or version="1.0.0" (RFC 9110 section 5.6.6). False when `part` is no
 * parameter. */
static bool split_parameter(struct span part, struct span *name, struct span *value)
{
    const char *equals = memchr(part.ptr, '=', part.len);

    if (!equals || equals == part.ptr)
        return false;
    *name = (struct span){part.ptr, (size_t)(equals - part.ptr)};
    *value = (struct span){equals + 1, part.len - name->len - 1};
    if (value->len > 0 && value->ptr[0] == '"') {
        if (value->len < 2 || value->ptr[value->len - 1] != '"')
            return false;
        *value = (struct span){value->ptr + 1, value->len - 2};
    }
    return true;
}

/* The weight of a media range in thousandths, or -1 when it is malformed. What comes before "q" are
 * parameters of the type (RFC 9110 section 12.5.1). */
static int weight_of(struct span element)
{
    struct span part, name, value;

    next_part(&element, ';', &part);
    while (next_part(&element, ';', &part)) {
        if (!split_parameter(part, &name, &value))
            return -1;
        if (http_span_equals(name, "q"))
            return http_qvalue(value);
    }
    return 1000;
}

/* --- matching -------------------------------------------------------------------------------- */

static bool is_type_star(struct span range, const char *type)
{
    size_t len = (size_t)(strchr(type, '/') - type) + 1;

    return range.len == len + 1 && range.ptr[len] == '*' && strncasecmp(range.ptr, type, len) == 0;
}

/* Does this parameter of a media range contradict the form? If the form has it with the same value,
 * its bit is set in `named`. */
static bool contradicts(const struct http_form *form, struct span name, struct span value,
                        unsigned *named)
{
    for (size_t i = 0; i < HTTP_FORM_PARAMETERS && form->parameters[i].name; i++) {
        if (!http_span_equals(name, form->parameters[i].name))
            continue;
        *named |= 1u << i;
        return !http_span_equals(value, form->parameters[i].value);
    }
    return false;
}

static enum precision match_parameters(const struct http_form *form, struct span parameters)
{
    struct span part, name, value;
    unsigned named = 0;

    while (next_part(&parameters, ';', &part)) {
        if (!split_parameter(part, &name, &value))
            return NOTHING;
        if (http_span_equals(name, "q"))
            break;
        if (contradicts(form, name, value, &named))
            return NOTHING;
    }
    for (size_t i = 0; i < HTTP_FORM_PARAMETERS; i++)
        if (form->parameters[i].must_be_named && !(named & 1u << i))
            return NOTHING;
    return named ? TYPE_AND_PARAMETERS : TYPE;
}

static enum precision match(const struct http_form *form, struct span element, bool is_usual)
{
    struct span range;

    next_part(&element, ';', &range);
    if (http_span_equals(range, form->type))
        return match_parameters(form, element);
    if (is_usual && is_type_star(range, form->type))
        return TYPE_STAR;
    return is_usual && http_span_equals(range, "*/*") ? STAR_STAR : NOTHING;
}

static void hear(struct verdict *verdict, enum precision precision, int weight)
{
    if (precision < verdict->precision || precision == NOTHING)
        return;
    if (precision > verdict->precision || weight < verdict->weight)
        verdict->weight = weight;
    verdict->precision = precision;
}

size_t http_accept_choose(const struct http_request *req, const char *head,
                          const struct http_form *forms, size_t count)
{
    struct verdict verdicts[FORMS_MAX] = {{NOTHING, 0}};
    struct span value, element;
    uint32_t cursor = 0;
    size_t best = count - 1;

    CHECK(count > 0 && count <= FORMS_MAX);
    while (http_request_next_value(req, head, FIELD_ACCEPT, &cursor, &value))
        while (next_part(&value, ',', &element)) {
            int weight = element.len > 0 ? weight_of(element) : -1;
            for (size_t i = 0; weight >= 0 && i < count; i++)
                hear(&verdicts[i], match(&forms[i], element, i == count - 1), weight);
        }
    for (size_t i = count - 1; i-- > 0;)
        if (verdicts[i].weight > 0 && verdicts[i].weight >= verdicts[best].weight)
            best = i;
    return best;
}
