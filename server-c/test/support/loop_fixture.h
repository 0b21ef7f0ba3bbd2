/* SPDX-License-Identifier: MIT */
/* A loop with its lanes and a config in force, serving a folder of the test. */
#ifndef FARMSTEAD_LOOP_FIXTURE_H
#define FARMSTEAD_LOOP_FIXTURE_H

#include "auth/auth_check.h"
#include "base/buf.h"
#include "net/loop.h"
#include "shell.h"
#include "site/acme_challenges.h"

#include <netinet/in.h>

static char root[] = "/tmp/farmstead-loop-XXXXXX";
static struct loop the_loop;
static struct loop_shared shared;
static struct io_lane *auth_lane;

static const struct sockaddr_in fake_peer = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};

struct word {
    const char *word, *stands_for;
};

static void append_with(struct buf *text, const char *config, const struct word *words)
{
    while (*config) {
        const struct word *word = words;
        while (word->word && strncmp(config, word->word, strlen(word->word)) != 0)
            word++;
        buf_append(text, word->word ? word->stands_for : config,
                   word->word ? strlen(word->stands_for) : 1);
        config += word->word ? strlen(word->word) : 1;
    }
}

static struct access_logs *access_logs;

/* In `config`, "ROOT" stands for the test's folder, and "ENGINE" for `engine`. */
/* What a test does to its config before it is in force; the versions that are kept then. */
static void (*change_config)(struct config *cfg);
static struct kept_versions *kept_versions;

static void put_in_force(const char *config, const char *engine)
{
    const struct word words[] = {{"ROOT", root}, {"ENGINE", engine}, {NULL, NULL}};
    static uint64_t generation;
    struct log_file_problem problem;
    struct config_errors errors = {0};
    struct site_set *set;
    struct config *cfg;
    struct buf text;

    buf_init(&text);
    append_with(&text, config, words);
    cfg = config_parse(text.data, text.len, &errors);
    CHECK_TRUE(cfg != NULL, "%s", errors.count ? errors.items[0].message : "no config");
    if (!cfg)
        exit(check_end("answer"));
    if (change_config)
        change_config(cfg);
    set = site_set_new(cfg, kept_versions, NULL);
    if (cfg->access_log.path[0])
        CHECK_INT(__LINE__, "log", access_logs_open(access_logs, cfg->access_log.path, &problem),
                  0);
    site_set_bind_logs(set, access_logs);
    loop_set_live(&the_loop, set, ++generation, 1);
    site_set_put(set);
    config_put(cfg);
    config_errors_fini(&errors);
    buf_fini(&text);
}

static void begin(const char *config, const char *engine)
{
    CHECK_TRUE(mkdtemp(root) != NULL, "mkdtemp");
    access_logs = access_logs_new();
    shared.stat_lane = io_lane_new("stat", 1, 64);
    shared.read_lane = io_lane_new("read", 1, 64);
    auth_lane = io_lane_new("auth", 1, 64);
    shared.auth = auth_store_new(shared.stat_lane, auth_lane);
    shared.challenges = acme_challenges_new();
    CHECK_INT(__LINE__, "loop", loop_init(&the_loop, &shared, 0), 0);
    put_in_force(config, engine);
}

static inline int end(const char *name)
{
    loop_set_live(&the_loop, NULL, 0, 1);
    io_port_close(&the_loop.port, NULL);
    uv_run(&the_loop.uv, UV_RUN_DEFAULT);
    loop_fini(&the_loop);
    acme_challenges_free(shared.challenges);
    auth_store_free(shared.auth);
    io_lane_free(auth_lane);
    io_lane_free(shared.read_lane);
    io_lane_free(shared.stat_lane);
    access_logs_free(access_logs);
    shell_in(root, "rm -rf \"$PWD\"");
    return check_end(name);
}

#endif
