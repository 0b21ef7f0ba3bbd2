/* SPDX-License-Identifier: MIT */
#include "base/path.c"

#include "base/util.h"
#include "check.h"

static void test_folders(void)
{
    static const struct {
        const char *path, *folder;
    } rows[] = {
        {"/srv/a", "/srv"}, {"/srv/www/a", "/srv/www"},
        {"/a", "/"},        {"/", "/"},
        {"/srv/", "/srv"},  {"a", "."},
        {"a/b", "a"},       {"", "."},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *folder = path_folder(rows[i].path);
        CHECK_STR((int)i, rows[i].path, folder, rows[i].folder);
        free(folder);
    }
}

static void test_fixed_parts(void)
{
    static const struct {
        const char *path;
        size_t len;
    } rows[] = {
        {"/srv/www", 8}, {"/srv/{host}/www", 4}, {"/srv/a-{host}", 4},
        {"/{host}", 1},  {"/{host}/{user}", 1},  {"/a{x}", 1},
        {"/", 1},        {"/srv/www/", 9},       {"/srv/www/{host}/", 8},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT((int)i, rows[i].path, path_fixed_len(rows[i].path), rows[i].len);
}

int main(void)
{
    test_folders();
    test_fixed_parts();
    return check_end("path");
}
