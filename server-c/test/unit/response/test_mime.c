/* SPDX-License-Identifier: MIT */
/* Types by suffix; mime.def must be sorted. */
#include "response/mime.c"

#include "check.h"

static const char *text_of(struct mime_type type)
{
    static char text[256];

    snprintf(text, sizeof(text), "%s%s%s", type.name, type.charset ? "; charset=" : "",
             type.charset ? type.charset : "");
    return text;
}

static char *writable(const char *text)
{
    return (char *)(uintptr_t)text;
}

static void test_types(void)
{
    static struct config_mime configured[2];
    static const struct {
        int line;
        const char *path, *want;
    } rows[] = {
        {__LINE__, "/a.css", "text/css; charset=utf-8"},
        {__LINE__, "/a.CSS", "text/css; charset=utf-8"},
        {__LINE__, "/a.html", "text/x-own"}, /* the config's are sent as written */
        {__LINE__, "/a.htm", "text/html; charset=utf-8"},
        {__LINE__, "/a.js", "text/javascript; charset=utf-8"},
        {__LINE__, "/a.json", "application/json"},
        {__LINE__, "/a.xml", "application/xml"},
        {__LINE__, "/a.tar.gz", "application/x-tgz"},
        {__LINE__, "/a.b.gz", "application/gzip"},
        {__LINE__, "/dir.css/file", "application/octet-stream"},
        {__LINE__, "index.png", "image/png"},
        {__LINE__, "/a", "application/octet-stream"},
        {__LINE__, "/a.", "application/octet-stream"},
        {__LINE__, "/a.thisisasuffixlongerthananyweknow", "application/octet-stream"},
    };
    struct config cfg = {.mimes = configured, .mime_count = 2};

    configured[0] = (struct config_mime){writable(".html"), writable("text/x-own")};
    configured[1] = (struct config_mime){writable(".tar.gz"), writable("application/x-tgz")};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_STR(rows[i].line, rows[i].path,
                  text_of(mime_type(&cfg, (struct span){rows[i].path, strlen(rows[i].path)})),
                  rows[i].want);
}

static void test_codings(void)
{
    static const struct {
        int line;
        const char *path, *type, *want; /* want: NULL: no coding */
    } rows[] = {
        {__LINE__, "/a.svgz", "image/svg+xml", "gzip"},
        {__LINE__, "/a.SVGZ", "image/svg+xml", "gzip"},
        {__LINE__, "/a.svgz", "application/gzip", NULL},
        {__LINE__, "/a.svg", "image/svg+xml", NULL},
        {__LINE__, "/a.svgz/b", "image/svg+xml", NULL},
        {__LINE__, ".svgz", "image/svg+xml", NULL},
        {__LINE__, "/a.tgz", "application/gzip", NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *got = mime_coding((struct mime_type){rows[i].type, NULL},
                                      (struct span){rows[i].path, strlen(rows[i].path)});
        CHECK_STR(rows[i].line, rows[i].path, got ? got : "none",
                  rows[i].want ? rows[i].want : "none");
    }
}

static void test_options(void)
{
    struct config cfg = {.default_type = writable("text/plain"), .charset = writable("koi8-r")};

    CHECK_STR(__LINE__, "default", text_of(mime_type(&cfg, (struct span){"/a", 2})), "text/plain");
    CHECK_STR(__LINE__, "charset", text_of(mime_type(&cfg, (struct span){"/a.txt", 6})),
              "text/plain; charset=koi8-r");
    cfg.charset = writable("");
    CHECK_STR(__LINE__, "none", text_of(mime_type(&cfg, (struct span){"/a.txt", 6})), "text/plain");
}

static void test_table(void)
{
    for (size_t i = 0; i < ARRAY_LEN(builtin); i++) {
        CHECK_TRUE(!strchr(builtin[i].type, ';'), "mime.def: %s has parameters", builtin[i].suffix);
        CHECK_TRUE(i == 0 || strcmp(builtin[i - 1].suffix, builtin[i].suffix) < 0,
                   "mime.def: %s is not in its place", builtin[i].suffix);
    }
}

int main(void)
{
    test_types();
    test_codings();
    test_options();
    test_table();
    return check_end("mime");
}
