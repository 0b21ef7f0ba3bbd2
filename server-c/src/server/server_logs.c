/* SPDX-License-Identifier: MIT */
/* server_logs.c — what is open is closed only when what comes in its place is open, too: there may be no
 * rights to open it again. */
#include "server/server_logs.h"

#include "log/log.h"

#include <string.h>
#include <unistd.h>
#include <uv.h>

static int report(const struct config *cfg, const char *pointer, const char *path,
                  const struct log_file_problem *problem, struct config_errors *errors)
{
    config_errors_add_at(errors, cfg, problem->code, pointer, problem->hint, "\"%s\" %s", path,
                         problem->what);
    return -1;
}

int server_logs_switch(struct access_log *log, const struct config *running,
                       const struct config *cfg, struct config_errors *errors)
{
    const char *old_access = running ? running->access_log.path : "";
    const char *access = cfg->access_log.path;
    bool access_changes = strcmp(old_access, access) != 0;
    struct log_file_problem problem;
    struct log_out_next *next = NULL;

    if (access_changes) {
        next = access_log_prepare(log, access, &problem);
        if (!next)
            return report(cfg, "/accessLog/path", access, &problem, errors);
    }
    if (log_configure(cfg->error_log.path, cfg->error_log.level, &problem) != 0) {
        if (next)
            access_log_discard(log, next);
        return report(cfg, "/errorLog/path", cfg->error_log.path, &problem, errors);
    }
    if (next)
        access_log_take(log, next);
    return 0;
}

void server_logs_leave(struct access_log *log)
{
    struct log_file_problem ignored;

    access_log_configure(log, "", &ignored);
    log_configure("", LOG_LEVEL_INFO, &ignored);
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

void server_logs_reopen(struct access_log *log, const struct config *cfg)
{
    struct log_file_problem problem;

    if (access_log_reopen(log, &problem) != 0)
        report_reopening("access", cfg ? cfg->access_log.path : "", &problem);
    if (log_reopen(&problem) != 0)
        report_reopening("error", cfg ? cfg->error_log.path : "", &problem);
}

void server_logs_give(struct access_log *log, uid_t uid, gid_t gid)
{
    int access_err = access_log_give(log, uid, gid);
    int error_err = log_give(uid, gid);

    if (access_err)
        log_warn("access log: can't give it to user %ld: %s", (long)uid, uv_strerror(access_err));
    if (error_err)
        log_warn("error log: can't give it to user %ld: %s", (long)uid, uv_strerror(error_err));
}

void server_logs_end(struct access_log *log)
{
    if (!access_log_free(log))
        log_error("access log: its disk does not answer; lines are lost");
}
