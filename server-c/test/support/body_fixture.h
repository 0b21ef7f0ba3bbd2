/* SPDX-License-Identifier: MIT */
/* A loop, its lanes and a file to send, for the unit tests of a response's bytes. What the kernel says
 * is resident is told: of a network file system (never), after a read-ahead, or at once. */
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
#include "body/body_out.c"
#include "body/body_read.c"
#undef file_residents_ask
#undef file_read_resident

#include "check.h"
#include "files/file_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES 300000
#define HEAD "HTTP/1.1 200 OK\r\n\r\n"

static enum { NEVER_RESIDENT, AFTER_READ_AHEAD, RESIDENT } residency;
static struct loop the_loop;
static struct loop_shared shared;
static char content[FILE_BYTES], received[2 * FILE_BYTES];
static char path[] = "/tmp/farmstead-body-XXXXXX";
static size_t received_len;
static int sockets[2], waits, asked;
static enum body_step last_step;

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

static void on_ready(struct body *body)
{
    waits++;
    last_step = body_send(body, &the_loop, sockets[0]);
}

static void receive_some(void)
{
    ssize_t n;
    while ((n = recv(sockets[1], received + received_len, sizeof(received) - received_len,
                     MSG_DONTWAIT)) > 0)
        received_len += (size_t)n;
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

static uint64_t quota_per_step = UINT64_MAX;
static int throttled;

static void (*when_unsure)(void); /* NULL: nothing happens then */

static bool is_writing(enum body_step step)
{
    return step == BODY_WANTS_WRITE || step == BODY_WANTS_TURN || step == BODY_UNSURE;
}

static void receive_to_the_end(struct body *body, void (*meanwhile)(void))
{
    while (last_step == BODY_WAITING || is_writing(last_step) || last_step == BODY_THROTTLED) {
        if (meanwhile)
            meanwhile();
        meanwhile = NULL;
        if (last_step == BODY_WAITING)
            uv_run(&the_loop.uv, UV_RUN_ONCE);
        receive_some();
        if (last_step == BODY_UNSURE && when_unsure)
            when_unsure();
        if (last_step == BODY_THROTTLED) {
            CHECK_INT(__LINE__, "the quota is used up", body->quota, 0);
            throttled++;
            body->quota = quota_per_step;
        } else if (!is_writing(last_step)) {
            continue;
        }
        last_step = body_send(body, &the_loop, sockets[0]);
    }
    receive_some();
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
    shared.access_log = access_log_new();
    shared.stat_lane = io_lane_new("stat", 1, 16);
    shared.read_lane = io_lane_new("read", 1, 16);
    CHECK_INT(__LINE__, "loop", loop_init(&the_loop, &shared), 0);
}

static int end(const char *name)
{
    io_port_close(&the_loop.port, NULL);
    uv_run(&the_loop.uv, UV_RUN_DEFAULT);
    loop_fini(&the_loop);
    io_lane_free(shared.read_lane);
    io_lane_free(shared.stat_lane);
    access_log_free(shared.access_log);
    unlink(path);
    return check_end(name);
}

#endif
