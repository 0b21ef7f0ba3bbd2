/* SPDX-License-Identifier: MIT */
/* site_scratch.h — memory of a loop for what rules produce for a request. Its contents are valid
 * until the loop handles another request. */
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
