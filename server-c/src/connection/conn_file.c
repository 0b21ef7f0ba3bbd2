/* SPDX-License-Identifier: MIT */
/* conn_file.c — from a place and a path to the bytes of a file, one of its precompressed siblings,
 * or the site's page for an error. A folder's listing: conn_listing.c. */
#include "connection/conn_answer.h"

#include "response/mime.h"
#include "response/response.h"

#include <string.h>

#define FIND_ATTEMPTS 3 /* of a file that changes while we look */

static void answer_found(struct conn *c, struct file_entry *entry);
static void answer_file(struct conn *c, struct file_entry *entry);
static void search_again(struct conn *c, enum http_status verdict);

/* --- looking for it -------------------------------------------------------------------------- */

/* Whoever takes none, and who looks for a copy or a page, has no use for them. */
static bool wants_codings(const struct conn *c)
{
    return c->ex->search == SEARCH_FILE && c->ex->site->coding_count > 0 &&
           http_request_has(&c->ex->req, FIELD_ACCEPT_ENCODING);
}

static void on_found(struct file_waiter *waiter, struct file_entry *entry)
{
    struct conn *c = container_of(waiter, struct exchange, waiter)->conn;

    c->ex->clock.looked_up = true;
    c->ex->clock.stat_wait_ns += waiter->wait_ns;
    c->ex->clock.stat_ns += waiter->work_ns;
    c->loop->files.now_ms = uv_now(&c->loop->uv);
    if (!entry) {
        conn_refuse(c, HTTP_UNAVAILABLE);
    } else if (wants_codings(c) && file_entry_lacks_codings(entry) &&
               c->ex->attempts + 1 < FIND_ATTEMPTS) {
        file_cache_put(&c->loop->files, entry);
        search_again(c, HTTP_UNAVAILABLE);
    } else {
        answer_found(c, entry);
    }
    conn_run(c);
}

void conn_search(struct conn *c, const struct site_location *location)
{
    struct loop *loop = c->loop;
    struct file_key key = location->key;
    struct file_entry *entry = NULL;

    key.wants_codings = wants_codings(c);
    c->ex->place = location->place;
    c->ex->waiter.on_ready = on_found;
    loop->files.now_ms = uv_now(&loop->uv);
    switch (file_cache_find(&loop->files, &c->ex->live->sites->owner, location->place, &key,
                            &c->ex->waiter, &entry)) {
    case FILE_HIT:
        loop_count(c->ex->live, COUNTER_CACHE_HITS, 1);
        answer_found(c, entry);
        break;
    case FILE_SEEN:
        loop_count(c->ex->live, COUNTER_CACHE_MISSES, 1);
        c->ex->clock.looked_up = true;
        c->ex->clock.stat_ns += c->ex->waiter.work_ns;
        answer_found(c, entry);
        break;
    case FILE_WAIT:
        loop_count(c->ex->live, COUNTER_CACHE_MISSES, 1);
        c->state = CONN_FINDING;
        conn_arm(c, TIMEOUT_DISK);
        break;
    case FILE_BUSY:
        loop_count(c->ex->live, COUNTER_LANE_REJECTED, 1);
        conn_refuse(c, HTTP_UNAVAILABLE);
        break;
    }
}

/* The file is not what we thought, or the disk fails: look again, a few times; then `verdict`. */
static void search_again(struct conn *c, enum http_status verdict)
{
    if (c->ex->search == SEARCH_PAGE) {
        conn_refuse_plainly(c);
        return;
    }
    if (c->ex->plain)
        file_cache_put(&c->loop->files, c->ex->plain);
    c->ex->plain = NULL;
    c->ex->coding = CODING_IDENTITY;
    if (++c->ex->attempts < FIND_ATTEMPTS)
        conn_find(c);
    else
        conn_refuse(c, verdict);
}

/* A file that somebody writes to can be had soon; a disk that fails is another matter. */
enum http_status conn_why_unreadable(const struct file_entry *entry)
{
    bool is_same = file_change_since(entry->fd, &entry->version) == FILE_SAME;

    return is_same ? HTTP_INTERNAL_ERROR : HTTP_UNAVAILABLE;
}

/* --- precompressed siblings ------------------------------------------------------------------ */

/* Takes over the reference to `entry`, whose sibling is there as far as the cache knows. */
static void search_coded(struct conn *c, struct file_entry *entry, enum http_coding coding)
{
    struct site_scratch *scratch = &c->loop->scratch;
    struct span path = file_entry_path(entry), variable = file_entry_variable(entry);
    const char *suffix = http_coding_suffix(coding);
    size_t index_len = strlen(entry->index), suffix_len = strlen(suffix);
    struct site_location location = {c->ex->place,
                                     {.variable = variable, .path = {scratch->bytes, 0}}};

    location.key.path.len = path.len + index_len + suffix_len;
    if (location.key.path.len >= scratch->cap) {
        answer_file(c, entry);
        return;
    }
    memcpy(scratch->bytes, path.ptr, path.len);
    memcpy(scratch->bytes + path.len, entry->index, index_len);
    memcpy(scratch->bytes + path.len + index_len, suffix, suffix_len + 1);
    c->ex->plain = entry;
    c->ex->coding = coding;
    c->ex->search = SEARCH_CODED;
    conn_search(c, &location);
}

/* The sibling was looked up; when it went away meanwhile, the file itself will do. */
static void answer_coded(struct conn *c, struct file_entry *entry)
{
    struct file_entry *plain = c->ex->plain;

    c->ex->search = SEARCH_FILE;
    if (entry->status == HTTP_OK && !entry->is_folder) {
        answer_file(c, entry);
        return;
    }
    file_cache_put(&c->loop->files, entry);
    c->ex->plain = NULL;
    c->ex->coding = CODING_IDENTITY;
    answer_file(c, plain);
}

/* --- sending a file -------------------------------------------------------------------------- */

/* The entry that names what is sent, also when the bytes are its sibling's. */
static const struct file_entry *named(const struct conn *c, const struct file_entry *entry)
{
    return c->ex->plain ? c->ex->plain : entry;
}

static struct response_file describe(const struct conn *c, const struct file_entry *entry,
                                     const struct file_facts *facts)
{
    struct span name = file_entry_name(named(c, entry));
    struct mime_type type = mime_type(c->ex->live->cfg, name);
    bool is_copy = c->ex->coding != CODING_IDENTITY;

    return (struct response_file){
        .facts = facts,
        .type = type,
        .coding = is_copy ? http_coding_name(c->ex->coding) : mime_coding(type, name),
        /* As far as is known: who takes a coded copy may get another answer. */
        .varies = named(c, entry)->codings != 0 ||
                  (!named(c, entry)->knows_codings && c->ex->site->coding_count > 0 &&
                   !mime_is_coded(name)),
    };
}

/* The part of a 200's head that is the same each time is made once per entry, site, match of its
 * rules and coding. */
static void append_prepared(struct conn *c, struct response_head *head, struct file_entry *entry,
                            const struct response_file *file)
{
    size_t start = head->len;

    response_head_whole_file(head, &c->ex->scope, file, c->loop->date_second);
    if (head->overflow || head->is_momentary)
        return;
    free(entry->head);
    entry->ready_len = 0;
    entry->head_len = head->len - start;
    entry->head = malloc(entry->head_len);
    entry->head_site = entry->head ? c->ex->site->id : 0;
    entry->head_match = c->ex->scope.match;
    entry->head_coding = c->ex->coding;
    if (entry->head)
        memcpy(entry->head, head->out + start, entry->head_len);
}

static bool is_prepared(const struct conn *c, const struct file_entry *entry)
{
    return entry->head_site == c->ex->site->id && entry->head_coding == c->ex->coding &&
           response_match_equal(entry->head_match, c->ex->scope.match);
}

static void append_head(struct conn *c, struct response_head *head, struct file_entry *entry,
                        const struct file_facts *facts, const struct response_plan *plan)
{
    struct response_file file;

    if (plan->status == HTTP_OK && is_prepared(c, entry)) {
        response_append(head, entry->head, entry->head_len);
        return;
    }
    file = describe(c, entry, facts);
    if (plan->status == HTTP_OK)
        append_prepared(c, head, entry, &file);
    else
        response_head_file(head, &c->ex->scope, &file, plan, c->loop->date_second);
}

/* --- heads that are ready -------------------------------------------------------------------- */

/* The usual response: a whole file out of memory to a client of HTTP/1.1 that stays. Its head is
 * kept before the body and but for the Date never changes. */
static bool may_be_ready(const struct conn *c, const struct file_entry *entry,
                         const struct response_plan *plan, bool from_memory)
{
    return plan->status == HTTP_OK && from_memory && c->ex->req.method == HTTP_GET &&
           c->ex->req.minor == 1 && !c->close_after && !c->loop->is_stopping && entry->body &&
           entry->facts.size > 0 && is_prepared(c, entry);
}

static void keep_ready(struct conn *c, struct file_entry *entry, const struct response_head *head)
{
    if (head->overflow || head->len > FILE_HEAD_ROOM)
        return;
    memcpy(entry->body - head->len, head->out, head->len);
    entry->ready_len = (uint32_t)head->len;
    entry->ready_second = c->loop->date_second;
}

static struct response_head ready_head(struct conn *c, struct file_entry *entry)
{
    struct response_head head = {.out = entry->body - entry->ready_len, .len = entry->ready_len};

    if (entry->ready_second != c->loop->date_second)
        memcpy(head.out + RESPONSE_OK_DATE_AT, c->loop->date, HTTP_DATE_LEN);
    entry->ready_second = c->loop->date_second;
    c->ex->status = HTTP_OK;
    return head;
}

/* --- the bytes ------------------------------------------------------------------------------- */

static void send_file(struct conn *c, struct file_entry *entry, const struct file_facts *facts,
                      const struct response_plan *plan, bool from_memory)
{
    struct body_part part = {
        .entry = entry, .from_memory = from_memory, .offset = plan->offset, .len = plan->length};
    struct response_head head;
    bool may_keep;

    if (plan->is_multipart) {
        struct response_file file = describe(c, entry, facts);
        conn_send_multipart(c, entry, &file, plan, from_memory);
        return;
    }
    if (plan->status != HTTP_OK && plan->status != HTTP_PARTIAL_CONTENT &&
        plan->status != HTTP_NOT_MODIFIED) {
        c->ex->file_size = facts->size;
        conn_refuse(c, plan->status);
        return;
    }
    may_keep = may_be_ready(c, entry, plan, from_memory);
    if (may_keep && entry->ready_len > 0) {
        head = ready_head(c, entry);
        conn_send_head(c, &head, &part);
        return;
    }
    head = conn_start_head(c, plan->status);
    append_head(c, &head, entry, facts, plan);
    if (may_keep)
        keep_ready(c, entry, &head);
    if (c->ex->req.method == HTTP_HEAD)
        part.len = 0;
    conn_send_head(c, &head, &part);
}

static void on_source_ready(struct file_waiter *waiter, struct file_entry *entry)
{
    struct conn *c = container_of(waiter, struct exchange, waiter)->conn;
    enum http_status verdict = entry ? HTTP_OK : conn_why_unreadable(c->ex->entry);

    c->ex->clock.read_disk = true;
    c->ex->clock.read_wait_ns += waiter->wait_ns;
    c->ex->clock.read_ns += waiter->work_ns;
    file_cache_put(&c->loop->files, c->ex->entry);
    c->ex->entry = NULL;
    c->loop->files.now_ms = uv_now(&c->loop->uv);
    if (entry)
        answer_file(c, entry);
    else
        search_again(c, verdict);
    conn_run(c);
}

/* Was the disk asked for this request? Then there is no use in asking again for a file that grows all the
 * while: the length found is as good as any. */
static bool has_asked_disk(const struct conn *c)
{
    return c->ex->clock.looked_up || c->ex->attempts > 0 || c->ex->search == SEARCH_PAGE;
}

/* Where the bytes are; takes over the reference to `entry` unless they are at hand: then true. */
static bool has_source(struct conn *c, struct file_entry *entry, bool *from_memory)
{
    bool joins = entry->body_state == FILE_BODY_LOADING; /* a read for somebody else */

    c->ex->waiter.on_ready = on_source_ready;
    switch (file_cache_source(&c->loop->files, entry, has_asked_disk(c), &c->ex->waiter)) {
    case FILE_FROM_MEMORY:
        *from_memory = true;
        return true;
    case FILE_FROM_DESCRIPTOR:
        *from_memory = false;
        return true;
    case FILE_SOURCE_WAIT:
        if (!joins)
            loop_count(c->ex->live, COUNTER_READ_JOBS, 1);
        c->state = CONN_SOURCING;
        c->ex->entry = entry;
        conn_arm(c, TIMEOUT_DISK);
        return false;
    case FILE_SOURCE_BUSY:
        loop_count(c->ex->live, COUNTER_LANE_REJECTED, 1);
        file_cache_put(&c->loop->files, entry);
        conn_refuse(c, HTTP_UNAVAILABLE);
        return false;
    case FILE_SOURCE_CHANGED:
        file_cache_put(&c->loop->files, entry);
        search_again(c, HTTP_UNAVAILABLE);
        return false;
    }
    return false;
}

static void answer_page(struct conn *c, struct file_entry *entry)
{
    bool from_memory = true;

    if (c->ex->req.method != HTTP_HEAD && entry->facts.size > 0 &&
        !has_source(c, entry, &from_memory))
        return;
    conn_answer_page_file(c, entry, from_memory);
}

/* Takes over the reference to `entry`, a regular file. */
static void answer_file(struct conn *c, struct file_entry *entry)
{
    const struct file_facts *facts = &entry->facts;
    struct response_plan plan;
    struct file_facts coded;
    bool from_memory = true;

    if (c->ex->search == SEARCH_PAGE) {
        answer_page(c, entry);
        return;
    }
    if (c->ex->coding != CODING_IDENTITY) {
        coded = entry->facts;
        file_facts_add_coding(&coded, http_coding_name(c->ex->coding));
        facts = &coded;
    }
    loop_date(c->loop);
    response_plan_file(&plan, &c->ex->req, c->in + c->in_pos, facts, c->loop->date_second);
    if (c->ex->req.method == HTTP_GET && (plan.length > 0 || plan.is_multipart) &&
        !has_source(c, entry, &from_memory))
        return;
    send_file(c, entry, facts, &plan, from_memory);
    file_cache_put(&c->loop->files, entry);
}

/* --- what was found -------------------------------------------------------------------------- */

static enum http_coding choose_coding(const struct conn *c, const struct file_entry *entry)
{
    return http_coding_choose(&c->ex->req, c->in + c->in_pos, entry->codings, c->ex->site->codings,
                              c->ex->site->coding_count);
}

static bool has_path_rules(const struct site *site)
{
    const struct config_site *cfg = site->cfg;

    return site->rules.has_paths ||
           cfg->access_count + cfg->auth_count + cfg->signed_url_count + cfg->hotlink_count > 0;
}

/* Takes over the reference to `entry`, the file or folder that was asked for. */
static void answer_entry(struct conn *c, struct file_entry *entry)
{
    enum http_status status = entry->status;
    enum http_coding coding = CODING_IDENTITY;

    /* "May not be read" would say who has a home on this machine. */
    if (status == HTTP_FORBIDDEN && c->ex->place == &c->ex->site->places.homes)
        status = HTTP_NOT_FOUND;
    if (status == HTTP_OK && entry->index[0] && has_path_rules(c->ex->site) &&
        !conn_admit_index(c, entry->index, &status)) {
        file_cache_put(&c->loop->files, entry);
        return;
    }
    if (status == HTTP_OK && entry->is_folder) {
        conn_list_folder(c, entry);
        return;
    }
    if (status == HTTP_OK) {
        if (entry->codings != 0)
            coding = choose_coding(c, entry);
        if (coding == CODING_IDENTITY)
            answer_file(c, entry);
        else
            search_coded(c, entry, coding);
        return;
    }
    file_cache_put(&c->loop->files, entry);
    if (status == HTTP_MOVED_PERMANENTLY)
        conn_redirect_to_folder(c);
    else
        conn_refuse(c, status);
}

/* Takes over the reference to `entry`. */
static void answer_found(struct conn *c, struct file_entry *entry)
{
    switch (c->ex->search) {
    case SEARCH_FILE:
        answer_entry(c, entry);
        break;
    case SEARCH_CODED:
        answer_coded(c, entry);
        break;
    case SEARCH_PAGE:
        if (entry->status == HTTP_OK && !entry->is_folder) {
            answer_file(c, entry);
            break;
        }
        file_cache_put(&c->loop->files, entry);
        conn_refuse_plainly(c);
        break;
    }
}
