/* SPDX-License-Identifier: MIT */
/* body_out.c — small steps that every way to the socket takes: what an error of it means, what is still
 * to go first, what was sent, what may be. */
#include "body/body_out.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

enum body_step body_after_error(void)
{
    if (errno == EINTR)
        return BODY_WANTS_TURN;
    return errno == EAGAIN || errno == EWOULDBLOCK ? BODY_WANTS_WRITE : BODY_FAILED;
}

enum body_step body_put_off(struct body *body, enum body_step step)
{
    if (body->sent == 0)
        body->clock->first_ns = 0;
    return step;
}

void body_drop_pending(struct body *body)
{
    free(body->pending);
    body->pending = NULL;
    body->pending_pos = body->pending_len = 0;
}

void body_count_sent(struct body *body, size_t n)
{
    body->sent += n;
    body->quota -= n; /* there is no limit that UINT64_MAX would ever be spent in */
}

size_t body_within_quota(const struct body *body, uint64_t wanted)
{
    return wanted < body->quota ? (size_t)wanted : (size_t)body->quota;
}

enum body_step body_send_pending(struct body *body, int socket, int flags)
{
    if (body->clock->first_ns == 0)
        body->clock->first_ns = stage_now();
    while (body->pending_pos < body->pending_len) {
        size_t len = body_within_quota(body, body->pending_len - body->pending_pos);
        ssize_t n;
        if (len == 0)
            return body_put_off(body, BODY_THROTTLED);
        n = send(socket, body->pending + body->pending_pos, len, MSG_NOSIGNAL | flags);
        if (n < 0)
            return body_put_off(body, body_after_error());
        body->pending_pos += (size_t)n;
        body_count_sent(body, (size_t)n);
    }
    body_drop_pending(body);
    return BODY_SENT;
}
