/* SPDX-License-Identifier: MIT */
/* cmd_check.c — farmstead-node check [--text-only] [--json] [--environment] [--policy FILE] [--state DIR] FILE|-
 *
 * The control plane runs this with --text-only --json, so that its verdict on a config is the
 * node's own. */
#include "cmd/commands.h"

#include "base/buf.h"
#include "check/config_check.h"
#include "check/config_check_bounds.h"
#include "check/config_check_advice.h"
#include "check/config_check_sizes.h"
#include "config/config.h"
#include "owner/bounds.h"
#include "owner/owner_file.h"
#include "text/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    bool text_only;
    bool as_json;
    bool has_variables;
    const char *policy, *state_dir; /* NULL: there is none */
    const char *file;
};

static bool parse_arguments(struct arguments *args, int argc, char **argv)
{
    static const struct option options[] = {
        {"text-only", no_argument, NULL, 't'},   {"json", no_argument, NULL, 'j'},
        {"environment", no_argument, NULL, 'e'}, {"policy", required_argument, NULL, 'p'},
        {"state", required_argument, NULL, 's'}, {NULL, 0, NULL, 0}};

    *args = (struct arguments){0};
    opterr = 0;
    optind = 1;
    for (int c = getopt_long(argc, argv, "", options, NULL); c != -1;
         c = getopt_long(argc, argv, "", options, NULL)) {
        if (c == 't')
            args->text_only = true;
        else if (c == 'j')
            args->as_json = true;
        else if (c == 'e')
            args->has_variables = true;
        else if (c == 'p')
            args->policy = optarg;
        else if (c == 's')
            args->state_dir = optarg;
        else
            return false;
    }
    if (optind != argc - 1)
        return false;
    args->file = argv[optind];
    return true;
}

/* 0, or -1 with the reason on standard error. */
static int take_bounds(const struct arguments *args)
{
    struct buf why;
    int err = 0;

    buf_init(&why);
    if (args->policy != NULL)
        err = owner_file_set_bounds(args->policy, args->state_dir, &why);
    else if (args->state_dir != NULL)
        bounds_set(NULL, "", args->state_dir);
    if (err != 0)
        fprintf(stderr, "farmstead-node check: %s\n", why.data);
    buf_fini(&why);
    return err;
}

/* Stops one byte beyond the limit: the parser then reports that the text is too large. */
static int read_all(int fd, struct buf *text)
{
    while (text->len <= JSON_MAX_BYTES) {
        size_t room = JSON_MAX_BYTES + 1 - text->len;
        ssize_t got = read(fd, buf_reserve(text, room), room);

        if (got == 0)
            return 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        buf_advance(text, (size_t)got);
    }
    return 0;
}

static int read_file(const char *file, struct buf *text)
{
    int fd, err;

    if (strcmp(file, "-") == 0)
        return read_all(STDIN_FILENO, text);
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    err = read_all(fd, text);
    close(fd);
    return err;
}

/* `kind` precedes the sentence of each finding. */
static void print_findings(const char *file, const char *kind, const struct config_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        const struct config_error *error = &errors->items[i];
        bool has_hint = *error->hint != '\0';

        cmd_say("%s:%" PRIu32 ":%" PRIu32 ": %s%s%s%s%s [%s, %s]", file, error->line, error->column,
                kind, error->message, has_hint ? " (" : "", error->hint, has_hint ? ")" : "",
                error->pointer, error->code);
    }
    if (errors->dropped > 0)
        cmd_say("%s: and %zu more", file, errors->dropped);
}

static json_t *error_json(const struct config_error *error)
{
    return json_pack("{ss sI sI sI sI ss ss ss}", "pointer", error->pointer, "line",
                     (json_int_t)error->line, "column", (json_int_t)error->column, "endLine",
                     (json_int_t)error->end_line, "endColumn", (json_int_t)error->end_column,
                     "code", error->code, "message", error->message, "hint", error->hint);
}

static json_t *list_json(const struct config_errors *findings)
{
    json_t *list = json_array();

    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(list, error_json(&findings->items[i]));
    return list;
}

/* Returns false if standard output did not take it. */
static bool print_json(const struct config *cfg, const struct config_errors *errors,
                       const struct config_errors *warnings)
{
    json_t *answer;
    bool is_written;

    answer = json_pack("{sb ss? so sI so}", "ok", errors->count == 0, "digest",
                       cfg != NULL ? cfg->digest : NULL, "errors", list_json(errors), "dropped",
                       (json_int_t)errors->dropped, "warnings", list_json(warnings));
    is_written = json_dumpf(answer, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF &&
                 fflush(stdout) == 0;
    json_decref(answer);
    return is_written;
}

/* Like print_json(), but findings go to standard error. */
static bool print_text(const char *name, const struct config *cfg,
                       const struct config_errors *errors, const struct config_errors *warnings)
{
    print_findings(name, "", errors);
    print_findings(name, "warning: ", warnings);
    return errors->count > 0 ||
           (printf("%s: right, %s\n", name, cfg->digest) > 0 && fflush(stdout) == 0);
}

static int check_text(const struct arguments *args, const struct buf *text)
{
    struct config_errors errors = {0}, warnings = {0};
    struct config_sizes sizes;
    struct config *cfg = args->has_variables
                             ? config_parse_with_variables(text->data, text->len, &errors)
                             : config_parse(text->data, text->len, &errors);
    const char *name = strcmp(args->file, "-") == 0 ? "stdin" : args->file;
    bool is_right, is_printed = true;

    if (cfg != NULL && args->text_only) {
        config_check_bounds_text(cfg, &errors);
    } else if (cfg != NULL) {
        config_check_machine(cfg, NULL, &errors);
        config_check_fit(&sizes, cfg, &warnings);
    }
    if (cfg != NULL)
        config_check_advise(cfg, &warnings);
    if (args->as_json)
        is_printed = print_json(cfg, &errors, &warnings);
    else
        is_printed = print_text(name, cfg, &errors, &warnings);
    if (!is_printed)
        perror("farmstead-node: standard output");
    is_right = errors.count == 0;
    config_put(cfg);
    config_errors_fini(&errors);
    config_errors_fini(&warnings);
    return is_right && is_printed ? 0 : 1;
}

int cmd_check(int argc, char **argv)
{
    struct arguments args;
    struct buf text;
    int err;

    if (!parse_arguments(&args, argc, argv)) {
        fputs("usage: farmstead-node check [--text-only] [--json] [--environment] [--policy FILE] "
              "[--state DIR] FILE (\"-\": standard input)\n",
              stderr);
        return 2;
    }
    if (take_bounds(&args) != 0)
        return 1;
    buf_init(&text);
    err = read_file(args.file, &text);
    if (err == 0)
        err = check_text(&args, &text);
    else
        cmd_say("farmstead-node: can't read %s: %s", args.file, strerror(-err));
    buf_fini(&text);
    bounds_clear();
    return err == 0 ? 0 : 1;
}
