/* SPDX-License-Identifier: MIT */
/* body.h — sends one response: its head, then texts and ranges of a file, from memory or from disk.
 *
 * Never waits: what the socket does not take is kept for later, and what would have to come from
 * the disk is brought into the page cache by the read lane first, a chunk at a time, one job per
 * response. When the file is no longer what the head said, sending fails; the connection ends then.
 */
#ifndef FARMSTEAD_BODY_H
#define FARMSTEAD_BODY_H

#include "files/file_cache.h"
#include "measure/stages.h"
#include "net/loop.h"

enum body_step {
    BODY_SENT,        /* all of it was given to the socket */
    BODY_WANTS_WRITE, /* the socket took less than it was given: call body_send() when it takes more */
    BODY_WANTS_TURN, /* call body_send() when others had their turn */
    BODY_WAITING,    /* on_ready will be called; then call body_send() */
    BODY_REFUSED,    /* nothing was read yet, and too many wait for the read lane already */
    BODY_THROTTLED,  /* the quota is used up: give another, then call body_send() */
    BODY_UNSURE,     /* whether the file grows or was written anew: call body_send() in a moment */
    BODY_FAILED      /* the client is gone or the file is */
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

struct body {
    void (*on_ready)(struct body *body);
    struct stage_clock *clock;
    uint64_t quota;           /* bytes that may be sent before BODY_THROTTLED; counts down. Set it
                                 before body_start(); UINT64_MAX: as many as there are */
    bool ends_connection;     /* it is closed after the last byte, at once. Set it, too */
    bool receiver_is_local;   /* a program on this host takes the bytes. Set it, too */
    struct file_entry *entry; /* referenced; NULL: texts only */
    bool from_memory;
    bool by_copy; /* this file system can't say what is resident: chunks come through memory */
    bool was_read_ahead;   /* at this offset, by the read lane */
    bool was_just_checked; /* by file_cache_source(), in this turn of the loop */
    bool was_touched;      /* the file, when the read lane had copied it */
    uint64_t
        unsure_since_ns; /* since when it looks as if it had been written anew; 0: it does not */
    uint64_t offset, remaining; /* of the file, in this piece */
    uint64_t sent;              /* bytes the socket took so far */
    char *pending;              /* bytes to send before anything else; on the heap */
    size_t pending_pos, pending_len;
    struct body_pieces *pieces; /* on the heap; those from next_piece on are to come */
    size_t next_piece;
    struct body_read *read; /* under way */
};

/* Begins with `head`, then what `part` says. Takes its own reference to the entry, and takes over
 * the part's text and pieces whatever comes of it. The first step is taken at once. */
enum body_step body_start(struct body *body, struct loop *loop, int socket, const char *head,
                          size_t head_len, const struct body_part *part);
enum body_step body_send(struct body *body, struct loop *loop, int socket);
void body_end(struct body *body, struct loop *loop); /* at any time; harmless when not started */

#endif
