/* SPDX-License-Identifier: MIT */
/* Text that is filled in can end neither its quotes nor its line; the rest is as printf writes
 * it. */
#include "log/log_format.c"

#include "check.h"

#include <inttypes.h>
#include <sys/types.h>

static char out[200];

static const char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));

static const char *format(const char *text, ...)
{
    va_list args;

    va_start(args, text);
    size_t len = log_format(out, sizeof(out), text, args);
    va_end(args);
    CHECK_INT(__LINE__, text, len, strlen(out));
    return out;
}

/* Compared with printf, which has no texts to escape here. */
#define SAME(...)                                                                                  \
    do {                                                                                           \
        char want[200];                                                                            \
        snprintf(want, sizeof(want), __VA_ARGS__);                                                 \
        CHECK_STR(__LINE__, "as printf", format(__VA_ARGS__), want);                               \
    } while (0)

static void test_numbers(void)
{
    SAME("%d %i %u %x", -5, 7, 4000000000U, 255U);
    SAME("%ld %lu %zu %llu", -5L, ~0UL, (size_t)7, ~0ULL);
    SAME("%" PRIu64 " %" PRId64 " %" PRIu32, UINT64_MAX, INT64_MIN, UINT32_MAX);
    SAME("%03d|%-5d|%5u|%04x", 7, 7, 7U, 10U);
    SAME("100 %% of %c", 'x');
    SAME("%d:%s:%d:%.*s:%u", 1, "two", 3, 2, "four", 5U);
    SAME("nothing");
}

static void test_texts(void)
{
    CHECK_STR(__LINE__, "a line end", format("a %s b", "x\ny"), "a x\\x0ay b");
    CHECK_STR(__LINE__, "quotes between quotes", format("\"%s\" is", "a\" is \"b"),
              "\"a\\\" is \\\"b\" is");
    CHECK_STR(__LINE__, "quotes elsewhere", format("%s: no", "can't open \"b\""),
              "can't open \"b\": no");
    CHECK_STR(__LINE__, "a backslash", format("%s", "\\x0a"), "\\\\x0a");
    CHECK_STR(__LINE__, "our own quotes", format("\"x\": %s", "y"), "\"x\": y");
    CHECK_STR(__LINE__, "a part", format("\"%.*s\"", 2, "a\"b"), "\"a\\\"\"");
    CHECK_STR(__LINE__, "a character", format("found %c", '\x1b'), "found \\x1b");
}

static void fill(char *to, size_t cap, const char *text, ...) __attribute__((format(printf, 3, 4)));

static void fill(char *to, size_t cap, const char *text, ...)
{
    va_list args;

    va_start(args, text);
    log_format(to, cap, text, args);
    va_end(args);
}

static void test_room(void)
{
    char text[8];

    fill(text, sizeof(text), "abcdefghij%s", "k");
    CHECK_STR(__LINE__, "cut", text, "abcdefg");
    fill(text, sizeof(text), "abcde%s", "\n");
    CHECK_STR(__LINE__, "an escape is whole or not there", text, "abcde");
    fill(text, sizeof(text), "abcde%d", 12345);
    CHECK_STR(__LINE__, "a number is cut", text, "abcde12");
}

int main(void)
{
    test_numbers();
    test_texts();
    test_room();
    return check_end("log_format");
}
