/* SPDX-License-Identifier: MIT */
/* body.h — a response's bytes, pulled by whoever sends them: texts and ranges of a file, from memory or
 * from disk.
 *
 * Knows no socket and no protocol: body_next() shows what can be sent without waiting, body_took() says
 * how much of it was. What would have to come from the disk is brought into the page cache by the read
 * lane first, a chunk at a time, one job per response. When the file is no longer what the head said,
 * it fails; the response can't be completed then. */
#ifndef FARMSTEAD_BODY_H
#define FARMSTEAD_BODY_H

#include "files/file_cache.h"
#include "measure/stages.h"
#include "net/loop.h"

#include <sys/uio.h>

enum body_step {
    BODY_BYTES,   /* they are in the slice */
    BODY_WAITING, /* on_ready will be called; then ask again */
    BODY_REFUSED, /* nothing was taken yet, and too many wait for the read lane already */
    BODY_UNSURE,  /* whether the file grows or was written anew: ask again in a moment */
    BODY_FAILED   /* the file is not what it was, or there is no memory */
};

struct body_read;

/* A text, then a range of the file; each may be empty. */
struct body_piece {
    char *text; /* on the heap; NULL: none */
    size_t text_len;
    uint64_t offset, len;
};
/* Made when it is their turn: who takes hundreds of them slowly has us hold one text. */
struct body_pieces {
    size_t count;
    bool (*make)(struct body_pieces *pieces, size_t i,
                 struct body_piece *piece); /* false: no memory */
    void (*free)(struct body_pieces *pieces);
};

/* What follows the head: `text`, then the range, then the pieces in their order. */
struct body_part {
    struct file_entry *entry; /* NULL: no ranges */
    bool from_memory; /* as file_cache_source() just said: the entry's body, else its descriptor */
    uint64_t offset, len;
    char *text; /* on the heap; NULL: none */
    size_t text_len;
    struct body_pieces *pieces; /* on the heap; NULL: none */
};
/* Frees texts and pieces of a part that is not sent: of an answer to HEAD, say. */
void body_part_fini(struct body_part *part);

/* Bytes on the heap, to be taken from `pos` on. */
struct body_text {
    char *bytes;
    size_t pos, len;
};

struct body {
    void (*on_ready)(struct body *body); /* set it once, before body_begin() */
    struct stage_clock *clock;           /* set it, too: what the read lane needs is added there */
    struct file_entry *entry;            /* referenced; NULL: texts only */
    bool from_memory;
    bool by_copy; /* this file system can't say what is resident: chunks come through memory */
    bool was_read_ahead;   /* at this offset, by the read lane */
    bool was_just_checked; /* by file_cache_source(), in this turn of the loop */
    bool was_touched;      /* the file, when the read lane had copied it */
    bool has_begun;        /* something was taken, be it of the head: its reads come first now */
    uint64_t
        unsure_since_ns;    /* since when it looks as if it had been written anew; 0: it does not */
    struct body_text text;  /* of this piece; goes first */
    struct body_text chunk; /* what the read lane copied; goes before the rest of the range */
    uint64_t offset, remaining; /* of the file, in this piece */
    uint64_t taken;             /* bytes so far */
    struct body_pieces *pieces; /* on the heap; those from next_piece on are to come */
    size_t next_piece;
    struct body_read *read; /* under way */
};

/* Takes its own reference to the entry, and takes over the part's text and pieces. */
void body_begin(struct body *body, const struct body_part *part);
void body_end(struct body *body, struct loop *loop); /* at any time; harmless when not begun */

/* Who asks. */
struct body_want {
    uint64_t most;  /* bytes, more than 0; a slice may have more where that costs nothing */
    bool in_memory; /* a descriptor is of no use to it, or memory is better */
};
#define BODY_SLICE_PARTS 2
/* What can be had now: bytes in memory, then bytes of a file that need no wait. Those in memory stay
 * where they are until body_took(), or until another body of this thread is asked. */
struct body_slice {
    struct iovec bytes[BODY_SLICE_PARTS];
    int count;
    int fd;
    uint64_t offset;
    size_t len;     /* of the file; 0: none */
    bool is_last;   /* nothing comes after it */
    bool has_more;  /* another piece does */
    bool ends_turn; /* there would be more at once, but others have their turn first */
};

/* Sets all of the slice. BODY_BYTES of a body that is spent: none, and the last. */
enum body_step body_next(struct body *body, struct loop *loop, const struct body_want *want,
                         struct body_slice *slice);
/* `n` bytes of the last slice were sent, from its first one on. Say so, too, when only the head was: from
 * then on nothing is refused. */
void body_took(struct body *body, size_t n);

static inline bool body_has_more_pieces(const struct body *body)
{
    return body->pieces && body->next_piece < body->pieces->count;
}

/* Was all of this piece taken? */
static inline bool body_piece_is_spent(const struct body *body)
{
    return body->remaining == 0 && !body->text.bytes && !body->chunk.bytes;
}

static inline bool body_is_spent(const struct body *body)
{
    return body_piece_is_spent(body) && !body_has_more_pieces(body);
}

#endif
