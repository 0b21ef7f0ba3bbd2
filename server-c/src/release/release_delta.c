/* SPDX-License-Identifier: MIT */
/* release_delta.c — line by line, from whatever pieces it comes in. */
#include "release/release_delta.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BASE_BYTES (256u << 10)
#define DIGITS_MAX 7 /* RELEASE_LINES_MAX has as many */

int release_delta_init(struct release_delta *delta, const struct release_store *store,
                       const char *base, release_delta_put *put, void *arg)
{
    char name[RELEASE_CONTENT_LEN + 1];

    *delta = (struct release_delta){.store = store, .put = put, .arg = arg};
    release_content_name(name, base, "");
    delta->base_fd = openat(store->contents_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (delta->base_fd < 0)
        return -1;
    delta->bytes = xmalloc(BASE_BYTES);
    buf_init(&delta->begun);
    return 0;
}

void release_delta_fini(struct release_delta *delta)
{
    close(delta->base_fd);
    free(delta->bytes);
    buf_fini(&delta->begun);
}

static bool fail(struct release_delta *delta, const char *wrong)
{
    delta->wrong = wrong;
    return false;
}

static bool read_base(struct release_delta *delta)
{
    ssize_t got;

    do
        got = read(delta->base_fd, delta->bytes, BASE_BYTES);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail(delta, "the earlier manifest cannot be read");
    if (got == 0)
        return fail(delta, "it names more lines than the earlier manifest has");
    delta->at = 0;
    delta->end = (size_t)got;
    return true;
}

/* Where so many lines end in what is there of the base; fewer may: `lines` is what is then left. */
static size_t find_end(const struct release_delta *delta, uint64_t *lines)
{
    size_t at = delta->at;

    while (*lines > 0) {
        const char *newline = memchr(delta->bytes + at, '\n', delta->end - at);

        if (!newline)
            return delta->end;
        at = (size_t)(newline + 1 - delta->bytes);
        --*lines;
    }
    return at;
}

static bool pass_lines(struct release_delta *delta, uint64_t lines, bool keeps)
{
    while (lines > 0) {
        size_t from, to;

        if (atomic_load(delta->store->stopping) || (delta->at == delta->end && !read_base(delta)))
            return false;
        from = delta->at;
        to = find_end(delta, &lines);
        delta->at = to;
        if (keeps && !delta->put(delta->arg, delta->bytes + from, to - from))
            return false;
    }
    return true;
}

/* `len` is without the newline, which follows. */
static bool take_line(struct release_delta *delta, const char *line, size_t len)
{
    uint64_t lines = 0;

    if (len > 0 && line[0] == '{')
        return delta->put(delta->arg, line, len + 1);
    if (len < 2 || len > 1 + DIGITS_MAX || (line[0] != '=' && line[0] != '-'))
        return fail(delta, "it has a line of none of its three forms");
    for (size_t i = 1; i < len; i++) {
        if (line[i] < '0' || line[i] > '9')
            return fail(delta, "it has a line of none of its three forms");
        lines = lines * 10 + (uint64_t)(line[i] - '0');
    }
    return pass_lines(delta, lines, line[0] == '=');
}

bool release_delta_take(struct release_delta *delta, const char *bytes, size_t len)
{
    delta->taken += len;
    while (len > 0) {
        const char *newline = memchr(bytes, '\n', len);
        size_t part = newline ? (size_t)(newline - bytes) : len;
        bool goes_on = true;

        if (delta->begun.len + part > RELEASE_LINE_BYTES)
            return fail(delta, "it has a line of more than 64 KiB");
        if (!newline || delta->begun.len > 0)
            buf_append(&delta->begun, bytes, part);
        if (!newline)
            return true;
        if (delta->begun.len > 0) {
            buf_append_char(&delta->begun, '\n');
            goes_on = take_line(delta, delta->begun.data, delta->begun.len - 1);
        } else {
            goes_on = take_line(delta, bytes, part);
        }
        buf_clear(&delta->begun);
        if (!goes_on)
            return false;
        bytes += part + 1, len -= part + 1;
    }
    return true;
}
