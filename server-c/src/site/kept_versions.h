/* SPDX-License-Identifier: MIT */
/* kept_versions.h — the versions of releases that stand on this node's disk, whether they are served or not,
 * and how often a file of each was sent in place of one that the served version does not have
 * (sites[].releaseFallback).
 *
 * A list is immutable but for the counts, which the next list takes over, and has a count of references. */
#ifndef FARMSTEAD_KEPT_VERSIONS_H
#define FARMSTEAD_KEPT_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEPT_RELEASE_NAME_LEN 63
#define KEPT_HOST_LEN 253
#define KEPT_SHA256_LEN 64

struct kept_count;

/* The name of its own under which a version can be looked at by who has the key (site_preview.h). */
struct kept_preview {
    char host[KEPT_HOST_LEN + 1]; /* lower case; "": there is none */
    char key_sha256[KEPT_SHA256_LEN + 1];
};

struct kept_version {
    char release[KEPT_RELEASE_NAME_LEN + 1];
    uint64_t number;
    char *folder; /* an absolute path; there may be none any more */
    struct kept_count *count;
    struct kept_preview preview;
};

struct kept_versions {
    _Atomic uint32_t refs;
    struct kept_version *items; /* in the order in which they are to be looked at */
    size_t count;
};

/* What a list is made of. */
struct kept_version_said {
    const char *release, *folder;
    uint64_t number;
    const struct kept_preview *preview; /* NULL: none */
};
/* `previous` may be NULL. */
struct kept_versions *kept_versions_new(const struct kept_version_said *said, size_t count,
                                        const struct kept_versions *previous);
/* NULL is an empty list. */
bool kept_versions_are(const struct kept_versions *list, const struct kept_version_said *said,
                       size_t count);
/* How many of them can be looked at under a name of their own. NULL is an empty list. */
size_t kept_versions_previews(const struct kept_versions *list);
/* Any thread; NULL is allowed. */
struct kept_versions *kept_versions_get(struct kept_versions *list);
void kept_versions_put(struct kept_versions *list);

/* A file of it was sent. Any thread, as the next one. */
void kept_version_count(const struct kept_version *version, uint64_t unix_ms);
struct kept_asked {
    uint64_t requests;
    uint64_t last_unix_ms; /* 0: there was none */
};
struct kept_asked kept_version_asked(const struct kept_version *version);

#endif
