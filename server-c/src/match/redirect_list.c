/* SPDX-License-Identifier: MIT */
/* redirect_list.c — the paths and addresses one after the other in one piece of memory, an array of
 * rules that point into it, and a hash table of their numbers: a few allocations however many rules
 * there are, so that the last one who holds a list, which may be a loop, frees it at once.
 *
 * The address of an exact rule is parsed again for each request that gets it; parsed ones
 * would take three allocations per rule. */
#include "match/redirect_list.h"

#include "base/mem.h"
#include "http/url_path.h"
#include "match/redirect_list_parts.h"
#include "match/url_template.h"

#include <inttypes.h>
#include <string.h>

#define NONE UINT32_MAX

/* --- the table ------------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t seed, struct span path)
{
    uint64_t hash = seed, word;
    size_t i = 0;

    for (; path.len - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, path.ptr + i, sizeof(word));
        hash = (hash ^ word ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    }
    word = (uint64_t)path.len << 56;
    memcpy(&word, path.ptr + i, path.len - i);
    hash = (hash ^ word ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static struct span from_of(const struct redirect_list *list, uint32_t number)
{
    const struct redirect_exact *exact = &list->exacts[number];

    return (struct span){list->bytes + exact->from, exact->from_len};
}

/* Returns the slot that has the rule for `path`, or the free one in which it would be. */
static uint32_t *slot_of(const struct redirect_list *list, struct span path)
{
    size_t at = (size_t)hash_of(list->seed, path) & list->slot_mask;

    for (;; at = (at + 1) & list->slot_mask) {
        uint32_t number = list->slots[at];
        struct span from;
        if (number == NONE)
            return &list->slots[at];
        from = from_of(list, number);
        if (from.len == path.len && memcmp(from.ptr, path.ptr, path.len) == 0)
            return &list->slots[at];
    }
}

static void fill_table(struct redirect_list *list, struct redirect_problems *problems)
{
    size_t slots = 2;

    while (slots < 2 * list->exact_count)
        slots *= 2;
    list->slot_mask = slots - 1;
    list->slots = xreallocarray(NULL, slots, sizeof(*list->slots));
    memset(list->slots, 0xff, slots * sizeof(*list->slots)); /* all are NONE */
    for (uint32_t i = 0; i < list->exact_count && problems->count < REDIRECT_LIST_PROBLEMS; i++) {
        uint32_t *slot = slot_of(list, from_of(list, i));
        struct span from = from_of(list, i);
        if (*slot == NONE)
            *slot = i;
        else
            redirect_report(problems, list->exacts[i].line, 1,
                            "\"%.*s\" has a rule in line %" PRIu32 " already",
                            redirect_shown_len(from), from.ptr, list->exacts[*slot].line);
    }
}

/* --- loops ----------------------------------------------------------------------------------- */

static enum url_rule_result write_exact(const struct redirect_list *list, uint32_t number,
                                        const struct url_rule_subject *subject, char *out,
                                        size_t cap, size_t *len)
{
    struct span groups[URL_TEMPLATE_GROUPS] = {subject->path};
    struct url_template template;
    struct url_rule_error error;
    enum url_rule_result result = URL_RULE_MATCH;

    CHECK(url_template_init(&template, list->bytes + list->exacts[number].to, 0, &error));
    if (template.has_host && subject->host.len == 0)
        result = URL_RULE_NO_HOST;
    else if (!url_template_write(&template, groups, subject, URL_RULE_FOR_LOCATION, out, cap, len))
        result = URL_RULE_TOO_LONG;
    url_template_fini(&template);
    return result;
}

/* The exact rule that a client gets to by following rule `number` on this host, or NONE. */
static uint32_t next_of(const struct redirect_list *list, uint32_t number)
{
    struct url_rule_subject subject = {from_of(list, number), {0}, {0}};
    char location[6 * REDIRECT_LIST_PATH_MAX], target[6 * REDIRECT_LIST_PATH_MAX];
    struct url_path path;
    size_t len;

    if (write_exact(list, number, &subject, location, sizeof(location) - 1, &len) !=
            URL_RULE_MATCH ||
        location[0] != '/' || (len > 1 && location[1] == '/'))
        return NONE;
    location[len] = '\0';
    if (url_path_resolve_as(&path, target, sizeof(target),
                            (struct span){location, strcspn(location, "?#")},
                            URL_SLASH_KEEP) != HTTP_OK)
        return NONE;
    return *slot_of(list, (struct span){target, path.len});
}

static void report_loop(struct redirect_problems *problems, const struct redirect_list *list,
                        const uint32_t *next, uint32_t number)
{
    struct span from = from_of(list, number);

    if (next[number] == number)
        redirect_report(problems, list->exacts[number].line, 1, "\"%.*s\" leads to itself",
                        redirect_shown_len(from), from.ptr);
    else
        redirect_report(problems, list->exacts[number].line, 1,
                        "\"%.*s\" leads back to itself, by way of line %" PRIu32,
                        redirect_shown_len(from), from.ptr, list->exacts[next[number]].line);
}

/* Follows each rule until a path is not among them, or was passed before: in the same walk this is a
 * loop, in an earlier one it was judged then. */
static void find_loops(const struct redirect_list *list, struct redirect_problems *problems)
{
    uint32_t *next = xcalloc(list->exact_count, sizeof(*next));
    uint32_t *walk = xcalloc(list->exact_count, sizeof(*walk)); /* 0: not passed yet */

    for (uint32_t i = 0; i < list->exact_count && problems->count < REDIRECT_LIST_PROBLEMS; i++) {
        uint32_t at = i;
        while (at != NONE && walk[at] == 0) {
            walk[at] = i + 1;
            next[at] = next_of(list, at);
            at = next[at];
        }
        if (at != NONE && walk[at] == i + 1)
            report_loop(problems, list, next, at);
    }
    free(next);
    free(walk);
}

/* --- a list ---------------------------------------------------------------------------------- */

static void free_list(struct redirect_list *list)
{
    for (size_t i = 0; i < list->pattern_count; i++)
        url_rule_free(list->patterns[i].rule);
    free(list->patterns);
    free(list->exacts);
    free(list->slots);
    free(list->bytes);
    free(list);
}

struct redirect_list *redirect_list_parse(struct span text, struct redirect_problems *problems)
{
    struct redirect_list *list = xcalloc(1, sizeof(*list));

    CHECK(text.len <= REDIRECT_LIST_BYTES);
    problems->count = 0;
    atomic_init(&list->refs, 1);
    digest_sha256(list->digest, text.ptr, text.len);
    /* Who writes a text can't choose paths that all fall into one chain: any of them changes this. */
    memcpy(&list->seed, list->digest + DIGEST_LEN - sizeof(list->seed), sizeof(list->seed));
    redirect_list_read(list, text, problems);
    fill_table(list, problems);
    if (problems->count == 0)
        find_loops(list, problems);
    if (problems->count == 0)
        return list;
    free_list(list);
    return NULL;
}

struct redirect_list *redirect_list_get(struct redirect_list *list)
{
    if (list)
        atomic_fetch_add_explicit(&list->refs, 1, memory_order_relaxed);
    return list;
}

void redirect_list_put(struct redirect_list *list)
{
    /* Release: each thread's last use comes before the free. Acquire: the free comes after all of
     * them. */
    if (list && atomic_fetch_sub_explicit(&list->refs, 1, memory_order_acq_rel) == 1)
        free_list(list);
}

bool redirect_list_is_of(const struct redirect_list *list, struct span text)
{
    char digest[DIGEST_LEN + 1];

    digest_sha256(digest, text.ptr, text.len);
    return strcmp(digest, list->digest) == 0;
}

size_t redirect_list_count(const struct redirect_list *list)
{
    return list->exact_count + list->pattern_count;
}

enum url_rule_result redirect_list_apply(const struct redirect_list *list,
                                         struct url_rule_scratch *scratch,
                                         const struct url_rule_subject *subject, char *out,
                                         size_t cap, size_t *len, uint32_t *status)
{
    uint32_t number = *slot_of(list, subject->path);
    enum url_rule_result result = URL_RULE_OTHER;

    if (number != NONE) {
        *status = list->exacts[number].status;
        return write_exact(list, number, subject, out, cap, len);
    }
    for (size_t i = 0; i < list->pattern_count && result == URL_RULE_OTHER; i++) {
        *status = list->patterns[i].status;
        result = url_rule_apply(list->patterns[i].rule, scratch, subject, URL_RULE_FOR_LOCATION,
                                out, cap, len);
    }
    return result;
}
