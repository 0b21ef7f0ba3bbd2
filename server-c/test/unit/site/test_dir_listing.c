/* SPDX-License-Identifier: MIT */
/* Which names a listing shows, in which order and how many; and the job on a real lane, also when it is cancelled. */
#include "site/dir_listing.c"
#include "site/dir_listing_read.c"
#include "site/dir_note.c"

#include "check.h"
#include "listing_page.h"
#include "shell.h"

#include <jansson.h>
#include <sys/socket.h>
#include <sys/un.h>

static char root[] = "/tmp/farmstead-listing-XXXXXX";
static atomic_bool not_cancelled;

static struct dir_entries read_folder(const char *path, const struct config_site *site)
{
    struct dir_scan scan = {.root = open(root, O_PATH | O_CLOEXEC),
                            .path = path,
                            .site = site,
                            .is_cancelled = &not_cancelled};
    struct dir_entries entries;

    scan.folder = openat(scan.root, path[1] ? path + 1 : ".", O_RDONLY | O_CLOEXEC);
    CHECK_INT(__LINE__, path, dir_listing_read(&entries, &scan), HTTP_OK);
    close(scan.root);
    return entries;
}

static void check_names(int line, const struct config_site *site, const char *want, bool truncated)
{
    struct dir_entries entries = read_folder("/kinds/", site);
    char got[500] = "";

    for (size_t i = 0; i < entries.count; i++) {
        strcat(got, entries.items[i].name);
        strcat(got, entries.items[i].is_folder ? "/ " : " ");
    }
    CHECK_STR(line, "names", got, want);
    CHECK_INT(line, "truncated", entries.is_truncated, truncated);
    dir_entries_fini(&entries);
}

static void make_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s/kinds/socket", root);
    CHECK_INT(__LINE__, "bind", bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

static void test_which_names(void)
{
    struct config_site site = {.symlinks = SYMLINKS_WITHIN_ROOT, .listing.max_entries = 100};

    shell_in(root,
             "mkdir -p kinds/zoo kinds/.hidden kinds/Abc && cd kinds && touch b a B .dot && "
             "mkfifo fifo && ln -s a to-file && ln -s zoo to-folder && ln -s nowhere dangling && "
             "ln -s /etc/passwd out && ln -s /etc out-folder && touch \"$(printf 'new\\nline')\"");
    make_socket();
    check_names(__LINE__, &site, "Abc/ to-folder/ zoo/ B a b to-file ", false);
    site.hidden_files = true;
    check_names(__LINE__, &site, ".hidden/ Abc/ to-folder/ zoo/ .dot B a b to-file ", false);
    site.hidden_files = false;
    site.symlinks = SYMLINKS_NEVER;
    check_names(__LINE__, &site, "Abc/ zoo/ B a b ", false);
    site.symlinks = SYMLINKS_ANY;
    check_names(__LINE__, &site, "Abc/ out-folder/ to-folder/ zoo/ B a b out to-file ", false);
    site.symlinks = SYMLINKS_NEVER;
    site.listing.max_entries = 5;
    check_names(__LINE__, &site, "Abc/ zoo/ B a b ", false);
    site.listing.max_entries = 4;
    check_names(__LINE__, &site, "Abc/ zoo/ B a ", true);
    site.listing.max_entries = 1;
    check_names(__LINE__, &site, "Abc/ ", true);
    site.listing.max_entries = 0;
    check_names(__LINE__, &site, "", true);
}

/* The names of many that come first, whatever order the folder has them in. */
static void test_many(void)
{
    const struct config_site site = {.listing.max_entries = 300};
    struct dir_entries entries;
    char want[32];

    shell_in(root, "mkdir many && cd many && seq -f 'f%05g' 1 3000 | xargs touch");
    entries = read_folder("/many/", &site);
    CHECK_INT(__LINE__, "count", entries.count, 300);
    CHECK_TRUE(entries.is_truncated, "there are more");
    for (size_t i = 0; i < entries.count; i++) {
        snprintf(want, sizeof(want), "f%05zu", i + 1);
        CHECK_STR((int)i, "in order", entries.items[i].name, want);
    }
    dir_entries_fini(&entries);
}

/* --- the job --------------------------------------------------------------------------------- */

static struct io_lane *lane;
static struct io_port port;
static uv_loop_t loop;
static struct file_cache cache;
static struct dir_listing last;
static int done_count;

static void on_done(void *arg, const struct dir_listing *listing)
{
    CHECK_TRUE(arg == &last, "its argument");
    last = *listing;
    done_count++;
}

static struct file_entry *open_entry(const char *path)
{
    struct file_entry *entry = calloc(1, sizeof(*entry) + strlen(path) + 1);

    list_init(&entry->by_use);
    list_init(&entry->by_use_open);
    list_init(&entry->by_use_body);
    entry->refs = 1;
    entry->index = "";
    entry->is_folder = true;
    entry->key_len = strlen(path);
    strcpy(entry->key, path);
    entry->fd = open(root, O_RDONLY | O_CLOEXEC);
    return entry;
}

static void run_job(bool as_json, bool cancel)
{
    const struct config_site site = {.listing.max_entries = 10};
    const struct file_place place = {.site = &site, .folder = root};
    struct config *cfg = calloc(1, sizeof(*cfg));
    struct site_set *set;
    struct file_entry *entry = open_entry("/");
    struct dir_listing_order order = {.cache = &cache,
                                      .place = &place,
                                      .entry = entry,
                                      .url_path = {"/up/", 4},
                                      .as_json = as_json};
    struct dir_listing_job *job;

    atomic_init(&cfg->refs, 2);
    set = order.set = site_set_new(cfg, NULL, NULL);
    last = (struct dir_listing){0};
    done_count = 0;
    for (int i = 0; i < 2; i++) { /* the entry's reading position is not used up */
        dir_listing_page_free(last.page);
        job = dir_listing_start(lane, &port, &order, on_done, &last);
        CHECK_TRUE(job != NULL, "started");
        if (cancel)
            dir_listing_cancel(job);
        while (port.outstanding > 0)
            uv_run(&loop, UV_RUN_ONCE);
    }
    CHECK_INT(__LINE__, "called", done_count, cancel ? 0 : 2);
    CHECK_INT(__LINE__, "references given back", entry->refs, 1);
    CHECK_INT(__LINE__, "descriptor given back", entry->descriptor_users, 0);
    CHECK_INT(__LINE__, "and the sites", atomic_load(&set->owner.refs), 1);
    file_cache_put(&cache, entry);
    site_set_put(set);
    free(cfg);
}

static void test_job(void)
{
    json_t *json;
    char *text;

    uv_loop_init(&loop);
    lane = io_lane_new("test", 1, 10);
    io_port_init(&port, &loop);
    file_cache_init(&cache, lane, lane, &port);
    run_job(true, true);
    run_job(true, false);
    CHECK_INT(__LINE__, "status", last.status, HTTP_OK);
    text = joined(last.page);
    json = json_loads(text, 0, NULL);
    CHECK_TRUE(json != NULL, "%s", text);
    CHECK_STR(__LINE__, "path", json_string_value(json_object_get(json, "path")), "/up/");
    CHECK_INT(__LINE__, "entries", json_array_size(json_object_get(json, "entries")), 2);
    CHECK_TRUE(json_is_false(json_object_get(json, "truncated")), "all");
    json_decref(json);
    free(text);
    dir_listing_page_free(last.page);
    run_job(false, false);
    text = joined(last.page);
    CHECK_INT(__LINE__, "its title", times_in(text, "<h1>Index of <bdi>/up/</bdi></h1>"), 1);
    CHECK_INT(__LINE__, "up from here", times_in(text, "<a href=\"../\">"), 1);
    CHECK_INT(__LINE__, "down from here", times_in(text, "<a href=\"kinds/\">"), 1);
    free(text);
    dir_listing_page_free(last.page);
    file_cache_fini(&cache);
    io_port_close(&port, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    io_port_fini(&port);
    io_lane_free(lane);
    uv_loop_close(&loop);
}

/* On FUSE, readdir() may return names of 1,024 bytes, since Linux 6.14 even of 4,095. */
static void test_names_longer_than_name_max(void)
{
    struct config_access rule = {.action = ACCESS_DENY};
    struct config_site site = {.access = &rule, .access_count = 1};
    struct site_policy policy;
    struct dir_listing_order order = {.policy = &policy, .url_path = {"/", 1}};
    struct dir_entries entries = {0};
    char name[PATH_MAX];

    site_policy_init(&policy, &site, NULL);
    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    for (size_t len = 1; len < sizeof(name); len = 4 * len + 3) {
        struct dir_entry entry = {.name = name + sizeof(name) - 1 - len, .is_folder = true};
        CHECK_INT(__LINE__, "kept", keep(&entries, &entry, 100), true);
    }
    CHECK_INT(__LINE__, "names", entries.count, 6);
    CHECK_INT(__LINE__, "status", drop_refused(&order, &entries), HTTP_OK);
    CHECK_INT(__LINE__, "all are refused", entries.count, 0);
    dir_entries_fini(&entries);
    site_policy_fini(&policy);
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    test_which_names();
    test_many();
    test_job();
    test_names_longer_than_name_max();
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("dir_listing");
}
