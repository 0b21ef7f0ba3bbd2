/* SPDX-License-Identifier: MIT */
/* Any path, encoded or decoded already: what is accepted begins at the root, never leaves it, has no
 * NUL, is its own normal form, and comes back from its encoded form. */
#include "http/url_path.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_resolved(const char *path, size_t len)
{
    CHECK(path[0] == '/' && path[len] == '\0' && memchr(path, '\0', len) == NULL);
    CHECK(strstr(path, "//") == NULL && strstr(path, "/./") == NULL);
    CHECK(strstr(path, "/../") == NULL);
    CHECK(len < 2 || strcmp(path + len - 2, "/.") != 0);
    CHECK(len < 3 || strcmp(path + len - 3, "/..") != 0);
}

static void check_round_trip(const char *path, size_t len)
{
    char *encoded = malloc(3 * len), *again = malloc(3 * len + 2);
    size_t encoded_len = url_path_encode(encoded, 3 * len, (struct span){path, len});
    struct url_path resolved;

    CHECK(encoded_len >= len);
    CHECK(url_path_resolve(&resolved, again, 3 * len + 2, (struct span){encoded, encoded_len}) ==
          HTTP_OK);
    CHECK(resolved.len == len && memcmp(again, path, len) == 0);
    free(encoded);
    free(again);
}

static void check_accepted(const char *out, const struct url_path *path, size_t raw_len)
{
    char *again = malloc(path->len + 2);
    struct url_path normal;

    CHECK(path->len <= raw_len + 1);
    CHECK(path->is_folder == (out[path->len - 1] == '/'));
    check_resolved(out, path->len);
    check_round_trip(out, path->len);
    CHECK(url_path_normalise(&normal, again, path->len + 2, (struct span){out, path->len}) ==
          HTTP_OK);
    CHECK(normal.len == path->len && memcmp(again, out, path->len) == 0);
    CHECK(normal.is_hidden == path->is_hidden);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const enum url_slash slashes[] = {URL_SLASH_KEEP, URL_SLASH_DECODE};
    static enum http_status (*const ways[])(struct url_path *, char *, size_t,
                                            struct span) = {url_path_resolve, url_path_normalise};
    struct span raw = {(const char *)data, len};
    char *out = malloc(len + 2);
    struct url_path path;

    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        enum http_status status = ways[i](&path, out, len + 2, raw);
        CHECK(status == HTTP_OK || status == HTTP_BAD_REQUEST || status == HTTP_NOT_FOUND);
        if (status == HTTP_OK)
            check_accepted(out, &path, len);
    }
    for (size_t i = 0; i < ARRAY_LEN(slashes); i++)
        if (url_path_resolve_as(&path, out, len + 2, raw, slashes[i]) == HTTP_OK)
            check_accepted(out, &path, len);
    free(out);
    return 0;
}
