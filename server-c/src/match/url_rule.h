/* SPDX-License-Identifier: MIT */
/* url_rule.h — one redirect or rewrite: a regular expression (PCRE2), and what to make of its
 * match.
 *
 * The expression is searched in a decoded path; '^' and '$' are the path's ends. It matches bytes
 * and not characters, as a path need not be UTF-8; '.' is any byte. In `to`, $0 … $9 and ${10} …
 * ${99} stand for what the groups have matched, ${host} for the host asked for, ${query} for the
 * query without '?', and $$ for a dollar. A group that has matched nothing is empty. Steps and
 * memory of a match are limited: neither a hostile path nor a hostile expression can make it
 * long. */
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
    size_t offset;                      /* of the byte in that text */
    char message[URL_RULE_MESSAGE_MAX]; /* "missing closing parenthesis" */
};

/* NULL if either text is wrong; *error says how. For start-up and configs: aborts without
 * memory. */
struct url_rule *url_rule_new(const char *match, const char *to, struct url_rule_error *error);
void url_rule_free(struct url_rule *rule); /* NULL is allowed */

/* Never NULL: aborts without memory. Keeps the memory that matches needed, at most 9 MiB. */
struct url_rule_scratch *url_rule_scratch_new(void);
void url_rule_scratch_free(struct url_rule_scratch *scratch); /* NULL is allowed */

/* A request begins. What all its matches may take together is limited, too: with hundreds of rules
 * each might stay just below its own limit. */
void url_rule_begin(struct url_rule_scratch *scratch);

struct url_rule_subject {
    struct span path, host, query;
};

/* Is it a status by which clients go to another address? */
bool url_rule_is_redirect(uint32_t status);

/* FOR_LOCATION makes a reference for Location (RFC 9110 section 10.2.2). Groups and the host are
 * percent-encoded; after the '?' of `to` more strictly, so that a group is part of a single
 * parameter. ${query} and the text of `to` are taken as they are, except for bytes that no URL may
 * have. If `to` has neither '?' nor ${query}, the request's query is added, before '#'. A path
 * stays on this host: the result begins with "//" only if `to` does, and begins with '/' if `to`
 * begins with a '$'. A group right after a host gets a '/' in front unless it has one, and one that
 * is a part of a host does not end it: a client chooses no host that `to` does not leave to it.
 *
 * FOR_PATH takes everything as it is: the result is a decoded path, in which '?' is a byte like any
 * other. It contains control bytes only if the subject does, but may begin with anything, and
 * contain "//" and dot segments: the caller must refuse or remove these. */
enum url_rule_use { URL_RULE_FOR_LOCATION, URL_RULE_FOR_PATH };

enum url_rule_result {
    URL_RULE_OTHER,    /* does not match; *len is unchanged */
    URL_RULE_MATCH,    /* out[0, *len) is the result, without a NUL */
    URL_RULE_TOO_LONG, /* the result does not fit in `cap` bytes */
    URL_RULE_NO_HOST,  /* `to` has ${host}, but the request has no host */
    URL_RULE_LIMIT     /* the match was given up: its result is unknown */
};
/* `out` must not overlap the subject. */
enum url_rule_result url_rule_apply(const struct url_rule *rule, struct url_rule_scratch *scratch,
                                    const struct url_rule_subject *subject, enum url_rule_use use,
                                    char *out, size_t cap, size_t *len);

#endif
