/* SPDX-License-Identifier: MIT */
/* release_build_parts.h — what release_build.c (from a manifest to a tree), release_fetch.c and
 * release_fetch_manifest.c (what comes from the source) share. Nobody else includes this. */
#ifndef FARMSTEAD_RELEASE_BUILD_PARTS_H
#define FARMSTEAD_RELEASE_BUILD_PARTS_H

#include "release/release_build.h"
#include "release/release_content.h"
#include "release/release_tree.h"

#define RELEASE_FAILURES_MAX 6 /* tries in a row that brought nothing */

struct want {
    char sha256[RELEASE_SHA256_LEN + 1];
    uint64_t size;
    char *path; /* of a line that has it */
};

struct build {
    struct release_store *store;
    const struct release_source *source;
    struct release_progress *progress;
    char *why;
    const char *manifest;
    const char *base; /* an earlier manifest that is here; NULL: none is */
    struct release_tree tree;

    struct release_line line; /* the one that was read last */
    struct want *wants;       /* what is lacking, each once */
    size_t want_count;
    uint64_t want_bytes;

    /* Of the contents that are coming. */
    struct release_content content;
    const struct want *coming;
    size_t coming_count, coming_at;
    char (*ended)[RELEASE_SHA256_LEN + 1];
    size_t ended_count;
    bool begins_anew;     /* what came was wrong, and somebody else is to give it */
    enum release_end end; /* why no more is taken; RELEASE_STANDS: all is well */
    char said
        [RELEASE_WHY_LEN]; /* by the source, which counts only if we have no reason of our own */
};

/* --- release_build.c --- */
void release_build_say(struct build *build, uint64_t files, uint64_t bytes);
void release_build_begin_progress(struct release_progress *progress, const char *manifest);
/* The disk has failed with errno. */
enum release_end release_build_fail_disk(struct build *build, const char *what);

/* --- release_fetch.c --- */
/* Gets these, whatever breaks off. */
enum release_end release_fetch_contents(struct build *build, const struct want *wants,
                                        size_t count);
/* The bytes that came of it have another digest than was named. */
enum release_end release_fetch_fail(struct build *build, const char *path);
/* Gives what came whole its name. */
enum release_end release_fetch_publish(struct build *build);
/* What came of a large one stays for the next try, unless that cannot do better. */
void release_fetch_leave(struct build *build);

/* --- release_fetch_manifest.c --- */
/* Gets the manifest, if it is not here. */
enum release_end release_fetch_manifest(struct build *build);

#endif
