/* SPDX-License-Identifier: MIT */
/* What the cache keeps: entries by place, variable and path, files that have just changed, disk
 * errors, folders, and siblings that appear and disappear. With real lanes and files. */
#include "file_cache_fixture.h"

static char br[] = "br";
static char *codings[] = {br};
static bool takes_none; /* the client accepts no coding */

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
    if (file_cache_find(&cache, &owner, in, &key, &waiter, &entry) == FILE_HIT)
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
    source = file_cache_source(&cache, entry, false, &waiter);
    while (source == FILE_SOURCE_WAIT && !was_told)
        uv_run(&loop, UV_RUN_ONCE);
    if (source == FILE_SOURCE_WAIT)
        file_cache_put(&cache, told);
    memcpy(body, entry->body, entry->facts.size);
    body[entry->facts.size] = '\0';
    return body;
}
/* --- tests ----------------------------------------------------------------------------------- */

static void test_young_files(void)
{
    struct file_entry *entry;

    settles = has_young_tag = true;
    write_at("young", 0, "one");
    entry = find("/young");
    CHECK_INT(__LINE__, "served", entry->status, HTTP_OK);
    CHECK_STR(__LINE__, "its body", body_of(entry), "one");
    CHECK_INT(__LINE__, "without a tag", entry->facts.etag_len, 0);
    CHECK_INT(__LINE__, "not kept", cache.stats.entries, 0);
    write_at("young", 0, "two"); /* the same size, and perhaps the same time */
    put(entry);
    entry = find("/young");
    CHECK_STR(__LINE__, "the new body", body_of(entry), "two");
    put(entry);

    has_young_tag = false;
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

/* A date is in whole seconds: until its second is over, another version could get the same one. */
static void test_dates(void)
{
    struct file_entry *entry;

    date_open_for_ns = 30000000;
    write_at("dated", 0, "one");
    entry = find("/dated");
    CHECK_TRUE(!entry->facts.has_date && entry->facts.etag_len > 0, "a tag, but no date");
    CHECK_TRUE(entry->in_table, "kept all the same");
    entry->head = malloc(1);
    entry->head_site = 1;
    put(entry);
    lookups = 0;
    put(find("/dated"));
    CHECK_INT(__LINE__, "for as long as the second goes on", lookups, 0);
    usleep(35000);
    date_open_for_ns = 0;
    put(find("/dated"));
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
    CHECK_INT(__LINE__, "no longer, whatever the ttl", lookups, 1);
    entry = find("/dated");
    CHECK_TRUE(entry->facts.has_date, "the date");
    CHECK_TRUE(entry->head == NULL && entry->head_site == 0, "a head without it is made anew");
    put(entry);
    put(find("/dated"));
    CHECK_INT(__LINE__, "which holds", lookups, 1);

    date_open_for_ns = INT64_MAX;
    write_at("ahead", 0, "one");
    entry = find("/ahead");
    CHECK_TRUE(!entry->facts.has_date, "a time far ahead is none");
    put(entry);
    put(find("/ahead"));
    CHECK_INT(__LINE__, "and nothing to wait for", lookups, 2);
    date_open_for_ns = 0;
}

/* A kept entry goes when a look-up finds the file changed a moment ago. */
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
    settles = has_young_tag = true;
    write_at("kept", 0, "two");
    entry = find("/kept");
    CHECK_STR(__LINE__, "new", body_of(entry), "two");
    CHECK_INT(__LINE__, "untagged", entry->facts.etag_len, 0);
    CHECK_TRUE(file_store_find(&cache, 7, &(struct file_key){.path = {"/kept", 5}}) == NULL,
               "gone");
    put(entry);
    settles = has_young_tag = false;
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
    shell_in(root, "mkdir a.b a && echo 1 > a.b/x.txt && echo 22 > a/x.txt");
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

    shell_in(root, "mkdir folder");
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
    write_at("c.js", 1000000000, "plain");
    entry = find("/c.js");
    CHECK_INT(__LINE__, "no sibling", entry->codings, 0);
    put(entry);
    write_at("c.js.br", 1000000000, "coded");
    usleep(25000);
    entry = find("/c.js");
    CHECK_INT(__LINE__, "a sibling has come", entry->codings, 1u << 1);
    put(entry);
    shell_in(root, "rm c.js.br");
    usleep(25000);
    entry = find("/c.js");
    CHECK_INT(__LINE__, "and gone", entry->codings, 0);
    CHECK_TRUE(strchr(entry->facts.etag, '-') == strrchr(entry->facts.etag, '-'), "two parts");
    put(entry);
    site.etag_inode = true;
    write_at("inode.js", 1000000000, "plain");
    entry = find("/inode.js");
    CHECK_TRUE(strchr(entry->facts.etag, '-') != strrchr(entry->facts.etag, '-'), "three parts");
    put(entry);
}

/* Siblings are looked for when the first client accepts a coding. */
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

/* Begins a look-up on a lane whose only thread is busy. */
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
    CHECK_INT(__LINE__, "waits", file_cache_find(&cache, &owner, &place, &key, waiter, &entry),
              FILE_WAIT);
}

static void end_wait(void)
{
    uv_sem_post(&gate);
    while (port.outstanding > 0)
        uv_run(&loop, UV_RUN_ONCE);
}

/* A look-up that nobody waits for any more when its turn comes is skipped. */
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
              file_cache_find(&cache, &owner, &place, &(struct file_key){.path = {"/awaited", 8}},
                              &second, &told),
              FILE_WAIT);
    end_wait();
    CHECK_INT(__LINE__, "the disk is asked", lookups, 1);
    CHECK_TRUE(was_told && told && told->status == HTTP_OK, "the other is told");
    put(told);
    uv_sem_destroy(&gate);
}

/* A file that is known to have wrong bytes, and a look-up under way that may be of it. */
static void test_forgotten_files(void)
{
    struct file_waiter waiter;
    struct io_job plug;
    struct file_entry *other, *entry;
    uint64_t device, inode;

    uv_sem_init(&gate, 0);
    write_at("forgotten", 1000, "x");
    write_at("other", 1000, "y");
    entry = find("/forgotten");
    other = find("/other");
    device = entry->device, inode = entry->inode;
    put(entry);
    write_at("awaited", 1001, "xx"); /* what was known of it holds no more */
    file_cache_forget(&cache, entry = find("/awaited"));
    put(entry);
    begin_wait(&plug, &waiter);
    file_cache_forget_file(&cache, device, inode);
    end_wait();
    CHECK_TRUE(was_told && told, "who waits is told");
    CHECK_TRUE(!told->in_table, "and nobody else");
    put(told);
    CHECK_TRUE(other->in_table, "others stay");
    put(other);
    lookups = 0;
    put(find("/forgotten"));
    CHECK_INT(__LINE__, "the disk is asked", lookups, 1);
    uv_sem_destroy(&gate);
}

/* The file itself is known. It must not be refused because its siblings are not. */
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
        /* Until the thread has taken the first. */
        while (io_lane_submit(lane, &port, &plugs[i]) != 0)
            CHECK_TRUE(i == QUEUED_MAX, "room but for the last");
    }
    list_init(&waiter.link);
    cache.now_ms = monotonic_ns() / NS_PER_MS;
    CHECK_INT(__LINE__, "full", file_cache_find(&cache, &owner, &place, &key, &waiter, &entry),
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
int main(void)
{
    if (begin() != 0)
        return 1;
    cache.glance_again_ms = UINT64_MAX; /* these are about the lane's answers */
    test_young_files();
    test_dates();
    test_kept_file_changes();
    test_disk_errors();
    test_keys();
    test_folders_and_siblings();
    test_copies_nobody_takes();
    test_waiters_that_are_gone();
    test_forgotten_files();
    test_copies_on_a_full_lane();
    return end("file_cache");
}
