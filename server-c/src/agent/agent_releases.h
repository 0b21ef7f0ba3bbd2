/* SPDX-License-Identifier: MIT */
/* agent_releases.h — which versions of releases go with a config, as the control plane says it, and
 * how far fetching one is. Pure: no I/O, no clock. Any thread. */
#ifndef FARMSTEAD_AGENT_RELEASES_H
#define FARMSTEAD_AGENT_RELEASES_H

#include "agent/agent_json.h"
#include "config/config.h"

#include <stdbool.h>
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

/* Reads the member `releases`, if there is one. Nothing is to be freed after a failure. A history has names
 * more than once, in any order. */
void agent_releases_read_history(struct agent_reader *outer, struct agent_releases *out);
void agent_releases_read(struct agent_reader *outer, struct agent_releases *out);
/* The member `ahead`: several versions of a name, sorted by name, then number. */
void agent_releases_read_ahead(struct agent_reader *outer, size_t most, struct agent_releases *out);
json_t *agent_releases_json(const struct agent_releases *list);
json_t *agent_fetching_json(const struct agent_fetching *fetching);
void agent_releases_copy(struct agent_releases *to, const struct agent_releases *from);
void agent_releases_fini(struct agent_releases *list); /* leaves it empty */

/* Adds those of `more` that are not in `to`. */
void agent_releases_add(struct agent_releases *to, const struct agent_releases *more);
/* Where its tree is. The caller frees it. */
char *agent_releases_folder(const struct agent_release *release);

/* NULL: it has none of that name. */
const struct agent_release *agent_releases_find(const struct agent_releases *list,
                                                const char *name);
/* Drops what `cfg` does not name. Returns a name that the list lacks; NULL: it has all. */
const char *agent_releases_fit(struct agent_releases *list, const struct config *cfg);
/* Has each site that names one of them serve that version. */
void agent_releases_place(const struct agent_releases *list, struct config *cfg);
/* Makes a list of what `cfg` (NULL: none) serves, in the versions of `lists`. */
void agent_releases_served(struct agent_releases *out, const struct config *cfg,
                           const struct agent_releases *const *lists, size_t count);
/* The same without numbers, where nobody has a list. */
void agent_releases_running(struct agent_releases *out, const struct config *cfg);
/* Puts `newest` before the others of `history`, and keeps `most` versions of each name. */
void agent_releases_remember(struct agent_releases *history, const struct agent_releases *newest,
                             size_t most);

#endif
