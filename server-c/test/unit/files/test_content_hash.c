/* SPDX-License-Identifier: MIT */
/* Hashes of real files: from their bytes, in steps, in pieces and in memory, from a list, and of files that
 * are no longer what they were. */
#include "base/util.h"

#include <stdint.h>

static uint64_t clock_ns, clock_step_ns;
static uint64_t test_clock(void)
{
    return clock_ns += clock_step_ns;
}
#define monotonic_ns test_clock
#include "files/content_hash.c"
#undef monotonic_ns

#include "check.h"
#include "shell.h"

#include <fcntl.h>

static char root[] = "/tmp/farmstead-content-XXXXXX";
static char no_lists[] = "";
static struct config_site site = {.symlinks = SYMLINKS_WITHIN_ROOT, .checksums = no_lists};
static const struct file_place place = {.site = &site, .folder = root};
static struct content_table *table;
static struct checksum_store *store;

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static int open_file(const char *path)
{
    char full[200];

    snprintf(full, sizeof(full), "%s%s", root, path);
    return open(full, O_RDONLY | O_CLOEXEC);
}

static struct content_work work_of(const char *path, int fd)
{
    struct content_work work = {.fd = fd, .path = path, .place = &place};
    struct stat st;

    CHECK_INT(__LINE__, path, fstat(fd, &st), 0);
    work.key = content_key_of(&st);
    return work;
}

static const char *hex_of(const struct content_work *work)
{
    static char hex[2 * CONTENT_HASH_BYTES + 1];

    if (work->end != CONTENT_HASHED)
        return "none";
    for (size_t i = 0; i < CONTENT_HASH_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", work->hash[i]);
    return hex;
}

static void make(struct content_work *work)
{
    do
        content_hash_make(table, store, work);
    while (work->end == CONTENT_GOES_ON);
}

static const char *hash(const char *path)
{
    int fd = open_file(path);
    struct content_work work = work_of(path, fd);

    make(&work);
    close(fd);
    return hex_of(&work);
}

static void test_bytes(void)
{
    static char zeros[600000];
    struct content_work work = {.key.size = 3, .bytes = "abc", .fd = -1};

    shell_in(root, "printf abc > a; : > empty; head -c 600000 /dev/zero > long");
    CHECK_STR(__LINE__, "read", hash("/a"), ABC);
    CHECK_STR(__LINE__, "empty", hash("/empty"),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    make(&work);
    CHECK_STR(__LINE__, "in memory", hex_of(&work), ABC);
    work = (struct content_work){.key.size = sizeof(zeros), .bytes = zeros, .fd = -1};
    make(&work);
    CHECK_STR(__LINE__, "in steps, read and in memory", hash("/long"), hex_of(&work));
}

static void test_changes(void)
{
    int fd;
    struct content_work work;

    shell_in(root, "printf abc > changing");
    fd = open_file("/changing");
    work = work_of("/changing", fd);
    shell_in(root,
             "touch -r changing old; sleep 0.02; printf abd > changing; touch -r old changing");
    make(&work);
    CHECK_INT(__LINE__, "equal size, its old time set", work.end, CONTENT_CHANGED);
    work = work_of("/changing", fd);
    shell_in(root, "sleep 0.02; printf abe > next; mv next changing");
    make(&work);
    CHECK_INT(__LINE__, "another has its name", work.end, CONTENT_CHANGED);
    work = work_of("/changing", fd);
    work.key.size = 4;
    make(&work);
    CHECK_INT(__LINE__, "shorter", work.end, CONTENT_CHANGED);
    close(fd);
}

/* The file in memory is not the one on the disk any more: what is in memory may not be taken for the state
 * that was looked up. */
static void test_memory(void)
{
    struct content_work work = {.key.size = 3, .bytes = "abc", .fd = -1, .path = "/f"};
    int fd;

    shell_in(root, "rm -rf f; printf abc > f");
    fd = open_file("/f");
    work.key = work_of("/f", fd).key;
    close(fd);
    work.place = &place;
    make(&work);
    CHECK_STR(__LINE__, "in memory, and still the file's", hex_of(&work), ABC);
    shell_in(root, "sleep 0.02; printf 'abd' > f");
    make(&work);
    CHECK_INT(__LINE__, "not the bytes", work.end, CONTENT_CHANGED);
}

/* Each look at the clock is 20 ms after the one before: a piece is three steps. */
static void test_pieces(void)
{
    int fd, calls = 1;
    struct content_work work;

    shell_in(root, "head -c 3000000 /dev/zero > long");
    fd = open_file("/long");
    work = work_of("/long", fd);
    clock_step_ns = 20 * NS_PER_MS;
    for (content_hash_make(table, store, &work); work.end == CONTENT_GOES_ON; calls++) {
        CHECK_TRUE(work.at > 0 && work.at < work.key.size, "at %" PRIu64, work.at);
        content_hash_make(table, store, &work);
    }
    CHECK_INT(__LINE__, "calls", calls, 12 / 2);
    CHECK_STR(__LINE__, "in pieces", hex_of(&work), hash("/long"));
    work = work_of("/long", fd);
    content_hash_make(table, store, &work);
    CHECK_INT(__LINE__, "first piece", work.end, CONTENT_GOES_ON);
    shell_in(root, "sleep 0.02; printf x >> long");
    content_hash_make(table, store, &work);
    CHECK_INT(__LINE__, "it changed between two", work.end, CONTENT_CHANGED);
    CHECK_TRUE(work.sum == NULL, "nothing is left");
    clock_step_ns = 0;
    close(fd);
}

static void test_stop(void)
{
    struct content_work work = {.key.size = 3, .bytes = "abc", .fd = -1};

    content_table_stop(table);
    make(&work);
    CHECK_INT(__LINE__, "stopped", work.end, CONTENT_STOPPED);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(root) != NULL, "mkdtemp");
    table = content_table_new();
    store = checksum_store_new();
    test_bytes();
    test_changes();
    test_memory();
    test_pieces();
    test_stop();
    checksum_store_free(store);
    content_table_free(table);
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("content_hash");
}
