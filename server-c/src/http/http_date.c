/* SPDX-License-Identifier: MIT */
/* http_date.c — computes dates itself and in UTC, so that locale, time zone and the locks of the C
 * library play no part. */
#include "http/http_date.h"

#include <string.h>

#define SECONDS_PER_DAY 86400
#define LAST_SECOND INT64_C(253402300799) /* 9999-12-31 23:59:59 */

static const char day_names[] = "Sun"
                                "Mon"
                                "Tue"
                                "Wed"
                                "Thu"
                                "Fri"
                                "Sat";
static const char month_names[] = "Jan"
                                  "Feb"
                                  "Mar"
                                  "Apr"
                                  "May"
                                  "Jun"
                                  "Jul"
                                  "Aug"
                                  "Sep"
                                  "Oct"
                                  "Nov"
                                  "Dec";

struct date {
    int year, month, day, hour, minute, second; /* month 1–12 */
};

/* Days since 1970-01-01 in the proleptic Gregorian calendar. Years begin in March here, so that the
 * leap day is the last day of its year. */
static int64_t days_from_civil(int64_t year, int month, int day)
{
    int64_t era, year_of_era, day_of_year, day_of_era;

    year -= month <= 2;
    era = (year >= 0 ? year : year - 399) / 400;
    year_of_era = year - era * 400;
    day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void civil_from_days(struct date *date, int64_t days)
{
    int64_t era, day_of_era, year_of_era, day_of_year, shifted_month;

    days += 719468;
    era = days / 146097;
    day_of_era = days - era * 146097;
    year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    shifted_month = (5 * day_of_year + 2) / 153;
    date->day = (int)(day_of_year - (153 * shifted_month + 2) / 5 + 1);
    date->month = (int)(shifted_month + (shifted_month < 10 ? 3 : -9));
    date->year = (int)(year_of_era + era * 400 + (date->month <= 2));
}

static char *put_two(char *out, int value)
{
    *out++ = (char)('0' + value / 10);
    *out++ = (char)('0' + value % 10);
    return out;
}

void http_date_format(char out[HTTP_DATE_LEN + 1], int64_t seconds)
{
    struct date date;
    int64_t days, rest;
    char *pos = out;

    if (seconds < 0)
        seconds = 0;
    if (seconds > LAST_SECOND)
        seconds = LAST_SECOND;
    days = seconds / SECONDS_PER_DAY;
    rest = seconds % SECONDS_PER_DAY;
    civil_from_days(&date, days);
    memcpy(pos, day_names + (days + 4) % 7 * 3, 3);
    memcpy(pos + 3, ", ", 2);
    pos = put_two(pos + 5, date.day);
    *pos++ = ' ';
    memcpy(pos, month_names + (date.month - 1) * 3, 3);
    pos[3] = ' ';
    pos = put_two(pos + 4, date.year / 100);
    pos = put_two(pos, date.year % 100);
    *pos++ = ' ';
    pos = put_two(pos, (int)(rest / 3600));
    *pos++ = ':';
    pos = put_two(pos, (int)(rest / 60 % 60));
    *pos++ = ':';
    pos = put_two(pos, (int)(rest % 60));
    memcpy(pos, " GMT", 5);
}

bool http_date_begins_year(int64_t seconds)
{
    struct date date;

    if (seconds % SECONDS_PER_DAY != 0 || seconds < 0 || seconds > LAST_SECOND)
        return false;
    civil_from_days(&date, seconds / SECONDS_PER_DAY);
    return date.month == 1 && date.day == 1;
}

/* --- reading: each function takes what it expects off the front of `text`, or returns false -- */

static bool take_text(struct span *text, const char *expected)
{
    size_t len = strlen(expected);
    if (text->len < len || memcmp(text->ptr, expected, len) != 0)
        return false;
    text->ptr += len;
    text->len -= len;
    return true;
}

static bool take_number(struct span *text, size_t digits, int *value)
{
    if (text->len < digits)
        return false;
    *value = 0;
    for (size_t i = 0; i < digits; i++) {
        if (text->ptr[i] < '0' || text->ptr[i] > '9')
            return false;
        *value = *value * 10 + (text->ptr[i] - '0');
    }
    text->ptr += digits;
    text->len -= digits;
    return true;
}

static int index_of_name(struct span *text, const char *names, int count)
{
    if (text->len < 3)
        return -1;
    for (int i = 0; i < count; i++)
        if (memcmp(text->ptr, names + i * 3, 3) == 0) {
            text->ptr += 3;
            text->len -= 3;
            return i;
        }
    return -1;
}

static bool take_month(struct span *text, struct date *date)
{
    date->month = index_of_name(text, month_names, 12) + 1;
    return date->month > 0;
}

static bool take_time(struct span *text, struct date *date)
{
    return take_number(text, 2, &date->hour) && take_text(text, ":") &&
           take_number(text, 2, &date->minute) && take_text(text, ":") &&
           take_number(text, 2, &date->second);
}

/* ", 06 Nov 1994 08:49:37 GMT" */
static bool take_fixdate(struct span *text, struct date *date)
{
    return take_text(text, ", ") && take_number(text, 2, &date->day) && take_text(text, " ") &&
           take_month(text, date) && take_text(text, " ") && take_number(text, 4, &date->year) &&
           take_text(text, " ") && take_time(text, date) && take_text(text, " GMT");
}

/* "day, 06-Nov-94 08:49:37 GMT", after the first three letters of the day's long name */
static bool take_rfc850(struct span *text, int weekday, int64_t now, struct date *date)
{
    static const char *const endings[] = {"day", "day", "sday", "nesday", "rsday", "day", "urday"};
    struct date today;

    if (!(take_text(text, endings[weekday]) && take_text(text, ", ") &&
          take_number(text, 2, &date->day) && take_text(text, "-") && take_month(text, date) &&
          take_text(text, "-") && take_number(text, 2, &date->year) && take_text(text, " ") &&
          take_time(text, date) && take_text(text, " GMT")))
        return false;
    /* A date that seems more than 50 years ahead means the most recent past year with the same last
     * two digits (RFC 9110 section 5.6.7). */
    civil_from_days(&today, now / SECONDS_PER_DAY);
    date->year += today.year / 100 * 100;
    if (date->year > today.year + 50)
        date->year -= 100;
    return true;
}

/* " Nov  6 08:49:37 1994" */
static bool take_asctime(struct span *text, struct date *date)
{
    if (!take_text(text, " ") || !take_month(text, date) || !take_text(text, " "))
        return false;
    if (take_text(text, " ") ? !take_number(text, 1, &date->day)
                             : !take_number(text, 2, &date->day))
        return false;
    return take_text(text, " ") && take_time(text, date) && take_text(text, " ") &&
           take_number(text, 4, &date->year);
}

static bool is_valid(const struct date *date)
{
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = date->year % 4 == 0 && (date->year % 100 != 0 || date->year % 400 == 0);
    int days = month_days[date->month - 1] + (leap && date->month == 2);

    return date->day >= 1 && date->day <= days && date->hour <= 23 && date->minute <= 59 &&
           date->second <= 60; /* 60 is a leap second (RFC 9110 section 5.6.7) */
}

bool http_date_parse(struct span text, int64_t now, int64_t *seconds)
{
    struct date date = {0};
    int weekday = index_of_name(&text, day_names, 7);
    bool read;

    if (weekday < 0 || text.len == 0)
        return false;
    if (text.ptr[0] == ',')
        read = take_fixdate(&text, &date);
    else if (text.ptr[0] == ' ')
        read = take_asctime(&text, &date);
    else
        read = take_rfc850(&text, weekday, now, &date);
    if (!read || text.len > 0 || !is_valid(&date))
        return false;
    *seconds = days_from_civil(date.year, date.month, date.day) * SECONDS_PER_DAY +
               date.hour * 3600 + date.minute * 60 + date.second;
    return true;
}
