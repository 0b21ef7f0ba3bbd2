/* SPDX-License-Identifier: MIT */
/* Lines and columns as editors count them. */
#include "base/text_pos.c"

#include "base/util.h"
#include "check.h"

static void test_places(void)
{
    static const struct {
        const char *name, *text;
        uint32_t line, column; /* behind all of it */
        size_t steps;
    } rows[] = {
        {"nothing", "", 1, 1, 0},
        {"letters", "abc", 1, 4, 3},
        {"LF", "a\nb", 2, 2, 3},
        {"CR", "a\rb", 2, 2, 3},
        {"CR LF is one end", "a\r\nb", 2, 2, 4},
        {"CR LF at the end", "a\r\n", 2, 1, 3},
        {"LF CR are two", "a\n\rb", 3, 2, 4},
        {"CR CR LF are two", "\r\r\n", 3, 1, 3},
        {"a tab is one", "\t\tx", 1, 4, 3},
        {"two bytes are one", "\xc3\xa9x", 1, 3, 2},
        {"three bytes are one", "\xe2\x82\xacx", 1, 3, 2},
        {"four bytes are a surrogate pair", "\xf0\x9f\x8c\xbbx", 1, 4, 2},
        {"a combining mark is one of its own", "e\xcc\x81", 1, 3, 2},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct text_pos pos = TEXT_POS_START;
        size_t len = strlen(rows[i].text), steps = 0;
        while (text_pos_step(&pos, rows[i].text, len))
            steps++;
        CHECK_INT((int)i, rows[i].name, pos.offset, len);
        CHECK_INT((int)i, rows[i].name, pos.line, rows[i].line);
        CHECK_INT((int)i, rows[i].name, pos.column, rows[i].column);
        CHECK_INT((int)i, rows[i].name, steps, rows[i].steps);
    }
}

/* It stays before bytes that are no character, cut ones too, and reads none behind the end. */
static void test_where_it_stops(void)
{
    static const struct {
        const char *name, *text;
        size_t len, stops_at;
        uint32_t line;
    } rows[] = {
        {"a lone byte",
         "ab\x80"
         "c",
         4, 2, 1},
        {"one that is cut", "a\xe2\x82\xac", 3, 1, 1},
        {"a surrogate", "a\xed\xa0\x80", 4, 1, 1},
        {"too long a form", "\xc0\xaf", 2, 0, 1},
        {"its end is before the text's", "a\r\n", 2, 2, 2},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct text_pos pos = TEXT_POS_START;
        while (text_pos_step(&pos, rows[i].text, rows[i].len))
            ;
        CHECK_INT((int)i, rows[i].name, pos.offset, rows[i].stops_at);
        CHECK_INT((int)i, rows[i].name, pos.line, rows[i].line);
    }
}

int main(void)
{
    test_places();
    test_where_it_stops();
    return check_end("text_pos");
}
