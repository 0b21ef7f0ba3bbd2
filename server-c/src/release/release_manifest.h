/* SPDX-License-Identifier: MIT */
/* release_manifest.h — reads the lines of a manifest one after the other, from whatever pieces it comes
 * in: it keeps one line and one path. Pure: no I/O. One thread at a time. */
#ifndef FARMSTEAD_RELEASE_MANIFEST_H
#define FARMSTEAD_RELEASE_MANIFEST_H

#include "base/buf.h"
#include "base/util.h"
#include "release/release_line.h"

#define RELEASE_LINES_MAX 1000000u
#define RELEASE_WHY_LEN 512

enum release_read { RELEASE_LINE, RELEASE_MORE, RELEASE_BAD };

struct release_manifest {
    struct buf begun; /* a line whose end has not come */
    uint64_t lines;
    char previous[RELEASE_PATH_LEN + 1];
    char why[RELEASE_WHY_LEN]; /* after RELEASE_BAD */
};

void release_manifest_init(struct release_manifest *manifest);
void release_manifest_fini(struct release_manifest *manifest);

/* Takes the next line off the front of `bytes`. RELEASE_MORE: all of them are taken. RELEASE_BAD: this is no
 * manifest, and nothing more is to be read of it. */
enum release_read release_manifest_next(struct release_manifest *manifest, struct span *bytes,
                                        struct release_line *out);
/* Are there no more bytes? RELEASE_MORE: it was whole. */
enum release_read release_manifest_end(struct release_manifest *manifest);

#endif
