/* SPDX-License-Identifier: MIT */
/* sample_query.c — no valid value contains a percent sign, so nothing is decoded. */
#include "measure/sample_query.h"

#include <string.h>

#define SINCE_MAX (UINT64_MAX / 1000) /* in nanoseconds it still fits in 64 bits */

enum parameter { PARAMETER_LIMIT, PARAMETER_SINCE, PARAMETER_KIND, PARAMETER_COUNT };

static const struct {
    const char *name, *reason;
} parameters[PARAMETER_COUNT] = {
    [PARAMETER_LIMIT] = {"limit", "limit is a whole number from 1 to 10000."},
    [PARAMETER_SINCE] = {"since", "since is a whole number: \"next\" of an earlier answer."},
    [PARAMETER_KIND] = {"kind", "kind is regular or slow."},
};

/* Takes the text up to `end`, which is skipped; all of it if there is no `end`. */
static struct span take_until(struct span *rest, char end)
{
    const char *found = memchr(rest->ptr, end, rest->len);
    struct span part = {rest->ptr, found ? (size_t)(found - rest->ptr) : rest->len};
    size_t skipped = part.len + (found != NULL);

    rest->ptr += skipped;
    rest->len -= skipped;
    return part;
}

/* Parses decimal digits without sign or leading zeros. False if the number is greater than
 * `max`. */
static bool parse_number(struct span text, uint64_t max, uint64_t *number)
{
    *number = 0;
    if (text.len == 0 || (text.len > 1 && text.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned char)text.ptr[i] - (unsigned)'0';
        if (digit > 9 || *number > (max - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return true;
}

static bool take_value(struct sample_query *query, enum parameter parameter, struct span value)
{
    uint64_t number;

    switch (parameter) {
    case PARAMETER_LIMIT:
        if (!parse_number(value, SAMPLE_QUERY_LIMIT_MAX, &number) || number == 0)
            return false;
        query->limit = (size_t)number;
        return true;
    case PARAMETER_SINCE:
        return parse_number(value, SINCE_MAX, &query->since_us);
    case PARAMETER_KIND:
        query->wants_regular = span_is(value, "regular");
        query->wants_slow = span_is(value, "slow");
        return query->wants_regular || query->wants_slow;
    case PARAMETER_COUNT:
        break;
    }
    return false;
}

static enum parameter find_parameter(struct span name)
{
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (span_is(name, parameters[i].name))
            return (enum parameter)i;
    return PARAMETER_COUNT;
}

bool sample_query_parse(struct sample_query *query, struct span text, const char **reason)
{
    bool seen[PARAMETER_COUNT] = {false}, goes_on = text.len > 0;

    *query = (struct sample_query){SAMPLE_QUERY_LIMIT, 0, true, true};
    while (goes_on) {
        const char *end = text.ptr + text.len;
        struct span value = take_until(&text, '&');
        struct span name = take_until(&value, '=');
        enum parameter parameter = find_parameter(name);

        goes_on = value.ptr + value.len < end; /* an '&' follows */
        *reason = "There are limit, since and kind, each once, as in ?limit=20&kind=slow.";
        if (parameter == PARAMETER_COUNT || seen[parameter])
            return false;
        seen[parameter] = true;
        *reason = parameters[parameter].reason;
        if (!take_value(query, parameter, value))
            return false;
    }
    return true;
}
