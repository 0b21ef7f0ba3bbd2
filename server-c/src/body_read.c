/* SPDX-License-Identifier: MIT */
/* body_read.c — one job per body at a time; a full lane is waited for in the order of arrival. */
#include "body_read.h"

#include "util.h"

#include <stdlib.h>
#include <string.h>

#define COPY_BYTES 65536 /* a copied chunk: memory a slow client can hold on to */

struct body_read {
    struct io_job job;
    struct body *body;       /* NULL: nobody waits any more; loop thread */
    atomic_bool is_unwanted; /* the same, for the pool thread */
    struct loop *loop;
    struct file_entry *entry; /* referenced */
    uint64_t offset;
    size_t len;
    char *copy; /* NULL: the bytes are only to be brought into the page cache */
    ssize_t result;
};

static void run_read(struct io_job *job)
{
    struct body_read *read = container_of(job, struct body_read, job);
    int fd = read->entry->fd;

    if (!read->copy) {
        read->result = file_read_ahead(fd, read->len, read->offset, &read->is_unwanted);
        return;
    }
    if (atomic_load_explicit(&read->is_unwanted, memory_order_relaxed))
        return;
    read->result = file_read_fully(fd, read->copy, read->len, read->offset);
    if (read->result == (ssize_t)read->len && !file_unchanged(fd, &read->entry->version))
        read->result = UV_EIO;
}

static void free_read(struct body_read *read)
{
    file_entry_release_descriptor(read->entry);
    file_cache_put(&read->loop->files, read->entry);
    free(read->copy);
    free(read);
}

static void take_copy(struct body *body, struct body_read *read)
{
    if (read->result != (ssize_t)read->len) { /* body_send() sees that nothing came */
        body->offset = BODY_OFFSET_LOST;
        return;
    }
    if (body->pending_len > body->pending_pos) { /* the head goes before it */
        size_t head_len = body->pending_len - body->pending_pos;
        char *joined = malloc(head_len + read->len);
        if (!joined) {
            body->offset = BODY_OFFSET_LOST;
            return;
        }
        memcpy(joined, body->pending + body->pending_pos, head_len);
        memcpy(joined + head_len, read->copy, read->len);
        free(body->pending);
        body->pending = joined;
        body->pending_len = head_len + read->len;
    } else {
        free(body->pending);
        body->pending = read->copy;
        body->pending_len = read->len;
        read->copy = NULL;
    }
    body->pending_pos = 0;
    body->offset += read->len;
    body->remaining -= read->len;
}

static void finish_read(struct body *body, struct body_read *read)
{
    const struct io_job *job = &read->job;

    body->read = NULL;
    body->clock->read_disk = true;
    body->clock->read_wait_ns += job->started_ns - job->queued_ns;
    body->clock->read_ns += job->ended_ns - job->started_ns;
    if (read->copy)
        take_copy(body, read);
    else if (read->result < 0)
        body->offset = BODY_OFFSET_LOST;
    else
        body->was_read_ahead = true;
}

/* Those who wait for room go first: this body would take the place again with its next chunk, and
 * they would never have one. */
static void on_read_done(struct io_job *job)
{
    struct body_read *read = container_of(job, struct body_read, job);
    struct body *body;

    body_retry_stalled(read->loop);
    body = read->body;
    if (body)
        finish_read(body, read);
    free_read(read);
    if (body)
        body->on_ready(body);
}

static struct body_read *new_read(struct body *body, struct loop *loop)
{
    size_t chunk = body->by_copy ? COPY_BYTES
                   : loop->live  ? loop->live->cfg->io.chunk_bytes
                                 : COPY_BYTES;
    struct body_read *read = calloc(1, sizeof(*read));

    if (!read)
        return NULL;
    read->len = body->remaining < chunk ? (size_t)body->remaining : chunk;
    if (body->by_copy && !(read->copy = malloc(read->len))) {
        free(read);
        return NULL;
    }
    read->job.run = run_read;
    read->job.on_done = on_read_done;
    read->body = body;
    read->loop = loop;
    read->entry = file_cache_get(body->entry);
    file_entry_hold_descriptor(read->entry);
    read->offset = body->offset;
    return read;
}

static enum body_step wait_for_room(struct body *body, struct loop *loop)
{
    if (body->stalled_since_ns == 0)
        body->stalled_since_ns = stage_now();
    list_append(&loop->stalled, &body->stalled);
    return BODY_WAITING;
}

enum body_step body_read_start(struct body *body, struct loop *loop)
{
    bool is_next = body->is_next;
    struct body_read *read;

    body->is_next = false;
    if (!is_next && !list_empty(&loop->stalled))
        return wait_for_room(body, loop);
    read = new_read(body, loop);
    if (!read)
        return BODY_FAILED;
    if (io_lane_submit(loop->shared->read_lane, &loop->port, &read->job) != 0) {
        free_read(read);
        return wait_for_room(body, loop);
    }
    if (loop->live)
        loop_count(loop->live, COUNTER_READ_JOBS, 1);
    if (body->stalled_since_ns) /* in front of the queue it waited for the lane as well as in it */
        body->clock->read_wait_ns += read->job.queued_ns - body->stalled_since_ns;
    body->stalled_since_ns = 0;
    body->read = read;
    return BODY_WAITING;
}

void body_read_forget(struct body *body)
{
    if (body->read) {
        body->read->body = NULL;
        atomic_store_explicit(&body->read->is_unwanted, true, memory_order_relaxed);
    }
    body->read = NULL;
    body->is_next = false;
    list_remove(&body->stalled);
}

/* One that found the lane full again has waited longest, and there is no room for the others: asking
 * all of them each time would be their number squared. None is asked while there is no room: its time
 * would begin anew each time, and with a disk that hangs it would never be over. */
void body_retry_stalled(struct loop *loop)
{
    while (!list_empty(&loop->stalled) && io_lane_has_room(loop->shared->read_lane)) {
        struct list *link = loop->stalled.next;
        struct body *body = container_of(link, struct body, stalled);
        list_remove(link);
        body->is_next = true;
        body->on_ready(body); /* its memory stays, whatever it comes to */
        body->is_next = false;
        if (loop->stalled.prev == link) {
            list_remove(link);
            list_append(loop->stalled.next, link);
            return;
        }
    }
}
