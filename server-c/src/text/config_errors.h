/* SPDX-License-Identifier: MIT */
/* config_errors.h — what is wrong with a config, where, and what to do about it.
 *
 * Each finding has a JSON Pointer and a place in the author's text. The codes are part of the
 * product: the API passes them on, and the console's tests use them. */
#ifndef FARMSTEAD_CONFIG_ERRORS_H
#define FARMSTEAD_CONFIG_ERRORS_H

#include "base/text_pos.h"

#include <stddef.h>
#include <stdint.h>

#define CONFIG_ERRORS_MAX 100
#define CONFIG_POINTER_MAX 1024

enum config_code {
#define C(name, wire, help) CONFIG_CODE_##name,
#include "text/config_codes.def"
#undef C
    CONFIG_CODE_COUNT
};

struct config_error {
    char *pointer;                               /* RFC 6901 */
    uint32_t line, column, end_line, end_column; /* from 1; columns in UTF-16 units */
    const char *code;                            /* static: "unknown_key", "out_of_range", … */
    char *message;
    char *hint; /* "" if there is none */
};

/* A list of findings in the order of the document, limited in length: further ones are counted and
 * dropped. All zero is an empty list. */
struct config_errors {
    struct config_error *items;
    size_t count;
    size_t dropped;
};

/* All of these: any thread, but a list is for one thread at a time. */

/* Copies `pointer` and `hint` (NULL: none). A pointer longer than CONFIG_POINTER_MAX bytes is
 * replaced by that of an enclosing value. */
void config_errors_add(struct config_errors *errors, enum config_code code, struct text_span span,
                       const char *pointer, const char *hint, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Moves all findings of `from`, which is then empty, to the end of `errors`. */
void config_errors_move(struct config_errors *errors, struct config_errors *from);

/* Sorts the findings from index `first` on by their places in the text. */
void config_errors_sort(struct config_errors *errors, size_t first);

/* Takes out the findings at that place that have that code. */
void config_errors_drop(struct config_errors *errors, const char *pointer, const char *code);

void config_errors_fini(struct config_errors *errors);

const char *config_code_name(enum config_code code);
const char *config_code_help(enum config_code code);

#endif
