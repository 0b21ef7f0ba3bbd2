/* SPDX-License-Identifier: MIT */
/* agent_bring_ahead.c — one version at a time, with the same thread as assignments, which go first; so does a content
 * that is wrong on the disk, for which visitors wait. */
#include "agent/agent_parts.h"

#include <stdio.h>

static void tell_held(struct agent *agent)
{
    agent_releases_fini(&agent->apply.ahead);
    agent_ahead_list(&agent->ahead, true, &agent->apply.ahead);
    agent_apply_tell_versions(&agent->apply);
}

bool agent_bring_ahead_take(struct agent *agent, const struct agent_ahead_told *told)
{
    if (!told->is_told)
        return false;
    if (!agent_ahead_take(&agent->ahead, &told->list))
        return false;
    if (agent_is_bringing_ahead(agent) && !agent_ahead_find(&agent->ahead, agent->ahead_coming))
        agent_pull_drop(agent->pull);
    /* Nothing is looked for in a tree that goes. */
    tell_held(agent);
    agent_release_sweep(agent, false);
    return true;
}

void agent_bring_ahead_hear(struct agent *agent, const struct agent_pulled *pulled)
{
    struct agent_ahead_item *item = agent_ahead_find(&agent->ahead, agent->ahead_coming);
    agent->ahead_coming[0] = '\0';
    if (!item)
        return;
    agent_ahead_ended(item, pulled->end, pulled->why, agent_now_ms());
    if (agent->has_spared && !agent_ahead_is_coming(&agent->ahead))
        agent_release_sweep(agent, false);
    if (item->state == AGENT_AHEAD_HELD)
        tell_held(agent);
    else if (item->state == AGENT_AHEAD_REFUSED && item->failures < 2)
        log_warn("agent: %s", item->message);
}

static bool may_begin(const struct agent *agent)
{
    return agent->in_session && !agent->fetch.waiting.text && !agent_is_bringing_ahead(agent) &&
           !agent->mending.is_under_way;
}

void agent_bring_ahead_on_time(struct agent *agent, uint64_t now)
{
    const struct agent_release *next =
        may_begin(agent) ? agent_ahead_next(&agent->ahead, now) : NULL;
    if (!next)
        return;
    struct agent_releases one = {(struct agent_release *)(uintptr_t)next, 1};
    struct config *cfg = server_config(agent->server);
    struct agent_http *http = cfg ? agent_open_http(&agent->identity) : NULL;
    if (http) { /* without a config nobody says how much room there is */
        snprintf(agent->ahead_coming, sizeof(agent->ahead_coming), "%s", next->manifest);
        agent_release_pull(agent, &one, http, cfg);
    }
    config_put(cfg);
}
