/* SPDX-License-Identifier: MIT */
/* json_text.h — reads strict JSON with comments into a tree that knows the place of each value.
 *
 * JSON as in RFC 8259, and line and block comments. Nothing else is tolerated: a comma after the
 * last item, a repeated key, a NUL in a string, and bytes that are not UTF-8 are errors, and
 * reported as such. Size, depth, keys and number of values are limited, so any input takes limited
 * time and memory. Knows no options. */
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
#define JSON_MAX_INTEGER INT64_C(9007199254740991) /* 2^53 - 1: all readers represent it exactly */

/* Not named JSON_OBJECT and so on: those names are jansson's, which is used for writing JSON. */
enum json_kind { KIND_NULL, KIND_BOOLEAN, KIND_NUMBER, KIND_STRING, KIND_ARRAY, KIND_OBJECT };

struct json_value {
    enum json_kind kind;
    struct text_span span;
    struct json_value *parent; /* NULL for the root */
    struct json_value *next;   /* the next child of `parent` */
    struct json_value *key;    /* of KIND_STRING if `parent` is an object, else NULL */
    size_t index;              /* in parent */

    struct json_value *first; /* first of `count` children of an array or object */
    size_t count;

    char *bytes; /* a string's text (without NUL) or a number's source; a NUL follows */
    size_t len;
    bool is_filled;  /* a string whose text is the value of an environment variable */
    bool is_true;    /* of a boolean */
    bool is_integer; /* a number without fraction and exponent, within ±JSON_MAX_INTEGER */
    int64_t integer;
};

/* All of these: any thread. */

/* Returns the tree of `text`, or NULL after a syntax error, which is always the last error added. A
 * repeated key is added to `errors`, too, and both of its members are in the tree. */
struct json_value *json_text_parse(const char *text, size_t len, struct config_errors *errors);
void json_free(struct json_value *value); /* NULL is allowed */

/* Returns the object's first member with that name, or NULL. */
struct json_value *json_member(const struct json_value *object, const char *name);

/* Returns the value at an RFC 6901 pointer, or the innermost existing value around it. */
const struct json_value *json_nearest(const struct json_value *root, const char *pointer);

/* Appends the pointer (RFC 6901) of `value`. */
void json_append_pointer(struct buf *out, const struct json_value *value);

/* Appends `bytes` to a message, as a quoted JSON string: on one line, safe for a terminal, and cut
 * after a few dozen characters. */
void json_append_quoted(struct buf *out, const char *bytes, size_t len);

/* "an object", "a string", … */
const char *json_kind_name(enum json_kind kind);

#endif
