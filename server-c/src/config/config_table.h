/* SPDX-License-Identifier: MIT */
/* config_table.h — the one description of every option: what reads a config, what `schema` prints
 * and what the reference page says all come from these rows.
 *
 * A new option is a field in struct config and a row in config_table*.c. A row's pattern is one
 * regular expression for two engines, POSIX ERE here and ECMAScript in the schema, so it keeps to
 * what both read alike: no backslash inside brackets, no \d and the like. */
#ifndef FARMSTEAD_CONFIG_TABLE_H
#define FARMSTEAD_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum option_type {
    OPTION_BOOLEAN, /* bool */
    OPTION_INTEGER, /* uint16_t, uint32_t or uint64_t, by `size` */
    OPTION_ENUM,    /* int: the index in `words` */
    OPTION_STRING,  /* char * */
    OPTION_STRINGS, /* char ** and a count */
    OPTION_MAP,     /* pairs of char *, and a count */
    OPTION_OBJECT,  /* its members live in the same struct as itself */
    OPTION_OBJECTS, /* an array of structs that hold the members, and a count */
};

struct option {
    const char *name;
    enum option_type type;
    const char *title;           /* a form's label */
    const char *help;            /* sentences a form can show */
    const char *lighttpd;        /* what it was called there; NULL: nothing */
    const char *unit;            /* NULL: a plain number, a text */
    const char *default_json;    /* NULL: the option must be given */
    bool takes_effect_at_start;  /* false: a push changes it live */
    bool takes_auto;             /* of an integer: "auto" is auto_value */
    int fit;                     /* enum config_fit: lowered to what the machine has if left out */
    int64_t auto_value;          /* CONFIG_AUTO where 0 can't be written */
    int64_t min, max;            /* integer: the value; string(s), map: characters of one text */
    size_t min_items, max_items; /* lists and maps */
    const char *pattern;         /* of a string, of each of strings, of a map's values */
    const char *form;            /* the pattern in words: "must be …" */
    const char *key_pattern, *key_form; /* of a map's keys */
    const char *const *words;           /* of an enum, NULL at the end */
    /* What a pattern can't say: NULL, or what is wrong, as in "is not …". */
    const char *(*check)(const char *text);
    /* Of a text that is wrong: appends what to write in its place, if that can be told. NULL: never. */
    void (*hint)(struct buf *out, const char *text);
    const struct option *members; /* up to the one without a name */
    size_t offset, size;          /* of the field; of an array, the pointer */
    size_t count_offset;          /* of the field with the count */
    size_t item_size;             /* of one struct of OPTION_OBJECTS */
};

extern const struct option config_table[];

#endif
