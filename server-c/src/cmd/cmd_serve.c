/* SPDX-License-Identifier: MIT */
/* cmd_serve.c — farmstead-node serve --config FILE [--policy FILE], or serve FOLDER. Signals: HUP
 * reads the file again, USR1 opens the log files again, TERM and INT drain and stop.
 *
 * If it is started as root it first looks up users and writes the pid file, changes the root folder
 * before it opens anything below it, and changes to the user when ports and logs are open. What is
 * read later, including the config file, is read with the user's rights and below that folder. */
#include "cmd/commands.h"

#include "admin/admin.h"
#include "base/buf.h"
#include "base/mem.h"
#include "check/config_check.h"
#include "config/config.h"
#include "log/log.h"
#include "machine/inherited_sockets.h"
#include "machine/pid_file.h"
#include "owner/owner_file.h"
#include "process/confinement.h"
#include "process/end_guard.h"
#include "process/privileges.h"
#include "process/service_notify.h"
#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define USAGE                                                                                      \
    "usage: farmstead-node serve --config FILE [--policy FILE], or "                               \
    "farmstead-node serve FOLDER [--port PORT] [--address ADDRESS] [--policy FILE]\n"
#define DRAIN_MS 10000
#define END_MS 19000 /* after SIGTERM; enough for drain, disks and logs; systemd waits 20 s */
#define CONFIG_MAX (4 * 1024 * 1024)

/* 0, or -1 with errno. A file of CONFIG_MAX bytes or more is no valid config. */
static int read_file(const char *path, struct buf *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0)
        return -1;
    do {
        n = read(fd, buf_reserve(text, 65536), 65536);
        if (n > 0)
            buf_advance(text, (size_t)n);
        if (text->len > CONFIG_MAX) {
            n = -1;
            errno = EFBIG;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    close(fd);
    return n < 0 ? -1 : 0;
}

struct arguments {
    const char *config; /* a file; NULL: `folder` is to be served as it is */
    const char *folder, *address, *port;
    const char *policy; /* NULL: there is none */
};

/* What findings are about. */
static const char *config_name(const struct arguments *args)
{
    return args->config != NULL ? args->config : args->folder;
}

/* Where the config is no file, its findings are about the folder and the arguments. */
static void log_findings(const struct arguments *args, const struct config_errors *errors)
{
    const char *name = config_name(args);
    char place[32] = "";

    for (size_t i = 0; i < errors->count; i++) {
        const struct config_error *error = &errors->items[i];
        if (args->config != NULL)
            snprintf(place, sizeof(place), ":%" PRIu32 ":%" PRIu32, error->line, error->column);
        log_error("%s%s: %s: %s%s%s", name, place, error->code, error->message,
                  error->hint[0] ? "; " : "", error->hint);
    }
    if (errors->dropped > 0)
        log_error("%s: and %zu more findings", name, errors->dropped);
}

/* --- the process itself ---------------------------------------------------------------------- */

struct process {
    struct server *server;
    const struct arguments *args;
    bool is_prepared;
    struct privileges privileges;
    struct pid_file *pid_file;
};

/* For the first config: what must be done before anything is opened. -1 with the reason in the
 * log. */
static int prepare_process(struct process *process, const struct config *cfg)
{
    char why[PRIVILEGES_WHY_LEN];

    _Static_assert(PID_FILE_WHY_LEN <= PRIVILEGES_WHY_LEN, "one sentence for both");
    if (process->is_prepared)
        return 0;
    if (privileges_find(&process->privileges, cfg, why) != 0)
        goto fail;
    process->is_prepared = true;
    if (cfg->process.pid_file[0]) {
        process->pid_file = pid_file_write(cfg->process.pid_file, getpid(), why);
        if (!process->pid_file)
            goto fail;
    }
    if (cfg->process.chroot[0]) {
        if (privileges_change_root(cfg->process.chroot, why) != 0)
            goto fail;
        config_check_set_jailed();
    }
    return 0;

fail:
    log_error("%s", why);
    return -1;
}

/* The file was read with the rights, and in the root folder, that the process had at the start. */
static void warn_of_unreadable(const char *config_path)
{
    if (faccessat(AT_FDCWD, config_path, R_OK, AT_EACCESS) != 0)
        log_warn("%s: user %ld can't read it: %s; a reload needs that", config_path,
                 (long)geteuid(), uv_strerror(-errno));
}

static int drop_privileges(void *arg, const struct config *cfg, struct config_errors *errors)
{
    const struct process *process = arg;
    char why[PRIVILEGES_WHY_LEN];

    if (process->privileges.changes)
        server_give_files(process->server, process->privileges.uid, process->privileges.gid);
    if (privileges_drop(&process->privileges, why) != 0) {
        config_errors_add_at(errors, cfg, CONFIG_CODE_PERMISSION, "/process/user", NULL, "%s", why);
        return -1;
    }
    if (process->privileges.changes)
        log_info("serving as user %ld, group %ld", (long)process->privileges.uid,
                 (long)process->privileges.gid);
    else if (process->privileges.uid == 0)
        log_warn("serving as root: name a user in process.user");
    if (process->args->config != NULL)
        warn_of_unreadable(process->args->config);
    return 0;
}

static void end_process(struct process *process)
{
    pid_file_remove(process->pid_file);
    privileges_fini(&process->privileges);
}

/* --- the config ------------------------------------------------------------------------------ */

/* 0, or -1 with the reason in the log. */
static int read_config(const struct arguments *args, struct buf *text)
{
    if (args->config == NULL) {
        if (cmd_folder_config(text, args->folder, args->address, args->port))
            return 0;
        log_error("%s: the folder's name must be UTF-8", args->folder);
    } else if (read_file(args->config, text) != 0) {
        int err = errno;
        log_error("%s: can't read the config: %s; it is read as user %ld", args->config,
                  strerror(err), (long)geteuid());
    } else {
        return 0;
    }
    return -1;
}

/* Reads, checks and applies the config. 0, or -1 with the reasons in the log. */
static int load(struct server *server, struct process *process, uint64_t generation)
{
    struct config *running = server_config(server), *cfg = NULL;
    struct config_errors errors = {0};
    struct buf text;
    int result = -1;

    buf_init(&text);
    if (read_config(process->args, &text) == 0) {
        cfg = config_parse_with_variables(text.data, text.len, &errors);
        if (cfg && config_check_machine(cfg, running, &errors) == 0 &&
            prepare_process(process, cfg) == 0)
            result = server_apply(server, cfg, generation, &errors);
        log_findings(process->args, &errors);
    }
    config_errors_fini(&errors);
    config_put(cfg);
    config_put(running);
    buf_fini(&text);
    return result;
}

/* Threads inherit the mask, so only wait_for_end() receives these signals. */
static void block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGUSR1);
    sigaddset(set, END_GUARD_SIGNAL);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void reload(struct server *server, struct process *process, uint64_t *generation)
{
    if (load(server, process, *generation + 1) != 0) {
        log_error("%s: not applied; generation %" PRIu64 " goes on serving",
                  config_name(process->args), *generation);
        return;
    }
    ++*generation;
    log_info("generation %" PRIu64 " serves", *generation);
}

static void wait_for_end(const sigset_t *set, struct server *server, struct process *process)
{
    uint64_t generation = 1;

    for (;;) {
        int number = 0;
        if (sigwait(set, &number) != 0)
            continue;
        if (number == SIGHUP) {
            service_notify_reloading();
            reload(server, process, &generation);
            service_notify("READY=1");
        } else if (number == SIGUSR1) {
            server_reopen_logs(server);
        } else {
            break;
        }
    }
}

static bool parse_arguments(struct arguments *args, int argc, char **argv)
{
    static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                            {"policy", required_argument, NULL, 'p'},
                                            {"port", required_argument, NULL, 'o'},
                                            {"address", required_argument, NULL, 'a'},
                                            {NULL, 0, NULL, 0}};

    bool has_place = false;

    *args = (struct arguments){.address = "127.0.0.1", .port = "8080"};
    opterr = 0;
    optind = 1;
    for (int c = getopt_long(argc, argv, "", options, NULL); c != -1;
         c = getopt_long(argc, argv, "", options, NULL)) {
        if (c == 'c')
            args->config = optarg;
        else if (c == 'p')
            args->policy = optarg;
        else if (c == 'o')
            args->port = optarg;
        else if (c == 'a')
            args->address = optarg;
        else
            return false;
        has_place |= c == 'o' || c == 'a';
    }
    if (optind < argc)
        args->folder = argv[optind++];
    if (optind != argc || (args->config == NULL) == (args->folder == NULL))
        return false;
    return args->config != NULL ? *args->config != '\0' && !has_place : *args->folder != '\0';
}

/* The owner of this server has written its config, so it is restricted only by a policy that is
 * named. 0, or -1 with the reason on standard error. */
static int take_bounds(const struct arguments *args)
{
    char *place = xstrdup(config_name(args));
    struct buf why;
    int err = 0;

    buf_init(&why);
    if (args->policy != NULL)
        err = owner_file_set_bounds(args->policy, NULL, &why);
    if (err != 0)
        fprintf(stderr, "farmstead-node serve: %s\n", why.data);
    else
        err = confinement_enter(dirname(place));
    buf_fini(&why);
    free(place);
    return err;
}

static int serve(struct server *server, const sigset_t *set, const struct arguments *args)
{
    struct process process = {.server = server, .args = args};
    int code;

    server_before_serving(server, drop_privileges, &process);
    code = load(server, &process, 1) == 0 ? 0 : 1;
    if (code == 0) {
        service_notify("READY=1");
        wait_for_end(set, server, &process);
    }
    log_info("stopping");
    service_notify("STOPPING=1");
    if (!server_stop(server, code == 0 ? DRAIN_MS : 0))
        code = -1;
    end_process(&process);
    return code;
}

int cmd_serve(int argc, char **argv)
{
    struct arguments args;
    struct server *server;
    sigset_t set;
    int err, code;

    if (!parse_arguments(&args, argc, argv)) {
        fprintf(stderr, USAGE);
        return 2;
    }
    privileges_forbid_new();
    if (take_bounds(&args) != 0)
        return 1;
    service_notify_init();
    inherited_sockets_init();
    block_signals(&set);
    log_start();
    if (end_guard_start(END_MS)) {
        sigdelset(&set, SIGTERM);
        sigdelset(&set, SIGINT);
    }
    server = server_new(&admin_listener, &err);
    if (!server) {
        log_error("no server: %s", uv_strerror(err));
        log_stop();
        return 1;
    }
    code = serve(server, &set, &args);
    log_stop();
    if (code < 0) /* there are threads left that wait for a disk */
        _exit(1);
    return code;
}
