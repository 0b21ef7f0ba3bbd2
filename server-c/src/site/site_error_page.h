/* SPDX-License-Identifier: MIT */
/* site_error_page.h — which of a site's own pages goes with an error: by path, language and status.
 * Pure. */
#ifndef FARMSTEAD_SITE_ERROR_PAGE_H
#define FARMSTEAD_SITE_ERROR_PAGE_H

#include "config/config.h"
#include "http/http_parser.h"
#include "http/http_status.h"

struct site_error_page {
    const char *path;         /* below the root; NULL: the site has none */
    bool depends_on_language; /* another Accept-Language might have got another page */
};

/* Of the rules that fit `path` (as it was asked for; empty: it is none) and have a page for the status,
 * the one whose language the client likes best, else the first without languages, else the site's
 * page for all paths. */
struct site_error_page site_error_page_find(const struct config_site *cfg, struct span path,
                                            enum http_status status, const struct http_request *req,
                                            const char *head);

#endif
