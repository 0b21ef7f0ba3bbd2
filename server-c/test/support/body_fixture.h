/* SPDX-License-Identifier: MIT */
/* A loop, its lanes and a file to send, for unit tests of a response's bytes. The test determines
 * what the kernel reports as resident: nothing (as on a network file system), what was read ahead,
 * or everything. */
#ifndef FARMSTEAD_BODY_FIXTURE_H
#define FARMSTEAD_BODY_FIXTURE_H

#include <stddef.h>
#include <sys/types.h>
#include <stdint.h>

struct file_residents;
struct file_pages;
static ssize_t fake_ask(struct file_residents *residents, const struct file_pages *pages,
                        size_t len, uint64_t offset);
static ssize_t fake_read(int fd, char *out, size_t len, uint64_t offset);
#define file_residents_ask fake_ask
#define file_read_resident fake_read
#include "files/file_read.h"
#include "files/file_resident.h"
#include "body/body.c"
#include "body/body_file.c"
#include "body/body_read.c"
#undef file_residents_ask
#undef file_read_resident

#include "check.h"
#include "files/file_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES 300000

static enum { NEVER_RESIDENT, AFTER_READ_AHEAD, RESIDENT } residency;
static struct loop the_loop;
static struct loop_shared shared;
static char content[FILE_BYTES];
static char path[] = "/tmp/farmstead-body-XXXXXX";
static int waits, asked;

static ssize_t fake_ask(struct file_residents *residents, const struct file_pages *pages,
                        size_t len, uint64_t offset)
{
    (void)residents, (void)pages, (void)offset;
    asked++;
    if (residency == NEVER_RESIDENT || (residency == AFTER_READ_AHEAD && asked % 2 == 1))
        return UV_EAGAIN;
    return (ssize_t)(len < 100000 ? len : 100000);
}

static ssize_t fake_read(int fd, char *out, size_t len, uint64_t offset)
{
    ssize_t resident = fake_ask(NULL, NULL, len, offset);
    return resident < 0 ? resident : pread(fd, out, (size_t)resident, (off_t)offset);
}

static struct file_entry *open_entry(void)
{
    struct file_entry *entry = calloc(1, sizeof(*entry) + 1);
    struct stat st;

    list_init(&entry->by_use);
    list_init(&entry->by_use_open);
    list_init(&entry->by_use_body);
    entry->refs = 1;
    entry->index = "";
    entry->fd = open(path, O_RDONLY);
    fstat(entry->fd, &st);
    entry->version = file_version_of(&st);
    entry->facts.size = FILE_BYTES;
    return entry;
}

static void write_file(void)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    CHECK_INT(__LINE__, "write", write(fd, content, FILE_BYTES), FILE_BYTES);
    close(fd);
}

static void begin(void)
{
    for (size_t i = 0; i < FILE_BYTES; i++)
        content[i] = (char)(i * 7 % 251);
    close(mkstemp(path));
    write_file();
    shared.stat_lane = io_lane_new("stat", 1, 16);
    shared.read_lane = io_lane_new("read", 1, 16);
    CHECK_INT(__LINE__, "loop", loop_init(&the_loop, &shared, 0), 0);
}

static int end(const char *name)
{
    io_port_close(&the_loop.port, NULL);
    uv_run(&the_loop.uv, UV_RUN_DEFAULT);
    loop_fini(&the_loop);
    io_lane_free(shared.read_lane);
    io_lane_free(shared.stat_lane);
    unlink(path);
    return check_end(name);
}

#endif
