/* SPDX-License-Identifier: MIT */
/* site_host.h — host names as requests and rules have them: compare, match, take from a URL. */
#ifndef FARMSTEAD_SITE_HOST_H
#define FARMSTEAD_SITE_HOST_H

#include "base/util.h"

#include <stdbool.h>
#include <stddef.h>

#define SITE_HOST_MAX 255 /* RFC 1035 */

/* The name in lower case without the dot that may end it, with a NUL. Its length; 0 when it is
 * empty or too long. */
size_t site_host_normalise(char out[SITE_HOST_MAX + 1], struct span host);

/* Can it stand in a folder's name? Letters, digits, '-' and '_', in labels that are not empty.
 * `host` as site_host_normalise() made it. */
bool site_host_is_name(struct span host);

bool site_host_equals(struct span a, struct span b); /* in any case, with or without the last dot */

/* Is `host` (in any case) one of `names`: itself, or as "*.example.org" a name beneath that? "*"
 * counts for nothing here: it says nothing about who a site belongs to. */
bool site_host_in(char *const *names, size_t count, struct span host);

/* The host of an http or https URL, without user and port. False when it is no such URL. */
bool site_host_of_url(struct span url, struct span *host);

#endif
