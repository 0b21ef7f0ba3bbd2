/* SPDX-License-Identifier: MIT */
/* access_format.c — literals are copied without the second of two braces; each item is a literal and the
 * field after it. */
#include "config/access_format.h"

#include "base/mem.h"
#include "base/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    bool is_client_text;
} fields[] = {
    [ACCESS_END] = {"", false},
#define F(name, text, is_client_text) [ACCESS_##name] = {text, is_client_text},
#include "config/access_fields.def"
#undef F
};

#define COMMON "{client} - {user} [{time}] \"{request}\" {status} {clfBytes}"
#define COMBINED COMMON " \"{referer}\" \"{userAgent}\""

static const struct {
    const char *name, *text;
} named[] = {{"common", COMMON}, {"combined", COMBINED}, {"vhost_combined", "{host} " COMBINED}};

struct parser {
    struct access_format *format;
    const char *start, *at;
    char *out;
    struct access_format_error *error;
    size_t client_fields;
};

static bool __attribute__((format(printf, 2, 3)))
fail(struct parser *parser, const char *message, ...)
{
    va_list args;

    parser->error->offset = (size_t)(parser->at - parser->start);
    va_start(args, message);
    vsnprintf(parser->error->message, sizeof(parser->error->message), message, args);
    va_end(args);
    return false;
}

static enum access_field find(const char *name, size_t len)
{
    for (size_t i = 1; i < ARRAY_LEN(fields); i++)
        if (strlen(fields[i].name) == len && memcmp(fields[i].name, name, len) == 0)
            return (enum access_field)i;
    return ACCESS_END;
}

/* Copies up to the next field, or the end. False: a brace that begins or ends nothing. */
static bool take_literal(struct parser *parser, struct access_format_item *item)
{
    item->literal = parser->out;
    for (; *parser->at != '\0'; parser->at++) {
        bool is_brace = *parser->at == '{' || *parser->at == '}';
        if (is_brace && parser->at[1] == *parser->at)
            parser->at++;
        else if (*parser->at == '{')
            break;
        else if (is_brace)
            return fail(parser, "this \"}\" ends no field; a brace of its own is written \"}}\"");
        *parser->out++ = *parser->at;
    }
    item->literal_len = (size_t)(parser->out - item->literal);
    item->is_quoted = item->literal_len > 0 && parser->out[-1] == '"';
    return true;
}

static bool take_field(struct parser *parser, struct access_format_item *item)
{
    const char *name = parser->at + 1;
    size_t len = strcspn(name, "{}");

    if (name[len] != '}')
        return fail(parser, "this \"{\" has no \"}\"; a brace of its own is written \"{{\"");
    item->field = find(name, len);
    if (item->field == ACCESS_END)
        return fail(parser,
                    "there is no field \"%.*s\"; fields are client, host, site, user, time, "
                    "timeIso, request, method, path, query, protocol, scheme, status, bytes, "
                    "bodyBytes, clfBytes, totalMicros, totalSeconds, coding, referer, userAgent, "
                    "aborted",
                    len > 24 ? 24 : (int)len, name);
    if (fields[item->field].is_client_text && ++parser->client_fields > ACCESS_FORMAT_CLIENT_FIELDS)
        return fail(parser, "this is the ninth field that clients write; a line has room for %d",
                    ACCESS_FORMAT_CLIENT_FIELDS);
    parser->format->has_time |= item->field == ACCESS_TIME || item->field == ACCESS_TIME_ISO;
    parser->at = name + len + 1;
    return true;
}

static bool parse(struct parser *parser)
{
    struct access_format *format = parser->format;

    do {
        struct access_format_item *item = &format->items[format->count];
        if (format->count == ACCESS_FORMAT_ITEMS)
            return fail(parser, "a line has room for %d fields", ACCESS_FORMAT_ITEMS - 1);
        if (!take_literal(parser, item))
            return false;
        format->count++;
        if (*parser->at == '\0')
            break;
        if (!take_field(parser, item))
            return false;
    } while (true);
    return format->count > 1 || fail(parser, "it has no field");
}

bool access_format_init(struct access_format *format, const char *text,
                        struct access_format_error *error)
{
    struct parser parser = {.format = format, .error = error};

    *format = (struct access_format){0};
    if (strcmp(text, "json") == 0) {
        format->is_json = format->has_time = true;
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(named); i++)
        if (strcmp(text, named[i].name) == 0)
            text = named[i].text;
    format->text = xstrdup(text);
    parser.start = parser.at = text;
    parser.out = format->text;
    if (parse(&parser))
        return true;
    access_format_fini(format);
    return false;
}

void access_format_fini(struct access_format *format)
{
    free(format->text);
    format->text = NULL;
}
