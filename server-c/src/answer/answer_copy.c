/* SPDX-License-Identifier: MIT */
/* answer_copy.c — files that are compressed on the fly: sends the copy there is, or has one made for
 * those who ask later.
 *
 * A copy is looked up in the node's folder under a name that says of which state of the file it is
 * (copy_store.h), and is then sent as the file's own bytes in another coding. While there is none the
 * file is sent as it is; whatever goes wrong with a copy, the file is. Only a file that has had its
 * times for a while is compressed: until then they may stand for two states.
 *
 * Which of the two is selected (RFC 9110 section 12) also depends on what the client has: who got the
 * file as it is, and asks whether that has changed or for the rest of it, hears of that. */
#include "answer/answer.h"

#include "http/http_cond.h"
#include "log/log.h"
#include "response/mime.h"
#include "response/response.h"

#include <string.h>

/* --- making a copy --------------------------------------------------------------------------- */

struct copy_job {
    struct io_job job;
    struct copy_work work;
    struct loop *loop;
    struct live_config *live; /* a reference */
    struct file_entry *entry; /* a reference, to the file */
    bool holds_descriptor;
};

static void end_job(struct copy_job *copy)
{
    copy_store_end(copy->loop->shared->copies, &copy->work);
    if (copy->holds_descriptor)
        file_entry_release_descriptor(copy->entry);
    file_cache_put(&copy->loop->files, copy->entry);
    live_config_put(copy->live);
    free(copy);
}

static void run_copy(struct io_job *job)
{
    struct copy_job *copy = container_of(job, struct copy_job, job);

    copy_store_make(copy->loop->shared->copies, &copy->work);
}

static void on_copy_done(struct io_job *job)
{
    struct copy_job *copy = container_of(job, struct copy_job, job);
    struct loop *loop = copy->loop;
    enum copy_end end = copy->work.end;

    loop->files.now_ms = uv_now(&loop->uv);
    if (end == COPY_MADE || end == COPY_WORTHLESS)
        loop_count(copy->live, COUNTER_COPIES_MADE, 1);
    if (end == COPY_FAILED)
        loop_count(copy->live, COUNTER_COPIES_FAILED, 1);
    if (end == COPY_FAILED && loop_may_warn(loop, &loop->warned_copies_ms))
        log_warn("compression.cacheFolder: \"%s\" %s; files are sent as they are meanwhile",
                 copy->live->cfg->compression.cache_folder, copy->work.why);
    end_job(copy);
}

static struct copy_source source_of(const struct exchange *ex, const struct file_entry *entry,
                                    enum http_coding coding)
{
    const struct site_coder *coder = &ex->site->copies->coders[coding];

    return (struct copy_source){
        .device = entry->device,
        .inode = entry->inode,
        .size = entry->facts.size,
        .mtime = {entry->version.mtime_seconds, entry->version.mtime_ns},
        .ctime = entry->ctime,
        .coding = coding,
        .level = coder->level,
        .mark = coder->mark,
    };
}

/* Has the file's copy made, unless somebody does already or the lane has enough to do. */
static void start_copy(struct exchange *ex, struct file_entry *entry, enum http_coding coding)
{
    struct loop *loop = ex->loop;
    bool is_in_memory = entry->body_state == FILE_BODY_READY;
    struct copy_job *copy = is_in_memory || entry->fd >= 0 ? malloc(sizeof(*copy)) : NULL;

    if (!copy)
        return;
    *copy = (struct copy_job){.job = {.run = run_copy, .on_done = on_copy_done},
                              .work = {.source = source_of(ex, entry, coding),
                                       .bytes = is_in_memory ? entry->body : NULL,
                                       .fd = entry->fd},
                              .loop = loop,
                              .holds_descriptor = !is_in_memory};
    if (!copy_store_begin(loop->shared->copies, &copy->work)) {
        free(copy);
        return;
    }
    copy->entry = file_cache_get(entry);
    copy->live = live_config_get(ex->live);
    if (copy->holds_descriptor)
        file_entry_hold_descriptor(entry);
    if (io_lane_submit(loop->shared->copy_lane, &loop->port, &copy->job) != 0) {
        copy->work.end = COPY_CHANGED;
        end_job(copy);
    }
}

/* --- which files, for whom ------------------------------------------------------------------- */

bool answer_copy_fits(const struct exchange *ex, struct file_entry *entry)
{
    struct span name = file_entry_name(entry);
    struct mime_type type;

    if (ex->scope.match.stored_coding) /* it is compressed already */
        return false;
    if (entry->copies.site != ex->site->id) {
        type = mime_type(ex->live->cfg, name);
        entry->copies.site = ex->site->id;
        entry->copies.type = site_copies_fit(ex->site->copies, name, type.name, entry->facts.size)
                                 ? type.name
                                 : NULL;
        entry->copies.worthless = entry->copies.missing = 0;
    }
    return entry->copies.type && !response_rules_keep_coding(&ex->scope, entry->copies.type);
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
    struct file_facts facts = entry->facts;

    facts.size = size;
    file_facts_add_coding(&facts, ex->site->copies->coders[coding].label);
    return facts;
}

/* --- looking for one ------------------------------------------------------------------------- */

static enum http_coding choose(struct exchange *ex, struct file_entry *entry)
{
    uint32_t round;

    if (ex->skips_copies || !http_request_has(&ex->req, FIELD_ACCEPT_ENCODING))
        return CODING_IDENTITY;
    loop_date(ex->loop);
    answer_content(ex, entry);
    if (!answer_copy_fits(ex, entry) || !is_settled(ex, entry) || asks_for_no_transform(ex))
        return CODING_IDENTITY;
    round = copy_store_round(ex->loop->shared->copies);
    if (entry->copies.round != round) {
        entry->copies.round = round;
        entry->copies.missing = 0;
    }
    return http_coding_choose(&ex->req, ex->head,
                              ex->site->copy_coding_bits & ~entry->copies.worthless,
                              ex->site->copy_codings, ex->site->copy_coding_count);
}

bool answer_copy(struct exchange *ex, struct file_entry *entry)
{
    enum http_coding coding = choose(ex, entry);
    struct site_location location = {.place = &ex->site->copies->place};
    struct copy_source source;
    struct response_plan plan;
    struct file_facts coded;
    char name[COPY_NAME_BYTES];

    if (coding == CODING_IDENTITY)
        return false;
    coded = answer_copy_facts(ex, entry, coding, entry->facts.size);
    if (asks_for_file(ex, entry, &coded))
        return false;
    if (http_request_has(&ex->req, FIELD_IF_NONE_MATCH) && names(ex, &coded)) {
        response_plan_file(&plan, &ex->req, ex->head, &coded, ex->loop->date_second);
        if (plan.status == HTTP_NOT_MODIFIED) { /* the copy itself is not needed for that */
            ex->coding = coding;
            answer_file_bytes(ex, entry, &coded, &plan, false);
            file_cache_put(&ex->loop->files, entry);
            return true;
        }
    }
    if (entry->copies.missing & 1u << coding)
        return false;
    source = source_of(ex, entry, coding);
    copy_name(name, &source);
    location.key.path = (struct span){name, strlen(name)};
    ex->plain = entry;
    ex->coding = coding;
    ex->search = SEARCH_COPY;
    answer_search(ex, &location);
    return true;
}

/* Tells the store now and then that the copy is in use, so that others give way first. */
static void tell_use(struct exchange *ex, struct file_entry *entry)
{
    uint64_t now_ms = ex->loop->files.now_ms;

    loop_count(ex->live, COUNTER_COPIES_SENT, 1);
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

    ex->search = SEARCH_FILE;
    if (is_there && entry->facts.size > 0) {
        ex->is_copy = true;
        tell_use(ex, entry);
        return entry;
    }
    if (is_there) {
        plain->copies.worthless |= 1u << coding;
    } else {
        plain->copies.missing |= 1u << coding;
        if (entry) /* it may be there soon, which the cache would not notice before its ttl */
            file_cache_forget(&ex->loop->files, entry);
        start_copy(ex, plain, coding);
    }
    if (entry)
        file_cache_put(&ex->loop->files, entry);
    ex->plain = NULL;
    ex->coding = CODING_IDENTITY;
    return plain;
}
