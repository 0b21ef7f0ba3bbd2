/* SPDX-License-Identifier: MIT */
/* admin_data.h — what the admin listener tells programs: what is running and what was measured. */
#ifndef FARMSTEAD_ADMIN_DATA_H
#define FARMSTEAD_ADMIN_DATA_H

#include "base/buf.h"
#include "base/util.h"

#include <stdbool.h>

struct server;

enum admin_metrics_form { ADMIN_METRICS_PROTOBUF, ADMIN_METRICS_OPENMETRICS, ADMIN_METRICS_TEXT };

void admin_append_status(struct buf *out, struct server *server);
void admin_append_metrics(struct buf *out, struct server *server, enum admin_metrics_form form);
/* False if the query is not understood: *reason says why, and nothing was appended. */
bool admin_append_samples(struct buf *out, struct server *server, struct span query,
                          const char **reason);

#endif
