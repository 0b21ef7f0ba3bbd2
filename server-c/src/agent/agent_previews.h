/* SPDX-License-Identifier: MIT */
/* agent_previews.h — versions of releases that the node shows under names of their own (site/site_preview.h), as it was
 * told last; that it has them on its disk is another list (agent_ahead.h). Pure: no I/O; the clock is the caller's.
 * Agent's thread only. */
#ifndef FARMSTEAD_AGENT_PREVIEWS_H
#define FARMSTEAD_AGENT_PREVIEWS_H

#include "agent/agent_releases.h"
#include "site/kept_versions.h"

#define AGENT_PREVIEWS_MAX 8
#define AGENT_PREVIEW_ID_LEN 34

struct agent_preview {
    char id[AGENT_PREVIEW_ID_LEN + 1];
    char release[KEPT_RELEASE_NAME_LEN + 1];
    char manifest[KEPT_SHA256_LEN + 1];
    struct kept_preview shown;
    uint64_t ends_ms; /* in what is told: from its receipt on */
};

struct agent_previews {
    struct agent_preview items[AGENT_PREVIEWS_MAX];
    size_t count;
};

/* What an answer says of them. */
struct agent_previews_told {
    bool is_told; /* false: nothing changes */
    struct agent_previews list;
};
/* Reads the member `previews`, if there is one. */
void agent_previews_read(struct agent_reader *outer, struct agent_previews_told *out);

/* Takes over what was told now. True: it has others than before. */
bool agent_previews_take(struct agent_previews *previews, const struct agent_previews *list,
                         uint64_t now_ms);
/* Drops those whose time is over, also when nobody says so. True: there were some. */
bool agent_previews_drop(struct agent_previews *previews, uint64_t now_ms);
/* NULL: the version has none. */
const struct kept_preview *agent_previews_find(const struct agent_previews *previews,
                                               const struct agent_release *version);
json_t *agent_previews_json(const struct agent_previews *previews); /* their ids */

#endif
