/* SPDX-License-Identifier: MIT */
/* Where a log goes: texts that are taken, and those that are not. */
#include "config/log_target.c"

#include "check.h"

#include "base/util.h"

#define X10 "xxxxxxxxxx"
#define LONG_NAME "/" X10 X10 X10 X10 X10 X10 X10 X10 X10 X10 "xxxxxx"

static const struct {
    const char *text;
    bool is_right;
    enum log_target_kind kind;
    uint16_t port;
} rows[] = {
    {"", true, LOG_TARGET_NONE, 0},
    {"none", true, LOG_TARGET_NONE, 0},
    {"/var/log/a", true, LOG_TARGET_FILE, 0},
    {"stdout", true, LOG_TARGET_STDOUT, 0},
    {"stderr", true, LOG_TARGET_STDERR, 0},
    {"syslog:/dev/log", true, LOG_TARGET_SYSLOG_UNIX, 0},
    {"syslog:" LONG_NAME, true, LOG_TARGET_SYSLOG_UNIX, 0},
    {"syslog:" LONG_NAME "x", false, LOG_TARGET_SYSLOG_UNIX, 0},
    {"syslog:/", false, LOG_TARGET_SYSLOG_UNIX, 0},
    {"syslog:192.0.2.7:514", true, LOG_TARGET_SYSLOG_UDP, 514},
    {"syslog:[2001:db8::7]:65535", true, LOG_TARGET_SYSLOG_UDP, 65535},
    {"syslog:192.0.2.7:65536", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"syslog:192.0.2.7:0", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"syslog:192.0.2.7:514x", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"syslog:192.0.2.7", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"syslog:2001:db8::7:514", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"syslog:[192.0.2.7]:514", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"syslog:[]:514", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"syslog:", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"syslog:log.example.org:514", false, LOG_TARGET_SYSLOG_UDP, 0},
    {"stdin", false, LOG_TARGET_NONE, 0},
    {"a.log", false, LOG_TARGET_NONE, 0},
};

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct log_target target;
        CHECK_INT((int)i, rows[i].text, log_target_parse(&target, rows[i].text), rows[i].is_right);
        if (!rows[i].is_right)
            continue;
        CHECK_INT((int)i, "kind", target.kind, rows[i].kind);
        CHECK_INT((int)i, "port", target.port, rows[i].port);
    }
    return check_end("log_target");
}
