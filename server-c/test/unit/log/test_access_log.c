/* SPDX-License-Identifier: MIT */
/* Lines with any bytes in all three formats, many loops, a disk that becomes full in the middle of
 * a line, and rotation. */
#include "log/access_log.c"

#include "check.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>

static char folder[] = "/tmp/farmstead-log-XXXXXX";
static char path[64], moved[64];
static struct log_file_problem problem;
static union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_un un;
} peer;

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static struct access_record record_of(const char *request_line)
{
    return (struct access_record){.peer = &peer.any,
                                  .request_line = span_of(request_line),
                                  .status = 200,
                                  .bytes = 112,
                                  .body_bytes = 12,
                                  .total_ns = 3000,
                                  .now = 1700000000};
}

/* --- the forms ------------------------------------------------------------------------------- */

#define STAMP "[14/Nov/2023:22:13:20 +0000]"

static void test_forms(void)
{
    static const struct {
        const char *name, *request, *referer, *user, *line;
        enum config_log_format format;
    } rows[] = {
        {"common", "GET / HTTP/1.1", "", "", "192.0.2.1 - - " STAMP " \"GET / HTTP/1.1\" 200 12",
         LOG_FORMAT_COMMON},
        {"a user", "GET / HTTP/1.1", "", "jo", "192.0.2.1 - jo " STAMP " \"GET / HTTP/1.1\" 200 12",
         LOG_FORMAT_COMMON},
        {"a user's spaces, quotes and brackets", "GET / HTTP/1.1", "", "a b\"]\xc3\xa9\n",
         "192.0.2.1 - a\\x20b\\\"]\\xc3\\xa9\\x0a " STAMP " \"GET / HTTP/1.1\" 200 12",
         LOG_FORMAT_COMMON},
        {"combined", "GET /%22 HTTP/1.1", "http://a/\"\\", "",
         "192.0.2.1 - - " STAMP " \"GET /%22 HTTP/1.1\" 200 12 \"http://a/\\\"\\\\\" \"-\"",
         LOG_FORMAT_COMBINED},
        {"control bytes", "GET /\x01\x7f\xff HTTP/1.1\r\n", "\t", "",
         "192.0.2.1 - - " STAMP
         " \"GET /\\x01\\x7f\\xff HTTP/1.1\\x0d\\x0a\" 200 12 \"\\x09\" \"-\"",
         LOG_FORMAT_COMBINED},
        {"json", "GET /\"\x01\xff", "a\\b", "j\xc3\xb6 o",
         "{\"time\":\"2023-11-14T22:13:20Z\",\"peer\":\"192.0.2.1\",\"user\":\"j\xc3\xb6 "
         "o\",\"request\":"
         "\"GET /\\\"\\u0001\\ufffd\",\"host\":\"\",\"status\":200,\"bytes\":112,\"bodyBytes\":12,"
         "\"totalMicros\":3,\"referer\":\"a\\\\b\",\"userAgent\":\"\"}",
         LOG_FORMAT_JSON},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct access_record record = record_of(rows[i].request);
        struct access_ring *ring = calloc(1, sizeof(*ring));
        struct access_log log = {0};
        ring->log = &log;
        record.referer = span_of(rows[i].referer);
        record.user = span_of(rows[i].user);
        CHECK_TRUE(access_ring_write(ring, rows[i].format, &record), "written");
        ring->bytes[ring->filled - 1] = '\0';
        CHECK_STR((int)i, rows[i].name, ring->bytes, rows[i].line);
        free(ring);
    }
}

/* The two traditional formats have the size of the body, as their readers expect; "-" if there is
 * none. */
static void test_no_body(void)
{
    struct access_record record = record_of("HEAD / HTTP/1.1");
    struct access_line line;
    struct access_stamp stamp = {0};

    record.body_bytes = 0;
    access_line_write(&line, &stamp, LOG_FORMAT_COMMON, &record);
    CHECK_STR(__LINE__, "common", strndupa(line.text, line.len),
              "192.0.2.1 - - " STAMP " \"HEAD / HTTP/1.1\" 200 -\n");
    access_line_write(&line, &stamp, LOG_FORMAT_JSON, &record);
    line.text[line.len] = '\0';
    CHECK_TRUE(strstr(line.text, "\"bytes\":112,\"bodyBytes\":0,"), "json: %s", line.text);
}

/* Whatever the bytes are, a line stays one line, and JSON stays valid. */
static void test_any_bytes(void)
{
    struct access_ring *ring = calloc(1, sizeof(*ring));
    struct access_log log = {0};
    char bytes[3000];
    unsigned seed = 7;

    ring->log = &log;
    for (int round = 0; round < 3000; round++) {
        size_t len = (size_t)(rand_r(&seed) % (int)sizeof(bytes));
        struct span span = {bytes, len};
        struct access_record record = record_of("");
        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)(round < 256 ? round : rand_r(&seed));
        record.request_line = record.host = record.referer = record.user_agent = record.user = span;
        ring->filled = ring->written = 0;
        CHECK_TRUE(access_ring_write(ring, (enum config_log_format)(round % 3), &record), "%d",
                   round);
        CHECK_TRUE(memchr(ring->bytes, '\n', ring->filled) == ring->bytes + ring->filled - 1,
                   "round %d: one line", round);
        if (round % 3 == LOG_FORMAT_JSON) {
            json_t *json = json_loadb(ring->bytes, ring->filled, JSON_ALLOW_NUL, NULL);
            CHECK_TRUE(json, "round %d: no JSON", round);
            json_decref(json);
        }
    }
    free(ring);
}

/* --- files ----------------------------------------------------------------------------------- */

static char *read_all(const char *name, size_t *len)
{
    FILE *file = fopen(name, "r");
    char *text = calloc(1, 8 << 20);

    *len = file ? fread(text, 1, (8 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    return text;
}

/* Returns the number of lines, all of which must be complete. */
static int count_whole_lines(const char *name, bool last_may_be_torn)
{
    size_t len;
    char *text = read_all(name, &len), *line = text, *end;
    int count = 0;

    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        CHECK_TRUE(strncmp(line, "192.0.2.1 - - [", 15) == 0 && end - line > 20 &&
                       strcmp(end - 7, " 200 12") == 0,
                   "%s, line %d: \"%s\"", name, count, line);
        count++;
    }
    CHECK_TRUE(last_may_be_torn || *line == '\0', "%s ends with \"%s\"", name, line);
    free(text);
    return count;
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
}

static int write_lines(struct access_ring *ring, int count)
{
    int written = 0;

    for (int i = 0; i < count; i++) {
        char request[256];
        struct access_record record;
        memset(request, 'x', sizeof(request));
        request[20 + i % 200] = '\0';
        record = record_of(request);
        written += access_ring_write(ring, LOG_FORMAT_COMMON, &record);
    }
    return written;
}

static void wait_for_size(const char *name, off_t size)
{
    struct stat st = {0};
    for (int i = 0; i < 500 && (stat(name, &st) != 0 || st.st_size < size); i++)
        usleep(10000);
    CHECK_TRUE(st.st_size >= size, "%s has %lld bytes", name, (long long)st.st_size);
}

static void wait_until_written(const struct access_ring *ring)
{
    for (int i = 0; i < 500 && ring->written != ring->filled; i++)
        usleep(10000);
    CHECK_TRUE(ring->written == ring->filled, "all is written");
}

static void test_a_full_disk(void)
{
    struct access_log *log = access_log_new();
    struct access_ring *rings[2] = {access_log_add_ring(log), access_log_add_ring(log)};
    int lines = 0, dropped;

    CHECK_INT(__LINE__, "open", access_log_configure(log, path, &problem), 0);
    limit_files(5000); /* in the middle of some line */
    for (int i = 0; i < 2; i++)
        lines += write_lines(rings[i], 100);
    wait_for_size(path, 5000);
    usleep(500000); /* it tries again and again */
    lines += write_lines(rings[0], 100);
    limit_files(RLIM_INFINITY);
    for (int i = 0; i < 2; i++)
        wait_until_written(rings[i]);
    CHECK_INT(__LINE__, "no line is lost", count_whole_lines(path, false), lines);

    limit_files(60000);
    lines = write_lines(rings[1], 10000);
    dropped = 10000 - lines;
    CHECK_TRUE(dropped > 0, "what has no room is dropped");
    limit_files(RLIM_INFINITY);
    wait_until_written(rings[1]);
    CHECK_INT(__LINE__, "no other is", count_whole_lines(path, false), 300 + lines);
    access_log_free(log);
    unlink(path);
}

static void test_rotation_of_a_full_disk(void)
{
    struct access_log *log = access_log_new();
    struct access_ring *rings[2] = {access_log_add_ring(log), access_log_add_ring(log)};
    int lines = 0;

    CHECK_INT(__LINE__, "open", access_log_configure(log, path, &problem), 0);
    limit_files(5000);
    for (int i = 0; i < 2; i++)
        lines += write_lines(rings[i], 100);
    wait_for_size(path, 5000);
    usleep(500000);
    rename(path, moved);
    limit_files(RLIM_INFINITY);
    CHECK_INT(__LINE__, "reopen", access_log_reopen(log, &problem), 0);
    for (int i = 0; i < 2; i++)
        wait_until_written(rings[i]);
    access_log_free(log);
    CHECK_INT(__LINE__, "each line is whole in one of the files",
              count_whole_lines(moved, true) + count_whole_lines(path, false), lines);
    unlink(path);
    unlink(moved);
}

struct writer {
    struct access_ring *ring;
    int written;
};

static void *write_many(void *arg)
{
    struct writer *writer = arg;
    for (int i = 0; i < 200; i++) {
        writer->written += write_lines(writer->ring, 50);
        usleep(500);
    }
    return NULL;
}

static void test_many_loops_and_rotations(void)
{
    struct access_log *log = access_log_new();
    struct writer writers[4] = {{0}};
    pthread_t threads[4];
    int lines = 0, found = 0;

    CHECK_INT(__LINE__, "open", access_log_configure(log, path, &problem), 0);
    for (int i = 0; i < 4; i++) {
        writers[i].ring = access_log_add_ring(log);
        pthread_create(&threads[i], NULL, write_many, &writers[i]);
    }
    for (int i = 0; i < 10; i++) {
        usleep(20000);
        rename(path, moved);
        CHECK_INT(__LINE__, "reopen", access_log_reopen(log, &problem), 0);
        found += count_whole_lines(moved, false);
        unlink(moved);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        lines += writers[i].written;
    }
    access_log_free(log);
    found += count_whole_lines(path, false);
    CHECK_INT(__LINE__, "no line is lost, torn or mixed", found, lines);
    unlink(path);
}

static bool is_open(const char *name)
{
    DIR *dir = opendir("/proc/self/fd");
    bool found = false;

    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char seen[128] = "";
        if (readlinkat(dirfd(dir), entry->d_name, seen, sizeof(seen) - 1) > 0)
            found |= strcmp(seen, name) == 0;
    }
    closedir(dir);
    return found;
}

static void *reopen_many(void *arg)
{
    struct log_file_problem ignored;

    for (int i = 0; i < 20; i++)
        access_log_reopen(arg, &ignored);
    return NULL;
}

/* SIGUSR1 at the same time as an apply. */
static void test_reopening_never_brings_an_old_path_back(void)
{
    struct access_log *log = access_log_new();

    for (int round = 0; round < 40; round++) {
        const char *want = round % 2 ? path : moved;
        pthread_t thread;
        pthread_create(&thread, NULL, reopen_many, log);
        for (int i = 0; i < 10; i++)
            access_log_configure(log, i % 2 ? want : "", &problem);
        pthread_join(thread, NULL);
        CHECK_TRUE(is_open(want), "round %d: not %s", round, want);
        CHECK_TRUE(!is_open(round % 2 ? moved : path), "round %d: not the other", round);
    }
    CHECK_TRUE(access_log_free(log), "ended");
    unlink(path);
    unlink(moved);
}

static void test_places(void)
{
    struct access_log *log = access_log_new();

    CHECK_TRUE(access_log_configure(log, "/nonexistent/x", &problem) < 0, "no folder");
    CHECK_INT(__LINE__, "no folder", problem.code, CONFIG_CODE_MISSING_FILE);
    mkfifo(path, 0600);
    CHECK_TRUE(access_log_configure(log, path, &problem) < 0, "a pipe");
    CHECK_INT(__LINE__, "a pipe", problem.code, CONFIG_CODE_UNUSABLE_FILE);
    unlink(path);
    CHECK_INT(__LINE__, "none", access_log_configure(log, "", &problem), 0);
    CHECK_INT(__LINE__, "nothing to reopen", access_log_reopen(log, &problem), 0);
    access_log_free(log);
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    peer.v4 = (struct sockaddr_in){.sin_family = AF_INET};
    inet_pton(AF_INET, "192.0.2.1", &peer.v4.sin_addr);
    CHECK_TRUE(mkdtemp(folder), "folder");
    snprintf(path, sizeof(path), "%s/access.log", folder);
    snprintf(moved, sizeof(moved), "%s/access.log.1", folder);
    test_forms();
    test_no_body();
    test_any_bytes();
    test_a_full_disk();
    test_rotation_of_a_full_disk();
    test_many_loops_and_rotations();
    test_reopening_never_brings_an_old_path_back();
    test_places();
    rmdir(folder);
    return check_end("access_log");
}
