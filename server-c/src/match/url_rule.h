/* SPDX-License-Identifier: MIT */
/* url_rule.h — one redirect or rewrite: a regular expression (PCRE2) and what to make of its match.
 *
 * The expression is matched against a decoded path, anywhere in it: '^' and '$' are its ends. Bytes
 * are matched, not characters, since a path may be anything but UTF-8; '.' is any byte. In `to`,
 * $0 … $9 and ${10} … ${99} are what the groups took, ${host} is the host asked for, ${query} the
 * query without '?', $$ a dollar. A group that took nothing is empty. A match is bounded in steps
 * and memory: neither a hostile path nor a hostile expression can make it long. */
#ifndef FARMSTEAD_URL_RULE_H
#define FARMSTEAD_URL_RULE_H

#include "base/util.h"

#include <stdbool.h>
#include <stddef.h>

#define URL_RULE_MESSAGE_MAX 160
#define URL_RULE_MATCH_MAX 4096 /* bytes of an expression */

struct url_rule;         /* immutable: any thread may use it */
struct url_rule_scratch; /* memory for matching; one user at a time */

/* What is wrong with `match` or `to`, for people. */
struct url_rule_error {
    bool is_in_to;
    size_t offset;                      /* byte in that text */
    char message[URL_RULE_MESSAGE_MAX]; /* "missing closing parenthesis" */
};

/* NULL when either text is wrong; *error says what. For start-up and configs: aborts when memory
 * is gone. */
struct url_rule *url_rule_new(const char *match, const char *to, struct url_rule_error *error);
void url_rule_free(struct url_rule *rule); /* NULL is allowed */

/* Never NULL: aborts when memory is gone. Keeps what memory matches needed, at most 9 MiB. */
struct url_rule_scratch *url_rule_scratch_new(void);
void url_rule_scratch_free(struct url_rule_scratch *scratch); /* NULL is allowed */

struct url_rule_subject {
    struct span path, host, query;
};

/* FOR_LOCATION makes a reference that can stand in a field: groups and the host are
 * percent-encoded, behind the '?' of `to` more strictly, so that a group is part of one parameter;
 * ${query} and the text of `to` are taken as they are, but for bytes no URL may have. Without '?'
 * and ${query} in `to` the query, if any, is added, before '#'. A path stays on this host: the
 * result begins with "//" only when `to` does, and with '/' when `to` begins with a '$'. Behind a
 * host in `to`, keep a '/' before a group that may begin with something else.
 *
 * FOR_PATH takes everything as it is: the result is to be a decoded path, '?' is a byte of it. It
 * has control bytes only when the subject has, but may begin with anything and have "//" and dot
 * segments: the caller must refuse or settle these. */
enum url_rule_use { URL_RULE_FOR_LOCATION, URL_RULE_FOR_PATH };

enum url_rule_result {
    URL_RULE_OTHER,    /* does not match; *len is untouched */
    URL_RULE_MATCH,    /* out[0, *len) is the result, without a NUL */
    URL_RULE_TOO_LONG, /* the result does not fit in `cap` */
    URL_RULE_NO_HOST,  /* `to` has ${host}, and the request has none */
    URL_RULE_LIMIT     /* the match was given up: neither yes nor no */
};
/* `out` must not overlap the subject. */
enum url_rule_result url_rule_apply(const struct url_rule *rule, struct url_rule_scratch *scratch,
                                    const struct url_rule_subject *subject, enum url_rule_use use,
                                    char *out, size_t cap, size_t *len);

#endif
