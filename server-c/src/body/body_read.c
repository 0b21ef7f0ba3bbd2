/* SPDX-License-Identifier: MIT */
/* body_read.c — one job per body at a time, in the order of arrival over all loops.
 *
 * A response that has begun is never refused its next read, however long the queue is: so responses
 * take turns chunk by chunk, on whatever loop they are. The first read of one may be refused.
 * Chunks grow with what the client takes: large reads are what a disk with a head to move is good
 * at, and a client that goes away after the first has not cost much. While nobody waits for the disk,
 * it fetches the chunk after this one while this one is sent. */
#include "body/body_read.h"

#include "base/util.h"

#include <stdlib.h>

#define COPY_BYTES 65536 /* a copied chunk: memory a slow client can hold on to */
#define CHUNKS_AT_ONCE 4 /* what chunkBytes grows to */

struct body_read {
    struct io_job job;
    struct body *body;       /* NULL: nobody waits any more; loop thread */
    atomic_bool is_unwanted; /* the same, for the pool thread */
    struct loop *loop;
    struct file_entry *entry; /* referenced */
    uint64_t offset;
    size_t len, next_len; /* next_len: of what will be wanted after it */
    bool by_copy;         /* else the bytes are only to be brought into the page cache */
    char *copy;           /* made by the pool thread: who only waits holds no memory for it */
    ssize_t result;
};

static void run_read_ahead(struct body_read *read)
{
    int fd = read->entry->fd;

    file_start_read(fd, read->len, read->offset);
    read->result = file_read_ahead(fd, read->len, read->offset, &read->is_unwanted);
    if (read->next_len > 0 && !io_lane_has_queue(read->loop->shared->read_lane))
        file_start_read(fd, read->next_len, read->offset + read->len);
}

static void run_copy(struct body_read *read)
{
    int fd = read->entry->fd;

    read->copy = malloc(read->len);
    if (!read->copy) {
        read->result = UV_ENOMEM;
        return;
    }
    read->result = file_read_fully(fd, read->copy, read->len, read->offset);
    if (read->result != (ssize_t)read->len)
        return;
    switch (file_change_since(fd, &read->entry->version)) {
    case FILE_SAME:
    case FILE_GREW:
        break;
    case FILE_TOUCHED:
        read->result = UV_EAGAIN;
        break;
    case FILE_CUT:
        read->result = UV_EIO;
        break;
    }
}

static void run_read(struct io_job *job)
{
    struct body_read *read = container_of(job, struct body_read, job);

    if (atomic_load_explicit(&read->is_unwanted, memory_order_relaxed))
        return;
    if (read->by_copy)
        run_copy(read);
    else
        run_read_ahead(read);
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
    if (read->result != (ssize_t)read->len) { /* body_next() sees that nothing came */
        body->offset = BODY_OFFSET_LOST;
        return;
    }
    body->unsure_since_ns = 0;
    body->chunk = (struct body_text){read->copy, 0, read->len};
    read->copy = NULL;
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
    if (read->by_copy && read->result == UV_EAGAIN)
        body->was_touched = true;
    else if (read->by_copy)
        take_copy(body, read);
    else if (read->result < 0)
        body->offset = BODY_OFFSET_LOST;
    else
        body->was_read_ahead = true;
}

static void on_read_done(struct io_job *job)
{
    struct body_read *read = container_of(job, struct body_read, job);
    struct body *body = read->body;

    if (body)
        finish_read(body, read);
    free_read(read);
    if (body)
        body->on_ready(body);
}

static size_t chunk_of(const struct body *body, const struct loop *loop)
{
    uint64_t first = loop->live ? loop->live->cfg->io.chunk_bytes : COPY_BYTES;
    uint64_t chunks = body->taken / first;

    if (body->by_copy)
        return COPY_BYTES;
    return (size_t)(first * (chunks < 1 ? 1 : smaller_of(chunks, CHUNKS_AT_ONCE)));
}

static struct body_read *new_read(struct body *body, struct loop *loop)
{
    size_t chunk = chunk_of(body, loop);
    struct body_read *read = calloc(1, sizeof(*read));

    if (!read)
        return NULL;
    read->len = (size_t)smaller_of(body->remaining, chunk);
    read->next_len = (size_t)smaller_of(body->remaining - read->len, chunk);
    read->by_copy = body->by_copy;
    read->job.run = run_read;
    read->job.on_done = on_read_done;
    read->body = body;
    read->loop = loop;
    read->entry = file_cache_get(body->entry);
    file_entry_hold_descriptor(read->entry);
    read->offset = body->offset;
    return read;
}

enum body_step body_read_start(struct body *body, struct loop *loop)
{
    struct io_lane *lane = loop->shared->read_lane;
    struct body_read *read = new_read(body, loop);

    if (!read)
        return BODY_FAILED;
    if (body->has_begun || body->clock->read_disk) {
        io_lane_submit_next(lane, &loop->port, &read->job);
    } else if (io_lane_submit(lane, &loop->port, &read->job) != 0) {
        free_read(read);
        return BODY_REFUSED;
    }
    if (loop->live)
        loop_count(loop->live, COUNTER_READ_JOBS, 1);
    body->read = read;
    return BODY_WAITING;
}

void body_read_forget(struct body *body)
{
    if (!body->read)
        return;
    body->read->body = NULL;
    atomic_store_explicit(&body->read->is_unwanted, true, memory_order_relaxed);
    body->read = NULL;
}
