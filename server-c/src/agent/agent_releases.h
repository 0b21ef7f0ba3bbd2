/* SPDX-License-Identifier: MIT */
/* agent_releases.h — which versions of releases go with a config, as the control plane says it, and
 * how far fetching one is. Pure: no I/O, no clock. Any thread. */
#ifndef FARMSTEAD_AGENT_RELEASES_H
#define FARMSTEAD_AGENT_RELEASES_H

#include "agent/agent_json.h"
#include "config/config.h"

#include <stddef.h>
#include <stdint.h>

#define AGENT_RELEASES_MAX 1024
#define AGENT_RELEASE_NAME_LEN 63
#define AGENT_SHA256_LEN 64

struct agent_release {
    char name[AGENT_RELEASE_NAME_LEN + 1];
    uint64_t number;
    char manifest[AGENT_SHA256_LEN + 1]; /* its SHA-256, which is the name of a folder, too */
};

struct agent_releases {
    struct agent_release *items;
    size_t count;
};

/* Of the release that is being fetched. */
struct agent_fetching {
    char manifest[AGENT_SHA256_LEN + 1]; /* "": nothing is */
    uint64_t files, files_done, bytes, bytes_done;
};

/* Reads the member `releases`, if there is one. Nothing is to be freed after a failure. */
void agent_releases_read(struct agent_reader *outer, struct agent_releases *out);
json_t *agent_releases_json(const struct agent_releases *list);
json_t *agent_fetching_json(const struct agent_fetching *fetching);
void agent_releases_copy(struct agent_releases *to, const struct agent_releases *from);
void agent_releases_fini(struct agent_releases *list); /* leaves it empty */

/* NULL: it has none of that name. */
const struct agent_release *agent_releases_find(const struct agent_releases *list,
                                                const char *name);

#endif
