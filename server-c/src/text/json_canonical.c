/* SPDX-License-Identifier: MIT */
/* json_canonical.c — strings in their shortest form, and keys in the order of UTF-16 units (RFC
 * 8785 sections 3.2.2.2 and 3.2.3). */
#include "text/json_canonical.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* RFC 8785 section 3.2.2.2: escapes what must be escaped, in the shortest form, and nothing
 * else. */
static void append_string(struct buf *out, const struct json_value *string)
{
    static const char letters[] = {['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                   ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};

    buf_append_char(out, '"');
    for (size_t i = 0; i < string->len; i++) {
        unsigned char c = (unsigned char)string->bytes[i];

        if (c < sizeof(letters) && letters[c] != '\0')
            buf_printf(out, "\\%c", letters[c]);
        else if (c < 0x20)
            buf_printf(out, "\\u%04x", c);
        else
            buf_append_char(out, string->bytes[i]);
    }
    buf_append_char(out, '"');
}

/* Returns the first UTF-16 unit of a character, by which keys are ordered (RFC 8785 section
 * 3.2.3). */
static uint32_t lead_unit(uint32_t code_point)
{
    return code_point < 0x10000 ? code_point : 0xd800 + ((code_point - 0x10000) >> 10);
}

static int compare_utf16(const struct json_value *left, const struct json_value *right)
{
    size_t i = 0;
    uint32_t a, b;

    while (i < left->len && i < right->len && left->bytes[i] == right->bytes[i])
        i++;
    if (i == left->len || i == right->len)
        return (left->len > right->len) - (left->len < right->len);
    while (((unsigned char)left->bytes[i] & 0xc0) == 0x80)
        i--; /* back to the first byte of the character that differs */
    a = utf8_decode(left->bytes + i, utf8_sequence_len(left->bytes + i, left->len - i));
    b = utf8_decode(right->bytes + i, utf8_sequence_len(right->bytes + i, right->len - i));
    if (lead_unit(a) != lead_unit(b))
        return lead_unit(a) < lead_unit(b) ? -1 : 1;
    return (a > b) - (a < b);
}

static int compare_members(const void *a, const void *b)
{
    const struct json_value *const *left = a, *const *right = b;

    return compare_utf16((*left)->key, (*right)->key);
}

static const struct json_value *append_object(struct buf *out, const struct json_value *object)
{
    const struct json_value **members = xcalloc(object->count, sizeof(struct json_value *));
    const struct json_value *refused = NULL;
    size_t count = 0;

    for (const struct json_value *member = object->first; member != NULL; member = member->next)
        members[count++] = member;
    qsort(members, count, sizeof(struct json_value *), compare_members);
    buf_append_char(out, '{');
    for (size_t i = 0; i < count && refused == NULL; i++) {
        if (i > 0)
            buf_append_char(out, ',');
        append_string(out, members[i]->key);
        buf_append_char(out, ':');
        refused = json_canonical(out, members[i]);
    }
    buf_append_char(out, '}');
    free(members);
    return refused;
}

static const struct json_value *append_array(struct buf *out, const struct json_value *array)
{
    const struct json_value *refused = NULL;

    buf_append_char(out, '[');
    for (const struct json_value *item = array->first; item != NULL && refused == NULL;
         item = item->next) {
        if (item->index > 0)
            buf_append_char(out, ',');
        refused = json_canonical(out, item);
    }
    buf_append_char(out, ']');
    return refused;
}

const struct json_value *json_canonical(struct buf *out, const struct json_value *value)
{
    switch (value->kind) {
    case KIND_NULL:
        buf_append_str(out, "null");
        return NULL;
    case KIND_BOOLEAN:
        buf_append_str(out, value->is_true ? "true" : "false");
        return NULL;
    case KIND_NUMBER:
        if (!value->is_integer)
            return value;
        buf_printf(out, "%" PRId64, value->integer);
        return NULL;
    case KIND_STRING:
        append_string(out, value);
        return NULL;
    case KIND_ARRAY:
        return append_array(out, value);
    case KIND_OBJECT:
        return append_object(out, value);
    }
    return NULL;
}
