/* SPDX-License-Identifier: MIT */
/* config_value.c — checks a value against its row of the table: type, range, form. The message says
 * what was found and what would be right. */
#include "config/config_value.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/config_hint.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void config_reader_fini(struct config_reader *r)
{
    for (size_t i = 0; i < r->compiled_count; i++)
        regfree(&r->compiled[i].regex);
    r->compiled_count = 0;
}

void config_value_report(struct config_reader *r, enum config_code code,
                         const struct json_value *value, struct text_span span, const char *hint,
                         const char *format, ...)
{
    struct buf pointer, message;
    va_list args;

    buf_init(&pointer);
    buf_init(&message);
    json_append_pointer(&pointer, value);
    va_start(args, format);
    buf_vprintf(&message, format, args);
    va_end(args);
    config_errors_add(r->errors, code, span, pointer.data, hint, "%s", message.data);
    buf_fini(&message);
    buf_fini(&pointer);
}

/* Writes what the author has written, short enough for a sentence. */
static void append_found(struct buf *out, const struct json_value *value)
{
    switch (value->kind) {
    case KIND_STRING:
        buf_append_str(out, "the string ");
        json_append_quoted(out, value->bytes, value->len);
        break;
    case KIND_NUMBER:
        buf_printf(out, "%.40s", value->bytes);
        break;
    case KIND_BOOLEAN:
        buf_append_str(out, value->is_true ? "true" : "false");
        break;
    case KIND_NULL:
    case KIND_ARRAY:
    case KIND_OBJECT:
        buf_append_str(out, json_kind_name(value->kind));
        break;
    }
}

/* Goes before the option's name in a sentence about one entry of a list or map. */
static const char *each_of(const struct option *option, const struct json_value *value)
{
    bool is_whole =
        value->key != NULL ? strcmp(value->key->bytes, option->name) == 0 : value->parent == NULL;

    if (is_whole)
        return "";
    return option->type == OPTION_MAP ? "each value of " : "each of ";
}

/* `"name" must be <expected>, found <value>`. */
static bool refuse(struct config_reader *r, enum config_code code, const struct option *option,
                   const struct json_value *value, const char *hint, const char *expected)
{
    struct buf found;

    buf_init(&found);
    append_found(&found, value);
    config_value_report(r, code, value, value->span, hint, "%s\"%s\" must be %s, found %s",
                        each_of(option, value), option->name, expected, found.data);
    buf_fini(&found);
    return false;
}

static bool is_digits(const struct json_value *string)
{
    return string->len > 0 && strspn(string->bytes, "0123456789") == string->len;
}

static const char *hint_for_kind(enum json_kind wanted, const struct json_value *value)
{
    if (value->kind == KIND_NULL)
        return "leave the key out to get the default";
    if (wanted == KIND_NUMBER && value->kind == KIND_STRING && is_digits(value))
        return "write it without quotes";
    if (wanted == KIND_STRING && (value->kind == KIND_NUMBER || value->kind == KIND_BOOLEAN))
        return "write it in double quotes";
    if (wanted == KIND_BOOLEAN && value->kind == KIND_STRING)
        return "write true or false, without quotes";
    if (wanted == KIND_ARRAY)
        return "put it in brackets: [ … ]";
    return NULL;
}

bool config_value_has_kind(struct config_reader *r, const struct option *option,
                           const struct json_value *value, enum json_kind wanted,
                           const char *expected)
{
    if (value->kind == wanted)
        return true;
    return refuse(r, CONFIG_CODE_WRONG_TYPE, option, value, hint_for_kind(wanted, value), expected);
}

static bool has_length(struct config_reader *r, const struct option *option,
                       const struct json_value *value, size_t length, size_t min, size_t max,
                       const char *what)
{
    size_t bound = length < min ? min : max;

    if (length >= min && length <= max)
        return true;
    config_value_report(r, CONFIG_CODE_WRONG_LENGTH, value, value->span, NULL,
                        "%s\"%s\" must have at %s %zu %s%s, found %zu", each_of(option, value),
                        option->name, length < min ? "least" : "most", bound, what,
                        bound == 1 ? "" : "s", length);
    return false;
}

bool config_value_has_item_count(struct config_reader *r, const struct option *option,
                                 const struct json_value *value)
{
    return has_length(r, option, value, value->count, option->min_items, option->max_items,
                      value->kind == KIND_OBJECT ? "member" : "item");
}

static bool matches(struct config_reader *r, const char *pattern, const char *text)
{
    size_t i = 0;

    while (i < r->compiled_count && r->compiled[i].pattern != pattern)
        i++;
    if (i == r->compiled_count) {
        int err;

        assert(i < CONFIG_MAX_PATTERNS);
        err = regcomp(&r->compiled[i].regex, pattern, REG_EXTENDED | REG_NOSUB);
        assert(err == 0); /* test_config_table.c compiles each of them */
        (void)err;
        r->compiled[i].pattern = pattern;
        r->compiled_count++;
    }
    return regexec(&r->compiled[i].regex, text, 0, NULL, 0) == 0;
}

/* Refuses a text. `wrong` says what is wrong with a text that has the right form; NULL: it has not.
 * Adds what the author most likely meant, if that is known. */
static bool refuse_text(struct config_reader *r, const struct option *option,
                        const struct json_value *value, const char *wrong)
{
    const char *meant = NULL;
    struct buf quoted, hint;

    buf_init(&quoted);
    buf_init(&hint);
    if (option->hint != NULL)
        option->hint(&hint, value->bytes);
    if (hint.len > 0)
        meant = hint.data;
    json_append_quoted(&quoted, value->bytes, value->len);
    if (wrong == NULL)
        refuse(r, CONFIG_CODE_INVALID_VALUE, option, value, meant, option->form);
    else
        config_value_report(r, CONFIG_CODE_INVALID_VALUE, value, value->span, meant,
                            "\"%s\": %s %s", option->name, quoted.data, wrong);
    buf_fini(&hint);
    buf_fini(&quoted);
    return false;
}

bool config_value_is_text(struct config_reader *r, const struct option *option,
                          const struct json_value *value)
{
    const char *wrong;

    if (!config_value_has_kind(r, option, value, KIND_STRING, option->form) ||
        !has_length(r, option, value, utf8_count(value->bytes, value->len), (size_t)option->min,
                    (size_t)option->max, "character"))
        return false;
    if (!matches(r, option->pattern, value->bytes))
        return refuse_text(r, option, value, NULL);
    wrong = option->check != NULL ? option->check(value->bytes) : NULL;
    return wrong == NULL || refuse_text(r, option, value, wrong);
}

bool config_value_has_key(struct config_reader *r, const struct option *option,
                          const struct json_value *member)
{
    struct buf quoted;

    if (matches(r, option->key_pattern, member->key->bytes))
        return true;
    buf_init(&quoted);
    json_append_quoted(&quoted, member->key->bytes, member->key->len);
    config_value_report(r, CONFIG_CODE_INVALID_VALUE, member, member->key->span, NULL,
                        "each key of \"%s\" must be %s, found %s", option->name, option->key_form,
                        quoted.data);
    buf_fini(&quoted);
    return false;
}

static void store_integer(void *field, size_t size, int64_t integer)
{
    if (size == sizeof(uint16_t))
        *(uint16_t *)field = (uint16_t)integer;
    else if (size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)integer;
    else
        *(uint64_t *)field = (uint64_t)integer;
}

/* Environment variables are texts, also where an option takes a number or a boolean. Returns `value`,
 * or `room` filled with what the text of a variable says. */
static const struct json_value *of_variable(const struct json_value *value, enum json_kind wanted,
                                            struct json_value *room)
{
    bool is_true = strcmp(value->bytes, "true") == 0;

    *room = *value;
    room->kind = wanted;
    if (wanted == KIND_BOOLEAN && (is_true || strcmp(value->bytes, "false") == 0)) {
        room->is_true = is_true;
        return room;
    }
    if (wanted == KIND_NUMBER && is_digits(value) && value->len < sizeof("9007199254740991")) {
        room->is_integer = true;
        room->integer = strtoll(value->bytes, NULL, 10);
        return room;
    }
    return value;
}

static bool is_integer(struct config_reader *r, const struct option *option,
                       const struct json_value *value, const char *expected)
{
    if (!config_value_has_kind(r, option, value, KIND_NUMBER, expected))
        return false;
    if (strpbrk(value->bytes, ".eE") != NULL)
        return refuse(r, CONFIG_CODE_NOT_INTEGER, option, value, NULL, expected);
    if (!value->is_integer || value->integer < option->min || value->integer > option->max)
        return refuse(r, CONFIG_CODE_OUT_OF_RANGE, option, value, NULL, expected);
    return true;
}

static bool read_integer(struct config_reader *r, const struct option *option,
                         const struct json_value *value, void *field)
{
    bool is_right = true;
    struct json_value number;
    struct buf expected;

    if (value->is_filled)
        value = of_variable(value, KIND_NUMBER, &number);
    if (option->takes_auto && value->kind == KIND_STRING && strcmp(value->bytes, "auto") == 0) {
        store_integer(field, option->size, option->auto_value);
        return true;
    }
    buf_init(&expected);
    buf_printf(&expected, "a whole number from %" PRId64 " to %" PRId64, option->min, option->max);
    if (option->unit != NULL)
        buf_printf(&expected, " (%s)", option->unit);
    if (option->takes_auto)
        buf_append_str(&expected, " or \"auto\"");
    is_right = is_integer(r, option, value, expected.data);
    if (is_right)
        store_integer(field, option->size, value->integer);
    buf_fini(&expected);
    return is_right;
}

/* `"a", "b" or "c"` */
static void append_words(struct buf *out, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (i > 0)
            buf_append_str(out, words[i + 1] == NULL ? " or " : ", ");
        buf_printf(out, "\"%s\"", words[i]);
    }
}

static bool refuse_word(struct config_reader *r, const struct option *option,
                        const struct json_value *value)
{
    struct buf expected, hint;

    buf_init(&expected);
    buf_init(&hint);
    append_words(&expected, option->words);
    if (config_value_has_kind(r, option, value, KIND_STRING, expected.data)) {
        config_hint_word(&hint, option->words, value->bytes);
        refuse(r, CONFIG_CODE_UNKNOWN_VALUE, option, value, hint.data, expected.data);
    }
    buf_fini(&hint);
    buf_fini(&expected);
    return false;
}

static bool read_enum(struct config_reader *r, const struct option *option,
                      const struct json_value *value, void *field)
{
    for (int i = 0; value->kind == KIND_STRING && option->words[i] != NULL; i++) {
        if (strcmp(option->words[i], value->bytes) == 0) {
            *(int *)field = i;
            return true;
        }
    }
    return refuse_word(r, option, value);
}

bool config_value_read(struct config_reader *r, const struct option *option,
                       const struct json_value *value, void *field)
{
    struct json_value boolean;

    switch (option->type) {
    case OPTION_BOOLEAN:
        if (value->is_filled)
            value = of_variable(value, KIND_BOOLEAN, &boolean);
        if (!config_value_has_kind(r, option, value, KIND_BOOLEAN, "true or false"))
            return false;
        *(bool *)field = value->is_true;
        return true;
    case OPTION_INTEGER:
        return read_integer(r, option, value, field);
    case OPTION_ENUM:
        return read_enum(r, option, value, field);
    case OPTION_STRING:
        if (!config_value_is_text(r, option, value))
            return false;
        *(char **)field = xmemdup(value->bytes, value->len);
        return true;
    case OPTION_STRINGS:
    case OPTION_MAP:
    case OPTION_OBJECT:
    case OPTION_OBJECTS:
        break;
    }
    assert(!"a scalar option");
    return false;
}
