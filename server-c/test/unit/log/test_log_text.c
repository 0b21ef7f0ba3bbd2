/* SPDX-License-Identifier: MIT */
/* Whatever the bytes are, they stay on one line, and no terminal takes them for a command. */
#include "log/log_text.c"

#include "check.h"

#include <stdlib.h>

static const struct {
    const char *name, *in, *ascii, *json, *plain;
} rows[] = {
    {"letters", "GET /a b", "GET /a b", "GET /a b", "GET /a b"},
    {"a quote", "a\"b", "a\\\"b", "a\\\"b", "a\"b"},
    {"a backslash", "a\\x0a", "a\\\\x0a", "a\\\\x0a", "a\\\\x0a"},
    {"line ends", "a\r\nb", "a\\x0d\\x0ab", "a\\u000d\\u000ab", "a\\x0d\\x0ab"},
    {"a terminal's escape", "\x1b[2J", "\\x1b[2J", "\\u001b[2J", "\\x1b[2J"},
    {"DEL", "\x7f", "\\x7f", "\\u007f", "\\x7f"},
    {"UTF-8", "z\xc3\xbcrich", "z\\xc3\\xbcrich", "z\xc3\xbcrich", "z\xc3\xbcrich"},
    {"beyond the BMP", "\xf0\x9f\x90\x84", "\\xf0\\x9f\\x90\\x84", "\xf0\x9f\x90\x84",
     "\xf0\x9f\x90\x84"},
    {"C1 as UTF-8: CSI",
     "\xc2\x9b"
     "2J",
     "\\xc2\\x9b2J", "\\u009b2J", "\\xc2\\x9b2J"},
    {"C1: next line",
     "a\xc2\x85"
     "b",
     "a\\xc2\\x85b", "a\\u0085b", "a\\xc2\\x85b"},
    {"C1 as a byte",
     "\x9b"
     "2J",
     "\\x9b2J", "\\ufffd2J", "\\x9b2J"},
    {"a line separator", "a\xe2\x80\xa8z", "a\\xe2\\x80\\xa8z", "a\\u2028z", "a\\xe2\\x80\\xa8z"},
    {"text turned round", "\xe2\x80\xae", "\\xe2\\x80\\xae", "\\u202e", "\\xe2\\x80\\xae"},
    {"a byte order mark", "\xef\xbb\xbf", "\\xef\\xbb\\xbf", "\\ufeff", "\\xef\\xbb\\xbf"},
    {"half a character", "\xe2\x82", "\\xe2\\x82", "\\ufffd\\ufffd", "\\xe2\\x82"},
    {"a slash in two bytes", "\xc0\xaf", "\\xc0\\xaf", "\\ufffd\\ufffd", "\\xc0\\xaf"},
    {"a surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd", "\\xed\\xa0\\x80"},
};

static void test_rows(void)
{
    char out[200];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t len = strlen(rows[i].in);
        log_text_escape(out, sizeof(out), LOG_TEXT_ASCII, rows[i].in, len);
        CHECK_STR((int)i, rows[i].name, out, rows[i].ascii);
        log_text_escape(out, sizeof(out), LOG_TEXT_JSON, rows[i].in, len);
        CHECK_STR((int)i, rows[i].name, out, rows[i].json);
        log_text_escape(out, sizeof(out), LOG_TEXT_PLAIN, rows[i].in, len);
        CHECK_STR((int)i, rows[i].name, out, rows[i].plain);
    }
    log_text_escape(out, sizeof(out), LOG_TEXT_QUOTED, "\"\\\n", 3);
    CHECK_STR(__LINE__, "between quotes of ours", out, "\\\"\\\\\\x0a");
    log_text_escape(out, sizeof(out), LOG_TEXT_SHOWN, "\"\\\n", 3);
    CHECK_STR(__LINE__, "at a terminal", out, "\"\\\\x0a");
    log_text_escape(out, sizeof(out), LOG_TEXT_JSON, "a\0b", 3);
    CHECK_STR(__LINE__, "NUL", out, "a\\u0000b");
}

static void test_room(void)
{
    char out[200];

    CHECK_INT(__LINE__, "an escape is whole or not there",
              log_text_escape(out, 6, LOG_TEXT_JSON, "a\nb", 3), 1);
    CHECK_INT(__LINE__, "a character, too", log_text_escape(out, 3, LOG_TEXT_PLAIN, "a\xc3\xbc", 3),
              1);
    CHECK_INT(__LINE__, "both fit", log_text_escape(out, 4, LOG_TEXT_PLAIN, "a\xc3\xbc", 3), 3);
    CHECK_INT(__LINE__, "nothing fits", log_text_escape(out, 1, LOG_TEXT_PLAIN, "a", 1), 0);
}

/* Checks the result without knowing how it was written. */
static bool is_harmless(const char *text)
{
    for (size_t at = 0, len = strlen(text); at < len;) {
        size_t step = utf8_sequence_len(text + at, len - at);
        uint32_t code = step ? utf8_decode(text + at, step) : 0;
        if (code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029)
            return false;
        at += step;
    }
    return true;
}

static void test_any_bytes(void)
{
    char bytes[64], out[sizeof(bytes) * LOG_TEXT_STEP_BYTES + 1];
    unsigned seed = 7;

    for (int round = 0; round < 30000; round++) {
        size_t len = (size_t)rand_r(&seed) % sizeof(bytes);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)rand_r(&seed);
        log_text_escape(out, sizeof(out), (enum log_text_form)(round % 5), bytes, len);
        CHECK_TRUE(is_harmless(out), "round %d: \"%s\"", round, out);
    }
}

int main(void)
{
    test_rows();
    test_room();
    test_any_bytes();
    return check_end("log_text");
}
