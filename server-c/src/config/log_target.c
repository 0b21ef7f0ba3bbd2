/* SPDX-License-Identifier: MIT */
/* log_target.c — names are not resolved: an address is numeric, so that no log waits for a name server. */
#include "config/log_target.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define SYSLOG "syslog:"

/* "514" and nothing else; 0: no port. */
static uint16_t port_of(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long port = 0;

    if (digits > 0 && digits < 6 && text[digits] == '\0')
        port = strtoul(text, NULL, 10);
    return port <= UINT16_MAX ? (uint16_t)port : 0;
}

static bool take_udp(struct log_target *target, const char *text)
{
    const char *colon = strrchr(text, ':');
    char host[INET6_ADDRSTRLEN] = "";
    bool is_v6 = text[0] == '[' && colon && colon > text && colon[-1] == ']';
    size_t len = colon ? (size_t)(colon - text) - (is_v6 ? 2 : 0) : 0;

    target->kind = LOG_TARGET_SYSLOG_UDP;
    if (len == 0 || len >= sizeof(host))
        return false;
    memcpy(host, text + is_v6, len);
    target->port = port_of(colon + 1);
    if (target->port == 0)
        return false;
    if (is_v6)
        return inet_pton(AF_INET6, host, target->address) == 1;
    return inet_pton(AF_INET, host, address_begin_v4(target->address)) == 1;
}

static bool take_unix(struct log_target *target, const char *path)
{
    target->kind = LOG_TARGET_SYSLOG_UNIX;
    target->path = path;
    return path[1] != '\0' && strlen(path) <= LOG_TARGET_SOCKET_PATH;
}

bool log_target_parse(struct log_target *target, const char *text)
{
    *target = (struct log_target){.text = text, .path = text};
    if (strncmp(text, SYSLOG, strlen(SYSLOG)) == 0) {
        text += strlen(SYSLOG);
        return text[0] == '/' ? take_unix(target, text) : take_udp(target, text);
    }
    if (strcmp(text, "stdout") == 0)
        target->kind = LOG_TARGET_STDOUT;
    else if (strcmp(text, "stderr") == 0)
        target->kind = LOG_TARGET_STDERR;
    else if (log_target_is_file(text))
        target->kind = LOG_TARGET_FILE;
    else
        return text[0] == '\0' || strcmp(text, "none") == 0;
    return true;
}
