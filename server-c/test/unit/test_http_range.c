/* SPDX-License-Identifier: MIT */
/* Range against sizes (RFC 9110 section 14.1.2). */
#include "http_range.c"

#include "check.h"

#define GIB (UINT64_C(1) << 30)

int main(void)
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
        {__LINE__, "bytes=0-", 0, HTTP_RANGE_NEVER, 0, 0},
        {__LINE__, "bytes=-1", 0, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=3-2", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=0-1,3-4", 10, HTTP_RANGE_WHOLE, 0, 0},
        {__LINE__, "bytes=-1,0-", 10, HTTP_RANGE_WHOLE, 0, 0},
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
        uint64_t offset = 0, length = 0;
        struct span value = {rows[i].value, strlen(rows[i].value)};
        CHECK_INT(rows[i].line, rows[i].value,
                  http_range_parse(value, rows[i].size, &offset, &length), rows[i].want);
        CHECK_INT(rows[i].line, rows[i].value, offset, rows[i].offset);
        CHECK_INT(rows[i].line, rows[i].value, length, rows[i].length);
    }
    return check_end("http_range");
}
