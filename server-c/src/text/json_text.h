/* SPDX-License-Identifier: MIT */
/* json_text.h — strict JSON with comments, read into a tree that knows where everything stands.
 *
 * JSON of RFC 8259 plus line and block comments; nothing else is forgiven: a comma behind the last
 * item, a repeated key, a NUL in a string, bytes that are not UTF-8 are errors that say so. Text,
 * depth, keys and number of values are bounded, so any input costs bounded time and memory. Knows
 * no option. */
#ifndef FARMSTEAD_JSON_TEXT_H
#define FARMSTEAD_JSON_TEXT_H

#include "base/buf.h"
#include "base/text_pos.h"
#include "text/config_errors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_MAX_BYTES (1024 * 1024)
#define JSON_MAX_DEPTH 32
#define JSON_MAX_VALUES 65536
#define JSON_MAX_KEY_BYTES 256
#define JSON_MAX_INTEGER INT64_C(9007199254740991) /* 2^53 - 1: what every reader keeps exactly */

/* Not JSON_OBJECT and so on: those are jansson's, with which we write JSON. */
enum json_kind { KIND_NULL, KIND_BOOLEAN, KIND_NUMBER, KIND_STRING, KIND_ARRAY, KIND_OBJECT };

struct json_value {
    enum json_kind kind;
    struct text_span span;
    struct json_value *parent; /* NULL of the root */
    struct json_value *next;   /* its neighbour in parent */
    struct json_value *key;    /* KIND_STRING when parent is an object, else NULL */
    size_t index;              /* in parent */

    struct json_value *first; /* of an array's or object's `count` children */
    size_t count;

    char *bytes; /* a string's text (never with a NUL in it), a number's source; NUL behind */
    size_t len;
    bool is_true;    /* of a boolean */
    bool is_integer; /* of a number: has neither fraction nor exponent, within ±JSON_MAX_INTEGER */
    int64_t integer;
};

/* Any thread, all of them. */

/* The tree of `text`, or NULL after a syntax error, which is always the last one added. Repeated
 * keys are added to `errors` too, and both members are in the tree. */
struct json_value *json_text_parse(const char *text, size_t len, struct config_errors *errors);
void json_free(struct json_value *value); /* NULL is allowed */

/* The object's first member of that name, or NULL. */
struct json_value *json_member(const struct json_value *object, const char *name);

/* The value at an RFC 6901 pointer, or the innermost one around it that exists. */
const struct json_value *json_nearest(const struct json_value *root, const char *pointer);

/* Appends the RFC 6901 pointer of `value`. */
void json_append_pointer(struct buf *out, const struct json_value *value);

/* Appends `bytes` as a quoted JSON string for a message: one line, safe on a terminal, cut to a few
 * dozen characters. */
void json_append_quoted(struct buf *out, const char *bytes, size_t len);

/* "an object", "a string", … */
const char *json_kind_name(enum json_kind kind);

#endif
