/* SPDX-License-Identifier: MIT */
/* redirect_list.h — redirects in bulk: the rules of a text, ready to be asked.
 *
 *     # an old path, where it is now, and the status if it is not 301
 *     /caf%C3%A9  /coffee
 *     /2019/      https://archive.example/2019/  302
 *     ~^/blog/(\d+)$  /posts/$1  308
 *
 * A rule that begins with '/' is for exactly this path, written as clients ask for it; one that
 * begins with '~' is an expression as in url_rule.h. An exact path is found by one look into a hash
 * table, however many there are, and comes before all expressions, which are tried in their order.
 * A list is immutable, shared by all loops and counted. */
#ifndef FARMSTEAD_REDIRECT_LIST_H
#define FARMSTEAD_REDIRECT_LIST_H

#include "match/url_rule.h"

#define REDIRECT_LIST_BYTES (32 * 1024 * 1024)
#define REDIRECT_LIST_RULES 100000
/* Each request that no exact path fits may be held against all of them. */
#define REDIRECT_LIST_PATTERNS 256
#define REDIRECT_LIST_PATH_MAX 2048 /* bytes of a path, as it is written, and of an address */
#define REDIRECT_LIST_MATCH_MAX 1024
#define REDIRECT_LIST_PROBLEMS 8

struct redirect_problem {
    uint32_t line, column; /* from 1, columns in UTF-16 units as in text_pos.h */
    char text[240];        /* the end of a sentence: "the status 200 is none of a redirect: …" */
};

struct redirect_problems {
    struct redirect_problem items[REDIRECT_LIST_PROBLEMS]; /* the first ones */
    size_t count;
};

struct redirect_list;

/* NULL if anything in the text is wrong. At most REDIRECT_LIST_BYTES. Aborts without memory; takes
 * a fraction of a second for the longest text, so not on a loop. */
struct redirect_list *redirect_list_parse(struct span text, struct redirect_problems *problems);
struct redirect_list *
redirect_list_get(struct redirect_list *list);      /* any thread; NULL is allowed */
void redirect_list_put(struct redirect_list *list); /* the same */

/* Was it made of this text? */
bool redirect_list_is_of(const struct redirect_list *list, struct span text);
size_t redirect_list_count(const struct redirect_list *list);

/* As url_rule_apply() with URL_RULE_FOR_LOCATION, for the first rule that fits; with a match
 * *status is the redirect's. */
enum url_rule_result redirect_list_apply(const struct redirect_list *list,
                                         struct url_rule_scratch *scratch,
                                         const struct url_rule_subject *subject, char *out,
                                         size_t cap, size_t *len, uint32_t *status);

#endif
