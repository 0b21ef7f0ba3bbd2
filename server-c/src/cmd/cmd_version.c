/* SPDX-License-Identifier: MIT */
/* cmd_version.c — farmstead-node version. */
#include "cmd/commands.h"

#include <stdio.h>
#include <uv.h>

int cmd_version(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        fprintf(stderr, "usage: farmstead-node version\n");
        return 2;
    }
    printf("farmstead-node %s (libuv %s)\n", FARMSTEAD_VERSION, uv_version_string());
    return 0;
}
