/* SPDX-License-Identifier: MIT */
/* url_path.h — a target's path → the path to look up under a site's root.
 *
 * Decoded once, dot segments removed, slashes collapsed. A path that climbs above the root or
 * holds a NUL, a control character or an encoded slash is refused. The kernel confines the look-up
 * once more (confined_open.h); this is not the only wall. */
#ifndef FARMSTEAD_URL_PATH_H
#define FARMSTEAD_URL_PATH_H

#include "base/util.h"
#include "http/http_status.h"

#include <stdbool.h>

struct url_path {
    size_t len;     /* of what is in `out`; it begins with '/' and a NUL follows */
    bool is_folder; /* ends in '/' */
    bool is_hidden; /* a segment begins with a dot, "/.well-known/" (RFC 8615) aside */
};

/* Writes the path to `out`, at most `cap` bytes with the NUL; raw.len + 2 is always enough.
 * HTTP_OK, or the status to refuse with: 400 malformed, 404 no file can have that name. */
enum http_status url_path_resolve(struct url_path *path, char *out, size_t cap, struct span raw);

/* The same for a path that is decoded already, as a rewrite makes one: '%' and '\\' are themselves.
 * Dot segments are refused: they come from the client, by way of a host, a query or a piece of a
 * path, and would lead out of the folder that the rewrite puts them in. `out` and `decoded` must not
 * overlap. */
enum http_status url_path_normalise(struct url_path *path, char *out, size_t cap,
                                    struct span decoded);

/* Percent-encodes a resolved path for Location. Returns the length, or 0 when `cap` is too small;
 * 3 * len is always enough. */
size_t url_path_encode(char *out, size_t cap, struct span path);

#endif
