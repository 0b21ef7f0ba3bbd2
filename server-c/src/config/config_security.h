/* SPDX-License-Identifier: MIT */
/* config_security.h — the headers that a site's "securityHeaders" stand for, as header rules that go
 * before the site's own. */
#ifndef FARMSTEAD_CONFIG_SECURITY_H
#define FARMSTEAD_CONFIG_SECURITY_H

#include "config/config.h"

#define SECURITY_HEADERS_MAX 5

struct config_security {
    struct config_header_rule rules[SECURITY_HEADERS_MAX];
    size_t count;
    char *policy; /* memory of one of the values; may be NULL */
};

/* A text that was wrong by itself is NULL in `site`, and passed over. Any thread. */
void config_security_init(struct config_security *security, const struct config_site *site);
void config_security_fini(struct config_security *security);

/* How long browsers are to ask for the site by HTTPS only; 0: nothing is said. */
uint32_t config_hsts_seconds(const struct config_site *site);

#endif
