/* SPDX-License-Identifier: MIT */
/* url_template.h — the `to` of a redirect or rewrite (url_rule.h), taken apart once. */
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
    bool is_network_path; /* begins with "//" */
};

/* `group_count`: the expression's groups, $0 aside. False when `to` is wrong; *error says what. */
bool url_template_init(struct url_template *template, const char *to, unsigned group_count,
                       struct url_rule_error *error);
void url_template_fini(struct url_template *template);

/* groups[n] is $n. Returns false when `cap` is too small. */
bool url_template_write(const struct url_template *template, const struct span *groups,
                        const struct url_rule_subject *subject, enum url_rule_use use, char *out,
                        size_t cap, size_t *len);

#endif
