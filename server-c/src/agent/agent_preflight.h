/* SPDX-License-Identifier: MIT */
/* agent_preflight.h — a question of the control plane before it offers a config: would this node
 * accept the text, and what would it answer for these paths (a request of kind `check`)? Stages and
 * changes nothing. */
#ifndef FARMSTEAD_AGENT_PREFLIGHT_H
#define FARMSTEAD_AGENT_PREFLIGHT_H

#include "agent/agent_json.h"
#include "agent/agent_probe_order.h"
#include "agent/agent_releases.h"
#include "agent/agent_room.h"
#include "config/config.h"

#define AGENT_PREFLIGHT_TEXT_MAX (4u << 20) /* bytes of a config's text, as in an assignment */
#define AGENT_PREFLIGHT_ID_LEN 34           /* "request_" and 26 characters */

struct server;

/* One question at a time; another one that comes meanwhile is not taken. */
struct agent_preflight {
    char id[AGENT_PREFLIGHT_ID_LEN + 1]; /* "": no question, and everything below is empty */
    char digest[CONFIG_DIGEST_LEN + 1];
    char *text;
    size_t text_len;
    struct agent_probe_order sample; /* only its paths are used */
    bool has_releases;               /* false: those that run are meant */
    struct agent_releases releases;
    struct agent_need *needs; /* of each of them */
};

/* `reader` is at the request. The caller ends `out` in any case. */
void agent_preflight_read(struct agent_reader *reader, struct agent_preflight *out);
void agent_preflight_fini(struct agent_preflight *preflight); /* leaves it empty */
/* Takes over `asked`, unless another one is waiting, or it was the last one answered. */
bool agent_preflight_take(struct agent_preflight *waiting, const char *answered_id,
                          struct agent_preflight *asked);

/* Returns the body of the message `check`, which the caller frees. `room` is there for releases. Waits for the
 * disk: agent's thread only. */
char *agent_preflight_answer(const struct agent_preflight *preflight, const char *incarnation,
                             const struct agent_room *room, struct server *server);

#endif
