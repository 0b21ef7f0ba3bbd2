/* SPDX-License-Identifier: MIT */
/* answer_head.c — the head of a file's response: made each time, or kept with its file. */
#include "answer/answer.h"

#include "response/mime.h"
#include "response/response.h"

#include <string.h>

/* The entry that names what is sent, also when the bytes are its sibling's. */
static struct file_entry *named(const struct exchange *ex, struct file_entry *entry)
{
    return ex->plain ? ex->plain : entry;
}

struct response_file answer_describe(const struct exchange *ex, struct file_entry *entry,
                                     const struct file_facts *facts)
{
    struct span name = file_entry_name(named(ex, entry));
    const struct config_stored_coding *stored =
        response_stored_coding(&ex->site->rules, ex->scope.match);
    struct mime_type type =
        stored ? mime_type_inside(ex->live->cfg, name, stored) : mime_type(ex->live->cfg, name);
    bool is_copy = ex->coding != CODING_IDENTITY;
    bool varies_by_dictionary =
        ex->site->dictionaries && answer_delta_fits(ex, named(ex, entry)) != 0;

    if (stored)
        return (struct response_file){.facts = facts,
                                      .type = type,
                                      .coding = stored->coding,
                                      .varies = stored->refuses,
                                      .path = name};
    return (struct response_file){
        .facts = facts,
        .type = type,
        .path = name,
        .coding = is_copy ? http_coding_name(ex->coding) : mime_coding(type, name),
        /* Vary names Accept-Encoding also while it is unknown whether there are siblings: a client
         * that accepts a coding might get another answer (RFC 9110 section 12.5.5). */
        .varies = named(ex, entry)->codings != 0 ||
                  (!named(ex, entry)->knows_codings && ex->site->coding_count > 0 &&
                   !mime_is_coded(name)) ||
                  varies_by_dictionary ||
                  (ex->site->copies && answer_copy_fits(ex, named(ex, entry))),
        .varies_by_dictionary = varies_by_dictionary,
    };
}

/* A copy is of a file's bytes, whatever their name, which the head goes by. */
static uint64_t copy_of(const struct exchange *ex)
{
    return ex->is_copy ? ex->plain->by_key.hash : 0;
}

/* The part of a 200's head that does not depend on the request is made once per entry, site,
 * matching rules and coding, and kept with the entry. */
static void append_prepared(struct exchange *ex, struct response_head *head,
                            struct file_entry *entry, const struct response_file *file)
{
    size_t start = head->len;

    response_head_whole_file(head, &ex->scope, file, ex->loop->date_second);
    if (head->overflow || head->is_momentary)
        return;
    free(entry->head);
    entry->ready_len = 0;
    entry->head_len = head->len - start;
    entry->head = malloc(entry->head_len);
    entry->head_site = entry->head ? ex->site->id : 0;
    entry->head_match = ex->scope.match;
    entry->head_coding = ex->coding;
    entry->head_of = copy_of(ex);
    if (entry->head)
        memcpy(entry->head, head->out + start, entry->head_len);
}

static bool is_prepared(const struct exchange *ex, const struct file_entry *entry)
{
    return entry->head_site == ex->site->id && entry->head_coding == ex->coding &&
           entry->head_of == copy_of(ex) &&
           response_match_equal(entry->head_match, ex->scope.match);
}

void answer_append_head(struct exchange *ex, struct response_head *head, struct file_entry *entry,
                        const struct file_facts *facts, const struct response_plan *plan)
{
    struct response_file file;

    if (plan->status == HTTP_OK && is_prepared(ex, entry)) {
        response_append(head, entry->head, entry->head_len);
        return;
    }
    file = answer_describe(ex, entry, facts);
    if (plan->status == HTTP_OK)
        append_prepared(ex, head, entry, &file);
    else
        response_head_file(head, &ex->scope, &file, plan, ex->loop->date_second);
}

/* --- heads that are ready -------------------------------------------------------------------- */

bool answer_may_keep_head(const struct exchange *ex, const struct file_entry *entry,
                          const struct response_plan *plan, bool from_memory)
{
    return plan->status == HTTP_OK && from_memory && ex->req.method == HTTP_GET &&
           ex->carrier->kind->takes_ready_head(ex->carrier) && entry->body &&
           !(ex->is_secure && ex->site->hsts) && !ex->cors.lines && entry->facts.size > 0 &&
           is_prepared(ex, entry);
}

void answer_keep_head(struct exchange *ex, struct file_entry *entry,
                      const struct response_head *head)
{
    if (head->overflow || head->len > FILE_HEAD_ROOM)
        return;
    memcpy(entry->body - head->len, head->out, head->len);
    entry->ready_len = (uint32_t)head->len;
    entry->ready_second = ex->loop->date_second;
}

struct response_head answer_kept_head(struct exchange *ex, struct file_entry *entry)
{
    struct response_head head = {.out = entry->body - entry->ready_len, .len = entry->ready_len};

    if (entry->ready_second != ex->loop->date_second)
        memcpy(head.out + RESPONSE_OK_DATE_AT, ex->loop->date, HTTP_DATE_LEN);
    entry->ready_second = ex->loop->date_second;
    ex->status = HTTP_OK;
    return head;
}
