/* SPDX-License-Identifier: MIT */
/* Lists of checksums on a real disk: which are believed, and which are not although they name the file. */
#include "base/util.h"

static int64_t later_seconds;
static int64_t test_wall_clock(void)
{
    return wall_clock_seconds() + later_seconds;
}
#define wall_clock_seconds test_wall_clock
#include "files/content_list.c"
#undef wall_clock_seconds

#include "check.h"
#include "shell.h"

static char root[] = "/tmp/farmstead-list-XXXXXX";
static char lists[] = "SUMS", no_lists[] = "";
static struct config_site site = {.symlinks = SYMLINKS_WITHIN_ROOT, .checksums = no_lists};
static const struct file_place place = {.site = &site, .folder = root};
static struct checksum_store *store;

#define AA "00000000000000000000000000000000000000000000000000000000000000aa"
#define BB "00000000000000000000000000000000000000000000000000000000000000bb"

static struct content_work work_of(const char *path)
{
    struct content_work work = {.fd = -1, .path = path, .place = &place};
    char full[200];
    struct stat st;

    snprintf(full, sizeof(full), "%s%s", root, path);
    CHECK_INT(__LINE__, path, stat(full, &st), 0);
    work.key = content_key_of(&st);
    return work;
}

/* The last byte that a list says; 0: none does, -1: one is young. */
static int ask(struct content_work *work)
{
    switch (content_list_ask(store, work)) {
    case CONTENT_LIST_SAYS:
        return work->hash[31];
    case CONTENT_LIST_YOUNG:
        return -1;
    case CONTENT_LIST_NONE:
        break;
    }
    return 0;
}

struct row {
    int line;
    const char *name, *list, *script; /* the script is run when file and list are there */
    int want;
};

static void run_rows(const struct row *rows, size_t count, const char *path, const char *list)
{
    for (size_t i = 0; i < count; i++) {
        char script[900];
        struct content_work work;

        snprintf(script, sizeof(script),
                 "rm -rf * && mkdir -p d/e && truncate -s 4M .%s && sleep 0.02 && "
                 "printf '%s' > .%s && sleep 0.02 && { %s; }",
                 path, rows[i].list, list, rows[i].script[0] ? rows[i].script : ":");
        shell_in(root, script);
        work = work_of(path);
        CHECK_INT(rows[i].line, rows[i].name, ask(&work), rows[i].want);
    }
}

static void test_beside(void)
{
    static const struct row rows[] = {
        {__LINE__, "newer", AA "  f\n", "", 0xaa},
        {__LINE__, "digits alone", AA "\n", "", 0xaa},
        {__LINE__, "by the name with a folder", AA "  dist/f\n", "", 0xaa},
        {__LINE__, "of several", BB "  g\n" AA " *f\n", "", 0xaa},
        {__LINE__, "of another file", AA "  g\n", "", 0},
        {__LINE__, "of a folder", AA "  f/\n", "", 0},
        {__LINE__, "no list", "hello\n", "", 0},
        {__LINE__, "empty", "", "", 0},
        {__LINE__, "of equal time", AA "  f\n", "touch -r f f.sha256", 0},
        {__LINE__, "older", AA "  f\n", "touch -d 2001-02-03 f.sha256", 0},
        {__LINE__, "the file was put there later, with an old time", AA "  f\n",
         "truncate -s 4M g; touch -d 2001-02-03 g; mv g f", 0},
        {__LINE__, "a folder", AA "  f\n", "rm f.sha256; mkdir f.sha256", 0},
        {__LINE__, "a link", AA "  f\n", "mv f.sha256 g; ln -s g f.sha256", 0},
        {__LINE__, "a FIFO", AA "  f\n", "rm f.sha256; mkfifo f.sha256", 0},
        {__LINE__, "too long", AA "  f\n", "head -c 5000 /dev/zero >> f.sha256", 0},
        {__LINE__, "a file of less than 4 MiB", AA "  f\n",
         "truncate -s 4194303 f; sleep 0.02; touch f.sha256", 0},
    };

    run_rows(rows, ARRAY_LEN(rows), "/f", "/f.sha256");
}

static void test_above(void)
{
    static const struct row rows[] = {
        {__LINE__, "by its path", AA "  d/e/f\n", "", 0xaa},
        {__LINE__, "as find prints it", BB "  ./d/e/g\n" AA "  ./d/e/f\n", "", 0xaa},
        {__LINE__, "its name alone", AA "  f\n", "", 0},
        {__LINE__, "a whole path", AA "  /d/e/f\n", "", 0},
        {__LINE__, "a line in the making", AA "  d/e/f", "", 0},
        {__LINE__, "two that differ", AA "  d/e/f\n" BB "  d/e/f\n", "", 0},
        {__LINE__, "two that are equal", AA "  d/e/f\n" AA " *d/e/f\n", "", 0xaa},
        {__LINE__, "the nearest one first", AA "  d/e/f\n",
         "echo '" BB "  f' > d/e/SUMS; touch SUMS", 0xbb},
        {__LINE__, "the one above if the nearest has no such line", AA "  d/e/f\n",
         "echo '" BB "  g' > d/SUMS; touch SUMS", 0xaa},
        {__LINE__, "of equal time", AA "  d/e/f\n", "touch -r d/e/f SUMS", 0},
        {__LINE__, "the file was replaced", AA "  d/e/f\n", "cp -p d/e/f g; mv g d/e/f", 0},
        {__LINE__, "a folder between was replaced", AA "  d/e/f\n", "cp -al d g; mv d h; mv g d",
         0},
        {__LINE__, "a file came into a folder between", AA "  d/e/f\n", ": > d/g", 0},
        {__LINE__, "a file came beside the list", AA "  d/e/f\n", ": > g", 0xaa},
        {__LINE__, "a link on the way", AA "  d/e/f\n", "mv d g; ln -s g d; touch SUMS", 0},
        {__LINE__, "the file is a link", AA "  d/e/f\n",
         "mv d/e/f g; ln -s ../../g d/e/f; touch SUMS", 0},
        {__LINE__, "the list is a link", AA "  d/e/f\n", "mv SUMS g; ln -s g SUMS", 0},
    };

    site.checksums = lists;
    run_rows(rows, ARRAY_LEN(rows), "/d/e/f", "/SUMS");
}

/* A list that may still be written is waited for, but not for ever: some are written all the time. */
static void test_young(void)
{
    static const struct row file = {__LINE__, "young", AA "  d/e/f\n", "", -1};
    struct content_work work;

    later_seconds = 0;
    run_rows(&file, 1, "/d/e/f", "/SUMS");
    work = work_of("/d/e/f");
    work.has_waited = true;
    CHECK_INT(__LINE__, "waited for once", ask(&work), 0);
    later_seconds = 100;
    CHECK_INT(__LINE__, "as it is old now", ask(&work), 0xaa);
    shell_in(root, "truncate -s 16777217 SUMS");
    CHECK_INT(__LINE__, "too long", ask(&work), 0);
    CHECK_TRUE(work.list_is_too_long, "it is told");
}

int main(void)
{
    CHECK_TRUE(mkdtemp(root) != NULL, "mkdtemp");
    store = checksum_store_new();
    later_seconds = 100;
    test_beside();
    test_above();
    test_young();
    checksum_store_free(store);
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("content_list");
}
