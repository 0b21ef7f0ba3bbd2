/* SPDX-License-Identifier: MIT */
/* body_file.c — shows the bytes of a file without waiting for the disk.
 *
 * First it asks, without waiting, whether the bytes are in the page cache. If so, the sender moves
 * them from the descriptor; a small number of them is copied instead, which is question and answer
 * in one call. If they are not there, a thread of the read lane reads them, which leaves them in
 * the page cache. If they are still not there after that (the file system can't tell, or memory is
 * too short to keep them), the read lane copies chunks for this response. */
#include "body/body_file.h"

#include "body/body_read.h"

/* 50 ms: until then a file that is being appended to has its new size. */
#define UNSURE_NS UINT64_C(50000000)
#define BURST_BYTES 1048576 /* then other connections get their turn */
/* Up to this many bytes are copied: sendfile handles each page by itself, and the head would go out
 * alone. */
#define SHORT_BYTES 131072
/* A receiver on this host gets larger bodies copied in pieces of this size. It is small enough for
 * the bytes to be still in the processor's caches when they are read, and for one segment over
 * loopback, which holds 65,483 bytes. */
#define LOCAL_BYTES 57344

static ssize_t ask_resident(const struct file_entry *entry, struct loop *loop, size_t len,
                            uint64_t offset)
{
    const struct file_pages pages = {entry->fd, entry->device, entry->inode, entry->version.size};

    loop->residents.now_ms = uv_now(&loop->uv);
    return file_residents_ask(&loop->residents, &pages, len, offset);
}

static size_t burst_of(const struct body *body, const struct body_want *want, bool is_copied)
{
    uint64_t most = BURST_BYTES;

    if (is_copied)
        most = body->remaining > SHORT_BYTES ? LOCAL_BYTES : SHORT_BYTES;
    return (size_t)smaller_of(smaller_of(body->remaining, most), want->most);
}

/* Nothing is sent of a file that looks as if it were being rewritten. It soon becomes clear if it
 * is. */
static enum body_step doubt(struct body *body)
{
    uint64_t now_ns = monotonic_ns();

    if (body->unsure_since_ns == 0)
        body->unsure_since_ns = now_ns;
    return now_ns - body->unsure_since_ns < UNSURE_NS ? BODY_UNSURE : BODY_FAILED;
}

/* BODY_BYTES if the bytes that were read belong to the version that the head described. */
static enum body_step check_version(struct body *body)
{
    switch (file_change_since(body->entry->fd, &body->entry->version)) {
    case FILE_SAME:
    case FILE_GREW:
        body->unsure_since_ns = 0;
        return BODY_BYTES;
    case FILE_TOUCHED:
        return doubt(body);
    case FILE_CUT:
        break;
    }
    return BODY_FAILED;
}

/* Has a chunk copied, unless the last copy may be of another version. */
static enum body_step read_copy(struct body *body, struct loop *loop)
{
    if (!body->was_touched)
        return body_read_start(body, loop);
    body->was_touched = false;
    return doubt(body);
}

/* Finds up to `wanted` bytes of the range that need no wait, and copies them to `copy` unless that
 * is NULL. BODY_BYTES: there are *len > 0 of them. Else what to do instead. */
static enum body_step find_resident(struct body *body, struct loop *loop, char *copy, size_t wanted,
                                    size_t *len)
{
    bool is_checked = body->was_just_checked;
    ssize_t n;

    body->was_just_checked = false;       /* holds only for the first question after the check */
    if (body->offset == BODY_OFFSET_LOST) /* the read lane could not read it */
        return BODY_FAILED;
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
    return is_checked ? BODY_BYTES : check_version(body);
}

/* Shows the chunk that the read lane copied, if there is one, else as much as fits in one turn. */
enum body_step body_file_next(struct body *body, struct loop *loop, const struct body_want *want,
                              struct body_slice *slice)
{
    static _Thread_local _Alignas(4096) char room[SHORT_BYTES]; /* aligned like the page cache */
    bool copies = want->in_memory || body->remaining <= SHORT_BYTES;
    size_t len = 0;
    enum body_step step;

    slice->is_last = false;
    if (body->chunk.bytes)
        return BODY_BYTES;
    step = find_resident(body, loop, copies ? room : NULL, burst_of(body, want, copies), &len);
    if (step != BODY_BYTES)
        return step;
    if (copies) {
        slice->bytes[slice->count++] = (struct iovec){room, len};
    } else {
        slice->fd = body->entry->fd;
        slice->offset = body->offset;
        slice->len = len;
    }
    slice->ends_turn = len < body->remaining;
    slice->is_last = !slice->ends_turn && !slice->has_more;
    return BODY_BYTES;
}
