/* SPDX-License-Identifier: MIT */
/* The folder of a place: the values of variables, what can't name a folder, and whose links are
 * trusted on the way to it. */
#include "files/file_place.c"

#include "check.h"

#include <fcntl.h>
#include <stdlib.h>

static void test_expand(void)
{
    static const struct {
        int line;
        const char *folder, *variable;
        const char *want; /* NULL: refused */
        const char *trusted;
    } rows[] = {
        {__LINE__, "/srv/{host}", "www.example.org", "/srv/www.example.org", NULL},
        {__LINE__, "/srv/{host}/htdocs", "example.org", "/srv/example.org/htdocs", NULL},
        {__LINE__, "/srv/{host1}/{host2}/x", "www.example.org", "/srv/org/example/x", NULL},
        {__LINE__, "/srv/{host3}{host1}", "www.example.org", "/srv/wwworg", NULL},
        {__LINE__, "/srv/{host1}", "localhost", "/srv/localhost", NULL},
        {__LINE__, "/srv/{host2}", "localhost", NULL, NULL},
        {__LINE__, "/srv/{host4}", "www.example.org", NULL, NULL},
        {__LINE__, "/srv/{host999}", "www.example.org", NULL, NULL},
        {__LINE__, "/srv/{host0}", "a", "/srv/{host0}", NULL},
        {__LINE__, "/srv/{host", "a", "/srv/{host", NULL},
        {__LINE__, "/srv/{hostel}", "a", "/srv/{hostel}", NULL},
        {__LINE__, "/srv/{}", "a", "/srv/{}", NULL},
        {__LINE__, "/home/{user}/public_html", "ada", "/home/ada/public_html", "/home/ada"},
        {__LINE__, "/home/{user}/", "ada", "/home/ada/", "/home/ada"},
        {__LINE__, "/home/{user}", "ada", "/home/ada", NULL},
        {__LINE__, "/home/{user}.d/www/x", "ada", "/home/ada.d/www/x", "/home/ada.d"},
        {__LINE__, "/srv/{host}", "", NULL, NULL},
        {__LINE__, "/srv/{host}", "..", NULL, NULL},
        {__LINE__, "/srv/{host}", ".", NULL, NULL},
        {__LINE__, "/srv/{host}", ".hidden", NULL, NULL},
        {__LINE__, "/srv/{host}", "a/b", NULL, NULL},
        {__LINE__, "/srv/{host1}", "a..", NULL, NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct file_place place = {.folder = rows[i].folder, .is_template = true};
        struct span variable = {rows[i].variable, strlen(rows[i].variable)};
        const char *trusted = rows[i].trusted ? rows[i].trusted : rows[i].want;
        struct file_folder folder;
        int err = file_place_expand(&folder, &place, variable);

        CHECK_INT(rows[i].line, rows[i].folder, err, rows[i].want ? 0 : UV_ENOENT);
        if (err)
            continue;
        CHECK_STR(rows[i].line, rows[i].folder, folder.path, rows[i].want);
        CHECK_INT(rows[i].line, rows[i].folder, folder.trusted_len, strlen(trusted));
    }
}

static void test_plain(void)
{
    const struct file_place place = {.folder = "/srv/{host}"};
    struct file_folder folder;

    CHECK_INT(__LINE__, "plain", file_place_expand(&folder, &place, (struct span){0}), 0);
    CHECK_STR(__LINE__, "no template", folder.path, "/srv/{host}");
    CHECK_INT(__LINE__, "the operator's", folder.trusted_len, 11);
}

static void test_bounds(void)
{
    static char longest[PATH_MAX + 300], variable[255];
    struct file_place place = {.folder = longest};
    struct file_folder folder;

    memset(longest, 'x', PATH_MAX);
    longest[0] = '/';
    CHECK_INT(__LINE__, "plain", file_place_expand(&folder, &place, (struct span){0}),
              UV_ENAMETOOLONG);
    longest[PATH_MAX - 1] = '\0';
    CHECK_INT(__LINE__, "just fits", file_place_expand(&folder, &place, (struct span){0}), 0);
    memset(variable, 'v', sizeof(variable));
    strcpy(longest + PATH_MAX - 200, "{host}");
    place.is_template = true;
    CHECK_INT(__LINE__, "expanded",
              file_place_expand(&folder, &place, (struct span){variable, sizeof(variable)}),
              UV_ENAMETOOLONG);
    CHECK_INT(__LINE__, "to the last byte",
              file_place_expand(&folder, &place, (struct span){variable, 199}), 0);
    CHECK_INT(__LINE__, "one more",
              file_place_expand(&folder, &place, (struct span){variable, 200}), UV_ENAMETOOLONG);
}

/* What a user puts in place of public_html is under the policy; the path to the home is not. */
static void test_user_folder(void)
{
    static char base[] = "/tmp/farmstead-place-XXXXXX";
    static const struct {
        int line;
        const char *user;
        enum config_symlinks policy;
        bool opens;
    } rows[] = {
        {__LINE__, "ada", SYMLINKS_NEVER, true},
        {__LINE__, "linked", SYMLINKS_NEVER, true},
        {__LINE__, "eve", SYMLINKS_NEVER, false},
        {__LINE__, "eve", SYMLINKS_WITHIN_ROOT, false},
        {__LINE__, "eve", SYMLINKS_ANY, true},
        {__LINE__, "bob", SYMLINKS_NEVER, false},
        {__LINE__, "bob", SYMLINKS_WITHIN_ROOT, true},
        {__LINE__, "nobody", SYMLINKS_ANY, false},
    };
    char folder[64], command[512];

    if (!mkdtemp(base))
        exit(1);
    snprintf(command, sizeof(command),
             "cd %s && mkdir -p ada/public_html eve bob/site && ln -s ada linked && "
             "ln -s / eve/public_html && ln -s site bob/public_html",
             base);
    CHECK_INT(__LINE__, "tree", system(command), 0);
    snprintf(folder, sizeof(folder), "%s/{user}/public_html", base);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config_site site = {.symlinks = rows[i].policy};
        const struct file_place place = {.site = &site, .folder = folder, .is_template = true};
        int fd = file_place_open(&place, (struct span){rows[i].user, strlen(rows[i].user)});

        CHECK_INT(rows[i].line, rows[i].user, fd >= 0, rows[i].opens);
        if (fd >= 0)
            close(fd);
    }
    snprintf(command, sizeof(command), "rm -rf %s", base);
    CHECK_INT(__LINE__, "clean up", system(command), 0);
}

int main(void)
{
    test_expand();
    test_plain();
    test_bounds();
    test_user_folder();
    return check_end("file_place");
}
