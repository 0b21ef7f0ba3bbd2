/* SPDX-License-Identifier: MIT */
/* server.c — the loops, the lanes and the logs of the process, and how a config gets into force.
 *
 * An apply does everything that can fail first (threads, sockets, files) and touches what runs only
 * then. What is read back is in server_read.c. */
#include "server.h"

#include "admin.h"
#include "auth_check.h"
#include "descriptors.h"
#include "listener.h"
#include "log.h"
#include "mem.h"
#include "peer_table.h"
#include "server_bind.h"
#include "server_lanes.h"
#include "server_state.h"
#include "site.h"
#include "util.h"
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define FIRST_THREADS 1 /* of a lane before there is a config */
#define HELD_MS 250

/* What an apply has prepared, to be put in force or thrown away. */
struct preparation {
    const struct config *cfg;
    uint32_t loops;
    struct binding binding;
    int admin_fd; /* -1: stays as it is, or none */
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

struct server *server_new(int *err)
{
    struct server *srv = xcalloc(1, sizeof(*srv));

    descriptors_raise_limit();
    make_boot_id(srv->boot_id);
    srv->started_ns = monotonic_ns();
    srv->admin_listen.address = xstrdup("");
    uv_mutex_init(&srv->lock);
    uv_mutex_init(&srv->applying);
    *err = UV_EAGAIN; /* the one thing that can be missing: threads */
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
    *err = 0;
    return srv;

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

/* Connections that the kernel holds back for a listener that goes (deferAccept) have their requests
 * on the way: they are waited for. The first `loops` keep those that are in `next`. */
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

    release_held(srv, 0, NULL);
    admin_stop(srv->admin);        /* it asks the loops: before them */
    bound_list_clear(&srv->bound); /* so that the loops' closing is the end */
    for (uint32_t i = 0; i < srv->worker_count; i++)
        worker_stop(srv->workers[i], drain_ms);
    for (uint32_t i = 0; i < srv->worker_count; i++)
        is_stuck |= !worker_join(srv->workers[i]);
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

static uint32_t wanted_loops(const struct config *cfg)
{
    uint32_t loops = cfg->workers == CONFIG_AUTO ? uv_available_parallelism() : cfg->workers;
    return loops < WORKERS_MAX ? loops : WORKERS_MAX;
}

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

/* The last step that can fail; it leaves both logs as they were when it does. */
static int switch_logs(struct server *srv, const struct config *cfg, struct config_errors *errors)
{
    struct access_log *log = srv->shared.access_log;
    const char *old_access = srv->sites ? srv->sites->cfg->access_log.path : "";
    const char *access = cfg->access_log.path;
    bool access_changes = strcmp(old_access, access) != 0;
    struct log_file_problem problem, ignored;

    if (access_changes && access_log_configure(log, access, &problem) != 0)
        return report_log(cfg, "/accessLog/path", access, &problem, errors);
    if (log_configure(cfg->error_log.path, cfg->error_log.level, &problem) == 0)
        return 0;
    if (access_changes)
        access_log_configure(log, old_access, &ignored);
    return report_log(cfg, "/errorLog/path", cfg->error_log.path, &problem, errors);
}

static int call_before_serving(struct server *srv, const struct config *cfg,
                               struct config_errors *errors)
{
    if (!srv->before_serving)
        return 0;
    if (srv->before_serving(srv->before_serving_arg, cfg, errors) != 0)
        return -1;
    srv->before_serving = NULL;
    return 0;
}

/* 0, or -1 with findings and nothing left of it. */
static int prepare(struct server *srv, struct preparation *prep, const struct config *cfg,
                   struct config_errors *errors)
{
    *prep = (struct preparation){.cfg = cfg, .loops = wanted_loops(cfg), .admin_fd = -1};
    descriptors_reserve(descriptors_needed(cfg));
    if (start_workers(srv, prep, errors) != 0 ||
        binding_prepare(&prep->binding, cfg, prep->loops, &srv->bound, srv->active, errors) != 0)
        return -1;
    if (bind_admin(srv, prep, errors) == 0 && switch_logs(srv, cfg, errors) == 0 &&
        call_before_serving(srv, cfg, errors) == 0)
        return 0;
    binding_discard(&prep->binding, &srv->bound);
    if (prep->admin_fd >= 0)
        close(prep->admin_fd);
    return -1;
}

/* --- putting in force ------------------------------------------------------------------------ */

static void swap_workers(struct server *srv, struct site_set *sites, uint64_t generation,
                         uint32_t loops, const int *fds)
{
    size_t listens = sites ? sites->cfg->listen_count : 0;

    for (uint32_t i = 0; i < srv->worker_count; i++) {
        bool listens_now = i < loops;
        struct worker_swap swap = {sites, generation, loops, listens_now,
                                   fds && listens_now ? fds + i * listens : NULL};
        worker_swap(srv->workers[i], &swap);
    }
}

static void switch_admin(struct server *srv, const struct preparation *prep)
{
    const struct config *cfg = prep->cfg;

    if (same_admin(srv, cfg))
        return;
    admin_stop(srv->admin);
    srv->admin = NULL;
    free(srv->admin_listen.address);
    srv->admin_listen =
        (struct config_listen){.address = xstrdup(cfg->admin.address), .port = cfg->admin.port};
    if (prep->admin_fd < 0)
        return;
    srv->admin = admin_start(srv, prep->admin_fd);
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

static void serve_nothing(struct server *srv)
{
    bound_list_clear(&srv->bound);
    swap_workers(srv, NULL, 0, 0, NULL);
    srv->active = 0;
    admin_stop(srv->admin);
    srv->admin = NULL;
    free(srv->admin_listen.address);
    srv->admin_listen = (struct config_listen){.address = xstrdup("")};
    struct log_file_problem ignored;
    access_log_configure(srv->shared.access_log, "", &ignored);
    set_state(srv, NULL, 0, false);
}

/* What was set up before the first request can't be changed under those that came since. */
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
    swap_workers(srv, sites, generation, prep->loops, prep->binding.fds);
    srv->active = prep->loops;
    binding_commit(&prep->binding, &srv->bound);
    switch_admin(srv, prep);
    set_state(srv, sites, generation, is_reload);
}

static int apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors)
{
    struct preparation prep;

    release_held(srv, wanted_loops(cfg), cfg); /* while nobody waits for new sockets yet */
    if (prepare(srv, &prep, cfg, errors) != 0)
        return -1;
    put_in_force(srv, &prep, site_set_new(cfg, srv->sites), generation);
    return 0;
}

int server_apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors)
{
    int result = 0;

    uv_mutex_lock(&srv->applying);
    if (!cfg) {
        serve_nothing(srv);
    } else if (srv->sites && strcmp(srv->sites->cfg->digest, cfg->digest) == 0) {
        swap_workers(srv, srv->sites, generation, srv->active, NULL);
        set_state(srv, site_set_get(srv->sites), generation, false);
    } else {
        result = apply(srv, cfg, generation, errors);
    }
    uv_mutex_unlock(&srv->applying);
    return result;
}

void server_reopen_logs(struct server *srv)
{
    struct log_file_problem problem;

    if (access_log_reopen(srv->shared.access_log, &problem) != 0)
        log_error("access log: can't reopen it: the file %s; lines go on into the old one; %s",
                  problem.what, problem.hint);
    if (log_reopen(&problem) != 0)
        log_error("error log: can't reopen it: the file %s; lines go on into the old one; %s",
                  problem.what, problem.hint);
}
