/* SPDX-License-Identifier: MIT */
/* Any bytes as another node's request: what is taken names one tree and paths that stay in it, and it makes no difference
 * in which pieces it comes. */
#include "neighbours/neighbour_request.h"

#include "base/mem.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Below a folder, and below nothing else. */
static void check_path(const char *path)
{
    size_t len = strlen(path);

    CHECK(len > 0 && len <= RELEASE_PATH_LEN && path[0] != '/' && path[len - 1] != '/');
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        size_t name = strcspn(part, "/");

        CHECK(name > 0 && !(name == 1 && part[0] == '.') &&
              !(name == 2 && part[0] == '.' && part[1] == '.'));
    }
}

static void check_paths(const char *bytes, size_t len)
{
    struct neighbour_paths paths;
    char *body = xmemdup(bytes, len);

    if (neighbour_paths_read(&paths, body, len) == NULL) {
        CHECK(paths.count > 0 && paths.count <= NEIGHBOUR_PATHS_MAX);
        for (size_t i = 0; i < paths.count; i++) {
            CHECK(paths.items[i] >= body && paths.items[i] < body + len);
            check_path(paths.items[i]);
        }
    }
    free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *bytes = (const char *)data;
    struct neighbour_request whole, piece;
    enum parse parsed = neighbour_request_read(&whole, bytes, len), in_pieces = PARSE_MORE;

    for (size_t end = 0; end < len && in_pieces == PARSE_MORE; end += len / 16 + 1)
        in_pieces = neighbour_request_read(&piece, bytes, end);
    if (in_pieces == PARSE_MORE)
        in_pieces = neighbour_request_read(&piece, bytes, len);
    CHECK(in_pieces == parsed);
    check_paths(bytes, len);
    if (parsed == PARSE_OK) {
        CHECK(release_is_sha256(whole.manifest));
        CHECK(whole.head_len <= len && whole.head_len <= NEIGHBOUR_HEAD_BYTES);
        CHECK(whole.body_len > 0 && whole.body_len <= NEIGHBOUR_BODY_BYTES);
        CHECK(strlen(whole.pass) > 0 && strlen(whole.pass) <= NEIGHBOUR_PASS_LEN);
        CHECK(strcmp(whole.pass, piece.pass) == 0 && whole.from == piece.from);
        check_paths(bytes + whole.head_len, smaller_of(whole.body_len, len - whole.head_len));
    } else if (parsed == PARSE_BAD) {
        CHECK(whole.status >= 400 && whole.why != NULL);
    }
    return 0;
}
