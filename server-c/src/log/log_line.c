/* SPDX-License-Identifier: MIT */
/* log_line.c — looks for the time of a line, whatever else is in it: the format of an access log may
 * be of the author's own. */
#include "log/log_line.h"

#include "base/util.h"

#include <string.h>

struct reader {
    const char *at, *end;
};

/* In `pattern` "0" stands for any digit, "A" and "a" for letters, "+" for a sign, and the rest for
 * itself. */
static bool fits(char pattern, char c)
{
    switch (pattern) {
    case '0':
        return c >= '0' && c <= '9';
    case 'A':
        return c >= 'A' && c <= 'Z';
    case 'a':
        return c >= 'a' && c <= 'z';
    case '+':
        return c == '+' || c == '-';
    default:
        return c == pattern;
    }
}

static bool take(struct reader *reader, const char *pattern)
{
    for (; *pattern; pattern++, reader->at++)
        if (reader->at == reader->end || !fits(*pattern, *reader->at))
            return false;
    return true;
}

bool log_line_is_access(const char *text, size_t len)
{
    const char *end = memchr(text, '\n', len);
    struct reader reader = {text, end ? end : text + len};

    for (; reader.at < reader.end; reader.at++) {
        struct reader clf = reader, iso = reader;
        if (take(&clf, "00/Aaa/0000:00:00:00 +0000") || take(&iso, "0000-00-00T00:00:00Z"))
            return true;
    }
    return false;
}

bool log_line_is_error(const char *text, size_t len)
{
    static const char *const levels[] = {"error ", "warn ", "info ", "debug "};
    struct reader reader = {text, text + len};

    if (!take(&reader, "0000-00-00T00:00:00.000Z "))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        struct reader level = reader;
        if (take(&level, levels[i]))
            return true;
    }
    return false;
}
