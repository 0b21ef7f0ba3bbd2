/* SPDX-License-Identifier: MIT */
/* site_limits.h — how often one address may ask a site, by path: a config's rules made ready. Only
 * decides which rule is for a path; net/request_table.h counts. */
#ifndef FARMSTEAD_SITE_LIMITS_H
#define FARMSTEAD_SITE_LIMITS_H

#include "base/util.h"
#include "config/config.h"

struct site_limit {
    const struct config_request_limit *cfg;
    /* Of the site's first name and the rule's place: it stays at a reload, and so do counts. */
    uint64_t mark;
    uint64_t interval_ns; /* in which one more request is due */
};

/* One for each rule; NULL: there are none. The caller frees it. */
struct site_limit *site_limits_new(const struct config_site *cfg);

/* The first rule whose paths fit, or NULL. `path` is decoded and normalised, as it was asked for. */
const struct site_limit *site_limits_find(const struct site_limit *limits,
                                          const struct config_site *cfg, struct span path);

#endif
