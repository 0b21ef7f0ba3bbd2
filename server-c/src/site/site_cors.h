/* SPDX-License-Identifier: MIT */
/* site_cors.h — which pages of other origins may read a site's answers (CORS, the Fetch standard
 * section "CORS protocol"): the header lines for each rule and origin, made once per config.
 *
 * Only decides. Immutable after site_cors_new(): any thread may use it. */
#ifndef FARMSTEAD_SITE_CORS_H
#define FARMSTEAD_SITE_CORS_H

#include "base/util.h"
#include "config/config.h"

#include <stdbool.h>

struct site_cors;

/* What an answer to a request from some origin says; empty where no rule is for the path. */
struct site_cors_answer {
    const char *lines;     /* in every answer, also an error; NULL: no rule is for the path */
    const char *preflight; /* besides, when a browser asks first; NULL: the origin is not welcome */
};

struct site_cors *site_cors_new(const struct config_site *cfg); /* NULL: the site has no rules */
void site_cors_free(struct site_cors *cors);                    /* NULL is allowed */

/* Upper bound for what an answer adds to a head, in bytes; 0 for NULL. */
size_t site_cors_most_len(const struct site_cors *cors);

/* `path` is decoded and normalised, as it was asked for; `origin` is the field's value, empty without
 * one. The first rule whose paths fit decides. */
struct site_cors_answer site_cors_find(const struct site_cors *cors, struct span path,
                                       struct span origin);

#endif
