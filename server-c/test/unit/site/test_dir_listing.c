/* SPDX-License-Identifier: MIT */
/* Which names a listing shows, in which order and how many; how names of any bytes are written; and
 * the job on a real lane, also when it is cancelled. */
#include "site/dir_listing.c"
#include "site/dir_listing_page.c"
#include "site/dir_listing_read.c"
#include "site/dir_note.c"

#include "check.h"
#include "shell.h"

#include <jansson.h>
#include <openssl/evp.h>
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

/* --- the two forms --------------------------------------------------------------------------- */

static void test_names_as_text(void)
{
    static const struct {
        int line;
        const char *name, *href, *html, *json;
    } rows[] = {
        {__LINE__, "plain-1.0_~", "plain-1.0_~", "plain-1.0_~", "plain-1.0_~"},
        {__LINE__, "javascript:alert(1)", "javascript%3Aalert%281%29", "javascript:alert(1)",
         "javascript:alert(1)"},
        {__LINE__, "a b?c#d%e", "a%20b%3Fc%23d%25e", "a b?c#d%e", "a b?c#d%e"},
        {__LINE__, "<b>&\"'\\", "%3Cb%3E%26%22%27%5C", "&lt;b&gt;&amp;&quot;'\\", "<b>&\\\"'\\\\"},
        {__LINE__, "gr\xc3\xbc\xc3\x9f", "gr%C3%BC%C3%9F", "gr\xc3\xbc\xc3\x9f",
         "gr\xc3\xbc\xc3\x9f"},
        {__LINE__, "bad\xff\xc3", "bad%FF%C3", "bad\xef\xbf\xbd\xef\xbf\xbd",
         "bad\xef\xbf\xbd\xef\xbf\xbd"},
        {__LINE__, "tab\t", "tab%09", "tab\t", "tab\\u0009"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char name[100], want[200];
        struct dir_entry entry = {.name = name, .is_known = true, .size = 1};
        struct text row = {0}, object = {0};

        strcpy(name, rows[i].name);
        append_row(&row, &entry);
        append(&row, "", 1);
        snprintf(want, sizeof(want), "<a href=\"%s\"><bdi>%s</bdi></a>", rows[i].href,
                 rows[i].html);
        CHECK_TRUE(strstr(row.data, want) != NULL, "row %d: %s", rows[i].line, row.data);
        append_object(&object, &entry);
        append(&object, "", 1);
        snprintf(want, sizeof(want), "{\"name\":\"%s\",\"href\":\"%s\",\"type\":\"file\",",
                 rows[i].json, rows[i].href);
        CHECK_TRUE(strncmp(object.data, want, strlen(want)) == 0, "row %d: %s", rows[i].line,
                   object.data);
        free(row.data);
        free(object.data);
    }
}

static void test_sizes_and_times(void)
{
    static const struct {
        int line;
        uint64_t size;
        const char *want;
    } sizes[] = {
        {__LINE__, 0, "<data value=\"0\">0 B</data>"},
        {__LINE__, 1023, "<data value=\"1023\">1023 B</data>"},
        {__LINE__, 1024, "<data value=\"1024\">1.0 KiB</data>"},
        {__LINE__, 1048575, "<data value=\"1048575\">1.0 MiB</data>"},
        {__LINE__, UINT64_C(5368709120), "<data value=\"5368709120\">5.0 GiB</data>"},
        {__LINE__, UINT64_MAX, "<data value=\"18446744073709551615\">16.0 EiB</data>"},
    };
    static const struct {
        int line;
        int64_t seconds;
        const char *want;
    } times[] = {
        {__LINE__, 0, "1970-01-01T00:00:00Z"},
        {__LINE__, 784111777, "1994-11-06T08:49:37Z"},
        {__LINE__, INT64_C(253402300799), "9999-12-31T23:59:59Z"},
        {__LINE__, INT64_C(253402300800), NULL},
        {__LINE__, INT64_MAX, NULL},
        {__LINE__, INT64_MIN, NULL},
    };
    char iso[TIME_LEN];

    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct text text = {0};
        append_size(&text, sizes[i].size);
        append(&text, "", 1);
        CHECK_STR(sizes[i].line, "size", text.data, sizes[i].want);
        free(text.data);
    }
    for (size_t i = 0; i < ARRAY_LEN(times); i++) {
        bool known = format_time(iso, times[i].seconds);
        CHECK_INT(times[i].line, "has a date", known, times[i].want != NULL);
        if (known && times[i].want)
            CHECK_STR(times[i].line, "date", iso, times[i].want);
    }
}

static void test_style_hash(void)
{
    unsigned char digest[32];
    char want[64] = "'sha256-";

    EVP_Digest(style, strlen(style), digest, NULL, EVP_sha256(), NULL);
    EVP_EncodeBlock((unsigned char *)want + strlen(want), digest, sizeof(digest));
    strcat(want, "'");
    CHECK_TRUE(strstr(DIR_LISTING_CSP, want) != NULL, "DIR_LISTING_CSP must have %s", want);
}

/* --- parts ----------------------------------------------------------------------------------- */

/* A page of `count` files whose names have `name_len` bytes, the last ones their number. */
static struct dir_listing_page *page_of(size_t count, size_t name_len, bool as_json)
{
    struct dir_listing_page *page = dir_listing_page_new((struct span){"/<up>/", 6}, as_json);

    for (size_t i = 0; i < count; i++) {
        struct dir_entry entry = {.name = malloc(name_len + 1), .is_known = true, .size = i};
        char number[24];
        snprintf(number, sizeof(number), "%06zu", i);
        memset(entry.name, '<', name_len);
        memcpy(entry.name + name_len - 6, number, 7);
        if (page->entries.count == page->entries.cap)
            CHECK_TRUE(grow(&page->entries), "memory");
        page->entries.items[page->entries.count++] = entry;
    }
    return page;
}

/* All parts, one after the other, with a NUL. */
static char *joined(const struct dir_listing_page *page)
{
    char *whole = malloc(page->length + 1);
    size_t len = 0, next = 0;

    for (size_t i = 0; i < page->part_count; i++) {
        char *part;
        size_t part_len;
        CHECK_TRUE(dir_listing_page_part(page, &next, &part, &part_len), "part %zu", i);
        CHECK_TRUE(part_len > 0 && part_len <= page->longest_part, "part %zu: %zu", i, part_len);
        CHECK_TRUE(len + part_len <= page->length, "part %zu goes beyond the length", i);
        memcpy(whole + len, part, part_len);
        len += part_len;
        free(part);
    }
    CHECK_INT(__LINE__, "the length that was counted", len, page->length);
    whole[len] = '\0';
    return whole;
}

static size_t times_in(const char *text, const char *word)
{
    size_t times = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        times++;
    return times;
}

static void check_whole(struct dir_listing_page *page, size_t count)
{
    bool as_json = page->as_json;
    char *whole, *at, want[64];

    CHECK_TRUE(dir_listing_page_finish(page), "finished");
    whole = at = joined(page);
    CHECK_INT((int)count, "rows", times_in(whole, as_json ? "{\"name\"" : "<th scope=\"row\""),
              count);
    for (size_t i = 0; i < count; i++) {
        if (as_json)
            snprintf(want, sizeof(want), "\"<<<<%06zu\"", i);
        else
            snprintf(want, sizeof(want), "&lt;%06zu</bdi>", i);
        at = strstr(at, want);
        CHECK_TRUE(at != NULL, "row %zu of %zu", i, count);
        if (!at)
            break;
    }
    CHECK_INT((int)count, "it begins", strncmp(whole, as_json ? "{\"path\"" : "<!DOCTYPE", 7), 0);
    CHECK_INT((int)count, "once", times_in(whole, as_json ? "{\"path\"" : "<!DOCTYPE"), 1);
    CHECK_INT((int)count, "and it ends",
              times_in(whole, as_json ? "],\"truncated\":false}\n" : "</html>\n"), 1);
    CHECK_INT((int)count, "empty", times_in(whole, "This folder is empty"), !as_json && count == 0);
    free(whole);
    dir_listing_page_free(page);
}

/* However many entries there are, the parts are the whole of them, once each and in their order: also
 * when the last one is just what fills a part. */
static void test_parts(void)
{
    for (size_t count = 0; count < 200; count++)
        for (int as_json = 0; as_json < 2; as_json++)
            check_whole(page_of(count, 10, as_json), count);
}

/* A header that is longer than a part. */
static void test_long_header(void)
{
    for (size_t count = 0; count < 100; count += 33) {
        struct dir_listing_page *page = page_of(count, 10, false);
        page->header.text = malloc(3 * PART_BYTES);
        page->header.len = 3 * PART_BYTES;
        memset(page->header.text, 'x', page->header.len);
        check_whole(page, count);
    }
}

/* A page is as long as it has to be, and what is held of it are the names and one part. */
static void test_long_page(void)
{
    struct dir_listing_page *page = page_of(60000, 255, false);
    char *whole;
    size_t held;

    CHECK_TRUE(dir_listing_page_finish(page), "finished");
    CHECK_TRUE(page->length > 80u << 20, "a page of %zu MiB", (size_t)page->length >> 20);
    held = 60000 * (sizeof(struct dir_entry) + 256) + page->longest_part + sizeof(*page) + 6;
    CHECK_INT(__LINE__, "held", page->held_bytes, held);
    CHECK_TRUE(page->longest_part < PART_BYTES + 2048, "a part of %zu", page->longest_part);
    CHECK_TRUE(page->part_count < page->length / PART_BYTES + 1, "%zu parts", page->part_count);
    whole = joined(page);
    CHECK_TRUE(memmem(whole, page->length, "There are more", 14) == NULL, "nothing is left out");
    free(whole);
    dir_listing_page_free(page);
}

static void test_cut_folder(void)
{
    for (int as_json = 0; as_json < 2; as_json++) {
        struct dir_listing_page *page = page_of(2, 10, as_json);
        char *whole;
        page->entries.is_truncated = true;
        CHECK_TRUE(dir_listing_page_finish(page), "finished");
        whole = joined(page);
        CHECK_INT(__LINE__, "at the top", times_in(whole, "more entries than are shown here</capt"),
                  !as_json);
        CHECK_INT(__LINE__, "at the end", times_in(whole, "<p>There are more entries than"),
                  !as_json);
        CHECK_INT(__LINE__, "and JSON", times_in(whole, "\"truncated\":true"), as_json);
        free(whole);
        dir_listing_page_free(page);
    }
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
    set = order.set = site_set_new(cfg, NULL);
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
    test_names_as_text();
    test_sizes_and_times();
    test_style_hash();
    test_parts();
    test_long_header();
    test_long_page();
    test_cut_folder();
    test_job();
    test_names_longer_than_name_max();
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("dir_listing");
}
