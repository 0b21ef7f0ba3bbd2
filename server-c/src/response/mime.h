/* SPDX-License-Identifier: MIT */
/* mime.h — a file name's suffix → its Content-Type. */
#ifndef FARMSTEAD_MIME_H
#define FARMSTEAD_MIME_H

#include "base/util.h"
#include "config/config.h"

#include <stdbool.h>

/* A Content-Type in the two parts it is written from, so that nobody has to put it together: both
 * live as long as the config. */
struct mime_type {
    const char *name;    /* "text/css"; with its parameters when the config has some */
    const char *charset; /* what "; charset=" is to say; NULL: nothing */
};

/* The type of the file at `path`: the longest suffix of its name that the config knows, else that
 * mime.def knows, else the config's default. Ignores case. What the config gives is sent as it is
 * written; text of mime.def gets the config's charset. */
struct mime_type mime_type(const struct config *cfg, struct span path);

/* Are the bytes of a file of such a name compressed by the format's own definition (.svgz)? Then there is
 * no sense in a compressed copy of it. */
bool mime_is_coded(struct span path);
/* The Content-Encoding of such a file whose type is `type`; NULL: none. A type of the config's own that
 * names the compressed format is not one of what is within. */
const char *mime_coding(struct mime_type type, struct span path);

#endif
