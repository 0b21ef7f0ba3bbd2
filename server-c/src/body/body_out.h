/* SPDX-License-Identifier: MIT */
/* body_out.h — what body.c and body_file.c share: the bytes that go first, the quota, and what the
 * socket says. Nobody else includes this. Loop thread. */
#ifndef FARMSTEAD_BODY_OUT_H
#define FARMSTEAD_BODY_OUT_H

#include "body/body.h"

/* What errno of a failed send means. */
enum body_step body_after_error(void);
/* The socket was full, or there was no quota: if it took nothing yet, the first byte is to come. */
enum body_step body_put_off(struct body *body, enum body_step step);

size_t body_within_quota(const struct body *body, uint64_t wanted);
void body_count_sent(struct body *body, size_t n);

/* BODY_SENT: there is nothing pending any more. `flags` as of send(2). */
enum body_step body_send_pending(struct body *body, int socket, int flags);
void body_drop_pending(struct body *body);

static inline bool body_has_more_pieces(const struct body *body)
{
    return body->pieces && body->next_piece < body->pieces->count;
}

#endif
