/* SPDX-License-Identifier: MIT */
/* How the disk's answers are used: statuses, index names, folders to list, encoded siblings, and
 * files too young to be trusted. */
#include "files/file_lookup.c"

#include "base/util.h"
#include "check.h"
#include "shell.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

static char root[] = "/tmp/farmstead-lookup-XXXXXX";
static struct config_site site;
static char html[] = "index.html", htm[] = "index.htm", br[] = "br", gz[] = "gzip", zstd[] = "zstd";

static struct folder_chain no_chain = {.inotify = -1, .folder = -1};

static struct file_found find_key(const struct file_key *key)
{
    const struct file_place place = {.site = &site, .folder = root};
    struct file_found found;

    file_lookup_run(&found, &place, key, &no_chain);
    if (found.fd >= 0)
        close(found.fd);
    return found;
}

static struct file_found find(const char *path)
{
    const struct file_key key = {.path = {path, strlen(path)}, .wants_codings = true};
    return find_key(&key);
}

/* `mtime_seconds` 0: now, in whole seconds, which stays young long enough even on a busy
 * machine. */
static void make(const char *name, int64_t mtime_seconds, const char *content)
{
    const struct timespec even[2] = {{time(NULL), 0}, {time(NULL), 0}};
    const struct timespec times[2] = {{mtime_seconds, 5}, {mtime_seconds, 5}};
    char path[100];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    CHECK_TRUE(fd >= 0 && write(fd, content, strlen(content)) >= 0, "%s", name);
    if (mtime_seconds)
        futimens(fd, times);
    else
        futimens(fd, even);
    close(fd);
}

static void test_statuses(void)
{
    static char *names[] = {html, htm};
    static char long_path[400] = "/";
    const struct {
        int line;
        const char *path;
        bool lists;
        enum http_status want;
        bool is_folder;
        size_t index; /* 2: none */
    } rows[] = {
        {__LINE__, "/a.js", false, HTTP_OK, false, 2},
        {__LINE__, "/missing", true, HTTP_NOT_FOUND, false, 2},
        {__LINE__, "/a.js/", true, HTTP_NOT_FOUND, false, 2},
        {__LINE__, "/a.js/x", true, HTTP_NOT_FOUND, false, 2},
        {__LINE__, "/docs", false, HTTP_MOVED_PERMANENTLY, false, 2},
        {__LINE__, "/docs/", false, HTTP_OK, false, 1},
        {__LINE__, "/docs/", true, HTTP_OK, false, 1},
        {__LINE__, "/both/", true, HTTP_OK, false, 0},
        {__LINE__, "/bare/", false, HTTP_NOT_FOUND, false, 2},
        {__LINE__, "/bare/", true, HTTP_OK, true, 2},
        {__LINE__, "/bare", true, HTTP_MOVED_PERMANENTLY, false, 2},
        {__LINE__, "/odd/", true, HTTP_OK, true, 2}, /* a folder named index.html is no index */
        {__LINE__, "/", true, HTTP_OK, true, 2},
        {__LINE__, "/fifo", true, HTTP_NOT_FOUND, false, 2},
        {__LINE__, "/out", true, HTTP_NOT_FOUND, false, 2},
        {__LINE__, "/out/passwd", true, HTTP_NOT_FOUND, false, 2},
        {__LINE__, "/loop", true, HTTP_NOT_FOUND, false, 2},
        {__LINE__, long_path, true, HTTP_NOT_FOUND, false, 2},
    };

    memset(long_path + 1, 'n', sizeof(long_path) - 2);
    site = (struct config_site){.index = names, .index_count = 2, .symlinks = SYMLINKS_WITHIN_ROOT};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct file_found found;

        site.listing.enabled = rows[i].lists;
        found = find(rows[i].path);
        CHECK_INT(rows[i].line, rows[i].path, found.status, rows[i].want);
        CHECK_INT(rows[i].line, rows[i].path, found.fd >= 0, rows[i].want == HTTP_OK);
        CHECK_INT(rows[i].line, rows[i].path, found.is_folder, rows[i].is_folder);
        CHECK_INT(rows[i].line, rows[i].path, found.index, rows[i].index);
    }
}

static void test_refusals(void)
{
    static const struct {
        int err;
        enum http_status want;
    } rows[] = {
        {-EACCES, HTTP_FORBIDDEN},       {-EPERM, HTTP_FORBIDDEN},
        {-ENOENT, HTTP_NOT_FOUND},       {-ENOTDIR, HTTP_NOT_FOUND},
        {-ELOOP, HTTP_NOT_FOUND},        {-EXDEV, HTTP_NOT_FOUND},
        {-ENXIO, HTTP_NOT_FOUND},        {-ENAMETOOLONG, HTTP_NOT_FOUND},
        {-EIO, HTTP_INTERNAL_ERROR},     {-EBADMSG, HTTP_INTERNAL_ERROR},
        {-EUCLEAN, HTTP_INTERNAL_ERROR}, {-EMFILE, HTTP_UNAVAILABLE},
        {-ESTALE, HTTP_UNAVAILABLE},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].err, strerror(-rows[i].err), refusal_of(rows[i].err), rows[i].want);
}

static void test_siblings(void)
{
    static char *codings[] = {br, gz, zstd}, *names[] = {html};
    static const struct {
        int line;
        const char *path;
        unsigned want;
    } rows[] = {
        {__LINE__, "/s.js", 1u << CODING_BR | 1u << CODING_GZIP},
        {__LINE__, "/s.css", 1u << CODING_ZSTD},
        {__LINE__, "/s.txt", 0},
        {__LINE__, "/coded/", 1u << CODING_GZIP},
    };
    const struct file_key unwanted = {.path = {"/s.js", 5}};

    make("s.js", 1000, "js");
    make("s.js.br", 1000, "of the same second counts");
    make("s.js.gz", 2000, "newer");
    make("s.css", 1000, "css");
    make("s.css.gz", 999, "stale");
    make("s.css.br", 2000, ""); /* empty */
    make("s.css.zst", 2000, "x");
    make("s.txt", 1000, "txt");
    make("s.txt.br", 0, "being written");
    shell_in(root, "mkdir s.txt.gz coded && ln -s /etc/passwd s.txt.zst");
    make("coded/index.html", 1000, "html");
    make("coded/index.html.gz", 1000, "html");
    site = (struct config_site){.symlinks = SYMLINKS_WITHIN_ROOT,
                                .index = names,
                                .index_count = 1,
                                .precompressed = codings,
                                .precompressed_count = 3};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].path, find(rows[i].path).codings, rows[i].want);
    CHECK_TRUE(find("/s.txt").knows_codings, "there is none");
    CHECK_INT(__LINE__, "not wanted", find_key(&unwanted).codings, 0);
    CHECK_TRUE(!find_key(&unwanted).knows_codings, "so it is not known");
    site.precompressed_count = 0;
    CHECK_INT(__LINE__, "not asked for", find("/s.js").codings, 0);
}

static void test_youth(void)
{
    static char *codings[] = {gz};
    static const struct {
        int line;
        const char *name;
        int64_t age_ns;
        bool coarse, want;
    } rows[] = {
        {__LINE__, "just now", 0, false, true},
        {__LINE__, "49 ms ago", 49000000, false, true},
        {__LINE__, "51 ms ago", 51000000, false, false},
        {__LINE__, "a little ahead", -1000000, false, true},
        {__LINE__, "far ahead", -1000000000, false, false},
        {__LINE__, "whole seconds: 1 s", 1000000000, true, true},
        {__LINE__, "whole seconds: 2 s", 2000000000, true, false},
    };
    const struct timespec now = {1795300000, 500000000}, even = {1795300000, 0};
    const struct timespec ancient = {INT64_MIN, 0}, remote = {INT64_MAX, 999999999};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct timespec *at = rows[i].coarse ? &even : &now;
        int64_t ns = at->tv_sec * INT64_C(1000000000) + at->tv_nsec - rows[i].age_ns;
        const struct timespec changed = {ns / 1000000000, ns % 1000000000};
        CHECK_INT(rows[i].line, rows[i].name, is_young(&changed, at), rows[i].want);
    }
    CHECK_TRUE(!is_young(&ancient, &now) && !is_young(&remote, &now), "no overflow");

    site = (struct config_site){0};
    make("young", 0, "x");
    CHECK_TRUE(find("/young").is_settling && find("/young").has_young_tag, "written just now");
    make("set", 1000000000, "x");
    CHECK_TRUE(!find("/set").has_young_tag, "its time was set");
    usleep(60000);
    CHECK_TRUE(!find("/set").is_settling, "its ctime has settled");
    site.precompressed = codings;
    site.precompressed_count = 1;
    make("set.gz", 0, "x");
    CHECK_TRUE(find("/set").is_settling && !find("/set").has_young_tag, "a sibling has not");
    CHECK_INT(__LINE__, "which does not count yet", find("/set").codings, 0);
    site.precompressed_count = 0;
}

static void test_open_dates(void)
{
    static const struct {
        int line;
        const char *name;
        int64_t mtime_s, mtime_ns, now_s, now_ns, want;
    } rows[] = {
        {__LINE__, "just now", 100, 5, 100, 5, 1050000000 - 5},
        {__LINE__, "the second is nearly over", 100, 5, 100, 999999999, 50000001},
        {__LINE__, "within the grain of the clock", 100, 5, 101, 49999999, 1},
        {__LINE__, "over", 100, 5, 101, 50000000, 0},
        {__LINE__, "written at its end", 100, 999999999, 101, 60000000, 0},
        {__LINE__, "whole seconds", 100, 0, 101, 500000000, 500000000},
        {__LINE__, "whole seconds, over", 100, 0, 102, 0, 0},
        {__LINE__, "long ago", 1, 5, 100, 5, 0},
        {__LINE__, "a second ahead", 101, 5, 100, 0, 2050000000},
        {__LINE__, "far ahead", INT64_MAX, 5, 100, 5, INT64_MAX},
        {__LINE__, "before all", INT64_MIN, 5, 100, 5, 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct timespec changed = {rows[i].mtime_s, rows[i].mtime_ns};
        const struct timespec now = {rows[i].now_s, rows[i].now_ns};
        CHECK_INT(rows[i].line, rows[i].name, date_open_ns(&changed, &now), rows[i].want);
    }
    site = (struct config_site){0};
    make("dated", 0, "x");
    CHECK_TRUE(find("/dated").date_open_ns > 0, "its second goes on");
    make("dated", 1000000000, "x");
    CHECK_INT(__LINE__, "is over", find("/dated").date_open_ns, 0);
}

/* A time set by a build: then the time of the inode's last change tells versions apart. */
static void test_times_of_builds(void)
{
    site = (struct config_site){0};
    make("built", 1, "x");
    CHECK_TRUE(find("/built").is_of_build && find("/built").has_young_tag, "made just now");
    CHECK_TRUE(find("/built").date_open_ns == INT64_MAX, "a date that tells nothing");
    usleep(60000);
    CHECK_TRUE(!find("/built").has_young_tag && !find("/built").is_settling, "settled");
}

/* A file that can't be opened at present is not a missing file. */
static void test_leased_file(void)
{
    char path[64];
    int fd;

    site = (struct config_site){0};
    snprintf(path, sizeof(path), "%s/leased", root);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK_INT(__LINE__, "free", find("/leased").status, HTTP_OK);
    signal(SIGIO, SIG_IGN); /* the kernel asks for the lease back */
    CHECK_INT(__LINE__, "lease", fcntl(fd, F_SETLEASE, F_WRLCK), 0);
    CHECK_INT(__LINE__, "leased", find("/leased").status, HTTP_UNAVAILABLE);
    CHECK_INT(__LINE__, "release", fcntl(fd, F_SETLEASE, F_UNLCK), 0);
    CHECK_INT(__LINE__, "free again", find("/leased").status, HTTP_OK);
    close(fd);
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    shell_in(root, "mkdir -p docs bare both odd/index.html && touch docs/index.htm both/index.html "
                   "both/index.htm && mkfifo fifo && ln -s /etc out && ln -s loop loop");
    make("a.js", 1000, "js");
    test_statuses();
    test_refusals();
    test_siblings();
    test_youth();
    test_open_dates();
    test_times_of_builds();
    test_leased_file();
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("file_lookup");
}
