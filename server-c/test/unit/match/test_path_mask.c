/* SPDX-License-Identifier: MIT */
/* What of a path is hidden, and that what is left is text that can be shown anywhere. */
#include "match/path_mask.c"

#include "check.h"

static const struct row {
    int line;
    const char *patterns[3];
    const char *path, *want;
} rows[] = {
    {__LINE__, {NULL}, "/users/ana", "/users/ana"},
    {__LINE__, {NULL}, "/", "/"},
    {__LINE__, {NULL}, "", ""},
    {__LINE__, {NULL}, "/a/", "/a/"},
    {__LINE__, {"/users/*"}, "/users/ana", "/users/***"},
    {__LINE__, {"/users/*"}, "/users/ana/photos/", "/users/***/photos/"},
    {__LINE__, {"/users/*"}, "/users/", "/users/"},
    {__LINE__, {"/users/*"}, "/users", "/users"},
    {__LINE__, {"/users/*"}, "/user/ana", "/user/ana"},
    {__LINE__, {"/users/*"}, "/Users/ana", "/Users/ana"},
    {__LINE__, {"/users/*/"}, "/users/ana", "/users/***"},
    {__LINE__, {"/users/*"}, "//users//ana", "//users//***"},
    {__LINE__, {"/users/*/orders/*"}, "/users/ana/orders/7/x", "/users/***/orders/***/x"},
    {__LINE__, {"/users/*/orders/*"}, "/users/ana/bills/7", "/users/ana/bills/7"},
    {__LINE__, {"/t-*"}, "/t-secret/a", "/***/a"},
    {__LINE__, {"/t-*"}, "/u-secret/a", "/u-secret/a"},
    {__LINE__, {"/?"}, "/a/b", "/***/b"},
    {__LINE__, {"/private/**"}, "/private/a/b/", "/private/***"},
    {__LINE__, {"/private/**"}, "/private/", "/private/"},
    {__LINE__, {"/**"}, "/a/b/c", "/***"},
    {__LINE__, {"/**/x"}, "/a/b", "/***"},
    {__LINE__, {"/a/*", "/*/b", "/a/b/**"}, "/a/b/c/d", "/***/***/***"},
    {__LINE__, {"/"}, "/a", "/a"},
    {__LINE__, {NULL}, "/a\nb\x1b[2J\x7f", "/a?b?[2J?"},
    {__LINE__, {NULL}, "/\xff\xc3\xa9\xc2\x85", "/?\xc3\xa9?"},
};

static void masks(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[64];
        size_t count = 0;
        while (count < 3 && rows[i].patterns[count])
            count++;
        size_t len = path_mask(out, sizeof(out), (struct span){rows[i].path, strlen(rows[i].path)},
                               (char *const *)(uintptr_t)rows[i].patterns, count);
        CHECK_INT(rows[i].line, "length", len, strlen(rows[i].want));
        CHECK_TRUE(memcmp(out, rows[i].want, len) == 0, "row %d: %.*s", rows[i].line, (int)len,
                   out);
    }
}

/* Cut at every length, it is whole characters and says that it was cut. */
static void cuts(void)
{
    char path[8193], out[8300];
    for (size_t i = 0; i < sizeof(path) - 1; i += 2)
        memcpy(path + i, "\xc3\xa9", 2);
    path[0] = '/';
    path[1] = 'a';
    for (size_t max = 16; max < 300; max++) {
        size_t len = path_mask(out, max, (struct span){path, 8192}, NULL, 0);
        CHECK_TRUE(len <= max && len >= max - 1, "%zu of %zu", len, max);
        CHECK_INT((int)max, "UTF-8", utf8_cut(out, len, len), len);
        CHECK_TRUE(memcmp(out + len - 3, "\xe2\x80\xa6", 3) == 0, "cut at %zu", max);
    }
    CHECK_INT(__LINE__, "fits", path_mask(out, 8192, (struct span){path, 8192}, NULL, 0), 8192);
}

int main(void)
{
    masks();
    cuts();
    return check_end("path_mask");
}
