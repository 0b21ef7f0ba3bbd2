/* SPDX-License-Identifier: MIT */
/* agent_host.c — facts about this machine that the control plane shows beside the node's name. */
#include "agent/agent_host.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Reads PRETTY_NAME="…" from /etc/os-release (os-release(5)); else takes the kernel's name. */
static void read_os_name(char *out, size_t size, const char *fallback)
{
    char line[512];
    snprintf(out, size, "%s", fallback);
    FILE *file = fopen("/etc/os-release", "re");
    if (!file)
        return;
    while (fgets(line, sizeof(line), file)) {
        char *value = line + strlen("PRETTY_NAME=");
        if (strncmp(line, "PRETTY_NAME=", strlen("PRETTY_NAME=")) != 0)
            continue;
        value[strcspn(value, "\r\n")] = '\0';
        size_t len = strlen(value);
        if (len >= 2 && (value[0] == '"' || value[0] == '\'') && value[len - 1] == value[0]) {
            value[len - 1] = '\0';
            value++;
        }
        snprintf(out, size, "%.*s", (int)size - 1, value);
        break;
    }
    fclose(file);
}

void agent_host_read(struct agent_host *out)
{
    struct utsname kernel;
    memset(out, 0, sizeof(*out));
    if (gethostname(out->hostname, sizeof(out->hostname) - 1) != 0 || !out->hostname[0])
        snprintf(out->hostname, sizeof(out->hostname), "unknown");
    if (uname(&kernel) != 0)
        memset(&kernel, 0, sizeof(kernel));
    snprintf(out->arch, sizeof(out->arch), "%.32s", kernel.machine);
    read_os_name(out->os, sizeof(out->os), kernel.sysname);
}
