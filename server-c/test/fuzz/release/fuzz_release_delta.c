/* SPDX-License-Identifier: MIT */
/* A difference of anybody's: what is made of it are lines of the base and its own, and it makes no difference in which
 * pieces it comes. */
#include "release/release_delta.h"

#include "base/util.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MADE_MAX (1u << 20)
#define BASE_LINES 300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const char base[] = "ab00000000000000000000000000000000000000000000000000000000000000";
static struct release_store store;
static atomic_bool stopping;

static char folder[] = "/tmp/farmstead-fuzz-delta-XXXXXX";

static void remove_base(void)
{
    char name[RELEASE_CONTENT_LEN + 1];

    release_content_name(name, base, "");
    unlinkat(store.contents_fd, name, 0);
    unlinkat(store.contents_fd, "ab", AT_REMOVEDIR);
    rmdir(folder);
}

static bool put(void *arg, const char *bytes, size_t len)
{
    struct buf *made = arg;

    buf_append(made, bytes, len);
    return made->len < MADE_MAX;
}

/* One content, in a folder that only we have open: lines of "0", "1" and so on. */
static void make_base(void)
{
    char name[RELEASE_CONTENT_LEN + 1];
    FILE *file;

    CHECK(mkdtemp(folder) != NULL);
    store = (struct release_store){.contents_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                                   .stopping = &stopping};
    CHECK(store.contents_fd >= 0 && mkdirat(store.contents_fd, "ab", 0700) == 0);
    release_content_name(name, base, "");
    file = fdopen(openat(store.contents_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), "w");
    CHECK(file != NULL);
    for (int i = 0; i < BASE_LINES; i++)
        fprintf(file, "%d\n", i);
    CHECK(fclose(file) == 0 && atexit(remove_base) == 0);
}

static bool make_in_pieces(const uint8_t *data, size_t len, size_t piece, struct buf *made)
{
    struct release_delta delta;
    bool goes_on = true;

    buf_init(made);
    CHECK(release_delta_init(&delta, &store, base, put, made) == 0);
    for (size_t at = 0; at < len && goes_on; at += piece)
        goes_on = release_delta_take(&delta, (const char *)data + at,
                                     (size_t)smaller_of(piece, len - at));
    CHECK(goes_on || delta.wrong || made->len >= MADE_MAX);
    release_delta_fini(&delta);
    return goes_on;
}

/* Lines of the base come in their order, each at most once. */
static void check_lines(const struct buf *made)
{
    long last = -1;

    for (size_t at = 0; at < made->len;) {
        const char *line = made->data + at, *end = memchr(line, '\n', made->len - at);

        CHECK(end != NULL);
        if (line[0] != '{') {
            long number = strtol(line, NULL, 10);

            CHECK(number > last && number < BASE_LINES);
            last = number;
        }
        at += (size_t)(end + 1 - line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct buf whole, pieces;
    bool is_taken;

    if (!store.stopping)
        make_base();
    is_taken = make_in_pieces(data, len, len + 1, &whole);
    CHECK(make_in_pieces(data, len, 7, &pieces) == is_taken);
    if (is_taken) {
        check_lines(&whole);
        CHECK(whole.len == pieces.len &&
              (whole.len == 0 || memcmp(whole.data, pieces.data, whole.len) == 0));
    }
    buf_fini(&whole);
    buf_fini(&pieces);
    return 0;
}
