/* SPDX-License-Identifier: MIT */
#include "config/config_variables.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

struct filling {
    struct config_errors *errors;
    size_t room; /* bytes that values may still add: a config is no longer for its variables */
};

/* One "${NAME}" or "${NAME:-default}" in a text. */
struct reference {
    const char *name, *otherwise; /* NULL: it has no default */
    size_t name_len, otherwise_len;
    const char *end; /* the first byte after it */
};

/* Does `at`, which points to "$", begin a reference? */
static bool find_reference(const char *at, struct reference *out)
{
    *out = (struct reference){.name = at + 2};
    if (at[1] != '{')
        return false;
    out->name_len = strspn(out->name, NAME_CHARS);
    if (out->name_len == 0 || (*out->name >= '0' && *out->name <= '9'))
        return false;
    out->end = out->name + out->name_len;
    if (out->end[0] == ':' && out->end[1] == '-') {
        out->otherwise = out->end + 2;
        out->otherwise_len = strcspn(out->otherwise, "}");
        out->end = out->otherwise + out->otherwise_len;
    }
    return *out->end++ == '}';
}

static bool is_utf8(const char *text, size_t len)
{
    while (len > 0) {
        size_t step = utf8_sequence_len(text, len);
        if (step == 0)
            return false;
        text += step;
        len -= step;
    }
    return true;
}

static void report(struct filling *filling, const struct json_value *value,
                   const struct reference *reference, const char *hint, const char *wrong)
{
    struct buf pointer;

    buf_init(&pointer);
    json_append_pointer(&pointer, value);
    config_errors_add(filling->errors, CONFIG_CODE_INVALID_VALUE, value->span, pointer.data, hint,
                      "the environment variable %.*s %s", (int)reference->name_len, reference->name,
                      wrong);
    buf_fini(&pointer);
}

/* Appends what the reference stands for, or reports why it stands for nothing. */
static void append_value(struct filling *filling, const struct json_value *value,
                         const struct reference *reference, struct buf *out)
{
    char *name = xmemdup(reference->name, reference->name_len);
    const char *set = getenv(name);
    size_t len;

    free(name);
    if ((set == NULL || *set == '\0') && reference->otherwise != NULL) {
        buf_append(out, reference->otherwise, reference->otherwise_len);
        return;
    }
    if (set == NULL) {
        report(filling, value, reference, "set it, or write a default: ${NAME:-default}",
               "is not set");
        return;
    }
    len = strlen(set);
    if (!is_utf8(set, len)) {
        report(filling, value, reference, NULL, "is no UTF-8");
    } else if (len > filling->room) {
        report(filling, value, reference, NULL, "makes the config too large");
    } else {
        filling->room -= len;
        buf_append(out, set, len);
    }
}

static void fill_string(struct filling *filling, struct json_value *value)
{
    const char *at = value->bytes, *dollar;
    struct reference reference;
    bool has_any = false;
    struct buf out;

    buf_init(&out);
    while ((dollar = strchr(at, '$')) != NULL) {
        buf_append(&out, at, (size_t)(dollar - at));
        at = dollar + 1;
        if (find_reference(dollar, &reference)) {
            append_value(filling, value, &reference, &out);
            at = reference.end;
            has_any = true;
            value->is_filled = dollar == value->bytes && *at == '\0';
        } else {
            buf_append_char(&out, '$');
        }
    }
    if (has_any) {
        buf_append_str(&out, at);
        free(value->bytes);
        value->bytes = xmemdup(out.data, out.len);
        value->len = out.len;
    }
    buf_fini(&out);
}

void config_fill_variables(struct json_value *root, struct config_errors *errors)
{
    struct filling filling = {errors, JSON_MAX_BYTES};
    struct json_value *value = root;

    /* The tree is walked without recursion: down to the first child, else on to the next, else up. */
    while (value != NULL) {
        if (value->kind == KIND_STRING)
            fill_string(&filling, value);
        if (value->first != NULL) {
            value = value->first;
            continue;
        }
        while (value != NULL && value->next == NULL)
            value = value->parent;
        if (value != NULL)
            value = value->next;
    }
}
