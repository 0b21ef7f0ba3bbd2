/* SPDX-License-Identifier: MIT */
/* answer_copy.c — files that are compressed on the fly: sends the copy there is, or has one made for
 * those who ask later.
 *
 * A copy is looked up in the node's folder under a name that says of which state of the file it is
 * (copy_store.h), and is then sent as the file's own bytes in another coding. While there is none the
 * file is sent as it is; whatever goes wrong with a copy, the file is. Only a file that has had its
 * times for a while is compressed: until then they may stand for two states.
 *
 * With the help of what the client has: answer_delta.c, by the same steps.
 *
 * Which of the two is selected (RFC 9110 section 12) also depends on what the client has: who got the
 * file as it is, and asks whether that has changed or for the rest of it, hears of that. */
#include "answer/answer.h"

#include "http/http_cond.h"
#include "response/mime.h"
#include "response/response.h"

#include <string.h>

static struct copy_source source_of(const struct exchange *ex, const struct file_entry *entry,
                                    enum http_coding coding)
{
    const struct site_coder *coder = &ex->live->sites->copies->coders[coding];

    return (struct copy_source){
        .device = entry->device,
        .inode = entry->inode,
        .size = entry->facts.size,
        .mtime = {entry->version.mtime_seconds, entry->version.mtime_ns},
        .ctime = entry->ctime,
        .coding = coding,
        .level = coder->level,
        .mark = coder->mark,
        .dictionary = coding == CODING_DCZ ? ex->dictionary : NULL,
    };
}

/* --- which files, for whom ------------------------------------------------------------------- */

/* Is the file in the site's release? Only there is its name the path that patterns and rules are for: below an alias or in
 * a user's folder it is the rest of it. */
static bool is_of_release(const struct exchange *ex)
{
    return ex->place == &ex->site->places.root || ex->fallback > 0;
}

/* What is known of the file's copies, whoever asks; first asked while ex->place is the file's. NULL: it is not compressed. */
static const char *type_to_compress(const struct exchange *ex, struct file_entry *entry)
{
    struct span name = file_entry_name(entry);
    struct mime_type type;

    if (ex->scope.match.stored_coding) /* it is compressed already */
        return NULL;
    if (entry->copies.site != ex->site->id) {
        type = mime_type(ex->live->cfg, name);
        memset(&entry->copies, 0, sizeof(entry->copies));
        entry->copies.site = ex->site->id;
        if (site_copies_fit(ex->live->sites->copies, name, type.name, entry->facts.size))
            entry->copies.type = type.name;
        if (entry->copies.type && ex->site->dictionaries && is_of_release(ex))
            entry->copies.dictionaries = site_dictionaries_fit(ex->site->dictionaries, name);
    }
    return entry->copies.type;
}

bool answer_copy_fits(const struct exchange *ex, struct file_entry *entry)
{
    const char *type = type_to_compress(ex, entry);

    return type && !response_rules_keep_coding(&ex->scope, type);
}

uint8_t answer_delta_fits(const struct exchange *ex, struct file_entry *entry)
{
    return answer_copy_fits(ex, entry) && entry->copies.dictionaries &&
                   !response_rules_are_private(&ex->scope, entry->copies.type)
               ? entry->copies.dictionaries
               : 0;
}

/* A tag that is missing says the same. */
static bool is_settled(const struct exchange *ex, const struct file_entry *entry)
{
    return entry->facts.etag_len > 0 && !entry->date_is_pending && answer_is_settled(ex, entry);
}

static bool asks_for_no_transform(const struct exchange *ex)
{
    struct span value, element;
    uint32_t cursor = 0;

    if (!http_request_has(&ex->req, FIELD_CACHE_CONTROL))
        return false;
    while (http_request_next_value(&ex->req, ex->head, FIELD_CACHE_CONTROL, &cursor, &value))
        while (http_list_next(&value, &element))
            if (http_span_equals(element, "no-transform"))
                return true;
    return false;
}

static bool names(const struct exchange *ex, const struct file_facts *facts)
{
    return http_cond_names(&ex->req, ex->head, (struct span){facts->etag, facts->etag_len});
}

/* Does the client ask about the file as it is? It does if it has that, and if it wants a part and does not
 * say of the copy: parts of the two can't be put together, and the copy may come between two requests. */
static bool asks_for_file(const struct exchange *ex, const struct file_entry *entry,
                          const struct file_facts *coded)
{
    if (names(ex, coded))
        return false;
    return names(ex, &entry->facts) ||
           (ex->req.method == HTTP_GET && http_request_has(&ex->req, FIELD_RANGE));
}

struct file_facts answer_copy_facts(const struct exchange *ex, const struct file_entry *entry,
                                    enum http_coding coding, uint64_t size)
{
    const struct site_coder *coder = &ex->live->sites->copies->coders[coding];
    struct file_facts facts = entry->facts;
    char label[SITE_COPIES_LABEL];

    facts.size = size;
    if (coding == CODING_DCZ)
        site_copies_label_delta(label, coder, ex->dictionary->hash);
    file_facts_add_coding(&facts, coding == CODING_DCZ ? label : coder->label);
    return facts;
}

/* --- looking for one ------------------------------------------------------------------------- */

bool answer_may_compress(struct exchange *ex, struct file_entry *entry)
{
    uint32_t round;

    if (ex->skips_copies || !http_request_has(&ex->req, FIELD_ACCEPT_ENCODING))
        return false;
    loop_date(ex->loop);
    answer_content(ex, entry);
    if (!answer_copy_fits(ex, entry) || !is_settled(ex, entry) || asks_for_no_transform(ex))
        return false;
    round = copy_store_round(ex->loop->shared->copies);
    if (entry->copies.round != round) {
        entry->copies.round = round;
        entry->copies.missing = 0;
        entry->copies.deltas_missing = 0;
    }
    return true;
}

static enum http_coding choose(struct exchange *ex, struct file_entry *entry)
{
    if (!answer_may_compress(ex, entry))
        return CODING_IDENTITY;
    return http_coding_choose(&ex->req, ex->head,
                              ex->site->copy_coding_bits & ~entry->copies.worthless,
                              ex->site->copy_codings, ex->site->copy_coding_count);
}

static bool is_missing(const struct exchange *ex, const struct file_entry *entry,
                       enum http_coding coding)
{
    return coding == CODING_DCZ
               ? (entry->copies.deltas_missing & UINT64_C(1) << ex->dictionary_index) != 0
               : (entry->copies.missing & 1u << coding) != 0;
}

static void note_none(const struct exchange *ex, struct file_entry *entry, enum http_coding coding,
                      bool is_worthless)
{
    uint64_t delta = UINT64_C(1) << ex->dictionary_index;

    if (coding == CODING_DCZ && is_worthless)
        entry->copies.deltas_worthless |= delta;
    else if (coding == CODING_DCZ)
        entry->copies.deltas_missing |= delta;
    else if (is_worthless)
        entry->copies.worthless |= 1u << coding;
    else
        entry->copies.missing |= 1u << coding;
}

bool answer_seek_copy(struct exchange *ex, struct file_entry *entry, enum http_coding coding,
                      const struct file_facts *coded)
{
    struct site_location location = {.place = &ex->live->sites->copies->place};
    struct copy_source source;
    struct response_plan plan;
    char name[COPY_NAME_BYTES];

    if (http_request_has(&ex->req, FIELD_IF_NONE_MATCH) && names(ex, coded)) {
        response_plan_file(&plan, &ex->req, ex->head, coded, ex->loop->date_second);
        if (plan.status == HTTP_NOT_MODIFIED) { /* the copy itself is not needed for that */
            ex->coding = coding;
            answer_file_bytes(ex, entry, coded, &plan, false);
            file_cache_put(&ex->loop->files, entry);
            return true;
        }
    }
    if (is_missing(ex, entry, coding))
        return false;
    source = source_of(ex, entry, coding);
    copy_name(name, &source);
    location.key.path = (struct span){name, strlen(name)};
    ex->plain = entry;
    ex->plain_place = ex->place;
    ex->coding = coding;
    ex->search = coding == CODING_DCZ ? SEARCH_DELTA : SEARCH_COPY;
    answer_search(ex, &location);
    return true;
}

bool answer_copy(struct exchange *ex, struct file_entry *entry)
{
    enum http_coding coding = choose(ex, entry);
    struct file_facts coded;

    if (coding == CODING_IDENTITY)
        return false;
    coded = answer_copy_facts(ex, entry, coding, entry->facts.size);
    return !asks_for_file(ex, entry, &coded) && answer_seek_copy(ex, entry, coding, &coded);
}

/* Tells the store now and then that the copy is in use, so that others give way first. */
static void tell_use(struct exchange *ex, struct file_entry *entry)
{
    uint64_t now_ms = ex->loop->files.now_ms;

    loop_count(ex->live, ex->coding == CODING_DCZ ? COUNTER_DELTAS_SENT : COUNTER_COPIES_SENT, 1);
    if (entry->use_told_ms != 0 && now_ms - entry->use_told_ms < COPY_USE_MS)
        return;
    entry->use_told_ms = now_ms;
    copy_store_used(ex->loop->shared->copies, file_entry_path(entry).ptr);
}

struct file_entry *answer_copy_found(struct exchange *ex, struct file_entry *entry)
{
    struct file_entry *plain = ex->plain;
    enum http_coding coding = ex->coding;
    bool is_there = entry && entry->status == HTTP_OK && !entry->is_folder;
    struct copy_source source;

    ex->search = SEARCH_FILE;
    if (is_there && entry->facts.size > 0) {
        ex->is_copy = true;
        tell_use(ex, entry);
        return entry;
    }
    note_none(ex, plain, coding, is_there);
    if (!is_there) {
        if (entry) /* it may be there soon, which the cache would not notice before its ttl */
            file_cache_forget(&ex->loop->files, entry);
        source = source_of(ex, plain, coding);
        answer_make_copy(ex, plain, &source);
    }
    if (entry)
        file_cache_put(&ex->loop->files, entry);
    ex->plain = NULL;
    ex->place = ex->plain_place;
    ex->coding = CODING_IDENTITY;
    return plain;
}
