/* SPDX-License-Identifier: MIT */
/* log_format.h — printf for a log. The format is ours and is written as it is. Texts that are
 * filled in come from elsewhere and are escaped (log_text.h); their quotes, too, if the format has
 * the text between quotes: "%s". */
#ifndef FARMSTEAD_LOG_FORMAT_H
#define FARMSTEAD_LOG_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* Writes as much as fits, with a NUL. Returns the length without it. Supports %s and %.*s, integers
 * with their flags and lengths, %c and %%. */
size_t log_format(char *out, size_t cap, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
