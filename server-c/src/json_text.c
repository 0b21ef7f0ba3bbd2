/* SPDX-License-Identifier: MIT */
/* json_text.c — the parser behind json_text.h: recursive descent over text that was found to be
 * UTF-8 first.
 *
 * Each parse_ function begins at the first character of its construct and returns NULL after it has
 * reported the syntax error that ends the parse. What is read so far hangs on the tree from its
 * first moment on, so that one json_free() of the root undoes everything. */
#include "json_text.h"

#include "mem.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *text;
    size_t len;
    struct text_pos at;
    struct config_errors *errors;
    size_t value_count;
};

static bool parse_value(struct parser *p, struct json_value *value, unsigned depth);

/* Report what ends the parse. `around` is the value that the error is in, NULL for the root. */
__attribute__((format(printf, 6, 7))) static bool fail(struct parser *p, enum config_code code,
                                                       struct text_span span,
                                                       const struct json_value *around,
                                                       const char *hint, const char *format, ...)
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
    config_errors_add(p->errors, code, span, pointer.data, hint, "%s", message.data);
    buf_fini(&message);
    buf_fini(&pointer);
    return false;
}

static int peek(const struct parser *p)
{
    return p->at.offset < p->len ? (unsigned char)p->text[p->at.offset] : -1;
}

static void step(struct parser *p)
{
    text_pos_step(&p->at, p->text, p->len);
}

/* The character at the parser's place, or nothing at the end of the text. */
static struct text_span here(const struct parser *p)
{
    struct text_span span = {p->at, p->at};

    text_pos_step(&span.end, p->text, p->len);
    return span;
}

static bool is_word_char(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '-' || c == '+' || c == '.';
}

/* The word at the parser's place, or the character when no word begins there. */
static struct text_span word_here(const struct parser *p)
{
    struct text_span span = here(p);

    while (span.end.offset < p->len && is_word_char((unsigned char)p->text[span.start.offset]) &&
           is_word_char((unsigned char)p->text[span.end.offset]))
        text_pos_step(&span.end, p->text, p->len);
    return span;
}

static void append_span(struct buf *out, const struct parser *p, struct text_span span)
{
    if (span.start.offset == p->len)
        buf_append_str(out, "the end of the text");
    else
        json_append_quoted(out, p->text + span.start.offset, span.end.offset - span.start.offset);
}

/* fail() with what stands at the parser's place behind the sentence. */
static bool fail_found(struct parser *p, const struct json_value *around, const char *hint,
                       const char *expected)
{
    struct text_span span = word_here(p);
    struct buf found;

    buf_init(&found);
    append_span(&found, p, span);
    fail(p, CONFIG_CODE_SYNTAX, span, around, hint, "%s, found %s", expected, found.data);
    buf_fini(&found);
    return false;
}

static bool skip_comment(struct parser *p, const struct json_value *around)
{
    struct text_span opening = here(p);

    step(p);
    if (peek(p) == '/') {
        while (peek(p) != -1 && peek(p) != '\n' && peek(p) != '\r')
            step(p);
        return true;
    }
    if (peek(p) != '*')
        return fail(p, CONFIG_CODE_SYNTAX, opening, around, "a comment begins with // or /*",
                    "a single \"/\"");
    step(p);
    opening.end = p->at;
    for (int before = 0; peek(p) != -1; step(p)) {
        if (before == '*' && peek(p) == '/') {
            step(p);
            return true;
        }
        before = peek(p);
    }
    return fail(p, CONFIG_CODE_SYNTAX, opening, around, "close it with */",
                "this comment is never closed");
}

static bool skip_blanks(struct parser *p, const struct json_value *around)
{
    for (;;) {
        switch (peek(p)) {
        case ' ':
        case '\t':
        case '\n':
        case '\r':
            step(p);
            break;
        case '/':
            if (!skip_comment(p, around))
                return false;
            break;
        default:
            return true;
        }
    }
}

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The four hex digits behind \u, or -1. */
static int32_t parse_hex4(struct parser *p)
{
    int32_t unit = 0;

    for (int i = 0; i < 4; i++, step(p)) {
        int digit = hex_digit(peek(p));

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

/* \uXXXX, or a pair of them; the parser stands behind the "u". The code point, or -1 reported. */
static int32_t parse_unicode_escape(struct parser *p, struct text_pos start,
                                    const struct json_value *around)
{
    int32_t unit = parse_hex4(p), trail = -1;

    if (unit >= 0 && is_lead(unit) && peek(p) == '\\') {
        step(p);
        if (peek(p) == 'u') {
            step(p);
            trail = parse_hex4(p);
        }
    }
    struct text_span span = {start, p->at};
    if (unit < 0 || (is_lead(unit) && !is_trail(trail)) || is_trail(unit)) {
        fail(p, CONFIG_CODE_SYNTAX, span, around,
             "four hex digits follow \\u; characters above U+FFFF take a surrogate pair",
             "this escape names no character");
        return -1;
    }
    if (unit == 0) {
        fail(p, CONFIG_CODE_SYNTAX, span, around, "leave it out",
             "a text cannot contain the NUL character");
        return -1;
    }
    return is_lead(unit) ? 0x10000 + ((unit - 0xd800) << 10) + (trail - 0xdc00) : unit;
}

static bool parse_escape(struct parser *p, struct buf *out, const struct json_value *around)
{
    static const char letters[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    struct text_pos start = p->at;
    const char *letter;
    char bytes[4];

    step(p);
    if (peek(p) == 'u') {
        int32_t code_point;

        step(p);
        code_point = parse_unicode_escape(p, start, around);
        if (code_point < 0)
            return false;
        buf_append(out, bytes, utf8_encode(bytes, (uint32_t)code_point));
        return true;
    }
    letter = peek(p) > 0 ? strchr(letters, peek(p)) : NULL;
    if (letter == NULL) {
        struct text_span span = {start, here(p).end};

        return fail(p, CONFIG_CODE_SYNTAX, span, around, "write a backslash itself as \\\\",
                    "JSON has no such escape");
    }
    buf_append_char(out, characters[letter - letters]);
    step(p);
    return true;
}

/* Fills `string`, whose start is here. `around` is the value to point at in errors. */
static bool parse_string(struct parser *p, struct json_value *string,
                         const struct json_value *around)
{
    struct text_span opening = here(p);
    struct buf out;

    string->kind = KIND_STRING;
    string->span.start = p->at;
    buf_init(&out);
    step(p);
    while (peek(p) != '"') {
        size_t from = p->at.offset;

        if (peek(p) == -1) {
            fail(p, CONFIG_CODE_SYNTAX, opening, around, "close it with a double quote",
                 "this string is never closed");
            goto fail_character;
        }
        if (peek(p) == '\n' || peek(p) == '\r') {
            struct text_span span = {string->span.start, p->at};

            fail(p, CONFIG_CODE_SYNTAX, span, around,
                 "close it with a double quote; a line break inside a text is written \\n",
                 "this string is not closed at the end of its line");
            goto fail_character;
        }
        if (peek(p) < 0x20) {
            fail(p, CONFIG_CODE_SYNTAX, here(p), around,
                 "write it as an escape, such as \\t for a tab",
                 "a control character (U+%04X) inside a string", (unsigned)peek(p));
            goto fail_character;
        }
        if (peek(p) == '\\') {
            if (!parse_escape(p, &out, around))
                goto fail_character;
            continue;
        }
        step(p);
        buf_append(&out, p->text + from, p->at.offset - from);
    }
    step(p);
    string->span.end = p->at;
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

/* Whether `word` is a number in JSON's grammar; *is_integer: without fraction and exponent. */
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
    value->is_integer = is_integer && len <= 17; /* "-" and the 16 digits of JSON_MAX_INTEGER */
    if (!value->is_integer)
        return;
    value->integer = strtoll(value->bytes, NULL, 10);
    value->is_integer = value->integer >= -JSON_MAX_INTEGER && value->integer <= JSON_MAX_INTEGER;
}

static bool is_word(const char *word, size_t len, const char *expected)
{
    return len == strlen(expected) && strncasecmp(word, expected, len) == 0;
}

static bool fail_word(struct parser *p, const struct json_value *value, const char *word,
                      size_t len)
{
    const char *hint = NULL;

    if (is_word(word, len, "true") || is_word(word, len, "false") || is_word(word, len, "null"))
        hint = "write it in lower case";
    else if (len > 0 && memchr("0123456789+-.", word[0], 13) != NULL)
        hint = "a number has no leading zero or \"+\", and a digit on each side of its point";
    else if (peek(p) == '\'')
        hint = "use double quotes";
    else if (len > 0 && is_word_char((unsigned char)word[0]))
        hint = "a text stands in double quotes";
    return fail_found(p, value, hint, "expected a value");
}

/* true, false, null or a number. */
static bool parse_word(struct parser *p, struct json_value *value)
{
    struct text_span span = word_here(p);
    const char *word = p->text + span.start.offset;
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
        return fail_word(p, value, word, len);
    }
    p->at = value->span.end = span.end;
    return true;
}

/* A new last child of `parent`. */
static struct json_value *add_child(struct json_value *parent, struct json_value *last)
{
    struct json_value *child = xcalloc(1, sizeof(*child));

    child->parent = parent;
    child->index = parent->count++;
    if (last != NULL)
        last->next = child;
    else
        parent->first = child;
    return child;
}

/* `"key":`, up to the first character of the value. */
static bool parse_key(struct parser *p, struct json_value *object, struct json_value *member)
{
    if (peek(p) != '"')
        return fail_found(p, object,
                          is_word_char(peek(p)) || peek(p) == '\'' ? "a key stands in double quotes"
                                                                   : NULL,
                          "expected a key");
    member->key = xcalloc(1, sizeof(*member->key));
    member->key->parent = object;
    member->key->bytes = xstrdup(""); /* so that a pointer can be made of it at any time */
    struct json_value parsed = {.parent = object};
    if (!parse_string(p, &parsed, object))
        return false;
    free(member->key->bytes);
    *member->key = parsed;
    if (member->key->len > JSON_MAX_KEY_BYTES)
        return fail(p, CONFIG_CODE_TOO_LARGE, member->key->span, object, NULL,
                    "a key has at most %d bytes, this one has %zu", JSON_MAX_KEY_BYTES,
                    member->key->len);
    if (!skip_blanks(p, member))
        return false;
    if (peek(p) != ':')
        return fail_found(p, member, NULL, "expected \":\" behind the key");
    step(p);
    return skip_blanks(p, member);
}

static bool fail_separator(struct parser *p, const struct json_value *parent,
                           const struct json_value *last, char closing)
{
    struct buf expected, hint;

    buf_init(&expected);
    buf_init(&hint);
    buf_printf(&expected, "expected \",\" or \"%c\" after ", closing);
    if (last->key != NULL) {
        buf_append_str(&expected, "the value of ");
        json_append_quoted(&expected, last->key->bytes, last->key->len);
    } else {
        buf_printf(&expected, "item %zu of the list", last->index + 1);
    }
    if (peek(p) == -1)
        buf_printf(&hint, "the %s that begins on line %" PRIu32 " is never closed",
                   closing == '}' ? "object" : "list", parent->span.start.line);
    fail_found(p, parent, hint.data, expected.data);
    buf_fini(&hint);
    buf_fini(&expected);
    return false;
}

/* Behind a value: true when another follows, its first character next. *ended: the closing one
 * came. Neither: reported. */
static bool parse_separator(struct parser *p, const struct json_value *parent,
                            const struct json_value *last, bool *ended)
{
    char closing = parent->kind == KIND_OBJECT ? '}' : ']';
    struct text_span comma;

    *ended = false;
    if (!skip_blanks(p, parent))
        return false;
    if (peek(p) == closing) {
        step(p);
        *ended = true;
        return false;
    }
    if (peek(p) != ',')
        return fail_separator(p, parent, last, closing);
    comma = here(p);
    step(p);
    if (!skip_blanks(p, parent))
        return false;
    if (peek(p) == closing)
        return fail(p, CONFIG_CODE_SYNTAX, comma, parent, "remove the comma",
                    "a comma with nothing behind it before \"%c\"", closing);
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const struct json_value *left = *(const struct json_value *const *)a;
    const struct json_value *right = *(const struct json_value *const *)b;
    int order = strcmp(left->key->bytes, right->key->bytes);

    if (order != 0)
        return order;
    return left->index < right->index ? -1 : left->index > right->index;
}

static void report_repeated(struct parser *p, const struct json_value *first,
                            const struct json_value *again)
{
    struct buf pointer, key;

    buf_init(&pointer);
    buf_init(&key);
    json_append_pointer(&pointer, again);
    json_append_quoted(&key, again->key->bytes, again->key->len);
    config_errors_add(p->errors, CONFIG_CODE_DUPLICATE_KEY, again->key->span, pointer.data,
                      "remove one of the two",
                      "%s stands here again; it is on line %" PRIu32 " already", key.data,
                      first->key->span.start.line);
    buf_fini(&key);
    buf_fini(&pointer);
}

/* By sorting, so that an object with very many keys costs no more than it should. */
static void check_repeated_keys(struct parser *p, const struct json_value *object)
{
    const struct json_value **members;
    size_t count = 0, first = 0;

    if (object->count < 2)
        return;
    members = xcalloc(object->count, sizeof(struct json_value *));
    for (const struct json_value *member = object->first; member != NULL; member = member->next)
        members[count++] = member;
    qsort(members, count, sizeof(struct json_value *), compare_keys);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(members[i]->key->bytes, members[first]->key->bytes) == 0)
            report_repeated(p, members[first], members[i]);
        else
            first = i;
    }
    free(members);
}

/* An object or array: the parser stands at the opening character. */
static bool parse_children(struct parser *p, struct json_value *value, unsigned depth)
{
    struct text_span opening = here(p);
    struct json_value *last = NULL;
    bool ended = false;

    value->kind = peek(p) == '{' ? KIND_OBJECT : KIND_ARRAY;
    if (depth == JSON_MAX_DEPTH)
        return fail(p, CONFIG_CODE_TOO_LARGE, opening, value, NULL,
                    "values are nested more than %d deep", JSON_MAX_DEPTH);
    step(p);
    if (!skip_blanks(p, value))
        return false;
    if (peek(p) == (value->kind == KIND_OBJECT ? '}' : ']')) {
        step(p);
        ended = true;
    }
    while (!ended) {
        last = add_child(value, last);
        if (value->kind == KIND_OBJECT && !parse_key(p, value, last))
            return false;
        if (!parse_value(p, last, depth + 1))
            return false;
        if (!parse_separator(p, value, last, &ended) && !ended)
            return false;
    }
    value->span.end = p->at;
    if (value->kind == KIND_OBJECT)
        check_repeated_keys(p, value);
    return true;
}

static bool parse_value(struct parser *p, struct json_value *value, unsigned depth)
{
    value->span = here(p);
    if (++p->value_count > JSON_MAX_VALUES)
        return fail(p, CONFIG_CODE_TOO_LARGE, value->span, value, NULL,
                    "the text has more than %d values", JSON_MAX_VALUES);
    switch (peek(p)) {
    case '{':
    case '[':
        return parse_children(p, value, depth);
    case '"':
        return parse_string(p, value, value);
    default:
        return parse_word(p, value);
    }
}

/* Nothing after this needs to look at how a character is encoded. */
static bool check_encoding(struct parser *p)
{
    struct text_pos pos = TEXT_POS_START;

    if (p->len > JSON_MAX_BYTES)
        return fail(p, CONFIG_CODE_TOO_LARGE, (struct text_span){pos, pos}, NULL, NULL,
                    "the text has more than %d bytes", JSON_MAX_BYTES);
    while (text_pos_step(&pos, p->text, p->len))
        ;
    if (pos.offset < p->len) {
        struct text_span span = {pos, pos};

        span.end.column++;
        return fail(p, CONFIG_CODE_INVALID_UTF8, span, NULL, "save the text as UTF-8",
                    "byte 0x%02x does not belong here in UTF-8",
                    (unsigned)(unsigned char)p->text[pos.offset]);
    }
    if (p->len >= 3 && memcmp(p->text, "\xef\xbb\xbf", 3) == 0)
        return fail(p, CONFIG_CODE_SYNTAX, here(p), NULL, "save it as UTF-8 without it",
                    "the text begins with a byte order mark");
    return true;
}

static bool parse_document(struct parser *p, struct json_value *root)
{
    if (!check_encoding(p) || !skip_blanks(p, NULL))
        return false;
    if (peek(p) == -1)
        return fail(p, CONFIG_CODE_SYNTAX, here(p), NULL,
                    "a configuration is an object: { \"sites\": [ … ] }", "the text is empty");
    if (!parse_value(p, root, 0) || !skip_blanks(p, NULL))
        return false;
    if (peek(p) != -1)
        return fail_found(p, NULL, NULL, "expected nothing more behind the value");
    return true;
}

struct json_value *json_text_parse(const char *text, size_t len, struct config_errors *errors)
{
    struct parser parser = {.text = text, .len = len, .at = TEXT_POS_START, .errors = errors};
    struct json_value *root = xcalloc(1, sizeof(*root));

    if (!parse_document(&parser, root)) {
        json_free(root);
        return NULL;
    }
    return root;
}
