/* SPDX-License-Identifier: MIT */
/* The files that a config names, read from disk: what is kept when one becomes unusable, and when a
 * change counts. */
#include "site/named_files.c"

#include "check.h"

#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#define S(text) ((char *)(uintptr_t)(text))
#define FIRST "the first key of all"
#define SECOND "a second and longer key"

static char folder[] = "/tmp/farmstead-named-XXXXXX";
static char path[64], other[64];

static struct config_signed_url rules[] = {
    {.secret_file = path}, {.secret_file = other}, {.secret_file = path}};
static struct config_site site = {.signed_urls = rules, .signed_url_count = ARRAY_LEN(rules)};
static struct config cfg = {.sites = &site, .site_count = 1};

static void write_key(const char *where, const char *text)
{
    FILE *file = fopen(where, "w");

    fputs(text, file);
    fclose(file);
    chmod(where, 0600);
}

static const struct named_file *key_of(const struct named_files *files)
{
    return named_files_find(files, NAMED_KEY, path, NULL);
}

static bool is_key(const struct named_files *files, const char *text)
{
    const struct named_file *file = key_of(files);

    return file->len == strlen(text) && memcmp(file->bytes, text, file->len) == 0;
}

static void test_sets(void)
{
    struct named_files first, second, third;

    write_key(path, FIRST "\n");
    named_files_read(&first, &cfg, NULL);
    CHECK_INT(__LINE__, "each file once", first.count, 2);
    CHECK_TRUE(is_key(&first, FIRST), "read");
    CHECK_INT(__LINE__, "one was never there", named_files_unusable(&first), 1);
    CHECK_INT(__LINE__, "", named_files_find(&first, NAMED_KEY, other, NULL)->len, 0);
    CHECK_TRUE(named_files_find(&first, NAMED_KEY, "/elsewhere", NULL) == NULL, "not named");

    named_files_read(&second, &cfg, &first);
    CHECK_TRUE(named_files_equal(&first, &second), "nothing has changed");
    named_files_fini(&second);

    write_key(path, "short");
    named_files_read(&second, &cfg, &first);
    CHECK_INT(__LINE__, "can't be used", key_of(&second)->err, UV_EINVAL);
    CHECK_TRUE(is_key(&second, FIRST), "and is what it was");
    CHECK_TRUE(!named_files_equal(&first, &second), "which is something to say");
    named_files_read(&third, &cfg, &second);
    CHECK_TRUE(is_key(&third, FIRST), "however often it is read");
    named_files_fini(&third);
    named_files_read(&third, &cfg, NULL);
    CHECK_INT(__LINE__, "without a past there is none", key_of(&third)->len, 0);
    named_files_fini(&third);

    write_key(path, SECOND);
    named_files_read(&third, &cfg, &second);
    CHECK_TRUE(is_key(&third, SECOND) && key_of(&third)->err == 0, "mended");
    chmod(path, 0644);
    named_files_fini(&second);
    named_files_read(&second, &cfg, &third);
    CHECK_TRUE(key_of(&second)->is_exposed && !named_files_equal(&second, &third), "exposed");
    named_files_fini(&first);
    named_files_fini(&second);
    named_files_fini(&third);
}

/* True: `files` is now the next set. */
static bool look_on(struct named_watch *watch, struct named_files *files)
{
    struct named_files next;

    if (!named_watch_look(watch, files, &next))
        return false;
    named_files_fini(files);
    *files = next;
    return true;
}

static void test_watch(void)
{
    struct named_files files;
    struct named_watch watch;

    write_key(path, FIRST);
    write_key(other, FIRST);
    named_files_read(&files, &cfg, NULL);
    named_watch_init(&watch, &files);
    for (int i = 0; i < 3; i++)
        CHECK_TRUE(!look_on(&watch, &files), "look %d: nothing has changed", i);

    write_key(path, SECOND);
    CHECK_TRUE(!look_on(&watch, &files) && is_key(&files, FIRST), "it may be half written");
    CHECK_TRUE(look_on(&watch, &files) && is_key(&files, SECOND), "the same in two looks");

    write_key(path, "a second and longer kez"); /* the same size, and perhaps the same time */
    CHECK_TRUE(look_on(&watch, &files) || look_on(&watch, &files), "seen all the same");
    CHECK_TRUE(is_key(&files, "a second and longer kez"), "and read");

    unlink(path);
    CHECK_TRUE(!look_on(&watch, &files), "a new one may be on its way");
    CHECK_TRUE(look_on(&watch, &files), "gone");
    CHECK_INT(__LINE__, "why", key_of(&files)->err, UV_ENOENT);
    CHECK_TRUE(is_key(&files, "a second and longer kez"), "and still in force");
    CHECK_TRUE(!look_on(&watch, &files), "said once");
    write_key(path, FIRST);
    CHECK_TRUE(!look_on(&watch, &files) && look_on(&watch, &files), "there again");
    CHECK_TRUE(is_key(&files, FIRST) && named_files_unusable(&files) == 0, "and in use");
    named_watch_fini(&watch);
    named_files_fini(&files);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    snprintf(path, sizeof(path), "%s/key", folder);
    snprintf(other, sizeof(other), "%s/other", folder);
    test_sets();
    test_watch();
    unlink(path);
    unlink(other);
    rmdir(folder);
    return check_end("named_files");
}
