/* SPDX-License-Identifier: MIT */
/* explain.h — what a config would do with a URL, as JSON for people and programs. */
#ifndef FARMSTEAD_EXPLAIN_H
#define FARMSTEAD_EXPLAIN_H

#include "site/site.h"

#include <jansson.h>

/* {"url", "error"} for what is no URL of a site, else {"url", "site", "status", "location", "path", "files", "rules",
 * "unread", "headers"}; docs/serving-files.md tells what each is. "site" is null, and the status 421, when no site is for the host. The caller has the reference. */
json_t *explain_url(const struct site_set *sites, const char *url);

#endif
