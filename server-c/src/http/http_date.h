/* SPDX-License-Identifier: MIT */
/* http_date.h — dates as HTTP writes them (RFC 9110 section 5.6.7) ↔ seconds since 1970. */
#ifndef FARMSTEAD_HTTP_DATE_H
#define FARMSTEAD_HTTP_DATE_H

#include "base/util.h"

#include <stdbool.h>
#include <stdint.h>

#define HTTP_DATE_LEN 29 /* "Sun, 06 Nov 1994 08:49:37 GMT" */

/* Writes HTTP_DATE_LEN bytes and a NUL. Years outside 1970–9999 are clamped to them. */
void http_date_format(char out[HTTP_DATE_LEN + 1], int64_t seconds);

/* Reads all three forms. `now` decides the century of RFC 850's two digits. False, and *seconds
 * untouched, for anything else: the recipient ignores such a field. */
bool http_date_parse(struct span text, int64_t now, int64_t *seconds);

/* Is it midnight of the first of January, UTC? */
bool http_date_begins_year(int64_t seconds);

#endif
