/* SPDX-License-Identifier: MIT */
/* auth_files.c — a list with one lock, which is never held while the disk is asked. Two threads
 * that look at a file at the same time both ask the disk; each result counts from when its own look
 * began. */
#include "auth/auth_files.h"

#include "base/list.h"
#include "base/mem.h"
#include "log/log.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <uv.h>

#define TRUST_NS (AUTH_TRUST_MS * NS_PER_MS)
/* For a file that has just changed, and may be half written, and for a broken one, which is
 * probably being repaired. */
#define SHORT_TRUST_NS NS_PER_SECOND
#define SETTLED_SECONDS 2 /* within one tick of the clock a later change would look the same */
#define WARN_EVERY_NS (60 * NS_PER_SECOND)

struct auth_file {
    struct list link; /* files->by_use */
    uint32_t holders;
    bool was_looked_at, is_settled, is_claimed;
    struct htpasswd *users; /* NULL: can't be read */
    struct stat version;    /* when it was read */
    uint64_t looked_ns, fresh_until_ns;
    uint64_t warned_ns; /* 0: never, or repaired since */
    char path[];
};

struct auth_files {
    uv_mutex_t lock;    /* protects everything here and in the files */
    struct list by_use; /* least recently used first */
    size_t count;
    uint64_t expired_ns; /* looks that began earlier do not count */
};

struct auth_files *auth_files_new(void)
{
    struct auth_files *files = xcalloc(1, sizeof(*files));

    list_init(&files->by_use);
    if (uv_mutex_init(&files->lock) == 0)
        return files;
    free(files);
    return NULL;
}

static void drop(struct auth_files *files, struct auth_file *file)
{
    list_remove(&file->link);
    files->count--;
    htpasswd_put(file->users);
    free(file);
}

void auth_files_free(struct auth_files *files)
{
    if (!files)
        return;
    while (!list_empty(&files->by_use)) {
        struct auth_file *file = container_of(files->by_use.next, struct auth_file, link);

        CHECK(file->holders == 0);
        drop(files, file);
    }
    uv_mutex_destroy(&files->lock);
    free(files);
}

/* --- the list -------------------------------------------------------------------------------- */

static struct auth_file *find(const struct auth_files *files, const char *path)
{
    /* From the end, because a file in use was used a moment ago. */
    for (struct list *at = files->by_use.prev; at != &files->by_use; at = at->prev) {
        struct auth_file *file = container_of(at, struct auth_file, link);

        if (strcmp(file->path, path) == 0)
            return file;
    }
    return NULL;
}

static void make_room(struct auth_files *files)
{
    struct list *next;

    for (struct list *at = files->by_use.next;
         at != &files->by_use && files->count >= AUTH_FILES_MAX; at = next) {
        struct auth_file *file = container_of(at, struct auth_file, link);

        next = at->next;
        if (file->holders == 0)
            drop(files, file);
    }
}

static struct auth_file *add(struct auth_files *files, const char *path)
{
    size_t len = strlen(path) + 1;
    struct auth_file *file = calloc(1, sizeof(*file) + len);

    if (!file)
        return NULL;
    make_room(files);
    memcpy(file->path, path, len);
    list_init(&file->link);
    files->count++;
    return file;
}

struct auth_file *auth_files_find(struct auth_files *files, const char *path)
{
    struct auth_file *file;

    uv_mutex_lock(&files->lock);
    file = find(files, path);
    if (!file)
        file = add(files, path);
    if (file) {
        file->holders++;
        list_remove(&file->link);
        list_append(&files->by_use, &file->link);
    }
    uv_mutex_unlock(&files->lock);
    return file;
}

void auth_file_get(struct auth_files *files, struct auth_file *file)
{
    uv_mutex_lock(&files->lock);
    file->holders++;
    uv_mutex_unlock(&files->lock);
}

void auth_file_put(struct auth_files *files, struct auth_file *file)
{
    uv_mutex_lock(&files->lock);
    file->holders--;
    uv_mutex_unlock(&files->lock);
}

/* --- what is known --------------------------------------------------------------------------- */

enum auth_file_state auth_file_state(struct auth_files *files, struct auth_file *file,
                                     struct htpasswd **users)
{
    enum auth_file_state state = AUTH_FILE_STALE;

    uv_mutex_lock(&files->lock);
    if (file->was_looked_at && file->looked_ns >= files->expired_ns &&
        monotonic_ns() < file->fresh_until_ns)
        state = file->users ? AUTH_FILE_READY : AUTH_FILE_BROKEN;
    *users = state == AUTH_FILE_READY ? htpasswd_get(file->users) : NULL;
    uv_mutex_unlock(&files->lock);
    return state;
}

struct htpasswd *auth_file_users(struct auth_files *files, struct auth_file *file)
{
    struct htpasswd *users;

    uv_mutex_lock(&files->lock);
    users = file->users ? htpasswd_get(file->users) : NULL;
    uv_mutex_unlock(&files->lock);
    return users;
}

void auth_files_expire(struct auth_files *files)
{
    uv_mutex_lock(&files->lock);
    files->expired_ns = monotonic_ns();
    uv_mutex_unlock(&files->lock);
}

bool auth_file_claim(struct auth_files *files, struct auth_file *file)
{
    uint64_t half;
    bool is_due;

    uv_mutex_lock(&files->lock);
    half = file->looked_ns + (file->fresh_until_ns - file->looked_ns) / 2;
    is_due = !file->is_claimed && monotonic_ns() > half;
    if (is_due)
        file->is_claimed = true;
    uv_mutex_unlock(&files->lock);
    return is_due;
}

void auth_file_unclaim(struct auth_files *files, struct auth_file *file)
{
    uv_mutex_lock(&files->lock);
    file->is_claimed = false;
    uv_mutex_unlock(&files->lock);
}

/* --- asking the disk ------------------------------------------------------------------------- */

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           is_same_time(a->st_mtim, b->st_mtim) && is_same_time(a->st_ctim, b->st_ctim);
}

/* True if what was read before is still valid; it is trusted for another period. */
static bool renew(struct auth_files *files, struct auth_file *file, uint64_t now_ns)
{
    struct stat st;
    bool is_current = stat(file->path, &st) == 0;

    uv_mutex_lock(&files->lock);
    is_current = is_current && file->users && file->is_settled && is_unchanged(&st, &file->version);
    if (is_current) {
        file->looked_ns = now_ns;
        file->fresh_until_ns = now_ns + TRUST_NS;
        file->is_claimed = false;
    }
    uv_mutex_unlock(&files->lock);
    return is_current;
}

/* Takes over `users`. Returns the users it had before. */
static struct htpasswd *install(struct auth_file *file, struct htpasswd *users,
                                const struct stat *st, uint64_t now_ns)
{
    struct htpasswd *old = file->users;

    file->users = users;
    file->version = *st;
    file->is_settled = users && st->st_ctim.tv_sec + SETTLED_SECONDS <= wall_clock_seconds();
    file->was_looked_at = true;
    file->looked_ns = now_ns;
    file->fresh_until_ns = now_ns + (file->is_settled ? TRUST_NS : SHORT_TRUST_NS);
    file->is_claimed = false;
    return old;
}

/* Should its state be logged now? Once a minute while it is broken, and once when it has been
 * repaired. */
static bool is_news(struct auth_file *file, uint64_t now_ns)
{
    bool was_broken = file->warned_ns != 0;

    if (file->users) {
        file->warned_ns = 0;
        return was_broken;
    }
    if (was_broken && now_ns - file->warned_ns < WARN_EVERY_NS)
        return false;
    file->warned_ns = now_ns;
    return true;
}

static void say(const struct auth_file *file, int err, const struct htpasswd_problem *problem)
{
    if (!err)
        log_info("auth: %s can be used again", file->path);
    else if (problem->line)
        log_error("auth: nobody is let in by %s: line %" PRIu32 ": %s", file->path, problem->line,
                  problem->text);
    else
        log_error("auth: nobody is let in by %s: %s", file->path, problem->text);
}

void auth_file_look(struct auth_files *files, struct auth_file *file)
{
    struct htpasswd_problem problem;
    struct htpasswd *users = NULL, *old;
    struct stat st = {0};
    uint64_t now_ns = monotonic_ns();
    bool news;
    int err;

    if (renew(files, file, now_ns))
        return;
    err = htpasswd_read(&users, file->path, &st, &problem);
    uv_mutex_lock(&files->lock);
    old = install(file, users, &st, now_ns);
    news = is_news(file, now_ns);
    uv_mutex_unlock(&files->lock);
    htpasswd_put(old);
    if (news)
        say(file, err, &problem);
}
