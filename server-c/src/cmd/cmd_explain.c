/* SPDX-License-Identifier: MIT */
/* cmd_explain.c — farmstead-node explain [--json] [--text-only] FILE URL … : what a config would do with URLs, and by which
 * of its rules.
 *
 * The control plane runs this as explain --json --text-only -, with the URLs on standard input before the config, one a line,
 * and an empty line after them: arguments could be seen by everybody on its machine. */
#include "cmd/commands.h"

#include "base/buf.h"
#include "base/mem.h"
#include "config/config.h"
#include "explain/explain.h"
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

#define URLS_MAX 200
#define URLS_BYTES_MAX (URLS_MAX * 2100)

struct arguments {
    bool as_json, text_only;
    const char *file;
    char **urls;
    size_t url_count;
};

static bool parse_arguments(struct arguments *args, int argc, char **argv)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"text-only", no_argument, NULL, 't'},
                                            {NULL, 0, NULL, 0}};

    *args = (struct arguments){0};
    opterr = 0;
    optind = 1;
    for (int c = getopt_long(argc, argv, "", options, NULL); c != -1;
         c = getopt_long(argc, argv, "", options, NULL)) {
        if (c == 'j')
            args->as_json = true;
        else if (c == 't')
            args->text_only = true;
        else
            return false;
    }
    if (optind >= argc)
        return false;
    args->file = argv[optind];
    args->urls = argv + optind + 1;
    args->url_count = (size_t)(argc - optind - 1);
    return (strcmp(args->file, "-") == 0) == (args->url_count == 0) && args->url_count <= URLS_MAX;
}

static int read_all(int fd, struct buf *text, size_t most)
{
    while (text->len <= most) {
        ssize_t got = read(fd, buf_reserve(text, most + 1 - text->len), most + 1 - text->len);

        if (got == 0)
            return 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        buf_advance(text, (size_t)got);
    }
    return -EFBIG;
}

static int read_file(const char *file, struct buf *text)
{
    int fd, err;

    if (strcmp(file, "-") == 0)
        return read_all(STDIN_FILENO, text, JSON_MAX_BYTES + URLS_BYTES_MAX);
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    err = read_all(fd, text, JSON_MAX_BYTES);
    close(fd);
    return err;
}

/* Takes the lines before the first empty one from `text`, into memory that `lines` keeps. False: there is no such line, or
 * there are too many before it. */
static bool take_urls(struct buf *text, struct buf *lines, char *urls[URLS_MAX],
                      struct arguments *args)
{
    const char *end = memmem(text->data, text->len, "\n\n", 2);
    size_t len = end ? (size_t)(end - text->data) : 0;

    if (!end)
        return false;
    buf_append(lines, text->data, len);
    buf_append_char(lines, '\0');
    buf_consume(text, len + 2);
    args->urls = urls;
    args->url_count = 0;
    for (char *rest = lines->data, *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (args->url_count == URLS_MAX)
            return false;
        urls[args->url_count++] = line;
    }
    return true;
}

/* --- for people ------------------------------------------------------------------------------ */

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static void print_list(const char *label, const json_t *list)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
        printf("  %s %s\n", label, json_is_string(item) ? json_string_value(item) : "(no text)");
}

static void print_one(const json_t *one)
{
    const json_t *field;
    size_t i;

    if (json_object_get(one, "error")) {
        printf("%s\n  %s\n", text_of(one, "url"), text_of(one, "error"));
        return;
    }
    printf("%s\n  %" JSON_INTEGER_FORMAT " %s\n", text_of(one, "url"),
           json_integer_value(json_object_get(one, "status")), text_of(one, "location"));
    if (json_is_null(json_object_get(one, "site")))
        printf("  no site is for this host\n");
    print_list("looks for", json_object_get(one, "files"));
    print_list("by", json_object_get(one, "rules"));
    print_list("not read:", json_object_get(one, "unread"));
    json_array_foreach(json_object_get(one, "headers"), i, field)
    {
        const json_t *value = json_object_get(field, "value");
        const char *from = text_of(field, "from");
        printf("  %s: %s%s%s%s\n", text_of(field, "name"),
               json_is_string(value) ? json_string_value(value) : "(as the file is)",
               *from ? "  [" : "", from, *from ? "]" : "");
    }
}

/* --- */

static bool print(const struct arguments *args, const json_t *answers)
{
    const json_t *one;
    size_t i;

    if (args->as_json)
        return json_dumpf(answers, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF &&
               fflush(stdout) == 0;
    json_array_foreach(answers, i, one) print_one(one);
    return fflush(stdout) == 0;
}

static int explain(const struct arguments *args, struct config *cfg)
{
    struct site_set *sites =
        args->text_only ? site_set_new_unread(cfg) : site_set_new(cfg, NULL, NULL);
    json_t *answers = json_array();
    bool is_printed;

    for (size_t i = 0; i < args->url_count; i++)
        json_array_append_new(answers, explain_url(sites, args->urls[i]));
    is_printed = print(args, answers);
    if (!is_printed)
        perror("farmstead-node: standard output");
    json_decref(answers);
    site_set_put(sites);
    return is_printed ? 0 : 1;
}

static int explain_text(const struct arguments *args, const struct buf *text)
{
    struct config_errors errors = {0};
    struct config *cfg = config_parse(text->data, text->len, &errors);
    int code = 1;

    if (cfg)
        code = explain(args, cfg);
    else
        cmd_say("farmstead-node explain: %s is no config that a node takes: \"farmstead-node "
                "check\" says why",
                args->file);
    config_put(cfg);
    config_errors_fini(&errors);
    return code;
}

int cmd_explain(int argc, char **argv)
{
    struct arguments args;
    struct buf text, lines;
    char *urls[URLS_MAX];
    int err, code = 1;

    if (!parse_arguments(&args, argc, argv)) {
        fputs("usage: farmstead-node explain [--json] [--text-only] FILE URL … (\"-\": standard "
              "input has at most 200 URLs, "
              "one a line, an empty line, and the config)\n",
              stderr);
        return 2;
    }
    buf_init(&text);
    buf_init(&lines);
    err = read_file(args.file, &text);
    if (err)
        cmd_say("farmstead-node explain: can't read %s: %s", args.file, strerror(-err));
    else if (args.url_count == 0 && !take_urls(&text, &lines, urls, &args))
        cmd_say("farmstead-node explain: standard input has no empty line after at most %d URLs",
                URLS_MAX);
    else
        code = explain_text(&args, &text);
    buf_fini(&text);
    buf_fini(&lines);
    return code;
}
