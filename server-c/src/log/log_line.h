/* SPDX-License-Identifier: MIT */
/* log_line.h — whether a text begins as a log does: what a log may be written behind. */
#ifndef FARMSTEAD_LOG_LINE_H
#define FARMSTEAD_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* One of `common` or `combined`, by whichever server, or one of our `json`. */
bool log_line_is_access(const char *text, size_t len);
/* One of log.h: "2026-11-21T09:14:43.123Z info …". */
bool log_line_is_error(const char *text, size_t len);

#endif
