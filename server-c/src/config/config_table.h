/* SPDX-License-Identifier: MIT */
/* config_table.h — the description of every option: reading a config, the output of `schema` and
 * the reference page all use these rows.
 *
 * To add an option, add a field to struct config and a row to config_table*.c. A row's pattern is a
 * regular expression for two engines, POSIX ERE here and ECMAScript in the schema, so use only what
 * both read alike: no backslash inside brackets, no \d and the like. */
#ifndef FARMSTEAD_CONFIG_TABLE_H
#define FARMSTEAD_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum option_type {
    OPTION_BOOLEAN, /* bool */
    OPTION_INTEGER, /* uint16_t, uint32_t or uint64_t, depending on `size` */
    OPTION_ENUM,    /* int: the index in `words` */
    OPTION_STRING,  /* char * */
    OPTION_STRINGS, /* char ** and a count */
    OPTION_MAP,     /* pairs of char * and a count */
    OPTION_OBJECT,  /* its members are fields of the same struct */
    OPTION_OBJECTS, /* an array of structs that have the members, and a count */
};

struct option {
    const char *name;
    enum option_type type;
    const char *title;           /* label in a form */
    const char *help;            /* sentences a form can show */
    const char *lighttpd;        /* its name in lighttpd; NULL: it has none */
    const char *unit;            /* NULL: a plain number, or a text */
    const char *default_json;    /* NULL: the author must give the option */
    bool takes_effect_at_start;  /* false: a new config changes it at once */
    bool takes_auto;             /* for an integer: "auto" means auto_value */
    int fit;                     /* an enum config_fit: lowered to fit the machine if left out */
    int64_t auto_value;          /* CONFIG_AUTO for options that can't be 0 */
    int64_t min, max;            /* integer: the value; string(s), map: characters of each text */
    size_t min_items, max_items; /* lists and maps */
    const char *pattern;         /* for a string, each of the strings, or the values of a map */
    const char *form;            /* the pattern in words: "must be …" */
    const char *key_pattern, *key_form; /* for the keys of a map */
    const char *const *words;           /* for an enum; ends with NULL */
    /* For what a pattern can't express. Returns NULL, or what is wrong, as in "is not …". */
    const char *(*check)(const char *text);
    /* For a text that is wrong: appends what to write instead, if known. NULL: no hints. */
    void (*hint)(struct buf *out, const char *text);
    const struct option *members; /* ends with the one without a name */
    size_t offset, size;          /* of the field; for an array, that of its pointer */
    size_t count_offset;          /* of the field that has the count */
    size_t item_size;             /* of one struct of OPTION_OBJECTS */
};

extern const struct option config_table[];

#endif
