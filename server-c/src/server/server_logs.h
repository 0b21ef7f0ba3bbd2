/* SPDX-License-Identifier: MIT */
/* server_logs.h — the access logs and the error log, as a config wants them. Any thread but a loop's, one at
 * a time: it may wait for a disk. */
#ifndef FARMSTEAD_SERVER_LOGS_H
#define FARMSTEAD_SERVER_LOGS_H

#include "config/config.h"
#include "log/access_logs.h"

/* Opens the access logs that are not open yet, and switches the error log. 0, or -1 with a finding and all
 * as they were. */
int server_logs_switch(struct access_logs *logs, const struct config *cfg,
                       struct config_errors *errors);
/* For a first config that is not applied after all. */
void server_logs_leave(struct access_logs *logs);
/* Ends the access logs to which no set of sites refers any more. */
void server_logs_end_unused(struct access_logs *logs);
/* After their files were renamed. `cfg`: NULL: nothing is served. What can't be is said in the log. */
void server_logs_reopen(struct access_logs *logs, const struct config *cfg);
/* Their files become that user's. */
void server_logs_give(struct access_logs *logs, uid_t uid, gid_t gid);
void server_logs_end(struct access_logs *logs); /* frees them: access_logs_free() */

#endif
