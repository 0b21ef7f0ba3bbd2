/* SPDX-License-Identifier: MIT */
/* body_file.c — from a file to the socket, without a wait for the disk.
 *
 * Whether a file's bytes are there is asked first, without waiting; then sendfile moves what was
 * found to be there. A few are copied instead, which is question and answer in one. If it is not
 * there, a pool thread reads it, which leaves it in the page cache. If it then still isn't there (a
 * file system that can't tell, or memory too short to keep it), the pool thread copies chunks for
 * this response instead. */
#include "body/body_file.h"

#include "body/body_out.h"
#include "body/body_read.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define UNSURE_NS UINT64_C(50000000) /* a file that is appended to has its new size by then */
#define BURST_BYTES 1048576          /* then other connections have their turn */
/* So many or fewer are copied: sendfile takes each page by itself, and the head goes alone. */
#define SHORT_BYTES 131072
/* Of more, a receiver on this host gets so many at a time: few enough to be in the processor's caches
 * when they are read, and one segment over loopback, which has room for 65,483. */
#define LOCAL_BYTES 57344

static ssize_t ask_resident(const struct file_entry *entry, struct loop *loop, size_t len,
                            uint64_t offset)
{
    const struct file_pages pages = {entry->fd, entry->device, entry->inode, entry->version.size};

    loop->residents.now_ms = uv_now(&loop->uv);
    return file_residents_ask(&loop->residents, &pages, len, offset);
}

static size_t burst_of(const struct body *body, bool is_copied)
{
    size_t most = BURST_BYTES;

    if (is_copied)
        most = body->remaining > SHORT_BYTES ? LOCAL_BYTES : SHORT_BYTES;
    return body->remaining < most ? (size_t)body->remaining : most;
}

/* Nothing is sent of a file that looks as if it had been written anew; soon we know. */
static enum body_step doubt(struct body *body)
{
    uint64_t now_ns = monotonic_ns();

    if (body->unsure_since_ns == 0)
        body->unsure_since_ns = now_ns;
    return now_ns - body->unsure_since_ns < UNSURE_NS ? BODY_UNSURE : BODY_FAILED;
}

/* BODY_SENT: what was read is of the version that the head told of. */
static enum body_step check_version(struct body *body)
{
    switch (file_change_since(body->entry->fd, &body->entry->version)) {
    case FILE_SAME:
    case FILE_GREW:
        body->unsure_since_ns = 0;
        return BODY_SENT;
    case FILE_TOUCHED:
        return doubt(body);
    case FILE_CUT:
        break;
    }
    return BODY_FAILED;
}

/* A chunk through memory: none while the last one may be of another version. */
static enum body_step read_copy(struct body *body, struct loop *loop)
{
    if (!body->was_touched)
        return body_read_start(body, loop);
    body->was_touched = false;
    return doubt(body);
}

/* The next bytes that can be sent without waiting: *len > 0, or what to do instead. They are put into
 * `copy` (NULL: nowhere), which has room for SHORT_BYTES. */
static enum body_step find_resident(struct body *body, struct loop *loop, char *copy, size_t *len)
{
    size_t wanted = burst_of(body, copy != NULL);
    bool is_checked = body->was_just_checked;
    ssize_t n;

    body->was_just_checked = false;       /* whatever comes of this, time goes by after it */
    if (body->offset == BODY_OFFSET_LOST) /* the read lane could not read it */
        return BODY_FAILED;
    wanted = body_within_quota(body, wanted);
    if (wanted == 0)
        return BODY_THROTTLED;
    if (body->by_copy)
        return read_copy(body, loop);
    n = copy ? file_read_resident(body->entry->fd, copy, wanted, body->offset)
             : ask_resident(body->entry, loop, wanted, body->offset);
    if (n == UV_EAGAIN) {
        body->by_copy = body->was_read_ahead;
        return body_read_start(body, loop);
    }
    body->was_read_ahead = false;
    if (n <= 0)
        return BODY_FAILED;
    *len = (size_t)n;
    return is_checked ? BODY_SENT : check_version(body);
}

static enum body_step send_resident(struct body *body, int socket, size_t len)
{
    len = body_within_quota(body, len); /* the pending bytes may have used up some of it */
    while (len > 0) {
        off_t offset = (off_t)body->offset;
        ssize_t n = sendfile(socket, body->entry->fd, &offset, len);
        if (n < 0)
            return body_after_error();
        if (n == 0) /* shorter than it was a moment ago */
            return BODY_FAILED;
        body->offset += (uint64_t)n;
        body->remaining -= (uint64_t)n;
        body_count_sent(body, (size_t)n);
        len -= (size_t)n;
    }
    return BODY_SENT;
}

/* The socket took the first `n` of what was pending and of the file. */
static void move_on(struct body *body, size_t n)
{
    size_t pending = body->pending_len - body->pending_pos;

    body_count_sent(body, n);
    if (n < pending) {
        body->pending_pos += n;
        return;
    }
    body_drop_pending(body);
    body->offset += n - pending;
    body->remaining -= n - pending;
}

/* What is pending and all that remains of the piece, as one: what the socket does not take is copied
 * again. */
static enum body_step send_copied(struct body *body, struct loop *loop, int socket)
{
    static _Thread_local _Alignas(4096) char copy[SHORT_BYTES]; /* as the page cache's pages are */
    struct iovec bytes[2];
    struct msghdr message = {.msg_iov = bytes};
    size_t pending, len = 0;
    enum body_step step = find_resident(body, loop, copy, &len);
    ssize_t n;

    if (step != BODY_SENT)
        return step;
    if (body->clock->first_ns == 0)
        body->clock->first_ns = stage_now();
    pending = body_within_quota(body, body->pending_len - body->pending_pos);
    len = len < body->quota - pending ? len : (size_t)(body->quota - pending);
    if (pending > 0)
        bytes[message.msg_iovlen++] = (struct iovec){body->pending + body->pending_pos, pending};
    bytes[message.msg_iovlen++] = (struct iovec){copy, len};
    n = sendmsg(socket, &message, MSG_NOSIGNAL | (body_has_more_pieces(body) ? MSG_MORE : 0));
    if (n < 0)
        return body_put_off(body, body_after_error());
    move_on(body, (size_t)n);
    if (body->remaining == 0)
        return BODY_SENT;
    if (body->quota == 0)
        return BODY_THROTTLED;
    return (size_t)n < pending + len ? BODY_WANTS_WRITE : BODY_WANTS_TURN;
}

enum body_step body_send_file(struct body *body, struct loop *loop, int socket)
{
    enum body_step step;
    size_t len = 0;

    /* Copied chunks are pending bytes: they go out before the next one is fetched. The head of a
     * file response waits for the first bytes, so that both leave in one segment. */
    if (body->by_copy && body->pending_len > 0) {
        step = body_send_pending(body, socket, 0);
        if (step != BODY_SENT)
            return step;
    }
    if (!body->by_copy && (body->remaining <= SHORT_BYTES || body->receiver_is_local))
        return send_copied(body, loop, socket);
    step = find_resident(body, loop, NULL, &len);
    if (step != BODY_SENT)
        return step;
    step = body_send_pending(body, socket, MSG_MORE);
    if (step == BODY_SENT)
        step = send_resident(body, socket, len);
    if (step != BODY_SENT)
        return step;
    if (body->remaining == 0)
        return BODY_SENT;
    return body->quota > 0 ? BODY_WANTS_TURN : BODY_THROTTLED;
}
