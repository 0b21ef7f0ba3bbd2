/* SPDX-License-Identifier: MIT */
/* json_tree.c — functions for the tree that json_text.c has read. */
#include "text/json_text.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define QUOTED_MAX_CHARS 60

void json_free(struct json_value *value)
{
    while (value != NULL) {
        struct json_value *next = value->next;

        json_free(value->first); /* recurses at most JSON_MAX_DEPTH deep */
        json_free(value->key);
        free(value->bytes);
        free(value);
        value = next;
    }
}

static struct json_value *member_of_len(const struct json_value *object, const char *name,
                                        size_t len)
{
    if (object->kind != KIND_OBJECT)
        return NULL;
    for (struct json_value *member = object->first; member != NULL; member = member->next)
        if (member->key->len == len && memcmp(member->key->bytes, name, len) == 0)
            return member;
    return NULL;
}

struct json_value *json_member(const struct json_value *object, const char *name)
{
    return member_of_len(object, name, strlen(name));
}

static const struct json_value *item_at(const struct json_value *array, const char *index)
{
    char *end;
    unsigned long wanted = strtoul(index, &end, 10);
    const struct json_value *item = array->first;

    if (*end != '\0' || end == index)
        return NULL;
    while (item != NULL && item->index != wanted)
        item = item->next;
    return item;
}

static void append_unescaped(struct buf *out, const char *token, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (token[i] == '~' && i + 1 < len) {
            i++;
            buf_append_char(out, token[i] == '1' ? '/' : '~');
        } else {
            buf_append_char(out, token[i]);
        }
    }
}

const struct json_value *json_nearest(const struct json_value *root, const char *pointer)
{
    const struct json_value *value = root;
    struct buf token;

    buf_init(&token);
    while (*pointer == '/') {
        size_t len = strcspn(++pointer, "/");
        const struct json_value *child;

        buf_clear(&token);
        append_unescaped(&token, pointer, len);
        child = value->kind == KIND_ARRAY ? item_at(value, token.data)
                                          : member_of_len(value, token.data, token.len);
        if (child == NULL)
            break;
        value = child;
        pointer += len;
    }
    buf_fini(&token);
    return value;
}

void json_append_pointer(struct buf *out, const struct json_value *value)
{
    if (value->parent == NULL)
        return;
    json_append_pointer(out, value->parent);
    buf_append_char(out, '/');
    if (value->key == NULL) {
        buf_printf(out, "%zu", value->index);
        return;
    }
    for (size_t i = 0; i < value->key->len; i++) {
        if (value->key->bytes[i] == '~')
            buf_append_str(out, "~0");
        else if (value->key->bytes[i] == '/')
            buf_append_str(out, "~1");
        else
            buf_append_char(out, value->key->bytes[i]);
    }
}

void json_append_quoted(struct buf *out, const char *bytes, size_t len)
{
    size_t chars = 0;

    buf_append_char(out, '"');
    for (size_t i = 0, step; i < len; i += step) {
        uint32_t code_point;

        if (chars++ == QUOTED_MAX_CHARS) {
            buf_append_str(out, "…");
            break;
        }
        step = utf8_sequence_len(bytes + i, len - i);
        code_point = utf8_decode(bytes + i, step);
        if (code_point == '"' || code_point == '\\')
            buf_printf(out, "\\%c", (int)code_point);
        else if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0))
            /* C1 controls, too: terminals obey them. */
            buf_printf(out, "\\u%04x", (unsigned)code_point);
        else
            buf_append(out, bytes + i, step);
    }
    buf_append_char(out, '"');
}

const char *json_kind_name(enum json_kind kind)
{
    static const char *const names[] = {
        [KIND_NULL] = "null",       [KIND_BOOLEAN] = "a boolean", [KIND_NUMBER] = "a number",
        [KIND_STRING] = "a string", [KIND_ARRAY] = "a list",      [KIND_OBJECT] = "an object",
    };

    return names[kind];
}
