/* SPDX-License-Identifier: MIT */
/* agent_logs.h — the newest lines of the error log as the message `logs`, and who waits for them.
 * Pure. */
#ifndef FARMSTEAD_AGENT_LOGS_H
#define FARMSTEAD_AGENT_LOGS_H

#include "agent/agent_messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_LOGS_MAX 500       /* lines */
#define AGENT_LOG_REQUESTS_MAX 8 /* what the control plane lets wait for one node */

/* The oldest comes first; it stays until it is answered, so that one that arrives meanwhile is not
 * taken for it. */
struct agent_log_requests {
    struct agent_request waiting[AGENT_LOG_REQUESTS_MAX];
    size_t count;
    char answered_id[AGENT_ID_LEN + 1]; /* the last one's */
};

/* False when there is none in `request`, it is known, or too many wait. */
bool agent_log_requests_take(struct agent_log_requests *requests,
                             const struct agent_request *request);
/* The first was answered, or is given up: one answer to one request, whatever came of it. */
void agent_log_requests_end(struct agent_log_requests *requests);

/* The body of `logs`, for the caller to free: the newest of `text`'s lines (log_kept()), as many as
 * `request` wants. `written` is how many lines there have been. */
char *agent_build_logs(const char *incarnation, const struct agent_request *request,
                       const char *text, uint64_t written);

#endif
