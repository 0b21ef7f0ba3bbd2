/* SPDX-License-Identifier: MIT */
/* server.c — the loops, lanes and logs of the process, and how a config is put in force.
 *
 * An apply first does everything that can fail (threads, sockets, files), and only then changes
 * what is running. server_read.c reads back what runs. */
#include "server/server.h"

#include "auth/auth_check.h"
#include "base/mem.h"
#include "base/util.h"
#include "check/config_check.h"
#include "connection/listener.h"
#include "log/log.h"
#include "machine/descriptors.h"
#include "machine/machine.h"
#include "net/peer_table.h"
#include "server/server_bind.h"
#include "server/server_files.h"
#include "server/server_lanes.h"
#include "server/server_sizes.h"
#include "server/server_state.h"
#include "server/worker.h"
#include "site/site.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define FIRST_THREADS 1 /* threads of a lane before there is a config */
#define HELD_MS 250

/* What an apply has prepared, to be put in force or thrown away. */
struct preparation {
    struct config *cfg;
    uint32_t loops;
    struct binding binding;
    int admin_fd; /* -1: it stays as it is, or there is none */
    uint16_t admin_port;
};

/* --- start and stop -------------------------------------------------------------------------- */

static void make_boot_id(char out[33])
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) {
        uint64_t seed = monotonic_ns() ^ (uint64_t)getpid() << 48;
        memcpy(bytes, &seed, 8);
        memcpy(bytes + 8, &seed, 8);
    }
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

struct server *server_new(const struct server_admin *admin, int *err)
{
    struct server *srv = xcalloc(1, sizeof(*srv));
    struct config_machine machine;

    descriptors_raise_limit();
    machine_read(&machine); /* while the process can still see the machine */
    make_boot_id(srv->boot_id);
    srv->started_ns = monotonic_ns();
    srv->admin_by = admin;
    srv->admin_listen.address = xstrdup("");
    uv_mutex_init(&srv->lock);
    uv_mutex_init(&srv->applying);
    *err = UV_EAGAIN; /* only threads can be missing */
    srv->shared.peers = peer_table_new();
    srv->shared.access_log = access_log_new();
    if (!srv->shared.access_log)
        goto fail_access_log;
    srv->shared.stat_lane = io_lane_new("stat", FIRST_THREADS, FIRST_THREADS);
    if (!srv->shared.stat_lane)
        goto fail_stat_lane;
    io_lane_reserve_thread(srv->shared.stat_lane);
    srv->shared.read_lane = io_lane_new("read", FIRST_THREADS, FIRST_THREADS);
    if (!srv->shared.read_lane)
        goto fail_read_lane;
    srv->auth_lane = io_lane_new("auth", AUTH_LANE_THREADS, AUTH_LANE_QUEUE);
    if (!srv->auth_lane)
        goto fail_auth_lane;
    srv->shared.auth = auth_store_new(srv->shared.stat_lane, srv->auth_lane);
    if (!srv->shared.auth)
        goto fail_auth_store;
    srv->files = server_files_start(srv);
    if (!srv->files)
        goto fail_files;
    *err = 0;
    return srv;

fail_files:
    auth_store_free(srv->shared.auth);
fail_auth_store:
    io_lane_free(srv->auth_lane);
fail_auth_lane:
    io_lane_free(srv->shared.read_lane);
fail_read_lane:
    io_lane_free(srv->shared.stat_lane);
fail_stat_lane:
    access_log_free(srv->shared.access_log);
fail_access_log:
    peer_table_free(srv->shared.peers);
    uv_mutex_destroy(&srv->applying);
    uv_mutex_destroy(&srv->lock);
    free(srv->admin_listen.address);
    free(srv);
    return NULL;
}

/* For listeners that will be closed: connections held back by the kernel (deferAccept) have
 * requests on their way, and are waited for. The first `loops` loops keep the listeners that are in
 * `next`. */
static void release_held(struct server *srv, uint32_t loops, const struct config *next)
{
    bool had_held = false;

    for (uint32_t i = 0; i < srv->worker_count; i++)
        had_held |= worker_release_held(srv->workers[i], i < loops ? next : NULL);
    if (had_held)
        uv_sleep(HELD_MS);
}

static void end_access_log(struct server *srv)
{
    if (!access_log_free(srv->shared.access_log))
        log_error("access log: its disk does not answer; lines are lost");
}

bool server_stop(struct server *srv, uint32_t drain_ms)
{
    bool is_stuck = false;

    server_files_end(srv->files); /* before the loops, which it asks; so does the admin */
    release_held(srv, 0, NULL);
    srv->admin_by->stop(srv->admin); /* before the loops, which it asks */
    /* Before the loops, so that sockets end when they close them. */
    bound_list_clear(&srv->bound);
    for (uint32_t i = 0; i < srv->worker_count; i++)
        worker_stop(srv->workers[i], drain_ms);
    for (uint32_t i = 0; i < srv->worker_count; i++)
        is_stuck |= !worker_join(srv->workers[i]);
    is_stuck |= !server_files_join(srv->files);
    if (is_stuck) {
        log_error("server: a disk does not answer; ending without its threads");
        end_access_log(srv);
        return false;
    }
    for (uint32_t i = 0; i < srv->worker_count; i++)
        worker_free(srv->workers[i]);
    auth_store_free(srv->shared.auth);
    io_lane_free(srv->auth_lane);
    io_lane_free(srv->shared.read_lane);
    io_lane_free(srv->shared.stat_lane);
    end_access_log(srv);
    peer_table_free(srv->shared.peers);
    site_set_put(srv->sites);
    free(srv->admin_listen.address);
    uv_mutex_destroy(&srv->applying);
    uv_mutex_destroy(&srv->lock);
    free(srv);
    return true;
}

/* --- preparing ------------------------------------------------------------------------------- */

static int start_workers(struct server *srv, const struct preparation *prep,
                         struct config_errors *errors)
{
    while (srv->worker_count < prep->loops) {
        struct worker *worker;
        int err = worker_new(&worker, &srv->shared, srv->worker_count);
        if (err) {
            config_errors_add_at(errors, prep->cfg, CONFIG_CODE_RESOURCE_LIMIT, "/workers",
                                 "lower workers, or raise the limits of threads and open files",
                                 "only %" PRIu32 " of %" PRIu32 " event loops could be started: %s",
                                 srv->worker_count, prep->loops, uv_strerror(err));
            return -1;
        }
        srv->workers[srv->worker_count] = worker;
        uv_mutex_lock(&srv->lock);
        srv->worker_count++;
        uv_mutex_unlock(&srv->lock);
    }
    return 0;
}

static bool same_admin(const struct server *srv, const struct config *cfg)
{
    return strcmp(srv->admin_listen.address, cfg->admin.address) == 0 &&
           (!cfg->admin.address[0] || srv->admin_listen.port == cfg->admin.port);
}

static int bind_admin(struct server *srv, struct preparation *prep, struct config_errors *errors)
{
    struct config_listen listen = {.address = prep->cfg->admin.address,
                                   .port = prep->cfg->admin.port};
    int fd;

    if (same_admin(srv, prep->cfg) || !listen.address[0])
        return 0;
    fd = listener_bind(&listen, &prep->admin_port);
    if (fd < 0) {
        binding_add_error(prep->cfg, "/admin/port", &listen, fd, errors);
        return -1;
    }
    prep->admin_fd = fd;
    return 0;
}

static int report_log(const struct config *cfg, const char *pointer, const char *path,
                      const struct log_file_problem *problem, struct config_errors *errors)
{
    config_errors_add_at(errors, cfg, problem->code, pointer, problem->hint, "\"%s\" %s", path,
                         problem->what);
    return -1;
}

/* Switches both logs, or neither if one fails. A file is closed only when the other log's new file
 * is open, too, because there may be no rights to open it again. */
static int switch_logs(struct server *srv, const struct config *cfg, struct config_errors *errors)
{
    struct access_log *log = srv->shared.access_log;
    const char *old_access = srv->sites ? srv->sites->cfg->access_log.path : "";
    const char *access = cfg->access_log.path;
    bool access_changes = strcmp(old_access, access) != 0;
    struct log_file_problem problem;
    struct log_out_next *next = NULL;

    if (access_changes) {
        next = access_log_prepare(log, access, &problem);
        if (!next)
            return report_log(cfg, "/accessLog/path", access, &problem, errors);
    }
    if (log_configure(cfg->error_log.path, cfg->error_log.level, &problem) != 0) {
        if (next)
            access_log_discard(log, next);
        return report_log(cfg, "/errorLog/path", cfg->error_log.path, &problem, errors);
    }
    if (next)
        access_log_take(log, next);
    return 0;
}

/* For a first config that is not applied after all. */
static void leave_logs(struct server *srv)
{
    struct log_file_problem ignored;

    access_log_configure(srv->shared.access_log, "", &ignored);
    log_configure("", LOG_LEVEL_INFO, &ignored);
}

static int call_before_serving(struct server *srv, const struct config *cfg,
                               const struct binding *binding, struct config_errors *errors)
{
    int err;

    if (!srv->before_serving)
        return 0;
    srv->preparing = binding;
    err = srv->before_serving(srv->before_serving_arg, cfg, errors);
    srv->preparing = NULL;
    if (err)
        leave_logs(srv);
    else
        srv->before_serving = NULL;
    return err;
}

void server_give_files(struct server *srv, uid_t uid, gid_t gid)
{
    int access_err = access_log_give(srv->shared.access_log, uid, gid);
    int error_err = log_give(uid, gid);

    if (access_err)
        log_warn("access log: can't give it to user %ld: %s", (long)uid, uv_strerror(access_err));
    if (error_err)
        log_warn("error log: can't give it to user %ld: %s", (long)uid, uv_strerror(error_err));
    if (srv->preparing)
        binding_give(srv->preparing, uid, gid);
}

static void unprepare_workers(struct server *srv)
{
    for (uint32_t i = 0; i < srv->worker_count; i++)
        worker_unprepare(srv->workers[i]);
}

/* Has the loops watch the new sockets before the swap, which reports success when it is over. */
static int prepare_workers(struct server *srv, struct preparation *prep,
                           struct config_errors *errors)
{
    size_t failed;

    for (uint32_t i = 0; i < prep->loops; i++) {
        int *fds = prep->binding.fds + i * prep->cfg->listen_count;
        int err = worker_prepare(srv->workers[i], prep->cfg, fds, &failed);
        if (err) {
            binding_add_unwatched(&prep->binding, failed, i, err, errors);
            return -1;
        }
    }
    return 0;
}

/* 0, or -1 with findings and nothing left to undo. */
static int prepare(struct server *srv, struct preparation *prep, struct config *cfg,
                   struct config_errors *errors)
{
    *prep = (struct preparation){.cfg = cfg, .loops = cfg->workers, .admin_fd = -1};
    /* Here, since every config passes through, even one that a start finds in the state folder. */
    if (config_check_owner(cfg, srv->sites ? srv->sites->cfg : NULL, errors) != 0)
        return -1;
    if (start_workers(srv, prep, errors) != 0 ||
        binding_prepare(&prep->binding, cfg, prep->loops, &srv->bound, srv->active, errors) != 0)
        return -1;
    if (bind_admin(srv, prep, errors) == 0 && prepare_workers(srv, prep, errors) == 0 &&
        switch_logs(srv, cfg, errors) == 0 &&
        call_before_serving(srv, cfg, &prep->binding, errors) == 0)
        return 0;
    unprepare_workers(srv);
    binding_discard(&prep->binding, &srv->bound);
    if (prep->admin_fd >= 0)
        close(prep->admin_fd);
    return -1;
}

/* --- putting in force ------------------------------------------------------------------------ */

static void swap_workers(struct server *srv, struct site_set *sites, uint64_t generation,
                         uint32_t loops)
{
    for (uint32_t i = 0; i < srv->worker_count; i++) {
        struct worker_swap swap = {sites, generation, loops, i < loops};
        worker_swap(srv->workers[i], &swap);
    }
}

static void switch_admin(struct server *srv, const struct preparation *prep)
{
    const struct config *cfg = prep->cfg;

    if (same_admin(srv, cfg))
        return;
    srv->admin_by->stop(srv->admin);
    srv->admin = NULL;
    free(srv->admin_listen.address);
    srv->admin_listen =
        (struct config_listen){.address = xstrdup(cfg->admin.address), .port = cfg->admin.port};
    if (prep->admin_fd < 0)
        return;
    srv->admin = srv->admin_by->start(srv, prep->admin_fd);
    if (srv->admin)
        log_info("admin listening on http://%s%s%s:%u", strchr(cfg->admin.address, ':') ? "[" : "",
                 cfg->admin.address, strchr(cfg->admin.address, ':') ? "]" : "", prep->admin_port);
    else
        log_error(
            "admin: no thread to be had for the admin listener; sites are served all the same");
}

/* Takes over the reference to `sites`. */
static void set_state(struct server *srv, struct site_set *sites, uint64_t generation,
                      bool is_reload)
{
    struct site_set *old;

    uv_mutex_lock(&srv->lock);
    old = srv->sites;
    srv->sites = sites;
    srv->generation = generation;
    srv->reloads += is_reload;
    srv->active_shown = srv->active;
    uv_mutex_unlock(&srv->lock);
    site_set_put(old);
}

void server_before_serving(struct server *srv,
                           int (*function)(void *arg, const struct config *cfg,
                                           struct config_errors *errors),
                           void *arg)
{
    srv->before_serving = function;
    srv->before_serving_arg = arg;
}

void server_swap_sites(struct server *srv, struct site_set *sites, uint64_t generation)
{
    swap_workers(srv, sites, generation, srv->active);
    set_state(srv, sites, generation, false);
}

static void serve_nothing(struct server *srv)
{
    bound_list_clear(&srv->bound);
    swap_workers(srv, NULL, 0, 0);
    srv->active = 0;
    srv->admin_by->stop(srv->admin);
    srv->admin = NULL;
    free(srv->admin_listen.address);
    srv->admin_listen = (struct config_listen){.address = xstrdup("")};
    struct log_file_problem ignored;
    access_log_configure(srv->shared.access_log, "", &ignored);
    set_state(srv, NULL, 0, false);
}

/* What was set up before the first request can't be changed any more. Warns of options that need a
 * start. */
static void warn_of_start_options(const struct config *old, const struct config *new)
{
    if (strcmp(old->process.user, new->process.user) != 0 ||
        strcmp(old->process.group, new->process.group) != 0 ||
        strcmp(old->process.chroot, new->process.chroot) != 0 ||
        strcmp(old->process.pid_file, new->process.pid_file) != 0)
        log_warn("server: \"process\" was changed; what it says takes effect at the next start");
}

static void put_in_force(struct server *srv, struct preparation *prep, struct site_set *sites,
                         uint64_t generation)
{
    bool is_reload = srv->sites != NULL;

    if (is_reload)
        warn_of_start_options(srv->sites->cfg, prep->cfg);
    server_lanes_resize(&srv->shared, prep->cfg);
    binding_release_old(&prep->binding, &srv->bound);
    swap_workers(srv, sites, generation, prep->loops);
    srv->active = prep->loops;
    binding_commit(&prep->binding, &srv->bound);
    switch_admin(srv, prep);
    set_state(srv, sites, generation, is_reload);
}

static int apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors)
{
    struct preparation prep;

    server_sizes_fit(&srv->sizes, cfg);
    descriptors_reserve(config_sizes_descriptors(&srv->sizes, cfg));
    release_held(srv, srv->sizes.loops, cfg); /* while no one waits for new sockets yet */
    if (prepare(srv, &prep, cfg, errors) != 0)
        return -1;
    put_in_force(srv, &prep, site_set_new(cfg, srv->sites), generation);
    return 0;
}

/* For the same text: only the contents of the files that it names can be new. */
static void apply_again(struct server *srv, uint64_t generation)
{
    struct site_set *sites = srv->sites;
    struct named_files files;

    named_files_read(&files, sites->cfg, &sites->files);
    if (named_files_equal(&files, &sites->files)) {
        named_files_fini(&files);
        server_swap_sites(srv, site_set_get(sites), generation);
    } else {
        server_swap_sites(srv, site_set_renew(sites, &files), generation);
    }
}

int server_apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors)
{
    int result = 0;

    uv_mutex_lock(&srv->applying);
    if (!cfg) {
        serve_nothing(srv);
    } else if (srv->sites && strcmp(srv->sites->cfg->digest, cfg->digest) == 0) {
        apply_again(srv, generation);
    } else {
        result = apply(srv, cfg, generation, errors);
    }
    uv_mutex_unlock(&srv->applying);
    auth_store_expire(srv->shared.auth);
    server_files_wake(srv->files);
    return result;
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

void server_reopen_logs(struct server *srv)
{
    struct config *cfg = server_config(srv);
    struct log_file_problem problem;

    if (access_log_reopen(srv->shared.access_log, &problem) != 0)
        report_reopening("access", cfg ? cfg->access_log.path : "", &problem);
    if (log_reopen(&problem) != 0)
        report_reopening("error", cfg ? cfg->error_log.path : "", &problem);
    config_put(cfg);
}
