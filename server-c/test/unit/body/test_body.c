/* SPDX-License-Identifier: MIT */
/* A response's bytes: in pieces from memory and from a file, within a quota, to receivers on this host,
 * and where the file changes meanwhile. */
#include "body_fixture.h"

static uint64_t sent_by_body;
static bool receiver_is_local;

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

struct row_pieces {
    struct body_pieces base;
    struct body_piece items[4];
};

static int pieces_made, make_fails_at = -1;

static bool make_piece(struct body_pieces *base, size_t i, struct body_piece *piece)
{
    struct row_pieces *pieces = container_of(base, struct row_pieces, base);

    if ((int)i == make_fails_at)
        return false;
    pieces_made++;
    *piece = pieces->items[i];
    pieces->items[i].text = NULL; /* the body's now */
    return true;
}

static void free_pieces(struct body_pieces *base)
{
    struct row_pieces *pieces = container_of(base, struct row_pieces, base);

    for (size_t i = 0; i < base->count; i++)
        free(pieces->items[i].text);
    free(pieces);
}

static struct body_pieces *new_pieces(const struct piece_row *row)
{
    struct row_pieces *pieces = calloc(1, sizeof(*pieces));

    pieces->base = (struct body_pieces){row->piece_count, make_piece, free_pieces};
    for (size_t i = 0; i < row->piece_count; i++) {
        struct body_piece *piece = &pieces->items[i];
        piece->offset = row->pieces[i].range[0];
        piece->len = row->pieces[i].range[1];
        if (row->pieces[i].text)
            piece->text = text_of(row->pieces[i].text, 1, &piece->text_len);
        want_bytes(content + piece->offset, piece->len);
    }
    return &pieces->base;
}

static struct body_part make_part(const struct piece_row *row)
{
    struct body_part part = {.offset = row->first[0], .len = row->first[1]};

    wanted_len = 0;
    want_bytes(HEAD, sizeof(HEAD) - 1);
    if (row->text)
        part.text = text_of(row->text, row->times, &part.text_len);
    want_bytes(content + part.offset, part.len);
    part.pieces = row->piece_count ? new_pieces(row) : NULL;
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
    int made = pieces_made;

    part.entry = entry;
    residency = RESIDENT;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    CHECK_INT(__LINE__, "used up", last_step, BODY_THROTTLED);
    CHECK_TRUE(pieces_made - made < 3, "%d pieces were made before their turn", pieces_made - made);
    body_end(&body, &the_loop); /* the sanitizer sees what is not freed */
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    part = make_part(row);
    body_part_fini(&part);
    CHECK_TRUE(!part.pieces && !part.text, "a part that is not sent is freed, too");
    file_cache_put(&the_loop.files, entry);
    close(sockets[0]);
    close(sockets[1]);
}

static void test_no_memory_for_a_piece(void)
{
    for (int memory = 0; memory <= 1; memory++)
        for (make_fails_at = 0; make_fails_at < 3; make_fails_at++) {
            struct stage_clock clock = {.head_ns = 1};
            struct body_part part = make_part(&piece_rows[5]);

            part.from_memory = memory;
            residency = RESIDENT;
            CHECK_INT(make_fails_at, "failed", send_any(&clock, &part, NULL), BODY_FAILED);
            CHECK_TRUE(received_len < wanted_len, "all of it?");
        }
    make_fails_at = -1;
}

/* Hundreds of pieces, each of a few bytes: others have their turn between. */
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
    struct body body = {.on_ready = on_ready, .clock = &clock, .quota = UINT64_MAX};
    struct body_part part = {.entry = open_entry(), .pieces = &many};
    int turns = 0;

    residency = RESIDENT;
    received_len = 0;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets);
    last_step = body_start(&body, &the_loop, sockets[0], HEAD, sizeof(HEAD) - 1, &part);
    for (; last_step == BODY_WANTS_TURN; turns++)
        last_step = body_send(&body, &the_loop, sockets[0]);
    receive_some();
    CHECK_INT(__LINE__, "sent", last_step, BODY_SENT);
    CHECK_INT(__LINE__, "turns", turns, 200 / PIECES_AT_ONCE);
    CHECK_INT(__LINE__, "all", received_len, sizeof(HEAD) - 1 + 200);
    CHECK_TRUE(memcmp(received + sizeof(HEAD) - 1, content, 200) == 0, "other bytes");
    body_end(&body, &the_loop);
    file_cache_put(&the_loop.files, part.entry);
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

/* Of the same size at another time it was written anew, or its writer is in the middle of appending: the
 * kernel sets the time before the size. */
static void test_another_time(void)
{
    for (int mode = NEVER_RESIDENT; mode <= AFTER_READ_AHEAD; mode++) {
        struct stage_clock clock = {.head_ns = 1};
        residency = mode;
        when_unsure = append_to_file;
        CHECK_INT(mode, "sent", send_part(&clock, 0, FILE_BYTES, touch_file), BODY_SENT);
        CHECK_INT(mode, "as long as promised", received_len, sizeof(HEAD) - 1 + FILE_BYTES);
        when_unsure = NULL;
        write_file();
        CHECK_INT(mode, "failed", send_part(&clock, 0, FILE_BYTES, touch_file), BODY_FAILED);
        write_file();
    }
}

/* A log, a recording, an upload under way: the bytes that the head promised are there. */
static void test_growing(void)
{
    for (int mode = NEVER_RESIDENT; mode <= AFTER_READ_AHEAD; mode++) {
        struct stage_clock clock = {.head_ns = 1};
        residency = mode;
        CHECK_INT(mode, "sent", send_part(&clock, 0, FILE_BYTES, append_to_file), BODY_SENT);
        CHECK_INT(mode, "as long as promised", received_len, sizeof(HEAD) - 1 + FILE_BYTES);
        CHECK_TRUE(memcmp(received + sizeof(HEAD) - 1, content, FILE_BYTES) == 0, "mode %d", mode);
        write_file();
    }
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
    return end("body");
}
