/* SPDX-License-Identifier: MIT */
/* log_syslog.h — lines of a log as messages of syslog (RFC 5424), each a datagram to a Unix socket or by
 * UDP (RFC 5426).
 *
 * Nothing here waits: what the socket can't take now is tried again. One thread at a time. */
#ifndef FARMSTEAD_LOG_SYSLOG_H
#define FARMSTEAD_LOG_SYSLOG_H

#include "config/log_target.h"
#include "log/log_file.h"

#include <sys/types.h>

struct log_syslog;

/* The daemon need not be there yet. `target` is that of a socket. */
struct log_syslog *log_syslog_new(const struct log_target *target, enum log_file_kind kind);
void log_syslog_free(struct log_syslog *syslog);

/* Sends the first of the lines. Returns its length with the line feed; 0: nobody takes it now. */
size_t log_syslog_send(struct log_syslog *syslog, const char *lines, size_t len);

#endif
