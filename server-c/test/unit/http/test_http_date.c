/* SPDX-License-Identifier: MIT */
/* The three forms of a date (RFC 9110 section 5.6.7), and a round trip against the C library. */
#include "http/http_date.c"

#include "check.h"

#define NOW INT64_C(1795252483) /* 2026-11-21 */
#define BAD INT64_MIN

static void test_parse(void)
{
    static const struct {
        int line;
        const char *text;
        int64_t want;
    } rows[] = {
        {__LINE__, "Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {__LINE__, "Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
        {__LINE__, "Sun Nov  6 08:49:37 1994", 784111777},
        {__LINE__, "Wed Nov 16 08:49:37 1994", 784975777},
        {__LINE__, "Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {__LINE__, "Thu, 29 Feb 2024 23:59:59 GMT", 1709251199},
        {__LINE__, "Wednesday, 01-Jan-70 00:00:00 GMT", 3155760000}, /* 2070: under 50 years */
        {__LINE__, "Tuesday, 01-Jan-80 00:00:00 GMT", 315532800},    /* 1980: 2080 is over */
        {__LINE__, "Fri, 31 Dec 9999 23:59:59 GMT", INT64_C(253402300799)},
        {__LINE__, "Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
        {__LINE__, "", BAD},
        {__LINE__, "Sun", BAD},
        {__LINE__, "0", BAD},
        {__LINE__, "Sun, 06 Nov 1994 08:49:37", BAD},
        {__LINE__, "Sun, 06 Nov 1994 08:49:37 UTC", BAD},
        {__LINE__, "Sun, 06 Nov 1994 08:49:37 GMT ", BAD},
        {__LINE__, "Sun, 6 Nov 1994 08:49:37 GMT", BAD},
        {__LINE__, "sun, 06 nov 1994 08:49:37 gmt", BAD},
        {__LINE__, "Thu, 30 Feb 2023 00:00:00 GMT", BAD},
        {__LINE__, "Wed, 29 Feb 2023 00:00:00 GMT", BAD},
        {__LINE__, "Thu, 29 Feb 1900 00:00:00 GMT", BAD},
        {__LINE__, "Sun, 00 Nov 1994 08:49:37 GMT", BAD},
        {__LINE__, "Sun, 06 Nov 1994 24:00:00 GMT", BAD},
        {__LINE__, "Sun, 06 Nov 1994 08:60:37 GMT", BAD},
        {__LINE__, "Xun, 06 Nov 1994 08:49:37 GMT", BAD},
        {__LINE__, "Sun, 06 Nix 1994 08:49:37 GMT", BAD},
        {__LINE__, "Sunnyday, 06-Nov-94 08:49:37 GMT", BAD},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int64_t got = BAD;
        bool read = http_date_parse((struct span){rows[i].text, strlen(rows[i].text)}, NOW, &got);
        CHECK_INT(rows[i].line, rows[i].text, got, rows[i].want);
        CHECK_INT(rows[i].line, rows[i].text, read, rows[i].want != BAD);
    }
}

static void test_round_trip(void)
{
    for (int64_t t = 0; t < INT64_C(253402300799); t += INT64_C(86399 * 97)) {
        char text[HTTP_DATE_LEN + 1], want[64];
        int64_t back = BAD;
        time_t seconds = (time_t)t;
        struct tm tm;

        http_date_format(text, t);
        gmtime_r(&seconds, &tm);
        strftime(want, sizeof(want), "%a, %d %b %Y %H:%M:%S GMT", &tm);
        CHECK_STR(__LINE__, "format", text, want);
        http_date_parse((struct span){text, HTTP_DATE_LEN}, NOW, &back);
        CHECK_INT(__LINE__, text, back, t);
    }
}

static void test_clamps(void)
{
    char text[HTTP_DATE_LEN + 1];

    http_date_format(text, -1);
    CHECK_STR(__LINE__, "before 1970", text, "Thu, 01 Jan 1970 00:00:00 GMT");
    http_date_format(text, INT64_MAX);
    CHECK_STR(__LINE__, "after 9999", text, "Fri, 31 Dec 9999 23:59:59 GMT");
}

static void test_new_years(void)
{
    CHECK_TRUE(http_date_begins_year(0), "1970");
    CHECK_TRUE(http_date_begins_year(INT64_C(951782400) - 59 * 86400 + 0), "2000");
    CHECK_TRUE(http_date_begins_year(1735689600), "2025");
    CHECK_TRUE(!http_date_begins_year(1735689601), "a second later");
    CHECK_TRUE(!http_date_begins_year(1735689600 + 86400), "a day later");
    CHECK_TRUE(!http_date_begins_year(1738368000), "February");
    CHECK_TRUE(!http_date_begins_year(INT64_MIN) && !http_date_begins_year(INT64_MAX), "no year");
}

int main(void)
{
    test_parse();
    test_round_trip();
    test_clamps();
    test_new_years();
    return check_end("http_date");
}
