/* SPDX-License-Identifier: MIT */
/* log_format.h — printf for a log: the format is ours and stands as it is, texts that are filled in
 * are foreign and are escaped (log_text.h), their quotes too where the format has it between
 * quotes, "%s". */
#ifndef FARMSTEAD_LOG_FORMAT_H
#define FARMSTEAD_LOG_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As much as fits with a NUL; returns the length without it. Of printf's conversions it knows %s
 * and %.*s, whole numbers with their flags and lengths, %c and %%. */
size_t log_format(char *out, size_t cap, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
