/* SPDX-License-Identifier: MIT */
/* site_host.h — host names in requests and rules: compares them, matches them, finds them in
 * URLs. */
#ifndef FARMSTEAD_SITE_HOST_H
#define FARMSTEAD_SITE_HOST_H

#include "base/util.h"

#include <stdbool.h>
#include <stddef.h>

#define SITE_HOST_MAX 255 /* RFC 1035 section 2.3.4 */

/* Writes the name in lower case, without a final dot (RFC 3986 section 3.2.2), and a NUL. Returns
 * its length; 0 if it is empty or too long. */
size_t site_host_normalise(char out[SITE_HOST_MAX + 1], struct span host);

/* May the name be part of a folder's name? It must have only letters, digits, '-' and '_', in
 * labels that are not empty. `host` is as site_host_normalise() returned it. */
bool site_host_is_name(struct span host);

bool site_host_equals(struct span a, struct span b); /* in any case, with or without a final dot */

/* Is `host`, in any case, among `names`: equal to one, or below "*.example.org"? "*" matches
 * nothing here, because it does not say which hosts are the site's. */
bool site_host_in(char *const *names, size_t count, struct span host);

/* Finds the host in an http or https URL, without user and port (RFC 3986 section 3.2). False if
 * `url` is not such a URL. */
bool site_host_of_url(struct span url, struct span *host);

#endif
