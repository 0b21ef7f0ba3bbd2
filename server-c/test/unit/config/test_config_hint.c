/* SPDX-License-Identifier: MIT */
#include "config/config_hint.c"

#include "check.h"

static void test_keys(void)
{
    static const struct {
        int line;
        const char *name, *want;
    } rows[] = {
        {__LINE__, "worker", "did you mean \"workers\"?"},
        {__LINE__, "wrokers", "did you mean \"workers\"?"},
        {__LINE__, "Limits", "did you mean \"limits\"?"},
        {__LINE__, "access_log", "did you mean \"accessLog\"?"},
        {__LINE__, "mime-types", "did you mean \"mimeTypes\"?"},
        {__LINE__, "site", "did you mean \"sites\"?"},
        {__LINE__, "oi", "did you mean \"io\"?"},
        {__LINE__, "root", "that is sites[].root here"},
        {__LINE__, "headerSeconds", "that is limits.headerSeconds here"},
        {__LINE__, "server.document-root", "that is sites[].root here"},
        {__LINE__, "server.max-worker", "that is workers here"},
        {__LINE__, "mimetype.assign", "that is mimeTypes here"},
        {__LINE__, "proxy", ""},
        {__LINE__, "", ""},
        {__LINE__, "x", ""},
        {__LINE__, "workersworkersworkersworkersworkersworkers", ""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct buf out;

        buf_init(&out);
        config_hint_key(&out, config_table, rows[i].name);
        CHECK_STR(rows[i].line, rows[i].name, out.data, rows[i].want);
        buf_fini(&out);
    }
}

static void test_words(void)
{
    static const char *const words[] = {"error", "warn", "info", "debug", NULL};
    static const struct {
        int line;
        const char *word, *want;
    } rows[] = {
        {__LINE__, "ERROR", "did you mean \"error\"?"},
        {__LINE__, "wran", "did you mean \"warn\"?"},
        {__LINE__, "debgu", "did you mean \"debug\"?"},
        {__LINE__, "trace", ""},
        {__LINE__, "", ""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct buf out;

        buf_init(&out);
        config_hint_word(&out, words, rows[i].word);
        CHECK_STR(rows[i].line, rows[i].word, out.data, rows[i].want);
        buf_fini(&out);
    }
}

int main(void)
{
    test_keys();
    test_words();
    return check_end("config_hint");
}
