/* SPDX-License-Identifier: MIT */
/* redirect_list_parts.h — what a list is made of; only redirect_list*.c include this. */
#ifndef FARMSTEAD_REDIRECT_LIST_PARTS_H
#define FARMSTEAD_REDIRECT_LIST_PARTS_H

#include "base/digest.h"
#include "base/utf8.h"
#include "match/redirect_list.h"

#include <stdatomic.h>

struct redirect_exact {
    uint32_t from, to; /* where they are in `bytes`; `to` ends with a NUL */
    uint32_t line;
    uint16_t from_len, status;
};

struct redirect_pattern {
    struct url_rule *rule;
    uint32_t status;
};

struct redirect_list {
    _Atomic uint32_t refs;
    char digest[DIGEST_LEN + 1]; /* of the text */
    uint64_t seed;
    char *bytes;
    struct redirect_exact *exacts;
    size_t exact_count;
    uint32_t *slots;  /* numbers of exact rules, or none; the one after a taken slot is next */
    size_t slot_mask; /* one less than a power of two */
    struct redirect_pattern *patterns;
    size_t pattern_count;
};

/* How much of a word a sentence shows. */
static inline int redirect_shown_len(struct span word)
{
    return (int)utf8_cut(word.ptr, word.len, 40);
}

/* Adds the rules of the text to an empty list. What is wrong in single lines is reported. */
void redirect_list_read(struct redirect_list *list, struct span text,
                        struct redirect_problems *problems);

/* Notes a problem, while there is room for one. */
void redirect_report(struct redirect_problems *problems, uint32_t line, uint32_t column,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
