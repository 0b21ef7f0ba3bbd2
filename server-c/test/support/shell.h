/* SPDX-License-Identifier: MIT */
/* What a unit test does to a folder of its own, in the shell's words. */
#ifndef FARMSTEAD_TEST_SHELL_H
#define FARMSTEAD_TEST_SHELL_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Runs `script` in `folder`; that it fails is a failed check. */
static void shell_in(const char *folder, const char *script)
{
    char command[1000];

    snprintf(command, sizeof(command), "cd %s && { %s; }", folder, script);
    CHECK_INT(__LINE__, script, system(command), 0);
}

#endif
