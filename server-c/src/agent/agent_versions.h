/* SPDX-License-Identifier: MIT */
/* agent_versions.h — which versions of releases the server is told of, so that it finds there what the served
 * ones do not have, and what it counted of that. Agent's thread only. */
#ifndef FARMSTEAD_AGENT_VERSIONS_H
#define FARMSTEAD_AGENT_VERSIONS_H

#include "agent/agent_previews.h"
#include "agent/agent_releases.h"
#include "server/server.h"

#include <jansson.h>

#define AGENT_KEPT_REPORTED_MAX 64

/* Tells of those in `lists`, the first list first, each version once. From the return on requests are answered
 * with them: before a config that serves another version, and before trees go. Those that have a preview are shown
 * under its name. */
void agent_versions_tell(struct server *server, const struct agent_releases *const *lists,
                         size_t count, const struct agent_previews *previews);

/* For `report`: those that may be asked for in the running config, but that it does not serve. NULL: it has no
 * paths for which others are. */
json_t *agent_versions_json(struct server *server);

#endif
