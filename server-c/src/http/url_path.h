/* SPDX-License-Identifier: MIT */
/* url_path.h — the path in a request's target → the path to look up under a site's root.
 *
 * The path is percent-decoded once (RFC 3986 section 2.4), its dot segments are removed (section
 * 5.2.4) and repeated slashes become one. A path that climbs above the root, or that holds a NUL or a
 * control character, is refused, and so is an encoded slash unless a site takes it. This is not the only wall: the kernel confines
 * the look-up once more, see confined_open.h. */
#ifndef FARMSTEAD_URL_PATH_H
#define FARMSTEAD_URL_PATH_H

#include "base/util.h"
#include "http/http_status.h"

#include <stdbool.h>

struct url_path {
    size_t len;     /* of the path in `out`: it begins with '/', a NUL follows */
    bool is_folder; /* ends in '/' */
    bool is_hidden; /* a segment begins with a dot; "/.well-known" (RFC 8615) does not count */
};

/* An encoded slash is data and no separator (RFC 3986 section 2.2), and no file has one in its name. */
enum url_slash {
    URL_SLASH_REFUSE, /* 404 */
    URL_SLASH_KEEP,   /* a name has "%2F" in it */
    URL_SLASH_DECODE  /* it is a slash like any other, before dot segments are removed */
};

/* Writes the path to `out`, at most `cap` bytes with the NUL; raw.len + 2 is always enough. Returns
 * HTTP_OK or the status to refuse with: 400 if the path is malformed, 404 if no file can have that
 * name, 414 if `cap` is too small. */
enum http_status url_path_resolve_as(struct url_path *path, char *out, size_t cap, struct span raw,
                                     enum url_slash encoded_slash);

/* Refuses encoded slashes. */
static inline enum http_status url_path_resolve(struct url_path *path, char *out, size_t cap,
                                                struct span raw)
{
    return url_path_resolve_as(path, out, cap, raw, URL_SLASH_REFUSE);
}

/* The same for a path that is already decoded, as a rewrite makes one: '%' and '\\' stand for
 * themselves. Dot segments are refused, since they came from the client with a host, a query or a
 * piece of its path, and would lead out of the folder that the rewrite meant. `out` and `decoded`
 * must not overlap. */
enum http_status url_path_normalise(struct url_path *path, char *out, size_t cap,
                                    struct span decoded);

/* Percent-encodes a resolved path for Location (RFC 3986 sections 2.1 and 3.3). Returns the length,
 * or 0 when `cap` is too small; 3 * len is always enough. */
size_t url_path_encode(char *out, size_t cap, struct span path);

#endif
