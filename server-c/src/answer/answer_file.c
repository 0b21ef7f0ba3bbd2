/* SPDX-License-Identifier: MIT */
/* answer_file.c — from a place and a path to the bytes of a file, one of its precompressed siblings,
 * or the site's page for an error. Its head: answer_head.c; a folder's listing: answer_listing.c. */
#include "answer/answer.h"

#include "response/response.h"

#include <string.h>

#define FIND_ATTEMPTS 3 /* how often to look up a file that keeps changing */

static void answer_found(struct exchange *ex, struct file_entry *entry);
static void answer_file(struct exchange *ex, struct file_entry *entry);
static void search_again(struct exchange *ex, enum http_status verdict);
static void answer_copy_seen(struct exchange *ex, struct file_entry *entry);

/* --- looking a file up ----------------------------------------------------------------------- */

/* Is it worth knowing which precompressed siblings exist? Not if the client accepts no coding, and
 * not in look-ups of a sibling or of an error page. */
static bool wants_codings(const struct exchange *ex)
{
    return ex->search == SEARCH_FILE && ex->site->coding_count > 0 &&
           !ex->scope.match.stored_coding && http_request_has(&ex->req, FIELD_ACCEPT_ENCODING);
}

static void on_found(struct file_waiter *waiter, struct file_entry *entry)
{
    struct exchange *ex = container_of(waiter, struct exchange, waiter);
    struct carrier *carrier = ex->carrier;

    ex->clock.looked_up = true;
    ex->clock.stat_wait_ns += waiter->wait_ns;
    ex->clock.stat_ns += waiter->work_ns;
    ex->loop->files.now_ms = uv_now(&ex->loop->uv);
    if (ex->search == SEARCH_COPY || ex->search == SEARCH_DELTA) {
        answer_copy_seen(ex, entry);
    } else if (!entry) {
        answer_refuse(ex, HTTP_UNAVAILABLE);
    } else if (wants_codings(ex) && file_entry_lacks_codings(entry) &&
               ex->attempts + 1 < FIND_ATTEMPTS) {
        file_cache_put(&ex->loop->files, entry);
        search_again(ex, HTTP_UNAVAILABLE);
    } else {
        answer_found(ex, entry);
    }
    carrier_resume(carrier);
}

void answer_search(struct exchange *ex, const struct site_location *location)
{
    struct loop *loop = ex->loop;
    struct file_key key = location->key;
    struct file_entry *entry = NULL;

    key.wants_codings = wants_codings(ex);
    ex->place = location->place;
    ex->waiter.on_ready = on_found;
    loop->files.now_ms = uv_now(&loop->uv);
    switch (file_cache_find(&loop->files, &ex->live->sites->owner, location->place, &key,
                            &ex->waiter, &entry)) {
    case FILE_HIT:
        loop_count(ex->live, COUNTER_CACHE_HITS, 1);
        answer_found(ex, entry);
        break;
    case FILE_SEEN:
        loop_count(ex->live, COUNTER_CACHE_MISSES, 1);
        ex->clock.looked_up = true;
        ex->clock.stat_ns += ex->waiter.work_ns;
        answer_found(ex, entry);
        break;
    case FILE_WAIT:
        loop_count(ex->live, COUNTER_CACHE_MISSES, 1);
        carrier_wait(ex->carrier);
        if (ex->scope.match.preload)
            answer_hint(ex, key.path);
        break;
    case FILE_BUSY:
        loop_count(ex->live, COUNTER_LANE_REJECTED, 1);
        if (ex->search == SEARCH_COPY || ex->search == SEARCH_DELTA)
            answer_copy_seen(ex, NULL);
        else
            answer_refuse(ex, HTTP_UNAVAILABLE);
        break;
    }
}

/* The file is not what the cache said, or the disk fails. Looks it up again, at most FIND_ATTEMPTS
 * times in all; then answers with `verdict`. */
static void search_again(struct exchange *ex, enum http_status verdict)
{
    if (ex->search == SEARCH_PAGE) {
        answer_refuse_plainly(ex);
        return;
    }
    if (ex->plain)
        file_cache_put(&ex->loop->files, ex->plain);
    ex->plain = NULL;
    ex->coding = CODING_IDENTITY;
    ex->skips_copies |= ex->is_copy; /* it can't be read: the file can */
    ex->is_copy = false;
    if (++ex->attempts < FIND_ATTEMPTS)
        answer_find(ex);
    else
        answer_refuse(ex, verdict);
}

/* A file that someone is writing can be had soon, so 503; a disk that fails is a 500. */
enum http_status exchange_why_unreadable(const struct file_entry *entry)
{
    bool is_same = file_change_since(entry->fd, &entry->version) == FILE_SAME;

    return is_same ? HTTP_INTERNAL_ERROR : HTTP_UNAVAILABLE;
}

/* --- precompressed siblings ------------------------------------------------------------------ */

/* Takes over the reference to `entry`, whose sibling exists as far as the cache knows. */
static void search_coded(struct exchange *ex, struct file_entry *entry, enum http_coding coding)
{
    struct site_scratch *scratch = &ex->loop->scratch;
    struct span path = file_entry_path(entry), variable = file_entry_variable(entry);
    const char *suffix = http_coding_suffix(coding);
    size_t index_len = strlen(entry->index), suffix_len = strlen(suffix);
    struct site_location location = {ex->place,
                                     {.variable = variable, .path = {scratch->bytes, 0}}};

    location.key.path.len = path.len + index_len + suffix_len;
    if (location.key.path.len >= scratch->cap) {
        answer_file(ex, entry);
        return;
    }
    memcpy(scratch->bytes, path.ptr, path.len);
    memcpy(scratch->bytes + path.len, entry->index, index_len);
    memcpy(scratch->bytes + path.len + index_len, suffix, suffix_len + 1);
    ex->plain = entry;
    ex->coding = coding;
    ex->search = SEARCH_CODED;
    answer_search(ex, &location);
}

/* The sibling was looked up. If it has gone meanwhile, the file itself is sent. */
static void answer_coded(struct exchange *ex, struct file_entry *entry)
{
    struct file_entry *plain = ex->plain;

    ex->search = SEARCH_FILE;
    if (entry->status == HTTP_OK && !entry->is_folder) {
        answer_file(ex, entry);
        return;
    }
    file_cache_put(&ex->loop->files, entry);
    ex->plain = NULL;
    ex->coding = CODING_IDENTITY;
    answer_file(ex, plain);
}

/* --- the bytes ------------------------------------------------------------------------------- */

void answer_file_bytes(struct exchange *ex, struct file_entry *entry,
                       const struct file_facts *facts, const struct response_plan *plan,
                       bool from_memory)
{
    struct body_part part = {
        .entry = entry, .from_memory = from_memory, .offset = plan->offset, .len = plan->length};
    struct response_head head;
    struct span dictionary = {0};
    bool may_keep, has_digest;

    if (plan->is_multipart) {
        struct response_file file = answer_describe(ex, entry, facts);
        answer_multipart(ex, entry, &file, plan, from_memory);
        return;
    }
    if (plan->status != HTTP_OK && plan->status != HTTP_PARTIAL_CONTENT &&
        plan->status != HTTP_NOT_MODIFIED) {
        ex->file_size = facts->size;
        answer_refuse(ex, plan->status);
        return;
    }
    has_digest = plan->status != HTTP_NOT_MODIFIED && answer_has_digest(ex, entry);
    if (ex->site->dictionaries && plan->status == HTTP_OK)
        dictionary = answer_dictionary_line(ex, entry);
    may_keep =
        !has_digest && dictionary.len == 0 && answer_may_keep_head(ex, entry, plan, from_memory);
    if (may_keep && entry->ready_len > 0) {
        head = answer_kept_head(ex, entry);
        answer_send(ex, &head, &part);
        return;
    }
    head = answer_start_head(ex, plan->status);
    if (has_digest)
        answer_append_digest(&head, entry);
    response_append(&head, dictionary.ptr, dictionary.len);
    answer_append_head(ex, &head, entry, facts, plan);
    if (may_keep)
        answer_keep_head(ex, entry, &head);
    if (ex->req.method == HTTP_HEAD)
        part.len = 0;
    answer_send(ex, &head, &part);
}

static void on_source_ready(struct file_waiter *waiter, struct file_entry *entry)
{
    struct exchange *ex = container_of(waiter, struct exchange, waiter);
    struct carrier *carrier = ex->carrier;
    enum http_status verdict = entry ? HTTP_OK : exchange_why_unreadable(ex->entry);

    ex->clock.read_disk = true;
    ex->clock.read_wait_ns += waiter->wait_ns;
    ex->clock.read_ns += waiter->work_ns;
    file_cache_put(&ex->loop->files, ex->entry);
    ex->entry = NULL;
    ex->loop->files.now_ms = uv_now(&ex->loop->uv);
    if (entry)
        answer_file(ex, entry);
    else
        search_again(ex, verdict);
    carrier_resume(carrier);
}

/* Was the disk already asked for this request? Then it is not asked again about a file that keeps
 * growing: one length is as good as another. */
static bool has_asked_disk(const struct exchange *ex)
{
    return ex->clock.looked_up || ex->attempts > 0 || ex->search == SEARCH_PAGE;
}

/* Finds out where the bytes are. True: they can be sent now, and the caller keeps its reference to
 * `entry`. False: the reference was taken over, and the exchange waits or was answered. */
static bool has_source(struct exchange *ex, struct file_entry *entry, bool *from_memory)
{
    bool joins = entry->body_state == FILE_BODY_LOADING; /* another request's read is under way */

    ex->waiter.on_ready = on_source_ready;
    switch (file_cache_source(&ex->loop->files, entry, has_asked_disk(ex), &ex->waiter)) {
    case FILE_FROM_MEMORY:
        *from_memory = true;
        return true;
    case FILE_FROM_DESCRIPTOR:
        *from_memory = false;
        return true;
    case FILE_SOURCE_WAIT:
        if (!joins)
            loop_count(ex->live, COUNTER_READ_JOBS, 1);
        ex->entry = entry;
        carrier_wait(ex->carrier);
        if (ex->scope.match.preload)
            answer_hint(ex, file_entry_name(entry));
        return false;
    case FILE_SOURCE_BUSY:
        loop_count(ex->live, COUNTER_LANE_REJECTED, 1);
        file_cache_put(&ex->loop->files, entry);
        answer_refuse(ex, HTTP_UNAVAILABLE);
        return false;
    case FILE_SOURCE_CHANGED:
        file_cache_put(&ex->loop->files, entry);
        search_again(ex, HTTP_UNAVAILABLE);
        return false;
    }
    return false;
}

static void answer_page(struct exchange *ex, struct file_entry *entry)
{
    bool from_memory = true;

    if (ex->req.method != HTTP_HEAD && entry->facts.size > 0 &&
        !has_source(ex, entry, &from_memory))
        return;
    answer_page_file(ex, entry, from_memory);
}

/* Takes over the reference to `entry`, a regular file. */
static void answer_file(struct exchange *ex, struct file_entry *entry)
{
    const struct file_facts *facts = &entry->facts;
    struct response_plan plan;
    struct file_facts coded;
    bool from_memory = true;

    if (ex->search == SEARCH_PAGE) {
        answer_page(ex, entry);
        return;
    }
    loop_date(ex->loop);
    answer_content(ex, entry);
    if (ex->is_copy) {
        coded = answer_copy_facts(ex, ex->plain, ex->coding, entry->facts.size);
        facts = &coded;
    } else if (ex->coding != CODING_IDENTITY) {
        coded = entry->facts;
        file_facts_add_coding(&coded, http_coding_name(ex->coding));
        facts = &coded;
    }
    response_plan_file(&plan, &ex->req, ex->head, facts, ex->loop->date_second);
    if (ex->req.method == HTTP_GET && (plan.length > 0 || plan.is_multipart) &&
        !has_source(ex, entry, &from_memory))
        return;
    answer_file_bytes(ex, entry, facts, &plan, from_memory);
    file_cache_put(&ex->loop->files, entry);
}

/* --- what was found -------------------------------------------------------------------------- */

static enum http_coding choose_coding(const struct exchange *ex, const struct file_entry *entry)
{
    return http_coding_choose(&ex->req, ex->head, entry->codings, ex->site->codings,
                              ex->site->coding_count);
}

/* May the client be sent a file that is stored compressed (RFC 9110 section 12.5.3)? */
static bool accepts_stored(const struct exchange *ex)
{
    const struct config_stored_coding *stored =
        response_stored_coding(&ex->site->rules, ex->scope.match);

    return !stored || !stored->refuses ||
           http_coding_accepts(&ex->req, ex->head, http_coding_named(stored->coding));
}

static bool has_path_rules(const struct site *site)
{
    const struct config_site *cfg = site->cfg;

    return site->rules.has_paths ||
           cfg->access_count + cfg->auth_count + cfg->signed_url_count + cfg->hotlink_count > 0;
}

/* In a coding for anybody. Takes over the reference to `entry`, a regular file. */
static void answer_coded_or_not(struct exchange *ex, struct file_entry *entry)
{
    enum http_coding coding = CODING_IDENTITY;

    if (entry->codings != 0 && !ex->scope.match.stored_coding)
        coding = choose_coding(ex, entry);
    if (coding != CODING_IDENTITY)
        search_coded(ex, entry, coding);
    else if (!ex->site->copies || !answer_copy(ex, entry))
        answer_file(ex, entry);
}

/* A copy was looked up (NULL: it could not be). Takes over the reference. */
static void answer_copy_seen(struct exchange *ex, struct file_entry *entry)
{
    bool is_delta = ex->search == SEARCH_DELTA;
    struct file_entry *found = answer_copy_found(ex, entry);

    if (is_delta && !ex->is_copy)
        answer_coded_or_not(ex, found);
    else
        answer_file(ex, found);
}

/* Takes over the reference to `entry`, the file or folder that was asked for. */
static void answer_entry(struct exchange *ex, struct file_entry *entry)
{
    enum http_status status = entry->status;

    /* 403 would tell who has a home folder on this machine. RFC 9110 section 15.5.4 allows 404. */
    if (status == HTTP_FORBIDDEN && ex->place == &ex->site->places.homes)
        status = HTTP_NOT_FOUND;
    if (ex->site->fallbacks.count > 0 && answer_fallback(ex, entry, &status))
        return;
    if (status == HTTP_OK && (entry->index[0] || answer_tries_other(ex)) &&
        has_path_rules(ex->site) && !answer_admit_found(ex, entry->index, &status)) {
        file_cache_put(&ex->loop->files, entry);
        return;
    }
    if (ex->tries.count > 0 && answer_try_goes_on(ex, entry, status))
        return;
    if (status == HTTP_OK && entry->is_folder) {
        answer_folder(ex, entry);
        return;
    }
    if (status == HTTP_OK && !accepts_stored(ex))
        status = HTTP_NOT_ACCEPTABLE;
    if (status == HTTP_OK) {
        if (!ex->site->dictionaries || !answer_delta(ex, entry))
            answer_coded_or_not(ex, entry);
        return;
    }
    file_cache_put(&ex->loop->files, entry);
    if (status == HTTP_MOVED_PERMANENTLY)
        answer_redirect_page(ex, ADDRESS_ADD_SLASH);
    else
        answer_refuse(ex, status);
}

/* Takes over the reference to `entry`. */
static void answer_found(struct exchange *ex, struct file_entry *entry)
{
    switch (ex->search) {
    case SEARCH_FILE:
        answer_entry(ex, entry);
        break;
    case SEARCH_CODED:
        answer_coded(ex, entry);
        break;
    case SEARCH_COPY:
    case SEARCH_DELTA:
        answer_copy_seen(ex, entry);
        break;
    case SEARCH_PAGE:
        if (entry->status == HTTP_OK && !entry->is_folder) {
            answer_file(ex, entry);
            break;
        }
        file_cache_put(&ex->loop->files, entry);
        answer_refuse_plainly(ex);
        break;
    }
}
