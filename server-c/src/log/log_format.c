/* SPDX-License-Identifier: MIT */
/* log_format.c — interprets the format itself, in order to tell text that is filled in from text
 * that the programmer wrote. */
#include "log/log_format.h"

#include "base/util.h"
#include "log/log_text.h"

#include <stdbool.h>
#include <string.h>

#define SPEC_BYTES 16 /* such as "%-08llu" */

struct writer {
    char *out;
    size_t len, cap;
    va_list args;
};

static void put(struct writer *writer, const char *bytes, size_t len)
{
    size_t room = writer->cap - writer->len - 1;

    if (len > room)
        len = room;
    memcpy(writer->out + writer->len, bytes, len);
    writer->len += len;
}

/* All integers are printed as the widest type, which looks the same. */
static void put_number(struct writer *writer, const char *spec, size_t spec_len)
{
    char wide[SPEC_BYTES + 3], text[64];
    bool is_signed = spec[spec_len - 1] == 'd' || spec[spec_len - 1] == 'i';
    size_t flags_len = strspn(spec, "%-+ #0123456789");
    size_t length_len = spec_len - 1 - flags_len;
    bool is_long = memchr(spec + flags_len, 'l', length_len) || memchr(spec, 'z', spec_len) ||
                   memchr(spec, 'j', spec_len) || memchr(spec, 't', spec_len);
    int n;

    memcpy(wide, spec, flags_len);
    memcpy(wide + flags_len, "ll", 2);
    wide[flags_len + 2] = spec[spec_len - 1];
    wide[flags_len + 3] = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored                                                                     \
    "-Wformat-nonliteral" /* the caller's format has been checked there */
    _Static_assert(sizeof(long) == sizeof(long long) && sizeof(size_t) == sizeof(long), "LP64");
    if (is_signed)
        n = snprintf(text, sizeof(text), wide,
                     is_long ? va_arg(writer->args, long long)
                             : (long long)va_arg(writer->args, int));
    else
        n = snprintf(text, sizeof(text), wide,
                     is_long ? va_arg(writer->args, unsigned long long)
                             : (unsigned long long)va_arg(writer->args, unsigned));
#pragma GCC diagnostic pop
    put(writer, text, n > 0 ? (size_t)n : 0);
}

static void put_text(struct writer *writer, const char *text, size_t len, bool is_quoted)
{
    writer->len += log_text_escape(writer->out + writer->len, writer->cap - writer->len,
                                   is_quoted ? LOG_TEXT_QUOTED : LOG_TEXT_PLAIN, text, len);
}

/* `spec` begins with "%". Returns its length. */
static size_t put_argument(struct writer *writer, const char *spec, bool is_after_quote)
{
    size_t len = strcspn(spec + 1, "sdiuxXc%") + 2;
    bool is_quoted = is_after_quote && spec[len] == '"';

    if (spec[len - 1] == '%') {
        put(writer, "%", 1);
    } else if (spec[len - 1] == 'c') {
        char c = (char)va_arg(writer->args, int);
        put_text(writer, &c, 1, is_quoted);
    } else if (spec[len - 1] == 's') {
        bool is_bounded = spec[1] == '.';
        int max = is_bounded ? va_arg(writer->args, int) : 0;
        const char *text = va_arg(writer->args, const char *);
        put_text(writer, text, is_bounded ? strnlen(text, (size_t)max) : strlen(text), is_quoted);
    } else {
        CHECK(len < SPEC_BYTES);
        put_number(writer, spec, len);
    }
    return len;
}

size_t log_format(char *out, size_t cap, const char *format, va_list args)
{
    struct writer writer = {.out = out, .cap = cap};
    const char *at = format;

    va_copy(writer.args, args);
    while (*at) {
        size_t len = strcspn(at, "%");
        put(&writer, at, len);
        at += len;
        if (*at == '%')
            at += put_argument(&writer, at, at > format && at[-1] == '"');
    }
    va_end(writer.args);
    out[writer.len] = '\0';
    return writer.len;
}
