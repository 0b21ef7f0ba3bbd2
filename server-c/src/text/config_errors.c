/* SPDX-License-Identifier: MIT */
/* config_errors.c — the table of codes, and the list of findings, which is limited in length. A
 * pointer that is too long is cut after a whole segment. */
#include "text/config_errors.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *help;
} codes[] = {
#define C(name, wire, help) {wire, help},
#include "text/config_codes.def"
#undef C
};

const char *config_code_name(enum config_code code)
{
    return codes[code].name;
}

const char *config_code_help(enum config_code code)
{
    return codes[code].help;
}

static char *copy_pointer(const char *pointer)
{
    size_t len = strlen(pointer);

    if (len > CONFIG_POINTER_MAX)
        for (len = CONFIG_POINTER_MAX; len > 0 && pointer[len] != '/'; len--)
            ;
    return xstrndup(pointer, len);
}

void config_errors_add(struct config_errors *errors, enum config_code code, struct text_span span,
                       const char *pointer, const char *hint, const char *format, ...)
{
    struct config_error *error;
    struct buf message;
    va_list args;

    if (errors->count == CONFIG_ERRORS_MAX) {
        errors->dropped++;
        return;
    }
    buf_init(&message);
    va_start(args, format);
    buf_vprintf(&message, format, args);
    va_end(args);
    errors->items = xreallocarray(errors->items, errors->count + 1, sizeof(*errors->items));
    error = &errors->items[errors->count++];
    *error = (struct config_error){
        .pointer = copy_pointer(pointer),
        .line = span.start.line,
        .column = span.start.column,
        .end_line = span.end.line,
        .end_column = span.end.column,
        .code = codes[code].name,
        .message = buf_take(&message),
        .hint = xstrdup(hint ? hint : ""),
    };
}

void config_errors_move(struct config_errors *errors, struct config_errors *from)
{
    for (size_t i = 0; i < from->count; i++) {
        struct config_error *moving = &from->items[i];

        if (errors->count < CONFIG_ERRORS_MAX) {
            errors->items = xreallocarray(errors->items, errors->count + 1, sizeof(*errors->items));
            errors->items[errors->count++] = *moving;
            *moving = (struct config_error){0};
        } else {
            errors->dropped++;
        }
    }
    errors->dropped += from->dropped;
    config_errors_fini(from);
}

static int compare_places(const struct config_error *a, const struct config_error *b)
{
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Sorts by insertion: the list is short and nearly in order, and findings at the same place keep
 * their order. */
void config_errors_sort(struct config_errors *errors, size_t first)
{
    for (size_t i = first + 1; i < errors->count; i++) {
        struct config_error moving = errors->items[i];
        size_t to = i;

        for (; to > first && compare_places(&errors->items[to - 1], &moving) > 0; to--)
            errors->items[to] = errors->items[to - 1];
        errors->items[to] = moving;
    }
}

static void free_error(struct config_error *error)
{
    free(error->pointer);
    free(error->message);
    free(error->hint);
}

void config_errors_drop(struct config_errors *errors, const char *pointer, const char *code)
{
    size_t kept = 0;
    for (size_t i = 0; i < errors->count; i++) {
        struct config_error *error = &errors->items[i];
        if (strcmp(error->pointer, pointer) == 0 && strcmp(error->code, code) == 0)
            free_error(error);
        else
            errors->items[kept++] = *error;
    }
    errors->count = kept;
}

void config_errors_fini(struct config_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        free_error(&errors->items[i]);
    free(errors->items);
    *errors = (struct config_errors){0};
}
