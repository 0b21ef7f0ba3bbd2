/* SPDX-License-Identifier: MIT */
/* url_template.h — the `to` of a redirect or rewrite (url_rule.h), parsed once. */
#ifndef FARMSTEAD_URL_TEMPLATE_H
#define FARMSTEAD_URL_TEMPLATE_H

#include "match/url_rule.h"

#define URL_TEMPLATE_GROUPS 100 /* $0 … ${99} */

struct url_template_piece;

struct url_template {
    char *to;
    struct url_template_piece *pieces;
    size_t count;
    bool adds_query, has_host;
    bool is_network_path; /* begins with "//" (RFC 3986 section 4.2) */
};

/* `group_count`: the groups of the expression, without $0. False if `to` is wrong; *error says
 * how. */
bool url_template_init(struct url_template *template, const char *to, unsigned group_count,
                       struct url_rule_error *error);
void url_template_fini(struct url_template *template);

/* groups[n] is $n. False if `cap` is too small. */
bool url_template_write(const struct url_template *template, const struct span *groups,
                        const struct url_rule_subject *subject, enum url_rule_use use, char *out,
                        size_t cap, size_t *len);

#endif
