/* SPDX-License-Identifier: MIT */
/* cmd_schema.c — farmstead-node schema [--markdown] */
#include "cmd/commands.h"

#include "config/config_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_schema(int argc, char **argv)
{
    char *text;
    int err;

    if (argc > 2 || (argc == 2 && strcmp(argv[1], "--markdown") != 0)) {
        fputs("usage: farmstead-node schema [--markdown]\n", stderr);
        return 2;
    }
    text = argc == 2 ? config_schema_markdown() : config_schema_json();
    err = fputs(text, stdout) == EOF || fflush(stdout) == EOF;
    free(text);
    if (err)
        perror("farmstead-node: standard output");
    return err ? 1 : 0;
}
