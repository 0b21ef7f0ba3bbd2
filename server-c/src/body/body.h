/* SPDX-License-Identifier: MIT */
/* body.h — the bytes of a response, pulled by whoever sends them: texts and ranges of a file, from
 * memory or from disk.
 *
 * Knows no socket and no protocol. body_next() shows what can be sent without waiting, body_took()
 * tells how much of it was sent. Bytes that would have to come from the disk are first brought into
 * the page cache by the read lane, one chunk and one job per response at a time. If the file has
 * changed since the head was written the body fails, and the response can't be completed. Loop
 * thread. */
#ifndef FARMSTEAD_BODY_H
#define FARMSTEAD_BODY_H

#include "files/file_cache.h"
#include "measure/stages.h"
#include "net/loop.h"

#include <sys/uio.h>

enum body_step {
    BODY_BYTES,   /* there are bytes in the slice */
    BODY_WAITING, /* ask again when on_ready has been called */
    BODY_REFUSED, /* too many reads are waiting already; only while nothing was taken */
    BODY_UNSURE,  /* the file is growing or being rewritten: ask again in a moment */
    BODY_FAILED   /* the file has changed, or there is no memory */
};

struct body_read;

/* A text followed by a range of the file; each may be empty. */
struct body_piece {
    char *text; /* on the heap; NULL: none */
    size_t text_len;
    uint64_t offset, len;
};
/* Pieces are made one at a time when their turn comes, so that a client that takes hundreds of them
 * slowly costs us the memory of one text. */
struct body_pieces {
    size_t count;
    bool (*make)(struct body_pieces *pieces, size_t i,
                 struct body_piece *piece); /* false: no memory */
    void (*free)(struct body_pieces *pieces);
};

/* The parts of a body in the order they are sent: `text`, the range, then the pieces. */
struct body_part {
    struct file_entry *entry; /* NULL: there are no ranges */
    /* What file_cache_source() has just answered. True: the bytes are in entry->body. False: they
     * are read from its descriptor. */
    bool from_memory;
    uint64_t offset, len;
    char *text; /* on the heap; NULL: none */
    size_t text_len;
    struct body_pieces *pieces; /* on the heap; NULL: none */
};
/* Frees text and pieces of a part that is not sent, such as that of a response to HEAD. */
void body_part_fini(struct body_part *part);

/* Bytes on the heap, those before `pos` taken already. */
struct body_text {
    char *bytes;
    size_t pos, len;
};

struct body {
    /* Set `on_ready` once, before body_begin(), and `clock`, to which the time in the read lane is
     * added. */
    void (*on_ready)(struct body *body);
    struct stage_clock *clock;
    struct file_entry *entry; /* a reference; NULL: there are only texts */
    bool from_memory;
    /* The file system can't tell what is in the page cache, so chunks are copied through memory. */
    bool by_copy;
    bool was_read_ahead;   /* the read lane has read the bytes at `offset` */
    bool was_just_checked; /* file_cache_source() checked the file in this turn of the loop */
    bool was_touched;      /* the file looked rewritten when the read lane had copied a chunk */
    /* Something was sent, if only of the head: from now on its reads are never refused. */
    bool has_begun;
    /* Since when the file has looked as if it were being rewritten, in monotonic ns; 0: it does
     * not. */
    uint64_t unsure_since_ns;
    struct body_text text;      /* of the current piece; is sent first */
    struct body_text chunk;     /* copied by the read lane; is sent before the rest of the range */
    uint64_t offset, remaining; /* in the file, for the current piece */
    uint64_t taken;             /* bytes taken in all */
    struct body_pieces *pieces; /* on the heap; those from next_piece on are still to be made */
    size_t next_piece;
    struct body_read *read; /* a read under way, or NULL */
};

/* Begins a body. Takes its own reference to the entry, and takes over the part's text and
 * pieces. */
void body_begin(struct body *body, const struct body_part *part);
void body_end(struct body *body, struct loop *loop); /* at any time; does nothing if not begun */

/* What the caller of body_next() can use. */
struct body_want {
    uint64_t most;  /* bytes, at least 1; the slice may have more where that is free */
    bool in_memory; /* bytes in memory are needed, or better than a descriptor */
};
#define BODY_SLICE_PARTS 2
/* What can be sent now: bytes in memory, followed by bytes of a file that need no wait. The memory
 * stays valid until body_took(), or until body_next() is called for another body in this thread. */
struct body_slice {
    struct iovec bytes[BODY_SLICE_PARTS];
    int count;
    int fd;
    uint64_t offset;
    size_t len;     /* bytes of the file; 0: none */
    bool is_last;   /* nothing follows this slice */
    bool has_more;  /* another piece follows */
    bool ends_turn; /* more could be sent at once, but others get their turn first */
};

/* Shows the next bytes, and sets every member of the slice. Once the body is spent it returns
 * BODY_BYTES with a slice that is empty and the last. */
enum body_step body_next(struct body *body, struct loop *loop, const struct body_want *want,
                         struct body_slice *slice);
/* The first `n` bytes of the last slice were sent. Call it with 0 when only the head was sent: from
 * then on no read is refused. */
void body_took(struct body *body, size_t n);

static inline bool body_has_more_pieces(const struct body *body)
{
    return body->pieces && body->next_piece < body->pieces->count;
}

/* Was all of the current piece taken? */
static inline bool body_piece_is_spent(const struct body *body)
{
    return body->remaining == 0 && !body->text.bytes && !body->chunk.bytes;
}

static inline bool body_is_spent(const struct body *body)
{
    return body_piece_is_spent(body) && !body_has_more_pieces(body);
}

#endif
