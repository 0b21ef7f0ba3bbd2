/* SPDX-License-Identifier: MIT */
/* First reads of bodies on a lane: files that change meanwhile, and readers that have given up. The
 * file system never tells what is resident (like NFS and FUSE), so that each body needs the
 * lane. */
#include "files/file_read.h"

static ssize_t never_resident(int fd, char *out, size_t len, uint64_t offset);
#define file_read_resident never_resident
#include "files/file_source.c"
#undef file_read_resident

#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BODY_BYTES (UINT64_C(16) * SMALL_BYTES)
#define BODY_MAX (2 * SMALL_BYTES)

static const struct file_cache_limits limits = {.ttl_ms = 1000,
                                                .entries = 64,
                                                .descriptors = 64,
                                                .body_bytes = BODY_BYTES,
                                                .max_body = BODY_MAX};

static char path[] = "/tmp/farmstead-source-XXXXXX";
static struct io_lane *lane;
static struct io_port port;
static uv_loop_t loop;
static struct file_cache cache;
static int asked; /* how often the page cache was asked: once per attempt */

static ssize_t never_resident(int fd, char *out, size_t len, uint64_t offset)
{
    (void)fd, (void)out, (void)len, (void)offset;
    asked++;
    return UV_EAGAIN;
}

static void write_file(const char *content)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    CHECK_TRUE(fd >= 0 && write(fd, content, strlen(content)) > 0, "%s", content);
    close(fd);
}

static struct file_entry *open_entry(void)
{
    const struct file_key key = {.path = {"/x", 2}};
    struct file_entry *entry = file_entry_new(&cache, 7, &key);
    struct stat st;

    entry->fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK_INT(__LINE__, "stat", fstat(entry->fd, &st), 0);
    entry->version = file_version_of(&st);
    entry->facts.size = entry->version.size;
    return entry;
}

/* --- a lane whose only thread is held up ----------------------------------------------------- */

static uv_sem_t gate;
static struct io_job plug;

static void run_plug(struct io_job *job)
{
    (void)job;
    uv_sem_wait(&gate);
}

static void plug_done(struct io_job *job)
{
    (void)job;
}

static void hold_lane(void)
{
    plug.run = run_plug;
    plug.on_done = plug_done;
    CHECK_INT(__LINE__, "held", io_lane_submit(lane, &port, &plug), 0);
}

static void finish_jobs(void)
{
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
}

/* --- a reader as answer_file.c is one --------------------------------------------------------- */

struct reader {
    struct file_waiter waiter;
    enum file_source source;
    int calls, failures;
};

static void on_ready(struct file_waiter *waiter, struct file_entry *entry)
{
    struct reader *reader = container_of(waiter, struct reader, waiter);

    reader->calls++;
    if (!entry) {
        reader->failures++;
        return;
    }
    if (reader->calls < 100)
        reader->source = file_cache_source(&cache, entry, false, waiter);
    file_cache_put(&cache, entry);
}

static void start(struct reader *reader, struct file_entry *entry)
{
    *reader = (struct reader){.waiter.on_ready = on_ready};
    list_init(&reader->waiter.link);
    reader->source = file_cache_source(&cache, entry, false, &reader->waiter);
    CHECK_INT(__LINE__, "waits", reader->source, FILE_SOURCE_WAIT);
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_a_body(void)
{
    struct file_entry *entry = open_entry();
    struct reader one, two;

    start(&one, entry);
    start(&two, entry);
    finish_jobs();
    CHECK_INT(__LINE__, "in memory", one.source, FILE_FROM_MEMORY);
    CHECK_INT(__LINE__, "for both", two.source, FILE_FROM_MEMORY);
    CHECK_INT(__LINE__, "read once", asked, 1);
    CHECK_INT(__LINE__, "its bytes", memcmp(entry->body, "the first version", 17), 0);
    file_cache_put(&cache, entry);
}

static void test_a_change_meanwhile(void)
{
    struct file_entry *entry = open_entry();
    struct reader reader;

    hold_lane();
    asked = 0;
    start(&reader, entry);
    usleep(20000); /* so that the kernel's clock ticks */
    write_file("the other version");
    uv_sem_post(&gate);
    finish_jobs();
    CHECK_INT(__LINE__, "told that this is not it", reader.failures, 1);
    CHECK_INT(__LINE__, "after one read", asked, 1);
    CHECK_TRUE(entry->body == NULL, "nothing is kept of it");
    file_cache_put(&cache, entry);
}

static void append_to_file(void)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

    CHECK_INT(__LINE__, "append", write(fd, ", and more", 10), 10);
    close(fd);
}

/* A file that only becomes longer counts as it was when it was looked up, for those who ask now. */
static void test_growth_meanwhile(void)
{
    struct file_entry *entry;
    struct reader reader;

    write_file("the first version");
    entry = open_entry();
    file_store_link(&cache, entry);
    hold_lane();
    start(&reader, entry);
    append_to_file();
    uv_sem_post(&gate);
    finish_jobs();
    CHECK_INT(__LINE__, "in memory", reader.source, FILE_FROM_MEMORY);
    CHECK_INT(__LINE__, "as it was", memcmp(entry->body, "the first version", 17), 0);
    CHECK_TRUE(!entry->in_table, "who comes later looks again");
    file_cache_put(&cache, entry);
    CHECK_INT(__LINE__, "all are counted", cache.all_body_bytes, 0);
    write_file("the first version");
}

static void write_zeros(off_t size);

static void test_growth_before(void)
{
    struct file_waiter waiter = {0};
    struct file_entry *entry;

    write_zeros(BODY_MAX + 1);
    entry = open_entry();
    file_store_link(&cache, entry);
    append_to_file();
    CHECK_INT(__LINE__, "there is a newer answer to be had",
              file_cache_source(&cache, entry, false, &waiter), FILE_SOURCE_CHANGED);
    CHECK_TRUE(!entry->in_table, "by looking again");
    CHECK_INT(__LINE__, "or this one", file_cache_source(&cache, entry, true, &waiter),
              FILE_FROM_DESCRIPTOR);
    write_zeros(1);
    CHECK_INT(__LINE__, "of what is shorter there is none",
              file_cache_source(&cache, entry, true, &waiter), FILE_SOURCE_CHANGED);
    file_cache_put(&cache, entry);
    write_file("the first version");
}

static void test_readers_that_are_gone(void)
{
    struct file_entry *entry = open_entry();
    struct reader one, two;

    hold_lane();
    start(&one, entry);
    start(&two, entry);
    file_cache_cancel(&one.waiter);
    uv_sem_post(&gate);
    finish_jobs();
    CHECK_INT(__LINE__, "one is enough", two.source, FILE_FROM_MEMORY);
    CHECK_INT(__LINE__, "the other is not told", one.calls, 0);
    file_cache_put(&cache, entry);

    entry = open_entry();
    hold_lane();
    start(&one, entry);
    file_cache_cancel(&one.waiter);
    file_cache_cancel(&one.waiter);
    uv_sem_post(&gate);
    finish_jobs();
    CHECK_TRUE(entry->body == NULL, "read for nobody");
    CHECK_INT(__LINE__, "the entry is ours alone", entry->refs, 1);
    hold_lane();
    start(&one, entry);
    file_cache_cancel(&one.waiter);
    start(&two, entry);
    uv_sem_post(&gate);
    finish_jobs();
    CHECK_INT(__LINE__, "who comes in time has it", two.source, FILE_FROM_MEMORY);
    file_cache_put(&cache, entry);
}

static void write_zeros(off_t size)
{
    CHECK_INT(__LINE__, "size", truncate(path, size), 0);
}

static enum file_source source_of(struct file_entry *entry)
{
    struct reader reader = {.waiter.on_ready = on_ready};

    list_init(&reader.waiter.link);
    reader.source = file_cache_source(&cache, entry, false, &reader.waiter);
    finish_jobs();
    return reader.source;
}

static void test_a_larger_file(void)
{
    struct file_entry *entry;

    write_zeros(SMALL_BYTES + 1);
    entry = open_entry();
    CHECK_INT(__LINE__, "once: not kept", source_of(entry), FILE_FROM_DESCRIPTOR);
    CHECK_INT(__LINE__, "again: kept", source_of(entry), FILE_FROM_MEMORY);
    file_entry_drop_body(&cache, entry);
    entry->fd = open(path, O_RDONLY | O_CLOEXEC); /* it was closed when the bytes were in memory */
    CHECK_INT(__LINE__, "driven out, never used by a request: not kept", source_of(entry),
              FILE_FROM_DESCRIPTOR);
    CHECK_INT(__LINE__, "and again: kept", source_of(entry), FILE_FROM_MEMORY);
    file_cache_put(&cache, entry);
    write_zeros(BODY_MAX + 1);
    entry = open_entry();
    for (int i = 0; i < 3; i++)
        CHECK_INT(i, "too large", source_of(entry), FILE_FROM_DESCRIPTOR);
    file_cache_put(&cache, entry);
}

#define MANY (BODY_BYTES / SMALL_BYTES)

/* Asks at `now_ms`, and marks the entry as used like file_cache_find(). */
static enum file_source ask_at(uint64_t now_ms, struct file_entry *entry)
{
    cache.now_ms = now_ms;
    file_store_touch(&cache, entry);
    return source_of(entry);
}

/* A client that looks at everything once replaces nothing. A file that is wanted more often than
 * the one unused for longest takes its place. */
static void test_a_full_memory(void)
{
    struct file_entry *entries[MANY], *other;

    write_zeros(SMALL_BYTES);
    for (size_t i = 0; i < MANY; i++) {
        entries[i] = open_entry();
        file_store_link(&cache, entries[i]);
        CHECK_INT((int)i, "there is room", ask_at(10000 + 1000 * i, entries[i]), FILE_FROM_MEMORY);
    }
    other = open_entry();
    file_store_link(&cache, other);
    CHECK_INT(__LINE__, "once", ask_at(50000, other), FILE_FROM_DESCRIPTOR);
    for (size_t i = 0; i < MANY; i++)
        ask_at(60000 + 1000 * i, entries[i]);
    CHECK_INT(__LINE__, "more seldom than any", ask_at(90000, other), FILE_FROM_DESCRIPTOR);
    CHECK_INT(__LINE__, "more often than the oldest", ask_at(91000, other), FILE_FROM_MEMORY);
    CHECK_TRUE(entries[0]->body == NULL || !entries[0]->in_table, "which is gone");
    CHECK_TRUE(entries[1]->body != NULL && entries[1]->in_table, "and no other");
    CHECK_INT(__LINE__, "full", cache.stats.body_bytes, BODY_BYTES);
    for (size_t i = 0; i < MANY; i++)
        file_cache_put(&cache, entries[i]);
    file_cache_put(&cache, other);
    file_cache_configure(&cache, &(struct file_cache_limits){0}); /* drops all */
    CHECK_INT(__LINE__, "all are counted", cache.all_body_bytes, 0);
    file_cache_configure(&cache, &limits);
}

/* Bodies outside the table are those of slow clients: they may take a quarter of the limit. */
static void test_bodies_beside_the_table(void)
{
    struct file_entry *entries[8];
    size_t kept = 0;

    write_zeros(SMALL_BYTES);
    for (size_t i = 0; i < 8; i++) {
        entries[i] = open_entry();
        kept += source_of(entries[i]) == FILE_FROM_MEMORY;
    }
    CHECK_INT(__LINE__, "kept", kept, BODY_BYTES / BESIDE_TABLE_SHARE / SMALL_BYTES + 1);
    file_cache_put(&cache, entries[0]);
    CHECK_INT(__LINE__, "when one is gone", source_of(entries[7]), FILE_FROM_MEMORY);
    for (size_t i = 1; i < 8; i++)
        file_cache_put(&cache, entries[i]);
    CHECK_INT(__LINE__, "all are counted", cache.all_body_bytes, 0);
}

int main(void)
{
    close(mkstemp(path));
    write_file("the first version");
    uv_loop_init(&loop);
    uv_sem_init(&gate, 0);
    lane = io_lane_new("read", 1, 16);
    CHECK_INT(__LINE__, "port", io_port_init(&port, &loop), 0);
    file_cache_init(&cache, lane, lane, &port);
    file_cache_configure(&cache, &limits);
    test_a_body();
    test_a_change_meanwhile();
    test_growth_meanwhile();
    test_growth_before();
    test_readers_that_are_gone();
    cache.now_ms = 1000;
    test_a_larger_file();
    test_a_full_memory();
    test_bodies_beside_the_table();
    file_cache_fini(&cache);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    io_lane_free(lane);
    uv_sem_destroy(&gate);
    CHECK_INT(__LINE__, "loop", uv_loop_close(&loop), 0);
    unlink(path);
    return check_end("file_source");
}
