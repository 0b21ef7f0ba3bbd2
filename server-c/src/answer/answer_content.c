/* SPDX-License-Identifier: MIT */
/* answer_content.c — tags and digests that are made of files' bytes: has the hash found out by a lane, for
 * those who ask later, and says it.
 *
 * Nobody waits for a hash. Until it is known a file has no ETag: a tag of its times would stand for the
 * bytes of two releases, which is why the site does not want it. */
#include "answer/answer.h"

#include "files/content_hash.h"
#include "http/http_digest.h"
#include "log/log.h"
#include "response/response.h"

#include <string.h>

#define FAILED_MS 10000 /* until one that failed is tried again */
#define YOUNG_MS 1000   /* until a list of checksums is looked at again */

struct content_job {
    struct io_job job;
    struct content_work work;
    struct loop *loop;
    struct live_config *live; /* a reference, which keeps work.place */
    struct file_entry *entry; /* a reference */
    bool holds_descriptor;
    char path[]; /* of the file, and the place's variable behind its NUL */
};

/* Without this the bytes of two states could have one key, as for copies (answer_copy.c). */
bool answer_is_settled(const struct exchange *ex, const struct file_entry *entry)
{
    return content_is_settled(&entry->ctime, ex->loop->date_second);
}

static struct content_key key_of(const struct file_entry *entry)
{
    struct content_key key;

    memset(&key, 0, sizeof(key));
    key.device = entry->device;
    key.inode = entry->inode;
    key.size = entry->facts.size;
    key.mtime = (struct timespec){entry->version.mtime_seconds, entry->version.mtime_ns};
    key.ctime = entry->ctime;
    return key;
}

static void end_job(struct content_job *content)
{
    content_table_end(content->loop->shared->contents, &content->work);
    if (content->holds_descriptor)
        file_entry_release_descriptor(content->entry);
    file_cache_put(&content->loop->files, content->entry);
    live_config_put(content->live);
    free(content);
}

static void run_content(struct io_job *job)
{
    struct content_job *content = container_of(job, struct content_job, job);

    content_hash_make(content->loop->shared->contents, content->loop->shared->checksums,
                      &content->work);
}

/* Looks at how it ended, and when the file may be tried again. */
static void note_end(struct content_job *content)
{
    struct file_entry *entry = content->entry;
    struct loop *loop = content->loop;

    if (content->work.end == CONTENT_HASHED)
        file_cache_tag(entry, content->work.hash);
    else if (content->work.end == CONTENT_LATER)
        entry->content.again_ms = loop->files.now_ms + YOUNG_MS;
    else if (content->work.end != CONTENT_STOPPED)
        entry->content.again_ms = loop->files.now_ms + FAILED_MS;
    entry->content.has_waited = entry->content.has_waited || content->work.end == CONTENT_LATER;
    if (content->work.list_is_too_long && loop_may_warn(loop, &loop->warned_checksums_ms))
        log_warn("checksums: a list \"%s\" of \"%s\" is longer than %u MiB and is not read; the "
                 "files that it names are hashed",
                 content->work.place->site->checksums, content->path, CHECKSUM_LIST_BYTES >> 20);
}

static void on_content_done(struct io_job *job)
{
    struct content_job *content = container_of(job, struct content_job, job);

    if (content->work.end == CONTENT_GOES_ON) {
        io_lane_submit_next(content->loop->shared->copy_lane, &content->loop->port, &content->job);
        return;
    }
    content->loop->files.now_ms = uv_now(&content->loop->uv);
    note_end(content);
    end_job(content);
}

/* NULL: no memory. */
static struct content_job *new_job(struct exchange *ex, struct file_entry *entry)
{
    struct span variable = file_entry_variable(entry), path = file_entry_path(entry);
    size_t index_len = strlen(entry->index), path_len = path.len + index_len;
    struct content_job *content = malloc(sizeof(*content) + path_len + 1 + variable.len);

    if (!content)
        return NULL;
    *content = (struct content_job){
        .job = {.run = run_content, .on_done = on_content_done},
        .work = {.key = key_of(entry), .fd = -1, .has_waited = entry->content.has_waited},
        .loop = ex->loop};
    memcpy(content->path, path.ptr, path.len);
    memcpy(content->path + path.len, entry->index, index_len + 1);
    if (variable.len > 0)
        memcpy(content->path + path_len + 1, variable.ptr, variable.len);
    content->work.path = content->path;
    content->work.variable = (struct span){content->path + path_len + 1, variable.len};
    content->work.place = ex->place->is_own ? NULL : ex->place;
    return content;
}

/* Has the hash found out, unless somebody does already or the lane has enough to do. */
static void start_hash(struct exchange *ex, struct file_entry *entry)
{
    struct loop *loop = ex->loop;
    bool is_in_memory = entry->body_state == FILE_BODY_READY;
    struct content_job *content = is_in_memory || entry->fd >= 0 ? new_job(ex, entry) : NULL;

    if (!content)
        return;
    content->work.bytes = is_in_memory ? entry->body : NULL;
    content->work.fd = is_in_memory ? -1 : entry->fd;
    if (!content_table_begin(loop->shared->contents, &content->work)) {
        free(content);
        return;
    }
    content->entry = file_cache_get(entry);
    content->live = live_config_get(ex->live);
    content->holds_descriptor = !is_in_memory;
    if (content->holds_descriptor)
        file_entry_hold_descriptor(entry);
    if (io_lane_submit(loop->shared->copy_lane, &loop->port, &content->job) != 0) {
        content->work.end = CONTENT_STOPPED;
        end_job(content);
    }
}

/* Another image can have a file of the same key, where the ctime is the image's. */
static bool has_key(const struct file_entry *entry)
{
    return !file_time_is_of_build(entry->ctime.tv_sec, (uint32_t)entry->ctime.tv_nsec);
}

static void seek(struct exchange *ex, struct file_entry *entry)
{
    struct content_table *contents = ex->loop->shared->contents;
    struct content_key key;
    unsigned char hash[CONTENT_HASH_BYTES];
    uint32_t round = content_table_round(contents);

    if (entry->content.round == round || ex->loop->files.now_ms < entry->content.again_ms ||
        !has_key(entry) || !answer_is_settled(ex, entry))
        return;
    entry->content.round = round;
    key = key_of(entry);
    if (content_table_find(contents, &key, hash))
        file_cache_tag(entry, hash);
    else
        start_hash(ex, entry);
}

void answer_content(struct exchange *ex, struct file_entry *entry)
{
    if (entry->facts.etag_len == 0 && entry->content.tags)
        seek(ex, entry);
}

bool answer_has_digest(struct exchange *ex, struct file_entry *entry)
{
    if (!http_request_has(&ex->req, FIELD_WANT_REPR_DIGEST) ||
        ex->site->cfg->etag != ETAG_BY_CONTENT || !http_wants_digest(&ex->req, ex->head))
        return false;
    if (!entry->content.is_known)
        seek(ex, entry);
    return entry->content.is_known;
}

void answer_append_digest(struct response_head *head, const struct file_entry *entry)
{
    char text[HTTP_DIGEST_LEN + 1];

    http_digest_format(text, entry->content.hash);
    response_append(head, "Repr-Digest: ", 13);
    response_append(head, text, HTTP_DIGEST_LEN);
    response_append(head, "\r\n", 2);
}
