/* SPDX-License-Identifier: MIT */
/* config_check.c — the order of the checks, and the checks of logs. */
#include "check/config_check.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "check/config_check_bounds.h"
#include "check/config_check_parts.h"
#include "config/log_target.h"
#include "log/log_file.h"
#include "machine/bounded_call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define MACHINE_SECONDS 10
#define OWNER_SECONDS 5

static enum config_code code_of_errno(int err)
{
    switch (err) {
    case EACCES:
    case EPERM:
    case EROFS:
        return CONFIG_CODE_PERMISSION;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return CONFIG_CODE_RESOURCE_LIMIT;
    default:
        return CONFIG_CODE_MISSING_FILE;
    }
}

void config_check_report_path(const struct check *check, const char *pointer, const char *path,
                              int err, const char *verb, const char *hint)
{
    if (err == ENOENT)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_MISSING_FILE, pointer, hint,
                             "\"%s\" does not exist on this machine", path);
    else
        config_errors_add_at(check->errors, check->cfg, code_of_errno(err), pointer, hint,
                             "can't %s \"%s\": %s", verb, path, strerror(err));
}

void config_check_see(struct buf *out, const struct check *check, const char *path)
{
    buf_clear(out);
    buf_printf(out, "%s%s", check->jail, path);
}

int config_check_access(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? 0 : errno;
}

/* Returns the folder in which the file would be created. The caller frees it. */
const char *config_check_secret(const struct config *cfg, size_t site, size_t index,
                                char pointer[CHECK_POINTER_LEN])
{
    size_t passwords = cfg->sites[site].auth_count;
    size_t signatures = cfg->sites[site].signed_url_count;

    if (index < passwords)
        snprintf(pointer, CHECK_POINTER_LEN, "/sites/%zu/auth/%zu/file", site, index);
    else if (index < passwords + signatures)
        snprintf(pointer, CHECK_POINTER_LEN, "/sites/%zu/signedUrls/%zu/secretFile", site,
                 index - passwords);
    else
        snprintf(pointer, CHECK_POINTER_LEN, "/sites/%zu/certificates/%zu/keyFile", site,
                 index - passwords - signatures);
    return config_site_secret(&cfg->sites[site], index);
}

void config_check_folder_of(const struct check *check, const char *path, const char *pointer,
                            const char *what)
{
    char *folder = path_folder(path);
    int err = config_check_access(folder, W_OK | X_OK);
    struct buf verb;

    buf_init(&verb);
    buf_printf(&verb, "create the %s in", what);
    if (err != 0)
        config_check_report_path(check, pointer, folder, err, verb.data,
                                 "create the folder and let the node's user write there");
    buf_fini(&verb);
    free(folder);
}

/* A log of the running config is open, perhaps with rights that have been given up since, so it is not
 * opened again. */
static bool is_open_already(const struct check *check, const char *path, enum log_file_kind kind)
{
    const struct config_access_log *log;

    if (!check->running)
        return false;
    if (kind == LOG_FILE_ERROR)
        return strcmp(check->running->error_log.path, path) == 0;
    for (size_t i = 0; (log = config_access_log_at(check->running, i, NULL, 0)); i++)
        if (strcmp(log->path, path) == 0)
            return true;
    return false;
}

static void check_log(const struct check *check, const char *path, enum log_file_kind kind,
                      const char *pointer)
{
    struct log_file_problem problem;
    struct buf seen;
    int err;

    if (!log_target_is_file(path) || is_open_already(check, path, kind))
        return;
    buf_init(&seen);
    config_check_see(&seen, check, path);
    err = log_file_look(seen.data, kind, &problem);
    if (err == UV_ENOENT)
        config_check_folder_of(check, seen.data, pointer, "log");
    else if (err)
        config_errors_add_at(check->errors, check->cfg, problem.code, pointer, problem.hint,
                             "\"%s\" %s", seen.data, problem.what);
    buf_fini(&seen);
}

static void check_access_logs(const struct check *check)
{
    const struct config_access_log *log;
    char pointer[CHECK_POINTER_LEN];

    for (size_t i = 0; (log = config_access_log_at(check->cfg, i, pointer, sizeof(pointer))); i++) {
        strcat(pointer, "/path");
        check_log(check, log->path, LOG_FILE_ACCESS, pointer);
    }
}

static bool is_there(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

static void check_sites(const struct check *check)
{
    struct check_user user;

    if (*check->jail != '\0' && !is_there(check->jail))
        return; /* this has been reported */
    config_check_user_enter(&user, check);
    for (size_t i = 0; i < check->cfg->site_count; i++)
        config_check_site(check, i);
    for (size_t i = 0; i < check->cfg->site_count; i++)
        config_check_site_tls(check, i);
    config_check_user_leave(&user);
}

static atomic_bool is_jailed;

void config_check_set_jailed(void)
{
    atomic_store(&is_jailed, true);
}

const char *config_check_jail(const struct config *cfg, const struct config *running)
{
    return atomic_load(&is_jailed) || running != NULL ? "" : cfg->process.chroot;
}

static struct check make_check(const struct config *cfg, const struct config *running,
                               struct config_errors *errors)
{
    return (struct check){.cfg = cfg,
                          .running = running,
                          .errors = errors,
                          .is_jailed = atomic_load(&is_jailed),
                          .jail = config_check_jail(cfg, running)};
}

/* --- with a limit of time -------------------------------------------------------------------- */

/* A check runs on its own thread, because a folder in the config may be on a disk that hangs. */
struct job {
    void (*check)(const struct check *check);
    struct config *cfg, *running; /* references */
    struct config_errors errors;
};

static void do_job(void *arg)
{
    struct job *job = arg;
    struct check check = make_check(job->cfg, job->running, &job->errors);

    job->check(&check);
    config_errors_sort(&job->errors, 0);
}

static void free_job(void *arg)
{
    struct job *job = arg;

    config_errors_fini(&job->errors);
    config_put(job->cfg);
    config_put(job->running);
    free(job);
}

/* True if it has finished; its findings are then in `errors`. */
static bool check_within(void (*function)(const struct check *check), unsigned seconds,
                         const struct config *cfg, const struct config *running,
                         struct config_errors *errors)
{
    struct job *job = xcalloc(1, sizeof(*job));
    enum bounded outcome;

    /* The count of references is not part of the config's value, so this may change it. */
    job->cfg = config_get((struct config *)(uintptr_t)cfg);
    job->running = running ? config_get((struct config *)(uintptr_t)running) : NULL;
    job->check = function;
    outcome = bounded_call(do_job, free_job, job, seconds);
    if (outcome == BOUNDED_DONE)
        config_errors_move(errors, &job->errors);
    if (outcome != BOUNDED_LEFT)
        free_job(job);
    return outcome == BOUNDED_DONE;
}

static void check_owner(const struct check *check)
{
    config_check_bounds(check);
    config_check_exposed(check);
}

/* A config that already works here must not be lost because a disk hangs. So its paths are compared
 * with the policy as they are written; each file is checked again when it is opened. */
int config_check_owner(const struct config *cfg, const struct config *running,
                       struct config_errors *errors)
{
    size_t first = errors->count, dropped = errors->dropped;

    if (!check_within(check_owner, OWNER_SECONDS, cfg, running, errors))
        config_check_bounds_text(cfg, errors);
    return errors->count > first || errors->dropped > dropped ? -1 : 0;
}

static void check_all(const struct check *check)
{
    check_owner(check);
    config_check_listeners(check);
    config_check_process(check);
    check_sites(check);
    check_access_logs(check);
    check_log(check, check->cfg->error_log.path, LOG_FILE_ERROR, "/errorLog/path");
    config_check_sizes(check);
}

int config_check_machine(const struct config *cfg, const struct config *running,
                         struct config_errors *errors)
{
    size_t first = errors->count, dropped = errors->dropped;

    if (!check_within(check_all, MACHINE_SECONDS, cfg, running, errors))
        config_errors_add_at(errors, cfg, CONFIG_CODE_RESOURCE_LIMIT, "",
                             "see that the disks and network file systems that it names answer",
                             "this config could not be checked within %d s", MACHINE_SECONDS);
    return errors->count > first || errors->dropped > dropped ? -1 : 0;
}
