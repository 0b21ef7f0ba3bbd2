/* SPDX-License-Identifier: MIT */
/* Sending over HTTP/1.1: a head and the bytes of a body within a quota, to receivers on this host,
 * to full sockets, and when the file changes meanwhile. */
#include "body_pieces.h"

#include "connection/sink.c"

#define HEAD "HTTP/1.1 200 OK\r\n\r\n"

struct sending {
    struct sink sink;
    struct body body;
};

static struct sending now; /* one at a time */
static int sockets[2];
static struct transport transport; /* by the first */
static enum sink_step last_step;
static uint64_t sent_by_sink;
static bool receiver_is_local;
static uint64_t quota_per_step = UINT64_MAX;
static int throttled;
static void (*when_unsure)(void); /* NULL: nothing happens */

static void go_on(void)
{
    last_step = sink_send(&now.sink, &now.body, &the_loop, &transport);
}

static void on_ready(struct body *body)
{
    (void)body;
    waits++;
    go_on();
}

static void start(struct stage_clock *clock, uint64_t quota, const struct body_part *part)
{
    char head[sizeof(HEAD) - 1];

    now = (struct sending){
        .sink = {.clock = clock, .quota = quota, .receiver_is_local = receiver_is_local},
        .body = {.on_ready = on_ready, .clock = clock}};
    body_begin(&now.body, part);
    memcpy(head, HEAD, sizeof(head));
    last_step = sink_start(&now.sink, &now.body, &the_loop, &transport, head, sizeof(head));
    memset(head, 'x', sizeof(head)); /* its memory is the next response's */
}

static void stop(void)
{
    body_end(&now.body, &the_loop);
    sink_end(&now.sink);
}

static void open_sockets(void)
{
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    transport = transport_of_socket(sockets[0]);
}

static void close_sockets(void)
{
    close(sockets[0]);
    close(sockets[1]);
}

static void receive_some(void)
{
    ssize_t n;
    while ((n = recv(sockets[1], received + received_len, sizeof(received) - received_len,
                     MSG_DONTWAIT)) > 0)
        received_len += (size_t)n;
}

static bool is_writing(enum sink_step step)
{
    return step == SINK_WANTS_WRITE || step == SINK_WANTS_TURN || step == SINK_UNSURE;
}

static void receive_to_the_end(void (*meanwhile)(void))
{
    while (last_step == SINK_WAITING || is_writing(last_step) || last_step == SINK_THROTTLED) {
        if (meanwhile)
            meanwhile();
        meanwhile = NULL;
        if (last_step == SINK_WAITING)
            uv_run(&the_loop.uv, UV_RUN_ONCE);
        receive_some();
        if (last_step == SINK_UNSURE && when_unsure)
            when_unsure();
        if (last_step == SINK_THROTTLED) {
            CHECK_INT(__LINE__, "the quota is used up", now.sink.quota, 0);
            throttled++;
            now.sink.quota = quota_per_step;
        } else if (!is_writing(last_step)) {
            continue;
        }
        go_on();
    }
    receive_some();
}

/* Sends `part` of the file after a head, taking over its texts. Returns the last step. */
static enum sink_step send_any(struct stage_clock *clock, struct body_part *part,
                               void (*meanwhile)(void))
{
    struct file_entry *entry = open_entry();

    if (part->from_memory) {
        CHECK(file_entry_make_body(&the_loop.files, entry));
        memcpy(entry->body, content, FILE_BYTES);
    }
    part->entry = entry;
    received_len = 0;
    waits = asked = throttled = 0;
    open_sockets();
    start(clock, quota_per_step, part);
    receive_to_the_end(meanwhile);
    sent_by_sink = now.sink.sent;
    stop();
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    CHECK_INT(__LINE__, "and its descriptor", entry->descriptor_users, 0);
    file_cache_put(&the_loop.files, entry);
    close_sockets();
    return last_step;
}

static enum sink_step send_part(struct stage_clock *clock, uint64_t offset, uint64_t len,
                                void (*meanwhile)(void))
{
    struct body_part part = {.offset = offset, .len = len};
    return send_any(clock, &part, meanwhile);
}

static void check_pieces(const struct piece_row *row, bool from_memory)
{
    struct stage_clock clock = {.head_ns = 1};
    struct body_part part = make_part(row);
    size_t head_len = sizeof(HEAD) - 1, all_len = head_len + wanted_len;

    part.from_memory = from_memory;
    CHECK_INT(residency, row->name, send_any(&clock, &part, NULL), SINK_SENT);
    CHECK_INT(residency, row->name, received_len, all_len);
    CHECK_INT(residency, row->name, sent_by_sink, all_len);
    CHECK_TRUE(memcmp(received, HEAD, head_len) == 0, "\"%s\": another head", row->name);
    CHECK_TRUE(memcmp(received + head_len, wanted, wanted_len) == 0, "\"%s\": other bytes",
               row->name);
    CHECK_TRUE(clock.first_ns > 1, "\"%s\": the first byte has its time", row->name);
    if (quota_per_step != UINT64_MAX)
        CHECK_TRUE((uint64_t)throttled + 1 >= (all_len + quota_per_step - 1) / quota_per_step,
                   "\"%s\": %d steps only", row->name, throttled);
    else
        CHECK_INT(residency, row->name, throttled, 0);
}

/* The same step in the middle of a long text thousands of times again shows nothing more. */
#define MOST_STEPS 2000

static uint64_t quota_for(const struct piece_row *row, uint64_t quota)
{
    struct body_part part = make_part(row);
    uint64_t least = (sizeof(HEAD) - 1 + wanted_len) / MOST_STEPS;

    body_part_fini(&part);
    return quota < least ? least : quota;
}

static void test_pieces(void)
{
    static const uint64_t quotas[] = {UINT64_MAX, 7001, 50, 7};

    for (size_t q = 0; q < sizeof(quotas) / sizeof(quotas[0]); q++)
        for (size_t i = 0; i < sizeof(piece_rows) / sizeof(piece_rows[0]); i++) {
            quota_per_step = quota_for(&piece_rows[i], quotas[q]);
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
    struct file_entry *entry = open_entry();
    struct body_part part = make_part(row);
    int made = pieces_made;

    part.entry = entry;
    residency = RESIDENT;
    open_sockets();
    start(&clock, 30, &part);
    CHECK_INT(__LINE__, "used up", last_step, SINK_THROTTLED);
    CHECK_TRUE(pieces_made - made < 3, "%d pieces were made before their turn", pieces_made - made);
    stop(); /* sanitizers report what is not freed */
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    part = make_part(row);
    body_part_fini(&part);
    CHECK_TRUE(!part.pieces && !part.text, "a part that is not sent is freed, too");
    file_cache_put(&the_loop.files, entry);
    close_sockets();
}

static void test_no_memory_for_a_piece(void)
{
    for (int memory = 0; memory <= 1; memory++)
        for (make_fails_at = 0; make_fails_at < 3; make_fails_at++) {
            struct stage_clock clock = {.head_ns = 1};
            struct body_part part = make_part(&piece_rows[5]);

            part.from_memory = memory;
            residency = RESIDENT;
            CHECK_INT(make_fails_at, "failed", send_any(&clock, &part, NULL), SINK_FAILED);
            CHECK_TRUE(received_len < sizeof(HEAD) - 1 + wanted_len, "all of it?");
        }
    make_fails_at = -1;
}

/* Hundreds of pieces of a few bytes each: other connections get their turn in between. */
static bool make_byte(struct body_pieces *pieces, size_t i, struct body_piece *piece)
{
    (void)pieces;
    piece->offset = i;
    piece->len = 1;
    return true;
}

static void free_nothing(struct body_pieces *pieces)
{
    (void)pieces;
}

static void test_many_pieces(void)
{
    struct body_pieces many = {200, make_byte, free_nothing};
    struct stage_clock clock = {.head_ns = 1};
    struct body_part part = {.entry = open_entry(), .pieces = &many};
    int turns = 0;

    residency = RESIDENT;
    received_len = 0;
    open_sockets();
    start(&clock, UINT64_MAX, &part);
    for (; last_step == SINK_WANTS_TURN; turns++)
        go_on();
    receive_some();
    CHECK_INT(__LINE__, "sent", last_step, SINK_SENT);
    CHECK_INT(__LINE__, "turns", turns, 200 / SLICES_AT_ONCE);
    CHECK_INT(__LINE__, "all", received_len, sizeof(HEAD) - 1 + 200);
    CHECK_TRUE(memcmp(received + sizeof(HEAD) - 1, content, 200) == 0, "other bytes");
    stop();
    file_cache_put(&the_loop.files, part.entry);
    close_sockets();
}

static void test_whole_parts(void)
{
    static const uint64_t parts[][2] = {
        {0, FILE_BYTES}, {0, 1}, {FILE_BYTES - 1, 1}, {70000, 130000}, {65536, 65536}};

    for (int mode = NEVER_RESIDENT; mode <= RESIDENT; mode++)
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
            struct stage_clock clock = {.head_ns = 1};
            residency = mode;
            CHECK_INT(mode, "sent", send_part(&clock, parts[i][0], parts[i][1], NULL), SINK_SENT);
            CHECK_INT(mode, "bytes", received_len, sizeof(HEAD) - 1 + parts[i][1]);
            CHECK_TRUE(memcmp(received, HEAD, sizeof(HEAD) - 1) == 0, "the head is first");
            CHECK_TRUE(memcmp(received + sizeof(HEAD) - 1, content + parts[i][0], parts[i][1]) == 0,
                       "mode %d, part %zu: other bytes", mode, i);
            CHECK_TRUE((waits > 0) == (mode != RESIDENT), "mode %d: %d waits", mode, waits);
            CHECK_INT(mode, "the clock knows", clock.read_disk, mode != RESIDENT);
            CHECK_TRUE(clock.first_ns > 1, "the first byte has its time");
        }
}

/* For a receiver on this host a long file is sent in pieces that stay in the processor's caches,
 * with turns between. */
static void test_a_local_receiver(void)
{
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    struct stage_clock clock = {.head_ns = 1};

    residency = RESIDENT;
    receiver_is_local = true;
    open_sockets();
    start(&clock, UINT64_MAX, &part);
    CHECK_INT(__LINE__, "others have their turn", last_step, SINK_WANTS_TURN);
    CHECK_INT(__LINE__, "the head and a piece", now.sink.sent, sizeof(HEAD) - 1 + LOCAL_BYTES);
    go_on();
    CHECK_INT(__LINE__, "another piece", now.sink.sent, sizeof(HEAD) - 1 + 2 * LOCAL_BYTES);
    stop();
    file_cache_put(&the_loop.files, entry);
    close_sockets();
}

static void truncate_file(void)
{
    CHECK_INT(__LINE__, "truncate", truncate(path, 1000), 0);
}

static void test_shrinking(void)
{
    for (int mode = NEVER_RESIDENT; mode <= AFTER_READ_AHEAD; mode++) {
        struct stage_clock clock = {.head_ns = 1};
        residency = mode;
        CHECK_INT(mode, "failed", send_part(&clock, 0, FILE_BYTES, truncate_file), SINK_FAILED);
        CHECK_TRUE(received_len <= 70000, "mode %d: %zu bytes", mode, received_len);
        write_file();
    }
}

static void append_to_file(void)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

    CHECK_INT(__LINE__, "append", write(fd, "and more", 8), 8);
    close(fd);
}

static void touch_file(void)
{
    const struct timespec times[2] = {{1, 0}, {1, 0}};

    CHECK_INT(__LINE__, "touch", utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A file of the same size with another time was rewritten, or its writer is appending at this
 * moment: the kernel sets the time before the size. */
static void test_another_time(void)
{
    for (int mode = NEVER_RESIDENT; mode <= AFTER_READ_AHEAD; mode++) {
        struct stage_clock clock = {.head_ns = 1};
        residency = mode;
        when_unsure = append_to_file;
        CHECK_INT(mode, "sent", send_part(&clock, 0, FILE_BYTES, touch_file), SINK_SENT);
        CHECK_INT(mode, "as long as promised", received_len, sizeof(HEAD) - 1 + FILE_BYTES);
        when_unsure = NULL;
        write_file();
        CHECK_INT(mode, "failed", send_part(&clock, 0, FILE_BYTES, touch_file), SINK_FAILED);
        write_file();
    }
}

/* A log, a recording or an upload under way: the bytes that the head announced are there. */
static void test_growing(void)
{
    for (int mode = NEVER_RESIDENT; mode <= AFTER_READ_AHEAD; mode++) {
        struct stage_clock clock = {.head_ns = 1};
        residency = mode;
        CHECK_INT(mode, "sent", send_part(&clock, 0, FILE_BYTES, append_to_file), SINK_SENT);
        CHECK_INT(mode, "as long as promised", received_len, sizeof(HEAD) - 1 + FILE_BYTES);
        CHECK_TRUE(memcmp(received + sizeof(HEAD) - 1, content, FILE_BYTES) == 0, "mode %d", mode);
        write_file();
    }
}

/* A full socket or a quota of zero makes the first byte wait: that is not time spent on sending
 * it. */
static void test_no_first_byte_yet(void)
{
    struct stage_clock clock = {.head_ns = 1};
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES, .from_memory = true};

    CHECK(file_entry_make_body(&the_loop.files, entry));
    memcpy(entry->body, content, FILE_BYTES);
    open_sockets();
    received_len = 0;
    start(&clock, 0, &part);
    CHECK_INT(__LINE__, "no quota", last_step, SINK_THROTTLED);
    CHECK_INT(__LINE__, "nothing sent", clock.first_ns, 0);
    while (send(sockets[0], content, 1000, MSG_DONTWAIT) > 0)
        ;
    now.sink.quota = UINT64_MAX;
    go_on();
    CHECK_INT(__LINE__, "a full socket", last_step, SINK_WANTS_WRITE);
    CHECK_INT(__LINE__, "still nothing sent", clock.first_ns, 0);
    stop();
    start(&clock, UINT64_MAX, &part);
    CHECK_INT(__LINE__, "a full socket at once", last_step, SINK_WANTS_WRITE);
    CHECK_INT(__LINE__, "nothing sent this time", clock.first_ns, 0);
    while (recv(sockets[1], received, sizeof(received), MSG_DONTWAIT) > 0)
        ;
    go_on();
    CHECK_TRUE(clock.first_ns > 1, "now it has its time");
    stop();
    file_cache_put(&the_loop.files, entry);
    close_sockets();
}

int main(void)
{
    begin();
    for (int local = 0; local <= 1; local++) {
        receiver_is_local = local;
        test_whole_parts();
        test_shrinking();
        test_growing();
        test_another_time();
        test_pieces();
    }
    test_a_local_receiver();
    test_an_end_in_the_middle();
    test_no_memory_for_a_piece();
    test_many_pieces();
    test_no_first_byte_yet();
    return end("sink");
}
