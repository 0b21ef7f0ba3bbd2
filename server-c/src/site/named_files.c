/* SPDX-License-Identifier: MIT */
/* named_files.c — finds the files that a config names, reads each according to its kind, and logs
 * when one can't be used or can be used again. */
#include "site/named_files.h"

#include "auth/secret_file.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/util.h"
#include "log/log.h"
#include "site/certificate_files.h"
#include "site/redirect_file.h"

#include <inttypes.h>
#include <string.h>
#include <uv.h>

/* Within one tick of the clock a second change would look like the first. */
#define SETTLED_SECONDS 2
/* From here down errors are faults of certificates; the system's are far above. */
#define FAULT_BASE (-100000)

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

static void append(struct named_file *file, const struct certificate_file *read)
{
    file->bytes = xrealloc(file->bytes, file->len + read->len + 1);
    memcpy(file->bytes + file->len, read->bytes, read->len);
    file->len += read->len;
}

static void drop_bytes(struct named_file *file)
{
    if (file->bytes)
        explicit_bzero(file->bytes, file->len);
    free(file->bytes);
    file->bytes = NULL;
    file->len = file->chain_len = 0;
}

static void judge_certificate(struct named_file *file)
{
    struct tls_certificate *certificate =
        tls_certificate_read(named_file_chain(file), named_file_key(file), wall_clock_seconds());

    file->remark = tls_certificate_verdict(certificate);
    tls_certificate_free(certificate);
    if (!tls_fault_is_fatal(file->remark.fault))
        return;
    file->err = FAULT_BASE - (int)file->remark.fault;
    file->remark = (struct tls_verdict){.fault = TLS_FAULT_NONE};
    drop_bytes(file);
}

static void read_certificate(struct named_file *file)
{
    struct certificate_file chain, key;
    int err = certificate_file_read(&chain, file->path);

    file->remark.fault = TLS_FAULT_NONE;
    file->err = err ? err : certificate_file_read(&key, file->key_path);
    if (!file->err) {
        append(file, &chain);
        file->chain_len = chain.len;
        append(file, &key);
        file->is_exposed = key.is_exposed;
        judge_certificate(file);
        certificate_file_wipe(&key);
    }
    if (!err)
        certificate_file_wipe(&chain);
}

static void read_authorities(struct named_file *file)
{
    struct certificate_file read;
    enum tls_fault fault;
    uint32_t line;

    file->err = certificate_file_read(&read, file->path);
    if (file->err)
        return;
    fault = tls_authorities_check(certificate_file_span(&read), &line);
    if (fault == TLS_FAULT_NONE)
        append(file, &read);
    else
        file->err = FAULT_BASE - (int)fault;
    certificate_file_wipe(&read);
}

/* The first problem is enough for a log; `check` says the others. */
static void read_redirects(struct named_file *file)
{
    struct redirect_problems problems;
    struct buf wrong;

    file->err = redirect_file_read(&file->redirects, file->path, &problems);
    if (problems.count == 0)
        return;
    buf_init(&wrong);
    buf_printf(&wrong, "is wrong in line %" PRIu32 ", column %" PRIu32 ": %s",
               problems.items[0].line, problems.items[0].column, problems.items[0].text);
    file->wrong = buf_take(&wrong);
}

static const char *certificate_problem(int err)
{
    if (err <= FAULT_BASE)
        return tls_fault_sentence((enum tls_fault)(FAULT_BASE - err));
    return err == UV_EFBIG ? "is too long: 262144 bytes are the most" : secret_file_problem(err);
}

static const struct named_reader {
    void (*read)(struct named_file *file);
    const char *(*problem)(int err);
    /* What a file of this kind is called, and what it means if there is none. */
    const char *noun, *verdict;
} readers[] = {
    [NAMED_KEY] = {read_key, secret_file_problem, "secret file", "no signed URL is accepted"},
    [NAMED_CERTIFICATE] = {read_certificate, certificate_problem, "certificate",
                           "there is no HTTPS by it"},
    [NAMED_AUTHORITIES] = {read_authorities, certificate_problem, "file of authorities",
                           "no client's certificate is accepted"},
    [NAMED_REDIRECTS] = {read_redirects, redirect_file_problem, "file of redirects",
                         "nothing is redirected by it"},
};

static void name(struct named_files *files, enum named_kind kind, const char *path,
                 const char *key_path)
{
    if (named_files_find(files, kind, path, key_path))
        return;
    files->items = xreallocarray(files->items, files->count + 1, sizeof(*files->items));
    files->items[files->count++] =
        (struct named_file){.kind = kind,
                            .path = xstrdup(path),
                            .key_path = key_path ? xstrdup(key_path) : NULL,
                            .remark.fault = TLS_FAULT_NONE};
}

static void name_certificate(struct named_files *files, const struct config_certificate *cfg)
{
    struct certificate_paths paths;

    certificate_paths_of(&paths, cfg);
    name(files, NAMED_CERTIFICATE, paths.chain, paths.key);
    certificate_paths_fini(&paths);
}

void named_files_name(struct named_files *files, const struct config *cfg)
{
    *files = (struct named_files){0};
    for (size_t i = 0; i < cfg->site_count; i++) {
        const struct config_site *site = &cfg->sites[i];
        for (size_t j = 0; j < site->signed_url_count; j++)
            name(files, NAMED_KEY, site->signed_urls[j].secret_file, NULL);
        for (size_t j = 0; j < site->certificate_count; j++)
            name_certificate(files, &site->certificates[j]);
        if (site->client_certificates.mode != CLIENT_CERTIFICATES_OFF)
            name(files, NAMED_AUTHORITIES, site->client_certificates.ca_file, NULL);
        if (config_has_redirect_file(site))
            name(files, NAMED_REDIRECTS, site->redirect_file, NULL);
    }
}

/* --- a set ------------------------------------------------------------------------------------ */

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

const struct named_file *named_files_find(const struct named_files *files, enum named_kind kind,
                                          const char *path, const char *key_path)
{
    for (size_t i = 0; files && i < files->count; i++)
        if (files->items[i].kind == kind && strcmp(files->items[i].path, path) == 0 &&
            is_same_text(files->items[i].key_path, key_path))
            return &files->items[i];
    return NULL;
}

static void copy_bytes(struct named_file *to, const struct named_file *from)
{
    if (from->kind == NAMED_REDIRECTS)
        return;
    to->len = from->len;
    to->chain_len = from->chain_len;
    to->remark = from->remark;
    to->bytes = xmalloc(from->len);
    if (from->len > 0)
        memcpy(to->bytes, from->bytes, from->len);
}

static void read_file(struct named_file *file, const struct named_file *before)
{
    file->redirects = redirect_list_get(before ? before->redirects : NULL);
    readers[file->kind].read(file);
    if (file->err && before)
        copy_bytes(file, before);
}

void named_files_read(struct named_files *files, const struct config *cfg,
                      const struct named_files *previous)
{
    named_files_name(files, cfg);
    for (size_t i = 0; i < files->count; i++) {
        struct named_file *file = &files->items[i];
        read_file(file, named_files_find(previous, file->kind, file->path, file->key_path));
    }
}

void named_files_fini(struct named_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct named_file *file = &files->items[i];
        if (file->bytes)
            explicit_bzero(file->bytes, file->len);
        redirect_list_put(file->redirects);
        free(file->bytes);
        free(file->wrong);
        free(file->path);
        free(file->key_path);
    }
    free(files->items);
    *files = (struct named_files){0};
}

/* A list that is read again, and has not changed, is still the same one. */
static bool has_same_bytes(const struct named_file *a, const struct named_file *b)
{
    return a->redirects == b->redirects && a->len == b->len &&
           (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

bool named_files_equal(const struct named_files *a, const struct named_files *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].err != b->items[i].err ||
            !is_same_text(a->items[i].wrong, b->items[i].wrong) ||
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
    const char *problem = file->wrong ? file->wrong : reader->problem(file->err);

    if (file->len > 0 || file->redirects)
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
                 file->key_path ? "key" : noun, file->key_path ? file->key_path : file->path);
    if (file->remark.fault != TLS_FAULT_NONE &&
        (!before || before->remark.fault != file->remark.fault))
        log_warn("site: the %s \"%s\" %s (line %u); it is used all the same, but clients may "
                 "refuse it",
                 noun, file->path, tls_fault_sentence(file->remark.fault), file->remark.line);
}

void named_files_say(const struct named_files *files, const struct named_files *previous)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct named_file *file = &files->items[i];
        const struct named_file *before =
            named_files_find(previous, file->kind, file->path, file->key_path);

        if (!file->err)
            say_usable(file, before);
        else if (!before || before->err != file->err || !is_same_text(before->wrong, file->wrong))
            say_unusable(file);
    }
}

/* --- the watch -------------------------------------------------------------------------------- */

void named_watch_init(struct named_watch *watch, const struct named_files *files)
{
    watch->count = files->count;
    watch->stamps = xcalloc(files->count, sizeof(*watch->stamps));
    /* One that went away after it was read looks like one that has not been looked for. */
    for (size_t i = 0; i < files->count; i++)
        watch->stamps[i].is_due = true;
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

/* Notes the file's state. Returns true if it has changed. */
static bool has_changed(struct stat *seen, const char *path)
{
    struct stat now;

    if (!path || stat(path, &now) != 0)
        memset(&now, 0, sizeof(now));
    if (is_unchanged(&now, seen))
        return false;
    *seen = now;
    return true;
}

/* Returns true if the files have to be read now. */
static bool look(struct named_stamp *stamp, const struct named_file *file)
{
    bool is_new = has_changed(&stamp->st[0], file->path);

    if (has_changed(&stamp->st[1], file->key_path) || is_new) {
        stamp->is_due = true;
        return false;
    }
    return stamp->is_due;
}

static bool may_change_unseen(const struct stat *seen)
{
    return seen->st_ctim.tv_sec + SETTLED_SECONDS > wall_clock_seconds();
}

static void copy_or_read(struct named_file *to, const struct named_file *from,
                         struct named_stamp *stamp)
{
    *to = (struct named_file){.kind = from->kind,
                              .path = xstrdup(from->path),
                              .key_path = from->key_path ? xstrdup(from->key_path) : NULL,
                              .remark.fault = TLS_FAULT_NONE};
    if (look(stamp, from)) {
        read_file(to, from);
        /* A text that is wrong stays wrong until it changes; other errors may pass. */
        stamp->is_due = (to->err && !to->wrong) || may_change_unseen(&stamp->st[0]) ||
                        may_change_unseen(&stamp->st[1]);
        return;
    }
    to->err = from->err;
    to->wrong = from->wrong ? xstrdup(from->wrong) : NULL;
    to->redirects = redirect_list_get(from->redirects);
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
