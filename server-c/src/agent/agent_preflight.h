/* SPDX-License-Identifier: MIT */
/* agent_preflight.h — the control plane asks before it offers anything: would this node take the text,
 * and what would it answer these paths with (a request of kind `check`)? Stages and changes nothing. */
#ifndef FARMSTEAD_AGENT_PREFLIGHT_H
#define FARMSTEAD_AGENT_PREFLIGHT_H

#include "agent/agent_json.h"
#include "agent/agent_probe_order.h"
#include "config/config.h"

#define AGENT_PREFLIGHT_TEXT_MAX (4u << 20) /* a config's text, as an assignment carries it */
#define AGENT_PREFLIGHT_ID_LEN 34           /* "request_" + 26 */

struct server;

/* One at a time; a second that comes meanwhile is not taken. */
struct agent_preflight {
    char id[AGENT_PREFLIGHT_ID_LEN + 1]; /* "": nothing is asked, and all below is empty */
    char digest[CONFIG_DIGEST_LEN + 1];
    char *text;
    size_t text_len;
    struct agent_probe_order sample; /* its paths only */
};

/* `reader` stands on the request. The caller frees `out` in either case. */
void agent_preflight_read(struct agent_reader *reader, struct agent_preflight *out);
void agent_preflight_fini(struct agent_preflight *preflight); /* leaves an empty one */
/* Takes over what is asked, unless something waits already or it was answered last. */
bool agent_preflight_take(struct agent_preflight *waiting, const char *answered_id,
                          struct agent_preflight *asked);

/* The body of the message `check`, for the caller to free. Blocks on the disk: the agent's thread. */
char *agent_preflight_answer(const struct agent_preflight *preflight, const char *incarnation,
                             struct server *server);

#endif
