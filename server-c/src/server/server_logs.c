/* SPDX-License-Identifier: MIT */
/* server_logs.c — what is open is closed only when what comes in its place is open, too: there may be no
 * rights to open it again. */
#include "server/server_logs.h"

#include "log/log.h"

#include <string.h>
#include <unistd.h>
#include <uv.h>

#define POINTER_LEN 80

static int report(const struct config *cfg, const char *pointer, const char *path,
                  const struct log_file_problem *problem, struct config_errors *errors)
{
    config_errors_add_at(errors, cfg, problem->code, pointer, problem->hint, "\"%s\" %s", path,
                         problem->what);
    return -1;
}

/* Opens those that are not open yet. */
static int open_access_logs(struct access_logs *logs, const struct config *cfg,
                            struct config_errors *errors)
{
    const struct config_access_log *log;
    char pointer[POINTER_LEN];
    struct log_file_problem problem;

    for (size_t i = 0; (log = config_access_log_at(cfg, i, pointer, sizeof(pointer))); i++) {
        if (!config_access_log_is_on(log) || access_logs_open(logs, log->path, &problem) == 0)
            continue;
        strcat(pointer, "/path");
        return report(cfg, pointer, log->path, &problem, errors);
    }
    return 0;
}

int server_logs_switch(struct access_logs *logs, const struct config *cfg,
                       struct config_errors *errors)
{
    struct log_file_problem problem;
    int err = open_access_logs(logs, cfg, errors);

    if (!err && log_configure(cfg->error_log.path, cfg->error_log.level, &problem) != 0)
        err = report(cfg, "/errorLog/path", cfg->error_log.path, &problem, errors);
    if (err)
        server_logs_end_unused(logs);
    return err;
}

void server_logs_leave(struct access_logs *logs)
{
    struct log_file_problem ignored;

    server_logs_end_unused(logs);
    log_configure("", LOG_LEVEL_INFO, &ignored);
}

static void say_whether_written(bool is_written)
{
    if (!is_written)
        log_error("access log: its disk does not answer; lines are lost");
}

void server_logs_end_unused(struct access_logs *logs)
{
    say_whether_written(access_logs_end_unused(logs));
}

/* If rights are missing, the message says who has to do what. */
static void report_reopening(const char *which, const char *path,
                             const struct log_file_problem *problem)
{
    if (problem->code == CONFIG_CODE_PERMISSION)
        log_error(
            "%s log: \"%s\" %s; lines go on into the old file, wherever it is. Create the new "
            "one for user %ld (logrotate: create 0640 USER GROUP), or let user %ld write to its "
            "folder; then send SIGUSR1 again",
            which, path, problem->what, (long)geteuid(), (long)geteuid());
    else
        log_error("%s log: \"%s\" %s; lines go on into the old file, wherever it is; %s", which,
                  path, problem->what, problem->hint);
}

static void reopen(struct access_log *log, void *arg)
{
    struct log_file_problem problem;

    (void)arg;
    if (access_log_reopen(log, &problem) != 0)
        report_reopening("access", access_log_target(log), &problem);
}

void server_logs_reopen(struct access_logs *logs, const struct config *cfg)
{
    struct log_file_problem problem;

    access_logs_each(logs, reopen, NULL);
    if (log_reopen(&problem) != 0)
        report_reopening("error", cfg ? cfg->error_log.path : "", &problem);
}

struct owner {
    uid_t uid;
    gid_t gid;
};

static void report_giving(const char *which, uid_t uid, int err)
{
    if (err)
        log_warn("%s log: can't give it to user %ld: %s", which, (long)uid, uv_strerror(err));
}

static void give(struct access_log *log, void *arg)
{
    const struct owner *owner = arg;

    report_giving("access", owner->uid, access_log_give(log, owner->uid, owner->gid));
}

void server_logs_give(struct access_logs *logs, uid_t uid, gid_t gid)
{
    struct owner owner = {uid, gid};

    access_logs_each(logs, give, &owner);
    report_giving("error", uid, log_give(uid, gid));
}

void server_logs_end(struct access_logs *logs)
{
    say_whether_written(access_logs_free(logs));
}
