/* SPDX-License-Identifier: MIT */
/* body_read.c — reads of a body: one job at a time for each, in the order of arrival across all
 * loops.
 *
 * Only the first read of a response may be refused. After that each read goes to the queue, however
 * long it is, so responses on all loops take turns chunk by chunk. Chunks grow with what the client
 * has taken: large reads suit a disk with moving heads, and a client that leaves after the first
 * chunk has cost little. While no one else waits for the disk, the kernel fetches the next chunk
 * while this one is sent. */
#include "body/body_read.h"

#include "base/util.h"

#include <stdlib.h>

#define COPY_BYTES 65536 /* bytes of a copied chunk, which a slow client holds in memory */
#define CHUNKS_AT_ONCE 4 /* a chunk grows to at most this many times io.chunkBytes */

struct body_read {
    struct io_job job;
    struct body *body;       /* NULL: no one waits any more; loop thread */
    atomic_bool is_unwanted; /* the same, for the thread of the lane */
    struct loop *loop;
    struct file_entry *entry; /* a reference */
    uint64_t offset;
    size_t len, next_len; /* next_len: of the chunk that comes after it */
    bool by_copy;         /* false: only bring the bytes into the page cache */
    /* Allocated by the lane's thread: a job that waits needs no memory for it. */
    char *copy;
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
    if (read->result != (ssize_t)read->len) { /* body_next() will report the failure */
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
