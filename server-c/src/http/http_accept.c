/* SPDX-License-Identifier: MIT */
/* http_accept.c — every range is held against every form; of the ranges that are about a form the one
 * that says most about it counts, of equal ones the lower weight. */
#include "http/http_accept.h"

#include "http/http_coding.h"

#include <string.h>
#include <strings.h>

#define FORMS_MAX 8

/* How much a range says about a form. */
enum precision { NOTHING, STAR_STAR, TYPE_STAR, TYPE, TYPE_AND_PARAMETERS };

struct verdict {
    enum precision precision;
    int weight; /* in thousandths */
};

/* --- lexing ---------------------------------------------------------------------------------- */

/* Up to the next `separator` outside quotes, trimmed; false at the end. */
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

/* "version=1.0.0", also with the value in quotes. False when it is nothing of the kind. */
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

/* The weight of an element, -1 when it is malformed. Those before it are its parameters. */
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

/* Does a parameter of the range contradict the form? `named` gets the bit of one that agrees. */
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
