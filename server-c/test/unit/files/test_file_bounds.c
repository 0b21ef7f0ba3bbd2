/* SPDX-License-Identifier: MIT */
/* New entries replace the least used ones, exactly. What exceeds lowered limits goes step by step,
 * and nothing grows meanwhile. Files that nobody uses are closed step by step. */
#include "files/file_bounds.c"

#include "check.h"

#include <fcntl.h>
#include <unistd.h>

#define MANY 2000
#define BODY 100 /* bytes of each */

static const struct file_cache_limits roomy = {
    .ttl_ms = 1000, .entries = 8 * MANY, .descriptors = MANY, .body_bytes = MANY * BODY};

static struct io_port port;
static uv_loop_t loop;
static struct file_cache cache;
static int next_name;

enum kind { NEGATIVE, OPEN, IN_MEMORY };

static void add(enum kind kind)
{
    char name[20];
    struct file_key key = {
        .path = {name, (size_t)snprintf(name, sizeof(name), "/%d", next_name++)}};
    struct file_entry *entry = file_entry_new(&cache, 7, &key);

    entry->is_known = true;
    entry->status = kind == NEGATIVE ? HTTP_NOT_FOUND : HTTP_OK;
    entry->facts.size = BODY;
    file_store_link(&cache, entry);
    if (kind == NEGATIVE) {
        file_store_count_negative(&cache, entry);
    } else if (kind == OPEN) {
        entry->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        file_store_count_descriptor(&cache, entry);
    } else {
        CHECK_TRUE(file_entry_make_body(&cache, entry), "memory");
        entry->body_state = FILE_BODY_READY;
        file_store_count_body(&cache, entry);
    }
    file_cache_put(&cache, entry);
    file_bounds_enforce(&cache);
}

static void fill(enum kind kind, int count)
{
    file_cache_configure(&cache, &roomy);
    for (int i = 0; i < count; i++)
        add(kind);
}

/* Runs the loop until nothing exceeds the limits any more. Returns the most that went in one step;
 * *steps: how many steps did something. */
static size_t approach(size_t *held, size_t *steps)
{
    size_t most = 0;

    for (*steps = 0; uv_is_active((uv_handle_t *)&cache.approach); usleep(1000)) {
        size_t before = *held;
        uv_run(&loop, UV_RUN_NOWAIT);
        *steps += *held < before;
        if (before - *held > most)
            most = before - *held;
    }
    return most;
}

/* Checks one limit; `held` is what it limits. */
static void expect_steps(int line, const char *name, enum kind kind,
                         struct file_cache_limits limits, size_t *held, size_t left, size_t unit)
{
    size_t full, most, steps;

    fill(kind, MANY);
    full = *held;
    CHECK_INT(line, "full", full, MANY * unit);
    file_cache_configure(&cache, &limits);
    CHECK_INT(line, name, *held, full - STEP_FILES * unit);
    if (limits.ttl_ms > 0) { /* otherwise nothing is added */
        add(kind);
        CHECK_INT(line, "nothing grows", *held, full - STEP_FILES * unit);
    }
    most = approach(held, &steps);
    CHECK_INT(line, "most in a step", most, STEP_FILES * unit);
    CHECK_INT(line, "steps", steps, (full - left) / unit / STEP_FILES);
    CHECK_INT(line, "at last", *held, left);
    if (limits.ttl_ms > 0) {
        add(kind);
        CHECK_INT(line, "one for one", *held, left);
    }
    file_cache_configure(&cache, &(struct file_cache_limits){0});
    approach(&cache.stats.entries, &steps);
    CHECK_INT(line, "off: nothing is left", cache.stats.entries, 0);
}

static void test_lowered_limits(void)
{
    struct file_cache_limits limits = roomy;

    limits.entries = 80;
    expect_steps(__LINE__, "entries", IN_MEMORY, limits, &cache.stats.entries, 80, 1);
    expect_steps(__LINE__, "refusals", NEGATIVE, limits, &cache.negative_count, 11, 1);
    limits = roomy;
    limits.descriptors = 16;
    expect_steps(__LINE__, "descriptors", OPEN, limits, &cache.stats.descriptors, 16, 1);
    limits = roomy;
    limits.body_bytes = 10 * BODY;
    expect_steps(__LINE__, "bytes", IN_MEMORY, limits, &cache.stats.body_bytes, 10 * BODY, BODY);
    limits = roomy;
    limits.ttl_ms = 0;
    expect_steps(__LINE__, "off", OPEN, limits, &cache.stats.entries, 0, 1);
    expect_steps(__LINE__, "off, refusals", NEGATIVE, limits, &cache.stats.entries, 0, 1);
}

/* A limit that is raised again before everything has gone: what is left stays. */
static void test_raised_again(void)
{
    struct file_cache_limits limits = roomy;

    fill(IN_MEMORY, MANY);
    limits.entries = 16;
    file_cache_configure(&cache, &limits);
    file_cache_configure(&cache, &roomy);
    CHECK_TRUE(!uv_is_active((uv_handle_t *)&cache.approach), "nothing has to go");
    CHECK_INT(__LINE__, "what is left", cache.stats.entries, MANY - STEP_FILES);
    add(OPEN);
    CHECK_INT(__LINE__, "and more", cache.stats.entries, MANY - STEP_FILES + 1);
}

/* Entries that nobody asks for any more. */
static void test_swept(void)
{
    size_t others = cache.stats.descriptors;

    fill(OPEN, 300);
    CHECK_INT(__LINE__, "all are open", cache.stats.descriptors, others + 300);
    cache.now_ms += IDLE_OPEN_MS + roomy.ttl_ms;
    file_cache_sweep(&cache);
    CHECK_INT(__LINE__, "some at once", cache.stats.descriptors, others + 300 - STEP_FILES);
    file_cache_sweep(&cache);
    CHECK_INT(__LINE__, "the others next", cache.stats.descriptors, 0);
}

int main(void)
{
    struct io_lane *lane = io_lane_new("stat", 1, 16);

    uv_loop_init(&loop);
    CHECK_INT(__LINE__, "port", io_port_init(&port, &loop), 0);
    file_cache_init(&cache, lane, lane, &port);
    cache.now_ms = 1000;
    test_lowered_limits();
    test_raised_again();
    test_swept();
    file_cache_fini(&cache);
    CHECK_INT(__LINE__, "all is given back", cache.all_body_bytes, 0);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    io_lane_free(lane);
    uv_loop_close(&loop);
    return check_end("file_bounds");
}
