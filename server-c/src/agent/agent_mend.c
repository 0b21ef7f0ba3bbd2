/* SPDX-License-Identifier: MIT */
/* agent_mend.c — contents with wrong bytes, between the thread that finds them and the one that gets them anew. */
#include "agent/agent_parts.h"

#include <string.h>

#define AGAIN_MS 1000u
#define AGAIN_MAX_MS 300000u

static void hear(struct agent *agent, uint64_t now)
{
    struct agent_mending *mending = &agent->mending;
    char why[RELEASE_WHY_LEN];
    enum release_end end;
    if (!agent_pull_hear_mend(agent->pull, &end, why))
        return;
    mending->is_under_way = false;
    if (end == RELEASE_STANDS) {
        log_info("agent: the content %s of a release has come anew, or is gone", mending->sha256);
        agent_scrub_mended(agent->scrub, mending->sha256);
        mending->failures = 0;
        mending->said[0] = '\0';
        return;
    }
    agent_scrub_put_last(agent->scrub, mending->sha256);
    if (end == RELEASE_STOPPED)
        return;
    if (strcmp(mending->said, why) != 0)
        log_warn("agent: the content %s of a release cannot be got anew, and is tried again: %s",
                 mending->sha256, why);
    memcpy(mending->said, why, sizeof(mending->said));
    mending->due_ms =
        now + smaller_of((uint64_t)AGAIN_MS << (mending->failures < 9 ? mending->failures : 9),
                         AGAIN_MAX_MS);
    mending->failures++;
}

/* Tells the thread that compares how it is to do that. */
static void configure(struct agent *agent, const struct config *cfg)
{
    agent_scrub_configure(agent->scrub, cfg ? cfg->releases.scrub_bytes_per_second : 0,
                          cfg ? cfg->releases.scrub_every_seconds : 0);
}

/* What a release was to be made of, and was wrong: else it would wait for the next round, which may be days away. */
static void hear_found(struct agent *agent)
{
    struct agent_found_wrong found;
    while (agent_pull_next_wrong(agent->pull, &found))
        agent_scrub_found(agent->scrub, found.sha256, &found.st);
}

void agent_mend_on_time(struct agent *agent, uint64_t now)
{
    struct agent_mending *mending = &agent->mending;
    struct config *cfg = server_config(agent->server);
    configure(agent, cfg);
    hear_found(agent);
    hear(agent, now);
    if (cfg && !mending->is_under_way && agent->in_session && now >= mending->due_ms &&
        agent_scrub_wrong(agent->scrub, mending->sha256)) {
        struct agent_http *http = agent_open_http(&agent->identity);
        mending->is_under_way = http != NULL;
        if (http && agent_is_bringing_ahead(agent))
            agent_pull_drop(agent->pull);
        if (http)
            agent_pull_mend(agent->pull, mending->sha256, http, cfg->releases.max_bytes_per_second);
        else
            mending->due_ms = now + AGAIN_MAX_MS;
    }
    config_put(cfg);
}
