/* SPDX-License-Identifier: MIT */
/* main.c — calls the subcommand, and has no logic of its own. */
#include "base/util.h"
#include "cmd/commands.h"
#include "machine/left_threads.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments, *help;
} commands[] = {
    {"serve", cmd_serve, "--config FILE [--policy FILE] | FOLDER [--port PORT] [--address ADDRESS]",
     "serve what a config file says, or a folder as it is, without a control plane"},
    {"check", cmd_check,
     "[--text-only] [--json] [--environment] [--policy FILE] [--state DIR] FILE|-",
     "say what is wrong with a config"},
    {"explain", cmd_explain, "[--json] [--text-only] FILE URL …",
     "say what a config would do with URLs, and by which of its rules"},
    {"schema", cmd_schema, "", "print the JSON Schema of the config"},
    {"join", cmd_join,
     "URL --token TOKEN --state DIR [--name NAME] [--proxy URL] [--rejoin] [--policy FILE] "
     "[--serve "
     "DIR] …",
     "enrol this machine with a control plane"},
    {"run", cmd_run, "--state DIR [--policy FILE]", "serve what the control plane assigns"},
    {"sign-url", cmd_sign_url,
     "--secret-file FILE --path PATH --expires-in SECONDS|--expires UNIX_TIME",
     "print a link that holds until then"},
    {"precompress", cmd_precompress,
     "FOLDER [--codings br,zstd,gzip] [--min-bytes N] [--remove-orphans]",
     "make compressed copies beside the files of a folder"},
    {"version", cmd_version, "", "print the version"},
};

static void print_help(FILE *out)
{
    fprintf(out, "farmstead-node: serves static files, and measures itself\n\n");
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        fprintf(out, "  farmstead-node %s %s\n      %s\n", commands[i].name, commands[i].arguments,
                commands[i].help);
}

/* Opens standard descriptors that are closed. Otherwise the next file or socket would take their
 * place, and receive what is meant for them: lines of the log would go into a socket or into a file
 * of the state folder. */
static bool open_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return false;
    return true;
}

/* Exit handlers take away what a thread that hangs on a disk uses once the disk answers. */
static int end(int code)
{
    if (left_threads_any()) {
        fflush(NULL);
        _exit(code);
    }
    return code;
}

int main(int argc, char **argv)
{
    if (!open_standard_descriptors())
        return 1;
    /* A limit on the size of files must act like a full disk (EFBIG), and not end the process. */
    signal(SIGXFSZ, SIG_IGN);
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help(stdout);
        return 0;
    }
    for (size_t i = 0; argc >= 2 && i < ARRAY_LEN(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return end(commands[i].run(argc - 1, argv + 1));
    if (argc < 2)
        fprintf(stderr, "farmstead-node: which command? See farmstead-node --help\n");
    else
        fprintf(stderr, "farmstead-node: there is no command \"%s\"; see farmstead-node --help\n",
                argv[1]);
    return 2;
}
