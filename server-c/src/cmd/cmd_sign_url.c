/* SPDX-License-Identifier: MIT */
/* cmd_sign_url.c — farmstead-node sign-url: makes a link to a path that a site's `signedUrls`
 * protects.
 *
 * PATH is as in a link, without the query. What is signed and printed is the path in the form in
 * which the node will understand it. */
#include "cmd/commands.h"

#include "auth/secret_file.h"
#include "base/mem.h"
#include "http/url_path.h"
#include "match/signed_url.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define USAGE                                                                                      \
    "usage: farmstead-node sign-url --secret-file FILE --path PATH --expires-in SECONDS "          \
    "(or --expires UNIX_TIME)\n"

struct arguments {
    const char *secret_file, *path;
    const char *expires, *expires_in;
};

static int bad_usage(const char *what)
{
    fprintf(stderr, "farmstead-node sign-url: %s; %s", what, USAGE);
    return 2;
}

/* 0, or the exit code. */
static int parse(struct arguments *args, int argc, char **argv)
{
    static const struct option options[] = {{"secret-file", required_argument, NULL, 'f'},
                                            {"path", required_argument, NULL, 'p'},
                                            {"expires", required_argument, NULL, 'e'},
                                            {"expires-in", required_argument, NULL, 'i'},
                                            {NULL, 0, NULL, 0}};

    *args = (struct arguments){0};
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        const char **value = c == 'f'   ? &args->secret_file
                             : c == 'p' ? &args->path
                             : c == 'e' ? &args->expires
                             : c == 'i' ? &args->expires_in
                                        : NULL;
        if (!value || *value)
            return bad_usage("an option is unknown, given twice or without its value");
        *value = optarg;
    }
    if (optind < argc)
        return bad_usage("an argument too many");
    if (!args->secret_file || !args->path || !args->expires == !args->expires_in)
        return bad_usage("a secret file, a path and one time are needed");
    return 0;
}

static bool parse_seconds(int64_t *seconds, const char *text)
{
    *seconds = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9' || *seconds > SIGNED_URL_EXPIRES_MAX)
            return false;
        *seconds = *seconds * 10 + (*p - '0');
    }
    return *text != '\0' && *seconds <= SIGNED_URL_EXPIRES_MAX;
}

/* 0, or the exit code. */
static int parse_expires(int64_t *expires, const struct arguments *args)
{
    const char *text = args->expires ? args->expires : args->expires_in;

    if (!parse_seconds(expires, text))
        return bad_usage("the time is a number of seconds, at most 9999999999");
    if (args->expires_in)
        *expires += wall_clock_seconds();
    return *expires <= SIGNED_URL_EXPIRES_MAX ? 0 : bad_usage("the time is too far ahead");
}

static int read_secret(struct secret *secret, const char *file)
{
    int err = secret_file_read(secret, file);

    if (err) {
        cmd_say("farmstead-node sign-url: %s %s", file, secret_file_problem(err));
        return 1;
    }
    if (secret->is_exposed)
        cmd_say("farmstead-node sign-url: warning: every user of this machine may read %s", file);
    return 0;
}

static int print_link(struct span path, int64_t expires, const char *signature)
{
    char *encoded = xmalloc(3 * path.len + 1);
    size_t len = url_path_encode(encoded, 3 * path.len, path);
    int err = printf("%.*s?expires=%" PRId64 "&signature=%s\n", (int)len, encoded, expires,
                     signature) < 0 ||
              fflush(stdout) == EOF;

    free(encoded);
    if (err)
        perror("farmstead-node: standard output");
    return err ? 1 : 0;
}

static int sign(struct span path, int64_t expires, const char *secret_file)
{
    char signature[SIGNED_URL_SIGNATURE_LEN + 1];
    struct secret secret;
    int code = read_secret(&secret, secret_file);
    bool is_signed;

    if (code)
        return code;
    is_signed = signed_url_sign(signature, (struct span){(const char *)secret.bytes, secret.len},
                                path, expires);
    secret_wipe(&secret);
    if (is_signed)
        return print_link(path, expires, signature);
    fputs("farmstead-node sign-url: OpenSSL has no HMAC-SHA256; see its openssl.cnf\n", stderr);
    return 1;
}

int cmd_sign_url(int argc, char **argv)
{
    struct arguments args;
    struct url_path path;
    int64_t expires;
    size_t cap;
    char *resolved;
    int code = parse(&args, argc, argv);

    if (!code)
        code = parse_expires(&expires, &args);
    if (code)
        return code;
    cap = strlen(args.path) + 2;
    resolved = xmalloc(cap);
    if (args.path[0] != '/' || strpbrk(args.path, "?#") ||
        url_path_resolve(&path, resolved, cap, (struct span){args.path, cap - 2}) != HTTP_OK)
        code = bad_usage("the path begins with / and is one that the node would serve, without a "
                         "query");
    else
        code = sign((struct span){resolved, path.len}, expires, args.secret_file);
    free(resolved);
    return code;
}
