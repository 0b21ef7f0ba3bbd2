/* SPDX-License-Identifier: MIT */
/* A response's bytes: in pieces from memory and from a file, within a quota, and through the read
 * lane where the kernel never says that bytes are resident (network file systems), where it says so
 * after a read-ahead, where the file changes meanwhile, and where the lane is full. Chunks grow. */
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
#include "file_read.h"
#include "file_resident.h"
#include "body.c"
#include "body_file.c"
#include "body_out.c"
#include "body_read.c"
#undef file_residents_ask
#undef file_read_resident

#include "check.h"
#include "file_entry.h"

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
static uint64_t sent_by_body;
static bool receiver_is_local;

static bool is_writing(enum body_step step)
{
    return step == BODY_WANTS_WRITE || step == BODY_WANTS_TURN;
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

/* Sends `part` of the file after a head, taking over its texts. The step it ends with. */
static enum body_step send_any(struct stage_clock *clock, struct body_part *part,
                               void (*meanwhile)(void))
{
    struct file_entry *entry = open_entry();
    struct body body = {.on_ready = on_ready,
                        .clock = clock,
                        .quota = quota_per_step,
                        .receiver_is_local = receiver_is_local};

    if (part->from_memory) {
        CHECK(file_entry_make_body(&the_loop.files, entry));
        memcpy(entry->body, content, FILE_BYTES);
    }
    part->entry = entry;
    received_len = 0;
    waits = asked = throttled = 0;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, part);
    receive_to_the_end(&body, meanwhile);
    sent_by_body = body.sent;
    body_end(&body, &the_loop);
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    CHECK_INT(__LINE__, "and its descriptor", entry->descriptor_users, 0);
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
    return last_step;
}

static enum body_step send_part(struct stage_clock *clock, uint64_t offset, uint64_t len,
                                void (*meanwhile)(void))
{
    struct body_part part = {.offset = offset, .len = len};
    return send_any(clock, &part, meanwhile);
}

/* --- pieces ---------------------------------------------------------------------------------- */

static char wanted[3 * FILE_BYTES];
static size_t wanted_len;

static void want_bytes(const char *bytes, size_t len)
{
    memcpy(wanted + wanted_len, bytes, len);
    wanted_len += len;
}

/* `text` repeated `times`, on the heap, and among what is wanted. */
static char *text_of(const char *text, size_t times, size_t *len)
{
    size_t one = strlen(text);
    char *bytes = malloc(one * times + 1);

    for (size_t i = 0; i < times; i++)
        memcpy(bytes + i * one, text, one);
    *len = one * times;
    want_bytes(bytes, *len);
    return bytes;
}

struct piece_row {
    const char *name, *text; /* before the first range; NULL: none */
    size_t times;
    uint64_t first[2];
    struct {
        const char *text;
        uint64_t range[2];
    } pieces[4];
    size_t piece_count;
};

static const struct piece_row piece_rows[] = {
    {"a head alone", NULL, 0, {0, 0}, {{NULL, {0, 0}}}, 0},
    {"a short text", "<ul></ul>", 1, {0, 0}, {{NULL, {0, 0}}}, 0},
    {"a text longer than the socket's buffer", "0123456789", 50000, {0, 0}, {{NULL, {0, 0}}}, 0},
    {"a text and a range", "text", 1, {1000, 120000}, {{NULL, {0, 0}}}, 0},
    {"two ranges and an end",
     "--b 1",
     1,
     {10, 20},
     {{"--b 2", {200000, 100000}}, {"--b--", {0, 0}}},
     2},
    {"ranges that overlap and go back",
     "--b 1",
     1,
     {299999, 1},
     {{"--b 2", {0, 70000}}, {"--b 3", {100, 65536}}, {"--b--", {0, 0}}},
     3},
    {"pieces without a text", NULL, 0, {0, 5}, {{NULL, {5, 5}}, {NULL, {10, 299990}}}, 2},
    {"only pieces", NULL, 0, {0, 0}, {{"a", {0, 1}}, {"b", {1, 1}}, {"c", {0, 0}}}, 3},
    {"empty pieces", NULL, 0, {0, 0}, {{NULL, {0, 0}}, {"x", {0, 0}}, {NULL, {0, 0}}}, 3},
};

static struct body_part make_part(const struct piece_row *row)
{
    struct body_part part = {.offset = row->first[0], .len = row->first[1]};

    wanted_len = 0;
    want_bytes(HEAD, sizeof(HEAD) - 1);
    if (row->text)
        part.text = text_of(row->text, row->times, &part.text_len);
    want_bytes(content + part.offset, part.len);
    part.piece_count = row->piece_count;
    part.pieces = row->piece_count ? calloc(row->piece_count, sizeof(*part.pieces)) : NULL;
    for (size_t i = 0; i < row->piece_count; i++) {
        struct body_piece *piece = &part.pieces[i];
        piece->offset = row->pieces[i].range[0];
        piece->len = row->pieces[i].range[1];
        if (row->pieces[i].text)
            piece->text = text_of(row->pieces[i].text, 1, &piece->text_len);
        want_bytes(content + piece->offset, piece->len);
    }
    return part;
}

static void check_pieces(const struct piece_row *row, bool from_memory)
{
    struct stage_clock clock = {.head_ns = 1};
    struct body_part part = make_part(row);

    part.from_memory = from_memory;
    CHECK_INT(residency, row->name, send_any(&clock, &part, NULL), BODY_SENT);
    CHECK_INT(residency, row->name, received_len, wanted_len);
    CHECK_INT(residency, row->name, sent_by_body, wanted_len);
    CHECK_TRUE(memcmp(received, wanted, wanted_len) == 0, "\"%s\": other bytes", row->name);
    CHECK_TRUE(clock.first_ns > 1, "\"%s\": the first byte has its time", row->name);
    if (quota_per_step != UINT64_MAX)
        CHECK_TRUE((uint64_t)throttled + 1 >= (wanted_len + quota_per_step - 1) / quota_per_step,
                   "\"%s\": %d steps only", row->name, throttled);
    else
        CHECK_INT(residency, row->name, throttled, 0);
}

static void test_pieces(void)
{
    static const uint64_t quotas[] = {UINT64_MAX, 7001, 50};

    for (size_t q = 0; q < sizeof(quotas) / sizeof(quotas[0]); q++)
        for (size_t i = 0; i < sizeof(piece_rows) / sizeof(piece_rows[0]); i++) {
            quota_per_step = quotas[q];
            for (int mode = NEVER_RESIDENT; mode <= RESIDENT; mode++) {
                residency = mode;
                check_pieces(&piece_rows[i], false);
            }
            check_pieces(&piece_rows[i], true);
        }
    quota_per_step = UINT64_MAX;
}

static void test_an_end_in_the_middle(void)
{
    const struct piece_row *row = &piece_rows[5];
    struct stage_clock clock = {.head_ns = 1};
    struct body body = {.on_ready = on_ready, .clock = &clock, .quota = 30};
    struct file_entry *entry = open_entry();
    struct body_part part = make_part(row);

    part.entry = entry;
    residency = RESIDENT;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    CHECK_INT(__LINE__, "used up", last_step, BODY_THROTTLED);
    body_end(&body, &the_loop); /* the sanitizer sees what is not freed */
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    part = make_part(row);
    body_part_fini(&part);
    CHECK_TRUE(!part.pieces && !part.text, "a part that is not sent is freed, too");
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
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

/* On this host a long file goes in pieces that stay in the processor's caches, with turns between. */
static void test_a_local_receiver(void)
{
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    struct stage_clock clock = {.head_ns = 1};
    struct body body = {
        .on_ready = on_ready, .clock = &clock, .quota = UINT64_MAX, .receiver_is_local = true};

    residency = RESIDENT;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    CHECK_INT(__LINE__, "others have their turn", last_step, BODY_WANTS_TURN);
    CHECK_INT(__LINE__, "the head and a piece", body.sent, sizeof(HEAD) - 1 + LOCAL_BYTES);
    last_step = body_send(&body, &the_loop, sockets[0]);
    CHECK_INT(__LINE__, "another piece", body.sent, sizeof(HEAD) - 1 + 2 * LOCAL_BYTES);
    body_end(&body, &the_loop);
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
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
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    struct stage_clock clock = {.head_ns = 1};
    struct body body = {.on_ready = on_ready, .clock = &clock, .quota = UINT64_MAX};

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

/* --- many bodies, a lane with hardly any room ------------------------------------------------ */

#define CROWD 200

static struct body crowd[CROWD];
static int crowd_calls, crowd_sockets[CROWD][2];
static bool crowd_done[CROWD];

static void on_crowd_ready(struct body *body)
{
    size_t i = (size_t)(body - crowd);
    enum body_step step = BODY_WANTS_WRITE;

    crowd_calls++;
    while (is_writing(step)) {
        while (recv(crowd_sockets[i][1], received, sizeof(received), MSG_DONTWAIT) > 0)
            ;
        step = body_send(body, &the_loop, crowd_sockets[i][0]);
    }
    CHECK_TRUE(step == BODY_WAITING || step == BODY_SENT, "body %zu: %d", i, step);
    if (step == BODY_SENT)
        crowd_done[i] = true;
}

/* Once begun, all get their chunks in turn, though the queue is far shorter than they are many. */
static void test_a_crowd(void)
{
    struct stage_clock clock = {.head_ns = 1};
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    int chunks = CROWD * (FILE_BYTES / 65536 + 1), rounds = 0, done = 0, first_done = 0;

    io_lane_resize(shared.read_lane, 1, CROWD);
    residency = NEVER_RESIDENT;
    for (size_t i = 0; i < CROWD; i++) {
        crowd[i] = (struct body){.on_ready = on_crowd_ready, .clock = &clock, .quota = UINT64_MAX};
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, crowd_sockets[i]);
        CHECK_INT(
            __LINE__, "waits",
            body_start(&crowd[i], &the_loop, crowd_sockets[i][0], HEAD, sizeof(HEAD) - 1, &part),
            BODY_WAITING);
    }
    io_lane_resize(shared.read_lane, 1, 4);
    for (; done < CROWD && rounds < 100 * chunks; rounds++) {
        uv_run(&the_loop.uv, UV_RUN_ONCE);
        done = 0;
        for (size_t i = 0; i < CROWD; i++)
            done += crowd_done[i];
        if (done > 0 && first_done == 0)
            first_done = crowd_calls;
    }
    CHECK_INT(__LINE__, "all were sent", done, CROWD);
    CHECK_TRUE(crowd_calls < 4 * chunks, "%d calls for %d chunks", crowd_calls, chunks);
    CHECK_TRUE(first_done > chunks / 2, "they take turns: the first ended at call %d", first_done);
    for (size_t i = 0; i < CROWD; i++) {
        body_end(&crowd[i], &the_loop);
        close(crowd_sockets[i][0]);
        close(crowd_sockets[i][1]);
    }
    file_cache_put(&the_loop.files, entry);
    io_lane_resize(shared.read_lane, 1, 16);
}

/* A full socket, or no quota, is waiting for the first byte; not the time it took to send it. */
static void test_no_first_byte_yet(void)
{
    struct stage_clock clock = {.head_ns = 1};
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES, .from_memory = true};
    struct body body = {.on_ready = on_ready, .clock = &clock};

    CHECK(file_entry_make_body(&the_loop.files, entry));
    memcpy(entry->body, content, FILE_BYTES);
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    received_len = 0;
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    CHECK_INT(__LINE__, "no quota", last_step, BODY_THROTTLED);
    CHECK_INT(__LINE__, "nothing sent", clock.first_ns, 0);
    while (send(sockets[0], content, 1000, MSG_DONTWAIT) > 0)
        ;
    body.quota = UINT64_MAX;
    last_step = body_send(&body, &the_loop, sockets[0]);
    CHECK_INT(__LINE__, "a full socket", last_step, BODY_WANTS_WRITE);
    CHECK_INT(__LINE__, "still nothing sent", clock.first_ns, 0);
    body_end(&body, &the_loop);
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    CHECK_INT(__LINE__, "a full socket at once", last_step, BODY_WANTS_WRITE);
    CHECK_INT(__LINE__, "nothing sent this time", clock.first_ns, 0);
    while (recv(sockets[1], received, sizeof(received), MSG_DONTWAIT) > 0)
        ;
    last_step = body_send(&body, &the_loop, sockets[0]);
    CHECK_TRUE(clock.first_ns > 1, "now it has its time");
    body_end(&body, &the_loop);
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
}

/* The first read of a response may be refused: nothing was sent that a 503 could not replace. */
static void test_a_full_lane(void)
{
    struct stage_clock clock = {.head_ns = 1};
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    struct body body = {.on_ready = on_ready, .clock = &clock, .quota = UINT64_MAX};

    io_lane_resize(shared.read_lane, 1, 0);
    residency = AFTER_READ_AHEAD;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    waits = asked = 0;
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    CHECK_INT(__LINE__, "refused", last_step, BODY_REFUSED);
    body_end(&body, &the_loop);
    CHECK_INT(__LINE__, "no job", the_loop.port.outstanding, 0);
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);

    io_lane_resize(shared.read_lane, 1, 16);
    part = (struct body_part){.entry = entry, .len = FILE_BYTES};
    received_len = 0;
    asked = 0;
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    CHECK_INT(__LINE__, "let in", last_step, BODY_WAITING);
    io_lane_resize(shared.read_lane, 1, 0);
    receive_to_the_end(&body, NULL);
    CHECK_INT(__LINE__, "and not turned out on the way", last_step, BODY_SENT);
    CHECK_INT(__LINE__, "all of it", received_len, sizeof(HEAD) - 1 + FILE_BYTES);
    body_end(&body, &the_loop);
    io_lane_resize(shared.read_lane, 1, 16);
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
}

static void test_chunks(void)
{
    static const struct {
        const char *name;
        uint64_t sent;
        bool by_copy;
        size_t chunk;
    } rows[] = {
        {"the first", 0, false, 65536},
        {"the second", 65536, false, 65536},
        {"the third", 2 * 65536, false, 2 * 65536},
        {"with the head, too", 2 * 65536 + 300, false, 2 * 65536},
        {"as large as they get", 100 * 65536, false, 4 * 65536},
        {"copied", 100 * 65536, true, 65536},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct body body = {.sent = rows[i].sent, .by_copy = rows[i].by_copy};
        CHECK_INT((int)i, rows[i].name, chunk_of(&body, &the_loop), rows[i].chunk);
    }
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
    for (int local = 0; local <= 1; local++) {
        receiver_is_local = local;
        test_whole_parts();
        test_shrinking();
        test_giving_up_while_the_lane_reads();
        test_pieces();
    }
    test_a_local_receiver();
    test_an_end_in_the_middle();
    test_no_first_byte_yet();
    test_a_full_lane();
    test_chunks();
    test_a_crowd();
    io_port_close(&the_loop.port, NULL);
    uv_run(&the_loop.uv, UV_RUN_DEFAULT);
    loop_fini(&the_loop);
    io_lane_free(shared.read_lane);
    io_lane_free(shared.stat_lane);
    access_log_free(shared.access_log);
    unlink(path);
    return check_end("body");
}
