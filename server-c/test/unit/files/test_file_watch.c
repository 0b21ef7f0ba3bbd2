/* SPDX-License-Identifier: MIT */
/* The engine "inotify" with real folders. Every kind of change is seen although the ttl is an hour,
 * and what has not changed is not looked up. Changes during a look-up, a queue that overflows, and
 * too few watches do no harm. */
#include <stdbool.h>

#include "files/file_lookup.h"

static void spied_lookup(struct file_found *found, const struct file_place *place,
                         const struct file_key *key, struct folder_chain *chain);
#define file_lookup_run spied_lookup
#include "files/file_cache.c"
#undef file_lookup_run
#include "files/file_watch.c"
#include "files/folder_events.c"
#include "files/folder_watch.c"

#include "check.h"
#include "shell.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#define HOUR_MS 3600000
#define HERE __LINE__

static char base[] = "/tmp/farmstead-watch-XXXXXX", root[64], inner[80];
static char html[] = "index.html", htm[] = "index.htm", gz[] = "gzip";
static char *index_names[] = {html, htm}, *codings[] = {gz};
static struct config_site site = {.index = index_names,
                                  .index_count = 2,
                                  .precompressed = codings,
                                  .precompressed_count = 1,
                                  .symlinks = SYMLINKS_WITHIN_ROOT};
static struct file_place place = {.site = &site, .folder = root, .lookup_id = 7};
static struct file_place inside = {.site = &site, .folder = inner, .lookup_id = 8};
static struct place_owner owner = {.refs = 1}; /* the fixture's; never freed */
static struct io_lane *lane;
static struct io_port port;
static uv_loop_t loop;
static struct file_cache cache;
static struct file_cache_limits limits = {.ttl_ms = HOUR_MS,
                                          .entries = 1000,
                                          .descriptors = 100,
                                          .watches = 100,
                                          .body_bytes = 1000,
                                          .max_body = 100};
static _Atomic int lookups;
/* Scripts run by the lane's thread, before and after a look-up. */
static const char *before, *after;

/* Sets old times, because files that have just changed are never kept, which is tested
 * elsewhere. */
static void spied_lookup(struct file_found *found, const struct file_place *in,
                         const struct file_key *key, struct folder_chain *chain)
{
    lookups++;
    if (before)
        shell_in(base, before);
    file_lookup_run(found, in, key, chain);
    found->is_settling = found->has_young_tag = false;
    found->date_open_ns = 0;
    if (after)
        shell_in(base, after);
    before = after = NULL;
}

/* --- one request ----------------------------------------------------------------------------- */

static struct file_entry *told;
static bool was_told;

static void on_ready(struct file_waiter *waiter, struct file_entry *entry)
{
    (void)waiter;
    told = entry;
    was_told = true;
}

/* What a request would get: the status, or the size of a file. */
static int64_t ask_in(const struct file_place *in, const char *path)
{
    const struct file_key key = {.path = {path, strlen(path)}, .wants_codings = true};
    struct file_waiter waiter = {.on_ready = on_ready};
    struct file_entry *entry = NULL;
    int64_t answer;

    list_init(&waiter.link);
    was_told = false;
    cache.now_ms = monotonic_ns() / NS_PER_MS;
    switch (file_cache_find(&cache, &owner, in, &key, &waiter, &entry)) {
    case FILE_HIT:
    case FILE_SEEN:
        break;
    case FILE_WAIT:
        while (!was_told)
            uv_run(&loop, UV_RUN_ONCE);
        entry = told;
        break;
    case FILE_BUSY:
        return -1;
    }
    answer = entry->status == HTTP_OK ? (int64_t)entry->facts.size : (int64_t)entry->status;
    if (entry->status == HTTP_OK && entry->codings)
        answer += 1000;
    file_cache_put(&cache, entry);
    return answer;
}

static int64_t ask(const char *path)
{
    return ask_in(&place, path);
}

/* A turn of the loop that only reads what was reported. */
static void turn(void)
{
    uv_run(&loop, UV_RUN_NOWAIT);
    uv_run(&loop, UV_RUN_NOWAIT);
}

static void let_lookups_end(void)
{
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
}

/* Asks often enough that the entry is fully trusted: new folders may have been in doubt once. */
static void learn(const char *path)
{
    for (int i = 0; i < 3; i++)
        ask(path);
    turn();
}

static void tick(int64_t later_ms)
{
    cache.now_ms = monotonic_ns() / NS_PER_MS + (uint64_t)later_ms;
    file_cache_sweep(&cache);
    let_lookups_end();
}

/* The next request asks the disk so many times. */
static void check_looks(int line, const char *path, int count)
{
    lookups = 0;
    ask(path);
    CHECK_INT(line, path, lookups, count);
}

/* --- changes --------------------------------------------------------------------------------- */

static void make_tree(void)
{
    shell_in(
        base,
        "mkdir -p www/d/e www/f www/inner/x && cd www && printf 1 > a.js && printf 22 > b.js && "
        "printf 1 > d/x.js && printf 1 > d/e/x.js && printf 333 > f/x.js && "
        "printf 1 > inner/x/y.js && ln -s a.js link.js && printf 1 > d/index.htm && "
        "printf 1 > twice.js && ln twice.js second.js && touch -d 2020-01-01 a.js");
}

static void test_changes(void)
{
    const struct {
        int line;
        const char *path, *change;
        int64_t first, then;
    } rows[] = {
        {HERE, "/a.js", "printf 4444 > www/a.js", 1, 4},
        {HERE, "/a.js", "printf 1 > www/t; mv www/t www/a.js", 4, 1},
        {HERE, "/a.js", "rm www/a.js", 1, 404},
        {HERE, "/a.js", "printf 22 > www/a.js", 404, 2},
        {HERE, "/a.js", "rm www/a.js; mkdir www/a.js", 2, 301},
        {HERE, "/a.js", "rmdir www/a.js; printf 1 > www/a.js", 301, 1},
        {HERE, "/a.js", "mkfifo www/t; mv www/t www/a.js", 1, 404},
        {HERE, "/a.js", "rm www/a.js; printf 1 > www/a.js", 404, 1},
        {HERE, "/a.js", "printf z > www/a.js.gz; sleep 0.06", 1, 1001},
        {HERE, "/a.js", ": > www/a.js.gz", 1001, 1},
        {HERE, "/a.js", "printf z > www/a.js.gz; sleep 0.06", 1, 1001},
        {HERE, "/a.js", "mv www/a.js.gz www/t.gz", 1001, 1},
        {HERE, "/d/", "printf 22 > www/d/index.html", 1, 2},
        {HERE, "/d/", "printf z > www/d/index.html.gz; sleep 0.06", 2, 1002},
        {HERE, "/d/", "rm www/d/index.html*", 1002, 1},
        {HERE, "/d/", "rm www/d/index.htm", 1, 404},
        {HERE, "/d/", "printf 1 > www/d/index.htm", 404, 1},
        {HERE, "/d/e/x.js", "mv www/d www/dd", 1, 404},
        {HERE, "/dd/e/x.js", "mv www/dd www/d", 1, 404},
        {HERE, "/d/e/x.js", "mv www/d/e www/d/ee", 1, 404},
        {HERE, "/d/e/x.js", "mkdir www/d/e; printf 22 > www/d/e/x.js", 404, 2},
        {HERE, "/d/e/x.js", "mv www/d/e www/d/e2; cp -r www/f www/d/e", 2, 3},
        {HERE, "/d/e/x.js", "rm -r www/d/e; printf 1 > www/d/e", 3, 404},
        {HERE, "/n/e/w/x.js", "mkdir -p www/n/e/w; printf 1 > www/n/e/w/x.js", 404, 1},
        {HERE, "/n/e/w/x.js", "rm -r www/n", 1, 404},
        {HERE, "/n/e/w/x.js", "cp -r www/f www/nn; mv www/nn www/n", 404, 404},
        {HERE, "/f/x.js", "mv www/f www/ff; ln -s ff www/f", 3, 3},
        {HERE, "/d/new.js", "ln -s x.js www/d/new.js", 404, 1},
        {HERE, "/d/old.js", "ln www/d/x.js www/d/old.js", 404, 1},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        learn(rows[i].path);
        CHECK_INT(rows[i].line, rows[i].path, ask(rows[i].path), rows[i].first);
        shell_in(base, rows[i].change);
        turn();
        CHECK_INT(rows[i].line, rows[i].change, ask(rows[i].path), rows[i].then);
    }
}

static void test_same_size(void)
{
    struct file_entry *entry;

    learn("/b.js");
    check_looks(HERE, "/b.js", 0);
    shell_in(base, "printf 55 | dd of=www/b.js conv=notrunc 2>/dev/null");
    turn();
    check_looks(HERE, "/b.js", 1);
    entry = file_store_find(&cache, 7, &(struct file_key){.path = {"/b.js", 5}});
    CHECK_TRUE(entry && entry->is_watched, "and is watched again");
    learn("/b.js");
    shell_in(base, "chmod 600 www/b.js");
    turn();
    check_looks(HERE, "/b.js", 1);
}

static void test_bystanders(void)
{
    learn("/d/x.js");
    learn("/b.js");
    shell_in(
        base,
        "printf 1 > www/d/other.js; printf 1 > www/bb.js; rm www/d/other.js; touch www/b.js.txt");
    turn();
    check_looks(HERE, "/d/x.js", 0);
    check_looks(HERE, "/b.js", 0);
    shell_in(base, "mkdir www/d/sub; mv www/d/sub www/d/sub2; rmdir www/d/sub2");
    turn();
    check_looks(HERE, "/d/x.js", 0);
    learn("/inner/x/y.js");
    shell_in(base, "mv www/inner www/outer");
    turn();
    /* A folder has gone: other entries are renewed without asking the disk. */
    check_looks(HERE, "/d/x.js", 0);
    check_looks(HERE, "/inner/x/y.js", 1);
    shell_in(base, "mv www/outer www/inner");
}

/* Two places with the same folder: each place's own entries notice changes. */
static void test_two_places(void)
{
    learn("/inner/x/y.js");
    for (int i = 0; i < 3; i++)
        ask_in(&inside, "/x/y.js");
    turn();
    lookups = 0;
    ask_in(&inside, "/x/y.js");
    CHECK_INT(HERE, "known", lookups, 0);
    shell_in(base, "printf 666666 > www/inner/x/y.js");
    turn();
    CHECK_INT(HERE, "by the one", ask("/inner/x/y.js"), 6);
    CHECK_INT(HERE, "by the other", ask_in(&inside, "/x/y.js"), 6);
    for (int i = 0; i < 3; i++)
        ask_in(&inside, "/x/y.js");
    shell_in(base, "mv www/inner/x www/inner/z");
    turn();
    CHECK_INT(HERE, "by the one", ask("/inner/x/y.js"), 404);
    CHECK_INT(HERE, "by the other", ask_in(&inside, "/x/y.js"), 404);
    shell_in(base, "mv www/inner/z www/inner/x");
}

/* --- in the middle of a look-up -------------------------------------------------------------- */

static void test_races(void)
{
    const struct {
        int line;
        const char *before, *after, *path;
        int64_t then;
    } rows[] = {
        {HERE, NULL, "printf 22 > www/r/x.js", "/r/x.js", 2},
        {HERE, NULL, "mv www/r www/rr; cp -r www/r2 www/r", "/r/x.js", 3},
        {HERE, "mv www/r www/rr; cp -r www/r2 www/r", NULL, "/r/x.js", 3},
        {HERE, NULL, "rm -r www/r", "/r/x.js", 404},
        {HERE, NULL, "mv www/r/s www/r/t; cp -r www/r2 www/r/s", "/r/s/x.js", 3},
        {HERE, NULL, "mkdir www/r/n; printf 22 > www/r/n/x.js", "/r/n/x.js", 2},
        {HERE, NULL, "printf z > www/r/x.js.gz; sleep 0.06", "/r/x.js", 1001},
    };

    shell_in(base, "mkdir www/r2; printf 333 > www/r2/x.js");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int known = 0; known < 3; known++) {
            shell_in(
                base,
                "rm -rf www/r www/rr; mkdir -p www/r/s; printf 1 | tee www/r/x.js >www/r/s/x.js");
            turn();
            if (known == 1)
                learn("/r/y.js"); /* the folder, not the file */
            if (known == 2)
                learn("/r/s/y.js");
            before = rows[i].before;
            after = rows[i].after;
            ask(rows[i].path);
            turn();
            CHECK_INT(rows[i].line, rows[i].path, ask(rows[i].path), rows[i].then);
        }
    shell_in(base, "rm -rf www/r*");
}

/* Two look-ups that set watches on the same new folder, which is replaced between their results. */
static void test_two_lookups(void)
{
    shell_in(
        base,
        "mkdir -p www/p www/q; printf 1 | tee www/p/x.js > www/p/y.js; printf 22 | tee www/q/x.js "
        "> www/q/y.js");
    turn();
    after = "mv www/p www/pp; mv www/q www/p";
    ask("/p/x.js");
    ask("/p/y.js");
    turn();
    CHECK_INT(HERE, "one", ask("/p/x.js"), 2);
    CHECK_INT(HERE, "other", ask("/p/y.js"), 2);
    learn("/p/x.js");
    shell_in(base, "printf 333 > www/p/x.js");
    turn();
    CHECK_INT(HERE, "the watch is on the right one", ask("/p/x.js"), 3);
    shell_in(base, "rm -r www/p www/pp");
}

/* --- the time to live ------------------------------------------------------------------------ */

static bool is_watched(const char *path)
{
    const struct file_key key = {.path = {path, strlen(path)}, .wants_codings = true};
    const struct file_entry *entry = file_store_find(&cache, 7, &key);

    return entry && entry->is_watched;
}

static void test_unreported(void)
{
    shell_in(
        base,
        "printf 1 > www/one.js; ln -s one.js www/l.js; printf 1 > www/h.js; ln www/h.js www/h2.js");
    learn("/l.js");
    learn("/h.js");
    learn("/one.js");
    CHECK_TRUE(!is_watched("/l.js"), "a link");
    CHECK_TRUE(!is_watched("/h.js"), "a second name");
    CHECK_TRUE(is_watched("/one.js"), "a file");
    limits.ttl_ms = 100;
    file_cache_configure(&cache, &limits);
    shell_in(base, "ln -sf b.js www/l.js; printf 4444 > www/h2.js");
    usleep(101000);
    CHECK_INT(HERE, "the link's other file", ask("/l.js"), 2);
    CHECK_INT(HERE, "what was written by the other name", ask("/h.js"), 4);
}

/* Entries are renewed as long as one file of the place is looked up, but not for longer than a
 * minute. */
static void test_renewal(void)
{
    struct file_entry *entry;

    limits.ttl_ms = 400;
    file_cache_configure(&cache, &limits);
    learn("/one.js");
    learn("/b.js");
    usleep(250000);
    lookups = 0;
    for (int i = 0; i < 50; i++) {
        ask("/one.js");
        ask("/b.js");
    }
    let_lookups_end();
    CHECK_INT(HERE, "half the time: one for the place", lookups, 1);
    usleep(250000);
    lookups = 0;
    ask("/b.js");
    ask("/one.js");
    let_lookups_end();
    CHECK_INT(HERE, "both have been renewed, and again one asks", lookups, 1);
    entry = file_store_find(&cache, 7, &(struct file_key){.path = {"/b.js", 5}});
    entry->looked_ns -= (FILE_WATCHED_MS / 2 + 1) * NS_PER_MS;
    usleep(250000);
    lookups = 0;
    ask("/b.js");
    CHECK_TRUE(!was_told, "nobody waits");
    let_lookups_end();
    CHECK_INT(HERE, "but it is looked up", lookups, 1);
    entry->looked_ns -= (FILE_WATCHED_MS + 1) * NS_PER_MS;
    entry->checked_ms -= FILE_WATCHED_MS + 1;
    check_looks(HERE, "/b.js", 1);
}

static void test_root(void)
{
    limits.ttl_ms = 300;
    file_cache_configure(&cache, &limits);
    learn("/one.js");
    shell_in(base, "cp -r www www2; printf 7777777 > www2/one.js; mv www www1; mv www2 www");
    turn();
    CHECK_INT(HERE, "moved away: reported", ask("/one.js"), 7);
    learn("/one.js");
    shell_in(base, "mv www www2; ln -s www1 www"); /* a link from now on */
    turn();
    CHECK_INT(HERE, "a link in its place", ask("/one.js"), 1);
    learn("/one.js");
    shell_in(base, "ln -sfn www2 www");
    usleep(301000);
    CHECK_INT(HERE, "the link was turned", ask("/one.js"), 7);
    learn("/one.js");
    shell_in(base, "rm www");
    usleep(301000);
    CHECK_INT(HERE, "nothing there", ask("/one.js"), 404);
    shell_in(base, "mv www2 www");
    usleep(301000);
    CHECK_INT(HERE, "there again", ask("/one.js"), 7);
    limits.ttl_ms = HOUR_MS;
    file_cache_configure(&cache, &limits);
}

/* --- shortages ------------------------------------------------------------------------------- */

static void test_overflow(void)
{
    struct inotify_event event = {.wd = -1, .mask = IN_Q_OVERFLOW};
    struct folder_inotify *old = cache.watcher->inotify;
    size_t work = 0;

    learn("/b.js");
    learn("/d/e2/x.js");
    check_looks(HERE, "/b.js", 0);
    CHECK_TRUE(!take_events(cache.watcher, (const char *)&event, sizeof(event), &work), "anew");
    CHECK_TRUE(cache.watcher->inotify && cache.watcher->inotify != old, "another descriptor");
    CHECK_INT(HERE, "no watches", cache.watcher->in_use, 0);
    check_looks(HERE, "/b.js", 1);
    check_looks(HERE, "/d/e2/x.js", 1);
    learn("/b.js");
    check_looks(HERE, "/b.js", 0);
    shell_in(base, "printf 999999999 > www/b.js");
    turn();
    CHECK_INT(HERE, "reported by the new one", ask("/b.js"), 9);
    tick(0);
}

/* When the look-up comes back there is another descriptor. */
static void test_overflow_during_lookup(void)
{
    const struct file_key key = {.path = {"/d/e2/z.js", 10}};
    struct file_waiter waiter = {.on_ready = on_ready};
    struct file_entry *entry;

    list_init(&waiter.link);
    was_told = false;
    CHECK_INT(HERE, "begun", file_cache_find(&cache, &owner, &place, &key, &waiter, &entry),
              FILE_WAIT);
    folder_watcher_begin_anew(cache.watcher);
    while (!was_told)
        uv_run(&loop, UV_RUN_ONCE);
    file_cache_put(&cache, told);
    check_looks(HERE, "/d/e2/z.js", 1);
    learn("/d/e2/z.js");
    check_looks(HERE, "/d/e2/z.js", 0);
}

static void test_few_watches(void)
{
    char path[32];

    shell_in(base,
             "for i in 1 2 3 4 5 6 7 8; do mkdir -p www/w/$i; printf 1 > www/w/$i/x.js; done");
    limits.watches = 5;
    limits.ttl_ms = 200;
    file_cache_configure(&cache, &limits);
    for (int i = 1; i <= 8; i++) {
        snprintf(path, sizeof(path), "/w/%d/x.js", i);
        learn(path);
        CHECK_TRUE(cache.watcher->in_use <= 5, "%u watches", cache.watcher->in_use);
    }
    CHECK_TRUE(is_watched("/w/1/x.js"), "the first are watched");
    CHECK_TRUE(!is_watched("/w/8/x.js"), "the last are not");
    shell_in(base, "printf 22 | tee www/w/1/x.js > www/w/8/x.js");
    turn();
    CHECK_INT(HERE, "at once", ask("/w/1/x.js"), 2);
    usleep(201000);
    CHECK_INT(HERE, "within the time to live", ask("/w/8/x.js"), 2);
    CHECK_INT(HERE, "nothing is lent out", cache.watcher->reserved, 0);
}

static void forget_entries(void)
{
    while (!list_empty(&cache.by_use))
        file_store_unlink(&cache, container_of(cache.by_use.next, struct file_entry, by_use));
    while (!list_empty(&cache.negative_by_use))
        file_store_unlink(&cache,
                          container_of(cache.negative_by_use.next, struct file_entry, by_use));
}

/* Folders on which nothing depends make room, and their watches are given back. */
static void test_idle_watches(void)
{
    forget_entries();
    CHECK_INT(HERE, "idle, but in use", cache.watcher->in_use, 5);
    learn("/w/8/x.js");
    learn("/w/7/x.js");
    CHECK_TRUE(is_watched("/w/8/x.js") && is_watched("/w/7/x.js"), "they made room");
    CHECK_TRUE(cache.watcher->in_use <= 5, "%u watches", cache.watcher->in_use);
    limits.watches = 100;
    file_cache_configure(&cache, &limits);
    forget_entries();
    for (int i = 0; i < 20; i++) /* one folder at a time becomes idle */
        tick((i + 2) * 2 * IDLE_MS);
    CHECK_INT(HERE, "none in use", cache.watcher->in_use, 0);
    turn();
    for (int i = 0; i < 3; i++)
        tick(0);
    CHECK_INT(HERE, "none remembered", cache.watcher->removed_count, 0);
    cache.watcher->tree.now_ms = (int64_t)(monotonic_ns() / NS_PER_MS);
}

static void test_no_more_watches(void)
{
    learn("/b.js");
    take_error(cache.watcher, -ENOSPC);
    learn("/d/x.js");
    CHECK_TRUE(!is_watched("/d/x.js"), "no new ones for a while");
    CHECK_TRUE(is_watched("/b.js"), "those there are go on");
    cache.watcher->add_again_ms = 0;
}

static void test_no_inotify(void)
{
    limits.ttl_ms = 100;
    file_cache_configure(&cache, &limits);
    learn("/b.js");
    take_error(cache.watcher, -ENOENT);
    tick(0);
    CHECK_TRUE(cache.stats.lacks_watches && cache.stats.watches == 0, "said");
    learn("/b.js");
    CHECK_TRUE(!is_watched("/b.js"), "by the time to live");
    check_looks(HERE, "/b.js", 0);
    usleep(101000);
    check_looks(HERE, "/b.js", 1);
    tick(2 * TRY_AGAIN_MS);
    CHECK_TRUE(!cache.stats.lacks_watches, "tried again");
    cache.watcher->tree.now_ms = (int64_t)(monotonic_ns() / NS_PER_MS);
}

static void test_engines(void)
{
    const struct {
        int line;
        uint32_t ttl_ms, watches;
        bool watched;
    } rows[] = {
        {HERE, HOUR_MS, 100, true}, {HERE, HOUR_MS, 0, false}, {HERE, HOUR_MS, 50, true},
        {HERE, 0, 0, false},        {HERE, HOUR_MS, 50, true},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        limits.ttl_ms = rows[i].ttl_ms;
        limits.watches = rows[i].watches;
        file_cache_configure(&cache, &limits);
        shell_in(base, "rm -f www/b.js; printf 1 > www/b.js");
        turn();
        forget_entries();
        learn("/b.js");
        CHECK_INT(rows[i].line, "watched", is_watched("/b.js"), rows[i].watched);
        shell_in(base, "printf 22 > www/b.js");
        turn();
        CHECK_INT(rows[i].line, "seen", ask("/b.js"), rows[i].watched || !rows[i].ttl_ms ? 2 : 1);
        tick(0);
    }
}

int main(void)
{
    if (!mkdtemp(base))
        return 1;
    snprintf(root, sizeof(root), "%s/www", base);
    snprintf(inner, sizeof(inner), "%s/www/inner", base);
    uv_loop_init(&loop);
    lane = io_lane_new("test", 1, 10);
    io_port_init(&port, &loop);
    file_cache_init(&cache, lane, lane, &port);
    file_cache_configure(&cache, &limits);
    make_tree();
    test_changes();
    test_same_size();
    test_bystanders();
    test_two_places();
    test_races();
    test_two_lookups();
    test_unreported();
    test_renewal();
    test_root();
    test_overflow();
    test_overflow_during_lookup();
    test_few_watches();
    test_idle_watches();
    test_no_more_watches();
    test_no_inotify();
    test_engines();
    let_lookups_end();
    file_cache_fini(&cache);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    io_lane_free(lane);
    CHECK_INT(HERE, "nothing is left open", uv_loop_close(&loop), 0);
    CHECK_INT(HERE, "look-ups let go of the place", atomic_load(&owner.refs), 1);
    shell_in(base, "rm -rf \"$PWD\"");
    return check_end("file_watch");
}
