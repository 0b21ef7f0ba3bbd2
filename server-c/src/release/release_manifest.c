/* SPDX-License-Identifier: MIT */
/* release_manifest.c — what cannot be in one tree together stands in adjacent lines, thanks to their
 * order: a path twice, and a file where another path has a folder. */
#include "release/release_manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void release_manifest_init(struct release_manifest *manifest)
{
    memset(manifest, 0, sizeof(*manifest));
    buf_init(&manifest->begun);
}

void release_manifest_fini(struct release_manifest *manifest)
{
    buf_fini(&manifest->begun);
}

/* Paths may have any character: only those that are safe in a line of a log are quoted. */
static enum release_read fail(struct release_manifest *manifest, const char *path, const char *what)
{
    int len = snprintf(manifest->why, sizeof(manifest->why), "line %" PRIu64 " of the manifest",
                       manifest->lines);

    if (path && path[0])
        len += snprintf(manifest->why + len, sizeof(manifest->why) - (size_t)len, " (\"%.200s\")",
                        path);
    snprintf(manifest->why + len, sizeof(manifest->why) - (size_t)len, " %s", what);
    for (char *c = manifest->why; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return RELEASE_BAD;
}

static const char *fault_of_order(const char *before, const char *path)
{
    size_t len = strlen(before);
    int order = release_path_compare(before, path);

    if (order == 0)
        return "is there twice";
    if (order > 0)
        return "comes after a path that is to follow it";
    if (strncmp(path, before, len) == 0 && path[len] == '/')
        return "is in a folder of the name of the file or link before it";
    return NULL;
}

static enum release_read take(struct release_manifest *manifest, const char *line, size_t len,
                              struct release_line *out)
{
    const char *wrong;

    if (++manifest->lines > RELEASE_LINES_MAX)
        return fail(manifest, NULL, "is one more than the 1,000,000 that a node takes");
    if (len > RELEASE_LINE_BYTES)
        return fail(manifest, NULL, "is longer than 64 KiB");
    wrong = release_line_read(out, line, len);
    if (!wrong && manifest->lines > 1)
        wrong = fault_of_order(manifest->previous, out->path);
    if (wrong)
        return fail(manifest, out->path, wrong);
    memcpy(manifest->previous, out->path, strlen(out->path) + 1);
    return RELEASE_LINE;
}

enum release_read release_manifest_next(struct release_manifest *manifest, struct span *bytes,
                                        struct release_line *out)
{
    const char *end = memchr(bytes->ptr, '\n', bytes->len);
    size_t len = end ? (size_t)(end - bytes->ptr) : bytes->len;
    struct span line = {bytes->ptr, len};
    enum release_read read;

    if (manifest->begun.len > 0 || !end) {
        if (manifest->begun.len + len > RELEASE_LINE_BYTES) {
            manifest->lines++;
            return fail(manifest, NULL, "is longer than 64 KiB");
        }
        buf_append(&manifest->begun, bytes->ptr, len);
        line = (struct span){manifest->begun.data, manifest->begun.len};
    }
    *bytes = (struct span){bytes->ptr + len + (end != NULL), bytes->len - len - (end != NULL)};
    if (!end)
        return RELEASE_MORE;
    read = take(manifest, line.ptr, line.len, out);
    buf_clear(&manifest->begun);
    return read;
}

enum release_read release_manifest_end(struct release_manifest *manifest)
{
    if (manifest->begun.len == 0)
        return RELEASE_MORE;
    manifest->lines++;
    return fail(manifest, NULL, "does not end with a newline");
}
