/* SPDX-License-Identifier: MIT */
/* cmd_precompress.c — farmstead-node precompress FOLDER: makes the compressed copies of a tree at the
 * highest levels, before it is served. */
#include "cmd/commands.h"

#include "config/config.h"
#include "deploy/precompress.h"
#include "machine/machine.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USAGE                                                                                      \
    "usage: farmstead-node precompress FOLDER [--codings br,zstd,gzip] [--min-bytes N] "           \
    "[--remove-orphans]\n"
#define MIN_BYTES 1024
#define MIN_BYTES_MAX (1 << 30)

static int bad_usage(const char *what)
{
    fprintf(stderr, "farmstead-node precompress: %s; %s", what, USAGE);
    return 2;
}

static bool parse_codings(struct precompress_options *options, char *list)
{
    unsigned seen = 0;

    options->coding_count = 0;
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        enum http_coding coding = http_coding_named(name);
        if (coding == CODING_IDENTITY || coding >= CODING_SIBLINGS_END ||
            (seen & 1u << coding) != 0)
            return false;
        seen |= 1u << coding;
        options->codings[options->coding_count++] = coding;
    }
    return options->coding_count > 0;
}

static bool parse_bytes(struct precompress_options *options, const char *text)
{
    char *end;
    unsigned long long value;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    options->min_bytes = value;
    return errno == 0 && *end == '\0' && value >= 1 && value <= MIN_BYTES_MAX;
}

/* 0, or the exit code. */
static int parse(struct precompress_options *options, int argc, char **argv)
{
    static const struct option names[] = {{"codings", required_argument, NULL, 'c'},
                                          {"min-bytes", required_argument, NULL, 'm'},
                                          {"remove-orphans", no_argument, NULL, 'r'},
                                          {NULL, 0, NULL, 0}};

    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (c == 'r')
            options->removes_orphans = true;
        else if (c == 'c' && !parse_codings(options, optarg))
            return bad_usage("--codings is a list of br, zstd and gzip");
        else if (c == 'm' && !parse_bytes(options, optarg))
            return bad_usage("--min-bytes is a number from 1 to 1073741824");
        else if (c == '?')
            return bad_usage("an option is unknown or without its value");
    }
    if (optind != argc - 1 || argv[optind][0] == '\0')
        return bad_usage("one folder is needed");
    options->folder = argv[optind];
    return 0;
}

static void say(const char *path, const char *what, bool is_failure)
{
    cmd_say("farmstead-node precompress: %s%s: %s", is_failure ? "" : "note: ", path, what);
}

/* Media types are those of a node without options. */
static struct config *default_config(void)
{
    static const char text[] = "{\"sites\": [{\"hosts\": [\"*\"], \"root\": \"/\"}]}";
    struct config_errors errors = {0};
    struct config *cfg = config_parse(text, sizeof(text) - 1, &errors);

    config_errors_fini(&errors);
    return cfg;
}

static int print_result(const char *folder, const struct precompress_result *result)
{
    int written = printf("%s: %zu files; copies: %zu made, %zu up to date, %zu not worth it, "
                         "%zu removed, %zu without a file; %zu failed\n",
                         folder, result->files, result->made, result->current, result->worthless,
                         result->removed, result->orphans, result->failed);

    if (written < 0 || fflush(stdout) == EOF) {
        perror("farmstead-node: standard output");
        return 1;
    }
    return result->failed > 0 ? 1 : 0;
}

int cmd_precompress(int argc, char **argv)
{
    struct precompress_options options = {.codings = {CODING_BR, CODING_ZSTD, CODING_GZIP},
                                          .coding_count = 3,
                                          .min_bytes = MIN_BYTES,
                                          .say = say};
    struct precompress_result result;
    struct config_machine machine;
    struct config *cfg;
    int code = parse(&options, argc, argv), err;

    if (code)
        return code;
    machine_read(&machine);
    options.threads = machine.processors;
    options.cfg = cfg = default_config();
    err = precompress_run(&options, &result);
    config_put(cfg);
    if (err == -EWOULDBLOCK)
        cmd_say("farmstead-node precompress: %s: another precompress is at work there",
                options.folder);
    else if (err)
        cmd_say("farmstead-node precompress: %s: %s", options.folder, strerror(-err));
    return err ? 1 : print_result(options.folder, &result);
}
