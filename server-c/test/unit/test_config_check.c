/* SPDX-License-Identifier: MIT */
#include "config_check.c"

#include "buf.h"
#include "check.h"

/* A folder of the test's own, removed at the end. */
static char folder[] = "/tmp/farmstead-check-XXXXXX";

/* A TCP port of 127.0.0.1 that `fd` listens on. */
static uint16_t listen_somewhere(int *fd)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(addr);

    *fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_INT(__LINE__, "bind", bind(*fd, (void *)&addr, len), 0);
    CHECK_INT(__LINE__, "listen", listen(*fd, 1), 0);
    CHECK_INT(__LINE__, "name", getsockname(*fd, (void *)&addr, &len), 0);
    return ntohs(addr.sin_port);
}

/* A config with `rest` beside one site and a listener on a port that is free by definition. */
static struct config *config_with(const char *root, const char *rest)
{
    struct config_errors errors = {0};
    struct config *cfg;
    struct buf text;

    buf_init(&text);
    buf_printf(&text, "{\"sites\": [{\"hosts\": [\"*\"], \"root\": \"%s\"}], %s}", root, rest);
    cfg = config_parse(text.data, text.len, &errors);
    CHECK_TRUE(cfg != NULL, "%s: %s", text.data, errors.count ? errors.items[0].message : "");
    config_errors_fini(&errors);
    buf_fini(&text);
    return cfg;
}

/* `want` is "pointer code" of the one finding, or "" for none. */
static void check_machine(int line, const char *name, struct config *cfg,
                          const struct config *running, const char *want)
{
    struct config_errors errors = {0};
    char got[256] = "";
    int err = config_check_machine(cfg, running, &errors);

    CHECK_INT(line, name, err, *want == '\0' ? 0 : -1);
    CHECK_TRUE(errors.count <= 1, "row %d: %zu findings", line, errors.count);
    if (errors.count > 0)
        snprintf(got, sizeof(got), "%s %s", errors.items[0].pointer, errors.items[0].code);
    CHECK_STR(line, name, got, want);
    config_put(cfg);
    config_errors_fini(&errors);
}

static void test_roots_and_logs(void)
{
    char file[64], rest[160];

    snprintf(file, sizeof(file), "%s/file", folder);
    close(open(file, O_CREAT | O_WRONLY, 0644));
    check_machine(__LINE__, "all there", config_with(folder, "\"listen\": [{\"port\": 0}]"), NULL,
                  "");
    check_machine(__LINE__, "no root",
                  config_with("/nowhere/at/all", "\"listen\": [{\"port\": 0}]"), NULL,
                  "/sites/0/root missing_file");
    check_machine(__LINE__, "a file as root", config_with(file, "\"listen\": [{\"port\": 0}]"),
                  NULL, "/sites/0/root missing_file");
    snprintf(rest, sizeof(rest),
             "\"listen\": [{\"port\": 0}], \"accessLog\": {\"path\": \"%s/new.log\"}", folder);
    check_machine(__LINE__, "a log to be", config_with(folder, rest), NULL, "");
    snprintf(rest, sizeof(rest), "\"listen\": [{\"port\": 0}], \"errorLog\": {\"path\": \"%s\"}",
             file);
    check_machine(__LINE__, "a log that is", config_with(folder, rest), NULL, "");
    snprintf(rest, sizeof(rest), "\"listen\": [{\"port\": 0}], \"errorLog\": {\"path\": \"%s\"}",
             folder);
    check_machine(__LINE__, "a folder as log", config_with(folder, rest), NULL,
                  "/errorLog/path missing_file");
    check_machine(__LINE__, "a log's folder is missing",
                  config_with(folder, "\"listen\": [{\"port\": 0}], "
                                      "\"accessLog\": {\"path\": \"/nowhere/x.log\"}"),
                  NULL, "/accessLog/path missing_file");
    snprintf(rest, sizeof(rest),
             "\"listen\": [{\"port\": 0}], \"accessLog\": {\"path\": \"%s/x.log\"}", file);
    check_machine(__LINE__, "a log under a file", config_with(folder, rest), NULL,
                  "/accessLog/path missing_file");
    unlink(file);
}

static void test_ports(void)
{
    char rest[160];
    int fd;
    unsigned port = listen_somewhere(&fd);
    struct config *running;

    snprintf(rest, sizeof(rest), "\"listen\": [{\"address\": \"127.0.0.1\", \"port\": %u}]", port);
    check_machine(__LINE__, "taken", config_with(folder, rest), NULL, "/listen/0/port port_in_use");
    running = config_with(folder, rest);
    check_machine(__LINE__, "taken by ourselves", config_with(folder, rest), running, "");
    snprintf(rest, sizeof(rest), "\"listen\": [{\"port\": %u}]", port);
    check_machine(__LINE__, "by ourselves, as every address", config_with(folder, rest), running,
                  "");
    snprintf(rest, sizeof(rest), "\"admin\": {\"address\": \"127.0.0.1\", \"port\": %u}, %s", port,
             "\"listen\": [{\"port\": 0}]");
    check_machine(__LINE__, "admin's is taken", config_with(folder, rest), NULL,
                  "/admin/port port_in_use");
    config_put(running);
    close(fd);
    snprintf(rest, sizeof(rest), "\"listen\": [{\"address\": \"127.0.0.1\", \"port\": %u}]", port);
    check_machine(__LINE__, "free again", config_with(folder, rest), NULL, "");
    check_machine(__LINE__, "not ours (TEST-NET-1)",
                  config_with(folder, "\"listen\": [{\"address\": \"192.0.2.1\", \"port\": 8080}]"),
                  NULL, "/listen/0/port address_unavailable");
}

static void test_descriptors(void)
{
    struct rlimit before, low;

    getrlimit(RLIMIT_NOFILE, &before);
    low = before;
    low.rlim_cur = low.rlim_max = 1000;
    setrlimit(RLIMIT_NOFILE, &low);
    check_machine(__LINE__, "too many",
                  config_with(folder, "\"listen\": [{\"port\": 0}], \"limits\": {\"connections\": "
                                      "900}, \"fileCache\": {\"maxOpenFiles\": 64}"),
                  NULL, "/limits/connections resource_limit");
    check_machine(__LINE__, "enough",
                  config_with(folder, "\"listen\": [{\"port\": 0}], \"limits\": {\"connections\": "
                                      "800}, \"fileCache\": {\"maxOpenFiles\": 64}"),
                  NULL, "");
}

/* Root may do anything, so this one steps down to nobody; it runs last. */
static void test_permissions(void)
{
    char locked[64], rest[160];

    snprintf(locked, sizeof(locked), "%s/locked", folder);
    mkdir(locked, 0700);
    if (geteuid() == 0)
        CHECK_INT(__LINE__, "nobody", seteuid(65534), 0);
    else
        chmod(locked, 0);
    check_machine(__LINE__, "root can't be entered",
                  config_with(locked, "\"listen\": [{\"port\": 0}]"), NULL,
                  "/sites/0/root permission");
    snprintf(rest, sizeof(rest),
             "\"listen\": [{\"port\": 0}], \"accessLog\": {\"path\": \"%s/x.log\"}", locked);
    check_machine(__LINE__, "log can't be created", config_with("/", rest), NULL,
                  "/accessLog/path permission");
    if (getuid() == 0)
        CHECK_INT(__LINE__, "root again", seteuid(0), 0);
    chmod(locked, 0700);
    rmdir(locked);
}

int main(void)
{
    struct rlimit limit;

    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    chmod(folder, 0755);
    getrlimit(RLIMIT_NOFILE, &limit);
    CHECK_TRUE(limit.rlim_max > 17000, "the defaults need more descriptors than this limit");
    test_roots_and_logs();
    test_ports();
    test_permissions();
    test_descriptors();
    rmdir(folder);
    return check_end("config_check");
}
