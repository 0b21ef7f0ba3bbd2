/* SPDX-License-Identifier: MIT */
/* redirect_list_read.c — line by line: words between blanks, each checked where it stands. */
#include "base/mem.h"
#include "base/text_pos.h"
#include "http/url_path.h"
#include "match/redirect_list_parts.h"
#include "match/url_template.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#define DEFAULT_STATUS 301

/* --- what is wrong --------------------------------------------------------------------------- */

/* A line of the text, and where in it we are. */
struct reading {
    struct redirect_list *list;
    struct redirect_problems *problems;
    struct span line;
    uint32_t number;
    size_t at;
    size_t bytes_len; /* of list->bytes */
};

static uint32_t column_of(struct span line, size_t offset)
{
    struct text_pos pos = TEXT_POS_START;

    while (pos.offset < offset && text_pos_step(&pos, line.ptr, line.len))
        ;
    return pos.offset < offset ? (uint32_t)offset + 1 : pos.column; /* not UTF-8: in bytes */
}

void redirect_report(struct redirect_problems *problems, uint32_t line, uint32_t column,
                     const char *format, ...)
{
    struct redirect_problem *problem;
    va_list args;

    if (problems->count == REDIRECT_LIST_PROBLEMS)
        return;
    problem = &problems->items[problems->count++];
    problem->line = line;
    problem->column = column;
    va_start(args, format);
    vsnprintf(problem->text, sizeof(problem->text), format, args);
    va_end(args);
}

#define WRONG(reading, offset, ...)                                                                \
    (redirect_report((reading)->problems, (reading)->number, column_of((reading)->line, (offset)), \
                     __VA_ARGS__),                                                                 \
     false)

/* --- a rule ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes what stands up to the next blank. Empty at the end of the line, and before a comment. */
static struct span take_word(struct reading *reading)
{
    struct span line = reading->line;
    size_t start;

    while (reading->at < line.len && is_blank(line.ptr[reading->at]))
        reading->at++;
    start = reading->at;
    if (start < line.len && line.ptr[start] == '#')
        return (struct span){line.ptr + start, 0};
    while (reading->at < line.len && !is_blank(line.ptr[reading->at]))
        reading->at++;
    return (struct span){line.ptr + start, reading->at - start};
}

static size_t offset_of(const struct reading *reading, struct span word)
{
    return (size_t)(word.ptr - reading->line.ptr);
}

static bool begins_with(struct span word, const char *text)
{
    size_t len = strlen(text);

    return word.len >= len && strncasecmp(word.ptr, text, len) == 0;
}

static bool check_to(struct reading *reading, struct span to)
{
    size_t offset = offset_of(reading, to);

    if (to.len == 0)
        return WRONG(reading, offset, "the address to go to is missing");
    if (to.len > REDIRECT_LIST_PATH_MAX)
        return WRONG(reading, offset, "the address is %zu bytes long: %d are the most", to.len,
                     REDIRECT_LIST_PATH_MAX);
    if (to.ptr[0] != '/' && to.ptr[0] != '$' && !begins_with(to, "http://") &&
        !begins_with(to, "https://"))
        return WRONG(reading, offset,
                     "the address \"%.*s\" must begin with \"/\", \"http://\" or \"https://\"",
                     redirect_shown_len(to), to.ptr);
    if (to.ptr[to.len - 1] == ';')
        return WRONG(reading, offset + to.len - 1,
                     "no rule ends with \";\" (in an address it is %%3B)");
    return true;
}

/* As paths, the wildcards of other servers' files would silently fit nothing that anybody asks for. */
static bool check_wildcards(struct reading *reading, struct span from)
{
    const char *star = memchr(from.ptr, '*', from.len);
    const char *name = memmem(from.ptr, from.len, "/:", 2);

    if (star)
        return WRONG(reading, offset_of(reading, (struct span){star, 1}),
                     "\"*\" stands for nothing but itself: write an expression, such as "
                     "\"~^/a/(.*)$\" with $1 in the address (in a name it is %%2A)");
    if (name)
        return WRONG(reading, offset_of(reading, (struct span){name + 1, 1}),
                     "\":\" names no part of a path: write an expression, such as "
                     "\"~^/a/([^/]+)$\" with $1 in the address (in a name it is %%3A)");
    return true;
}

static bool read_status(struct reading *reading, uint32_t *status)
{
    struct span word = take_word(reading), more = take_word(reading);

    *status = DEFAULT_STATUS;
    if (word.len == 0)
        return true;
    *status = 0;
    for (size_t i = 0; i < word.len && word.len == 3; i++)
        *status = *status * 10 + (uint32_t)(unsigned char)word.ptr[i] - '0';
    if (!url_rule_is_redirect(*status))
        return WRONG(reading, offset_of(reading, word),
                     "\"%.*s\" is not the status of a redirect: 301, 302, 303, 307 or 308 (a blank "
                     "in an address is %%20)",
                     redirect_shown_len(word), word.ptr);
    if (more.len > 0)
        return WRONG(reading, offset_of(reading, more),
                     "\"%.*s\" is too much: a rule ends with "
                     "its status",
                     redirect_shown_len(more), more.ptr);
    return true;
}

static bool add_pattern(struct reading *reading, struct span from, struct span to, uint32_t status)
{
    struct redirect_list *list = reading->list;
    struct url_rule_error error = {0};
    char match[REDIRECT_LIST_MATCH_MAX + 1], address[REDIRECT_LIST_PATH_MAX + 1];
    struct url_rule *rule;

    if (from.len - 1 > REDIRECT_LIST_MATCH_MAX)
        return WRONG(reading, offset_of(reading, from),
                     "the expression is %zu bytes long: %d are the most", from.len - 1,
                     REDIRECT_LIST_MATCH_MAX);
    memcpy(match, from.ptr + 1, from.len - 1);
    match[from.len - 1] = '\0';
    memcpy(address, to.ptr, to.len);
    address[to.len] = '\0';
    rule = url_rule_new(match, address, &error);
    if (!rule)
        return WRONG(reading,
                     offset_of(reading, error.is_in_to ? to : from) + error.offset +
                         !error.is_in_to,
                     "%s", error.message);
    list->patterns =
        xreallocarray(list->patterns, list->pattern_count + 1, sizeof(*list->patterns));
    list->patterns[list->pattern_count++] = (struct redirect_pattern){rule, status};
    return true;
}

/* Writes the path as rules see it. An encoded slash stays one, as in sites that keep it; in the
 * others no path has one. */
static bool write_from(struct reading *reading, struct span from, struct redirect_exact *exact)
{
    struct url_path path;
    const char *mark = memchr(from.ptr, '?', from.len);
    size_t offset = offset_of(reading, from);
    enum http_status status;

    if (from.len > REDIRECT_LIST_PATH_MAX)
        return WRONG(reading, offset, "the path is %zu bytes long: %d are the most", from.len,
                     REDIRECT_LIST_PATH_MAX);
    if (!mark)
        mark = memchr(from.ptr, '#', from.len);
    if (mark)
        return WRONG(reading, offset_of(reading, (struct span){mark, 1}),
                     "a rule is for a path, with any query: leave out what follows the \"%c\" (in "
                     "a name it is %%%02X)",
                     *mark, (unsigned)*mark);
    status = url_path_resolve_as(&path, reading->list->bytes + reading->bytes_len, from.len + 2,
                                 from, URL_SLASH_KEEP);
    if (status != HTTP_OK)
        return WRONG(reading, offset,
                     "no client can ask for the path \"%.*s\": in it are a lone \"%%\", a "
                     "backslash, a control character or dots that lead above the root",
                     redirect_shown_len(from), from.ptr);
    exact->from = (uint32_t)reading->bytes_len;
    exact->from_len = (uint16_t)path.len;
    reading->bytes_len += path.len;
    return true;
}

static bool add_exact(struct reading *reading, struct span from, struct span to, uint32_t status)
{
    struct redirect_list *list = reading->list;
    struct redirect_exact exact = {.line = reading->number, .status = (uint16_t)status};
    struct url_template template;
    struct url_rule_error error = {0};

    if (!check_wildcards(reading, from) || !write_from(reading, from, &exact))
        return false;
    exact.to = (uint32_t)reading->bytes_len;
    memcpy(list->bytes + exact.to, to.ptr, to.len);
    list->bytes[exact.to + to.len] = '\0';
    reading->bytes_len += to.len + 1;
    if (!url_template_init(&template, list->bytes + exact.to, 0, &error))
        return WRONG(reading, offset_of(reading, to) + error.offset, "%s", error.message);
    url_template_fini(&template);
    if (list->exact_count % 1024 == 0)
        list->exacts = xreallocarray(list->exacts, list->exact_count + 1024, sizeof(*list->exacts));
    list->exacts[list->exact_count++] = exact;
    return true;
}

static bool has_room(struct reading *reading, bool is_pattern)
{
    const struct redirect_list *list = reading->list;

    if (list->exact_count + list->pattern_count == REDIRECT_LIST_RULES)
        return WRONG(reading, 0, "%d rules are the most", REDIRECT_LIST_RULES);
    if (is_pattern && list->pattern_count == REDIRECT_LIST_PATTERNS)
        return WRONG(reading, 0,
                     "%d rules with \"~\" are the most: they are tried one after the other",
                     REDIRECT_LIST_PATTERNS);
    return true;
}

static bool read_rule(struct reading *reading, struct span from)
{
    bool is_pattern = from.ptr[0] == '~';
    struct span to;
    uint32_t status;

    if (!has_room(reading, is_pattern))
        return false;
    if (!is_pattern && from.ptr[0] != '/')
        return WRONG(reading, offset_of(reading, from),
                     "\"%.*s\" must be a path that begins with \"/\", without a host, or \"~\" and "
                     "an expression",
                     redirect_shown_len(from), from.ptr);
    to = take_word(reading);
    if (!check_to(reading, to) || !read_status(reading, &status))
        return false;
    return is_pattern ? add_pattern(reading, from, to, status)
                      : add_exact(reading, from, to, status);
}

/* --- the text -------------------------------------------------------------------------------- */

static bool check_bytes(struct reading *reading)
{
    for (size_t i = 0; i < reading->line.len; i++) {
        unsigned char c = (unsigned char)reading->line.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return WRONG(reading, i, "a control character (0x%02x): the file must be text", c);
    }
    return true;
}

static void read_line(struct reading *reading)
{
    struct span from;

    if (reading->line.len > 0 && reading->line.ptr[reading->line.len - 1] == '\r')
        reading->line.len--;
    reading->at = 0;
    if (!check_bytes(reading))
        return;
    from = take_word(reading);
    if (from.len > 0)
        read_rule(reading, from);
}

static void read_lines(struct reading *reading, struct span text)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors put it before UTF-8 */

    if (text.len >= 3 && memcmp(text.ptr, mark, 3) == 0)
        text = (struct span){text.ptr + 3, text.len - 3};
    /* After so many problems somebody has named something else than a list of redirects. */
    while (text.len > 0 && reading->problems->count < REDIRECT_LIST_PROBLEMS) {
        const char *end = memchr(text.ptr, '\n', text.len);
        reading->line = (struct span){text.ptr, end ? (size_t)(end - text.ptr) : text.len};
        reading->number++;
        text.len -= reading->line.len + (end != NULL);
        text.ptr += reading->line.len + (end != NULL);
        read_line(reading);
    }
}

void redirect_list_read(struct redirect_list *list, struct span text,
                        struct redirect_problems *problems)
{
    struct reading reading = {.list = list, .problems = problems};

    list->bytes = xmalloc(text.len + 4); /* what is kept of a line is no longer than the line */
    read_lines(&reading, text);
    list->bytes = xrealloc(list->bytes, reading.bytes_len + 1);
}
