/* SPDX-License-Identifier: MIT */
/* The server without its process: which config its loops run after each apply, what a failed one leaves, and
 * what is summed over the loops. */
#include "server/server_apply.c"

#include "check.h"
#include "shell.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

static char root[] = "/tmp/farmstead-server-XXXXXX";
static struct server *srv;
static int taken_port; /* at which somebody else listens */

/* --- the admin listener, in name only -------------------------------------------------------- */

static int admins;

static struct admin *start_admin(struct server *server, int fd)
{
    (void)server;
    close(fd);
    admins++;
    return (struct admin *)(void *)&admins;
}

static void stop_admin(struct admin *admin)
{
    admins -= admin != NULL;
}

static const struct server_admin no_admin = {start_admin, stop_admin};

/* --- clients --------------------------------------------------------------------------------- */

static int dial(const char *name)
{
    const struct timeval patience = {.tv_sec = 10};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", root, name);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    close(fd);
    return -1;
}

/* The status of an answer, 0 when nobody listens there. */
static int get(const char *name, const char *path)
{
    char text[4000];
    int fd = dial(name);
    size_t len = (size_t)snprintf(
        text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n", path);
    ssize_t n;

    if (fd < 0)
        return 0;
    CHECK_INT(__LINE__, path, send(fd, text, len, MSG_NOSIGNAL), len);
    len = 0;
    while (len < sizeof(text) - 1 && (n = recv(fd, text + len, sizeof(text) - 1 - len, 0)) > 0)
        len += (size_t)n;
    close(fd);
    text[len] = '\0';
    return len > 9 ? atoi(text + 9) : -1;
}

/* --- applies --------------------------------------------------------------------------------- */

/* What a config says: each "@" is the test's folder, "#" the taken port. */
static struct config *config_of(const char *says)
{
    struct config_errors errors = {0};
    struct config *cfg;
    struct buf text;

    buf_init(&text);
    buf_append_str(&text, "{ \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"");
    buf_append_str(&text, root);
    buf_append_str(&text, "/site\" }], \"samples\": { \"everyRequests\": 1 }, ");
    for (; *says; says++) {
        if (*says == '@')
            buf_append_str(&text, root);
        else if (*says == '#')
            buf_printf(&text, "%d", taken_port);
        else
            buf_append_char(&text, *says);
    }
    buf_append_str(&text, "}");
    cfg = config_parse(text.data, text.len, &errors);
    CHECK_TRUE(cfg != NULL, "%s: %s", errors.count ? errors.items[0].message : "no config",
               text.data);
    CHECK(cfg);
    config_errors_fini(&errors);
    buf_fini(&text);
    return cfg;
}

/* "" or where the finding is. */
static const char *apply_text(const char *says, uint64_t generation)
{
    struct config *cfg = config_of(says);
    struct config_errors errors = {0};
    static char pointer[200];
    int err = server_apply(srv, cfg, generation, &errors);

    CHECK_INT(__LINE__, says, err, errors.count > 0 ? -1 : 0);
    snprintf(pointer, sizeof(pointer), "%s", err ? errors.items[0].pointer : "");
    config_errors_fini(&errors);
    config_put(cfg);
    return pointer;
}

static void check_runs(int line, bool serving, uint64_t generation, uint64_t reloads)
{
    struct server_effective effective;

    server_effective(srv, &effective);
    CHECK_INT(line, "serves", effective.serving, serving);
    CHECK_INT(line, "generation", effective.generation, generation);
    CHECK_INT(line, "reloads", effective.reloads, reloads);
    CHECK_INT(line, "a boot's id", strspn(effective.boot_id, "0123456789abcdef"), 32);
}

#define FIRST "\"workers\": 2, \"listen\": [{ \"socket\": \"@/first\" }]"
#define SECOND "\"workers\": 1, \"listen\": [{ \"socket\": \"@/second\" }]"

static bool has_open(const char *name)
{
    char command[200];

    snprintf(command, sizeof(command), "ls -l /proc/%ld/fd | grep -q ' %s%s$'", (long)getpid(),
             root, name);
    return system(command) == 0;
}

static int before_serving_calls, before_serving_result;

static int before_serving(void *arg, const struct config *cfg, struct config_errors *errors)
{
    CHECK_TRUE(arg == &before_serving_calls, "its argument");
    before_serving_calls++;
    if (before_serving_result)
        config_errors_add_at(errors, cfg, CONFIG_CODE_PERMISSION, "/process/user", "", "no");
    return before_serving_result;
}

static void test_first(void)
{
    check_runs(__LINE__, false, 0, 0);
    server_before_serving(srv, before_serving, &before_serving_calls);
    before_serving_result = -1;
    CHECK_STR(__LINE__, "rights that can't be given up",
              apply_text(FIRST ", \"accessLog\": { \"path\": \"@/log\" }", 1), "/process/user");
    CHECK_INT(__LINE__, "its log is not held open", has_open("/log"), false);
    check_runs(__LINE__, false, 0, 0);
    CHECK_INT(__LINE__, "nobody listens", get("first", "/file"), 0);
    before_serving_result = 0;
    CHECK_STR(__LINE__, "taken", apply_text(FIRST, 1), "");
    check_runs(__LINE__, true, 1, 0);
    CHECK_INT(__LINE__, "is served", get("first", "/file"), 200);
    CHECK_INT(__LINE__, "asked until it was so", before_serving_calls, 2);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_TRUE(!list_empty(&srv->workers[i]->listeners), "loop %u does not listen", i);
    shell_in(root, "rm log");
}

/* All that can fail fails before anything has changed, and nothing of it stays. */
static void test_failures(void)
{
    static const struct {
        const char *says, *pointer;
    } rows[] = {
        {"\"listen\": [{ \"socket\": \"@/other\" }, { \"port\": #, \"address\": \"127.0.0.1\" }]",
         "/listen/1/port"},
        {"\"listen\": [{ \"socket\": \"@/none/other\" }]", "/listen/0/socket"},
        {"\"listen\": [{ \"socket\": \"@/other\" }], \"accessLog\": { \"path\": \"@/none/log\" }",
         "/accessLog/path"},
        {"\"listen\": [{ \"socket\": \"@/other\" }], \"errorLog\": { \"path\": \"@/site\" }",
         "/errorLog/path"},
        {"\"listen\": [{ \"socket\": \"@/other\" }], \"admin\": { \"address\": \"127.0.0.1\", "
         "\"port\": # }",
         "/admin/port"},
    };

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        CHECK_STR((int)r, rows[r].says, apply_text(rows[r].says, 9), rows[r].pointer);
        check_runs((int)r, true, 1, 0);
        CHECK_INT((int)r, "the old one serves on", get("first", "/file"), 200);
        CHECK_INT((int)r, "nobody listens", get("other", "/file"), 0);
        shell_in(root, "test ! -e other -a ! -e log");
    }
    CHECK_INT(__LINE__, "no admin", admins, 0);
}

static void test_reloads(void)
{
    struct server_metrics metrics;
    struct config *cfg;
    int idle;

    idle = dial("first");
    CHECK_STR(__LINE__, "fewer loops, another socket", apply_text(SECOND, 2), "");
    check_runs(__LINE__, true, 2, 1);
    CHECK_INT(__LINE__, "the old one is gone", get("first", "/file"), 0);
    shell_in(root, "test ! -e first");
    CHECK_INT(__LINE__, "the new one", get("second", "/file"), 200);
    CHECK_INT(__LINE__, "who came before is heard",
              send(idle, "GET /no HTTP/1.0\r\n\r\n", 20, MSG_NOSIGNAL), 20);
    CHECK_TRUE(recv(idle, (char[100]){0}, 100, 0) > 0, "and answered");
    close(idle);
    CHECK_STR(__LINE__, "the same text", apply_text(SECOND, 3), "");
    check_runs(__LINE__, true, 3, 1);
    CHECK_INT(__LINE__, "serves on", get("second", "/file"), 200);
    cfg = server_config(srv);
    CHECK_INT(__LINE__, "its config", cfg->workers, 1);
    config_put(cfg);
    server_metrics(srv, &metrics);
    CHECK_INT(__LINE__, "one loop listens", metrics.gauges[GAUGE_WORKERS], 1);
    CHECK_STR(__LINE__, "with an admin",
              apply_text(SECOND ", \"admin\": { \"address\": \"127.0.0.1\", \"port\": 0 }", 4), "");
    CHECK_INT(__LINE__, "which was begun", admins, 1);
    CHECK_STR(__LINE__, "another again",
              apply_text("\"workers\": 2, \"listen\": [{ \"socket\": \"@/second\" }]", 5), "");
    CHECK_INT(__LINE__, "none any more", admins, 0);
    check_runs(__LINE__, true, 5, 3);
    CHECK_INT(__LINE__, "at the socket that stayed", get("second", "/file"), 200);
}

/* Each request is one of some loop's, and of the generation it was answered under. */
static void test_sums(void)
{
    struct server_metrics before, after;
    struct server_samples_state state;
    struct server_samples samples;
    uint64_t since;

    server_metrics(srv, &before);
    CHECK_INT(__LINE__, "samples", server_samples(srv, &samples, 0, 100, true, true), 0);
    since = samples.next_us;
    server_samples_fini(&samples);
    for (int i = 0; i < 20; i++)
        CHECK_INT(i, "get", get("second", i % 2 ? "/file" : "/no"), i % 2 ? 200 : 404);
    server_metrics(srv, &after);
    for (size_t i = 0; i < after.series_count; i++) {
        const uint64_t *now = after.series[i].counters, *then = before.series[i].counters;
        bool is_newest = i + 1 == after.series_count;
        CHECK_INT((int)i, "requests", now[COUNTER_REQUESTS] - then[COUNTER_REQUESTS],
                  is_newest ? 20 : 0);
        CHECK_INT((int)i, "404", now[COUNTER_RESPONSES_404] - then[COUNTER_RESPONSES_404],
                  is_newest ? 10 : 0);
    }
    CHECK_INT(__LINE__, "newest", after.series[after.series_count - 1].generation, 5);
    CHECK_INT(__LINE__, "samples", server_samples(srv, &samples, since, 5, true, true), 0);
    CHECK_INT(__LINE__, "all are counted", samples.matched, 20);
    CHECK_INT(__LINE__, "as many as were asked for", samples.count, 5);
    for (size_t i = 0; i + 1 < samples.count; i++)
        CHECK_TRUE(samples.items[i].ended_ns >= samples.items[i + 1].ended_ns, "%zu: order", i);
    since = samples.next_us;
    server_samples_fini(&samples);
    CHECK_INT(__LINE__, "none twice", server_samples(srv, &samples, since, 5, true, true), 0);
    CHECK_INT(__LINE__, "none twice", samples.matched, 0);
    server_samples_fini(&samples);
    CHECK_INT(__LINE__, "what is to come", server_samples(srv, &samples, UINT64_MAX, 5, true, true),
              UV_EINVAL);
    server_samples_state(srv, &state);
    CHECK_INT(__LINE__, "as configured", state.every_requests, 1);
    CHECK_TRUE(state.taken[SAMPLES_REGULAR] >= 20, "%" PRIu64 " taken",
               state.taken[SAMPLES_REGULAR]);
}

static void test_nothing(void)
{
    struct config_errors errors = {0};
    struct server_metrics metrics;

    CHECK_INT(__LINE__, "nothing", server_apply(srv, NULL, 0, &errors), 0);
    check_runs(__LINE__, false, 0, 3);
    CHECK_INT(__LINE__, "nobody listens", get("second", "/file"), 0);
    CHECK_TRUE(server_config(srv) == NULL, "no config");
    server_metrics(srv, &metrics);
    CHECK_INT(__LINE__, "what was counted stays",
              metrics.series[metrics.series_count - 1].generation, 5);
    CHECK_STR(__LINE__, "and again", apply_text(FIRST, 6), "");
    CHECK_INT(__LINE__, "is served", get("first", "/file"), 200);
}

static void take_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_INT(__LINE__, "bind", bind(fd, (struct sockaddr *)&address, len), 0);
    CHECK_INT(__LINE__, "listen", listen(fd, 1), 0);
    getsockname(fd, (struct sockaddr *)&address, &len);
    taken_port = ntohs(address.sin_port);
}

int main(void)
{
    int err;

    CHECK_TRUE(mkdtemp(root) != NULL, "mkdtemp");
    shell_in(root, "mkdir site; echo x > site/file");
    take_port();
    srv = server_new(&no_admin, &err);
    CHECK_TRUE(srv != NULL, "server");
    test_first();
    test_failures();
    test_reloads();
    test_sums();
    test_nothing();
    CHECK_INT(__LINE__, "asked no more", before_serving_calls, 2);
    CHECK_INT(__LINE__, "stopped", server_stop(srv, 1000), true);
    shell_in(root, "test ! -e first; rm -rf \"$PWD\"");
    log_stop();
    return check_end("server");
}
