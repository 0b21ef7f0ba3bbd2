/* SPDX-License-Identifier: MIT */
/* agent_release.c — the releases of an assignment, between the one that waits for them and the thread that
 * brings them. */
#include "agent/agent_parts.h"

#include <inttypes.h>
#include <stdio.h>

void agent_release_begin(struct agent *agent)
{
    const struct agent_assignment *waiting = &agent->fetch.waiting;
    struct config_errors errors = {0};
    struct config *cfg = config_parse(waiting->text, waiting->text_len, &errors);
    struct agent_http *http = agent_open_http(&agent->identity);
    config_errors_fini(&errors);
    if (cfg && http) {
        agent->fetch.is_pulling = true;
        agent_pull_begin(agent->pull, &waiting->releases, http, cfg->releases.store_max_bytes,
                         cfg->releases.max_bytes_per_second);
    } else {
        agent_http_free(http);
        agent_apply_refuse(&agent->apply, waiting, "internal", "libcurl cannot start");
        agent_fetch_end(&agent->fetch);
    }
    config_put(cfg);
}

static const char *code_of(enum release_end end)
{
    switch (end) {
    case RELEASE_WRONG:
        return "release_content";
    case RELEASE_NO_ROOM:
        return "resource_limit";
    case RELEASE_STANDS:
    case RELEASE_UNREACHED:
    case RELEASE_STOPPED:
        break;
    }
    return "content_missing";
}

static void refuse(struct agent *agent, const struct agent_pulled *pulled)
{
    char message[AGENT_TEXT_LEN + 1];
    snprintf(message, sizeof(message), "version %" PRIu64 " of the release \"%s\": %s",
             pulled->failed.number, pulled->failed.name, pulled->why);
    agent_apply_refuse(&agent->apply, &agent->fetch.waiting, code_of(pulled->end), message);
    agent_fetch_end(&agent->fetch);
}

void agent_release_on_time(struct agent *agent)
{
    struct agent_pulled pulled;
    /* What the thread is asked for later it does later: a tree that goes now is made anew then. */
    if (agent->apply.has_kept) {
        agent->apply.has_kept = false;
        agent_pull_keep(agent->pull, &agent->apply.history);
    }
    if (!agent_pull_hear(agent->pull, &pulled) || !agent->fetch.is_pulling)
        return;
    if (agent->held.text || pulled.end == RELEASE_STOPPED) { /* a newer one has come */
        agent_fetch_end(&agent->fetch);
        agent_take_held(agent);
        return;
    }
    agent->fetch.waiting.has_releases = pulled.end == RELEASE_STANDS;
    if (pulled.end != RELEASE_STANDS)
        refuse(agent, &pulled);
    agent_release_fetched(agent);
}
