/* SPDX-License-Identifier: MIT */
/* agent_release.c — the releases of an assignment, between the one that waits for them and the thread that
 * brings them. */
#include "agent/agent_parts.h"

#include <inttypes.h>
#include <stdio.h>

void agent_release_pull(struct agent *agent, const struct agent_releases *list,
                        struct agent_http *http, const struct config *cfg)
{
    struct agent_pull_ways ways = {http, agent_neighbour_client(agent),
                                   cfg->releases.max_bytes_per_second};
    struct agent_releases known;

    agent_release_known(agent, &known);
    agent_pull_begin(agent->pull, list, &known, &ways, cfg->releases.store_max_bytes);
    agent_releases_fini(&known);
}

void agent_release_begin(struct agent *agent)
{
    const struct agent_assignment *waiting = &agent->fetch.waiting;
    if (agent_is_bringing_ahead(agent)) { /* it goes on when that has ended */
        agent->fetch.is_pulling = true;
        agent_pull_drop(agent->pull);
        return;
    }
    struct config_errors errors = {0};
    struct config *cfg = config_parse(waiting->text, waiting->text_len, &errors);
    struct agent_http *http = agent_open_http(&agent->identity);
    config_errors_fini(&errors);
    if (cfg && http) {
        agent->fetch.is_pulling = true;
        agent_release_pull(agent, &waiting->releases, http, cfg);
    } else {
        agent_http_free(http);
        agent_apply_refuse(&agent->apply, waiting, "internal", "libcurl cannot start");
        agent_fetch_end(&agent->fetch);
    }
    config_put(cfg);
}

static void refuse(struct agent *agent, const struct agent_pulled *pulled)
{
    char message[AGENT_TEXT_LEN + 1];
    snprintf(message, sizeof(message), "version %" PRIu64 " of the release \"%s\": %s",
             pulled->failed.number, pulled->failed.name, pulled->why);
    agent_apply_refuse(&agent->apply, &agent->fetch.waiting, agent_release_code(pulled->end),
                       message);
    agent_fetch_end(&agent->fetch);
}

void agent_release_known(struct agent *agent, struct agent_releases *out)
{
    struct agent_releases ahead;
    *out = (struct agent_releases){0};
    agent_ahead_list(&agent->ahead, false, &ahead);
    agent_releases_add(out, &agent->apply.history);
    agent_releases_add(out, &agent->apply.kept.releases);
    agent_releases_add(out, &agent->apply.offered.releases);
    agent_releases_add(out, &agent->fetch.waiting.releases);
    agent_releases_add(out, &ahead);
    agent_releases_fini(&ahead);
}

void agent_release_sweep(struct agent *agent, bool makes_room)
{
    struct agent_releases kept;
    agent_release_known(agent, &kept);
    agent->has_spared = !makes_room && agent_ahead_is_coming(&agent->ahead);
    agent_pull_keep(agent->pull, &kept, agent->has_spared);
    agent_releases_fini(&kept);
}

/* A newer one has come. */
static void give_way(struct agent *agent)
{
    agent_fetch_end(&agent->fetch);
    agent_take_held(agent);
}

static void hear(struct agent *agent, const struct agent_pulled *pulled)
{
    bool was_ahead = agent_is_bringing_ahead(agent);
    if (was_ahead)
        agent_bring_ahead_hear(agent, pulled);
    if (!agent->fetch.is_pulling)
        return;
    if (agent->held.text || (!was_ahead && pulled->end == RELEASE_STOPPED)) {
        give_way(agent);
        return;
    }
    if (was_ahead) { /* it waited for that */
        agent_release_begin(agent);
        return;
    }
    if (pulled->end == RELEASE_NO_ROOM && !agent->fetch.made_room &&
        agent_ahead_is_coming(&agent->ahead)) {
        agent->fetch.made_room = true;
        agent_release_sweep(agent, true);
        agent_release_begin(agent);
        return;
    }
    agent->fetch.waiting.has_releases = pulled->end == RELEASE_STANDS;
    if (pulled->end != RELEASE_STANDS)
        refuse(agent, pulled);
    agent_release_fetched(agent);
}

void agent_release_on_time(struct agent *agent, uint64_t now)
{
    struct agent_pulled pulled;
    /* What the thread is asked for later it does later: a tree that goes now is made anew then. */
    if (agent->apply.has_kept) {
        agent->apply.has_kept = false;
        agent_release_sweep(agent, false);
        agent_ahead_retry(&agent->ahead);
    }
    if (agent_pull_hear(agent->pull, &pulled))
        hear(agent, &pulled);
    agent_bring_ahead_on_time(agent, now);
    if (agent_previews_drop(&agent->apply.previews, now))
        agent_apply_tell_versions(&agent->apply);
}
