/* SPDX-License-Identifier: MIT */
#include "config/config.c"

#include "check.h"

#include <dirent.h>
#include <jansson.h>
#include <pthread.h>

static const char minimal[] = "{ \"sites\": [{ \"hosts\": [\"*\"], \"root\": \"/srv/www\" }] }";

static void read_file(const char *path, struct buf *text)
{
    FILE *file = fopen(path, "rb");
    size_t got;

    CHECK_TRUE(file != NULL, "%s", path);
    while (file != NULL && (got = fread(buf_reserve(text, 4096), 1, 4096, file)) > 0)
        buf_advance(text, got);
    if (file != NULL)
        fclose(file);
}

static struct config *parse_file(const char *path, struct config_errors *errors)
{
    struct config *cfg;
    struct buf text;

    buf_init(&text);
    read_file(path, &text);
    cfg = config_parse(text.data, text.len, errors);
    buf_fini(&text);
    return cfg;
}

static void check_good(const char *path)
{
    struct config_errors errors = {0};
    struct config *cfg = parse_file(path, &errors);

    CHECK_TRUE(cfg != NULL && errors.count == 0, "%s: %s", path,
               errors.count > 0 ? errors.items[0].message : "");
    config_put(cfg);
    config_errors_fini(&errors);
}

static void check_bad(const char *path, const char *expected_path)
{
    struct config_errors errors = {0};
    struct config *cfg = parse_file(path, &errors);
    json_t *expected = json_load_file(expected_path, 0, NULL), *row;
    size_t i;

    CHECK_TRUE(cfg == NULL, "%s", path);
    CHECK_TRUE(json_array_size(expected) > 0, "%s", expected_path);
    CHECK_INT(__LINE__, path, errors.count, json_array_size(expected));
    json_array_foreach(expected, i, row)
    {
        const char *pointer = "", *code = "";
        int line = 0, column = 0;

        CHECK_INT(__LINE__, expected_path,
                  json_unpack_ex(row, NULL, JSON_STRICT, "{ss si si ss}", "pointer", &pointer,
                                 "line", &line, "column", &column, "code", &code),
                  0);
        if (i >= errors.count)
            break;
        CHECK_STR(__LINE__, path, errors.items[i].pointer, pointer);
        CHECK_INT(__LINE__, path, errors.items[i].line, line);
        CHECK_INT(__LINE__, path, errors.items[i].column, column);
        CHECK_STR(__LINE__, path, errors.items[i].code, code);
        CHECK_TRUE(errors.items[i].end_line > errors.items[i].line ||
                       errors.items[i].end_column >= errors.items[i].column,
                   "%s: the end is behind the start", path);
    }
    json_decref(expected);
    config_put(cfg);
    config_errors_fini(&errors);
}

/* Calls back for each corpus file of `folder`. Returns how many there were. */
static int each_file(const char *folder, bool is_good)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int count = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        size_t len = strlen(entry->d_name), stem = len - strlen(".jsonc");
        char path[512], expected[512];

        if (len < 7 || strcmp(entry->d_name + stem, ".jsonc") != 0)
            continue;
        count++;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        snprintf(expected, sizeof(expected), "%s/%.*s.expected.json", folder, (int)stem,
                 entry->d_name);
        if (is_good)
            check_good(path);
        else
            check_bad(path, expected);
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

static void test_corpus(void)
{
    CHECK_TRUE(each_file(SOURCE_DIR "/config-corpus/good", true) > 0, "no good configs");
    CHECK_TRUE(each_file(SOURCE_DIR "/config-corpus/bad", false) > 0, "no bad configs");
}

static void check_process_defaults(const struct config *cfg)
{
    CHECK_STR(__LINE__, "socket", cfg->listens[0].socket, "");
    CHECK_STR(__LINE__, "socket's mode", cfg->listens[0].socket_mode, "0660");
    CHECK_STR(__LINE__, "user", cfg->process.user, "");
    CHECK_STR(__LINE__, "group", cfg->process.group, "");
    CHECK_STR(__LINE__, "chroot", cfg->process.chroot, "");
    CHECK_STR(__LINE__, "pid file", cfg->process.pid_file, "");
    CHECK_INT(__LINE__, "per address", cfg->limits.connections_per_address,
              CONFIG_AUTO_PER_ADDRESS);
    CHECK_INT(__LINE__, "slowest", cfg->limits.min_bytes_per_second, 100);
    CHECK_INT(__LINE__, "body", cfg->limits.body_bytes, 65536);
    CHECK_INT(__LINE__, "disk", cfg->io.timeout_seconds, 30);
    CHECK_STR(__LINE__, "type", cfg->default_type, "application/octet-stream");
    CHECK_STR(__LINE__, "charset", cfg->charset, "utf-8");
}

static void check_site_defaults(const struct config_site *site)
{
    CHECK_INT(__LINE__, "symlinks", site->symlinks, SYMLINKS_WITHIN_ROOT);
    CHECK_INT(__LINE__, "etag", site->etag_inode, false);
    CHECK_INT(__LINE__, "listing", site->listing.enabled, false);
    CHECK_INT(__LINE__, "listing", site->listing.max_entries, 10000);
    CHECK_INT(__LINE__, "copies", site->precompressed_count, 3);
    CHECK_STR(__LINE__, "copies", site->precompressed[0], "br");
    CHECK_STR(__LINE__, "copies", site->precompressed[1], "zstd");
    CHECK_STR(__LINE__, "copies", site->precompressed[2], "gzip");
    CHECK_STR(__LINE__, "user folder", site->user_dirs.folder, "");
    CHECK_STR(__LINE__, "homes", site->user_dirs.base, "/home");
    CHECK_INT(__LINE__, "users", site->user_dirs.user_count, 0);
    CHECK_INT(__LINE__, "users left out", site->user_dirs.excluded_count, 1);
    CHECK_STR(__LINE__, "users left out", site->user_dirs.excluded[0], "root");
    CHECK_INT(__LINE__, "rules",
              site->alias_count + site->redirect_count + site->rewrite_count + site->expires_count +
                  site->error_page_count + site->access_count + site->auth_count +
                  site->signed_url_count + site->hotlink_count,
              0);
    CHECK_INT(__LINE__, "rate", site->bytes_per_second, 0);
    CHECK_INT(__LINE__, "rate of one", site->connection_bytes_per_second, 0);
}

/* The values of a rule in which only required members are given. */
static void test_defaults_of_rules(void)
{
    static const char text[] =
        "{\"sites\": [{\"hosts\": [\"*\"], \"root\": \"/w\", \"redirects\": [{\"match\": \"a\", "
        "\"to\": \"/\"}], \"rewrites\": [{\"match\": \"a\", \"to\": \"/\"}], \"headers\": "
        "[{\"name\": \"X\"}], \"expires\": [{\"maxAgeSeconds\": 1}], \"access\": [{\"action\": "
        "\"deny\"}], \"auth\": [{\"realm\": \"r\", \"file\": \"/f\"}], \"signedUrls\": "
        "[{\"secretFile\": \"/s\"}], \"hotlink\": [{}]}]}";
    struct config_errors errors = {0};
    struct config *cfg = config_parse(text, strlen(text), &errors);
    const struct config_site *site;

    CHECK_TRUE(cfg != NULL, "%s", errors.count > 0 ? errors.items[0].message : "");
    if (cfg == NULL)
        return;
    site = &cfg->sites[0];
    CHECK_INT(__LINE__, "redirect", site->redirects[0].status, 301);
    CHECK_INT(__LINE__, "rewrite", site->rewrites[0].goes_on, false);
    CHECK_INT(__LINE__, "header",
              site->headers[0].path_count + site->headers[0].type_count +
                  site->headers[0].status_count,
              0);
    CHECK_INT(__LINE__, "from", site->expires[0].from, EXPIRES_FROM_ACCESS);
    CHECK_STR(__LINE__, "directives", site->expires[0].directives, "");
    CHECK_INT(__LINE__, "access", site->access[0].action, ACCESS_DENY);
    CHECK_INT(__LINE__, "access", site->access[0].path_count + site->access[0].address_count, 0);
    CHECK_INT(__LINE__, "auth", site->auth[0].path_count + site->auth[0].user_count, 0);
    CHECK_INT(__LINE__, "signed", site->signed_urls[0].path_count, 0);
    CHECK_INT(__LINE__, "hotlink", site->hotlink[0].path_count + site->hotlink[0].host_count, 0);
    CHECK_INT(__LINE__, "hotlink", site->hotlink[0].allow_empty, true);
    config_put(cfg);
}

static void test_defaults(void)
{
    struct config_errors errors = {0};
    struct config *cfg = config_parse(minimal, strlen(minimal), &errors);

    CHECK_INT(__LINE__, "listeners", cfg->listen_count, 1);
    CHECK_STR(__LINE__, "address", cfg->listens[0].address, "0.0.0.0");
    CHECK_INT(__LINE__, "port", cfg->listens[0].port, 8080);
    CHECK_INT(__LINE__, "workers", cfg->workers, CONFIG_AUTO);
    CHECK_INT(__LINE__, "connections", cfg->limits.connections, 8192);
    CHECK_INT(__LINE__, "requests", cfg->limits.keep_alive_requests, 4000);
    CHECK_INT(__LINE__, "idle", cfg->limits.keep_alive_idle_seconds, 30);
    CHECK_INT(__LINE__, "header", cfg->limits.header_seconds, 10);
    CHECK_INT(__LINE__, "write", cfg->limits.write_seconds, 60);
    CHECK_INT(__LINE__, "head", cfg->limits.head_bytes, 16384);
    CHECK_INT(__LINE__, "target", cfg->limits.target_bytes, 8192);
    CHECK_INT(__LINE__, "engine", cfg->stat_cache.engine, STAT_CACHE_TTL);
    CHECK_INT(__LINE__, "ttl", cfg->stat_cache.ttl_millis, 1000);
    CHECK_INT(__LINE__, "entries", cfg->stat_cache.max_entries, 100000);
    CHECK_INT(__LINE__, "cache", cfg->file_cache.max_bytes, 268435456);
    CHECK_INT(__LINE__, "file", cfg->file_cache.max_file_bytes, 262144);
    CHECK_INT(__LINE__, "open files", cfg->file_cache.max_open_files, 8000);
    CHECK_INT(__LINE__, "read threads", cfg->io.read_threads, CONFIG_AUTO);
    CHECK_INT(__LINE__, "stat threads", cfg->io.stat_threads, 4);
    CHECK_INT(__LINE__, "queue", cfg->io.queue_length, 4096);
    CHECK_INT(__LINE__, "chunk", cfg->io.chunk_bytes, 262144);
    CHECK_STR(__LINE__, "access log", cfg->access_log.path, "");
    CHECK_STR(__LINE__, "format", cfg->access_log.format, "combined");
    CHECK_STR(__LINE__, "error log", cfg->error_log.path, "");
    CHECK_INT(__LINE__, "level", cfg->error_log.level, LOG_LEVEL_INFO);
    CHECK_STR(__LINE__, "admin", cfg->admin.address, "");
    CHECK_INT(__LINE__, "admin port", cfg->admin.port, 8081);
    CHECK_INT(__LINE__, "types", cfg->mime_count, 0);
    CHECK_INT(__LINE__, "index", cfg->sites[0].index_count, 1);
    CHECK_STR(__LINE__, "index", cfg->sites[0].index[0], "index.html");
    CHECK_INT(__LINE__, "hidden", cfg->sites[0].hidden_files, false);
    CHECK_INT(__LINE__, "headers", cfg->sites[0].header_count, 0);
    check_process_defaults(cfg);
    check_site_defaults(&cfg->sites[0]);
    config_put(cfg);
}

static void check_site(const struct config_site *site)
{
    CHECK_INT(__LINE__, "hosts", site->host_count, 5);
    CHECK_STR(__LINE__, "lower case", site->hosts[0], "example.org");
    CHECK_STR(__LINE__, "v6 host", site->hosts[4], "[2001:db8::1]");
    CHECK_STR(__LINE__, "root", site->root, "/srv/www/{host2}/{host}");
    CHECK_INT(__LINE__, "index", site->index_count, 3);
    CHECK_STR(__LINE__, "index", site->index[1], "index.htm");
    CHECK_INT(__LINE__, "hidden", site->hidden_files, true);
    CHECK_INT(__LINE__, "headers", site->header_count, 7);
    CHECK_INT(__LINE__, "add", site->headers[1].action, HEADER_ADD);
    CHECK_STR(__LINE__, "add", site->headers[1].name, "Link");
    CHECK_STR(__LINE__, "add", site->headers[1].value, "</style.css>; rel=preload");
    CHECK_INT(__LINE__, "remove", site->headers[2].action, HEADER_REMOVE);
    CHECK_STR(__LINE__, "remove", site->headers[2].value, "");
    CHECK_INT(__LINE__, "set is the default", site->headers[5].action, HEADER_SET);
}

static void check_site_files(const struct config_site *site)
{
    CHECK_INT(__LINE__, "symlinks", site->symlinks, SYMLINKS_SAME_OWNER);
    CHECK_INT(__LINE__, "etag", site->etag_inode, true);
    CHECK_INT(__LINE__, "listing", site->listing.enabled, true);
    CHECK_INT(__LINE__, "listing", site->listing.max_entries, 500);
    CHECK_INT(__LINE__, "copies", site->precompressed_count, 2);
    CHECK_STR(__LINE__, "copies", site->precompressed[0], "zstd");
    CHECK_INT(__LINE__, "aliases", site->alias_count, 2);
    CHECK_STR(__LINE__, "alias", site->aliases[1].path, "/images/old/");
    CHECK_STR(__LINE__, "alias", site->aliases[1].folder, "/srv/attic");
    CHECK_STR(__LINE__, "user folder", site->user_dirs.folder, "public_html");
    CHECK_STR(__LINE__, "homes", site->user_dirs.base, "/home/users");
    CHECK_INT(__LINE__, "users", site->user_dirs.user_count, 2);
    CHECK_STR(__LINE__, "users", site->user_dirs.users[1], "b.c");
    CHECK_STR(__LINE__, "users left out", site->user_dirs.excluded[0], "dora");
    CHECK_INT(__LINE__, "pages", site->error_page_count, 2);
    CHECK_STR(__LINE__, "pages", site->error_pages[1].status, "5xx");
    CHECK_STR(__LINE__, "pages", site->error_pages[1].path, "/errors/5xx.html");
    CHECK_INT(__LINE__, "rate", site->bytes_per_second, 1000000);
    CHECK_INT(__LINE__, "rate of one", site->connection_bytes_per_second, 50000);
}

static void check_site_urls(const struct config_site *site)
{
    CHECK_INT(__LINE__, "redirects", site->redirect_count, 2);
    CHECK_STR(__LINE__, "redirect", site->redirects[0].match, "^/old/(.*)$");
    CHECK_STR(__LINE__, "redirect", site->redirects[0].to, "/new/$1");
    CHECK_INT(__LINE__, "redirect", site->redirects[0].status, 308);
    CHECK_INT(__LINE__, "rewrites", site->rewrite_count, 2);
    CHECK_STR(__LINE__, "rewrite", site->rewrites[1].match, "^/b/ü");
    CHECK_STR(__LINE__, "rewrite", site->rewrites[1].to, "/ü.html");
    CHECK_INT(__LINE__, "rewrite", site->rewrites[0].goes_on, true);
    CHECK_STR(__LINE__, "header", site->headers[4].paths[1], "/plain/**");
    CHECK_STR(__LINE__, "header", site->headers[6].types[0], "image/*");
    CHECK_STR(__LINE__, "header", site->headers[6].statuses[1], "4xx");
    CHECK_STR(__LINE__, "expires", site->expires[0].paths[0], "*.css");
    CHECK_STR(__LINE__, "expires", site->expires[0].directives, "public, immutable");
    CHECK_INT(__LINE__, "expires", site->expires[0].max_age_seconds, 31536000);
    CHECK_STR(__LINE__, "expires", site->expires[1].types[0], "image/*");
    CHECK_INT(__LINE__, "expires", site->expires[1].from, EXPIRES_FROM_MODIFICATION);
}

static void check_site_guards(const struct config_site *site)
{
    CHECK_INT(__LINE__, "access", site->access_count, 2);
    CHECK_INT(__LINE__, "access", site->access[0].action, ACCESS_ALLOW);
    CHECK_INT(__LINE__, "access", site->access[0].address_count, 3);
    CHECK_STR(__LINE__, "access", site->access[0].addresses[1], "2001:db8::/32");
    CHECK_STR(__LINE__, "access", site->access[1].paths[1], "*.inc");
    CHECK_STR(__LINE__, "auth", site->auth[0].paths[0], "/club/**");
    CHECK_STR(__LINE__, "auth", site->auth[0].realm, "Club [members]");
    CHECK_STR(__LINE__, "auth", site->auth[0].file, "/srv/club.htpasswd");
    CHECK_STR(__LINE__, "auth", site->auth[0].users[1], "Zoë");
    CHECK_STR(__LINE__, "signed", site->signed_urls[0].paths[0], "/paid/**");
    CHECK_STR(__LINE__, "signed", site->signed_urls[0].secret_file, "/srv/paid.key");
    CHECK_STR(__LINE__, "hotlink", site->hotlink[0].paths[0], "*.jpg");
    CHECK_STR(__LINE__, "hotlink, lower case", site->hotlink[0].hosts[0], "*.example.com");
    CHECK_INT(__LINE__, "hotlink", site->hotlink[0].allow_empty, false);
}

static void check_process(const struct config *cfg)
{
    CHECK_STR(__LINE__, "socket", cfg->listens[4].socket, "/run/farmstead/http");
    CHECK_STR(__LINE__, "socket's mode", cfg->listens[4].socket_mode, "0600");
    CHECK_INT(__LINE__, "defers", cfg->listens[2].defer_accept, DEFER_ACCEPT_ALWAYS);
    CHECK_INT(__LINE__, "defers by itself", cfg->listens[0].defer_accept, DEFER_ACCEPT_AUTO);
    CHECK_STR(__LINE__, "user", cfg->process.user, "www-data");
    CHECK_STR(__LINE__, "group", cfg->process.group, "www-data");
    CHECK_STR(__LINE__, "chroot", cfg->process.chroot, "/srv");
    CHECK_STR(__LINE__, "pid file", cfg->process.pid_file, "/run/farmstead.pid");
    CHECK_INT(__LINE__, "per address", cfg->limits.connections_per_address, 20);
    CHECK_INT(__LINE__, "slowest", cfg->limits.min_bytes_per_second, 1000);
    CHECK_INT(__LINE__, "body", cfg->limits.body_bytes, 1024);
    CHECK_INT(__LINE__, "disk", cfg->io.timeout_seconds, 9);
    CHECK_STR(__LINE__, "type", cfg->default_type, "text/plain");
    CHECK_STR(__LINE__, "charset", cfg->charset, "iso-8859-1");
}

static void test_every_option(void)
{
    struct config_errors errors = {0};
    struct config *cfg = parse_file(SOURCE_DIR "/config-corpus/good/all-options.jsonc", &errors);

    CHECK_INT(__LINE__, "listeners", cfg->listen_count, 5);
    CHECK_STR(__LINE__, "address", cfg->listens[1].address, "::1");
    CHECK_INT(__LINE__, "port", cfg->listens[2].port, 0);
    CHECK_INT(__LINE__, "workers", cfg->workers, 2);
    CHECK_INT(__LINE__, "connections", cfg->limits.connections, 100);
    CHECK_INT(__LINE__, "requests", cfg->limits.keep_alive_requests, 1);
    CHECK_INT(__LINE__, "idle", cfg->limits.keep_alive_idle_seconds, 5);
    CHECK_INT(__LINE__, "header", cfg->limits.header_seconds, 4);
    CHECK_INT(__LINE__, "write", cfg->limits.write_seconds, 20);
    CHECK_INT(__LINE__, "head", cfg->limits.head_bytes, 8192);
    CHECK_INT(__LINE__, "target", cfg->limits.target_bytes, 4096);
    CHECK_INT(__LINE__, "engine", cfg->stat_cache.engine, STAT_CACHE_OFF);
    CHECK_INT(__LINE__, "ttl", cfg->stat_cache.ttl_millis, 500);
    CHECK_INT(__LINE__, "entries", cfg->stat_cache.max_entries, 64);
    CHECK_INT(__LINE__, "cache", cfg->file_cache.max_bytes, 1048576);
    CHECK_INT(__LINE__, "file", cfg->file_cache.max_file_bytes, 4096);
    CHECK_INT(__LINE__, "open files", cfg->file_cache.max_open_files, 64);
    CHECK_INT(__LINE__, "read threads", cfg->io.read_threads, 8);
    CHECK_INT(__LINE__, "stat threads", cfg->io.stat_threads, 2);
    CHECK_INT(__LINE__, "queue", cfg->io.queue_length, 128);
    CHECK_INT(__LINE__, "chunk", cfg->io.chunk_bytes, 65536);
    CHECK_STR(__LINE__, "access log", cfg->access_log.path, "/var/log/farmstead/access.log");
    CHECK_STR(__LINE__, "format", cfg->access_log.format, "json");
    CHECK_STR(__LINE__, "error log", cfg->error_log.path, "/var/log/farmstead/error.log");
    CHECK_INT(__LINE__, "level", cfg->error_log.level, LOG_LEVEL_DEBUG);
    CHECK_STR(__LINE__, "admin", cfg->admin.address, "127.0.0.1");
    CHECK_INT(__LINE__, "admin port", cfg->admin.port, 9000);
    CHECK_INT(__LINE__, "types", cfg->mime_count, 4);
    CHECK_STR(__LINE__, "sorted", cfg->mimes[0].suffix, ".html");
    CHECK_STR(__LINE__, "sorted", cfg->mimes[1].suffix, ".tar.zst");
    CHECK_STR(__LINE__, "type", cfg->mimes[3].type, "a/b;c=\"d e\"");
    CHECK_INT(__LINE__, "sites", cfg->site_count, 3);
    check_process(cfg);
    check_site(&cfg->sites[0]);
    check_site_files(&cfg->sites[0]);
    check_site_urls(&cfg->sites[0]);
    check_site_guards(&cfg->sites[0]);
    CHECK_INT(__LINE__, "no index", cfg->sites[1].index_count, 0);
    CHECK_STR(__LINE__, "release", cfg->sites[2].release, "www");
    CHECK_STR(__LINE__, "not placed", cfg->sites[2].root, "");
    CHECK_INT(__LINE__, "by content", cfg->sites[2].etag, ETAG_BY_CONTENT);
    CHECK_INT(__LINE__, "by time", cfg->sites[1].etag, ETAG_BY_TIME);
    config_place_release(cfg, 2, "/state/tree");
    CHECK_STR(__LINE__, "placed", cfg->sites[2].root, "/state/tree");
    CHECK_INT(__LINE__, "room", cfg->releases.store_max_bytes, 1073741824);
    CHECK_INT(__LINE__, "kept", cfg->releases.keep, 5);
    CHECK_INT(__LINE__, "rate", cfg->releases.max_bytes_per_second, 10485760);
    config_put(cfg);
}

static void test_text_and_digest(void)
{
    static const char spaced[] = "// x\n{\"sites\":[{\"root\":\"\\/srv/www\",\"hosts\":[\"*\"]}]}";
    struct config_errors errors = {0};
    struct config *cfg = config_parse(minimal, strlen(minimal), &errors);
    struct config *same = config_parse(spaced, strlen(spaced), &errors);

    CHECK_STR(__LINE__, "author's bytes", cfg->text, minimal);
    CHECK_STR(__LINE__, "author's bytes", same->text, spaced);
    CHECK_INT(__LINE__, "their number", same->text_len, strlen(spaced));
    CHECK_STR(__LINE__, "one meaning, one digest", cfg->digest, same->digest);
    config_put(cfg);
    config_put(same);
}

static void test_errors_found_later(void)
{
    static const struct {
        int line;
        const char *pointer;
        unsigned column, end_column;
    } rows[] = {
        {__LINE__, "/sites/0/root", 39, 49},
        {__LINE__, "/sites/0/index", 13, 51}, /* not given: the site */
        {__LINE__, "/listen/0/port", 1, 54},  /* not given: the whole */
    };
    struct config_errors errors = {0};
    struct config *cfg = config_parse(minimal, strlen(minimal), &errors);

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct config_error *error;

        config_errors_add_at(&errors, cfg, CONFIG_CODE_MISSING_FILE, rows[i].pointer, NULL, "%d",
                             7);
        error = &errors.items[i];
        CHECK_STR(rows[i].line, "pointer", error->pointer, rows[i].pointer);
        CHECK_INT(rows[i].line, "column", error->column, rows[i].column);
        CHECK_INT(rows[i].line, "end column", error->end_column, rows[i].end_column);
        CHECK_STR(rows[i].line, "code", error->code, "missing_file");
        CHECK_STR(rows[i].line, "message", error->message, "7");
        CHECK_STR(rows[i].line, "hint", error->hint, "");
    }
    config_put(cfg);
    config_errors_fini(&errors);
}

#define SITE ", \"sites\": [{\"hosts\": [\"*\"], \"root\": \"/srv\"}]}"
#define HOSTS_BEFORE "{\"sites\": [{\"hosts\": [\""
#define HOSTS_AFTER "\"], \"root\": \"/srv\"}]}"
#define LISTEN_BEFORE "{\"listen\": [{\"address\": \""
#define LISTEN_AFTER "\"}]" SITE
#define ADMIN_BEFORE "{\"admin\": {\"address\": \""
#define ADMIN_AFTER "\"}" SITE
#define ADMIN_HOSTS_BEFORE "{\"admin\": {\"hosts\": [\""
#define ADMIN_HOSTS_AFTER "\"]}" SITE

/* A text that is nearly a host or an address gets the valid text as a hint. */
static void test_hints(void)
{
    static const struct {
        int line;
        const char *before, *text, *after, *hint;
    } rows[] = {
        {__LINE__, HOSTS_BEFORE, "::1", HOSTS_AFTER,
         "write \"[::1]\": in a host an IPv6 address stands in brackets"},
        {__LINE__, HOSTS_BEFORE, "münchen.de", HOSTS_AFTER,
         "write \"xn--mnchen-3ya.de\", which is how browsers send this name"},
        {__LINE__, HOSTS_BEFORE, "*.münchen.de", HOSTS_AFTER,
         "write \"*.xn--mnchen-3ya.de\", which is how browsers send this name"},
        {__LINE__, HOSTS_BEFORE, "ｗｉｄｅ.de", HOSTS_AFTER,
         "write it in punycode (\"xn--…\"), which is how browsers send such names"},
        {__LINE__, HOSTS_BEFORE, "a.de:8080", HOSTS_AFTER,
         "leave the port out: a name counts on every port"},
        {__LINE__, HOSTS_BEFORE, "https://a.de/", HOSTS_AFTER,
         "write the name alone, without \"http://\" and path"},
        {__LINE__, HOSTS_BEFORE, "a.de.", HOSTS_AFTER,
         "leave out the dot at the end: it makes no difference"},
        {__LINE__, HOSTS_BEFORE, "a b", HOSTS_AFTER, ""},
        {__LINE__, HOSTS_BEFORE, "[::g]", HOSTS_AFTER, ""},
        {__LINE__, ADMIN_HOSTS_BEFORE, "::1", ADMIN_HOSTS_AFTER,
         "write \"[::1]\": in a host an IPv6 address stands in brackets"},
        {__LINE__, ADMIN_HOSTS_BEFORE, "*", ADMIN_HOSTS_AFTER, ""},
        {__LINE__, LISTEN_BEFORE, "[::1]", LISTEN_AFTER,
         "write \"::1\": brackets are for hosts and URLs"},
        {__LINE__, LISTEN_BEFORE, "localhost", LISTEN_AFTER,
         "write \"127.0.0.1\" or \"::1\": names are not looked up"},
        {__LINE__, LISTEN_BEFORE, "127.0.0.1:80", LISTEN_AFTER,
         "leave the port out: it has an option of its own"},
        {__LINE__, LISTEN_BEFORE, "münchen.de", LISTEN_AFTER,
         "names are not looked up: write the address in numbers"},
        {__LINE__, LISTEN_BEFORE, "1.2.3", LISTEN_AFTER, ""},
        {__LINE__, ADMIN_BEFORE, "*", ADMIN_AFTER,
         "write \"0.0.0.0\" for every IPv4 address, or \"::\" for every IPv6 one"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct config_errors errors = {0};
        struct buf text;

        buf_init(&text);
        buf_append_str(&text, rows[i].before);
        buf_append_str(&text, rows[i].text);
        buf_append_str(&text, rows[i].after);
        CHECK_TRUE(!config_parse(text.data, text.len, &errors), "row %d", rows[i].line);
        CHECK_INT(rows[i].line, rows[i].text, errors.count, 1);
        CHECK_STR(rows[i].line, rows[i].text, errors.count ? errors.items[0].hint : "none",
                  rows[i].hint);
        config_errors_fini(&errors);
        buf_fini(&text);
    }
}

/* A pointer must not be longer than the agent protocol's 2048 characters. */
static void test_long_pointers_are_cut_between_tokens(void)
{
    struct config_errors errors = {0};
    struct buf text;
    size_t len;

    buf_init(&text);
    for (int depth = 0; depth < 20; depth++) {
        buf_append_str(&text, "{\"");
        for (int i = 0; i < 200; i++)
            buf_append_char(&text, 'k');
        buf_append_str(&text, "\":");
    }
    config_parse(text.data, text.len, &errors);
    CHECK_INT(__LINE__, "one syntax error", errors.count, 1);
    len = strlen(errors.items[0].pointer);
    CHECK_TRUE(len > 800 && len <= CONFIG_POINTER_MAX && len % 201 == 0, "%zu", len);
    config_errors_fini(&errors);
    buf_fini(&text);
}

static void *take_and_give_back(void *arg)
{
    for (int i = 0; i < 20000; i++)
        config_put(config_get(arg));
    config_put(arg);
    return NULL;
}

/* The last thread frees it, once; the sanitizers check that. */
static void test_references_from_many_threads(void)
{
    struct config_errors errors = {0};
    struct config *cfg = config_parse(minimal, strlen(minimal), &errors);
    pthread_t threads[4];

    for (size_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, take_and_give_back, config_get(cfg));
    config_put(cfg);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    config_put(NULL);
    CHECK_INT(__LINE__, "errors", errors.count, 0);
}

int main(void)
{
    test_corpus();
    test_defaults();
    test_defaults_of_rules();
    test_every_option();
    test_text_and_digest();
    test_errors_found_later();
    test_hints();
    test_long_pointers_are_cut_between_tokens();
    test_references_from_many_threads();
    return check_end("config");
}
