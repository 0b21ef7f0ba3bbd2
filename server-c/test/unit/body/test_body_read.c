/* SPDX-License-Identifier: MIT */
/* A response's bytes through the read lane: bodies that are given up meanwhile, many bodies at a
 * time, a full lane, and chunks that grow. */
#include "body_fixture.h"
#include "body_slice.h"

static const struct body_want all = {UINT64_MAX, false};

static void on_ready(struct body *body)
{
    (void)body;
    waits++;
}

static enum body_step begin_and_ask(struct body *body, const struct body_part *part)
{
    struct body_slice slice = {.fd = -1};

    body_begin(body, part);
    return body_next(body, &the_loop, &all, &slice);
}

/* Takes everything that can be had without waiting. */
static enum body_step take_all(struct body *body)
{
    while (!body_is_spent(body)) {
        struct body_slice slice = {.fd = -1};
        enum body_step step = body_next(body, &the_loop, &all, &slice);
        if (step != BODY_BYTES)
            return step;
        body_took(body, slice_len(&slice));
    }
    return BODY_BYTES;
}

static void test_giving_up_while_the_lane_reads(void)
{
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    struct stage_clock clock = {.head_ns = 1};
    struct body body = {.on_ready = on_ready, .clock = &clock};

    residency = NEVER_RESIDENT;
    waits = 0;
    CHECK_INT(__LINE__, "waits", begin_and_ask(&body, &part), BODY_WAITING);
    body_end(&body, &the_loop);
    while (the_loop.port.outstanding > 0)
        uv_run(&the_loop.uv, UV_RUN_ONCE);
    CHECK_INT(__LINE__, "nobody is called", waits, 0);
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    CHECK_INT(__LINE__, "and its descriptor", entry->descriptor_users, 0);
    file_cache_put(&the_loop.files, entry);
}

/* --- many bodies, a lane with hardly any room ------------------------------------------------ */

#define CROWD 200

static struct body crowd[CROWD];
static int crowd_calls;
static bool crowd_done[CROWD];

static void on_crowd_ready(struct body *body)
{
    size_t i = (size_t)(body - crowd);
    enum body_step step;

    crowd_calls++;
    step = take_all(body);
    CHECK_TRUE(step == BODY_WAITING || step == BODY_BYTES, "body %zu: %d", i, step);
    if (step == BODY_BYTES)
        crowd_done[i] = true;
}

/* Once they have begun, all responses get their chunks in turn, although the queue is much shorter
 * than their number. */
static void test_a_crowd(void)
{
    struct stage_clock clock = {.head_ns = 1};
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    int chunks = CROWD * (FILE_BYTES / 65536 + 1), rounds = 0, done = 0, first_done = 0;

    io_lane_resize(shared.read_lane, 1, CROWD);
    residency = NEVER_RESIDENT;
    for (size_t i = 0; i < CROWD; i++) {
        crowd[i] = (struct body){.on_ready = on_crowd_ready, .clock = &clock};
        CHECK_INT(__LINE__, "waits", begin_and_ask(&crowd[i], &part), BODY_WAITING);
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
    }
    file_cache_put(&the_loop.files, entry);
    io_lane_resize(shared.read_lane, 1, 16);
}

/* The first read of a response may be refused, because nothing was sent yet and a 503 can be sent
 * instead. */
static void test_a_full_lane(void)
{
    struct stage_clock clock = {.head_ns = 1};
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    struct body body = {.on_ready = on_ready, .clock = &clock};
    enum body_step step;

    io_lane_resize(shared.read_lane, 1, 0);
    residency = AFTER_READ_AHEAD;
    waits = asked = 0;
    CHECK_INT(__LINE__, "refused", begin_and_ask(&body, &part), BODY_REFUSED);
    body_end(&body, &the_loop);
    CHECK_INT(__LINE__, "no job", the_loop.port.outstanding, 0);
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);

    io_lane_resize(shared.read_lane, 1, 16);
    part = (struct body_part){.entry = entry, .len = FILE_BYTES};
    asked = waits = 0;
    CHECK_INT(__LINE__, "let in", begin_and_ask(&body, &part), BODY_WAITING);
    io_lane_resize(shared.read_lane, 1, 0);
    while (!body_is_spent(&body)) {
        int before = waits;
        while (waits == before)
            uv_run(&the_loop.uv, UV_RUN_ONCE);
        step = take_all(&body);
        CHECK_TRUE(step == BODY_WAITING || step == BODY_BYTES, "turned out on the way: %d", step);
        if (step != BODY_WAITING)
            break;
    }
    CHECK_INT(__LINE__, "all of it", body.taken, FILE_BYTES);
    body_end(&body, &the_loop);
    io_lane_resize(shared.read_lane, 1, 16);
    file_cache_put(&the_loop.files, entry);
}

/* When the head has been sent, a refusal can't be reported any more. */
static void test_a_head_that_was_sent(void)
{
    struct stage_clock clock = {.head_ns = 1};
    struct file_entry *entry = open_entry();
    struct body_part part = {.entry = entry, .len = FILE_BYTES};
    struct body body = {.on_ready = on_ready, .clock = &clock};
    struct body_slice slice = {.fd = -1};

    io_lane_resize(shared.read_lane, 1, 0);
    residency = NEVER_RESIDENT;
    body_begin(&body, &part);
    body_took(&body, 0);
    CHECK_INT(__LINE__, "waits", body_next(&body, &the_loop, &all, &slice), BODY_WAITING);
    body_end(&body, &the_loop);
    while (the_loop.port.outstanding > 0)
        uv_run(&the_loop.uv, UV_RUN_ONCE);
    io_lane_resize(shared.read_lane, 1, 16);
    file_cache_put(&the_loop.files, entry);
}

static void test_chunks(void)
{
    static const struct {
        const char *name;
        uint64_t taken;
        bool by_copy;
        size_t chunk;
    } rows[] = {
        {"the first", 0, false, 65536},
        {"the second", 65536, false, 65536},
        {"the third", 2 * 65536, false, 2 * 65536},
        {"between two", 2 * 65536 + 300, false, 2 * 65536},
        {"as large as they get", 100 * 65536, false, 4 * 65536},
        {"copied", 100 * 65536, true, 65536},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct body body = {.taken = rows[i].taken, .by_copy = rows[i].by_copy};
        CHECK_INT((int)i, rows[i].name, chunk_of(&body, &the_loop), rows[i].chunk);
    }
}

int main(void)
{
    begin();
    test_giving_up_while_the_lane_reads();
    test_a_full_lane();
    test_a_head_that_was_sent();
    test_chunks();
    test_a_crowd();
    return end("body_read");
}
