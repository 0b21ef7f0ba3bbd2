/* SPDX-License-Identifier: MIT */
#include "base/utf8.c"

#include "base/util.h"

#include "check.h"

static void test_every_code_point(void)
{
    int wrong = 0;

    for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point++) {
        char bytes[4];
        size_t len;

        if (code_point >= 0xd800 && code_point < 0xe000)
            continue;
        len = utf8_encode(bytes, code_point);
        for (size_t cut = 0; cut < len; cut++)
            wrong += utf8_sequence_len(bytes, cut) != 0;
        wrong += utf8_sequence_len(bytes, len) != len;
        wrong += utf8_decode(bytes, len) != code_point;
        wrong += utf8_count(bytes, len) != 1;
    }
    CHECK_INT(__LINE__, "code points that don't come back", wrong, 0);
}

/* The Unicode standard has 1,112,064 scalar values: if one more sequence were accepted, it would be
 * a wrong one. */
static void test_nothing_else_is_taken(void)
{
    long taken = 0;

    for (uint32_t first = 0; first < 256; first++) {
        char bytes[4] = {(char)first, (char)0x80, (char)0x80, (char)0x80};

        if (first < 0x80 && utf8_sequence_len(bytes, 4) == 1) {
            taken++;
            continue;
        }
        for (uint32_t second = 0; second < 256; second++) {
            bytes[1] = (char)second;
            switch (utf8_sequence_len(bytes, 4)) {
            case 2:
                taken += 1;
                break;
            case 3:
                taken += 64;
                break;
            case 4:
                taken += 64 * 64;
                break;
            default:
                break;
            }
        }
    }
    CHECK_INT(__LINE__, "sequences taken", taken, 0x110000 - 0x800);
}

static void test_rows(void)
{
    static const struct {
        int line;
        const char *name, *bytes;
        size_t want;
    } rows[] = {
        {__LINE__, "continuation alone", "\x80", 0},
        {__LINE__, "overlong slash", "\xc0\xaf", 0},
        {__LINE__, "overlong in three", "\xe0\x9f\xbf", 0},
        {__LINE__, "surrogate", "\xed\xa0\x80", 0},
        {__LINE__, "overlong in four", "\xf0\x8f\xbf\xbf", 0},
        {__LINE__, "above U+10FFFF", "\xf4\x90\x80\x80", 0},
        {__LINE__, "third byte is none", "\xe2\x82-", 0},
        {__LINE__, "fourth byte is none", "\xf0\x9f\x98-", 0},
        {__LINE__, "ASCII", "a", 1},
        {__LINE__, "euro sign, more behind", "\xe2\x82\xac!", 3},
    };
    static const struct {
        int line;
        const char *bytes;
        size_t max, want;
    } cuts[] = {
        {__LINE__, "short", 5, 5},         {__LINE__, "shorter", 5, 5},
        {__LINE__, "a\xe2\x82\xac", 4, 4}, {__LINE__, "a\xe2\x82\xac", 3, 1},
        {__LINE__, "a\xe2\x82\xac", 2, 1}, {__LINE__, "a\xe2\x82\xac", 1, 1},
        {__LINE__, "\xe2\x82\xac", 2, 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].name,
                  utf8_sequence_len(rows[i].bytes, strlen(rows[i].bytes)), rows[i].want);
    for (size_t i = 0; i < ARRAY_LEN(cuts); i++)
        CHECK_INT(cuts[i].line, cuts[i].bytes,
                  utf8_cut(cuts[i].bytes, strlen(cuts[i].bytes), cuts[i].max), cuts[i].want);
    CHECK_INT(__LINE__, "characters, not bytes", utf8_count("a\xc3\xa9\xf0\x9f\x8c\xbb", 7), 3);
}

int main(void)
{
    test_every_code_point();
    test_nothing_else_is_taken();
    test_rows();
    return check_end("utf8");
}
