/* SPDX-License-Identifier: MIT */
/* agent_local.c — a config changed on the node is checked like an assignment, and serves in place
 * of the confirmed one. It is on trial for its first minute: if it crashes twice in that time, the
 * next start does not load it. */
#include "agent/agent_local.h"

#include "agent/agent_check.h"
#include "log/log.h"
#include "process/supervised.h"

#include <inttypes.h>
#include <string.h>

#define TRIAL_MS 60000 /* after two crashes within this time the next start skips the change */

void agent_local_init(struct agent_local *local, struct server *server, struct agent_state *state,
                      const struct agent_releases *releases)
{
    memset(local, 0, sizeof(*local));
    local->server = server;
    local->releases = releases;
    agent_drift_init(&local->drift, state);
}

void agent_local_fini(struct agent_local *local)
{
    config_put(local->cfg);
    agent_drift_fini(&local->drift);
}

static void end_trial(struct agent_local *local)
{
    if (local->is_on_trial)
        supervised_settled();
    local->is_on_trial = false;
}

static void drop(struct agent_local *local)
{
    end_trial(local);
    config_put(local->cfg);
    local->cfg = NULL;
}

/* Checks the machine as for an assignment and applies the edit. 0, or -1 with the reasons noted. */
static int apply_edit(struct agent_local *local, uint64_t generation)
{
    struct config_errors errors = {0};
    struct config *cfg = local->drift.cfg;
    agent_releases_place(local->releases, cfg);
    int err = agent_check_machine(cfg, local->server, &errors);
    if (!err) {
        supervised_trial(generation, TRIAL_MS);
        local->is_on_trial = true;
        err = server_apply(local->server, cfg, generation, &errors);
    }
    if (!err) {
        config_errors_fini(&errors);
        return 0;
    }
    end_trial(local);
    agent_drift_refuse(&local->drift, &errors);
    return -1;
}

static bool serve_edit(struct agent_local *local, uint64_t generation, uint64_t now_ms)
{
    if (!local->drift.cfg || apply_edit(local, generation) != 0) {
        log_error("agent: config.jsonc is not served: what served before goes on");
        return false;
    }
    config_put(local->cfg);
    local->cfg = config_get(local->drift.cfg);
    local->generation = generation;
    local->proven_at_ms = now_ms + TRIAL_MS;
    local->drift.version++;
    log_warn("agent: config.jsonc as it was changed on this node serves (%s)", local->cfg->digest);
    return true;
}

static bool serve_confirmed(struct agent_local *local, struct config *confirmed,
                            uint64_t generation)
{
    struct config_errors errors = {0};
    int err = server_apply(local->server, confirmed, generation, &errors);
    if (err) {
        char message[AGENT_TEXT_LEN + 1];
        agent_findings_say(&errors, message, sizeof(message));
        log_error("agent: the confirmed config cannot be served: %s", message);
    } else {
        drop(local);
        log_info("agent: generation %" PRIu64 " serves as it was confirmed", generation);
    }
    config_errors_fini(&errors);
    return !err;
}

bool agent_local_load(struct agent_local *local, struct config *confirmed, uint64_t generation,
                      uint64_t now_ms)
{
    agent_drift_look(&local->drift, confirmed);
    if (agent_drift_is_there(&local->drift))
        return serve_edit(local, generation, now_ms);
    return serve_confirmed(local, confirmed, generation);
}

struct config *agent_local_resting(const struct agent_local *local, struct config *confirmed)
{
    return local->cfg ? local->cfg : confirmed;
}

bool agent_local_forbids(struct agent_local *local, const struct config *confirmed,
                         const struct agent_assignment *assignment)
{
    const char *digest = local->drift.digest;
    agent_drift_look(&local->drift, confirmed);
    return agent_drift_is_there(&local->drift) && strcmp(assignment->replaces_drift, digest) != 0 &&
           strcmp(assignment->offer.version.digest, digest) != 0;
}

void agent_local_end(struct agent_local *local, const struct config *before,
                     const struct config *confirmed, const char *replaces)
{
    struct agent_drift *drift = &local->drift;
    drop(local);
    /* The file may have been changed again while the assignment was under way. */
    agent_drift_look(drift, before);
    bool is_known = !agent_drift_is_there(drift) || strcmp(drift->digest, replaces) == 0 ||
                    strcmp(drift->digest, confirmed->digest) == 0;
    if (is_known && !drift->is_unreadable)
        agent_drift_overwrite(drift, confirmed);
    else
        log_warn("agent: config.jsonc was changed on this node meanwhile: it is left as it is");
}

bool agent_local_is_effective(const struct agent_local *local,
                              const struct server_effective *effective)
{
    return local->cfg && effective->serving && effective->generation == local->generation &&
           strcmp(effective->digest, local->cfg->digest) == 0;
}

void agent_local_change(const struct agent_local *local, const struct server_effective *effective,
                        struct agent_change *out)
{
    const struct agent_drift *drift = &local->drift;
    memset(out, 0, sizeof(*out));
    out->digest = drift->digest;
    out->text = drift->text ? drift->text : "";
    out->is_served = effective->serving && strcmp(effective->digest, drift->digest) == 0;
    out->errors = &drift->errors;
}

void agent_local_on_time(struct agent_local *local, uint64_t now_ms)
{
    if (now_ms >= agent_local_due_ms(local))
        end_trial(local);
}

uint64_t agent_local_due_ms(const struct agent_local *local)
{
    return local->is_on_trial ? local->proven_at_ms : UINT64_MAX;
}
