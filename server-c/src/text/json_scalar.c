/* SPDX-License-Identifier: MIT */
/* json_scalar.c — reads strings, numbers, true, false and null for json_text.c. */
#include "text/json_scan.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Reads the four hex digits after \u. Returns -1 if they are not. */
static int32_t parse_hex4(struct json_scan *scan)
{
    int32_t unit = 0;

    for (int i = 0; i < 4; i++, json_scan_step(scan)) {
        int digit = hex_digit(json_scan_peek(scan));

        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static bool is_lead(int32_t unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_trail(int32_t unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/* Reads \uXXXX or a pair of them, after the first "u". Returns the code point, or -1 after
 * reporting an error. */
static int32_t parse_unicode_escape(struct json_scan *scan, struct text_pos start,
                                    const struct json_value *around)
{
    int32_t unit = parse_hex4(scan), trail = -1;

    if (unit >= 0 && is_lead(unit) && json_scan_peek(scan) == '\\') {
        json_scan_step(scan);
        if (json_scan_peek(scan) == 'u') {
            json_scan_step(scan);
            trail = parse_hex4(scan);
        }
    }
    struct text_span span = {start, scan->at};
    if (unit < 0 || (is_lead(unit) && !is_trail(trail)) || is_trail(unit)) {
        json_scan_fail(scan, CONFIG_CODE_SYNTAX, span, around,
                       "four hex digits follow \\u; characters above U+FFFF take a surrogate pair",
                       "this escape names no character");
        return -1;
    }
    if (unit == 0) {
        json_scan_fail(scan, CONFIG_CODE_SYNTAX, span, around, "leave it out",
                       "a text cannot contain the NUL character");
        return -1;
    }
    return is_lead(unit) ? 0x10000 + ((unit - 0xd800) << 10) + (trail - 0xdc00) : unit;
}

static bool parse_escape(struct json_scan *scan, struct buf *out, const struct json_value *around)
{
    static const char letters[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    struct text_pos start = scan->at;
    const char *letter;
    char bytes[4];

    json_scan_step(scan);
    if (json_scan_peek(scan) == 'u') {
        int32_t code_point;

        json_scan_step(scan);
        code_point = parse_unicode_escape(scan, start, around);
        if (code_point < 0)
            return false;
        buf_append(out, bytes, utf8_encode(bytes, (uint32_t)code_point));
        return true;
    }
    letter = json_scan_peek(scan) > 0 ? strchr(letters, json_scan_peek(scan)) : NULL;
    if (letter == NULL) {
        struct text_span span = {start, json_scan_here(scan).end};

        return json_scan_fail(scan, CONFIG_CODE_SYNTAX, span, around,
                              "write a backslash itself as \\\\", "JSON has no such escape");
    }
    buf_append_char(out, characters[letter - letters]);
    json_scan_step(scan);
    return true;
}

/* Fills in `string`, which begins here. Errors point at `around`. */
bool json_scan_string(struct json_scan *scan, struct json_value *string,
                      const struct json_value *around)
{
    struct text_span opening = json_scan_here(scan);
    struct buf out;

    string->kind = KIND_STRING;
    string->span.start = scan->at;
    buf_init(&out);
    json_scan_step(scan);
    while (json_scan_peek(scan) != '"') {
        size_t from = scan->at.offset;

        if (json_scan_peek(scan) == -1) {
            json_scan_fail(scan, CONFIG_CODE_SYNTAX, opening, around,
                           "close it with a double quote", "this string is never closed");
            goto fail_character;
        }
        if (json_scan_peek(scan) == '\n' || json_scan_peek(scan) == '\r') {
            struct text_span span = {string->span.start, scan->at};

            json_scan_fail(
                scan, CONFIG_CODE_SYNTAX, span, around,
                "close it with a double quote; a line break inside a text is written \\n",
                "this string is not closed at the end of its line");
            goto fail_character;
        }
        if (json_scan_peek(scan) < 0x20) {
            json_scan_fail(scan, CONFIG_CODE_SYNTAX, json_scan_here(scan), around,
                           "write it as an escape, such as \\t for a tab",
                           "a control character (U+%04X) inside a string",
                           (unsigned)json_scan_peek(scan));
            goto fail_character;
        }
        if (json_scan_peek(scan) == '\\') {
            if (!parse_escape(scan, &out, around))
                goto fail_character;
            continue;
        }
        json_scan_step(scan);
        buf_append(&out, scan->text + from, scan->at.offset - from);
    }
    json_scan_step(scan);
    string->span.end = scan->at;
    string->len = out.len;
    string->bytes = buf_take(&out);
    return true;

fail_character:
    buf_fini(&out);
    return false;
}

static size_t skip_digits(const char *word, size_t len, size_t i)
{
    while (i < len && word[i] >= '0' && word[i] <= '9')
        i++;
    return i;
}

/* Is `word` a number by JSON's grammar (RFC 8259 section 6)? *is_integer: it has neither fraction
 * nor exponent. */
static bool is_number(const char *word, size_t len, bool *is_integer)
{
    size_t i = len > 0 && word[0] == '-', from = i;

    i = skip_digits(word, len, i);
    if (i == from || (word[from] == '0' && i > from + 1))
        return false;
    *is_integer = i == len;
    if (i < len && word[i] == '.') {
        from = ++i;
        i = skip_digits(word, len, i);
        if (i == from)
            return false;
    }
    if (i < len && (word[i] == 'e' || word[i] == 'E')) {
        i++;
        if (i < len && (word[i] == '+' || word[i] == '-'))
            i++;
        from = i;
        i = skip_digits(word, len, i);
        if (i == from)
            return false;
    }
    return i == len;
}

static void set_number(struct json_value *value, const char *word, size_t len, bool is_integer)
{
    value->kind = KIND_NUMBER;
    value->bytes = xmemdup(word, len);
    value->len = len;
    value->is_integer = is_integer && len <= 17; /* '-' and the 16 digits of JSON_MAX_INTEGER */
    if (!value->is_integer)
        return;
    value->integer = strtoll(value->bytes, NULL, 10);
    value->is_integer = value->integer >= -JSON_MAX_INTEGER && value->integer <= JSON_MAX_INTEGER;
}

static bool is_word(const char *word, size_t len, const char *expected)
{
    return len == strlen(expected) && strncasecmp(word, expected, len) == 0;
}

static bool fail_word(struct json_scan *scan, const struct json_value *value, const char *word,
                      size_t len)
{
    const char *hint = NULL;

    if (is_word(word, len, "true") || is_word(word, len, "false") || is_word(word, len, "null"))
        hint = "write it in lower case";
    else if (len > 0 && memchr("0123456789+-.", word[0], 13) != NULL)
        hint = "a number has no leading zero or \"+\", and a digit on each side of its point";
    else if (json_scan_peek(scan) == '\'')
        hint = "use double quotes";
    else if (len > 0 && json_scan_is_word_char((unsigned char)word[0]))
        hint = "a text stands in double quotes";
    return json_scan_fail_found(scan, value, hint, "expected a value");
}

/* Reads true, false, null or a number. */
bool json_scan_scalar(struct json_scan *scan, struct json_value *value)
{
    struct text_span span = json_scan_word(scan);
    const char *word = scan->text + span.start.offset;
    size_t len = span.end.offset - span.start.offset;
    bool is_integer;

    if (len == 4 && memcmp(word, "true", 4) == 0) {
        value->kind = KIND_BOOLEAN;
        value->is_true = true;
    } else if (len == 5 && memcmp(word, "false", 5) == 0) {
        value->kind = KIND_BOOLEAN;
    } else if (len == 4 && memcmp(word, "null", 4) == 0) {
        value->kind = KIND_NULL;
    } else if (is_number(word, len, &is_integer)) {
        set_number(value, word, len, is_integer);
    } else {
        return fail_word(scan, value, word, len);
    }
    scan->at = value->span.end = span.end;
    return true;
}
