/* SPDX-License-Identifier: MIT */
/* mime.h — a file name's suffix → its Content-Type. */
#ifndef FARMSTEAD_MIME_H
#define FARMSTEAD_MIME_H

#include "base/util.h"
#include "config/config.h"

#include <stdbool.h>

/* A Content-Type in the two parts it is written from, so that nobody has to join them in memory.
 * Both live as long as the config. */
struct mime_type {
    const char *name;    /* "text/css"; with its parameters if the config has some */
    const char *charset; /* the value of "; charset="; NULL: none is sent */
};

/* The type of the file at `path`: that of the longest suffix of its name that the config lists,
 * else that mime.def lists, else the config's default. Case does not count. A type from the config
 * is sent as it is written there; a text type from mime.def gets the config's charset (RFC 9110
 * section 8.3). */
struct mime_type mime_type(const struct config *cfg, struct span path);

/* The type of what is in a file that is stored compressed. */
struct mime_type mime_type_inside(const struct config *cfg, struct span path,
                                  const struct config_stored_coding *stored);

/* Is a file of this name compressed by the definition of its format (.svgz)? Then a compressed copy
 * of it makes no sense. */
bool mime_is_coded(struct span path);
/* The Content-Encoding (RFC 9110 section 8.4) of a file for which mime_is_coded() is true and whose
 * type is `type`; NULL: none. NULL also when the config gives it a type that names the compressed
 * format, such as application/gzip: then the compression is part of the type. */
const char *mime_coding(struct mime_type type, struct span path);

#endif
