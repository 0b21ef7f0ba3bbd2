/* SPDX-License-Identifier: MIT */
/* path_mask.c — first which patterns are for the path, then segment by segment what is written. */
#include "match/path_mask.h"

#include "base/utf8.h"
#include "match/glob.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6" /* U+2026 */

/* Takes the next segment and the slashes before it. False: there is none; the slashes are taken. */
static bool next_segment(struct span *rest, struct span *slashes, struct span *segment)
{
    *slashes = (struct span){rest->ptr, 0};
    while (slashes->len < rest->len && rest->ptr[slashes->len] == '/')
        slashes->len++;
    *segment = (struct span){rest->ptr + slashes->len, 0};
    while (slashes->len + segment->len < rest->len && segment->ptr[segment->len] != '/')
        segment->len++;
    rest->ptr = segment->ptr + segment->len;
    rest->len -= slashes->len + segment->len;
    return segment->len > 0;
}

static bool is_rest(struct span segment)
{
    return segment.len == 2 && memcmp(segment.ptr, "**", 2) == 0;
}

static bool has_wildcard(struct span segment)
{
    return memchr(segment.ptr, '*', segment.len) || memchr(segment.ptr, '?', segment.len);
}

static bool matches(struct span wanted, struct span segment)
{
    char pattern[PATH_MASK_PATTERN_LEN + 1];

    if (wanted.len > PATH_MASK_PATTERN_LEN)
        return false;
    memcpy(pattern, wanted.ptr, wanted.len);
    pattern[wanted.len] = '\0';
    return glob_match(pattern, segment);
}

static bool is_for(const char *pattern, struct span path)
{
    struct span rest = {pattern, strlen(pattern)}, slashes, wanted, segment;

    while (next_segment(&rest, &slashes, &wanted)) {
        if (is_rest(wanted))
            return true;
        if (!next_segment(&path, &slashes, &segment) || !matches(wanted, segment))
            return false;
    }
    return true;
}

/* The patterns that are for the path, each at its next segment. */
struct mask {
    struct span left[PATH_MASK_PATTERNS_MAX];
    size_t count;
};

/* Is the next segment of the path one that is not shown? *is_rest_hidden: neither is what follows. */
static bool hides(struct mask *mask, bool *is_rest_hidden)
{
    bool hidden = false;

    for (size_t i = 0; i < mask->count; i++) {
        struct span slashes, wanted;
        if (!next_segment(&mask->left[i], &slashes, &wanted))
            continue;
        *is_rest_hidden = *is_rest_hidden || is_rest(wanted);
        hidden = hidden || has_wildcard(wanted);
    }
    return hidden;
}

struct text {
    char *out;
    size_t len, max;
    bool is_full;
};

static void put(struct text *text, const char *bytes, size_t len)
{
    if (text->is_full || text->len + len > text->max) {
        text->is_full = true;
        return;
    }
    memcpy(text->out + text->len, bytes, len);
    text->len += len;
}

static bool is_control(const char *bytes, size_t len)
{
    uint32_t code = utf8_decode(bytes, len);

    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

static void put_readable(struct text *text, struct span bytes)
{
    while (bytes.len > 0 && !text->is_full) {
        size_t len = utf8_sequence_len(bytes.ptr, bytes.len);
        size_t taken = len ? len : 1;
        if (len == 0 || is_control(bytes.ptr, len))
            put(text, "?", 1);
        else
            put(text, bytes.ptr, len);
        bytes.ptr += taken;
        bytes.len -= taken;
    }
}

static size_t cut(struct text *text)
{
    size_t room = text->max - strlen(ELLIPSIS);

    text->len = utf8_cut(text->out, text->len, room);
    memcpy(text->out + text->len, ELLIPSIS, strlen(ELLIPSIS));
    return text->len + strlen(ELLIPSIS);
}

size_t path_mask(char *out, size_t max, struct span path, char *const *patterns, size_t count)
{
    struct text text = {.out = out, .max = max};
    struct mask mask = {.count = 0};
    struct span slashes, segment;
    bool is_rest_hidden = false;

    for (size_t i = 0; i < count && mask.count < PATH_MASK_PATTERNS_MAX; i++)
        if (is_for(patterns[i], path))
            mask.left[mask.count++] = (struct span){patterns[i], strlen(patterns[i])};
    while (!is_rest_hidden && !text.is_full) {
        bool is_last = !next_segment(&path, &slashes, &segment);
        put(&text, slashes.ptr, slashes.len);
        if (is_last)
            break;
        if (hides(&mask, &is_rest_hidden))
            put(&text, PATH_MASK, strlen(PATH_MASK));
        else
            put_readable(&text, segment);
    }
    return text.is_full ? cut(&text) : text.len;
}
