/* SPDX-License-Identifier: MIT */
/* mime.h — a file name's suffix → its Content-Type. */
#ifndef FARMSTEAD_MIME_H
#define FARMSTEAD_MIME_H

#include "config.h"
#include "util.h"

/* The type of the file at `path`: the longest suffix of its name that the config knows, else that
 * mime.def knows, else application/octet-stream. Lives as long as cfg. Ignores case. */
const char *mime_type(const struct config *cfg, struct span path);

#endif
