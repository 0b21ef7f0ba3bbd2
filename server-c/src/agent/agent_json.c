/* SPDX-License-Identifier: MIT */
/* agent_json.c — one rule per function, so that the same ranges apply to all messages and files. */
#include "agent/agent_json.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

json_t *agent_json_load(const char *text, size_t len, char *why, size_t why_len)
{
    json_error_t error;
    /* A NUL in a config's text is left to the config parser, which reports its position. */
    json_t *document = json_loadb(text, len, JSON_ALLOW_NUL, &error);
    if (!document) {
        snprintf(why, why_len, "not JSON: %s (line %d, column %d)", error.text, error.line,
                 error.column);
        return NULL;
    }
    if (!json_is_object(document)) {
        snprintf(why, why_len, "not a JSON object");
        json_decref(document);
        return NULL;
    }
    return document;
}

void agent_reader_fail(struct agent_reader *reader, const char *member, const char *what)
{
    if (reader->failed)
        return;
    reader->failed = true;
    snprintf(reader->why, reader->why_len, "\"%s\" %s", member, what);
}

static json_t *find(struct agent_reader *reader, const char *member)
{
    if (reader->failed)
        return NULL;
    json_t *value = json_object_get(reader->object, member);
    if (!value)
        agent_reader_fail(reader, member, "is missing");
    return value;
}

bool agent_reader_has(const struct agent_reader *reader, const char *member)
{
    const json_t *value = json_object_get(reader->object, member);
    return value && !json_is_null(value);
}

uint64_t agent_read_integer(struct agent_reader *reader, const char *member, uint64_t min,
                            uint64_t max)
{
    json_t *value = find(reader, member);
    if (!value)
        return 0;
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number < min || (uint64_t)number > max) {
        char what[96];
        snprintf(what, sizeof(what), "must be an integer from %llu to %llu",
                 (unsigned long long)min, (unsigned long long)max);
        agent_reader_fail(reader, member, what);
        return 0;
    }
    return (uint64_t)number;
}

bool agent_read_boolean(struct agent_reader *reader, const char *member)
{
    json_t *value = find(reader, member);
    if (value && !json_is_boolean(value))
        agent_reader_fail(reader, member, "must be true or false");
    return value && json_is_true(value);
}

void agent_read_string(struct agent_reader *reader, const char *member, char *out, size_t size,
                       size_t min)
{
    out[0] = '\0';
    json_t *value = find(reader, member);
    if (!value)
        return;
    size_t len = json_string_length(value);
    if (!json_is_string(value) || len < min || len >= size ||
        memchr(json_string_value(value), '\0', len)) {
        char what[96];
        snprintf(what, sizeof(what), "must be a string of %zu to %zu bytes", min, size - 1);
        agent_reader_fail(reader, member, what);
        return;
    }
    memcpy(out, json_string_value(value), len + 1);
}

/* Ids have 26 characters of Crockford's base 32 in lower case: no i, l, o or u. */
static bool is_id(const char *text, const char *prefix)
{
    size_t prefix_len = strlen(prefix);
    if (strncmp(text, prefix, prefix_len) != 0)
        return false;
    const char *rest = text + prefix_len;
    return strlen(rest) == 26 && strspn(rest, "0123456789abcdefghjkmnpqrstvwxyz") == 26;
}

void agent_read_id(struct agent_reader *reader, const char *member, const char *prefix, char *out,
                   size_t size)
{
    agent_read_string(reader, member, out, size, 1);
    if (!reader->failed && !is_id(out, prefix)) {
        char what[96];
        snprintf(what, sizeof(what), "must be \"%s\" and 26 characters of base 32", prefix);
        agent_reader_fail(reader, member, what);
    }
}

void agent_read_digest(struct agent_reader *reader, const char *member, char *out, size_t size)
{
    agent_read_string(reader, member, out, size, 1);
    if (!reader->failed && (strlen(out) != 71 || strncmp(out, "sha256:", 7) != 0 ||
                            strspn(out + 7, "0123456789abcdef") != 64))
        agent_reader_fail(reader, member, "must be \"sha256:\" and 64 hex digits");
}

void agent_read_sha256(struct agent_reader *reader, const char *member, char *out, size_t size)
{
    agent_read_string(reader, member, out, size, 64);
    if (!reader->failed && strspn(out, "0123456789abcdef") != 64)
        agent_reader_fail(reader, member, "must be 64 hex digits");
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

void agent_read_name(struct agent_reader *reader, const char *member, char *out, size_t size)
{
    agent_read_string(reader, member, out, size, 1);
    size_t len = strlen(out);
    if (!reader->failed && (strspn(out, "abcdefghijklmnopqrstuvwxyz0123456789.-") != len ||
                            !is_letter_or_digit(out[0]) || !is_letter_or_digit(out[len - 1])))
        agent_reader_fail(reader, member, "must be of a-z, 0-9, \".\" and \"-\"");
}

char *agent_read_text(struct agent_reader *reader, const char *member, size_t max, size_t *len)
{
    json_t *value = find(reader, member);
    if (!value)
        return NULL;
    *len = json_string_length(value);
    if (!json_is_string(value) || *len > max) {
        char what[96];
        snprintf(what, sizeof(what), "must be a string of at most %zu bytes", max);
        agent_reader_fail(reader, member, what);
        return NULL;
    }
    return xmemdup(json_string_value(value), *len);
}

/* Messages contain paths, and a path can have any byte: "?" replaces what is not UTF-8. */
json_t *agent_text_json(const char *text, size_t max_bytes)
{
    struct buf clean;
    buf_init(&clean);
    const char *end = text + strlen(text);
    while (text < end) {
        size_t len = utf8_sequence_len(text, (size_t)(end - text));
        if (clean.len + (len ? len : 1) > max_bytes)
            break;
        if (len)
            buf_append(&clean, text, len);
        else
            buf_append_char(&clean, '?');
        text += len ? len : 1;
    }
    json_t *value = json_stringn(clean.data, clean.len);
    buf_fini(&clean);
    return value;
}
