/* SPDX-License-Identifier: MIT */
/* A file's bytes through the read lane: where the kernel never says that bytes are resident
 * (network file systems), where it says so after a read-ahead, and where the file changes
 * meanwhile. */
#include <stddef.h>
#include <sys/types.h>
#include <stdint.h>

static ssize_t fake_resident_len(int fd, size_t len, uint64_t offset);
#define file_resident_len fake_resident_len
#include "file_read.h"
#include "body.c"
#undef file_resident_len

#include "check.h"

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

static ssize_t fake_resident_len(int fd, size_t len, uint64_t offset)
{
    (void)fd, (void)offset;
    asked++;
    if (residency == NEVER_RESIDENT || (residency == AFTER_READ_AHEAD && asked % 2 == 1))
        return UV_EAGAIN;
    return (ssize_t)(len < 100000 ? len : 100000);
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

/* Sends [offset, offset + len) after a head. The step it ends with. */
static enum body_step send_part(struct stage_clock *clock, uint64_t offset, uint64_t len,
                                void (*meanwhile)(void))
{
    struct file_entry *entry = open_entry();
    struct body_part part = {entry, false, offset, len};
    struct body body = {.on_ready = on_ready, .clock = clock};

    list_init(&body.stalled);
    received_len = 0;
    waits = asked = 0;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    while (last_step == BODY_WAITING || last_step == BODY_WANTS_WRITE) {
        if (meanwhile)
            meanwhile();
        meanwhile = NULL;
        if (last_step == BODY_WAITING)
            uv_run(&the_loop.uv, UV_RUN_ONCE);
        receive_some();
        if (last_step == BODY_WANTS_WRITE)
            last_step = body_send(&body, &the_loop, sockets[0]);
    }
    receive_some();
    body_end(&body, &the_loop);
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
    return last_step;
}

static void test_whole_parts(void)
{
    static const uint64_t parts[][2] = {
        {0, FILE_BYTES}, {0, 1}, {FILE_BYTES - 1, 1}, {70000, 130000}, {65536, 65536}};

    for (int mode = NEVER_RESIDENT; mode <= RESIDENT; mode++)
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
            struct stage_clock clock = {.head_ns = 1};
            residency = mode;
            CHECK_INT(mode, "sent", send_part(&clock, parts[i][0], parts[i][1], NULL), BODY_SENT);
            CHECK_INT(mode, "bytes", received_len, sizeof(HEAD) - 1 + parts[i][1]);
            CHECK_TRUE(memcmp(received, HEAD, sizeof(HEAD) - 1) == 0, "the head is first");
            CHECK_TRUE(memcmp(received + sizeof(HEAD) - 1, content + parts[i][0], parts[i][1]) == 0,
                       "mode %d, part %zu: other bytes", mode, i);
            CHECK_TRUE((waits > 0) == (mode != RESIDENT), "mode %d: %d waits", mode, waits);
            CHECK_INT(mode, "the clock knows", clock.read_disk, mode != RESIDENT);
            CHECK_TRUE(clock.first_ns > 1, "the first byte has its time");
        }
}

static void truncate_file(void)
{
    CHECK_INT(__LINE__, "truncate", truncate(path, 1000), 0);
}

static void write_file(void)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    CHECK_INT(__LINE__, "write", write(fd, content, FILE_BYTES), FILE_BYTES);
    close(fd);
}

static void test_shrinking(void)
{
    for (int mode = NEVER_RESIDENT; mode <= AFTER_READ_AHEAD; mode++) {
        struct stage_clock clock = {.head_ns = 1};
        residency = mode;
        CHECK_INT(mode, "failed", send_part(&clock, 0, FILE_BYTES, truncate_file), BODY_FAILED);
        CHECK_TRUE(received_len <= 70000, "mode %d: %zu bytes", mode, received_len);
        write_file();
    }
}

static void test_giving_up_while_the_lane_reads(void)
{
    struct file_entry *entry = open_entry();
    struct body_part part = {entry, false, 0, FILE_BYTES};
    struct stage_clock clock = {.head_ns = 1};
    struct body body = {.on_ready = on_ready, .clock = &clock};

    list_init(&body.stalled);
    residency = NEVER_RESIDENT;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    waits = 0;
    CHECK_INT(__LINE__, "waits",
              body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part),
              BODY_WAITING);
    body_end(&body, &the_loop);
    while (the_loop.port.outstanding > 0)
        uv_run(&the_loop.uv, UV_RUN_ONCE);
    CHECK_INT(__LINE__, "nobody is called", waits, 0);
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    CHECK_INT(__LINE__, "and its descriptor", entry->descriptor_users, 0);
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
}

static void test_a_full_lane(void)
{
    struct stage_clock clock = {.head_ns = 1};

    io_lane_resize(shared.read_lane, 1, 0);
    residency = AFTER_READ_AHEAD;
    struct file_entry *entry = open_entry();
    struct body_part part = {entry, false, 0, FILE_BYTES};
    struct body body = {.on_ready = on_ready, .clock = &clock};
    list_init(&body.stalled);
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    waits = asked = 0;
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    CHECK_INT(__LINE__, "waits", last_step, BODY_WAITING);
    CHECK_TRUE(!list_empty(&the_loop.stalled), "for the lane to have room");
    io_lane_resize(shared.read_lane, 1, 16);
    asked = 0;
    body_retry_stalled(&the_loop);
    CHECK_INT(__LINE__, "asked again", waits, 1);
    CHECK_TRUE(list_empty(&the_loop.stalled), "and has its job");
    body_end(&body, &the_loop);
    while (the_loop.port.outstanding > 0)
        uv_run(&the_loop.uv, UV_RUN_ONCE);
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
}

int main(void)
{
    for (size_t i = 0; i < FILE_BYTES; i++)
        content[i] = (char)(i * 7 % 251);
    close(mkstemp(path));
    write_file();
    shared.access_log = access_log_new();
    shared.stat_lane = io_lane_new("stat", 1, 16);
    shared.read_lane = io_lane_new("read", 1, 16);
    CHECK_INT(__LINE__, "loop", loop_init(&the_loop, &shared), 0);
    test_whole_parts();
    test_shrinking();
    test_giving_up_while_the_lane_reads();
    test_a_full_lane();
    io_port_close(&the_loop.port, NULL);
    uv_run(&the_loop.uv, UV_RUN_DEFAULT);
    loop_fini(&the_loop);
    io_lane_free(shared.read_lane);
    io_lane_free(shared.stat_lane);
    access_log_free(shared.access_log);
    unlink(path);
    return check_end("body");
}
