/* SPDX-License-Identifier: MIT */
/* log_line.c — looks only at the part at the beginning of a line that no client can influence: a
 * path may have any length. */
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

/* Takes at least one byte, and a space. */
static bool take_word(struct reader *reader)
{
    const char *start = reader->at;

    while (reader->at < reader->end && (unsigned char)*reader->at > ' ' && *reader->at != 0x7f)
        reader->at++;
    return reader->at > start && take(reader, " ");
}

/* Takes peer, identity and user, which other servers may write with spaces; then the time. */
static bool is_text(struct reader reader)
{
    unsigned words = 0;

    while (reader.at < reader.end && *reader.at != '[' && take_word(&reader))
        words++;
    return words >= 3 && take(&reader, "[00/Aaa/0000:00:00:00 +0000] \"");
}

bool log_line_is_access(const char *text, size_t len)
{
    struct reader reader = {text, text + len};

    return is_text(reader) || take(&reader, "{\"time\":\"0000-00-00T00:00:00Z\",\"peer\":\"");
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
