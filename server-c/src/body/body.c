/* SPDX-License-Identifier: MIT */
/* body.c — two ways to the socket of its own, pending bytes and bytes in memory; the third, bytes of
 * a file, is body_file.c. One piece of the response after the other. */
#include "body/body.h"

#include "body/body_file.h"
#include "body/body_out.h"
#include "body/body_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PIECES_AT_ONCE 16 /* then other connections have their turn */

/* The head of a response, and its text if there is one. */
static bool keep_pending(struct body *body, const char *head, size_t head_len, const char *text,
                         size_t text_len)
{
    body->pending = malloc(head_len + text_len);
    if (!body->pending)
        return false;
    memcpy(body->pending, head, head_len);
    if (text_len > 0)
        memcpy(body->pending + head_len, text, text_len);
    body->pending_len = head_len + text_len;
    body->pending_pos = 0;
    return true;
}

static enum body_step send_memory(struct body *body, int socket, int flags)
{
    while (body->remaining > 0) {
        size_t len = body_within_quota(body, body->remaining);
        ssize_t n;
        if (len == 0)
            return BODY_THROTTLED;
        n = send(socket, body->entry->body + body->offset, len, MSG_NOSIGNAL | flags);
        if (n < 0)
            return body_after_error();
        body->offset += (uint64_t)n;
        body->remaining -= (uint64_t)n;
        body_count_sent(body, (size_t)n);
    }
    return BODY_SENT;
}

/* --- the pieces ------------------------------------------------------------------------------ */

/* False: no memory. There is one, and all of the one before was sent. */
static bool begin_next_piece(struct body *body)
{
    struct body_piece piece = {0};

    if (!body->pieces->make(body->pieces, body->next_piece, &piece))
        return false;
    body->next_piece++;
    body->pending = piece.text;
    body->pending_pos = 0;
    body->pending_len = piece.text ? piece.text_len : 0;
    body->offset = piece.offset;
    body->remaining = piece.len;
    body->was_read_ahead = false;
    return true;
}

static enum body_step send_piece(struct body *body, struct loop *loop, int socket)
{
    int flags = body_has_more_pieces(body) ? MSG_MORE : 0;
    enum body_step step;

    if (body->remaining > 0 && !body->from_memory)
        return body_send_file(body, loop, socket);
    step = body_send_pending(body, socket, body->remaining > 0 ? MSG_MORE : flags);
    return step == BODY_SENT ? send_memory(body, socket, flags) : step;
}

enum body_step body_send(struct body *body, struct loop *loop, int socket)
{
    for (int left = PIECES_AT_ONCE; left > 0; left--) {
        enum body_step step = send_piece(body, loop, socket);
        if (step != BODY_SENT || !body_has_more_pieces(body))
            return step;
        if (!begin_next_piece(body))
            return BODY_FAILED;
    }
    return BODY_WANTS_TURN;
}

/* --- the beginning --------------------------------------------------------------------------- */

/* `n` bytes of head, text and range were sent: what is left of them is kept. Frees the text, or
 * keeps it. */
static bool keep_rest(struct body *body, const char *head, size_t head_len,
                      const struct body_part *part, size_t n)
{
    body_count_sent(body, n);
    if (n < head_len) {
        bool kept = keep_pending(body, head + n, head_len - n, part->text, part->text_len);
        free(part->text);
        return kept;
    }
    if (n < head_len + part->text_len) {
        body->pending = part->text;
        body->pending_pos = n - head_len;
        body->pending_len = part->text_len;
        return true;
    }
    n -= head_len + part->text_len;
    free(part->text);
    body->offset += n;
    body->remaining -= n;
    return true;
}

/* Does the head stand before the bytes, and nothing come after them? The kernel takes one piece of
 * memory with less ado than two. */
static bool is_one_piece(const struct body *body, const char *head, size_t head_len,
                         const struct body_part *part)
{
    if (part->text_len > 0 || body_has_more_pieces(body))
        return false;
    return body->remaining == 0 || head + head_len == body->entry->body + body->offset;
}

/* A head, or with a text, or with bytes in memory: one system call when the socket takes all. */
static enum body_step send_at_once(struct body *body, struct loop *loop, int socket,
                                   const char *head, size_t head_len, const struct body_part *part)
{
    struct iovec bytes[3] = {{(void *)(uintptr_t)head, head_len}};
    struct msghdr message = {.msg_iov = bytes, .msg_iovlen = 1};
    int flags = MSG_NOSIGNAL;
    ssize_t n;

    if (body->ends_connection || body_has_more_pieces(body))
        flags |= MSG_MORE; /* what comes at once, be it the end, goes in the same segment */
    if (part->text_len > 0)
        bytes[message.msg_iovlen++] = (struct iovec){part->text, part->text_len};
    if (body->remaining > 0)
        bytes[message.msg_iovlen++] =
            (struct iovec){body->entry->body + body->offset, body->remaining};
    if (is_one_piece(body, head, head_len, part))
        n = send(socket, head, head_len + body->remaining, flags);
    else
        n = sendmsg(socket, &message, flags);
    if (n < 0 && body_after_error() == BODY_FAILED) {
        free(part->text);
        return BODY_FAILED;
    }
    if (!keep_rest(body, head, head_len, part, n < 0 ? 0 : (size_t)n))
        return BODY_FAILED;
    if (body->pending || body->remaining > 0)
        return body_put_off(body, BODY_WANTS_WRITE);
    if (!body_has_more_pieces(body))
        return BODY_SENT;
    return begin_next_piece(body) ? body_send(body, loop, socket) : BODY_FAILED;
}

static void take_part(struct body *body, const struct body_part *part)
{
    bool has_ranges = part->entry && (part->len > 0 || part->pieces);

    body->entry = has_ranges ? file_cache_get(part->entry) : NULL;
    body->from_memory = part->from_memory;
    if (has_ranges && !part->from_memory)
        file_entry_hold_descriptor(body->entry);
    body->by_copy = body->was_read_ahead = body->was_touched = false;
    body->unsure_since_ns = 0;
    body->was_just_checked = true;
    body->offset = part->offset;
    body->remaining = has_ranges ? part->len : 0;
    body->pieces = part->pieces;
    body->next_piece = 0;
    body->sent = 0;
}

enum body_step body_start(struct body *body, struct loop *loop, int socket, const char *head,
                          size_t head_len, const struct body_part *part)
{
    bool kept;

    take_part(body, part);
    if ((body->remaining == 0 || body->from_memory) &&
        body->quota >= head_len + part->text_len + part->len) {
        body->clock->first_ns = stage_now();
        return send_at_once(body, loop, socket, head, head_len, part);
    }
    kept = keep_pending(body, head, head_len, part->text, part->text_len);
    free(part->text);
    return kept ? body_send(body, loop, socket) : BODY_FAILED;
}

void body_part_fini(struct body_part *part)
{
    free(part->text);
    if (part->pieces)
        part->pieces->free(part->pieces);
    part->text = NULL;
    part->pieces = NULL;
    part->text_len = 0;
}

void body_end(struct body *body, struct loop *loop)
{
    body_read_forget(body);
    body_drop_pending(body);
    if (body->pieces)
        body->pieces->free(body->pieces);
    body->pieces = NULL;
    body->next_piece = 0;
    if (!body->entry)
        return;
    if (!body->from_memory)
        file_entry_release_descriptor(body->entry);
    file_cache_put(&loop->files, body->entry);
    body->entry = NULL;
}
