/* SPDX-License-Identifier: MIT */
/* log_line.h — does a text begin like a log, so that a log may be continued in it? */
#ifndef FARMSTEAD_LOG_LINE_H
#define FARMSTEAD_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Has its first line a time as lines of access logs have it, of any server? */
bool log_line_is_access(const char *text, size_t len);
/* Is it a line of log.h, such as "2026-11-21T09:14:43.123Z info …"? */
bool log_line_is_error(const char *text, size_t len);

#endif
