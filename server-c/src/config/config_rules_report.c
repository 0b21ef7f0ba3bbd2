/* SPDX-License-Identifier: MIT */
/* config_rules_report.c — finds where in the text a rule's error is, down to the character. */
#include "config/config_rules_parts.h"

#include "base/utf8.h"
#include "base/util.h"

#include <string.h>

static void __attribute__((format(printf, 6, 0)))
add(const struct rules *rules, enum config_code code, struct text_span span, const char *pointer,
    const char *hint, const char *format, va_list args)
{
    struct buf message;

    buf_init(&message);
    buf_vprintf(&message, format, args);
    config_errors_add(rules->errors, code, span, pointer, hint, "%s", message.data);
    buf_fini(&message);
}

void config_rules_report(const struct rules *rules, enum config_code code, const char *pointer,
                         const char *hint, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(rules, code, json_nearest(rules->root, pointer)->span, pointer, hint, format, args);
    va_end(args);
}

static uint32_t utf16_unit(const char *digits)
{
    uint32_t unit = 0;

    for (int i = 0; i < 4; i++)
        unit = unit << 4 | (uint32_t)hex_digit(digits[i]);
    return unit;
}

/* Moves past one escape. Returns the number of bytes that it stands for. */
static size_t step_escape(struct text_pos *at, const char *text)
{
    size_t source = 2, meaning = 1;

    if (text[at->offset + 1] == 'u') {
        uint32_t unit = utf16_unit(text + at->offset + 2);
        bool is_pair = unit >= 0xd800 && unit < 0xe000;

        source = is_pair ? 12 : 6;
        meaning = is_pair ? 4 : unit >= 0x800 ? 3 : unit >= 0x80 ? 2 : 1;
    }
    at->offset += source;
    at->column += (uint32_t)source;
    return meaning;
}

/* Moves past one character of the text. Returns the number of bytes that it stands for. */
static size_t step(struct text_pos *at, const struct config *cfg)
{
    size_t from = at->offset;

    if (cfg->text[from] == '\\')
        return step_escape(at, cfg->text);
    text_pos_step(at, cfg->text, cfg->text_len);
    return at->offset - from;
}

/* The text has been parsed, so the string is complete and its escapes are valid. */
static struct text_span span_in(const struct config *cfg, const struct json_value *string,
                                size_t byte)
{
    size_t closing = string->span.end.offset - 1, passed = 0;
    struct text_span span = {string->span.start, string->span.start};

    text_pos_step(&span.start, cfg->text, cfg->text_len);
    while (span.start.offset < closing && passed < byte)
        passed += step(&span.start, cfg);
    span.end = span.start;
    step(&span.end, cfg);
    return span;
}

void config_rules_report_in(const struct rules *rules, enum config_code code, const char *pointer,
                            size_t byte, const char *hint, const char *format, ...)
{
    const struct json_value *value = json_nearest(rules->root, pointer);
    va_list args;

    va_start(args, format);
    add(rules, code, value->kind == KIND_STRING ? span_in(rules->cfg, value, byte) : value->span,
        pointer, hint, format, args);
    va_end(args);
}

bool config_rules_is_given(const struct rules *rules, const char *pointer)
{
    struct buf found;
    bool is_given;

    buf_init(&found);
    json_append_pointer(&found, json_nearest(rules->root, pointer));
    is_given = strcmp(found.data, pointer) == 0;
    buf_fini(&found);
    return is_given;
}

uint32_t config_rules_line(const struct rules *rules, const char *pointer)
{
    return json_nearest(rules->root, pointer)->span.start.line;
}
