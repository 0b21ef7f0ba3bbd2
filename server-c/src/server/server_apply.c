/* SPDX-License-Identifier: MIT */
/* server_apply.c — how a config gets into force.
 *
 * An apply does everything that can fail first (threads, sockets, files) and touches what runs only
 * then. */
#include "auth/auth_check.h"
#include "base/mem.h"
#include "check/config_check.h"
#include "connection/listener.h"
#include "log/log.h"
#include "machine/descriptors.h"
#include "server/server_files.h"
#include "server/server_lanes.h"
#include "server/server_logs.h"
#include "server/server_sizes.h"
#include "server/server_state.h"
#include "site/site_tls.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define HELD_MS 250

/* What an apply has prepared, to be put in force or thrown away. */
struct preparation {
    struct config *cfg;
    uint32_t loops;
    struct binding binding;
    int admin_fd; /* -1: it stays as it is, or there is none */
    uint16_t admin_port;
};

bool server_release_held(struct server *srv, uint32_t loops, const struct config *next)
{
    bool had_held = false;

    for (uint32_t i = 0; i < srv->worker_count; i++)
        had_held |= worker_release_held(srv->workers[i], i < loops ? next : NULL);
    if (had_held)
        uv_sleep(HELD_MS);
    return had_held;
}

/* Until the number of loops has changed, new connections are for loops that stay: a socket that is closed
 * takes with it who is in the handshake of TCP, one that a refused config has opened who waits in
 * its queue. */
static void keep_to_staying(struct server *srv, uint32_t loops, const struct config *next)
{
    bool one_goes = loops < srv->active;

    if (loops != srv->active && srv->active > 0)
        bound_list_steer(&srv->bound, one_goes ? loops : srv->active);
    /* While no one waits for new sockets yet. */
    if (!server_release_held(srv, loops, next) && one_goes)
        uv_sleep(HELD_MS);
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
        server_logs_leave(srv->access_logs);
    else
        srv->before_serving = NULL;
    return err;
}

void server_give_files(struct server *srv, uid_t uid, gid_t gid)
{
    server_logs_give(srv->access_logs, uid, gid);
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
    const struct config *running = srv->sites ? srv->sites->cfg : NULL;

    *prep = (struct preparation){.cfg = cfg, .loops = cfg->workers, .admin_fd = -1};
    /* Here, since every config passes through, even one that a start finds in the state folder. */
    if (config_check_owner(cfg, running, errors) != 0)
        return -1;
    if (start_workers(srv, prep, errors) != 0 ||
        binding_prepare(&prep->binding, cfg, prep->loops, &srv->bound, srv->active, errors) != 0)
        return -1;
    if (bind_admin(srv, prep, errors) == 0 && prepare_workers(srv, prep, errors) == 0 &&
        server_logs_switch(srv->access_logs, cfg, errors) == 0 &&
        call_before_serving(srv, cfg, &prep->binding, errors) == 0)
        return 0;
    unprepare_workers(srv);
    binding_discard(&prep->binding, &srv->bound);
    if (prep->admin_fd >= 0)
        close(prep->admin_fd);
    return -1;
}

/* --- putting in force ------------------------------------------------------------------------ */

/* Without memory, TLS is not spoken: handshakes fail. */
static struct tls_set *make_tls(struct worker *worker, struct site_set *sites)
{
    struct tls_set *tls = NULL;

    if (!sites || !site_tls_is_loaded(sites->cfg))
        return NULL;
    if (loop_start_tls(&worker->loop))
        tls = site_tls_new(sites, worker->loop.tls->engine);
    if (!tls)
        log_error("server: no memory for TLS on event loop %u; its handshakes fail", worker->index);
    return tls;
}

static void swap_workers(struct server *srv, struct site_set *sites, uint64_t generation,
                         uint32_t loops)
{
    for (uint32_t i = 0; i < srv->worker_count; i++) {
        struct worker_swap swap = {sites, make_tls(srv->workers[i], sites), generation, loops,
                                   i < loops};
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

/* Takes over the reference to `sites`, which all loops have by now: what is said to be in force is. */
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
    if (sites)
        named_files_say(&sites->files, old ? &old->files : NULL);
    site_set_put(old);
}

void server_use_challenges(struct server *srv, const struct acme_challenge *items, size_t count)
{
    acme_challenges_set(srv->shared.challenges, items, count);
}

void server_use_ticket_keys(struct server *srv, const struct tls_ticket_key *keys, size_t count)
{
    tls_tickets_set(srv->shared.tickets, keys, count);
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
    server_lanes_resize(&srv->shared, prep->cfg, prep->loops);
    copy_store_configure(srv->shared.copies,
                         sites->copies ? prep->cfg->compression.cache_folder : "",
                         prep->cfg->compression.max_bytes);
    binding_release_old(&prep->binding, &srv->bound);
    swap_workers(srv, sites, generation, prep->loops);
    srv->active = prep->loops;
    binding_commit(&prep->binding, &srv->bound);
    bound_list_spread(&srv->bound, srv->active);
    switch_admin(srv, prep);
    set_state(srv, sites, generation, is_reload);
}

static int apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors)
{
    struct preparation prep;

    server_sizes_fit(&srv->sizes, cfg);
    descriptors_reserve(config_sizes_descriptors(&srv->sizes, cfg));
    keep_to_staying(srv, srv->sizes.loops, cfg);
    if (prepare(srv, &prep, cfg, errors) != 0) {
        bound_list_spread(&srv->bound, srv->active);
        return -1;
    }
    struct site_set *sites = site_set_new(cfg, srv->versions, srv->sites);
    site_set_bind_logs(sites, srv->access_logs);
    put_in_force(srv, &prep, sites, generation);
    return 0;
}

/* For the same text: only the contents of the files that it names can be new, and which versions there are. */
static void apply_again(struct server *srv, uint64_t generation)
{
    struct site_set *sites = srv->sites;
    struct named_files files;

    named_files_read(&files, sites->cfg, &sites->files);
    if (named_files_equal(&files, &sites->files) && sites->versions == srv->versions) {
        named_files_fini(&files);
        server_swap_sites(srv, site_set_get(sites), generation);
    } else {
        server_swap_sites(srv, site_set_renew(sites, srv->versions, &files), generation);
    }
}

static bool uses_versions(const struct site_set *sites, const struct kept_versions *versions)
{
    const struct config *cfg = sites->cfg;

    if (kept_versions_previews(versions) + kept_versions_previews(sites->versions) > 0)
        return true;
    for (size_t i = 0; i < cfg->site_count; i++)
        if (cfg->sites[i].release_fallback_count + cfg->sites[i].release_dictionary_count > 0)
            return true;
    return false;
}

void server_use_versions(struct server *srv, const struct kept_version_said *said, size_t count)
{
    struct kept_versions *before;

    uv_mutex_lock(&srv->applying);
    before = srv->versions;
    if (!kept_versions_are(before, said, count)) {
        uv_mutex_lock(&srv->lock);
        srv->versions = kept_versions_new(said, count, before);
        uv_mutex_unlock(&srv->lock);
        if (srv->sites && uses_versions(srv->sites, srv->versions))
            apply_again(srv, srv->generation);
        kept_versions_put(before);
    }
    uv_mutex_unlock(&srv->applying);
}

struct kept_versions *server_versions(struct server *srv)
{
    struct kept_versions *versions;

    uv_mutex_lock(&srv->lock);
    versions = kept_versions_get(srv->versions);
    uv_mutex_unlock(&srv->lock);
    return versions;
}

int server_apply(struct server *srv, struct config *cfg, uint64_t generation,
                 struct config_errors *errors)
{
    int result = 0;

    uv_mutex_lock(&srv->applying);
    if (!cfg) {
        serve_nothing(srv);
    } else if (srv->sites && config_is_same(srv->sites->cfg, cfg)) {
        apply_again(srv, generation);
    } else {
        result = apply(srv, cfg, generation, errors);
    }
    server_logs_end_unused(srv->access_logs);
    uv_mutex_unlock(&srv->applying);
    auth_store_expire(srv->shared.auth);
    server_files_wake(srv->files);
    return result;
}
