/* SPDX-License-Identifier: MIT */
/* commands.h — the subcommands of farmstead-node; main.c only calls one.
 *
 * Each gets its own arguments (argv[0] is the name of the subcommand) and returns the exit code: 0
 * success, 1 failure (the reason is on standard error), 2 wrong usage (one line on standard
 * error). */
#ifndef FARMSTEAD_COMMANDS_H
#define FARMSTEAD_COMMANDS_H

#include "base/buf.h"

#include <stdbool.h>

int cmd_serve(int argc, char **argv);       /* serve --config FILE | FOLDER [--port PORT] */
int cmd_check(int argc, char **argv);       /* check [--text-only] [--json] FILE|- */
int cmd_explain(int argc, char **argv);     /* explain [--json] [--text-only] FILE|- URL … */
int cmd_schema(int argc, char **argv);      /* schema [--markdown] */
int cmd_join(int argc, char **argv);        /* join URL --token TOKEN --state DIR … */
int cmd_run(int argc, char **argv);         /* run --state DIR */
int cmd_sign_url(int argc, char **argv);    /* sign-url --secret-file FILE --path PATH
                                            --expires-in SECONDS | --expires TIME */
int cmd_precompress(int argc, char **argv); /* precompress FOLDER [--codings …] … */
int cmd_version(int argc, char **argv);     /* version */

/* Appends the text of a config that serves the folder, with listings. False: its name is no UTF-8. */
bool cmd_folder_config(struct buf *out, const char *folder, const char *address, const char *port);

/* Writes a line on standard error for somebody at a terminal. Control characters in it are shown,
 * so that the terminal does not obey them. */
void cmd_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
