/* SPDX-License-Identifier: MIT */
/* A manifest of anybody's: whatever is taken stays in its tree, in order, each path once, and it makes no
 * difference in which pieces it comes. */
#include "release/release_manifest.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct release_line line;

/* Walks there from the path's folder, step by step. */
static void check_target(const char *path, const char *target)
{
    int depth = 0;

    for (const char *at = path; *at; at++)
        depth += *at == '/';
    CHECK(target[0] != '/' && target[0] != '\0');
    for (const char *part = target; *part; part += strcspn(part, "/"), part += *part == '/') {
        depth += strncmp(part, "..", strcspn(part, "/")) == 0 && part[0] == '.' && part[1] == '.'
                     ? -1
                     : 1;
        CHECK(depth >= 0);
    }
}

static void check_path(const char *path, const char *before)
{
    char padded[RELEASE_PATH_LEN + 3];

    CHECK(path[0] != '\0' && strlen(path) <= RELEASE_PATH_LEN);
    snprintf(padded, sizeof(padded), "/%s/", path);
    CHECK(!strstr(padded, "//") && !strstr(padded, "/../") && !strstr(padded, "/./"));
    if (before[0]) {
        CHECK(release_path_compare(before, path) < 0);
        CHECK(strncmp(path, before, strlen(before)) != 0 || path[strlen(before)] != '/');
    }
}

/* Returns how many lines were taken; the number is negative if it ended badly. */
static int64_t read_in_pieces(const uint8_t *data, size_t len, size_t piece)
{
    static char before[RELEASE_PATH_LEN + 1];
    struct release_manifest manifest;
    enum release_read read = RELEASE_MORE;
    int64_t count = 0;

    before[0] = '\0';
    release_manifest_init(&manifest);
    for (size_t at = 0; at < len && read != RELEASE_BAD; at += piece) {
        struct span rest = {(const char *)data + at, smaller_of(piece, len - at)};

        while ((read = release_manifest_next(&manifest, &rest, &line)) == RELEASE_LINE) {
            check_path(line.path, before);
            if (line.is_link)
                check_target(line.path, line.target);
            else
                CHECK(release_is_sha256(line.sha256));
            memcpy(before, line.path, sizeof(before));
            count++;
        }
        CHECK(read == RELEASE_BAD || rest.len == 0);
    }
    if (read != RELEASE_BAD)
        read = release_manifest_end(&manifest);
    CHECK(read != RELEASE_BAD || manifest.why[0] != '\0');
    release_manifest_fini(&manifest);
    return read == RELEASE_BAD ? -count - 1 : count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    CHECK(read_in_pieces(data, len, len + 1) == read_in_pieces(data, len, 7));
    return 0;
}
