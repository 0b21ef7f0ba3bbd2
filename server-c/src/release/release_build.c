/* SPDX-License-Identifier: MIT */
/* release_build.c — first the whole manifest is looked at, then each of its lines becomes a name. */
#include "release/release_build.h"

#include "base/mem.h"
#include "release/release_content.h"
#include "release/release_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (64u << 10)
#define FAILURES_MAX 6 /* tries in a row that brought nothing */

struct want {
    char sha256[RELEASE_SHA256_LEN + 1];
    uint64_t size;
    const char *path; /* of a line that has it */
};

struct build {
    struct release_store *store;
    const struct release_source *source;
    struct release_progress *progress;
    char *why;
    const char *manifest;
    struct release_tree tree;

    struct release_line *lines; /* of the batch */
    size_t line_count;
    struct want *wants; /* what its lines lack, each once */
    size_t want_count;
    uint64_t want_bytes;

    /* Of the contents that are coming. */
    struct release_content content;
    const struct want *coming;
    size_t coming_count, coming_at;
    char (*ended)[RELEASE_SHA256_LEN + 1];
    size_t ended_count;
    enum release_end end; /* why no more is taken; RELEASE_STANDS: all is well */
    char said
        [RELEASE_WHY_LEN]; /* by the source, which counts only if we have no reason of our own */
};

/* --- what is said --- */

static void say_progress(struct build *build, uint64_t files, uint64_t bytes)
{
    pthread_mutex_lock(&build->progress->lock);
    build->progress->files_done += files;
    build->progress->bytes_done += bytes;
    pthread_mutex_unlock(&build->progress->lock);
}

static void begin_progress(struct release_progress *progress, const char *manifest)
{
    pthread_mutex_lock(&progress->lock);
    snprintf(progress->manifest, sizeof(progress->manifest), "%s", manifest);
    progress->files = progress->files_done = progress->bytes = progress->bytes_done = 0;
    pthread_mutex_unlock(&progress->lock);
}

static enum release_end fail_disk(struct build *build, const char *what)
{
    int err = errno;

    if (err == ENOSPC || err == EDQUOT)
        snprintf(build->why, RELEASE_WHY_LEN, "%.200s: the state folder's disk is full", what);
    else
        snprintf(build->why, RELEASE_WHY_LEN, "%.200s: the disk of the state folder: %s", what,
                 strerror(err));
    return RELEASE_NO_ROOM;
}

static enum release_end fail_content(struct build *build, const char *path)
{
    snprintf(build->why, RELEASE_WHY_LEN,
             "%.200s: the bytes that came have another SHA-256 than was named", path);
    return RELEASE_WRONG;
}

/* --- contents --- */

/* Ends each content of which all bytes have come, and begins the next. */
static bool step(struct build *build)
{
    while (build->coming_at < build->coming_count) {
        const struct want *want = &build->coming[build->coming_at];

        if (build->content.fd < 0 &&
            release_content_begin(&build->content, build->store, want->sha256, want->size) != 0) {
            build->end = fail_disk(build, want->path);
            return false;
        }
        if (build->content.done < want->size)
            return true;
        if (!release_content_end(&build->content, build->store)) {
            build->end = fail_content(build, want->path);
            return false;
        }
        memcpy(build->ended[build->ended_count++], want->sha256, RELEASE_SHA256_LEN + 1);
        build->coming_at++;
    }
    return true;
}

static bool take_contents(void *arg, const char *bytes, size_t len)
{
    struct build *build = arg;

    while (len > 0) {
        const struct want *want = &build->coming[build->coming_at];
        size_t part;

        if (build->coming_at == build->coming_count) {
            snprintf(build->why, RELEASE_WHY_LEN, "more bytes came than were asked for");
            build->end = RELEASE_WRONG;
            return false;
        }
        part = (size_t)smaller_of(want->size - build->content.done, len);
        if (release_content_put(&build->content, bytes, part) != 0) {
            build->end = fail_disk(build, want->path);
            return false;
        }
        say_progress(build, 0, part);
        bytes += part, len -= part;
        if (!step(build))
            return false;
    }
    return true;
}

static enum release_end publish(struct build *build)
{
    size_t count = build->ended_count;

    build->ended_count = 0;
    return release_content_publish(build->store, build->ended, count) == 0
               ? RELEASE_STANDS
               : fail_disk(build, "contents");
}

static enum release_end ask(struct build *build)
{
    const struct release_source *source = build->source;
    const struct want *first = &build->coming[build->coming_at];
    size_t count = build->coming_count - build->coming_at;
    char(*names)[RELEASE_SHA256_LEN + 1];
    enum release_end end;

    if (count == 1)
        return source->one(source->arg, false, first->sha256, build->content.done, take_contents,
                           build, build->said);
    /* What broke off in the middle begins anew: it is small. */
    say_progress(build, 0, 0 - build->content.done);
    release_content_drop(&build->content, build->store);
    names = xcalloc(count, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        memcpy(names[i], first[i].sha256, sizeof(*names));
    if (!step(build))
        end = build->end;
    else
        end = source->many(source->arg, names, count, take_contents, build, build->said);
    free(names);
    return end;
}

/* Gets these, whatever breaks off. */
static enum release_end get(struct build *build, const struct want *wants, size_t count)
{
    unsigned failures = 0;
    enum release_end end;

    build->coming = wants;
    build->coming_count = count;
    build->coming_at = 0;
    build->end = step(build) ? RELEASE_STANDS : build->end;
    while (build->end == RELEASE_STANDS && build->coming_at < count) {
        size_t at = build->coming_at;
        uint64_t done = build->content.done;

        end = ask(build);
        if (build->end != RELEASE_STANDS)
            break;
        snprintf(build->why, RELEASE_WHY_LEN, "%s", build->said);
        if (end == RELEASE_WRONG || end == RELEASE_STOPPED) {
            build->end = end;
            break;
        }
        if (end == RELEASE_STANDS && build->coming_at < count) {
            snprintf(build->why, RELEASE_WHY_LEN, "fewer bytes came than were asked for");
            end = RELEASE_UNREACHED;
        }
        if (end == RELEASE_STANDS)
            continue;
        failures = build->coming_at > at || build->content.done > done ? 1 : failures + 1;
        if (failures > FAILURES_MAX)
            build->end = RELEASE_UNREACHED;
        else if (!build->source->pause(build->source->arg, failures))
            build->end = RELEASE_STOPPED;
    }
    release_content_drop(&build->content, build->store);
    end = publish(build); /* what came whole is kept, however this ends */
    return build->end == RELEASE_STANDS ? end : build->end;
}

/* --- the manifest --- */

static bool take_manifest(void *arg, const char *bytes, size_t len)
{
    struct build *build = arg;

    if (release_content_put(&build->content, bytes, len) == 0) {
        say_progress(build, 0, len);
        return true;
    }
    if (errno == EFBIG) {
        snprintf(build->why, RELEASE_WHY_LEN, "the manifest is longer than 2 GiB");
        build->end = RELEASE_WRONG;
    } else {
        build->end = fail_disk(build, "the manifest");
    }
    return false;
}

static enum release_end get_manifest(struct build *build)
{
    const struct release_source *source = build->source;
    unsigned failures = 0;

    if (release_store_size(build->store, build->manifest) >= 0)
        return RELEASE_STANDS;
    if (release_store_room(build->store, 0, build->why, RELEASE_WHY_LEN) != 0)
        return RELEASE_NO_ROOM;
    build->end = RELEASE_STANDS;
    if (release_content_begin(&build->content, build->store, build->manifest,
                              RELEASE_MANIFEST_BYTES) != 0)
        return fail_disk(build, "the manifest");
    for (;;) {
        uint64_t done = build->content.done;
        enum release_end end = source->one(source->arg, true, build->manifest, done, take_manifest,
                                           build, build->said);

        if (build->end == RELEASE_STANDS)
            snprintf(build->why, RELEASE_WHY_LEN, "%s", build->said);
        if (build->end == RELEASE_STANDS && end != RELEASE_UNREACHED)
            build->end = end;
        if (build->end != RELEASE_STANDS || end == RELEASE_STANDS)
            break;
        failures = build->content.done > done ? 1 : failures + 1;
        if (failures > FAILURES_MAX)
            build->end = RELEASE_UNREACHED;
        else if (!source->pause(source->arg, failures))
            build->end = RELEASE_STOPPED;
        if (build->end != RELEASE_STANDS)
            break;
    }
    if (build->end != RELEASE_STANDS) {
        release_content_drop(&build->content, build->store);
        return build->end;
    }
    if (!release_content_end(&build->content, build->store))
        return fail_content(build, "the manifest");
    memcpy(build->ended[build->ended_count++], build->manifest, RELEASE_SHA256_LEN + 1);
    return publish(build);
}

static int open_manifest(struct build *build)
{
    char name[RELEASE_CONTENT_LEN + 1];

    release_content_name(name, build->manifest, "");
    return openat(build->store->contents_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* Calls `look` with each line, which it finds in build->lines at line_count. */
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
               (read_as = release_manifest_next(&manifest, &rest,
                                                &build->lines[build->line_count])) == RELEASE_LINE)
            end = atomic_load(build->store->stopping) ? RELEASE_STOPPED : look(build);
    }
    if (end == RELEASE_STANDS && got < 0)
        end = fail_disk(build, "the manifest");
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
    build->progress->bytes += build->lines[0].size;
    pthread_mutex_unlock(&build->progress->lock);
    return RELEASE_STANDS;
}

/* --- the tree --- */

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
        end = get(build, wants + i, count);
    }
    return end;
}

static enum release_end flush(struct build *build)
{
    enum release_end end = fetch_wants(build);

    for (size_t i = 0; i < build->line_count && end == RELEASE_STANDS; i++)
        if (release_tree_add(&build->tree, build->store, &build->lines[i]) != 0)
            end = fail_disk(build, build->lines[i].path);
    if (end == RELEASE_STANDS)
        say_progress(build, build->line_count, 0);
    build->line_count = build->want_count = 0;
    build->want_bytes = 0;
    return end;
}

/* The size that the content has, or will have; -1: it is not here, and not wanted yet. */
static int64_t known_size(const struct build *build, const char *sha256)
{
    for (size_t i = 0; i < build->want_count; i++)
        if (strcmp(build->wants[i].sha256, sha256) == 0)
            return (int64_t)build->wants[i].size;
    return release_store_size(build->store, sha256);
}

static enum release_end place_line(struct build *build)
{
    const struct release_line *line = &build->lines[build->line_count++];

    if (!line->is_link) {
        int64_t size = known_size(build, line->sha256);

        if (size >= 0 && (uint64_t)size != line->size) {
            snprintf(build->why, RELEASE_WHY_LEN,
                     "%.200s: the content of that SHA-256 has %" PRId64 " bytes, not %" PRIu64,
                     line->path, size, line->size);
            return RELEASE_WRONG;
        }
        if (size < 0) {
            struct want *want = &build->wants[build->want_count++];
            memcpy(want->sha256, line->sha256, sizeof(want->sha256));
            want->size = line->size;
            want->path = line->path;
            build->want_bytes += line->size;
        } else {
            say_progress(build, 0, line->size);
        }
    }
    return build->line_count == RELEASE_BATCH_COUNT || build->want_bytes >= RELEASE_BATCH_BYTES
               ? flush(build)
               : RELEASE_STANDS;
}

static enum release_end make_tree(struct build *build)
{
    enum release_end end;

    if (release_tree_begin(&build->tree, build->store, build->manifest) != 0)
        return fail_disk(build, "the tree");
    end = read_manifest(build, place_line);
    if (end == RELEASE_STANDS)
        end = flush(build);
    if (end == RELEASE_STANDS && release_tree_end(&build->tree, build->store) != 0)
        end = fail_disk(build, "the tree");
    release_tree_drop(&build->tree, build->store);
    return end;
}

enum release_end release_build(struct release_store *store, const struct release_source *source,
                               const char *manifest, struct release_progress *progress,
                               char why[RELEASE_WHY_LEN])
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
                          .lines = xcalloc(RELEASE_BATCH_COUNT, sizeof(*build.lines)),
                          .wants = xcalloc(RELEASE_BATCH_COUNT, sizeof(*build.wants)),
                          .ended = xcalloc(RELEASE_BATCH_COUNT, sizeof(*build.ended)),
                          .content = {.fd = -1}};
    begin_progress(progress, manifest);
    end = get_manifest(&build);
    if (end == RELEASE_STANDS)
        count_manifest(&build);
    if (end == RELEASE_STANDS)
        end = read_manifest(&build, count_line);
    if (end == RELEASE_STANDS)
        end = make_tree(&build);
    if (end == RELEASE_STOPPED)
        snprintf(why, RELEASE_WHY_LEN, "the node stops");
    begin_progress(progress, "");
    free(build.lines);
    free(build.wants);
    free(build.ended);
    return end;
}
