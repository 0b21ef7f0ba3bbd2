/* SPDX-License-Identifier: MIT */
/* Look-ups on the loop: what is answered without the lane and what is left to it, how files are
 * opened again that were closed to make room, and how long a root stays open. */
#include "file_cache_fixture.h"

#include "files/confined_open.h"
#include "files/file_bounds.h"

#include <linux/magic.h>
#include <sys/vfs.h>

static struct file_waiter asker;

static enum file_answer ask(const char *path, struct file_entry **entry)
{
    const struct file_key key = {.path = {path, strlen(path)}};
    enum file_answer answer;

    asker = (struct file_waiter){.on_ready = on_ready, .wait_ns = 1};
    list_init(&asker.link);
    was_told = false;
    cache.now_ms = monotonic_ns() / NS_PER_MS;
    answer = file_cache_find(&cache, &owner, &place, &key, &asker, entry);
    while (answer == FILE_WAIT && !was_told)
        uv_run(&loop, UV_RUN_ONCE);
    if (answer == FILE_WAIT)
        *entry = told;
    return answer;
}

static enum file_answer ask_anew(const char *path, enum http_status *status)
{
    struct file_entry *entry;
    enum file_answer answer;
    struct stat st;

    CHECK_INT(__LINE__, "root", stat(root, &st), 0);
    cache.now_ms = monotonic_ns() / NS_PER_MS;
    cache.glance_again_ms = 0;
    file_glance_learn(&cache, st.st_dev);
    answer = ask(path, &entry);
    *status = entry->status;
    put(entry);
    return answer;
}

/* On a busy machine an attempt may take too long, or what was learnt may be too old: so tries again. */
static enum file_answer ask_until(enum file_answer want, const char *path, enum http_status *status)
{
    enum file_answer answer = FILE_WAIT;

    for (int tries = 0; tries < 100; tries++) {
        lookups = 0;
        answer = ask_anew(path, status);
        if (answer == want)
            break;
    }
    return answer;
}

static void test_what_is_seen(void)
{
    static const struct {
        int line;
        const char *path;
        enum config_symlinks policy;
        enum file_answer want;
        enum http_status status;
    } rows[] = {
        {__LINE__, "/seen/file", SYMLINKS_NEVER, FILE_SEEN, HTTP_OK},
        {__LINE__, "/seen/file", SYMLINKS_WITHIN_ROOT, FILE_SEEN, HTTP_OK},
        {__LINE__, "/seen/file", SYMLINKS_SAME_OWNER, FILE_SEEN, HTTP_OK},
        {__LINE__, "/seen/file", SYMLINKS_ANY, FILE_SEEN, HTTP_OK},
        {__LINE__, "/seen/link", SYMLINKS_NEVER, FILE_SEEN, HTTP_NOT_FOUND},
        {__LINE__, "/seen/link", SYMLINKS_WITHIN_ROOT, FILE_SEEN, HTTP_OK},
        {__LINE__, "/seen/link", SYMLINKS_SAME_OWNER, FILE_WAIT, HTTP_OK}, /* to be walked */
        {__LINE__, "/seen/link", SYMLINKS_ANY, FILE_WAIT, HTTP_OK},
        {__LINE__, "/seen/missing", SYMLINKS_WITHIN_ROOT, FILE_SEEN, HTTP_NOT_FOUND},
        {__LINE__, "/seen/fifo", SYMLINKS_WITHIN_ROOT, FILE_SEEN, HTTP_NOT_FOUND},
        {__LINE__, "/seen", SYMLINKS_WITHIN_ROOT, FILE_SEEN, HTTP_MOVED_PERMANENTLY},
        {__LINE__, "/seen/", SYMLINKS_WITHIN_ROOT, FILE_SEEN, HTTP_OK},
        {__LINE__, "/seen/empty/", SYMLINKS_WITHIN_ROOT, FILE_SEEN, HTTP_NOT_FOUND},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum http_status status;
        enum file_answer answer;

        site.symlinks = rows[i].policy;
        ask_anew(rows[i].path, &status); /* now everything is in memory */
        answer = ask_until(rows[i].want, rows[i].path, &status);
        CHECK_INT(rows[i].line, rows[i].path, answer, rows[i].want);
        CHECK_INT(rows[i].line, "status", status, rows[i].status);
        CHECK_INT(rows[i].line, "jobs", lookups, rows[i].want == FILE_WAIT);
        CHECK_TRUE(answer != FILE_SEEN || (asker.wait_ns == 0 && asker.work_ns > 0), "its times");
    }
    site.symlinks = SYMLINKS_WITHIN_ROOT;
}

static uint64_t device_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_dev : 0;
}

/* Each of these makes the lane do the whole look-up. */
static void test_what_is_left_to_the_lane(void)
{
    struct file_entry *entry;
    enum http_status status;

    CHECK_INT(__LINE__, "seen", ask_until(FILE_SEEN, "/seen/file", &status), FILE_SEEN);
    cache.limits.watches = 1;
    CHECK_INT(__LINE__, "watched folders", ask_anew("/seen/file", &status), FILE_WAIT);
    cache.limits.watches = 0;
    ask_anew("/seen/file", &status);
    cache.glance_again_ms = UINT64_MAX;
    CHECK_INT(__LINE__, "after one that took long", ask("/seen/file", &entry), FILE_WAIT);
    put(entry);
    cache.glance_again_ms = 0;
    memset(cache.disks, 0, sizeof(cache.disks));
    CHECK_INT(__LINE__, "an unknown device", ask("/seen/file", &entry), FILE_WAIT);
    put(entry);
    CHECK_TRUE(cache.disks[0].device == device_of(root), "which it then knows");
    memset(cache.disks, 0, sizeof(cache.disks));
    file_glance_learn(&cache, device_of(root) + 1);
    CHECK_INT(__LINE__, "another device", ask("/seen/file", &entry), FILE_WAIT);
    put(entry);
}

static void test_seen_and_kept(void)
{
    struct file_entry *entry;
    enum http_status status;

    ask_anew("/seen/file", &status); /* into memory again */
    cache.limits.ttl_ms = 60000;
    CHECK_INT(__LINE__, "seen", ask_until(FILE_SEEN, "/seen/file", &status), FILE_SEEN);
    CHECK_INT(__LINE__, "kept", ask_anew("/seen/file", &status), FILE_HIT);
    cache.limits.ttl_ms = 1;
    usleep(2000);
    write_at("seen/file", 2000, "changed");
    CHECK_INT(__LINE__, "seen again", ask_until(FILE_SEEN, "/seen/file", &status), FILE_SEEN);
    cache.limits.ttl_ms = 60000;
    ask("/seen/file", &entry);
    CHECK_INT(__LINE__, "as it is now", entry->facts.size, strlen("changed"));
    put(entry);
    cache.limits.ttl_ms = 0;
}

/* Files that were closed to make room are opened again while what is known of them holds. */
static void test_bare(void)
{
    struct file_entry *entry, *again;
    enum http_status status;

    write_at("seen/file", 3000, "1\n");
    usleep(60000); /* a file that has just changed is not kept */
    cache.limits.ttl_ms = 60000;
    CHECK_INT(__LINE__, "seen", ask_until(FILE_SEEN, "/seen/file", &status), FILE_SEEN);
    cache.bounds.descriptors = 0;
    file_bounds_enforce(&cache);
    CHECK_INT(__LINE__, "closed", cache.stats.descriptors, 0);
    cache.bounds.descriptors = 10;
    CHECK_INT(__LINE__, "opened again", ask("/seen/file", &entry), FILE_SEEN);
    CHECK_TRUE(entry->fd >= 0 && entry->facts.size == 2, "it has its file and its facts");
    CHECK_INT(__LINE__, "counted", cache.stats.descriptors, 1);
    CHECK_INT(__LINE__, "and open", ask("/seen/file", &again), FILE_HIT);
    CHECK_TRUE(again == entry, "the same entry");
    cache.bounds.descriptors = 0; /* in use: it leaves the table with its file open */
    file_bounds_enforce(&cache);
    CHECK_TRUE(entry->fd >= 0 && !entry->in_table, "not under its users");
    cache.bounds.descriptors = 10;
    put(again);
    put(entry);
}

static void close_bare(void)
{
    cache.bounds.descriptors = 0;
    file_bounds_enforce(&cache);
    cache.bounds.descriptors = 10;
}

/* A file that has been replaced is looked up, on the loop or by the lane. */
static void test_bare_and_changed(void)
{
    struct file_entry *entry;
    enum http_status status;

    ask_anew("/seen/file", &status);
    close_bare();
    write_at("seen/file", 4000, "other");
    usleep(60000);
    CHECK_INT(__LINE__, "looked up", ask_until(FILE_SEEN, "/seen/file", &status), FILE_SEEN);
    ask("/seen/file", &entry);
    CHECK_INT(__LINE__, "as it is now", entry->facts.size, strlen("other"));
    put(entry);
    ask_anew("/seen/file", &status);
    close_bare();
    cache.glance_again_ms = UINT64_MAX;
    CHECK_INT(__LINE__, "the lane opens it", ask("/seen/file", &entry), FILE_WAIT);
    CHECK_TRUE(entry->fd >= 0, "its facts did not change, and it has a file again");
    put(entry);
    cache.glance_again_ms = 0;
    close_bare();
    shell_in(root, "rm seen/file");
    CHECK_INT(__LINE__, "gone", ask_until(FILE_SEEN, "/seen/file", &status), FILE_SEEN);
    CHECK_INT(__LINE__, "404", status, HTTP_NOT_FOUND);
    cache.limits.ttl_ms = 0;
}

static int root_opened(void)
{
    return cache.root.is_open ? cache.root.fd : -1;
}

/* A changed root takes effect as soon as what is known of a file is not trusted any more. */
static void test_root_kept_open(void)
{
    enum http_status status;

    cache.limits.ttl_ms = 0;
    ask_anew("/seen/cold", &status);
    ask_anew("/seen/cold", &status);
    CHECK_TRUE(root_opened() >= 0, "it is open");
    file_glance_sweep(&cache, false);
    CHECK_INT(__LINE__, "but not for long without a time of trust", root_opened(), -1);
    cache.limits.ttl_ms = 60000;
    ask_anew("/seen/cold", &status);
    file_glance_sweep(&cache, false);
    CHECK_TRUE(root_opened() >= 0, "open for the next");
    cache.root.opened_ns -= 200 * NS_PER_MS;
    file_glance_sweep(&cache, false);
    CHECK_INT(__LINE__, "closed when nobody comes", root_opened(), -1);
    cache.limits.ttl_ms = 0;
}

/* Needs root, and a /proc that can be written to. */
static void test_not_in_memory(void)
{
    enum file_answer answer = FILE_SEEN;
    enum http_status status;

    for (int tries = 0; tries < 20 && answer == FILE_SEEN; tries++) {
        int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            return;
        CHECK_INT(__LINE__, "drop", write(fd, "2", 1), 1);
        close(fd);
        answer = ask_anew("/seen/cold", &status);
    }
    CHECK_INT(__LINE__, "the lane looks", answer, FILE_WAIT);
    CHECK_INT(__LINE__, "and finds it", status, HTTP_OK);
    CHECK_INT(__LINE__, "in memory by now", ask_until(FILE_SEEN, "/seen/cold", &status), FILE_SEEN);
}

static size_t count_open(void)
{
    size_t count = 0;

    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) != -1;
    return count;
}

/* On such a file system, names that are missing are not remembered, and others are not
 * forgotten. */
static bool is_memory(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) != 0 || fs.f_type == TMPFS_MAGIC;
}

/* False if there are no look-ups on the loop here. */
static bool is_on_a_disk(void)
{
    int fd = open(root, O_RDONLY | O_CLOEXEC);
    bool is_disk = file_glance_is_local(fd) && !is_memory(fd);

    close(fd);
    return is_disk && confined_may_open_cached();
}

static void test_looks_on_the_loop(void)
{
    static char index[] = "file", *names[] = {index};
    size_t before;

    shell_in(
        root,
        "mkdir -p seen/empty && echo 1 >seen/file && echo 1 >seen/cold && ln -s file seen/link && "
        "mkfifo seen/fifo");
    site = (struct config_site){.index = names, .index_count = 1};
    cache.limits.ttl_ms = 0;
    before = count_open();
    test_what_is_seen();
    test_what_is_left_to_the_lane();
    test_not_in_memory();
    file_glance_sweep(&cache, true);
    CHECK_INT(__LINE__, "none left open", count_open(), before);
    usleep(60000); /* a file that has just changed is not kept */
    test_seen_and_kept();
    test_bare();
    test_bare_and_changed();
    test_root_kept_open();
}

int main(void)
{
    if (begin() != 0)
        return 1;
    if (is_on_a_disk())
        test_looks_on_the_loop();
    return end("file_glance");
}
