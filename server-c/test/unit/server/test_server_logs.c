/* SPDX-License-Identifier: MIT */
/* Both logs or neither: a config whose second log can't be opened leaves the first as it was. */
#include "server/server_logs.c"

#include "check.h"
#include "shell.h"

#include "base/util.h"

static char root[] = "/tmp/farmstead-logs-XXXXXX";
static struct access_logs *logs;

static struct config *config_of(const char *access, const char *error)
{
    struct config_errors errors = {0};
    struct config *cfg;
    char text[500];

    snprintf(text, sizeof(text),
             "{ \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"/srv\" }],"
             "\"accessLog\": { \"path\": \"%s%s\" }, \"errorLog\": { \"path\": \"%s%s\" } }",
             access[0] ? root : "", access, error[0] ? root : "", error);
    cfg = config_parse(text, strlen(text), &errors);
    CHECK_TRUE(cfg != NULL, "%s", errors.count ? errors.items[0].message : "no config");
    CHECK(cfg);
    config_errors_fini(&errors);
    return cfg;
}

/* Whether this process has the file open. */
static bool is_open(const char *name)
{
    char command[200];

    snprintf(command, sizeof(command), "ls -l /proc/%ld/fd | grep -q ' %s%s$'", (long)getpid(),
             root, name);
    return system(command) == 0;
}

static struct access_log *in_use;

/* As an apply does: what the config before it used is given back when the new one is taken. */
static int take(const struct config *cfg, struct config_errors *errors)
{
    int err = server_logs_switch(logs, cfg, errors);
    struct access_log *old = in_use;

    if (err)
        return err;
    in_use = access_logs_find(logs, cfg->access_log.path);
    if (old)
        access_log_put(old);
    server_logs_end_unused(logs);
    return 0;
}

static void leave(void)
{
    if (in_use)
        access_log_put(in_use);
    in_use = NULL;
    server_logs_leave(logs);
}

static void test_both_or_neither(void)
{
    static const struct {
        const char *access, *error, *pointer; /* "": it is taken */
        const char *open_access, *open_error; /* afterwards */
    } rows[] = {
        {"/access", "/error", "", "/access", "/error"},
        {"/other", "/folder", "/errorLog/path", "/access", "/error"},
        {"/folder", "/other", "/accessLog/path", "/access", "/error"},
        {"/none/log", "/error", "/accessLog/path", "/access", "/error"},
        {"/access", "/other", "", "/access", "/other"},
        {"/new", "/error", "", "/new", "/error"},
        {"", "", "", "", ""},
    };
    static const char *const names[] = {"/access", "/error", "/other", "/new"};
    struct config *running = NULL; /* whose logs are open */

    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct config *cfg = config_of(rows[r].access, rows[r].error);
        struct config_errors errors = {0};
        int err = take(cfg, &errors);
        CHECK_STR((int)r, "finding", err ? errors.items[0].pointer : "", rows[r].pointer);
        CHECK_INT((int)r, "says so", err, rows[r].pointer[0] ? -1 : 0);
        for (size_t n = 0; n < ARRAY_LEN(names); n++)
            CHECK_INT((int)r, names[n], is_open(names[n]),
                      strcmp(names[n], rows[r].open_access) == 0 ||
                          strcmp(names[n], rows[r].open_error) == 0);
        config_errors_fini(&errors);
        config_put(err ? cfg : running);
        if (!err)
            running = cfg;
    }
    config_put(running);
}

/* A first config that is not taken after all: nothing stays open. */
static void test_leaving(void)
{
    struct config *cfg = config_of("/access", "/error");
    struct config_errors errors = {0};

    CHECK_INT(__LINE__, "taken", take(cfg, &errors), 0);
    CHECK_TRUE(is_open("/access") && is_open("/error"), "open");
    leave();
    CHECK_TRUE(!is_open("/access") && !is_open("/error"), "none is");
    config_put(cfg);
}

/* A path that stays is not opened again: there may be no rights for it any more. */
static void test_a_log_that_stays(void)
{
    struct config *first = config_of("/stays", "/error"), *second = config_of("/stays", "/other");
    struct config_errors errors = {0};

    CHECK_INT(__LINE__, "taken", take(first, &errors), 0);
    shell_in(root, "mv stays moved");
    CHECK_INT(__LINE__, "taken", take(second, &errors), 0);
    CHECK_TRUE(is_open("/moved"), "its file is still the one");
    shell_in(root, "test ! -e stays");
    server_logs_reopen(logs, second);
    CHECK_TRUE(is_open("/stays") && !is_open("/moved"), "until it is told so");
    leave();
    config_put(first);
    config_put(second);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(root) != NULL, "mkdtemp");
    shell_in(root, "mkdir folder");
    logs = access_logs_new();
    test_both_or_neither();
    test_leaving();
    test_a_log_that_stays();
    server_logs_end(logs);
    log_stop();
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end("server_logs");
}
