/* SPDX-License-Identifier: MIT */
/* site_dictionaries.c — looks through the folder of each pattern in each version of the release, the one that is served
 * first. Contents that versions share are one file, whose hash the table of contents has. */
#include "site/site_dictionaries.h"

#include "base/buf.h"
#include "base/mem.h"
#include "files/confined_open.h"
#include "files/content_hash.h"
#include "site/site_policy.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum state { UNKNOWN, LOADING, KNOWN };

struct pattern {
    struct http_dictionary_pattern text;
    char *line; /* of the head */
    struct copy_dictionary items[SITE_DICTIONARIES_MAX];
    size_t count;
};

struct site_dictionaries {
    const struct config_site *cfg;
    const struct site_copies *copies;
    const char **folders; /* of the versions */
    size_t folder_count;
    size_t pattern_count, most_len;
    _Atomic int state; /* what is in `patterns[].items` is read only when it is KNOWN */
    struct pattern patterns[];
};

/* --- prepared with the site ------------------------------------------------------------------ */

static void add_folder(struct site_dictionaries *dictionaries, const char *folder)
{
    for (size_t i = 0; i < dictionaries->folder_count; i++)
        if (strcmp(dictionaries->folders[i], folder) == 0)
            return;
    dictionaries->folders[dictionaries->folder_count++] = folder;
}

static void add_folders(struct site_dictionaries *dictionaries,
                        const struct kept_versions *versions)
{
    const struct config_site *cfg = dictionaries->cfg;
    size_t count = versions ? versions->count : 0;

    dictionaries->folders = xcalloc(count + 1, sizeof(*dictionaries->folders));
    add_folder(dictionaries, cfg->root);
    for (size_t i = 0; i < count; i++)
        if (strcmp(versions->items[i].release, cfg->release) == 0)
            add_folder(dictionaries, versions->items[i].folder);
}

/* The pattern as a browser reads it (RFC 9842 section 2.1.1): its letters are such that "*" alone means anything. */
static void init_pattern(struct pattern *pattern, const char *text)
{
    struct buf line;

    CHECK(http_dictionary_pattern_read(&pattern->text, text)); /* config_rules_site.c has looked */
    buf_init(&line);
    buf_printf(&line, "Use-As-Dictionary: match=\"%s\"\r\n", text);
    pattern->line = buf_take(&line);
}

struct site_dictionaries *site_dictionaries_new(const struct config_site *cfg,
                                                const struct site_copies *copies,
                                                const struct kept_versions *versions)
{
    size_t count = cfg->release_dictionary_count;
    struct site_dictionaries *dictionaries;

    if (!copies || count == 0 || cfg->client_certificates.mode != CLIENT_CERTIFICATES_OFF)
        return NULL;
    dictionaries = xcalloc(1, sizeof(*dictionaries) + count * sizeof(dictionaries->patterns[0]));
    dictionaries->cfg = cfg;
    dictionaries->copies = copies;
    atomic_init(&dictionaries->state, UNKNOWN);
    add_folders(dictionaries, versions);
    for (; dictionaries->pattern_count < count; dictionaries->pattern_count++) {
        struct pattern *pattern = &dictionaries->patterns[dictionaries->pattern_count];
        init_pattern(pattern, cfg->release_dictionaries[dictionaries->pattern_count]);
        if (strlen(pattern->line) > dictionaries->most_len)
            dictionaries->most_len = strlen(pattern->line);
    }
    return dictionaries;
}

void site_dictionaries_free(struct site_dictionaries *dictionaries)
{
    if (!dictionaries)
        return;
    for (size_t p = 0; p < dictionaries->pattern_count; p++) {
        struct pattern *pattern = &dictionaries->patterns[p];
        for (size_t i = 0; i < pattern->count; i++)
            free(pattern->items[i].path);
        free(pattern->line);
    }
    free(dictionaries->folders);
    free(dictionaries);
}

uint8_t site_dictionaries_fit(const struct site_dictionaries *dictionaries, struct span path)
{
    for (size_t i = 0; i < dictionaries->pattern_count; i++)
        if (http_dictionary_pattern_fits(&dictionaries->patterns[i].text, path))
            return site_policy_guards(dictionaries->cfg, path) ? 0 : (uint8_t)(i + 1);
    return 0;
}

struct span site_dictionaries_line(const struct site_dictionaries *dictionaries, uint8_t pattern)
{
    const char *line = dictionaries->patterns[pattern - 1].line;

    return (struct span){line, strlen(line)};
}

size_t site_dictionaries_most_len(const struct site_dictionaries *dictionaries)
{
    return dictionaries ? dictionaries->most_len : 0;
}

/* --- asked for each request ------------------------------------------------------------------ */

bool site_dictionaries_are_known(const struct site_dictionaries *dictionaries)
{
    return atomic_load_explicit(&dictionaries->state, memory_order_acquire) == KNOWN;
}

static const struct copy_dictionary *find(const struct pattern *pattern, const unsigned char *hash)
{
    for (size_t i = 0; i < pattern->count; i++)
        if (memcmp(pattern->items[i].hash, hash, CODER_DICTIONARY_HASH_BYTES) == 0)
            return &pattern->items[i];
    return NULL;
}

const struct copy_dictionary *
site_dictionaries_find(const struct site_dictionaries *dictionaries, uint8_t pattern,
                       const unsigned char hash[CODER_DICTIONARY_HASH_BYTES], unsigned *index)
{
    const struct pattern *its = &dictionaries->patterns[pattern - 1];
    const struct copy_dictionary *found =
        site_dictionaries_are_known(dictionaries) ? find(its, hash) : NULL;

    if (found)
        *index = (unsigned)(found - its->items);
    return found;
}

/* --- finding out which there are ------------------------------------------------------------- */

bool site_dictionaries_begin(struct site_dictionaries *dictionaries)
{
    int unknown = UNKNOWN;

    return atomic_compare_exchange_strong(&dictionaries->state, &unknown, LOADING);
}

void site_dictionaries_give_up(struct site_dictionaries *dictionaries)
{
    atomic_store(&dictionaries->state, UNKNOWN);
}

/* Somebody else may be hashing the same file: then it is hashed twice. */
static bool hash_file(struct content_table *contents, struct checksum_store *checksums, int fd,
                      const struct stat *st, unsigned char hash[CODER_DICTIONARY_HASH_BYTES])
{
    struct content_work work = {.key = content_key_of(st), .fd = fd, .has_waited = true};
    bool is_ours;

    if (content_table_find(contents, &work.key, hash))
        return true;
    is_ours = content_table_begin(contents, &work);
    do {
        content_hash_make(contents, checksums, &work);
    } while (work.end == CONTENT_GOES_ON);
    if (is_ours)
        content_table_end(contents, &work);
    memcpy(hash, work.hash, CODER_DICTIONARY_HASH_BYTES);
    return work.end == CONTENT_HASHED;
}

struct loading {
    struct site_dictionaries *dictionaries;
    struct content_table *contents;
    struct checksum_store *checksums;
    struct pattern *pattern;
    const char *folder;
};

static void add_file(const struct loading *loading, int root, struct span path)
{
    struct pattern *pattern = loading->pattern;
    struct copy_dictionary *item = &pattern->items[pattern->count];
    const struct config *cfg = loading->dictionaries->copies->cfg;
    struct stat st;
    int fd = site_policy_guards(loading->dictionaries->cfg, path)
                 ? -1
                 : confined_open(root, path.ptr, SYMLINKS_NEVER, CONFINED_READ, &st);

    if (fd < 0)
        return;
    if (S_ISREG(st.st_mode) && st.st_size > 0 &&
        (uint64_t)st.st_size <= cfg->compression.max_file_bytes &&
        hash_file(loading->contents, loading->checksums, fd, &st, item->hash) &&
        !find(pattern, item->hash)) {
        item->folder = loading->folder;
        item->path = xstrndup(path.ptr, path.len);
        pattern->count++;
    }
    close(fd);
}

/* "/a/" of "/a/app.*.js" */
static char *folder_of(const struct pattern *pattern)
{
    struct span before = pattern->text.before;

    while (before.ptr[before.len - 1] != '/')
        before.len--;
    return xstrndup(before.ptr, before.len);
}

static void look_through(const struct loading *loading, int root, const char *within, DIR *names)
{
    struct dirent *entry;
    struct buf path;

    buf_init(&path);
    while (loading->pattern->count < SITE_DICTIONARIES_MAX && (entry = readdir(names)) != NULL) {
        struct span text;
        path.len = 0;
        buf_printf(&path, "%s%s", within, entry->d_name);
        text = (struct span){path.data, path.len};
        if (http_dictionary_pattern_fits(&loading->pattern->text, text))
            add_file(loading, root, text);
    }
    buf_fini(&path);
}

static void load_version(const struct loading *loading)
{
    char *within = folder_of(loading->pattern);
    struct stat st;
    int root = confined_root(loading->folder), folder = -1, fd = -1;
    DIR *names;

    if (root >= 0)
        folder = confined_open(root, within, SYMLINKS_NEVER, CONFINED_READ, &st);
    if (folder >= 0)
        fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    names = fd >= 0 ? fdopendir(fd) : NULL;
    if (names) {
        look_through(loading, root, within, names);
        closedir(names);
    } else if (fd >= 0) {
        close(fd);
    }
    if (folder >= 0)
        close(folder);
    if (root >= 0)
        close(root);
    free(within);
}

void site_dictionaries_load(struct site_dictionaries *dictionaries, struct content_table *contents,
                            struct checksum_store *checksums)
{
    for (size_t p = 0; p < dictionaries->pattern_count; p++)
        for (size_t f = 0; f < dictionaries->folder_count; f++)
            load_version(&(struct loading){dictionaries, contents, checksums,
                                           &dictionaries->patterns[p], dictionaries->folders[f]});
    atomic_store_explicit(&dictionaries->state, KNOWN, memory_order_release);
}
