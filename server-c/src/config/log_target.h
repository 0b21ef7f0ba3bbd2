/* SPDX-License-Identifier: MIT */
/* log_target.h — where a log goes, as a config says it: "/var/log/a.log", "stdout", "stderr",
 * "syslog:/dev/log", "syslog:192.0.2.7:514" or "syslog:[2001:db8::7]:514". Pure; any thread. */
#ifndef FARMSTEAD_LOG_TARGET_H
#define FARMSTEAD_LOG_TARGET_H

#include "base/address.h"

#include <stdbool.h>
#include <stddef.h>

#define LOG_TARGET_SOCKET_PATH 107 /* the longest path of a Unix socket */

enum log_target_kind {
    LOG_TARGET_NONE, /* "" or "none" */
    LOG_TARGET_FILE,
    LOG_TARGET_STDOUT,
    LOG_TARGET_STDERR,
    LOG_TARGET_SYSLOG_UNIX,
    LOG_TARGET_SYSLOG_UDP
};

struct log_target {
    enum log_target_kind kind;
    const char *text;             /* all of it */
    const char *path;             /* of the file or the socket, in the text */
    uint8_t address[ADDRESS_LEN]; /* for UDP; address.h */
    uint16_t port;
};

/* False: the text is none of these. */
bool log_target_parse(struct log_target *target, const char *text);

static inline bool log_target_is_file(const char *text)
{
    return text[0] == '/';
}

#endif
