/* SPDX-License-Identifier: MIT */
/* auth_check.c — a verification is a job that moves from lane to lane.
 *
 * A job has copies of what the client sent, because request and config may be gone before it is
 * done. It goes to the stat lane if the file has to be looked at, then to the auth lane if the
 * password has to be verified, and is freed on its loop. If its waiter gives up, the job ends on
 * its own. */
#include "auth/auth_check.h"

#include "auth/auth_hash.h"
#include "auth/auth_memo.h"
#include "base/mem.h"

#include <stdatomic.h>
#include <string.h>

struct auth_store {
    struct io_lane *stat_lane, *auth_lane;
    struct auth_files *files;
    struct auth_memo *memo;
};

struct auth_job {
    struct io_job job;
    struct auth_store *store;
    struct auth_file *file;     /* held */
    struct auth_waiter *waiter; /* NULL: it has given up; loop thread */
    _Atomic bool is_given_up;   /* tells the lanes to save the work */
    bool is_listed;             /* the rule lets in a user of this name */
    enum auth_verdict verdict;
    struct http_credentials who; /* in `bytes` */
    char bytes[HTTP_AUTH_USER_MAX + 1 + HTTP_AUTH_PASSWORD_MAX + 1];
};

/* A look at a file before its trust runs out. */
struct renewal {
    struct io_job job;
    struct auth_store *store;
    struct auth_file *file; /* held */
};

struct auth_store *auth_store_new(struct io_lane *stat_lane, struct io_lane *auth_lane)
{
    struct auth_store *store = xcalloc(1, sizeof(*store));

    store->stat_lane = stat_lane;
    store->auth_lane = auth_lane;
    store->files = auth_files_new();
    store->memo = auth_memo_new();
    if (store->files && store->memo)
        return store;
    auth_store_free(store);
    return NULL;
}

void auth_store_free(struct auth_store *store)
{
    if (!store)
        return;
    auth_files_free(store->files);
    auth_memo_free(store->memo);
    free(store);
}

void auth_store_expire(struct auth_store *store)
{
    auth_files_expire(store->files);
}

/* --- the verdict ----------------------------------------------------------------------------- */

static bool is_listed(const struct config_auth *rule, struct span user)
{
    for (size_t i = 0; i < rule->user_count; i++)
        if (strlen(rule->users[i]) == user.len && memcmp(rule->users[i], user.ptr, user.len) == 0)
            return true;
    return rule->user_count == 0;
}

/* Returns the verdict if no verification is needed for it, else AUTH_WAIT. */
static enum auth_verdict recall(struct auth_store *store, const struct htpasswd *users, bool listed,
                                const struct http_credentials *who)
{
    const char *hash = htpasswd_find(users, who->user);

    if (users->count == 0)
        return AUTH_REFUSED;
    if (hash && listed && auth_memo_has(store->memo, hash, who->password))
        return AUTH_PASSED;
    return AUTH_WAIT;
}

/* A hash is verified even for a user who does not exist or whom the rule excludes: the time it
 * takes must not tell who has an account. */
static enum auth_verdict verify(const struct auth_job *job, const struct htpasswd *users)
{
    const char *own = htpasswd_find(users, job->who.user), *hash = own;

    if (!own)
        hash = users->users[auth_memo_pick(job->store->memo, job->who.user, users->count)].hash;
    switch (auth_hash_verify(hash, job->who.password.ptr)) {
    case AUTH_HASH_MATCHES:
        if (!own || !job->is_listed)
            return AUTH_REFUSED;
        auth_memo_add(job->store->memo, own, job->who.password);
        return AUTH_PASSED;
    case AUTH_HASH_DIFFERS:
        return AUTH_REFUSED;
    case AUTH_HASH_FAILED:
        break;
    }
    return AUTH_UNAVAILABLE;
}

/* --- on the lanes ---------------------------------------------------------------------------- */

/* Returns the users in the file as it is now, with a reference; NULL: it can't be read. */
static struct htpasswd *current_users(const struct auth_job *job)
{
    struct auth_files *files = job->store->files;
    struct htpasswd *users;

    if (auth_file_state(files, job->file, &users) != AUTH_FILE_STALE)
        return users;
    auth_file_look(files, job->file);
    return auth_file_users(files, job->file);
}

/* Returns the users likewise, and sets the verdict if the file and earlier verifications are enough
 * for it. */
static struct htpasswd *recall_now(struct auth_job *job)
{
    struct htpasswd *users = current_users(job);

    job->verdict = users ? recall(job->store, users, job->is_listed, &job->who) : AUTH_UNAVAILABLE;
    return users;
}

static void run_look(struct io_job *io)
{
    struct auth_job *job = container_of(io, struct auth_job, job);
    struct htpasswd *users;

    if (atomic_load(&job->is_given_up))
        return;
    users = recall_now(job);
    htpasswd_put(users);
}

/* The job may have been in the queue for long. So the file is looked at again if necessary, and a
 * job with the same password may have been done meanwhile. */
static void run_verify(struct io_job *io)
{
    struct auth_job *job = container_of(io, struct auth_job, job);
    struct htpasswd *users;

    if (atomic_load(&job->is_given_up))
        return;
    users = recall_now(job);
    if (job->verdict == AUTH_WAIT)
        job->verdict = verify(job, users);
    htpasswd_put(users);
}

static void run_renewal(struct io_job *io)
{
    struct renewal *renewal = container_of(io, struct renewal, job);

    auth_file_look(renewal->store->files, renewal->file);
}

/* --- on the loop ----------------------------------------------------------------------------- */

static void free_job(struct auth_job *job)
{
    auth_file_put(job->store->files, job->file);
    explicit_bzero(job->bytes, sizeof(job->bytes));
    free(job);
}

static void finish(struct io_job *io)
{
    struct auth_job *job = container_of(io, struct auth_job, job);
    struct auth_waiter *waiter = job->waiter;
    enum auth_verdict verdict = job->verdict;

    free_job(job);
    if (!waiter)
        return;
    waiter->job = NULL;
    waiter->on_verdict(waiter, verdict);
}

static int submit_verify(struct auth_job *job, struct io_port *port)
{
    job->job.run = run_verify;
    job->job.on_done = finish;
    return io_lane_submit(job->store->auth_lane, port, &job->job);
}

static void on_looked(struct io_job *io)
{
    struct auth_job *job = container_of(io, struct auth_job, job);

    if (job->waiter && job->verdict == AUTH_WAIT) {
        if (submit_verify(job, io->port) == 0)
            return;
        job->verdict = AUTH_UNAVAILABLE;
    }
    finish(io);
}

static void copy_credentials(struct auth_job *job, const struct http_credentials *who)
{
    char *password = job->bytes + who->user.len + 1;

    CHECK(who->user.len <= HTTP_AUTH_USER_MAX && who->password.len <= HTTP_AUTH_PASSWORD_MAX);
    memcpy(job->bytes, who->user.ptr, who->user.len);
    if (who->password.len > 0)
        memcpy(password, who->password.ptr, who->password.len);
    job->who.user = (struct span){job->bytes, who->user.len};
    job->who.password = (struct span){password, who->password.len}; /* calloc: a NUL follows */
}

/* Takes over the hold on `file`. NULL: no memory. */
static struct auth_job *new_job(struct auth_store *store, struct auth_file *file,
                                const struct config_auth *rule, const struct http_credentials *who)
{
    struct auth_job *job = calloc(1, sizeof(*job));

    if (!job) {
        auth_file_put(store->files, file);
        return NULL;
    }
    job->store = store;
    job->file = file;
    job->is_listed = is_listed(rule, who->user);
    job->verdict = AUTH_UNAVAILABLE;
    copy_credentials(job, who);
    return job;
}

static int submit_look(struct auth_job *job, struct io_port *port)
{
    job->job.run = run_look;
    job->job.on_done = on_looked;
    return io_lane_submit(job->store->stat_lane, port, &job->job);
}

static enum auth_verdict start_job(struct auth_job *job, struct io_port *port, bool looks_first,
                                   struct auth_waiter *waiter)
{
    int err;

    if (!job)
        return AUTH_UNAVAILABLE;
    job->waiter = waiter;
    err = looks_first ? submit_look(job, port) : submit_verify(job, port);
    if (err) {
        free_job(job);
        return AUTH_UNAVAILABLE;
    }
    waiter->job = job;
    return AUTH_WAIT;
}

static void on_renewed(struct io_job *io)
{
    struct renewal *renewal = container_of(io, struct renewal, job);

    auth_file_put(renewal->store->files, renewal->file);
    free(renewal);
}

/* Has the file looked at early, so that nobody has to wait for it. If this is not possible,
 * somebody has to wait later; that does no harm. */
static void renew_early(struct auth_store *store, struct io_port *port, struct auth_file *file)
{
    struct renewal *renewal;

    if (!auth_file_claim(store->files, file))
        return;
    renewal = calloc(1, sizeof(*renewal));
    if (!renewal) {
        auth_file_unclaim(store->files, file);
        return;
    }
    renewal->job = (struct io_job){.run = run_renewal, .on_done = on_renewed};
    renewal->store = store;
    renewal->file = file;
    auth_file_get(store->files, file);
    if (io_lane_submit(store->stat_lane, port, &renewal->job) == 0)
        return;
    on_renewed(&renewal->job);
    auth_file_unclaim(store->files, file);
}

enum auth_verdict auth_check(struct auth_store *store, struct io_port *port,
                             const struct config_auth *rule, const struct http_credentials *who,
                             struct auth_waiter *waiter)
{
    struct auth_file *file = auth_files_find(store->files, rule->file);
    enum auth_verdict verdict = AUTH_UNAVAILABLE;
    enum auth_file_state state;
    struct htpasswd *users;

    if (!file)
        return AUTH_UNAVAILABLE;
    state = auth_file_state(store->files, file, &users);
    if (state == AUTH_FILE_STALE)
        return start_job(new_job(store, file, rule, who), port, true, waiter);
    if (state == AUTH_FILE_READY) {
        renew_early(store, port, file);
        verdict = recall(store, users, is_listed(rule, who->user), who);
        htpasswd_put(users);
        if (verdict == AUTH_WAIT)
            return start_job(new_job(store, file, rule, who), port, false, waiter);
    }
    auth_file_put(store->files, file);
    return verdict;
}

void auth_cancel(struct auth_waiter *waiter)
{
    if (!waiter->job)
        return;
    waiter->job->waiter = NULL;
    atomic_store(&waiter->job->is_given_up, true);
    waiter->job = NULL;
}
