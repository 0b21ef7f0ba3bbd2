/* SPDX-License-Identifier: MIT */
/* config_table_rows.h — what the files of the option table share: forms that many rows have, and
 * where a row's field is. Only config_table*.c include this. */
#ifndef FARMSTEAD_CONFIG_TABLE_ROWS_H
#define FARMSTEAD_CONFIG_TABLE_ROWS_H

#include "config/config.h"
#include "config/config_table.h"

#define FIELD(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define CONFIG(field) FIELD(struct config, field)
#define LIST(type, field, counter) FIELD(type, field), .count_offset = offsetof(type, counter)
#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

/* Both engines take the control characters themselves; the schema writes them as \u0001 and so
 * on. */
#define CONTROLS "\x01-\x1f\x7f"
#define ABSOLUTE_PATH "/[^" CONTROLS "]*"
#define TOKEN "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
#define MEDIA_TYPE TOKEN "/" TOKEN "( *; *" TOKEN "=(" TOKEN "|\"[ !#-~]*\"))*"
#define MEDIA_RANGE "^[!#$%&'+.^_`|~0-9A-Za-z-]+/([!#$%&'+.^_`|~0-9A-Za-z-]+|\\*)$"
#define HOST_LABEL "[0-9A-Za-z_]([0-9A-Za-z_-]*[0-9A-Za-z_])?"
#define HOST_NAME HOST_LABEL "(\\." HOST_LABEL ")*|\\[[0-9A-Fa-f:.]+\\]"

/* The globs of a rule (glob.h). */
#define PATHS_ROW(rule)                                                                            \
    {                                                                                              \
        .name = "paths", .type = OPTION_STRINGS, .title = "Paths",                                 \
        .help =                                                                                    \
            "For which paths. One that begins with \"/\" is a pattern for the whole path, such "   \
            "as \"/private/**\", another one for a file's name, such as \"*.pdf\": \"*\" is "      \
            "anything but \"/\", \"**\" anything, \"?\" one byte. Empty: for every path.",         \
        .default_json = "[]", .min = 1, .max = 512, .max_items = 64,                               \
        .pattern = "^(/[^" CONTROLS "]*|[^/" CONTROLS "]+)$",                                      \
        .form = "a pattern that begins with \"/\", or one of a file's name, without \"/\"",        \
        LIST(struct rule, paths, path_count)                                                       \
    }

#define TYPES_ROW(rule)                                                                            \
    {                                                                                              \
        .name = "types", .type = OPTION_STRINGS, .title = "Media types",                           \
        .help = "For responses of which types: \"text/css\", or \"image/*\" for a whole kind, "    \
                "without parameters. Empty: of every type.",                                       \
        .default_json = "[]", .min = 3, .max = 127, .max_items = 64, .pattern = MEDIA_RANGE,       \
        .form = "a media type without parameters, such as \"text/css\" or \"image/*\"",            \
        LIST(struct rule, types, type_count)                                                       \
    }

/* Where a log goes (log_target.h). */
#define LOG_TARGET                                                                                 \
    "(stdout|stderr|syslog:/[^" CONTROLS                                                           \
    "]+|syslog:([0-9.]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]+|" ABSOLUTE_PATH ")"
#define LOG_TARGET_FORM                                                                            \
    "an absolute path, \"stdout\", \"stderr\", \"syslog:/dev/log\" or \"syslog:192.0.2.7:514\""

/* What the access log of the node and that of a site have in common. `owner` is the struct that has the
 * config_access_log as `access_log`. */
#define ACCESS_LOG_ROWS(owner)                                                                     \
    {.name = "format",                                                                             \
     .type = OPTION_STRING,                                                                        \
     .title = "Format",                                                                            \
     .help = "\"common\", \"combined\" and \"vhost_combined\" (the same after the host) are the "  \
             "formats of that name that log readers know; \"json\" is one object per line. Or a "  \
             "text with fields in braces: \"{client} {host} {status} {totalMicros}\".",            \
     .lighttpd = "accesslog.format",                                                               \
     .default_json = "\"combined\"",                                                               \
     .min = 4,                                                                                     \
     .max = 512,                                                                                   \
     .pattern = "^(common|combined|vhost_combined|json|[^\x01-\x08\x0a-\x1f\x7f]*[{].*)$",         \
     .form = "\"common\", \"combined\", \"vhost_combined\", \"json\", or a text with fields in "   \
             "braces, such as \"{client} {status}\"",                                              \
     FIELD(owner, access_log.format)},                                                             \
        {.name = "maskAddresses",                                                                  \
         .type = OPTION_BOOLEAN,                                                                   \
         .title = "Mask addresses",                                                                \
         .help = "Whether clients' addresses are written without their end: 192.0.2.0 for "        \
                 "192.0.2.7, 2001:db8:1:: for all of 2001:db8:1::/48.",                            \
         .default_json = "false",                                                                  \
         FIELD(owner, access_log.mask_addresses)},                                                 \
        {.name = "paths",                                                                          \
         .type = OPTION_STRINGS,                                                                   \
         .title = "Paths",                                                                         \
         .help = "Only requests for these paths are logged, as clients asked for them: \"/a/**\" " \
                 "is for whole paths, \"*.pdf\" for a file's name. Empty: all are.",               \
         .default_json = "[]",                                                                     \
         .min = 1,                                                                                 \
         .max = 512,                                                                               \
         .max_items = 64,                                                                          \
         .pattern = "^(/[^" CONTROLS "]*|[^/" CONTROLS "]+)$",                                     \
         .form = "a pattern that begins with \"/\", or one of a file's name, without \"/\"",       \
         LIST(owner, access_log.paths, access_log.path_count)},                                    \
        {.name = "exceptPaths",                                                                    \
         .type = OPTION_STRINGS,                                                                   \
         .title = "Paths left out",                                                                \
         .help = "Requests for these paths are not logged, such as \"/health\".",                  \
         .default_json = "[]",                                                                     \
         .min = 1,                                                                                 \
         .max = 512,                                                                               \
         .max_items = 64,                                                                          \
         .pattern = "^(/[^" CONTROLS "]*|[^/" CONTROLS "]+)$",                                     \
         .form = "a pattern that begins with \"/\", or one of a file's name, without \"/\"",       \
         LIST(owner, access_log.except_paths, access_log.except_path_count)},                      \
    {                                                                                              \
        .name = "statuses", .type = OPTION_STRINGS, .title = "Statuses",                           \
        .help = "Only responses with these statuses are logged: \"404\", or \"5xx\" for a whole "  \
                "class. Empty: all are.",                                                          \
        .default_json = "[]", .min = 3, .max = 4, .max_items = 64,                                 \
        .pattern = "^[2-5]([0-9][0-9]|xx)$",                                                       \
        .form = "a status such as \"404\", or a class such as \"4xx\"",                            \
        LIST(owner, access_log.statuses, access_log.status_count)                                  \
    }
/* A map from an error's status to the path of its page. */
#define ERROR_PAGES_FORM                                                                           \
    .type = OPTION_MAP, .min = 2, .max = 1024, .max_items = 64, .pattern = "^/[^" CONTROLS "]+$",  \
    .form = "a path under the root, which begins with \"/\"", .check = config_row_check_segments,  \
    .key_pattern = "^[45]([0-9][0-9]|xx)$",                                                        \
    .key_form = "an error's status, such as \"404\" or \"5xx\""

/* In config_table_limits.c. */
extern const struct option config_limits_members[];
extern const struct option config_stat_cache_members[];
extern const struct option config_file_cache_members[];
extern const struct option config_io_members[];
extern const struct option config_samples_members[];

/* In config_table_compression.c. */
extern const struct option config_compression_members[];

/* In config_table_site.c. */
extern const struct option config_site_members[];

/* In config_table_rules.c: the members of a site's rules. */
extern const struct option config_redirect_members[];
extern const struct option config_rewrite_members[];
extern const struct option config_header_members[];
extern const struct option config_try_files_members[];
extern const struct option config_expires_members[];
extern const struct option config_access_members[];
extern const struct option config_auth_members[];
extern const struct option config_signed_url_members[];
extern const struct option config_hotlink_members[];
extern const struct option config_request_limit_members[];
extern const struct option config_error_rule_members[];
extern const struct option config_maintenance_members[];

/* In config_table_headers.c: rules about what headers say. */
extern const struct option config_cors_members[];
extern const struct option config_security_members[];
extern const struct option config_download_members[];
extern const struct option config_preload_members[];
extern const struct option config_stored_coding_members[];

/* For rows that take proxies: addresses, blocks and "unix". */
const char *config_row_check_proxy(const char *text);

/* For rows that take where a log goes. */
const char *config_row_check_log_target(const char *text);

/* For rows that take a numeric address. */
const char *config_row_check_address(const char *text);

/* For rows that take a host name: an IPv6 address in brackets must be valid. */
const char *config_row_check_host(const char *text);

/* Hints for a text that is not a host name: "::1" → "[::1]", "münchen.de" → "xn--mnchen-3ya.de". */
void config_row_hint_host(struct buf *out, const char *text);
/* Hints for a text that is not a numeric address: "[::1]" → "::1", "localhost" → "127.0.0.1". */
void config_row_hint_address(struct buf *out, const char *text);

/* For rows that take a path: no segment may be "." or "..". */
const char *config_row_check_segments(const char *path);

#endif
