/* SPDX-License-Identifier: MIT */
/* http_date.h — converts between HTTP dates (RFC 9110 section 5.6.7) and seconds since 1970. */
#ifndef FARMSTEAD_HTTP_DATE_H
#define FARMSTEAD_HTTP_DATE_H

#include "base/util.h"

#include <stdbool.h>
#include <stdint.h>

#define HTTP_DATE_LEN 29 /* "Sun, 06 Nov 1994 08:49:37 GMT" */

/* Writes HTTP_DATE_LEN bytes and a NUL. A time outside the years 1970–9999 becomes the nearest one
 * inside. */
void http_date_format(char out[HTTP_DATE_LEN + 1], int64_t seconds);

/* Reads all three forms of RFC 9110 section 5.6.7. `now` decides the century of a two-digit year.
 * For anything else it returns false and leaves *seconds alone: the recipient ignores such a field
 * (sections 13.1.3 and 13.1.4). */
bool http_date_parse(struct span text, int64_t now, int64_t *seconds);

/* Is it midnight of the first of January, UTC? */
bool http_date_begins_year(int64_t seconds);

#endif
