/* SPDX-License-Identifier: MIT */
/* named_files.c — finds the files that a config names, reads each according to its kind, and logs
 * when one can't be used or can be used again. */
#include "site/named_files.h"

#include "auth/secret_file.h"
#include "base/mem.h"
#include "base/util.h"
#include "log/log.h"

#include <string.h>

/* Within one tick of the clock a second change would look like the first. */
#define SETTLED_SECONDS 2

/* --- which files, and how they are read ------------------------------------------------------- */

static void read_key(struct named_file *file)
{
    struct secret secret;

    file->err = secret_file_read(&secret, file->path);
    if (!file->err) {
        file->is_exposed = secret.is_exposed;
        file->len = secret.len;
        file->bytes = xmalloc(secret.len);
        memcpy(file->bytes, secret.bytes, secret.len);
    }
    secret_wipe(&secret);
}

static const struct named_reader {
    void (*read)(struct named_file *file);
    const char *(*problem)(int err);
    /* What a file of this kind is called, and what it means if there is none. */
    const char *noun, *verdict;
} readers[] = {
    [NAMED_KEY] = {read_key, secret_file_problem, "secret file", "no signed URL is accepted"},
};

static void name(struct named_files *files, enum named_kind kind, const char *path)
{
    if (named_files_find(files, kind, path))
        return;
    files->items = xreallocarray(files->items, files->count + 1, sizeof(*files->items));
    files->items[files->count++] = (struct named_file){.kind = kind, .path = xstrdup(path)};
}

static void name_all(struct named_files *files, const struct config *cfg)
{
    *files = (struct named_files){0};
    for (size_t i = 0; i < cfg->site_count; i++)
        for (size_t j = 0; j < cfg->sites[i].signed_url_count; j++)
            name(files, NAMED_KEY, cfg->sites[i].signed_urls[j].secret_file);
}

/* --- a set ------------------------------------------------------------------------------------ */

const struct named_file *named_files_find(const struct named_files *files, enum named_kind kind,
                                          const char *path)
{
    for (size_t i = 0; files && i < files->count; i++)
        if (files->items[i].kind == kind && strcmp(files->items[i].path, path) == 0)
            return &files->items[i];
    return NULL;
}

static void copy_bytes(struct named_file *to, const struct named_file *from)
{
    to->len = from->len;
    to->bytes = xmalloc(from->len);
    if (from->len > 0)
        memcpy(to->bytes, from->bytes, from->len);
}

static void read_file(struct named_file *file, const struct named_file *before)
{
    readers[file->kind].read(file);
    if (file->err && before)
        copy_bytes(file, before);
}

void named_files_read(struct named_files *files, const struct config *cfg,
                      const struct named_files *previous)
{
    name_all(files, cfg);
    for (size_t i = 0; i < files->count; i++) {
        struct named_file *file = &files->items[i];
        read_file(file, named_files_find(previous, file->kind, file->path));
    }
}

void named_files_fini(struct named_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct named_file *file = &files->items[i];
        if (file->bytes)
            explicit_bzero(file->bytes, file->len);
        free(file->bytes);
        free(file->path);
    }
    free(files->items);
    *files = (struct named_files){0};
}

static bool has_same_bytes(const struct named_file *a, const struct named_file *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

bool named_files_equal(const struct named_files *a, const struct named_files *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].err != b->items[i].err ||
            a->items[i].is_exposed != b->items[i].is_exposed ||
            !has_same_bytes(&a->items[i], &b->items[i]))
            return false;
    return true;
}

size_t named_files_unusable(const struct named_files *files)
{
    size_t count = 0;

    for (size_t i = 0; i < files->count; i++)
        count += files->items[i].err != 0;
    return count;
}

/* --- the log ---------------------------------------------------------------------------------- */

static void say_unusable(const struct named_file *file)
{
    const struct named_reader *reader = &readers[file->kind];
    const char *problem = reader->problem(file->err);

    if (file->len > 0)
        log_error("site: the %s \"%s\" %s; what was read of it before stays in force", reader->noun,
                  file->path, problem);
    else
        log_error("site: %s: the %s \"%s\" %s", reader->verdict, reader->noun, file->path, problem);
}

static void say_usable(const struct named_file *file, const struct named_file *before)
{
    const char *noun = readers[file->kind].noun;

    if (before && !has_same_bytes(file, before))
        log_info("site: the %s \"%s\" has changed: what is in it now is in force", noun,
                 file->path);
    else if (before && before->err)
        log_info("site: the %s \"%s\" can be used again, it has not changed", noun, file->path);
    if (file->is_exposed && (!before || !before->is_exposed))
        log_warn("site: every user of this machine may read the %s \"%s\"; chmod o-r would end "
                 "that",
                 noun, file->path);
}

void named_files_say(const struct named_files *files, const struct named_files *previous)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct named_file *file = &files->items[i];
        const struct named_file *before = named_files_find(previous, file->kind, file->path);

        if (!file->err)
            say_usable(file, before);
        else if (!before || before->err != file->err)
            say_unusable(file);
    }
}

/* --- the watch -------------------------------------------------------------------------------- */

void named_watch_init(struct named_watch *watch, const struct named_files *files)
{
    watch->count = files->count;
    watch->stamps = xcalloc(files->count, sizeof(*watch->stamps));
}

void named_watch_fini(struct named_watch *watch)
{
    free(watch->stamps);
    *watch = (struct named_watch){0};
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           is_same_time(a->st_mtim, b->st_mtim) && is_same_time(a->st_ctim, b->st_ctim);
}

/* Returns true if the file has to be read now. */
static bool look(struct named_stamp *stamp, const char *path)
{
    struct stat now;

    if (stat(path, &now) != 0)
        memset(&now, 0, sizeof(now));
    if (is_unchanged(&now, &stamp->st))
        return stamp->is_due;
    stamp->st = now;
    stamp->is_due = true;
    return false;
}

static void copy_or_read(struct named_file *to, const struct named_file *from,
                         struct named_stamp *stamp)
{
    *to = (struct named_file){.kind = from->kind, .path = xstrdup(from->path)};
    if (look(stamp, from->path)) {
        read_file(to, from);
        stamp->is_due =
            to->err || stamp->st.st_ctim.tv_sec + SETTLED_SECONDS > wall_clock_seconds();
        return;
    }
    to->err = from->err;
    to->is_exposed = from->is_exposed;
    copy_bytes(to, from);
}

bool named_watch_look(struct named_watch *watch, const struct named_files *files,
                      struct named_files *next)
{
    CHECK(watch->count == files->count);
    *next = (struct named_files){xcalloc(files->count, sizeof(*next->items)), files->count};
    for (size_t i = 0; i < files->count; i++)
        copy_or_read(&next->items[i], &files->items[i], &watch->stamps[i]);
    if (!named_files_equal(files, next))
        return true;
    named_files_fini(next);
    return false;
}
