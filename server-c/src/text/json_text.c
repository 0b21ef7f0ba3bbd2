/* SPDX-License-Identifier: MIT */
/* json_text.c — the parser of json_text.h: recursive descent, after the text was found to be valid
 * UTF-8.
 *
 * Each value becomes a part of the tree as soon as it begins, so that a single json_free() of the
 * root undoes everything. */
#include "text/json_text.h"

#include "base/mem.h"
#include "text/json_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool parse_value(struct json_scan *scan, struct json_value *value, unsigned depth);

/* Adds a new last child to `parent`. */
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

/* Reads `"key":`, up to the first character of the value. */
static bool parse_key(struct json_scan *scan, struct json_value *object, struct json_value *member)
{
    if (json_scan_peek(scan) != '"')
        return json_scan_fail_found(scan, object,
                                    json_scan_is_word_char(json_scan_peek(scan)) ||
                                            json_scan_peek(scan) == '\''
                                        ? "a key stands in double quotes"
                                        : NULL,
                                    "expected a key");
    member->key = xcalloc(1, sizeof(*member->key));
    member->key->parent = object;
    member->key->bytes = xstrdup(""); /* so that its pointer can be made at any time */
    struct json_value parsed = {.parent = object};
    if (!json_scan_string(scan, &parsed, object))
        return false;
    free(member->key->bytes);
    *member->key = parsed;
    if (member->key->len > JSON_MAX_KEY_BYTES)
        return json_scan_fail(scan, CONFIG_CODE_TOO_LARGE, member->key->span, object, NULL,
                              "a key has at most %d bytes, this one has %zu", JSON_MAX_KEY_BYTES,
                              member->key->len);
    if (!json_scan_blanks(scan, member))
        return false;
    if (json_scan_peek(scan) != ':')
        return json_scan_fail_found(scan, member, NULL, "expected \":\" behind the key");
    json_scan_step(scan);
    return json_scan_blanks(scan, member);
}

static bool fail_separator(struct json_scan *scan, const struct json_value *parent,
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
    if (json_scan_peek(scan) == -1)
        buf_printf(&hint, "the %s that begins on line %" PRIu32 " is never closed",
                   closing == '}' ? "object" : "list", parent->span.start.line);
    json_scan_fail_found(scan, parent, hint.data, expected.data);
    buf_fini(&hint);
    buf_fini(&expected);
    return false;
}

/* Continues after a value. True: another value follows, and the position is at its first character.
 * *ended: the closing character was read. If neither is the case an error was reported. */
static bool parse_separator(struct json_scan *scan, const struct json_value *parent,
                            const struct json_value *last, bool *ended)
{
    char closing = parent->kind == KIND_OBJECT ? '}' : ']';
    struct text_span comma;

    *ended = false;
    if (!json_scan_blanks(scan, parent))
        return false;
    if (json_scan_peek(scan) == closing) {
        json_scan_step(scan);
        *ended = true;
        return false;
    }
    if (json_scan_peek(scan) != ',')
        return fail_separator(scan, parent, last, closing);
    comma = json_scan_here(scan);
    json_scan_step(scan);
    if (!json_scan_blanks(scan, parent))
        return false;
    if (json_scan_peek(scan) == closing)
        return json_scan_fail(scan, CONFIG_CODE_SYNTAX, comma, parent, "remove the comma",
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

static void report_repeated(struct json_scan *scan, const struct json_value *first,
                            const struct json_value *again)
{
    struct buf pointer, key;

    buf_init(&pointer);
    buf_init(&key);
    json_append_pointer(&pointer, again);
    json_append_quoted(&key, again->key->bytes, again->key->len);
    config_errors_add(scan->errors, CONFIG_CODE_DUPLICATE_KEY, again->key->span, pointer.data,
                      "remove one of the two",
                      "%s stands here again; it is on line %" PRIu32 " already", key.data,
                      first->key->span.start.line);
    buf_fini(&key);
    buf_fini(&pointer);
}

/* Sorts the keys, so that an object with very many of them does not take too long. */
static void check_repeated_keys(struct json_scan *scan, const struct json_value *object)
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
            report_repeated(scan, members[first], members[i]);
        else
            first = i;
    }
    free(members);
}

/* Reads an object or array, whose opening character is at the position. */
static bool parse_children(struct json_scan *scan, struct json_value *value, unsigned depth)
{
    struct text_span opening = json_scan_here(scan);
    struct json_value *last = NULL;
    bool ended = false;

    value->kind = json_scan_peek(scan) == '{' ? KIND_OBJECT : KIND_ARRAY;
    if (depth == JSON_MAX_DEPTH)
        return json_scan_fail(scan, CONFIG_CODE_TOO_LARGE, opening, value, NULL,
                              "values are nested more than %d deep", JSON_MAX_DEPTH);
    json_scan_step(scan);
    if (!json_scan_blanks(scan, value))
        return false;
    if (json_scan_peek(scan) == (value->kind == KIND_OBJECT ? '}' : ']')) {
        json_scan_step(scan);
        ended = true;
    }
    while (!ended) {
        last = add_child(value, last);
        if (value->kind == KIND_OBJECT && !parse_key(scan, value, last))
            return false;
        if (!parse_value(scan, last, depth + 1))
            return false;
        if (!parse_separator(scan, value, last, &ended) && !ended)
            return false;
    }
    value->span.end = scan->at;
    if (value->kind == KIND_OBJECT)
        check_repeated_keys(scan, value);
    return true;
}

static bool parse_value(struct json_scan *scan, struct json_value *value, unsigned depth)
{
    value->span = json_scan_here(scan);
    if (++scan->value_count > JSON_MAX_VALUES)
        return json_scan_fail(scan, CONFIG_CODE_TOO_LARGE, value->span, value, NULL,
                              "the text has more than %d values", JSON_MAX_VALUES);
    switch (json_scan_peek(scan)) {
    case '{':
    case '[':
        return parse_children(scan, value, depth);
    case '"':
        return json_scan_string(scan, value, value);
    default:
        return json_scan_scalar(scan, value);
    }
}

/* After this, nobody has to check again how characters are encoded. */
static bool check_encoding(struct json_scan *scan)
{
    struct text_pos pos = TEXT_POS_START;

    if (scan->len > JSON_MAX_BYTES)
        return json_scan_fail(scan, CONFIG_CODE_TOO_LARGE, (struct text_span){pos, pos}, NULL, NULL,
                              "the text has more than %d bytes", JSON_MAX_BYTES);
    while (text_pos_step(&pos, scan->text, scan->len))
        ;
    if (pos.offset < scan->len) {
        struct text_span span = {pos, pos};

        span.end.column++;
        return json_scan_fail(scan, CONFIG_CODE_INVALID_UTF8, span, NULL, "save the text as UTF-8",
                              "byte 0x%02x does not belong here in UTF-8",
                              (unsigned)(unsigned char)scan->text[pos.offset]);
    }
    if (scan->len >= 3 && memcmp(scan->text, "\xef\xbb\xbf", 3) == 0)
        return json_scan_fail(scan, CONFIG_CODE_SYNTAX, json_scan_here(scan), NULL,
                              "save it as UTF-8 without it",
                              "the text begins with a byte order mark");
    return true;
}

static bool parse_document(struct json_scan *scan, struct json_value *root)
{
    if (!check_encoding(scan) || !json_scan_blanks(scan, NULL))
        return false;
    if (json_scan_peek(scan) == -1)
        return json_scan_fail(scan, CONFIG_CODE_SYNTAX, json_scan_here(scan), NULL,
                              "a configuration is an object: { \"sites\": [ … ] }",
                              "the text is empty");
    if (!parse_value(scan, root, 0) || !json_scan_blanks(scan, NULL))
        return false;
    if (json_scan_peek(scan) != -1)
        return json_scan_fail_found(scan, NULL, NULL, "expected nothing more behind the value");
    return true;
}

struct json_value *json_text_parse(const char *text, size_t len, struct config_errors *errors)
{
    struct json_scan scan = {.text = text, .len = len, .at = TEXT_POS_START, .errors = errors};
    struct json_value *root = xcalloc(1, sizeof(*root));

    if (!parse_document(&scan, root)) {
        json_free(root);
        return NULL;
    }
    return root;
}
