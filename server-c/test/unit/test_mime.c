/* SPDX-License-Identifier: MIT */
/* Suffixes to types; mime.def must be sorted. */
#include "mime.c"

#include "check.h"

int main(void)
{
    static struct config_mime configured[] = {
        {(char *)(uintptr_t) ".html", (char *)(uintptr_t) "text/x-own"},
        {(char *)(uintptr_t) ".tar.gz", (char *)(uintptr_t) "application/x-tgz"},
    };
    static const struct {
        int line;
        const char *path, *want;
    } rows[] = {
        {__LINE__, "/a.css", "text/css; charset=utf-8"},
        {__LINE__, "/a.CSS", "text/css; charset=utf-8"},
        {__LINE__, "/a.html", "text/x-own"},
        {__LINE__, "/a.htm", "text/html; charset=utf-8"},
        {__LINE__, "/a.tar.gz", "application/x-tgz"},
        {__LINE__, "/a.b.gz", "application/gzip"},
        {__LINE__, "/dir.css/file", "application/octet-stream"},
        {__LINE__, "index.png", "image/png"},
        {__LINE__, "/a", "application/octet-stream"},
        {__LINE__, "/a.", "application/octet-stream"},
        {__LINE__, "/a.thisisasuffixlongerthananyweknow", "application/octet-stream"},
    };
    struct config cfg = {.mimes = configured, .mime_count = 2};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_STR(rows[i].line, rows[i].path,
                  mime_type(&cfg, (struct span){rows[i].path, strlen(rows[i].path)}), rows[i].want);
    for (size_t i = 1; i < ARRAY_LEN(builtin); i++)
        CHECK_TRUE(strcmp(builtin[i - 1].suffix, builtin[i].suffix) < 0,
                   "mime.def: %s stands before %s", builtin[i - 1].suffix, builtin[i].suffix);
    return check_end("mime");
}
