/* SPDX-License-Identifier: MIT */
/* config_table_rules.c — the rows of a site's rules: the options of a redirect, of a header rule,
 * and so on. */
#include "config/config_table_rows.h"
#include "match/address_block.h"

#include <string.h>

#define DIRECTIVE "[a-z]+(-[a-z]+)*(=[0-9]+)?"

#define MATCH_ROW(rule)                                                                            \
    {                                                                                              \
        .name = "match", .type = OPTION_STRING, .title = "Match",                                  \
        .help = "A regular expression (PCRE2) that is looked for in the decoded path.", .min = 1,  \
        .max = 1024, .pattern = "^[^" CONTROLS "]+$",                                              \
        .form = "a regular expression without control characters", FIELD(struct rule, match)       \
    }

static const char *const header_actions[] = {
    [HEADER_SET] = "set", [HEADER_ADD] = "add", [HEADER_REMOVE] = "remove", NULL};
static const char *const expires_froms[] = {
    [EXPIRES_FROM_ACCESS] = "access", [EXPIRES_FROM_MODIFICATION] = "modification", NULL};
static const char *const access_actions[] = {
    [ACCESS_ALLOW] = "allow", [ACCESS_DENY] = "deny", NULL};

static const char *const satisfies[] = {[SATISFY_ALL] = "all", [SATISFY_ANY] = "any", NULL};
static const char *const maintenance_answers[] = {[MAINTENANCE_UNAVAILABLE] = "unavailable",
                                                  [MAINTENANCE_GONE] = "gone",
                                                  [MAINTENANCE_OPEN] = "open",
                                                  NULL};

static const char *check_block(const char *text)
{
    struct address_block block;

    return address_block_parse(&block, text);
}

const char *config_row_check_proxy(const char *text)
{
    return strcmp(text, "unix") == 0 ? NULL : check_block(text);
}

static const char *check_candidate(const char *text)
{
    const char *path = strncmp(text, "{path}", 6) == 0 ? text + 6 : text;

    return *path == '\0' || *path == '4' ? NULL : config_row_check_segments(path);
}

const struct option config_redirect_members[] = {
    MATCH_ROW(config_redirect),
    {.name = "to",
     .type = OPTION_STRING,
     .title = "To",
     .help = "The address to go to: \"$1\" is what the first group took, \"$0\" the whole match, "
             "\"${host}\" the host asked for, \"${query}\" the query, \"$$\" a dollar. Without a "
             "\"?\" in it the query is kept.",
     .min = 1,
     .max = 2048,
     .pattern = "^([Hh][Tt][Tt][Pp][Ss]?://|/|[$])[^ " CONTROLS "]*$",
     .form = "an address without blanks that begins with \"/\", \"http://\", \"https://\" or a "
             "group such as \"$1\"",
     FIELD(struct config_redirect, to)},
    {.name = "status",
     .type = OPTION_INTEGER,
     .title = "Status",
     .help = "301 and 308 are for good, 302 and 307 for now, 303 says where the answer is; 307 "
             "and 308 keep the method.",
     .lighttpd = "url.redirect-code",
     .default_json = "301",
     .min = 301,
     .max = 308,
     FIELD(struct config_redirect, status)},
    {0},
};

const struct option config_rewrite_members[] = {
    MATCH_ROW(config_rewrite),
    {.name = "to",
     .type = OPTION_STRING,
     .title = "To",
     .help = "The path to answer with, with \"$1\" and so on as in a redirect.",
     .min = 1,
     .max = 2048,
     .pattern = "^[/$][^" CONTROLS "]*$",
     .form = "a path that begins with \"/\" or a group such as \"$1\"",
     FIELD(struct config_rewrite, to)},
    {.name = "continue",
     .type = OPTION_BOOLEAN,
     .title = "Go on",
     .help = "Whether the rules after this one get the new path; otherwise the first that matches "
             "is the last.",
     .default_json = "false",
     FIELD(struct config_rewrite, goes_on)},
    {0},
};

const struct option config_try_files_members[] = {
    PATHS_ROW(config_try_files),
    {.name = "candidates",
     .type = OPTION_STRINGS,
     .title = "Candidates",
     .help =
         "What is looked for, in this order, until something is there: \"{path}\" is a file at the "
         "path that was asked for, \"{path}/\" a folder there, \"{path}.html\" and "
         "\"{path}/index.html\" have something behind it, \"/index.html\" is this file of the site "
         "whatever was asked for, and \"404\", \"403\" or \"410\" is that answer. A file for all "
         "paths "
         "stands for no path below /.well-known/ and for none whose name has the suffix of "
         "another media type than HTML: a missing picture stays missing.",
     .min = 1,
     .max = 1024,
     .min_items = 1,
     .max_items = 8,
     .pattern = "^([{]path[}][^" CONTROLS "{}]*|/[^" CONTROLS "{}]*[^/" CONTROLS "{}]|40[34]|410)$",
     .form = "\"{path}\" with or without something behind it, a path such as \"/index.html\", or "
             "\"404\", \"403\" or \"410\"",
     .check = check_candidate,
     LIST(struct config_try_files, candidates, candidate_count)},
    {0},
};

const struct option config_header_members[] = {
    {.name = "action",
     .type = OPTION_ENUM,
     .title = "Action",
     .help = "\"set\" replaces the header, \"add\" sends one more, \"remove\" takes it away, the "
             "server's own among them.",
     .default_json = "\"set\"",
     .words = header_actions,
     FIELD(struct config_header_rule, action)},
    {.name = "name",
     .type = OPTION_STRING,
     .title = "Name",
     .help = "The header's name, in any case.",
     .min = 1,
     .max = 128,
     .pattern = "^" TOKEN "$",
     .form = "a header name: letters, digits and - without blanks",
     FIELD(struct config_header_rule, name)},
    {.name = "value",
     .type = OPTION_STRING,
     .title = "Value",
     .help = "The header's value. Leave it out to remove a header.",
     .default_json = "\"\"",
     .max = 4096,
     .pattern = "^([!-~]([ -~]*[!-~])?)?$",
     .form = "printable ASCII without a blank at either end",
     FIELD(struct config_header_rule, value)},
    PATHS_ROW(config_header_rule),
    TYPES_ROW(config_header_rule),
    {.name = "statuses",
     .type = OPTION_STRINGS,
     .title = "Statuses",
     .help = "In responses of which status: \"404\", or \"4xx\" for a whole class. Empty: of every "
             "status.",
     .default_json = "[]",
     .min = 3,
     .max = 4,
     .max_items = 64,
     .pattern = "^[2-5]([0-9][0-9]|xx)$",
     .form = "a status such as \"404\", or a class such as \"4xx\"",
     LIST(struct config_header_rule, statuses, status_count)},
    {0},
};

const struct option config_expires_members[] = {
    PATHS_ROW(config_expires),
    TYPES_ROW(config_expires),
    {.name = "from",
     .type = OPTION_ENUM,
     .title = "Counted from",
     .help = "When the time begins: with the \"access\" or with the file's last \"modification\".",
     .default_json = "\"access\"",
     .words = expires_froms,
     FIELD(struct config_expires, from)},
    {.name = "maxAgeSeconds",
     .type = OPTION_INTEGER,
     .title = "Time",
     .help = "How long a response may be used without asking again. 0: never.",
     .unit = "seconds",
     .max = 315360000,
     FIELD(struct config_expires, max_age_seconds)},
    {.name = "directives",
     .type = OPTION_STRING,
     .title = "More of Cache-Control",
     .help = "Directives besides max-age, such as \"public, immutable\".",
     .default_json = "\"\"",
     .max = 255,
     .pattern = "^(" DIRECTIVE "( *, *" DIRECTIVE ")*)?$",
     .form = "directives of Cache-Control with commas between, such as \"public, immutable\", or "
             "empty",
     FIELD(struct config_expires, directives)},
    {0},
};

const struct option config_access_members[] = {
    {.name = "action",
     .type = OPTION_ENUM,
     .title = "Action",
     .help = "\"allow\", or \"deny\" with 403.",
     .words = access_actions,
     FIELD(struct config_access, action)},
    PATHS_ROW(config_access),
    {.name = "addresses",
     .type = OPTION_STRINGS,
     .title = "Addresses",
     .help = "For which clients: addresses such as 192.0.2.7 and blocks such as 2001:db8::/32. "
             "Empty: for every client. A client on a Unix socket has no address.",
     .default_json = "[]",
     .min = 2,
     .max = 49,
     .max_items = 1024,
     .pattern = "^[0-9A-Fa-f:.]+(/[0-9]+)?$",
     .form = "an address or a block of them, such as 192.0.2.7 or 2001:db8::/32",
     .check = check_block,
     .hint = config_row_hint_address,
     LIST(struct config_access, addresses, address_count)},
    {0},
};

const struct option config_auth_members[] = {
    PATHS_ROW(config_auth),
    {.name = "realm",
     .type = OPTION_STRING,
     .title = "Realm",
     .help = "What the password is for, as a browser shows it to the one who is asked.",
     .min = 1,
     .max = 128,
     .pattern = "^([ !#-Z^-~]|\\[|\\])+$",
     .form = "printable ASCII without quotes and backslashes",
     FIELD(struct config_auth, realm)},
    {.name = "file",
     .type = OPTION_STRING,
     .title = "Password file",
     .help = "Absolute path of the file with users and hashed passwords, as htpasswd writes it.",
     .lighttpd = "auth.backend.htpasswd.userfile",
     .min = 1,
     .max = 1024,
     .pattern = "^" ABSOLUTE_PATH "$",
     .form = "an absolute path, which begins with \"/\"",
     FIELD(struct config_auth, file)},
    {.name = "users",
     .type = OPTION_STRINGS,
     .title = "Users",
     .help = "Only these users of the file. Empty: all of them.",
     .default_json = "[]",
     .min = 1,
     .max = 255,
     .max_items = 1024,
     .pattern = "^[^:" CONTROLS "]+$",
     .form = "a user's name without \":\"",
     LIST(struct config_auth, users, user_count)},
    {.name = "satisfy",
     .type = OPTION_ENUM,
     .title = "With addresses",
     .help = "\"all\": the client must get past the rules of access and sign in. \"any\": one is "
             "enough. Whom a rule of access allows by its address need not sign in, and whom one "
             "denies may.",
     .default_json = "\"all\"",
     .words = satisfies,
     FIELD(struct config_auth, satisfy)},
    {0},
};

const struct option config_signed_url_members[] = {
    PATHS_ROW(config_signed_url),
    {.name = "secretFile",
     .type = OPTION_STRING,
     .title = "File with the secret",
     .help = "Absolute path of the file that holds the secret, at least 16 bytes. A line end at "
             "its end does not count.",
     .lighttpd = "secdownload.secret",
     .min = 1,
     .max = 1024,
     .pattern = "^" ABSOLUTE_PATH "$",
     .form = "an absolute path, which begins with \"/\"",
     FIELD(struct config_signed_url, secret_file)},
    {0},
};

const struct option config_hotlink_members[] = {
    PATHS_ROW(config_hotlink),
    {.name = "hosts",
     .type = OPTION_STRINGS,
     .title = "Welcome hosts",
     .help = "Hosts whose pages may link here besides this site's own; \"*.example.org\" is every "
             "name that ends in \".example.org\".",
     .default_json = "[]",
     .min = 1,
     .max = 253,
     .max_items = 256,
     .pattern = "^((\\*\\.)?" HOST_NAME ")$",
     .form = "a host name without port, \"*.\" and a name, or an address",
     .check = config_row_check_host,
     .hint = config_row_hint_host,
     LIST(struct config_hotlink, hosts, host_count)},
    {.name = "allowEmpty",
     .type = OPTION_BOOLEAN,
     .title = "Without a Referer too",
     .help = "Whether a request that does not say where it comes from is welcome: many browsers "
             "and proxies leave that out.",
     .default_json = "true",
     FIELD(struct config_hotlink, allow_empty)},
    {0},
};

const struct option config_request_limit_members[] = {
    PATHS_ROW(config_request_limit),
    {.name = "requests",
     .type = OPTION_INTEGER,
     .title = "Requests",
     .help = "How many requests an address may send in the time below, for as long as it likes.",
     .min = 1,
     .max = 100000,
     FIELD(struct config_request_limit, requests)},
    {.name = "perSeconds",
     .type = OPTION_INTEGER,
     .title = "In",
     .help = "The time in which it may send so many.",
     .unit = "seconds",
     .default_json = "1",
     .min = 1,
     .max = 86400,
     FIELD(struct config_request_limit, per_seconds)},
    {.name = "burst",
     .type = OPTION_INTEGER,
     .title = "At once",
     .help = "How many it may send at once after a pause. A page asks for all its pictures, styles "
             "and scripts at once: leave room for them.",
     .default_json = "50",
     .min = 1,
     .max = 100000,
     FIELD(struct config_request_limit, burst)},
    {0},
};

const struct option config_maintenance_members[] = {
    {.name = "answer",
     .type = OPTION_ENUM,
     .title = "Answer",
     .help = "\"unavailable\" is 503 with Retry-After: search engines come again. \"gone\" is 410: "
             "they forget the pages. \"open\" is as ever, for paths that a later rule would close.",
     .default_json = "\"unavailable\"",
     .words = maintenance_answers,
     FIELD(struct config_maintenance, answer)},
    PATHS_ROW(config_maintenance),
    {.name = "except",
     .type = OPTION_STRINGS,
     .title = "Except for",
     .help = "Addresses and blocks of them for which all is as ever, such as your own.",
     .default_json = "[]",
     .min = 2,
     .max = 49,
     .max_items = 1024,
     .pattern = "^[0-9A-Fa-f:.]+(/[0-9]+)?$",
     .form = "an address or a block of them, such as 192.0.2.7 or 2001:db8::/32",
     .check = check_block,
     .hint = config_row_hint_address,
     LIST(struct config_maintenance, except, except_count)},
    {.name = "retrySeconds",
     .type = OPTION_INTEGER,
     .title = "Come again in",
     .help = "The Retry-After of a 503.",
     .unit = "seconds",
     .default_json = "600",
     .min = 1,
     .max = 31536000,
     FIELD(struct config_maintenance, retry_seconds)},
    {0},
};

const struct option config_error_rule_members[] = {
    PATHS_ROW(config_error_rule),
    {.name = "languages",
     .type = OPTION_STRINGS,
     .title = "Languages",
     .help =
         "For visitors who read one of these, by Accept-Language: \"de\" is for \"de-AT\", too. "
         "Empty: for everybody.",
     .default_json = "[]",
     .min = 1,
     .max = 35,
     .max_items = 16,
     .pattern = "^[A-Za-z]{1,8}(-[0-9A-Za-z]{1,8})*$",
     .form = "a tag of a language, such as \"de\" or \"pt-BR\"",
     LIST(struct config_error_rule, languages, language_count)},
    {.name = "pages",
     ERROR_PAGES_FORM,
     .title = "Pages",
     .help = "The files by status, as in errorPages.",
     .min_items = 1,
     LIST(struct config_error_rule, pages, page_count)},
    {0},
};
