/* SPDX-License-Identifier: MIT */
/* path_watch.c — few paths, so they are compared one by one. */
#include "measure/path_watch.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static bool is_below(const struct watched_path *watched, const struct watched_answer *answer)
{
    if (answer->path.len < watched->path_len ||
        memcmp(answer->path.ptr, watched->path, watched->path_len) != 0)
        return false;
    return watched->host_len == 0 ||
           (answer->host.len == watched->host_len &&
            strncasecmp(answer->host.ptr, watched->host, watched->host_len) == 0);
}

static bool ends_in(struct span path, const char *ending)
{
    size_t len = strlen(ending);

    return path.len >= len && strncasecmp(path.ptr + path.len - len, ending, len) == 0;
}

static bool is_page(struct span path)
{
    const char *slash = path.len > 0 ? memrchr(path.ptr, '/', path.len) : NULL;
    const char *last = slash ? slash + 1 : path.ptr;

    return ends_in(path, ".html") || ends_in(path, ".htm") ||
           memchr(last, '.', (size_t)(path.ptr + path.len - last)) == NULL;
}

void path_watch_count(const struct path_watch *watch, struct watched_counts *into,
                      const struct watched_answer *answer)
{
    for (size_t i = 0; i < watch->count; i++) {
        uint64_t *row = into->rows[i];
        if (!is_below(&watch->paths[i], answer))
            continue;
        row[WATCH_REQUESTS]++;
        if (answer->status == 404)
            row[WATCH_404]++;
        if (answer->status == 200 && answer->is_get && is_page(answer->path)) {
            row[WATCH_PAGES]++;
            row[WATCH_PAGE_BYTES] += answer->body_bytes;
        }
    }
}

void watched_counts_add(struct watched_counts *into, const struct watched_counts *more)
{
    if (into->id[0] == '\0')
        memcpy(into->id, more->id, sizeof(into->id));
    if (strcmp(into->id, more->id) != 0)
        return;
    for (size_t i = 0; i < PATH_WATCH_MAX; i++)
        for (int j = 0; j < WATCH_COUNTER_COUNT; j++)
            into->rows[i][j] += more->rows[i][j];
}
