/* SPDX-License-Identifier: MIT */
/* glob.c — goes along pattern and text, and back to the last star when they differ.
 *
 * Only the last '*' and the last "**" are ever tried again. Whatever comes before a "**" has ended
 * as early as possible, and so left the most for it. And when a '*' after a "**" can take no more,
 * because of a '/', a later start in the same segment would not have helped: the "**" then takes
 * the whole segment. So each byte of the pattern meets a byte of the text at most a constant number
 * of times. */
#include "match/glob.h"

#include <string.h>
#include <strings.h>

struct glob_walk {
    const char *pattern;
    const char *text, *end;
    /* Where to continue after a '*' and after a "**", and the first byte that it has not taken; or
     * NULL. */
    const char *star, *star_text;
    const char *stars, *stars_text;
};

/* Takes one or more stars from the pattern. */
static void take_star(struct glob_walk *walk)
{
    bool is_double = walk->pattern[1] == '*';

    while (*walk->pattern == '*')
        walk->pattern++;
    walk->star = is_double ? NULL : walk->pattern;
    walk->star_text = walk->text;
    if (is_double) {
        walk->stars = walk->pattern;
        walk->stars_text = walk->text;
    }
}

/* Lets the last star take more of the text. False if none can. */
static bool try_again(struct glob_walk *walk)
{
    if (walk->star && walk->star_text < walk->end && *walk->star_text != '/') {
        walk->pattern = walk->star;
        walk->text = ++walk->star_text;
        return true;
    }
    if (!walk->stars || walk->stars_text == walk->end)
        return false;
    if (walk->star) {
        size_t rest = (size_t)(walk->end - walk->stars_text);
        walk->stars_text = memchr(walk->stars_text, '/', rest);
        if (!walk->stars_text)
            return false;
        walk->star = NULL;
    }
    walk->pattern = walk->stars;
    walk->text = ++walk->stars_text;
    return true;
}

static bool byte_is(char wanted, char c)
{
    return wanted == '?' ? c != '/' : wanted == c && wanted != '\0';
}

bool glob_match(const char *pattern, struct span text)
{
    struct glob_walk walk = {.pattern = pattern, .text = text.ptr, .end = text.ptr + text.len};

    for (;;) {
        if (*walk.pattern == '*') {
            take_star(&walk);
            if (*walk.pattern == '\0' && !walk.star) /* "**" at the end takes the rest */
                return true;
        } else if (walk.text < walk.end && byte_is(*walk.pattern, *walk.text)) {
            walk.pattern++, walk.text++;
        } else if (walk.text == walk.end && *walk.pattern == '\0') {
            return true;
        } else if (!try_again(&walk)) {
            return false;
        }
    }
}

bool glob_path_in(char *const *patterns, size_t count, struct span path)
{
    const char *slash = memrchr(path.ptr, '/', path.len);
    struct span last = path;

    if (slash)
        last = (struct span){slash + 1, path.len - (size_t)(slash + 1 - path.ptr)};
    for (size_t i = 0; i < count; i++)
        if (glob_match(patterns[i], patterns[i][0] == '/' ? path : last))
            return true;
    return count == 0;
}

bool glob_path_chosen(const struct glob_choice *choice, struct span path)
{
    return glob_path_in(choice->patterns, choice->count, path) &&
           !(choice->exception_count > 0 &&
             glob_path_in(choice->exceptions, choice->exception_count, path));
}

static bool type_is(const char *wanted, const char *type, size_t len)
{
    size_t wanted_len = strlen(wanted);

    if (strcmp(wanted, "*/*") == 0)
        return true;
    if (wanted_len > 2 && strcmp(wanted + wanted_len - 2, "/*") == 0)
        return len >= wanted_len && strncasecmp(wanted, type, wanted_len - 1) == 0;
    return len == wanted_len && strncasecmp(wanted, type, len) == 0;
}

bool glob_type_in(char *const *types, size_t count, const char *type)
{
    size_t len = strcspn(type, "; \t");

    for (size_t i = 0; i < count; i++)
        if (type_is(types[i], type, len))
            return true;
    return count == 0;
}
