/* SPDX-License-Identifier: MIT */
/* body.c — three ways to the socket: pending bytes, bytes in memory, bytes of a file.
 *
 * A file's bytes are first asked for with a read that may not wait; then sendfile moves what was
 * found to be there. If it is not there, a pool thread reads it, which leaves it in the page cache.
 * If it then still isn't there (a file system that can't tell, or memory too short to keep it), the
 * pool thread copies chunks for this response instead. */
#include "body.h"

#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define COPY_BYTES 65536    /* a copied chunk: memory a slow client can hold on to */
#define BURST_BYTES 1048576 /* then other connections have their turn */

struct body_read {
    struct io_job job;
    struct body *body; /* NULL: nobody waits any more */
    struct loop *loop;
    struct file_entry *entry; /* referenced */
    uint64_t offset;
    size_t len;
    char *copy; /* NULL: the bytes are only to be brought into the page cache */
    ssize_t result;
};

/* --- the read lane --------------------------------------------------------------------------- */

static void run_read(struct io_job *job)
{
    struct body_read *read = container_of(job, struct body_read, job);
    int fd = read->entry->fd;

    if (!read->copy) {
        read->result = file_read_ahead(fd, read->len, read->offset);
        return;
    }
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
        body->offset = UINT64_MAX;
        return;
    }
    if (body->pending_len > body->pending_pos) { /* the head goes before it */
        size_t head_len = body->pending_len - body->pending_pos;
        char *joined = malloc(head_len + read->len);
        if (!joined) {
            body->offset = UINT64_MAX;
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

static void on_read_done(struct io_job *job)
{
    struct body_read *read = container_of(job, struct body_read, job);
    struct body *body = read->body;
    struct loop *loop = read->loop;

    if (body) {
        body->read = NULL;
        body->clock->read_disk = true;
        body->clock->read_wait_ns += job->started_ns - job->queued_ns;
        body->clock->read_ns += job->ended_ns - job->started_ns;
        if (read->copy)
            take_copy(body, read);
        else if (read->result < 0)
            body->offset = UINT64_MAX;
        else
            body->was_read_ahead = true;
    }
    free_read(read);
    if (body)
        body->on_ready(body);
    body_retry_stalled(loop);
}

static enum body_step start_read(struct body *body, struct loop *loop)
{
    size_t chunk = body->by_copy ? COPY_BYTES
                   : loop->live  ? loop->live->cfg->io.chunk_bytes
                                 : COPY_BYTES;
    struct body_read *read = calloc(1, sizeof(*read));

    if (!read)
        return BODY_FAILED;
    read->len = body->remaining < chunk ? (size_t)body->remaining : chunk;
    if (body->by_copy && !(read->copy = malloc(read->len))) {
        free(read);
        return BODY_FAILED;
    }
    read->job.run = run_read;
    read->job.on_done = on_read_done;
    read->body = body;
    read->loop = loop;
    read->entry = file_cache_get(body->entry);
    file_entry_hold_descriptor(read->entry);
    read->offset = body->offset;
    if (io_lane_submit(loop->shared->read_lane, &loop->port, &read->job) != 0) {
        free_read(read);
        list_append(&loop->stalled, &body->stalled);
        return BODY_WAITING;
    }
    if (loop->live)
        loop_count(loop->live, COUNTER_READ_JOBS, 1);
    body->read = read;
    return BODY_WAITING;
}

void body_retry_stalled(struct loop *loop)
{
    struct list waiting;

    list_init(&waiting);
    list_move_all(&waiting, &loop->stalled);
    while (!list_empty(&waiting)) {
        struct body *body = container_of(waiting.next, struct body, stalled);
        list_remove(&body->stalled);
        body->on_ready(body);
    }
}

/* --- the socket ------------------------------------------------------------------------------ */

static enum body_step after_error(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? BODY_WANTS_WRITE
                                                                     : BODY_FAILED;
}

static void keep_pending(struct body *body, const char *bytes, size_t len)
{
    body->pending = malloc(len);
    if (!body->pending)
        return;
    memcpy(body->pending, bytes, len);
    body->pending_len = len;
    body->pending_pos = 0;
}

static enum body_step send_pending(struct body *body, int socket, int flags)
{
    if (body->clock->first_ns == 0)
        body->clock->first_ns = monotonic_ns();
    while (body->pending_pos < body->pending_len) {
        ssize_t n = send(socket, body->pending + body->pending_pos,
                         body->pending_len - body->pending_pos, MSG_NOSIGNAL | flags);
        if (n < 0)
            return after_error();
        body->pending_pos += (size_t)n;
        body->sent += (uint64_t)n;
    }
    free(body->pending);
    body->pending = NULL;
    body->pending_pos = body->pending_len = 0;
    return BODY_SENT;
}

static enum body_step send_memory(struct body *body, int socket)
{
    while (body->remaining > 0) {
        ssize_t n = send(socket, body->entry->body + body->offset, body->remaining, MSG_NOSIGNAL);
        if (n < 0)
            return after_error();
        body->offset += (uint64_t)n;
        body->remaining -= (uint64_t)n;
        body->sent += (uint64_t)n;
    }
    return BODY_SENT;
}

/* The next piece that can be sent without waiting: *len > 0, or what to do instead. */
static enum body_step find_resident(struct body *body, struct loop *loop, size_t *len)
{
    size_t wanted = body->remaining < BURST_BYTES ? (size_t)body->remaining : BURST_BYTES;
    ssize_t n;

    if (body->offset == UINT64_MAX) /* the read lane could not read it */
        return BODY_FAILED;
    if (body->by_copy)
        return start_read(body, loop);
    n = file_resident_len(body->entry->fd, wanted, body->offset);
    if (n == UV_EAGAIN) {
        body->by_copy = body->was_read_ahead;
        return start_read(body, loop);
    }
    body->was_read_ahead = false;
    if (n <= 0 || !file_unchanged(body->entry->fd, &body->entry->version))
        return BODY_FAILED;
    *len = (size_t)n;
    return BODY_SENT;
}

static enum body_step send_file(struct body *body, int socket, size_t len)
{
    while (len > 0) {
        off_t offset = (off_t)body->offset;
        ssize_t n = sendfile(socket, body->entry->fd, &offset, len);
        if (n < 0)
            return after_error();
        if (n == 0) /* shorter than it was a moment ago */
            return BODY_FAILED;
        body->offset += (uint64_t)n;
        body->remaining -= (uint64_t)n;
        body->sent += (uint64_t)n;
        len -= (size_t)n;
    }
    return BODY_SENT;
}

enum body_step body_send(struct body *body, struct loop *loop, int socket)
{
    enum body_step step;
    size_t len = 0;

    if (body->remaining == 0 || body->from_memory) {
        step = send_pending(body, socket, body->remaining > 0 ? MSG_MORE : 0);
        return step == BODY_SENT ? send_memory(body, socket) : step;
    }
    /* Copied chunks are pending bytes: they go out before the next one is fetched. The head of a
     * file response waits for the first piece, so that both leave in one segment. */
    if (body->by_copy && body->pending_len > 0) {
        step = send_pending(body, socket, 0);
        if (step != BODY_SENT)
            return step;
    }
    step = find_resident(body, loop, &len);
    if (step != BODY_SENT)
        return step;
    step = send_pending(body, socket, MSG_MORE);
    if (step == BODY_SENT)
        step = send_file(body, socket, len);
    if (step != BODY_SENT)
        return step;
    return body->remaining == 0 ? BODY_SENT : BODY_WANTS_WRITE;
}

/* A head alone, or with bytes in memory: one system call when the socket takes all. */
static enum body_step send_at_once(struct body *body, int socket, const char *head, size_t head_len)
{
    struct iovec pieces[2] = {
        {(void *)(uintptr_t)head, head_len},
        {body->remaining ? body->entry->body + body->offset : NULL, body->remaining},
    };
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = body->remaining ? 2 : 1};
    ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL);
    size_t of_body;

    if (n < 0 && after_error() == BODY_FAILED)
        return BODY_FAILED;
    if (n < 0)
        n = 0;
    body->sent = (uint64_t)n;
    if ((size_t)n < head_len) {
        keep_pending(body, head + n, head_len - (size_t)n);
        return body->pending ? BODY_WANTS_WRITE : BODY_FAILED;
    }
    of_body = (size_t)n - head_len;
    body->offset += of_body;
    body->remaining -= of_body;
    return body->remaining == 0 ? BODY_SENT : BODY_WANTS_WRITE;
}

enum body_step body_start(struct body *body, struct loop *loop, int socket, const char *head,
                          size_t head_len, const struct body_part *part)
{
    body->entry = part->len > 0 ? file_cache_get(part->entry) : NULL;
    body->from_memory = part->from_memory;
    body->by_copy = body->was_read_ahead = false;
    body->offset = part->offset;
    body->remaining = part->len;
    body->sent = 0;
    if (body->remaining == 0 || body->from_memory) {
        body->clock->first_ns = monotonic_ns();
        return send_at_once(body, socket, head, head_len);
    }
    file_entry_hold_descriptor(body->entry);
    keep_pending(body, head, head_len);
    return body->pending ? body_send(body, loop, socket) : BODY_FAILED;
}

static void free_pieces(struct body_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(pieces[i].text);
    free(pieces);
}

void body_part_fini(struct body_part *part)
{
    free(part->text);
    free_pieces(part->pieces, part->piece_count);
    part->text = NULL;
    part->pieces = NULL;
    part->text_len = part->piece_count = 0;
}

void body_end(struct body *body, struct loop *loop)
{
    if (body->read)
        body->read->body = NULL;
    body->read = NULL;
    list_remove(&body->stalled);
    free(body->pending);
    body->pending = NULL;
    body->pending_pos = body->pending_len = 0;
    if (!body->entry)
        return;
    if (!body->from_memory)
        file_entry_release_descriptor(body->entry);
    file_cache_put(&loop->files, body->entry);
    body->entry = NULL;
}
