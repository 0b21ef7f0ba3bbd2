/* SPDX-License-Identifier: MIT */
/* json_scan.c — moves through the text, and reports syntax errors. */
#include "text/json_scan.h"

bool json_scan_fail(struct json_scan *scan, enum config_code code, struct text_span span,
                    const struct json_value *around, const char *hint, const char *format, ...)
{
    struct buf pointer, message;
    va_list args;

    buf_init(&pointer);
    buf_init(&message);
    if (around != NULL)
        json_append_pointer(&pointer, around);
    va_start(args, format);
    buf_vprintf(&message, format, args);
    va_end(args);
    config_errors_add(scan->errors, code, span, pointer.data, hint, "%s", message.data);
    buf_fini(&message);
    buf_fini(&pointer);
    return false;
}

int json_scan_peek(const struct json_scan *scan)
{
    return scan->at.offset < scan->len ? (unsigned char)scan->text[scan->at.offset] : -1;
}

void json_scan_step(struct json_scan *scan)
{
    text_pos_step(&scan->at, scan->text, scan->len);
}

struct text_span json_scan_here(const struct json_scan *scan)
{
    struct text_span span = {scan->at, scan->at};

    text_pos_step(&span.end, scan->text, scan->len);
    return span;
}

bool json_scan_is_word_char(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '-' || c == '+' || c == '.';
}

struct text_span json_scan_word(const struct json_scan *scan)
{
    struct text_span span = json_scan_here(scan);

    while (span.end.offset < scan->len &&
           json_scan_is_word_char((unsigned char)scan->text[span.start.offset]) &&
           json_scan_is_word_char((unsigned char)scan->text[span.end.offset]))
        text_pos_step(&span.end, scan->text, scan->len);
    return span;
}

static void append_span(struct buf *out, const struct json_scan *scan, struct text_span span)
{
    if (span.start.offset == scan->len)
        buf_append_str(out, "the end of the text");
    else
        json_append_quoted(out, scan->text + span.start.offset,
                           span.end.offset - span.start.offset);
}

bool json_scan_fail_found(struct json_scan *scan, const struct json_value *around, const char *hint,
                          const char *expected)
{
    struct text_span span = json_scan_word(scan);
    struct buf found;

    buf_init(&found);
    append_span(&found, scan, span);
    json_scan_fail(scan, CONFIG_CODE_SYNTAX, span, around, hint, "%s, found %s", expected,
                   found.data);
    buf_fini(&found);
    return false;
}

static bool skip_comment(struct json_scan *scan, const struct json_value *around)
{
    struct text_span opening = json_scan_here(scan);

    json_scan_step(scan);
    if (json_scan_peek(scan) == '/') {
        while (json_scan_peek(scan) != -1 && json_scan_peek(scan) != '\n' &&
               json_scan_peek(scan) != '\r')
            json_scan_step(scan);
        return true;
    }
    if (json_scan_peek(scan) != '*')
        return json_scan_fail(scan, CONFIG_CODE_SYNTAX, opening, around,
                              "a comment begins with // or /*", "a single \"/\"");
    json_scan_step(scan);
    opening.end = scan->at;
    for (int before = 0; json_scan_peek(scan) != -1; json_scan_step(scan)) {
        if (before == '*' && json_scan_peek(scan) == '/') {
            json_scan_step(scan);
            return true;
        }
        before = json_scan_peek(scan);
    }
    return json_scan_fail(scan, CONFIG_CODE_SYNTAX, opening, around, "close it with */",
                          "this comment is never closed");
}

bool json_scan_blanks(struct json_scan *scan, const struct json_value *around)
{
    for (;;) {
        switch (json_scan_peek(scan)) {
        case ' ':
        case '\t':
        case '\n':
        case '\r':
            json_scan_step(scan);
            break;
        case '/':
            if (!skip_comment(scan, around))
                return false;
            break;
        default:
            return true;
        }
    }
}
