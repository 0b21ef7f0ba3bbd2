/* SPDX-License-Identifier: MIT */
/* agent_preflight.c — the text is parsed and checked like that of an assignment, and the answers
 * come from the rules and look-ups that requests use (site_forecast.h). */
#include "agent/agent_preflight.h"

#include "agent/agent_check.h"
#include "agent/agent_messages.h"
#include "server/server.h"
#include "site/site_forecast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void agent_preflight_read(struct agent_reader *reader, struct agent_preflight *out)
{
    memset(out, 0, sizeof(*out));
    agent_read_id(reader, "requestId", "request_", out->id, sizeof(out->id));
    agent_read_digest(reader, "digest", out->digest, sizeof(out->digest));
    out->text = agent_read_text(reader, "text", AGENT_PREFLIGHT_TEXT_MAX, &out->text_len);
    agent_probe_paths_read(reader, &out->sample, 0);
}

void agent_preflight_fini(struct agent_preflight *preflight)
{
    free(preflight->text);
    agent_probe_order_fini(&preflight->sample);
    memset(preflight, 0, sizeof(*preflight));
}

bool agent_preflight_take(struct agent_preflight *waiting, const char *answered_id,
                          struct agent_preflight *asked)
{
    if (!asked->id[0] || waiting->id[0] || strcmp(asked->id, answered_id) == 0)
        return false;
    *waiting = *asked;
    memset(asked, 0, sizeof(*asked));
    return true;
}

/* The statuses are 0 if nothing is served. */
static void forecast(const struct agent_preflight *preflight, struct config *cfg, int *statuses)
{
    if (!cfg)
        return;
    struct site_set *sites = site_set_new(cfg, NULL);
    for (size_t i = 0; i < preflight->sample.path_count; i++) {
        const struct agent_probe_path *path = &preflight->sample.paths[i];
        const char *host = path->host ? path->host : "";
        statuses[i] = (int)site_forecast(sites, (struct span){host, strlen(host)},
                                         (struct span){path->path, strlen(path->path)});
    }
    site_set_put(sites);
}

char *agent_preflight_answer(const struct agent_preflight *preflight, const char *incarnation,
                             struct server *server)
{
    struct agent_assignment assignment = {.text = preflight->text, .text_len = preflight->text_len};
    struct agent_nack nack = {0};
    struct agent_checked checked = {.incarnation = incarnation,
                                    .request_id = preflight->id,
                                    .refusal = NULL,
                                    .path_count = preflight->sample.path_count};
    snprintf(assignment.offer.version.digest, sizeof(assignment.offer.version.digest), "%s",
             preflight->digest);
    /* The question says no versions: those that run answer it. */
    struct config *running = server_config(server);
    agent_releases_running(&assignment.releases, running);
    struct config *offered = agent_check_release(&assignment, server, &nack);
    agent_releases_fini(&assignment.releases);
    if (!offered)
        checked.refusal = &nack;
    forecast(preflight, running, checked.running);
    forecast(preflight, offered, checked.offered);
    config_put(running);
    config_put(offered);
    char *body = agent_build_check(&checked);
    agent_nack_fini(&nack);
    return body;
}
