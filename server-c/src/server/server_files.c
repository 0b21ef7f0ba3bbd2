/* SPDX-License-Identifier: MIT */
/* server_files.c — looks at files without a lock. Only the swap excludes applies, and it happens
 * only if the config whose files were looked at is still in force. */
#include "server/server_files.h"

#include "base/mem.h"
#include "base/util.h"
#include "server/server_state.h"
#include "site/site.h"

#include <pthread.h>

#define LOOK_EVERY_MS 1000
#define JOIN_MS 5000 /* as long as for jobs on the lanes */

struct server_files {
    struct server *srv;
    uv_thread_t thread;
    bool is_ending;  /* needs srv->applying and `lock` */
    uv_mutex_t lock; /* protects what follows */
    uv_cond_t wake;
    bool is_woken, is_over;
};

static struct site_set *running_sites(struct server *srv)
{
    struct site_set *sites;

    uv_mutex_lock(&srv->lock);
    sites = srv->sites ? site_set_get(srv->sites) : NULL;
    uv_mutex_unlock(&srv->lock);
    return sites;
}

bool server_files_are_current(struct server *srv)
{
    struct site_set *sites = running_sites(srv);
    struct named_files files;
    bool is_current;

    if (!sites)
        return true;
    named_files_read(&files, sites->cfg, &sites->files);
    is_current = named_files_equal(&files, &sites->files) && named_files_unusable(&files) == 0;
    named_files_fini(&files);
    site_set_put(sites);
    return is_current;
}

/* Takes over `next`. */
static void renew(struct server_files *files, struct site_set *seen, struct named_files *next)
{
    struct server *srv = files->srv;

    uv_mutex_lock(&srv->applying);
    if (!files->is_ending && srv->sites == seen)
        server_swap_sites(srv, site_set_renew(seen, seen->versions, next), srv->generation);
    else
        named_files_fini(next);
    uv_mutex_unlock(&srv->applying);
}

/* Waits until a second has passed since the last look, whatever wakes it: two looks right after
 * each other would always agree. */
static void wait_for_next_look(struct server_files *files)
{
    uint64_t end_ns = monotonic_ns() + LOOK_EVERY_MS * NS_PER_MS, now_ns;

    while (!files->is_ending && (now_ns = monotonic_ns()) < end_ns)
        uv_cond_timedwait(&files->wake, &files->lock, end_ns - now_ns);
}

/* Returns false when it is time to end. */
static bool wait_for_turn(struct server_files *files, bool has_files)
{
    bool goes_on;

    uv_mutex_lock(&files->lock);
    if (has_files)
        wait_for_next_look(files);
    while (!has_files && !files->is_ending && !files->is_woken)
        uv_cond_wait(&files->wake, &files->lock);
    files->is_woken = false;
    goes_on = !files->is_ending;
    uv_mutex_unlock(&files->lock);
    return goes_on;
}

/* Does one turn. `watch` is for `*seen`, which has a reference. */
static void look(struct server_files *files, struct site_set **seen, struct named_watch *watch)
{
    struct site_set *now = running_sites(files->srv);
    struct named_files next;

    if (now != *seen) {
        named_watch_fini(watch);
        site_set_put(*seen);
        *seen = now;
        if (now)
            named_watch_init(watch, &now->files);
    } else {
        site_set_put(now);
    }
    if (*seen && named_watch_look(watch, &(*seen)->files, &next))
        renew(files, *seen, &next);
}

static void thread_main(void *arg)
{
    struct server_files *files = arg;
    struct site_set *seen = NULL;
    struct named_watch watch = {0};

    pthread_setname_np(pthread_self(), "named-files");
    while (wait_for_turn(files, watch.count > 0))
        look(files, &seen, &watch);
    named_watch_fini(&watch);
    site_set_put(seen);
    uv_mutex_lock(&files->lock);
    files->is_over = true;
    uv_cond_signal(&files->wake);
    uv_mutex_unlock(&files->lock);
}

struct server_files *server_files_start(struct server *srv)
{
    struct server_files *files = xcalloc(1, sizeof(*files));

    files->srv = srv;
    uv_mutex_init(&files->lock);
    uv_cond_init(&files->wake);
    if (uv_thread_create(&files->thread, thread_main, files) == 0)
        return files;
    uv_cond_destroy(&files->wake);
    uv_mutex_destroy(&files->lock);
    free(files);
    return NULL;
}

void server_files_wake(struct server_files *files)
{
    uv_mutex_lock(&files->lock);
    files->is_woken = true;
    uv_cond_signal(&files->wake);
    uv_mutex_unlock(&files->lock);
}

void server_files_end(struct server_files *files)
{
    uv_mutex_lock(&files->srv->applying);
    uv_mutex_lock(&files->lock);
    files->is_ending = true;
    uv_cond_signal(&files->wake);
    uv_mutex_unlock(&files->lock);
    uv_mutex_unlock(&files->srv->applying);
}

bool server_files_join(struct server_files *files)
{
    uint64_t end_ns = monotonic_ns() + JOIN_MS * NS_PER_MS, now_ns;
    bool is_over;

    uv_mutex_lock(&files->lock);
    while (!files->is_over && (now_ns = monotonic_ns()) < end_ns)
        uv_cond_timedwait(&files->wake, &files->lock, end_ns - now_ns);
    is_over = files->is_over;
    uv_mutex_unlock(&files->lock);
    if (!is_over)
        return false;
    uv_thread_join(&files->thread);
    uv_cond_destroy(&files->wake);
    uv_mutex_destroy(&files->lock);
    free(files);
    return true;
}
