/* SPDX-License-Identifier: MIT */
/* body.h — sends one response: its head, then bytes from memory or from a file.
 *
 * Never waits: what the socket does not take is kept for later, and what would have to come from
 * the disk is brought into the page cache by the read lane first, a chunk at a time, one job per
 * response. When the file is no longer what the head said, sending fails; the connection ends then.
 */
#ifndef FARMSTEAD_BODY_H
#define FARMSTEAD_BODY_H

#include "file_cache.h"
#include "loop.h"
#include "stages.h"

enum body_step {
    BODY_SENT,        /* all of it was given to the socket */
    BODY_WANTS_WRITE, /* call body_send() when the socket takes bytes again */
    BODY_WAITING,     /* on_ready will be called; then call body_send() */
    BODY_FAILED       /* the client is gone or the file is */
};

struct body_read;

struct body {
    void (*on_ready)(struct body *body);
    struct stage_clock *clock;
    struct file_entry *entry; /* referenced; NULL: a head only */
    bool from_memory;
    bool by_copy; /* this file system can't say what is resident: chunks come through memory */
    bool was_read_ahead;        /* at this offset, by the read lane */
    uint64_t offset, remaining; /* of the file */
    uint64_t sent;              /* bytes the socket took so far */
    char *pending;              /* bytes to send before anything else; on the heap */
    size_t pending_pos, pending_len;
    struct body_read *read; /* under way */
    struct list stalled;    /* in loop->stalled while the read lane is full */
};

/* Begins with `head`, then `plan_len` bytes of `entry` (may be NULL with 0) from `offset` on. Takes
 * its own reference. The first step is taken at once. */
struct body_part {
    struct file_entry *entry;
    bool from_memory;
    uint64_t offset, len;
};
enum body_step body_start(struct body *body, struct loop *loop, int socket, const char *head,
                          size_t head_len, const struct body_part *part);
enum body_step body_send(struct body *body, struct loop *loop, int socket);
void body_end(struct body *body, struct loop *loop); /* at any time; harmless when not started */

/* Lets bodies that found the read lane full try again. */
void body_retry_stalled(struct loop *loop);

#endif
