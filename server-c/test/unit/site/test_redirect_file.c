/* SPDX-License-Identifier: MIT */
/* Files of redirects on the disk: read when their text is new, and what is said if they can't be. */
#include "site/redirect_file.c"

#include "check.h"
#include "owner/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[] = "/tmp/farmstead-redirects-XXXXXX";
static char path[64];

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
}

static void test_read(void)
{
    struct redirect_problems problems;
    struct redirect_list *list = NULL, *first;

    write_file("/a /b\n");
    CHECK_INT(__LINE__, "read", redirect_file_read(&list, path, &problems), 0);
    CHECK_INT(__LINE__, "rules", redirect_list_count(list), 1);
    first = redirect_list_get(list);
    CHECK_INT(__LINE__, "again", redirect_file_read(&list, path, &problems), 0);
    CHECK_TRUE(list == first, "the same text is the same list");
    write_file("/a\n");
    CHECK_INT(__LINE__, "wrong", redirect_file_read(&list, path, &problems), UV_EINVAL);
    CHECK_TRUE(list == first && problems.count == 1, "it stays, and is told why");
    write_file("/a /b\n/c /d\n");
    CHECK_INT(__LINE__, "new", redirect_file_read(&list, path, &problems), 0);
    CHECK_TRUE(list != first && redirect_list_count(list) == 2, "another list");
    write_file("");
    CHECK_INT(__LINE__, "empty", redirect_file_read(&list, path, &problems), 0);
    CHECK_INT(__LINE__, "no rules", redirect_list_count(list), 0);
    redirect_list_put(first);
    redirect_list_put(list);
}

static void check_unreadable(const char *where, const char *want)
{
    struct redirect_problems problems;
    struct redirect_list *list = NULL;
    int err = redirect_file_read(&list, where, &problems);

    CHECK_TRUE(err < 0 && !list && problems.count == 0, "%s", where);
    CHECK_STR(__LINE__, where, redirect_file_problem(err), want);
}

static void test_unreadable(void)
{
    check_unreadable("/tmp/farmstead-is-not-there", "does not exist on this machine");
    check_unreadable("/dev/null", "is not a regular file");
    check_unreadable(folder, "illegal operation on a directory");
    CHECK_INT(__LINE__, "a file with a hole", truncate(path, REDIRECT_LIST_BYTES + 1), 0);
    check_unreadable(path, "is too long: 33554432 bytes are the most");
    CHECK_STR(__LINE__, "", redirect_file_problem(UV_EAGAIN),
              "was being written while it was read");
}

/* A link may lead elsewhere since a config was checked. */
static void test_out_of_bounds(void)
{
    struct redirect_problems problems;
    struct redirect_list *list = NULL;

    write_file("/a /b\n");
    bounds_set(NULL, "", folder);
    CHECK_INT(__LINE__, "the node's own", redirect_file_read(&list, path, &problems), UV_EPERM);
    CHECK_TRUE(!list && problems.count == 0, "nothing of it is read");
    CHECK_STR(__LINE__, "", redirect_file_problem(UV_EPERM),
              "is not in a folder that may be served here");
    bounds_clear();
    CHECK_INT(__LINE__, "without bounds", redirect_file_read(&list, path, &problems), 0);
    redirect_list_put(list);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    snprintf(path, sizeof(path), "%s/list", folder);
    test_read();
    test_unreadable();
    test_out_of_bounds();
    unlink(path);
    rmdir(folder);
    return check_end("redirect_file");
}
