/* SPDX-License-Identifier: MIT */
/* cmd_serve_folder.c — the config of "serve FOLDER": a folder as it is, for a first look, for those
 * who can reach the address. Who asks for what is said on standard output. */
#include "cmd/commands.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The number that the text is, or the text itself: the config's own check then says what is wrong
 * with it. */
static json_t *port_json(const char *port)
{
    char *end;
    unsigned long number = strtoul(port, &end, 10);

    if (*port >= '0' && *port <= '9' && *end == '\0' && strlen(port) <= 5)
        return json_integer((json_int_t)number);
    return json_string(port);
}

bool cmd_folder_config(struct buf *out, const char *folder, const char *address, const char *port)
{
    char *path = realpath(folder, NULL), *text = NULL;
    json_t *config =
        json_pack("{s[{ss so}] s{ss} s[{s[s] ss s{sb}}]}", "listen", "address", address, "port",
                  port_json(port), "accessLog", "path", "stdout", "sites", "hosts", "*", "root",
                  path != NULL ? path : folder, "directoryListing", "enabled", 1);

    if (config != NULL)
        text = json_dumps(config, JSON_COMPACT);
    if (text != NULL)
        buf_append_str(out, text);
    json_decref(config);
    free(text);
    free(path);
    return text != NULL;
}
