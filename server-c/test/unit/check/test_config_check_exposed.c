/* SPDX-License-Identifier: MIT */
#include "check/config_check_exposed.c"

#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

/* A folder of the test's own, removed at the end. */
static char folder[] = "/tmp/farmstead-exposed-XXXXXX";

static const char *const folders[] = {"www",   "www/.git", "www/.well-known",
                                      "hosts", "etc",      "icons"};
static const char *const files[] = {"www/key",   "www/.git/key", "www/.well-known/key",
                                    "hosts/key", "etc/key",      "icons/key"};

static const char *in_folder(const char *name)
{
    static char path[96];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void make_tree(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        CHECK_INT(__LINE__, folders[i], mkdir(in_folder(folders[i]), 0755), 0);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        FILE *file = fopen(in_folder(files[i]), "w");

        CHECK_TRUE(file != NULL, "%s", files[i]);
        if (file != NULL)
            fclose(file);
    }
    CHECK_INT(__LINE__, "link", symlink("www/key", in_folder("led-in")), 0);
    CHECK_INT(__LINE__, "link", symlink("www", in_folder("current")), 0);
}

static void remove_tree(void)
{
    remove(in_folder("led-in"));
    remove(in_folder("current"));
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        remove(in_folder(files[i]));
    for (size_t i = sizeof(folders) / sizeof(*folders); i > 0; i--)
        CHECK_INT(__LINE__, folders[i - 1], rmdir(in_folder(folders[i - 1])), 0);
    rmdir(folder);
}

/* "$" is the test's folder. */
static struct config *config_of(const char *pattern)
{
    struct config_errors errors = {0};
    struct config *cfg;
    struct buf text;

    buf_init(&text);
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '$')
            buf_append_str(&text, folder);
        else
            buf_append_char(&text, *pattern);
    }
    cfg = config_parse(text.data, text.len, &errors);
    CHECK_TRUE(cfg != NULL, "%s: %s", text.data, errors.count ? errors.items[0].message : "");
    config_errors_fini(&errors);
    buf_fini(&text);
    return cfg;
}

/* Checks the pointers of all findings, each followed by a space. */
static void check_exposed(int line, const char *name, const char *pattern, const char *want)
{
    struct config *cfg = config_of(pattern);
    struct config_errors findings = {0};
    struct buf got;

    buf_init(&got);
    buf_append_str(&got, "");
    config_check_exposed(
        &(struct check){.cfg = cfg, .errors = &findings, .jail = config_check_jail(cfg, NULL)});
    for (size_t i = 0; i < findings.count; i++) {
        CHECK_STR(line, name, findings.items[i].code, "exposed_file");
        buf_printf(&got, "%s ", findings.items[i].pointer);
    }
    CHECK_STR(line, name, got.data, want);
    buf_fini(&got);
    config_errors_fini(&findings);
    config_put(cfg);
}

#define SITE(root, rest) "{\"sites\": [{\"hosts\": [\"*\"], \"root\": \"" root "\", " rest "}]}"
#define KEY(file) "\"signedUrls\": [{\"secretFile\": \"" file "\"}]"
#define USERS(file) "\"auth\": [{\"realm\": \"r\", \"file\": \"" file "\"}]"
#define AT_KEY "/sites/0/signedUrls/0/secretFile "

static void test_where(void)
{
    static const struct {
        int line;
        const char *name, *config, *want;
    } rows[] = {
        {__LINE__, "in the root", SITE("$/www", KEY("$/www/key")), AT_KEY},
        {__LINE__, "elsewhere", SITE("$/www", KEY("$/etc/key")), ""},
        {__LINE__, "passwords", SITE("$/www", USERS("$/www/key")), "/sites/0/auth/0/file "},
        {__LINE__, "hidden", SITE("$/www", KEY("$/www/.git/key")), ""},
        {__LINE__, "hidden names are served",
         SITE("$/www", "\"hiddenFiles\": true, " KEY("$/www/.git/key")), AT_KEY},
        {__LINE__, "well-known", SITE("$/www", KEY("$/www/.well-known/key")), AT_KEY},
        {__LINE__, "in a folder of all hosts", SITE("$/hosts/{host}", KEY("$/hosts/key")), AT_KEY},
        {__LINE__, "in an alias",
         SITE("$/www",
              "\"aliases\": [{\"path\": \"/i/\", \"folder\": \"$/icons\"}], " KEY("$/icons/key")),
         AT_KEY},
        {__LINE__, "a link leads in", SITE("$/www", KEY("$/led-in")), AT_KEY},
        {__LINE__, "the root is a link", SITE("$/current", KEY("$/www/key")), AT_KEY},
        {__LINE__, "all is served", SITE("/", KEY("$/etc/key")), AT_KEY},
        {__LINE__, "a name that begins alike", SITE("$/ww", KEY("$/www/key")), ""},
        {__LINE__, "not there", SITE("$/www", KEY("$/www/none")), ""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        check_exposed(rows[i].line, rows[i].name, rows[i].config, rows[i].want);
}

static void test_of_another_site(void)
{
    check_exposed(__LINE__, "another site's root",
                  "{\"sites\": [{\"hosts\": [\"a.example\"], \"root\": \"$/icons\", " KEY(
                      "$/www/key") "}, {\"hosts\": [\"*\"], \"root\": \"$/www\"}]}",
                  AT_KEY);
}

int main(void)
{
    make_tree();
    test_where();
    test_of_another_site();
    remove_tree();
    return check_end("config_check_exposed");
}
