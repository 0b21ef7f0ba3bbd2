/* SPDX-License-Identifier: MIT */
#include "base/buf.c"

#include "check.h"

static void test_empty_is_a_string(void)
{
    struct buf buf;

    buf_init(&buf);
    CHECK_STR(__LINE__, "never written", buf.data, "");
    buf_clear(&buf);
    buf_append(&buf, NULL, 0);
    CHECK_INT(__LINE__, "still without memory", buf.cap, 0);
    char *taken = buf_take(&buf);
    CHECK_STR(__LINE__, "taken", taken, "");
    free(taken);
    buf_fini(&buf);
}

static void test_appends_keep_every_byte(void)
{
    struct buf buf;

    buf_init(&buf);
    for (int i = 0; i < 10000; i++)
        buf_append_char(&buf, (char)('a' + i % 26));
    CHECK_INT(__LINE__, "length", buf.len, 10000);
    int wrong = 0;
    for (size_t i = 0; i < buf.len; i++)
        wrong += buf.data[i] != (char)('a' + i % 26);
    CHECK_INT(__LINE__, "wrong bytes", wrong, 0);
    CHECK_INT(__LINE__, "NUL behind", buf.data[buf.len], 0);
    buf_fini(&buf);
}

/* Lengths around the first capacity: the NUL must fit too. */
static void test_printf_at_each_length(void)
{
    for (int width = 0; width < 140; width++) {
        struct buf buf;

        buf_init(&buf);
        buf_append_str(&buf, "x");
        buf_printf(&buf, "%*s", width, "");
        CHECK_INT(__LINE__, "length", buf.len, 1 + width);
        CHECK_INT(__LINE__, "NUL behind", strlen(buf.data), 1 + width);
        buf_fini(&buf);
    }
}

static void test_consume_truncate_take(void)
{
    struct buf buf;

    buf_init(&buf);
    buf_append_str(&buf, "GET / HTTP/1.1");
    buf_consume(&buf, 4);
    CHECK_STR(__LINE__, "first bytes gone", buf.data, "/ HTTP/1.1");
    buf_truncate(&buf, 1);
    CHECK_STR(__LINE__, "last bytes gone", buf.data, "/");
    memcpy(buf_reserve(&buf, 200), "abc", 3);
    buf_advance(&buf, 3);
    char *taken = buf_take(&buf);
    CHECK_STR(__LINE__, "taken", taken, "/abc");
    CHECK_INT(__LINE__, "empty afterwards", buf.len, 0);
    free(taken);
    buf_fini(&buf);
}

int main(void)
{
    test_empty_is_a_string();
    test_appends_keep_every_byte();
    test_printf_at_each_length();
    test_consume_truncate_take();
    return check_end("buf");
}
