/* SPDX-License-Identifier: MIT */
/* Shell commands for unit tests, which they run in a folder of their own. */
#ifndef FARMSTEAD_TEST_SHELL_H
#define FARMSTEAD_TEST_SHELL_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Runs `script` in `folder`. If it fails, a check has failed. */
static void shell_in(const char *folder, const char *script)
{
    char command[1000];

    snprintf(command, sizeof(command), "cd %s && { %s; }", folder, script);
    CHECK_INT(__LINE__, script, system(command), 0);
}

#endif
