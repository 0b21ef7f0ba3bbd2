/* SPDX-License-Identifier: MIT */
/* What the cache keeps and for whom: entries by place, variable and path, files that have just
 * changed, disk errors, folders, siblings that come and go. On real lanes and files. */
#include <stdbool.h>

#include "file_lookup.h"

static void spied_lookup(struct file_found *found, const struct file_place *place,
                         const struct file_key *key, struct folder_chain *chain);
#define file_lookup_run spied_lookup
#include "file_cache.c"
#undef file_lookup_run
#include "file_store.c"

#include "confined_open.h"
#include "file_bounds.h"

#include "check.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

static char root[] = "/tmp/farmstead-cache-XXXXXX";
static char br[] = "br";
static char *codings[] = {br};
static struct config_site site;
static struct file_place place = {.site = &site, .folder = root, .lookup_id = 7};
static struct config cfg;
static struct site_set *set;
static struct io_lane *lane;
static struct io_port port;
static uv_loop_t loop;
static struct file_cache cache;
#define QUEUED_MAX 10 /* jobs that may wait on the lane */

static enum http_status forced; /* 0: ask the disk */
/* Said of what was found, instead of what the clock says. */
static bool settles, has_young_mtime;
static int lookups;
static bool takes_none; /* who asks has no use for coded copies */

static void spied_lookup(struct file_found *found, const struct file_place *in,
                         const struct file_key *key, struct folder_chain *chain)
{
    lookups++;
    if (!forced) {
        file_lookup_run(found, in, key, chain);
        found->is_settling = settles;
        found->has_young_mtime = has_young_mtime;
        return;
    }
    *found = (struct file_found){.fd = -1, .status = forced};
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

static struct file_entry *find_in(const struct file_place *in, const char *variable,
                                  const char *path)
{
    const struct file_key key = {.variable = {variable, strlen(variable)},
                                 .path = {path, strlen(path)},
                                 .wants_codings = !takes_none};
    struct file_waiter waiter = {.on_ready = on_ready};
    struct file_entry *entry = NULL;

    list_init(&waiter.link);
    was_told = false;
    cache.now_ms = monotonic_ns() / NS_PER_MS;
    if (file_cache_find(&cache, set, in, &key, &waiter, &entry) == FILE_HIT)
        return entry;
    while (!was_told)
        uv_run(&loop, UV_RUN_ONCE);
    return told;
}

static struct file_entry *find(const char *path)
{
    return find_in(&place, "", path);
}

static const char *body_of(struct file_entry *entry)
{
    static char body[100];
    struct file_waiter waiter = {.on_ready = on_ready};
    enum file_source source;

    list_init(&waiter.link);
    was_told = false;
    source = file_cache_source(&cache, entry, &waiter);
    while (source == FILE_SOURCE_WAIT && !was_told)
        uv_run(&loop, UV_RUN_ONCE);
    if (source == FILE_SOURCE_WAIT)
        file_cache_put(&cache, told);
    memcpy(body, entry->body, entry->facts.size);
    body[entry->facts.size] = '\0';
    return body;
}

static void put(struct file_entry *entry)
{
    file_cache_put(&cache, entry);
}

static void write_at(const char *name, int64_t mtime_seconds, const char *content)
{
    const struct timespec times[2] = {{mtime_seconds, 5}, {mtime_seconds, 5}};
    char path[100];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    CHECK_TRUE(fd >= 0 && write(fd, content, strlen(content)) >= 0, "%s", name);
    if (mtime_seconds)
        futimens(fd, times);
    close(fd);
}

static void shell(const char *script)
{
    char command[500];

    snprintf(command, sizeof(command), "cd %s && { %s; }", root, script);
    CHECK_INT(__LINE__, script, system(command), 0);
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_young_files(void)
{
    struct file_entry *entry;

    settles = has_young_mtime = true;
    write_at("young", 0, "one");
    entry = find("/young");
    CHECK_INT(__LINE__, "served", entry->status, HTTP_OK);
    CHECK_STR(__LINE__, "its body", body_of(entry), "one");
    CHECK_INT(__LINE__, "without a tag", entry->facts.etag_len, 0);
    CHECK_INT(__LINE__, "not kept", cache.stats.entries, 0);
    write_at("young", 0, "two"); /* the same size, perhaps within the same tick */
    put(entry);
    entry = find("/young");
    CHECK_STR(__LINE__, "the new body", body_of(entry), "two");
    put(entry);

    has_young_mtime = false;
    write_at("set", 1000, "one");
    entry = find("/set");
    CHECK_TRUE(entry->facts.etag_len > 0, "a time set by hand makes a tag");
    CHECK_INT(__LINE__, "but is not kept at first", cache.stats.entries, 0);
    put(entry);

    settles = false;
    entry = find("/young");
    CHECK_TRUE(entry->facts.etag_len > 0, "tagged when it has settled");
    CHECK_INT(__LINE__, "and kept", cache.stats.entries, 1);
    put(entry);
    lookups = 0;
    put(find("/young"));
    CHECK_INT(__LINE__, "a hit", lookups, 0);
}

/* One that was kept goes when a look-up finds it changed right now. */
static void test_kept_file_changes(void)
{
    struct file_entry *entry;

    cache.limits.ttl_ms = 20;
    write_at("kept", 0, "one");
    entry = find("/kept");
    CHECK_STR(__LINE__, "old", body_of(entry), "one");
    put(entry);
    CHECK_TRUE(file_store_find(&cache, 7, &(struct file_key){.path = {"/kept", 5}}) != NULL,
               "kept");
    usleep(25000);
    settles = has_young_mtime = true;
    write_at("kept", 0, "two");
    entry = find("/kept");
    CHECK_STR(__LINE__, "new", body_of(entry), "two");
    CHECK_INT(__LINE__, "untagged", entry->facts.etag_len, 0);
    CHECK_TRUE(file_store_find(&cache, 7, &(struct file_key){.path = {"/kept", 5}}) == NULL,
               "gone");
    put(entry);
    settles = has_young_mtime = false;
    cache.limits.ttl_ms = 60000;
}

static void test_disk_errors(void)
{
    static const enum http_status passing[] = {HTTP_INTERNAL_ERROR, HTTP_UNAVAILABLE};
    struct file_entry *entry;

    write_at("sick", 0, "well again");
    for (size_t i = 0; i < ARRAY_LEN(passing); i++) {
        forced = passing[i];
        entry = find("/sick");
        CHECK_INT(__LINE__, "said", entry->status, forced);
        put(entry);
        forced = 0;
        entry = find("/sick");
        CHECK_INT(__LINE__, "not believed for long", entry->status, HTTP_OK);
        file_store_unlink(&cache, entry);
        put(entry);
    }
    entry = find("/missing");
    lookups = 0;
    put(entry);
    put(find("/missing"));
    CHECK_INT(__LINE__, "what is not there is believed", lookups, 0);
}

static void test_keys(void)
{
    struct file_place other = place, template = place;
    struct file_entry *a, *b, *c, *d;
    char folder[64];

    snprintf(folder, sizeof(folder), "%s/{host}", root);
    template.folder = folder;
    template.is_template = true;
    template.lookup_id = 8;
    other.lookup_id = 9;
    shell("mkdir a.b a && echo 1 > a.b/x.txt && echo 22 > a/x.txt");
    a = find_in(&template, "a.b", "/x.txt");
    b = find_in(&template, "a", "/x.txt");
    c = find_in(&template, "nobody", "/x.txt");
    d = find_in(&other, "", "/a/x.txt");
    CHECK_INT(__LINE__, "one folder", a->facts.size, 2);
    CHECK_INT(__LINE__, "another", b->facts.size, 3);
    CHECK_INT(__LINE__, "none", c->status, HTTP_NOT_FOUND);
    CHECK_INT(__LINE__, "the same file by another place", d->facts.size, 3);
    CHECK_INT(__LINE__, "path", file_entry_path(a).len, 6);
    CHECK_TRUE(memcmp(file_entry_path(a).ptr, "/x.txt", 7) == 0, "and a NUL behind it");
    CHECK_TRUE(memcmp(file_entry_variable(a).ptr, "a.b", 3) == 0, "variable");
    CHECK_TRUE(memcmp(file_entry_name(a).ptr, "/x.txt", 6) == 0, "name");
    put(a), put(b), put(c), put(d);
    lookups = 0;
    put(find_in(&template, "a.b", "/x.txt"));
    put(find_in(&template, "a", "/x.txt"));
    CHECK_INT(__LINE__, "hits", lookups, 0);
}

static void test_folders_and_siblings(void)
{
    struct file_entry *entry;

    shell("mkdir folder");
    entry = find("/folder/");
    CHECK_INT(__LINE__, "no listing", entry->status, HTTP_NOT_FOUND);
    file_store_unlink(&cache, entry);
    put(entry);
    site.listing.enabled = true;
    entry = find("/folder/");
    CHECK_TRUE(entry->status == HTTP_OK && entry->is_folder && entry->fd >= 0, "a folder to list");
    put(entry);

    site.precompressed = codings;
    site.precompressed_count = 1;
    cache.limits.ttl_ms = 20;
    write_at("c.js", 1000, "plain");
    entry = find("/c.js");
    CHECK_INT(__LINE__, "no sibling", entry->codings, 0);
    put(entry);
    write_at("c.js.br", 1000, "coded");
    usleep(25000);
    entry = find("/c.js");
    CHECK_INT(__LINE__, "a sibling has come", entry->codings, 1u << 1);
    put(entry);
    shell("rm c.js.br");
    usleep(25000);
    entry = find("/c.js");
    CHECK_INT(__LINE__, "and gone", entry->codings, 0);
    CHECK_TRUE(strchr(entry->facts.etag, '-') == strrchr(entry->facts.etag, '-'), "two parts");
    put(entry);
    site.etag_inode = true;
    write_at("inode.js", 1000, "plain");
    entry = find("/inode.js");
    CHECK_TRUE(strchr(entry->facts.etag, '-') != strrchr(entry->facts.etag, '-'), "three parts");
    put(entry);
}

/* Copies are looked for when the first comes who takes any. */
static void test_copies_nobody_takes(void)
{
    struct file_entry *entry;

    cache.limits.ttl_ms = 100000;
    write_at("d.js", 1000, "plain");
    write_at("d.js.br", 1000, "coded");
    takes_none = true;
    entry = find("/d.js");
    CHECK_TRUE(entry->codings == 0 && file_entry_lacks_codings(entry), "not looked for");
    CHECK_STR(__LINE__, "served", body_of(entry), "plain");
    put(entry);
    takes_none = false;
    lookups = 0;
    entry = find("/d.js");
    CHECK_TRUE(entry->codings == 1u << 1 && !file_entry_lacks_codings(entry), "found");
    put(entry);
    takes_none = true;
    entry = find("/d.js");
    CHECK_TRUE(!file_entry_lacks_codings(entry), "and still known for who takes none");
    put(entry);
    takes_none = false;
    CHECK_INT(__LINE__, "looked for once", lookups, 1);
    takes_none = true;
    put(find("/none2.js"));
    takes_none = false;
    lookups = 0;
    put(find("/none2.js"));
    CHECK_INT(__LINE__, "what is not there has no copies", lookups, 0);
}

static uv_sem_t gate;

static void run_plug(struct io_job *job)
{
    (void)job;
    uv_sem_wait(&gate);
}

static void plug_done(struct io_job *job)
{
    (void)job;
}

/* Begins a look-up on a lane whose only thread is held up. */
static void begin_wait(struct io_job *plug, struct file_waiter *waiter)
{
    static const struct file_key key = {.path = {"/awaited", 8}};
    struct file_entry *entry;

    *plug = (struct io_job){.run = run_plug, .on_done = plug_done};
    CHECK_INT(__LINE__, "held", io_lane_submit(lane, &port, plug), 0);
    *waiter = (struct file_waiter){.on_ready = on_ready};
    list_init(&waiter->link);
    was_told = false;
    cache.now_ms = monotonic_ns() / NS_PER_MS;
    CHECK_INT(__LINE__, "waits", file_cache_find(&cache, set, &place, &key, waiter, &entry),
              FILE_WAIT);
}

static void end_wait(void)
{
    uv_sem_post(&gate);
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
}

/* A look-up that nobody waits for any more when it is its turn is left out. */
static void test_waiters_that_are_gone(void)
{
    size_t entries = cache.stats.entries;
    struct file_waiter first, second;
    struct io_job plug;

    uv_sem_init(&gate, 0);
    write_at("awaited", 1000, "x");
    lookups = 0;
    begin_wait(&plug, &first);
    file_cache_cancel(&first);
    end_wait();
    CHECK_INT(__LINE__, "the disk is not asked", lookups, 0);
    CHECK_INT(__LINE__, "nothing is kept", cache.stats.entries, entries);
    CHECK_TRUE(!was_told, "nobody is told");

    begin_wait(&plug, &first);
    file_cache_cancel(&first);
    second = (struct file_waiter){.on_ready = on_ready};
    list_init(&second.link);
    CHECK_INT(__LINE__, "another comes in time",
              file_cache_find(&cache, set, &place, &(struct file_key){.path = {"/awaited", 8}},
                              &second, &told),
              FILE_WAIT);
    end_wait();
    CHECK_INT(__LINE__, "the disk is asked", lookups, 1);
    CHECK_TRUE(was_told && told && told->status == HTTP_OK, "the other is told");
    put(told);
    uv_sem_destroy(&gate);
}

/* The file itself is known; that its copies are not is no reason to refuse it. */
static void test_copies_on_a_full_lane(void)
{
    static const struct file_key key = {.path = {"/full.js", 8}, .wants_codings = true};
    struct file_waiter waiter = {.on_ready = on_ready};
    struct io_job plugs[1 + QUEUED_MAX];
    struct file_entry *entry = NULL;

    uv_sem_init(&gate, 0);
    cache.limits.ttl_ms = 100000;
    write_at("full.js", 1000, "plain");
    takes_none = true;
    put(find("/full.js"));
    takes_none = false;
    for (size_t i = 0; i < ARRAY_LEN(plugs); i++) {
        plugs[i] = (struct io_job){.run = run_plug, .on_done = plug_done};
        while (io_lane_submit(lane, &port, &plugs[i]) != 0) /* the thread takes the first */
            CHECK_TRUE(i == QUEUED_MAX, "room but for the last");
    }
    list_init(&waiter.link);
    cache.now_ms = monotonic_ns() / NS_PER_MS;
    CHECK_INT(__LINE__, "full", file_cache_find(&cache, set, &place, &key, &waiter, &entry),
              FILE_HIT);
    CHECK_TRUE(entry && file_entry_lacks_codings(entry), "as it is known");
    put(entry);
    for (size_t i = 0; i < ARRAY_LEN(plugs); i++)
        uv_sem_post(&gate);
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
    entry = find("/full.js");
    CHECK_TRUE(!file_entry_lacks_codings(entry), "looked for when there is room");
    put(entry);
    uv_sem_destroy(&gate);
}

/* --- looks on the loop ----------------------------------------------------------------------- */

static struct file_waiter asker;

static enum file_answer ask(const char *path, struct file_entry **entry)
{
    const struct file_key key = {.path = {path, strlen(path)}};
    enum file_answer answer;

    asker = (struct file_waiter){.on_ready = on_ready, .wait_ns = 1};
    list_init(&asker.link);
    was_told = false;
    cache.now_ms = monotonic_ns() / NS_PER_MS;
    answer = file_cache_find(&cache, set, &place, &key, &asker, entry);
    while (answer == FILE_WAIT && !was_told)
        uv_run(&loop, UV_RUN_ONCE);
    if (answer == FILE_WAIT)
        *entry = told;
    return answer;
}

/* On a machine that does much else, an attempt may take too long, and what was learnt be old. */
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
        ask_anew(rows[i].path, &status); /* now all is in memory */
        lookups = 0;
        answer = ask_anew(rows[i].path, &status);
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

/* Each of them, and all of it goes to the lane. */
static void test_what_is_left_to_the_lane(void)
{
    struct file_entry *entry;
    enum http_status status;

    CHECK_INT(__LINE__, "seen", ask_anew("/seen/file", &status), FILE_SEEN);
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
    CHECK_INT(__LINE__, "seen", ask_anew("/seen/file", &status), FILE_SEEN);
    CHECK_INT(__LINE__, "kept", ask_anew("/seen/file", &status), FILE_HIT);
    cache.limits.ttl_ms = 1;
    usleep(2000);
    write_at("seen/file", 2000, "changed");
    CHECK_INT(__LINE__, "seen again", ask_anew("/seen/file", &status), FILE_SEEN);
    cache.limits.ttl_ms = 60000;
    ask("/seen/file", &entry);
    CHECK_INT(__LINE__, "as it is now", entry->facts.size, strlen("changed"));
    put(entry);
    cache.limits.ttl_ms = 0;
}

/* Closed for room, and opened again while what is known of it holds. */
static void test_bare(void)
{
    struct file_entry *entry, *again;
    enum http_status status;

    write_at("seen/file", 3000, "1\n");
    usleep(60000); /* what changed just now is not kept */
    cache.limits.ttl_ms = 60000;
    CHECK_INT(__LINE__, "seen", ask_anew("/seen/file", &status), FILE_SEEN);
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

/* What is another file by now is looked up, on the loop or by the lane. */
static void test_bare_and_changed(void)
{
    struct file_entry *entry;
    enum http_status status;

    ask_anew("/seen/file", &status);
    close_bare();
    write_at("seen/file", 4000, "other");
    usleep(60000);
    CHECK_INT(__LINE__, "looked up", ask_anew("/seen/file", &status), FILE_SEEN);
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
    shell("rm seen/file");
    CHECK_INT(__LINE__, "gone", ask_anew("/seen/file", &status), FILE_SEEN);
    CHECK_INT(__LINE__, "404", status, HTTP_NOT_FOUND);
    cache.limits.ttl_ms = 0;
}

static int root_opened(void)
{
    return cache.root.is_open ? cache.root.fd : -1;
}

/* A root that is turned takes effect as soon as what is known of a file ends to be trusted. */
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
    CHECK_INT(__LINE__, "in memory by now", ask_anew("/seen/cold", &status), FILE_SEEN);
}

static size_t count_open(void)
{
    size_t count = 0;

    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) != -1;
    return count;
}

/* There, no name that is missing is remembered, and none forgotten. */
static bool is_memory(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) != 0 || fs.f_type == TMPFS_MAGIC;
}

static void test_looks_on_the_loop(void)
{
    static char index[] = "file", *names[] = {index};
    int fd = open(root, O_RDONLY | O_CLOEXEC);
    bool is_disk = file_glance_is_local(fd) && !is_memory(fd);
    size_t before;

    close(fd);
    if (!is_disk || !confined_may_open_cached())
        return;
    shell(
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
    settles = has_young_mtime = false;
    usleep(60000); /* what changed just now is not kept */
    test_seen_and_kept();
    test_bare();
    test_bare_and_changed();
    test_root_kept_open();
}

int main(void)
{
    const struct file_cache_limits limits = {
        .ttl_ms = 60000, .entries = 100, .descriptors = 10, .body_bytes = 1000, .max_body = 100};

    if (!mkdtemp(root))
        return 1;
    atomic_init(&cfg.refs, 2);
    set = site_set_new(&cfg, NULL);
    uv_loop_init(&loop);
    lane = io_lane_new("test", 1, QUEUED_MAX);
    io_port_init(&port, &loop);
    file_cache_init(&cache, lane, lane, &port);
    file_cache_configure(&cache, &limits);
    cache.glance_again_ms = UINT64_MAX; /* these are about the lane's answers */
    test_young_files();
    test_kept_file_changes();
    test_disk_errors();
    test_keys();
    test_folders_and_siblings();
    test_copies_nobody_takes();
    test_waiters_that_are_gone();
    test_copies_on_a_full_lane();
    test_looks_on_the_loop();
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
    file_cache_fini(&cache);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    io_lane_free(lane);
    uv_loop_close(&loop);
    CHECK_INT(__LINE__, "look-ups let go of the sites", atomic_load(&set->refs), 1);
    site_set_put(set);
    shell("rm -rf \"$PWD\"");
    return check_end("file_cache");
}
