/* SPDX-License-Identifier: MIT */
/* site_log.h — where and how the responses of a site are logged, and which of them. Made with the set of
 * sites; immutable. */
#ifndef FARMSTEAD_SITE_LOG_H
#define FARMSTEAD_SITE_LOG_H

#include "http/http_status.h"
#include "log/access_logs.h"

struct site_log {
    struct access_log *log; /* a reference; NULL: nothing is logged */
    const struct config_access_log *cfg;
    struct access_form form;
    bool filters; /* some responses are not logged */
};

/* Is not bound to a log yet: nothing is logged. */
void site_log_init(struct site_log *log, const struct config_access_log *cfg);
void site_log_fini(struct site_log *log);
/* Takes the log of one of the same config. */
void site_log_share(struct site_log *log, const struct site_log *from);
/* Finds its log among those that are open. Before the set is in use. */
void site_log_bind(struct site_log *log, struct access_logs *logs);

/* Whether a response with this status to a request for `path` (decoded; empty: there is none) is
 * logged. Loop thread. */
bool site_log_takes(const struct site_log *log, struct span path, enum http_status status);

#endif
