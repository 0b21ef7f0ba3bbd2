/* SPDX-License-Identifier: MIT */
/* A response's bytes without a connection: piece after piece, from memory and from a file, pulled
 * by callers that take much, little or nothing of what they are shown. */
#include "body_pieces.h"
#include "body_slice.h"

static struct body body;
static enum body_step last_step;

static void on_ready(struct body *ready)
{
    (void)ready;
    waits++;
}

static void take(const struct body_slice *slice, size_t n)
{
    slice_copy(received + received_len, slice, n);
    received_len += n;
    body_took(&body, n);
}

/* Pulls everything, at most `most` bytes at a time. */
static void pull(const struct body_want *want, void (*meanwhile)(void))
{
    bool was_last = false;

    while (!body_is_spent(&body)) {
        struct body_slice slice = {.fd = -1};
        last_step = body_next(&body, &the_loop, want, &slice);
        if (last_step == BODY_WAITING) {
            int before = waits;
            if (meanwhile)
                meanwhile();
            while (waits == before)
                uv_run(&the_loop.uv, UV_RUN_ONCE);
        } else if (last_step == BODY_BYTES) {
            size_t len = slice_len(&slice);
            CHECK_TRUE(!want->in_memory || slice.len == 0, "a descriptor where memory was wanted");
            CHECK_TRUE(!slice.is_last || !slice.has_more, "the last, and more?");
            was_last = slice.is_last && len <= want->most;
            take(&slice, len < want->most ? len : (size_t)want->most);
        } else if (last_step != BODY_UNSURE) {
            return;
        }
        if (meanwhile && last_step != BODY_WAITING)
            meanwhile();
    }
    CHECK_TRUE(was_last || received_len == 0, "the last slice says that it is");
}

static struct file_entry *entry;
static struct stage_clock the_clock;

static void start(struct body_part *part)
{
    entry = open_entry();
    the_clock = (struct stage_clock){.head_ns = 1};
    body = (struct body){.on_ready = on_ready, .clock = &the_clock};
    if (part->from_memory) {
        CHECK(file_entry_make_body(&the_loop.files, entry));
        memcpy(entry->body, content, FILE_BYTES);
    }
    part->entry = entry;
    received_len = 0;
    waits = asked = 0;
    body_begin(&body, part);
}

static void stop(void)
{
    body_end(&body, &the_loop);
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    CHECK_INT(__LINE__, "and its descriptor", entry->descriptor_users, 0);
    file_cache_put(&the_loop.files, entry);
}

static void check_pieces(const struct piece_row *row, bool from_memory,
                         const struct body_want *want)
{
    struct body_part part = make_part(row);

    part.from_memory = from_memory;
    start(&part);
    pull(want, NULL);
    CHECK_TRUE(body_is_spent(&body), "\"%s\": %d", row->name, last_step);
    CHECK_INT(residency, row->name, received_len, wanted_len);
    CHECK_INT(residency, row->name, body.taken, wanted_len);
    CHECK_TRUE(memcmp(received, wanted, wanted_len) == 0, "\"%s\": other bytes", row->name);
    stop();
}

static void test_pieces(void)
{
    static const uint64_t most[] = {UINT64_MAX, 16384, 777, 50};

    for (size_t m = 0; m < sizeof(most) / sizeof(most[0]); m++)
        for (size_t i = 0; i < sizeof(piece_rows) / sizeof(piece_rows[0]); i++)
            for (int in_memory = 0; in_memory <= 1; in_memory++) {
                struct body_want want = {most[m], in_memory};
                for (int mode = NEVER_RESIDENT; mode <= RESIDENT; mode++) {
                    residency = mode;
                    check_pieces(&piece_rows[i], false, &want);
                }
                check_pieces(&piece_rows[i], true, &want);
            }
}

/* A caller that can't send yet is shown the same bytes again, without another read from the
 * disk. */
static void test_nothing_taken(void)
{
    static const struct body_want all = {UINT64_MAX, false};
    struct body_part part = make_part(&piece_rows[4]);
    struct body_slice first = {.fd = -1}, again = {.fd = -1};

    residency = RESIDENT;
    start(&part);
    CHECK_INT(__LINE__, "shown", body_next(&body, &the_loop, &all, &first), BODY_BYTES);
    CHECK_INT(__LINE__, "again", body_next(&body, &the_loop, &all, &again), BODY_BYTES);
    CHECK_INT(__LINE__, "a text and a range", first.count, 2);
    CHECK_INT(__LINE__, "of 5 and 20 bytes", slice_len(&first), 25);
    CHECK_INT(__LINE__, "as many as before", slice_len(&again), 25);
    CHECK_TRUE(again.bytes[0].iov_base == first.bytes[0].iov_base, "another text");
    CHECK_INT(__LINE__, "more pieces", again.has_more, true);
    CHECK_INT(__LINE__, "nothing was taken", body.taken, 0);
    CHECK_INT(__LINE__, "no wait", waits, 0);
    stop();
}

/* Shows one burst at a time. A caller that wants memory gets pieces that fit in the processor's
 * caches. */
static void test_bursts(void)
{
    static const struct {
        const char *name;
        bool in_memory;
        uint64_t len, most;
        size_t slice;
        bool ends_turn;
    } rows[] = {
        /* The faked page cache has 100,000. */
        {"short: copied", false, SHORT_BYTES, UINT64_MAX, 100000, true},
        {"long: by descriptor", false, FILE_BYTES, UINT64_MAX, 100000, true},
        {"long, into memory", true, FILE_BYTES, UINT64_MAX, LOCAL_BYTES, true},
        {"short, into memory", true, 1000, UINT64_MAX, 1000, false},
        {"little is wanted", false, FILE_BYTES, 10, 10, true},
        {"little is wanted, in memory", true, FILE_BYTES, 10, 10, true},
    };

    residency = RESIDENT;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct body_part part = {.len = rows[i].len};
        struct body_want want = {rows[i].most, rows[i].in_memory};
        struct body_slice slice = {.fd = -1};
        start(&part);
        CHECK_INT((int)i, rows[i].name, body_next(&body, &the_loop, &want, &slice), BODY_BYTES);
        CHECK_INT((int)i, rows[i].name, slice_len(&slice), rows[i].slice);
        CHECK_INT((int)i, rows[i].name, slice.ends_turn, rows[i].ends_turn);
        CHECK_INT((int)i, rows[i].name, slice.is_last, !rows[i].ends_turn);
        stop();
    }
}

static void test_no_memory_for_a_piece(void)
{
    static const struct body_want all = {UINT64_MAX, false};

    residency = RESIDENT;
    for (make_fails_at = 0; make_fails_at < 3; make_fails_at++) {
        struct body_part part = make_part(&piece_rows[5]);
        start(&part);
        pull(&all, NULL);
        CHECK_INT(make_fails_at, "failed", last_step, BODY_FAILED);
        CHECK_TRUE(received_len < wanted_len, "all of it?");
        stop();
    }
    make_fails_at = -1;
}

static void truncate_file(void)
{
    CHECK_INT(__LINE__, "truncate", truncate(path, 1000), 0);
}

/* The caller is never shown bytes that do not match the head. */
static void test_a_file_cut_short(void)
{
    for (int mode = NEVER_RESIDENT; mode <= AFTER_READ_AHEAD; mode++)
        for (int in_memory = 0; in_memory <= 1; in_memory++) {
            struct body_want want = {20000, in_memory};
            struct body_part part = {.len = FILE_BYTES};
            residency = mode;
            start(&part);
            pull(&want, truncate_file);
            CHECK_INT(mode, "failed", last_step, BODY_FAILED);
            CHECK_TRUE(memcmp(received, content, received_len) == 0, "other bytes");
            stop();
            write_file();
        }
}

int main(void)
{
    begin();
    test_pieces();
    test_nothing_taken();
    test_bursts();
    test_no_memory_for_a_piece();
    test_a_file_cut_short();
    return end("body");
}
