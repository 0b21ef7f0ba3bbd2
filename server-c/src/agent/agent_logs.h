/* SPDX-License-Identifier: MIT */
/* agent_logs.h — the newest lines of the error log as the message `logs`, and the requests for
 * them. Pure. */
#ifndef FARMSTEAD_AGENT_LOGS_H
#define FARMSTEAD_AGENT_LOGS_H

#include "agent/agent_messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_LOGS_MAX 500       /* in lines */
#define AGENT_LOG_REQUESTS_MAX 8 /* how many the control plane lets wait for one node */

/* Requests, the oldest first. A request stays until it has been answered, so that the answer is not
 * taken for that to one that arrives meanwhile. */
struct agent_log_requests {
    struct agent_request waiting[AGENT_LOG_REQUESTS_MAX];
    size_t count;
    char answered_id[AGENT_ID_LEN + 1]; /* of the last one answered */
};

/* False if `request` is empty or known, or if too many are waiting. */
bool agent_log_requests_take(struct agent_log_requests *requests,
                             const struct agent_request *request);
/* The oldest request was answered or given up: each gets one answer, whatever came of it. */
void agent_log_requests_end(struct agent_log_requests *requests);

/* Returns the body of `logs`, which the caller frees: the newest lines of `text` (log_kept()), as
 * many as `request` asks for. `written` is the number of lines ever logged. */
char *agent_build_logs(const char *incarnation, const struct agent_request *request,
                       const char *text, uint64_t written);

#endif
