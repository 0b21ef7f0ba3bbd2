/* SPDX-License-Identifier: MIT */
/* Lines with any bytes in all three formats, many loops, a disk that becomes full in the middle of
 * a line, and rotation. */
#include "log/access_log.c"
#include "log/access_logs.h"

#include "check.h"

#include <arpa/inet.h>
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

static struct access_form form_of(const char *format)
{
    struct access_format_error error = {0};
    struct access_form form = {0};

    CHECK_TRUE(access_format_init(&form.format, format, &error), "%s: %s", format, error.message);
    return form;
}

static const char *write_line(const char *format, bool masked, const struct access_record *record)
{
    static struct access_line line;
    struct access_stamps stamps = {0};
    struct access_form form = form_of(format);

    form.masks_addresses = masked;
    access_line_write(&line, &stamps, &form, record);
    access_format_fini(&form.format);
    CHECK_TRUE(memchr(line.text, '\n', line.len) == line.text + line.len - 1, "one line");
    line.text[line.len - 1] = '\0';
    return line.text;
}

/* --- the forms ------------------------------------------------------------------------------- */

#define STAMP "[14/Nov/2023:22:13:20 +0000]"

static void test_forms(void)
{
    static const struct {
        const char *name, *request, *referer, *user, *line, *format;
    } rows[] = {
        {"common", "GET / HTTP/1.1", "", "", "192.0.2.1 - - " STAMP " \"GET / HTTP/1.1\" 200 12",
         "common"},
        {"a user", "GET / HTTP/1.1", "", "jo", "192.0.2.1 - jo " STAMP " \"GET / HTTP/1.1\" 200 12",
         "common"},
        {"a user's spaces, quotes and brackets", "GET / HTTP/1.1", "", "a b\"]\xc3\xa9\n",
         "192.0.2.1 - a\\x20b\\\"]\\xc3\\xa9\\x0a " STAMP " \"GET / HTTP/1.1\" 200 12", "common"},
        {"combined", "GET /%22 HTTP/1.1", "http://a/\"\\", "",
         "192.0.2.1 - - " STAMP " \"GET /%22 HTTP/1.1\" 200 12 \"http://a/\\\"\\\\\" \"-\"",
         "combined"},
        {"control bytes", "GET /\x01\x7f\xff HTTP/1.1\r\n", "\t", "",
         "192.0.2.1 - - " STAMP
         " \"GET /\\x01\\x7f\\xff HTTP/1.1\\x0d\\x0a\" 200 12 \"\\x09\" \"-\"",
         "combined"},
        {"json", "GET /\"\x01\xff", "a\\b", "j\xc3\xb6 o",
         "{\"time\":\"2023-11-14T22:13:20Z\",\"peer\":\"192.0.2.1\",\"user\":\"j\xc3\xb6 "
         "o\",\"request\":"
         "\"GET /\\\"\\u0001\\ufffd\",\"host\":\"\",\"status\":200,\"bytes\":112,\"bodyBytes\":12,"
         "\"totalMicros\":3,\"referer\":\"a\\\\b\",\"userAgent\":\"\"}",
         "json"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct access_record record = record_of(rows[i].request);
        record.referer = span_of(rows[i].referer);
        record.user = span_of(rows[i].user);
        CHECK_STR((int)i, rows[i].name, write_line(rows[i].format, false, &record), rows[i].line);
    }
}

static void test_own_formats(void)
{
    static const struct {
        const char *format, *line;
    } rows[] = {
        {"vhost_combined",
         "a.test 192.0.2.1 - - " STAMP " \"GET /p%20a?q=1 HTTP/1.1\" 200 12 \"-\" \"x y\\\"\""},
        {"{client}\t{status}\t{userAgent}", "192.0.2.1\t200\tx\\x20y\\\""},
        {"{method} {path} {query} {protocol} {scheme}", "GET /p%20a q=1 HTTP/1.1 https"},
        {"{{{site}}} {timeIso} \"{userAgent}\"", "{*.test} 2023-11-14T22:13:20Z \"x y\\\"\""},
        {"{bytes}/{bodyBytes}/{clfBytes} {totalMicros}us {totalSeconds}s",
         "112/12/12 1234567us 1.234s"},
        {"{coding} {aborted} {referer} {user}", "br clientGone - -"},
    };
    struct access_record record = record_of("GET /p%20a?q=1 HTTP/1.1");

    record.host = span_of("a.test");
    record.path = span_of("/p%20a");
    record.query = span_of("q=1");
    record.user_agent = span_of("x y\"");
    record.site = "*.test";
    record.coding = "br";
    record.is_secure = true;
    record.aborted_for = END_CLIENT_GONE;
    record.total_ns = 1234567890;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_STR((int)i, rows[i].format, write_line(rows[i].format, false, &record), rows[i].line);
    record = record_of(""); /* what was received was no request */
    CHECK_STR(__LINE__, "nothing",
              write_line("{method} {path} {protocol} {host} {site}", false, &record), "- - - - -");
}

static void test_wrong_formats(void)
{
    static const struct {
        const char *format;
        size_t offset;
        const char *message;
    } rows[] = {
        {"{client} {hots}", 9, "there is no field \"hots\""},
        {"{client} {", 9, "this \"{\" has no \"}\""},
        {"a} {client}", 1, "this \"}\" ends no field"},
        {"{{client}}", 10, "it has no field"},
        {"{host}{host}{host}{host}{host}{host}{host}{host}{host}", 48, "this is the ninth field"},
        {"{client {host}", 0, "this \"{\" has no \"}\""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct access_format_error error = {0};
        struct access_format format;
        CHECK_TRUE(!access_format_init(&format, rows[i].format, &error), "%s", rows[i].format);
        CHECK_INT((int)i, rows[i].format, error.offset, rows[i].offset);
        CHECK_TRUE(strstr(error.message, rows[i].message), "row %zu: %s", i, error.message);
    }
}

static void test_masked_addresses(void)
{
    static const struct {
        int family;
        const char *address, *masked;
    } rows[] = {
        {AF_INET, "192.0.2.77", "192.0.2.0"},
        {AF_INET6, "2001:db8:1:2:3:4:5:6", "2001:db8:1::"},
        {AF_INET6, "::ffff:192.0.2.77", "::ffff:192.0.2.0"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sockaddr_storage address = {.ss_family = (sa_family_t)rows[i].family};
        struct access_record record = record_of("");
        inet_pton(rows[i].family, rows[i].address,
                  rows[i].family == AF_INET
                      ? (void *)&((struct sockaddr_in *)(void *)&address)->sin_addr
                      : (void *)&((struct sockaddr_in6 *)(void *)&address)->sin6_addr);
        record.peer = (const struct sockaddr *)(const void *)&address;
        CHECK_STR((int)i, "whole", write_line("{client}", false, &record), rows[i].address);
        CHECK_STR((int)i, "masked", write_line("{client}", true, &record), rows[i].masked);
        CHECK_TRUE(strstr(write_line("json", true, &record), rows[i].masked), "in JSON");
    }
    peer.un.sun_family = AF_UNIX;
    struct access_record record = record_of("");
    CHECK_STR(__LINE__, "a Unix socket", write_line("{client}", true, &record), "unix:");
    peer.v4.sin_family = AF_INET;
}

/* The two traditional formats have the size of the body, as their readers expect; "-" if there is
 * none. */
static void test_no_body(void)
{
    struct access_record record = record_of("HEAD / HTTP/1.1");

    record.body_bytes = 0;
    CHECK_STR(__LINE__, "common", write_line("common", false, &record),
              "192.0.2.1 - - " STAMP " \"HEAD / HTTP/1.1\" 200 -");
    const char *line = write_line("json", false, &record);
    CHECK_TRUE(strstr(line, "\"bytes\":112,\"bodyBytes\":0,"), "json: %s", line);
}

/* Whatever the bytes are, a line stays one line, and JSON stays valid. */
static void test_any_bytes(void)
{
    static const char *const formats[] = {
        "common", "combined", "json",
        "{host}{user}{request}{path}{query}{referer}{userAgent}\"{userAgent}\""};
    char bytes[3000];
    unsigned seed = 7;

    for (int round = 0; round < 3000; round++) {
        size_t len = (size_t)(rand_r(&seed) % (int)sizeof(bytes));
        struct span span = {bytes, len};
        struct access_record record = record_of("");
        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)(round < 256 ? round : rand_r(&seed));
        record.request_line = record.host = record.referer = record.user_agent = record.user = span;
        record.path = record.query = span;
        const char *line = write_line(formats[round % 4], false, &record);
        CHECK_TRUE(strlen(line) < ACCESS_LINE_BYTES - 2, "round %d: nothing had to be cut", round);
        if (round % 4 == 2) {
            json_t *json = json_loads(line, JSON_ALLOW_NUL, NULL);
            CHECK_TRUE(json, "round %d: no JSON", round);
            json_decref(json);
        }
    }
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

static struct access_form common_form; /* made once: several threads write by it */

static int write_lines(struct access_log *log, uint32_t loop, int count)
{
    int written = 0;

    for (int i = 0; i < count; i++) {
        char request[256];
        struct access_record record;
        memset(request, 'x', sizeof(request));
        request[20 + i % 200] = '\0';
        record = record_of(request);
        written += access_log_write(log, loop, &common_form, &record);
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

static void wait_until_written(const struct access_log *log, uint32_t loop)
{
    const struct access_ring *ring = log->of_loop[loop];

    for (int i = 0; i < 500 && ring->written != ring->filled; i++)
        usleep(10000);
    CHECK_TRUE(ring->written == ring->filled, "all is written");
}

static void test_a_full_disk(void)
{
    struct access_log *log = access_log_new(path, &problem);
    int lines = 0, dropped;

    CHECK_TRUE(log, "open");
    limit_files(5000); /* in the middle of some line */
    for (uint32_t i = 0; i < 2; i++)
        lines += write_lines(log, i, 100);
    wait_for_size(path, 5000);
    usleep(500000); /* it tries again and again */
    lines += write_lines(log, 0, 100);
    limit_files(RLIM_INFINITY);
    for (uint32_t i = 0; i < 2; i++)
        wait_until_written(log, i);
    CHECK_INT(__LINE__, "no line is lost", count_whole_lines(path, false), lines);

    limit_files(60000);
    lines = write_lines(log, 1, 10000);
    dropped = 10000 - lines;
    CHECK_TRUE(dropped > 0, "what has no room is dropped");
    limit_files(RLIM_INFINITY);
    wait_until_written(log, 1);
    CHECK_INT(__LINE__, "no other is", count_whole_lines(path, false), 300 + lines);
    access_log_free(log);
    unlink(path);
}

static void test_rotation_of_a_full_disk(void)
{
    struct access_log *log = access_log_new(path, &problem);
    int lines = 0;

    CHECK_TRUE(log, "open");
    limit_files(5000);
    for (uint32_t i = 0; i < 2; i++)
        lines += write_lines(log, i, 100);
    wait_for_size(path, 5000);
    usleep(500000);
    rename(path, moved);
    limit_files(RLIM_INFINITY);
    CHECK_INT(__LINE__, "reopen", access_log_reopen(log, &problem), 0);
    for (uint32_t i = 0; i < 2; i++)
        wait_until_written(log, i);
    access_log_free(log);
    CHECK_INT(__LINE__, "each line is whole in one of the files",
              count_whole_lines(moved, true) + count_whole_lines(path, false), lines);
    unlink(path);
    unlink(moved);
}

struct writer {
    struct access_log *log;
    uint32_t loop;
    int written;
};

static void *write_many(void *arg)
{
    struct writer *writer = arg;
    for (int i = 0; i < 200; i++) {
        writer->written += write_lines(writer->log, writer->loop, 50);
        usleep(500);
    }
    return NULL;
}

static void test_many_loops_and_rotations(void)
{
    struct access_log *log = access_log_new(path, &problem);
    struct writer writers[4] = {{0}};
    pthread_t threads[4];
    int lines = 0, found = 0;

    CHECK_TRUE(log, "open");
    for (uint32_t i = 0; i < 4; i++) {
        writers[i].log = log;
        writers[i].loop = i;
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

static void test_places(void)
{
    CHECK_TRUE(!access_log_new("/nonexistent/x", &problem), "no folder");
    CHECK_INT(__LINE__, "no folder", problem.code, CONFIG_CODE_MISSING_FILE);
    mkfifo(path, 0600);
    CHECK_TRUE(!access_log_new(path, &problem), "a pipe");
    CHECK_INT(__LINE__, "a pipe", problem.code, CONFIG_CODE_UNUSABLE_FILE);
    unlink(path);
}

/* Who names the same place shares a log; one that somebody may still write to stays. */
static void test_several_logs(void)
{
    struct access_logs *logs = access_logs_new();

    CHECK_TRUE(!access_logs_find(logs, path), "not open");
    CHECK_INT(__LINE__, "open", access_logs_open(logs, path, &problem), 0);
    CHECK_INT(__LINE__, "again", access_logs_open(logs, path, &problem), 0);
    CHECK_INT(__LINE__, "another", access_logs_open(logs, moved, &problem), 0);
    CHECK_TRUE(access_logs_open(logs, "/nonexistent/x", &problem) < 0, "none");
    struct access_log *log = access_logs_find(logs, path);
    CHECK_TRUE(log && log == access_logs_find(logs, path), "one");
    access_log_put(log);
    CHECK_TRUE(access_logs_end_unused(logs), "ended");
    CHECK_TRUE(access_logs_find(logs, path) == log, "in use");
    CHECK_TRUE(!access_logs_find(logs, moved), "not in use");
    int lines = write_lines(log, 0, 10);
    access_log_put(log);
    access_log_put(log);
    CHECK_TRUE(access_logs_end_unused(logs) && !access_logs_find(logs, path), "ended, too");
    CHECK_INT(__LINE__, "with its last lines", count_whole_lines(path, false), lines);
    CHECK_TRUE(access_logs_free(logs), "all");
    unlink(path);
    unlink(moved);
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    peer.v4 = (struct sockaddr_in){.sin_family = AF_INET};
    inet_pton(AF_INET, "192.0.2.1", &peer.v4.sin_addr);
    CHECK_TRUE(mkdtemp(folder), "folder");
    common_form = form_of("common");
    snprintf(path, sizeof(path), "%s/access.log", folder);
    snprintf(moved, sizeof(moved), "%s/access.log.1", folder);
    test_forms();
    test_own_formats();
    test_wrong_formats();
    test_masked_addresses();
    test_no_body();
    test_any_bytes();
    test_a_full_disk();
    test_rotation_of_a_full_disk();
    test_many_loops_and_rotations();
    test_places();
    test_several_logs();
    rmdir(folder);
    access_format_fini(&common_form.format);
    return check_end("access_log");
}
