/* SPDX-License-Identifier: MIT */
/* A pattern, a line feed and a text: the answer of the plain table in glob_reference.h, and no
 * pattern is slow with that text over and over. */
#include "match/glob.h"
#include "base/util.h"

#include "../../support/glob_reference.h"

#include <string.h>

#define REFERENCE_CELLS 100000
#define LONG_LEN 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_time(const char *pattern, struct span text)
{
    char *again = malloc(LONG_LEN);
    clock_t start = clock();

    for (size_t i = 0; i < LONG_LEN; i++)
        again[i] = text.len > 0 ? text.ptr[i % text.len] : 'a';
    (void)glob_match(pattern, (struct span){again, LONG_LEN});
    CHECK(strlen(pattern) > 100 || clock() - start < CLOCKS_PER_SEC);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const char *input = (const char *)data, *end = memchr(data, '\n', len);
    size_t pattern_len = end ? (size_t)(end - input) : len;
    char *pattern = strndup(input, pattern_len), *patterns[] = {pattern};
    struct span text = {"", 0};
    bool fits;

    if (end)
        text = (struct span){end + 1, len - pattern_len - 1};
    fits = glob_match(pattern, text);
    if ((pattern_len + 1) * (text.len + 1) < REFERENCE_CELLS)
        CHECK(fits == glob_reference(pattern, text.ptr, text.len));
    if (pattern[0] == '/')
        CHECK(glob_path_in(patterns, 1, text) == fits);
    (void)glob_type_in(patterns, 1, pattern);
    if (len % 16 == 0) /* most of the time is for finding wrong answers */
        check_time(pattern, text);
    free(pattern);
    return 0;
}
