/* SPDX-License-Identifier: MIT */
/* Values of Range with sizes of files (RFC 9110 section 14.1.2). */
#include "http/http_range.c"

#include "check.h"

#define GIB (UINT64_C(1) << 30)

static void test_one_range(void)
{
    static const struct {
        int line;
        const char *value;
        uint64_t size;
        enum http_range want;
        uint64_t offset, length;
    } rows[] = {
        {__LINE__, "bytes=0-0", 10, HTTP_RANGE_PART, 0, 1},
        {__LINE__, "bytes=0-9", 10, HTTP_RANGE_PART, 0, 10},
        {__LINE__, "bytes=2-", 10, HTTP_RANGE_PART, 2, 8},
        {__LINE__, "bytes=9-", 10, HTTP_RANGE_PART, 9, 1},
        {__LINE__, "bytes=5-99", 10, HTTP_RANGE_PART, 5, 5},
        {__LINE__, "bytes=5-99999999999999999999999", 10, HTTP_RANGE_PART, 5, 5},
        {__LINE__, "BYTES=1-2", 10, HTTP_RANGE_PART, 1, 2},
        {__LINE__, "bytes=-3", 10, HTTP_RANGE_PART, 7, 3},
        {__LINE__, "bytes=-99", 10, HTTP_RANGE_PART, 0, 10},
        {__LINE__, "bytes=-99999999999999999999999", 10, HTTP_RANGE_PART, 0, 10},
        {__LINE__, "bytes=5368709119-", 5 * GIB, HTTP_RANGE_PART, 5 * GIB - 1, 1},
        {__LINE__, "bytes=4294967296-4294967297", 5 * GIB, HTTP_RANGE_PART, 4 * GIB, 2},
        {__LINE__, "bytes=10-", 10, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=10-11", 10, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=99999999999999999999999-", 10, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=-0", 10, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=0-", 0, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=0-1048575", 0, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=0-0", 0, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=1-", 0, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=5-,0-", 0, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=5-,9-", 0, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=-0", 0, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=-1", 0, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=3-2", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=20-,3-4,-0", 10, HTTP_RANGE_PART, 3, 2}, /* the one that is left */
        {__LINE__, "bytes=,, ,1-2 ,\t,", 10, HTTP_RANGE_PART, 1, 2},
        {__LINE__, "bytes=20-21,30-", 10, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=0-,-5", 0, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=0-1,x", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=0-1,3-2", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=20-,1", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=0-1;2-3", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=0- 1", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes= 0-1", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=,", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=, ,", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=-", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=--1", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=1", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=1-x", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=1-2 ", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes = 1-2", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "lines=1-2", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "", 10, HTTP_RANGE_WHOLE, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_ranges ranges;
        struct span value = {rows[i].value, strlen(rows[i].value)};
        CHECK_INT(rows[i].line, rows[i].value, http_range_parse(value, rows[i].size, &ranges),
                  rows[i].want);
        CHECK_INT(rows[i].line, rows[i].value, ranges.count, rows[i].want == HTTP_RANGE_PART);
        if (ranges.count == 0)
            continue;
        CHECK_INT(rows[i].line, rows[i].value, ranges.items[0].offset, rows[i].offset);
        CHECK_INT(rows[i].line, rows[i].value, ranges.items[0].length, rows[i].length);
    }
}

/* Writes each range as "offset+length ". */
static const char *text_of(const struct http_ranges *ranges)
{
    static char text[1024];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < ranges->count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%" PRIu64 "+%" PRIu64 " ",
                                ranges->items[i].offset, ranges->items[i].length);
    return text;
}

#define R4 "0-0,2-2,4-4,6-6,"

static void test_several_ranges(void)
{
    static const struct {
        int line;
        const char *value, *want; /* "": the whole file */
    } rows[] = {
        {__LINE__, "bytes=0-1,3-4", "0+2 3+2 "},
        {__LINE__, "bytes=50-59,0-0,-1", "50+10 0+1 99+1 "},
        {__LINE__, "bytes=0-0 ,\t2-2,,4-", "0+1 2+1 4+96 "},
        {__LINE__, "bytes=0-9,200-,20-29", "0+10 20+10 "},
        {__LINE__, "bytes=0-0,0-0", "0+1 0+1 "},
        {__LINE__, "bytes=0-9,9-19,19-29", "0+10 9+11 19+11 "},
        {__LINE__, "bytes=0-9,9-19,19-29,29-39", ""},
        {__LINE__, "bytes=0-,0-,0-", ""},
        {__LINE__, "bytes=0-9,10-19,20-29,30-39", "0+10 10+10 20+10 30+10 "}, /* adjacent */
        {__LINE__, "bytes=" R4 R4, ""},
        {__LINE__,
         "bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16,18-18,20-20,22-22,24-24,26-26,"
         "28-28,30-30",
         "0+1 2+1 4+1 6+1 8+1 10+1 12+1 14+1 16+1 18+1 20+1 22+1 24+1 26+1 28+1 30+1 "},
        {__LINE__,
         "bytes=32-32,0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16,18-18,20-20,22-22,24-24,26-26,"
         "28-28,30-30",
         ""}, /* seventeen that go back */
        {__LINE__,
         "bytes=200-,201-,202-,203-,204-,205-,206-,207-,208-,209-,210-,211-,212-,213-,"
         "214-,215-,0-0",
         "0+1 "}, /* the one that is left is in order */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_ranges ranges;
        struct span value = {rows[i].value, strlen(rows[i].value)};
        CHECK_INT(rows[i].line, rows[i].value, http_range_parse(value, 100, &ranges),
                  rows[i].want[0] ? HTTP_RANGE_PART : HTTP_RANGE_WHOLE);
        CHECK_STR(rows[i].line, rows[i].value, text_of(&ranges), rows[i].want);
    }
}

/* "bytes=0-0,2-2, …" of `count` ranges, the last of them replaced by `last`. */
static struct span many_ranges(size_t count, const char *last)
{
    static char text[8192];
    size_t len = (size_t)snprintf(text, sizeof(text), "bytes=");

    for (size_t i = 0; i + 1 < count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%zu-%zu,", 2 * i, 2 * i);
    len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", last);
    return (struct span){text, len};
}

static void test_many_ranges(void)
{
    static const struct {
        int line;
        size_t count;
        const char *last;
        size_t want; /* 0: the whole file */
    } rows[] = {
        {__LINE__, 17, "9000-", 17},
        {__LINE__, 200, "9000-", 200},
        {__LINE__, HTTP_RANGES_MAX, "9000-", HTTP_RANGES_MAX},
        {__LINE__, HTTP_RANGES_MAX + 1, "9000-", 0},
        {__LINE__, 200, "397-", 200}, /* adjacent to the one before */
        {__LINE__, 200, "396-", 0},   /* overlaps it */
        {__LINE__, 200, "1-1", 0},    /* goes back */
        {__LINE__, 200, "-1", 200},   /* a suffix has its place as well */
        {__LINE__, 200, "0-", 0},
        {__LINE__, 200, "20000-", 199}, /* left out */
        {__LINE__, 16, "1-1", 16},      /* few may go back */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct http_ranges ranges;
        struct span value = many_ranges(rows[i].count, rows[i].last);
        CHECK_INT(rows[i].line, rows[i].last, http_range_parse(value, 10000, &ranges),
                  rows[i].want ? HTTP_RANGE_PART : HTTP_RANGE_WHOLE);
        CHECK_INT(rows[i].line, rows[i].last, ranges.count, rows[i].want);
    }
}

int main(void)
{
    test_one_range();
    test_several_ranges();
    test_many_ranges();
    return check_end("http_range");
}
