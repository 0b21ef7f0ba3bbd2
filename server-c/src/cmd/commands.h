/* SPDX-License-Identifier: MIT */
/* commands.h — the subcommands of farmstead-node. main.c only picks one.
 *
 * Each gets its own arguments (argv[0] is the subcommand's name) and returns the exit code:
 * 0 done, 1 it failed (the reason is on standard error), 2 bad usage (one line on standard error).
 */
#ifndef FARMSTEAD_COMMANDS_H
#define FARMSTEAD_COMMANDS_H

int cmd_serve(int argc, char **argv);    /* serve --config FILE */
int cmd_check(int argc, char **argv);    /* check [--text-only] [--json] FILE|- */
int cmd_schema(int argc, char **argv);   /* schema [--markdown] */
int cmd_join(int argc, char **argv);     /* join URL --token TOKEN --state DIR … */
int cmd_run(int argc, char **argv);      /* run --state DIR */
int cmd_sign_url(int argc, char **argv); /* sign-url --secret-file FILE --path PATH
                                            --expires-in SECONDS | --expires TIME */
int cmd_version(int argc, char **argv);  /* version */

/* A line on standard error for somebody at a terminal, who is to see what is in it and not have it
 * obeyed. */
void cmd_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
