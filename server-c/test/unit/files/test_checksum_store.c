/* SPDX-License-Identifier: MIT */
/* Lists that are read once, again when they have changed, and go when there are too many. */
#include "files/checksum_store.c"

#include "check.h"
#include "shell.h"

#include <fcntl.h>
#include <unistd.h>

static char root[] = "/tmp/farmstead-sums-XXXXXX";

#define ZEROS "00000000000000000000000000000000000000000000000000000000000000"

/* The last byte of the checksum, or UV_E*. */
static int find(struct checksum_store *store, const char *file, const char *name)
{
    unsigned char hash[32];
    char path[200];
    struct stat st;
    int fd, err;

    snprintf(path, sizeof(path), "%s/%s", root, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK_INT(__LINE__, path, fstat(fd, &st), 0);
    err = checksum_store_find(store, fd, &st, (struct span){name, strlen(name)}, hash);
    close(fd);
    return err == 0 ? hash[31] : err;
}

static void test_find(void)
{
    struct checksum_store *store = checksum_store_new();

    shell_in(root, "printf '" ZEROS "0a  a\\n" ZEROS "0b  b\\n' > list");
    CHECK_INT(__LINE__, "read", find(store, "list", "a"), 0x0a);
    CHECK_INT(__LINE__, "kept", find(store, "list", "b"), 0x0b);
    CHECK_INT(__LINE__, "no line", find(store, "list", "c"), UV_ENOENT);
    CHECK_INT(__LINE__, "lists", store->count, 1);
    shell_in(root, "sleep 0.02; printf '" ZEROS "0c  c\\n' > list");
    CHECK_INT(__LINE__, "changed", find(store, "list", "c"), 0x0c);
    CHECK_INT(__LINE__, "not any more", find(store, "list", "a"), UV_ENOENT);
    CHECK_INT(__LINE__, "the old one is still there", store->count, 2);
    shell_in(root, "truncate -s 16777217 list");
    CHECK_INT(__LINE__, "too long", find(store, "list", "c"), UV_E2BIG);
    shell_in(root, ": > list");
    CHECK_INT(__LINE__, "empty", find(store, "list", "c"), UV_ENOENT);
    checksum_store_free(store);
}

static void test_changed_meanwhile(void)
{
    struct checksum_store *store = checksum_store_new();
    unsigned char hash[32];
    struct stat st;
    int fd;

    shell_in(root, "printf '" ZEROS "0a  a\\n' > list");
    fd = openat(AT_FDCWD, root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK_INT(__LINE__, "stat", fstatat(fd, "list", &st, 0), 0);
    close(fd);
    shell_in(root, "sleep 0.02; printf '" ZEROS "0b  a\\n' > list");
    {
        char path[200];

        snprintf(path, sizeof(path), "%s/list", root);
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    CHECK_INT(__LINE__, "not for the state that was looked up",
              checksum_store_find(store, fd, &st, (struct span){"a", 1}, hash), UV_EAGAIN);
    CHECK_INT(__LINE__, "not kept", store->count, 0);
    close(fd);
    checksum_store_free(store);
}

static void test_bounds(void)
{
    struct checksum_store *store = checksum_store_new();
    char script[200], name[16];

    for (int i = 0; i < CHECKSUM_STORE_LISTS; i++) {
        snprintf(script, sizeof(script), "printf '" ZEROS "0a  a\\n' > l%d", i);
        shell_in(root, script);
        snprintf(name, sizeof(name), "l%d", i);
        CHECK_INT(__LINE__, name, find(store, name, "a"), 0x0a);
    }
    CHECK_INT(__LINE__, "in use", find(store, "l0", "a"), 0x0a);
    shell_in(root, "head -c 16000000 /dev/zero > large");
    CHECK_INT(__LINE__, "one more", find(store, "large", "a"), UV_ENOENT);
    CHECK_INT(__LINE__, "lists", store->count, CHECKSUM_STORE_LISTS);
    CHECK_INT(__LINE__, "the one in use is there",
              oldest(store)->key.inode ==
                  container_of(store->by_use.prev->prev, struct stored, by_use)->key.inode,
              0);
    for (int i = 0; i < 4; i++) {
        shell_in(root, "sleep 0.02; touch large");
        CHECK_INT(__LINE__, "large", find(store, "large", "a"), UV_ENOENT);
    }
    CHECK_INT(__LINE__, "only large ones are left", store->count, 4);
    CHECK_TRUE(store->bytes <= CHECKSUM_STORE_BYTES, "%zu bytes", store->bytes);
    checksum_store_free(store);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(root) != NULL, "mkdtemp");
    test_find();
    test_changed_meanwhile();
    test_bounds();
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("checksum_store");
}
