/* SPDX-License-Identifier: MIT */
/* site_scratch.h — a loop's memory for what a site's rules make of a request. What was put there
 * holds until the next request's turn. */
#ifndef FARMSTEAD_SITE_SCRATCH_H
#define FARMSTEAD_SITE_SCRATCH_H

#include "match/url_rule.h"
#include "site/site_host.h"

struct site_scratch {
    char *bytes;
    size_t cap;
    char host[SITE_HOST_MAX + 1];
    struct url_rule_scratch *rules;
};

#endif
