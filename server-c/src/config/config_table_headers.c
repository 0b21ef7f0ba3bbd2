/* SPDX-License-Identifier: MIT */
/* config_table_headers.c — the rows of rules that say by headers how answers may be used. */
#include "config/config_table_rows.h"

#include <string.h>

/* "https://app.example.org:443" is written without the port by browsers, so it would never be
 * equal. */
static const char *check_origin(const char *text)
{
    const char *port = strrchr(text, ':');

    if ((strncmp(text, "https:", 6) == 0 && strcmp(port, ":443") == 0) ||
        (strncmp(text, "http:", 5) == 0 && strcmp(port, ":80") == 0))
        return "has the usual port, which browsers leave out";
    return NULL;
}

const struct option config_cors_members[] = {
    PATHS_ROW(config_cors),
    {.name = "origins",
     .type = OPTION_STRINGS,
     .title = "Origins",
     .help = "Whose pages may read the answers: origins as browsers write them, such as "
             "\"https://app.example.org\" or \"http://localhost:5173\"; \"*\" alone for every one; "
             "\"null\" for pages without one, such as files on a disk and frames in a sandbox.",
     .min = 1,
     .max = 300,
     .min_items = 1,
     .max_items = 256,
     .pattern = "^(\\*|null|[a-z][a-z0-9+.-]*://([0-9a-z._-]+|\\[[0-9a-f:.]+\\])(:[0-9]{1,5})?)$",
     .form = "an origin in lower case without a path, such as \"https://app.example.org\", \"*\" "
             "or \"null\"",
     .check = check_origin,
     LIST(struct config_cors, origins, origin_count)},
    {.name = "methods",
     .type = OPTION_STRINGS,
     .title = "Methods",
     .help = "What such pages may send. The node answers no other methods.",
     .default_json = "[\"GET\", \"HEAD\"]",
     .min = 3,
     .max = 7,
     .min_items = 1,
     .max_items = 3,
     .pattern = "^(GET|HEAD|OPTIONS)$",
     .form = "\"GET\", \"HEAD\" or \"OPTIONS\"",
     LIST(struct config_cors, methods, method_count)},
    {.name = "headers",
     .type = OPTION_STRINGS,
     .title = "Headers of requests",
     .help = "Which headers such pages may send besides those that are always allowed; "
             "\"Authorization\" has to be named, \"*\" are all others.",
     .default_json = "[]",
     .min = 1,
     .max = 128,
     .max_items = 64,
     .pattern = "^" TOKEN "$",
     .form = "a header name: letters, digits and - without blanks",
     LIST(struct config_cors, headers, header_count)},
    {.name = "exposedHeaders",
     .type = OPTION_STRINGS,
     .title = "Headers of answers",
     .help = "Which headers of answers such pages may read besides those that are always allowed "
             "(Cache-Control, Content-Language, Content-Length, Content-Type, Expires, "
             "Last-Modified): \"ETag\", \"Content-Range\", or \"*\" for all.",
     .default_json = "[]",
     .min = 1,
     .max = 128,
     .max_items = 64,
     .pattern = "^" TOKEN "$",
     .form = "a header name: letters, digits and - without blanks",
     LIST(struct config_cors, exposed_headers, exposed_header_count)},
    {.name = "credentials",
     .type = OPTION_BOOLEAN,
     .title = "With passwords",
     .help = "Whether browsers may send passwords, certificates and cookies along. Never with "
             "\"*\": then every page could read what its visitor may read.",
     .default_json = "false",
     FIELD(struct config_cors, credentials)},
    {.name = "maxAgeSeconds",
     .type = OPTION_INTEGER,
     .title = "Remember for",
     .help = "How long a browser that asked first need not ask again. Chromium takes two hours at "
             "most, Firefox a day. 0: it asks each time.",
     .unit = "seconds",
     .default_json = "600",
     .max = 86400,
     FIELD(struct config_cors, max_age_seconds)},
    {0},
};
