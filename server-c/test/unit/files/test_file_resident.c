/* SPDX-License-Identifier: MIT */
/* What was found in the page cache is not copied again for two seconds, and if it has left the
 * cache, that is noticed at its beginning. A table in memory stands for the page cache. */
#include "files/file_read.h"

static ssize_t fake_resident_len(int fd, size_t len, uint64_t offset);
static ssize_t fake_read_resident(int fd, char *out, size_t len, uint64_t offset);
#define file_resident_len fake_resident_len
#define file_read_resident fake_read_resident
#include "files/file_resident.c"
#undef file_resident_len
#undef file_read_resident

#include "check.h"

#include <uv.h>

#define KIB UINT64_C(1024)
#define FILE_BYTES (700 * KIB + 5)
#define ASK_BYTES_MAX (1024 * KIB)
#define PAGE 4096

static bool is_there[FILE_BYTES / PAGE + 1];
static uint64_t copied; /* bytes copied by the certain way to find out */
static struct file_residents residents;
static const struct file_pages the_file = {.fd = 3, .device = 1, .inode = 2, .size = FILE_BYTES};

static void set_pages(uint64_t from, uint64_t to, bool there)
{
    for (uint64_t at = from; at < to; at += PAGE)
        is_there[at / PAGE] = there;
}

static ssize_t fake_resident_len(int fd, size_t len, uint64_t offset)
{
    uint64_t end = offset + (len < ASK_BYTES_MAX ? len : ASK_BYTES_MAX), at = offset;

    (void)fd;
    CHECK_TRUE(len > 0, "nothing was asked for");
    if (end > FILE_BYTES)
        end = FILE_BYTES;
    while (at < end && is_there[at / PAGE])
        at = (at / PAGE + 1) * PAGE;
    at = at < end ? at : end;
    copied += at - offset;
    return at == offset ? UV_EAGAIN : (ssize_t)(at - offset);
}

static ssize_t fake_read_resident(int fd, char *out, size_t len, uint64_t offset)
{
    (void)fd;
    CHECK_INT(__LINE__, "one byte", len, 1);
    *out = 0;
    return offset < FILE_BYTES && is_there[offset / PAGE] ? 1 : UV_EAGAIN;
}

static void begin(void)
{
    file_residents_fini(&residents);
    file_residents_init(&residents);
    residents.now_ms = 1000000;
    set_pages(0, FILE_BYTES, true);
    copied = 0;
}

static ssize_t ask(uint64_t offset, size_t len)
{
    return file_residents_ask(&residents, &the_file, len, offset);
}

struct row {
    const char *name;
    uint64_t gone[2]; /* pages that are missing from the start */
    uint64_t offset, len;
    ssize_t answer;
};

static const struct row rows[] = {
    {"all of it", {0, 0}, 0, FILE_BYTES, FILE_BYTES},
    {"within one window", {0, 0}, 70 * KIB, 20 * KIB, 20 * KIB},
    {"over an edge", {0, 0}, 60 * KIB, 20 * KIB, 20 * KIB},
    {"the last byte", {0, 0}, FILE_BYTES - 1, 1, 1},
    {"the last window", {0, 0}, FILE_BYTES - 20 * KIB, 20 * KIB, 20 * KIB},
    {"up to what is gone", {128 * KIB, 256 * KIB}, 0, FILE_BYTES, 128 * KIB},
    {"up to what is gone within a window", {140 * KIB, 144 * KIB}, 0, FILE_BYTES, 140 * KIB},
    {"nothing is there", {0, FILE_BYTES}, 0, FILE_BYTES, UV_EAGAIN},
    {"the first page is gone", {0, 4 * KIB}, 0, 64 * KIB, UV_EAGAIN},
    {"only the window's beginning is gone", {64 * KIB, 68 * KIB}, 72 * KIB, 40 * KIB, 40 * KIB},
    {"small and there", {64 * KIB, 68 * KIB}, 72 * KIB, 100, 100},
    {"small and gone", {64 * KIB, 68 * KIB}, 65 * KIB, 100, UV_EAGAIN},
    {"after what is gone", {0, 64 * KIB}, 64 * KIB, 64 * KIB, 64 * KIB},
};

static void test_answers(void)
{
    for (int i = 0; i < (int)(sizeof(rows) / sizeof(rows[0])); i++) {
        const struct row *row = &rows[i];
        begin();
        set_pages(row->gone[0], row->gone[1], false);
        CHECK_INT(i, row->name, ask(row->offset, row->len), row->answer);
        CHECK_INT(i, row->name, ask(row->offset, row->len), row->answer); /* from memory */
        residents.now_ms += 10000;
        CHECK_INT(i, row->name, ask(row->offset, row->len), row->answer);
    }
}

static void test_what_it_costs(void)
{
    begin();
    CHECK_INT(__LINE__, "first", ask(100 * KIB, 64 * KIB), 64 * KIB);
    CHECK_INT(__LINE__, "two windows", copied, 128 * KIB);
    CHECK_INT(__LINE__, "elsewhere in them", ask(70 * KIB, 120 * KIB), 120 * KIB);
    CHECK_INT(__LINE__, "nothing more", copied, 128 * KIB);
    CHECK_INT(__LINE__, "and one more window", ask(100 * KIB, 156 * KIB), 156 * KIB);
    CHECK_INT(__LINE__, "that one only", copied, 192 * KIB);
    residents.now_ms += 1300;
    CHECK_INT(__LINE__, "soon", ask(100 * KIB, 64 * KIB), 64 * KIB);
    CHECK_INT(__LINE__, "still known", copied, 192 * KIB);
    residents.now_ms += 1300;
    CHECK_INT(__LINE__, "later", ask(100 * KIB, 64 * KIB), 64 * KIB);
    CHECK_INT(__LINE__, "looked at again", copied, 320 * KIB);
}

static void test_another_file(void)
{
    struct file_pages other = the_file;

    begin();
    ask(0, 64 * KIB);
    other.inode++;
    CHECK_INT(__LINE__, "there", file_residents_ask(&residents, &other, 64 * KIB, 0), 64 * KIB);
    CHECK_INT(__LINE__, "another inode is looked at", copied, 128 * KIB);
    other = the_file;
    other.device++;
    file_residents_ask(&residents, &other, 64 * KIB, 0);
    CHECK_INT(__LINE__, "another disk's, too", copied, 192 * KIB);
}

static void test_eviction(void)
{
    begin();
    ask(0, FILE_BYTES);
    set_pages(0, FILE_BYTES, false);
    CHECK_INT(__LINE__, "all of it left", ask(0, FILE_BYTES), UV_EAGAIN);
    begin();
    ask(0, FILE_BYTES);
    set_pages(0, 64 * KIB, false);
    CHECK_INT(__LINE__, "the beginning left", ask(0, 100 * KIB), UV_EAGAIN);
    begin();
    ask(0, 128 * KIB);
    set_pages(64 * KIB, 128 * KIB, false);
    CHECK_INT(__LINE__, "the end left: not noticed", ask(0, 128 * KIB), 128 * KIB);
    residents.now_ms += 3000;
    CHECK_INT(__LINE__, "for two seconds", ask(0, 128 * KIB), 64 * KIB);
}

static void test_no_memory(void)
{
    begin();
    file_residents_fini(&residents);
    CHECK_INT(__LINE__, "it copies", ask(0, 64 * KIB), 64 * KIB);
    CHECK_INT(__LINE__, "each time", ask(0, 64 * KIB), 64 * KIB);
    CHECK_INT(__LINE__, "all of it", copied, 128 * KIB);
}

int main(void)
{
    test_answers();
    test_what_it_costs();
    test_another_file();
    test_eviction();
    test_no_memory();
    file_residents_fini(&residents);
    return check_end("file_resident");
}
