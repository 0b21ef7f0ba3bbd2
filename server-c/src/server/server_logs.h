/* SPDX-License-Identifier: MIT */
/* server_logs.h — the access log and the error log, as a config wants them. Any thread but a loop's, one at
 * a time: it may wait for a disk. */
#ifndef FARMSTEAD_SERVER_LOGS_H
#define FARMSTEAD_SERVER_LOGS_H

#include "config/config.h"
#include "log/access_log.h"

/* `running`: the config that they are of; NULL: none. 0, or -1 with a finding and both as they were. */
int server_logs_switch(struct access_log *log, const struct config *running,
                       const struct config *cfg, struct config_errors *errors);
/* For a first config that is not applied after all. */
void server_logs_leave(struct access_log *log);
/* After their files were renamed. `cfg`: NULL: nothing is served. What can't be is said in the log. */
void server_logs_reopen(struct access_log *log, const struct config *cfg);
/* Their files become that user's. */
void server_logs_give(struct access_log *log, uid_t uid, gid_t gid);
void server_logs_end(struct access_log *log); /* frees it: access_log_free() */

#endif
