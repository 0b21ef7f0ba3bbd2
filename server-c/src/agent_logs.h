/* SPDX-License-Identifier: MIT */
/* agent_logs.h — the newest lines of the error log as the message `logs`. Pure. */
#ifndef FARMSTEAD_AGENT_LOGS_H
#define FARMSTEAD_AGENT_LOGS_H

#include "agent_messages.h"

#include <stdint.h>

#define AGENT_LOGS_MAX 500 /* lines */

/* The body of `logs`, for the caller to free: the newest of `text`'s lines (log_kept()), as many as
 * `request` wants. `written` is how many lines there have been. */
char *agent_build_logs(const char *incarnation, const struct agent_request *request,
                       const char *text, uint64_t written);

#endif
