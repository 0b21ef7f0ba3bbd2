/* SPDX-License-Identifier: MIT */
/* release_build.c — first the whole manifest is looked at, then what is lacking is got, then each of its lines becomes a
 * name. */
#include "release/release_build_parts.h"

#include "base/mem.h"
#include "release/release_scrub.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (64u << 10)

/* --- what is said --- */

void release_build_say(struct build *build, uint64_t files, uint64_t bytes)
{
    pthread_mutex_lock(&build->progress->lock);
    build->progress->files_done += files;
    build->progress->bytes_done += bytes;
    pthread_mutex_unlock(&build->progress->lock);
}

void release_build_begin_progress(struct release_progress *progress, const char *manifest)
{
    pthread_mutex_lock(&progress->lock);
    snprintf(progress->manifest, sizeof(progress->manifest), "%s", manifest);
    progress->files = progress->files_done = progress->bytes = progress->bytes_done = 0;
    pthread_mutex_unlock(&progress->lock);
}

enum release_end release_build_fail_disk(struct build *build, const char *what)
{
    int err = errno;

    if (atomic_load(build->store->stopping))
        return RELEASE_STOPPED;
    if (err == ENOSPC || err == EDQUOT)
        snprintf(build->why, RELEASE_WHY_LEN, "%.200s: the state folder's disk is full", what);
    else
        snprintf(build->why, RELEASE_WHY_LEN, "%.200s: the disk of the state folder: %s", what,
                 strerror(err));
    return RELEASE_NO_ROOM;
}

/* --- the manifest --- */

static int open_manifest(struct build *build)
{
    char name[RELEASE_CONTENT_LEN + 1];

    release_content_name(name, build->manifest, "");
    return openat(build->store->contents_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* Calls `look` with each line, which it finds in build->line. */
static enum release_end read_manifest(struct build *build,
                                      enum release_end (*look)(struct build *build))
{
    struct release_manifest manifest;
    enum release_end end = RELEASE_STANDS;
    enum release_read read_as = RELEASE_MORE;
    char *bytes = xmalloc(READ_BYTES);
    int fd = open_manifest(build);
    ssize_t got = fd < 0 ? -1 : 1;

    release_manifest_init(&manifest);
    while (end == RELEASE_STANDS && read_as != RELEASE_BAD &&
           (got = fd < 0 ? -1 : read(fd, bytes, READ_BYTES)) > 0) {
        struct span rest = {bytes, (size_t)got};

        while (end == RELEASE_STANDS &&
               (read_as = release_manifest_next(&manifest, &rest, &build->line)) == RELEASE_LINE)
            end = atomic_load(build->store->stopping) ? RELEASE_STOPPED : look(build);
    }
    if (end == RELEASE_STANDS && got < 0)
        end = release_build_fail_disk(build, "the manifest");
    else if (end == RELEASE_STANDS &&
             (read_as == RELEASE_BAD || release_manifest_end(&manifest) == RELEASE_BAD)) {
        snprintf(build->why, RELEASE_WHY_LEN, "%s", manifest.why);
        end = RELEASE_WRONG;
    }
    release_manifest_fini(&manifest);
    if (fd >= 0)
        close(fd);
    free(bytes);
    return end;
}

static void count_manifest(struct build *build)
{
    int64_t size = release_store_size(build->store, build->manifest);

    pthread_mutex_lock(&build->progress->lock);
    build->progress->bytes = build->progress->bytes_done = size > 0 ? (uint64_t)size : 0;
    pthread_mutex_unlock(&build->progress->lock);
}

static enum release_end count_line(struct build *build)
{
    pthread_mutex_lock(&build->progress->lock);
    build->progress->files++;
    build->progress->bytes += build->line.size;
    pthread_mutex_unlock(&build->progress->lock);
    return RELEASE_STANDS;
}

/* --- what is lacking --- */

static void forget_wants(struct build *build)
{
    while (build->want_count > 0)
        free(build->wants[--build->want_count].path);
    build->want_bytes = 0;
}

static enum release_end fetch_wants(struct build *build)
{
    struct want *wants = build->wants;
    enum release_end end = RELEASE_STANDS;

    if (build->want_count == 0)
        return RELEASE_STANDS;
    if (release_store_room(build->store, build->want_bytes, build->why, RELEASE_WHY_LEN) != 0)
        return RELEASE_NO_ROOM;
    for (size_t i = 0, count; i < build->want_count && end == RELEASE_STANDS; i += count) {
        uint64_t bytes = wants[i].size;

        for (count = 1; i + count < build->want_count; count++) {
            if (bytes + wants[i + count].size > RELEASE_BATCH_BYTES)
                break;
            bytes += wants[i + count].size;
        }
        end = release_fetch_contents(build, wants + i, count);
    }
    forget_wants(build);
    return end;
}

/* NULL: it is not wanted yet. */
static const struct want *find_want(const struct build *build, const char *sha256)
{
    for (size_t i = 0; i < build->want_count; i++)
        if (strcmp(build->wants[i].sha256, sha256) == 0)
            return &build->wants[i];
    return NULL;
}

/* The size that the content has, or will have; -1: it is not here, and not wanted yet. Either the manifest lies about
 * the size, or the disk has lost bytes: then it is as if the content were not here. */
static int64_t known_size(const struct build *build, const struct release_line *line)
{
    const struct want *want = find_want(build, line->sha256);
    int64_t size = want ? (int64_t)want->size : release_store_size(build->store, line->sha256);

    if (!want && size >= 0 && (uint64_t)size != line->size &&
        release_scrub_one(build->store, line->sha256))
        return -1;
    return size;
}

static enum release_end want_line(struct build *build)
{
    const struct release_line *line = &build->line;
    struct want *want = &build->wants[build->want_count];
    int64_t size;

    if (line->is_link)
        return RELEASE_STANDS;
    size = known_size(build, line);
    if (size >= 0 && (uint64_t)size != line->size) {
        snprintf(build->why, RELEASE_WHY_LEN,
                 "%.200s: the content of that SHA-256 has %" PRId64 " bytes, not %" PRIu64,
                 line->path, size, line->size);
        return RELEASE_WRONG;
    }
    if (size >= 0) {
        release_build_say(build, 0, line->size);
        return RELEASE_STANDS;
    }
    memcpy(want->sha256, line->sha256, sizeof(want->sha256));
    want->path = xstrdup(line->path);
    want->size = line->size;
    build->want_count++;
    build->want_bytes += line->size;
    return build->want_count == RELEASE_BATCH_COUNT || build->want_bytes >= RELEASE_BATCH_BYTES
               ? fetch_wants(build)
               : RELEASE_STANDS;
}

/* From all over the manifest as many at a time as a request may be for: of most versions hardly a line lacks
 * anything. */
static enum release_end fetch_lacking(struct build *build)
{
    enum release_end end = read_manifest(build, want_line);

    return end == RELEASE_STANDS ? fetch_wants(build) : end;
}

/* --- the tree --- */

static enum release_end place_line(struct build *build)
{
    if (release_tree_add(&build->tree, build->store, &build->line) != 0)
        return release_build_fail_disk(build, build->line.path);
    release_build_say(build, 1, 0);
    return RELEASE_STANDS;
}

static enum release_end make_tree(struct build *build)
{
    enum release_end end;

    if (release_tree_begin(&build->tree, build->store, build->manifest) != 0)
        return release_build_fail_disk(build, "the tree");
    end = read_manifest(build, place_line);
    if (end == RELEASE_STANDS && release_tree_end(&build->tree, build->store) != 0)
        end = release_build_fail_disk(build, "the tree");
    release_tree_drop(&build->tree, build->store);
    return end;
}

enum release_end release_build(struct release_store *store, const struct release_source *source,
                               const char *manifest, const char *base,
                               struct release_progress *progress, char why[RELEASE_WHY_LEN])
{
    enum release_end end;

    why[0] = '\0';
    if (release_store_has_tree(store, manifest))
        return RELEASE_STANDS;
    struct build build = {.store = store,
                          .source = source,
                          .progress = progress,
                          .why = why,
                          .manifest = manifest,
                          .base = base,
                          .wants = xcalloc(RELEASE_BATCH_COUNT, sizeof(*build.wants)),
                          .ended = xcalloc(RELEASE_BATCH_COUNT, sizeof(*build.ended)),
                          .content = {.fd = -1}};
    release_build_begin_progress(progress, manifest);
    end = release_fetch_manifest(&build);
    if (end == RELEASE_STANDS)
        count_manifest(&build);
    if (end == RELEASE_STANDS)
        end = read_manifest(&build, count_line);
    if (end == RELEASE_STANDS)
        end = fetch_lacking(&build);
    if (end == RELEASE_STANDS)
        end = make_tree(&build);
    if (end == RELEASE_STOPPED)
        snprintf(why, RELEASE_WHY_LEN, "the node stops");
    release_build_begin_progress(progress, "");
    forget_wants(&build);
    free(build.wants);
    free(build.ended);
    return end;
}
