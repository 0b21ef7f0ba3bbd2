/* SPDX-License-Identifier: MIT */
/* log_text.c — a table of characters that a terminal obeys, that end a line somewhere, or that
 * can't be seen. */
#include "log/log_text.h"

#include "base/utf8.h"
#include "base/util.h"

#include <stdbool.h>
#include <string.h>

/* Beyond ASCII: characters that a terminal may obey, that end a line somewhere, that can't be seen,
 * or that change the direction of the text after them. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
};

static bool is_hidden(uint32_t code_point)
{
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
        if (code_point >= hidden[i].first && code_point <= hidden[i].last)
            return true;
    return false;
}

static bool is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

size_t log_text_visible_len(const char *bytes, size_t len)
{
    size_t sequence_len = utf8_sequence_len(bytes, len);
    uint32_t code_point = sequence_len ? utf8_decode(bytes, sequence_len) : 0;

    return code_point < ' ' || code_point == 0x7f || is_hidden(code_point) ? 0 : sequence_len;
}

size_t log_text_plain_len(const char *bytes, size_t len)
{
    size_t at = 0;

    while (at < len && is_plain((unsigned char)bytes[at]))
        at++;
    return at;
}

static size_t put_hex(char *out, const char *before, uint32_t value, unsigned digits)
{
    size_t len = strlen(before);

    memcpy(out, before, len);
    for (unsigned shift = 4 * digits; shift > 0; len++) {
        shift -= 4;
        out[len] = "0123456789abcdef"[value >> shift & 15];
    }
    return len;
}

/* Writes one "\x.." for each byte. */
static size_t put_bytes(char *out, const char *bytes, size_t len)
{
    size_t written = 0;

    for (size_t i = 0; i < len; i++)
        written += put_hex(out + written, "\\x", (unsigned char)bytes[i], 2);
    return written;
}

static size_t put_ascii(char *out, enum log_text_form form, char c)
{
    bool keeps_quotes = form == LOG_TEXT_PLAIN || form == LOG_TEXT_SHOWN;

    if (is_plain((unsigned char)c) || (c == '"' && keeps_quotes) ||
        (c == '\\' && form == LOG_TEXT_SHOWN)) {
        out[0] = c;
        return 1;
    }
    if (c == '"' || c == '\\') {
        out[0] = '\\';
        out[1] = c;
        return 2;
    }
    return form == LOG_TEXT_JSON ? put_hex(out, "\\u", (unsigned char)c, 4) : put_bytes(out, &c, 1);
}

size_t log_text_step(char out[LOG_TEXT_STEP_BYTES], size_t *out_len, enum log_text_form form,
                     const char *bytes, size_t len)
{
    size_t sequence_len = utf8_sequence_len(bytes, len), step = sequence_len ? sequence_len : 1;
    uint32_t code_point = sequence_len ? utf8_decode(bytes, sequence_len) : 0xfffd;

    if (sequence_len == 1)
        *out_len = put_ascii(out, form, bytes[0]);
    else if (form == LOG_TEXT_JSON && (sequence_len == 0 || is_hidden(code_point)))
        *out_len = put_hex(out, "\\u", code_point, 4);
    else if (form == LOG_TEXT_ASCII || sequence_len == 0 || is_hidden(code_point))
        *out_len = put_bytes(out, bytes, step);
    else
        memcpy(out, bytes, *out_len = step);
    return step;
}

size_t log_text_escape(char *out, size_t cap, enum log_text_form form, const char *bytes,
                       size_t len)
{
    size_t written = 0, step_len;
    char step[LOG_TEXT_STEP_BYTES];

    for (size_t at = 0; at < len;) {
        at += log_text_step(step, &step_len, form, bytes + at, len - at);
        if (written + step_len >= cap)
            break;
        memcpy(out + written, step, step_len);
        written += step_len;
    }
    out[written] = '\0';
    return written;
}
