/* SPDX-License-Identifier: MIT */
/* log_tail.c — writing to the ring never waits; only reading looks for whole lines and
 * characters. */
#include "log/log_tail.h"

#include "base/mem.h"
#include "log/log_text.h"

#include <string.h>

void log_tail_clear(struct log_tail *tail)
{
    tail->written = 0;
    tail->lines = 0;
}

void log_tail_append(struct log_tail *tail, const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        tail->bytes[(tail->written + i) % LOG_TAIL_BYTES] = line[i];
    tail->written += len;
    tail->lines++;
}

/* Returns where the last `max` lines of text[len] begin. */
static size_t start_of_last(const char *text, size_t len, size_t max)
{
    size_t at = len;

    for (size_t lines = 0; at > 0; at--)
        if (text[at - 1] == '\n' && lines++ == max)
            break;
    return at;
}

/* Makes it valid UTF-8, without anything that a terminal would obey. */
static void make_text(char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t step = text[at] == '\n' ? 1 : log_text_visible_len(text + at, len - at);
        if (step == 0)
            text[at] = '?';
        at += step ? step : 1;
    }
}

char *log_tail_lines(const struct log_tail *tail, size_t max)
{
    uint64_t end = tail->written;
    size_t len = end < LOG_TAIL_BYTES ? (size_t)end : LOG_TAIL_BYTES, from = 0;
    char *text = xmalloc(len + 1);

    for (size_t i = 0; i < len; i++)
        text[i] = tail->bytes[(end - len + i) % LOG_TAIL_BYTES];
    while (len > 0 && text[len - 1] != '\n') /* cut off at the end */
        len--;
    text[len] = '\0';
    if (end > LOG_TAIL_BYTES) { /* the oldest line has lost its beginning */
        const char *newline = memchr(text, '\n', len);
        from = newline ? (size_t)(newline - text) + 1 : len;
    }
    from += start_of_last(text + from, len - from, max);
    memmove(text, text + from, len - from + 1);
    make_text(text, len - from);
    return text;
}
