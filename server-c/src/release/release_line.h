/* SPDX-License-Identifier: MIT */
/* release_line.h — one line of a release's manifest: a file or a link (docs/releases.md).
 *
 * The control plane has looked at all of it, and nothing of it is believed here: what this lets through can be
 * made below a folder without leaving it. Pure: any thread. */
#ifndef FARMSTEAD_RELEASE_LINE_H
#define FARMSTEAD_RELEASE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The same as in the control plane (control-api/src/release-store/entries.ts). */
#define RELEASE_LINE_BYTES (64u << 10) /* without the newline */
#define RELEASE_PATH_LEN 4095
#define RELEASE_PART_LEN 255
#define RELEASE_PARTS 100
#define RELEASE_SHA256_LEN 64

struct release_line {
    bool is_link;
    char path[RELEASE_PATH_LEN + 1];
    char target[RELEASE_PATH_LEN + 1];   /* of a link */
    char sha256[RELEASE_SHA256_LEN + 1]; /* of a file, as size */
    uint64_t size;
};

/* Takes a line without its newline. NULL: it is good; else what is wrong, as the end of a sentence. Lines
 * are taken in one form only, that of RFC 8785. */
const char *release_line_read(struct release_line *out, const char *line, size_t len);

/* Negative: `a` is before `b` in the order of a walk, which is that of bytes, with "/" before all others. */
int release_path_compare(const char *a, const char *b);

bool release_is_sha256(const char *text);

/* NULL: a line may have that path; else what is wrong, as the end of a sentence. */
const char *release_path_fault(const char *path);

#endif
