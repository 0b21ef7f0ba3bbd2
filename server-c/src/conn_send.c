/* SPDX-License-Identifier: MIT */
/* conn_send.c — the response's way out: what the body's steps mean for the connection. */
#include "conn_state.h"

static void continue_sending(struct conn *c, enum body_step step)
{
    c->state = CONN_SENDING;
    switch (step) {
    case BODY_SENT:
        conn_finish_response(c);
        break;
    case BODY_WANTS_WRITE:
        if (c->timeout != TIMEOUT_WRITE)
            conn_arm(c, TIMEOUT_WRITE);
        break;
    case BODY_WAITING:
        conn_arm(c, TIMEOUT_DISK);
        break;
    case BODY_THROTTLED:
    case BODY_FAILED:
        conn_close(c);
        break;
    }
}

void conn_send(struct conn *c, const char *head, size_t head_len, const struct body_part *part)
{
    static const struct body_part nothing = {0};

    c->body.clock = &c->clock;
    c->body.quota = UINT64_MAX;
    continue_sending(c,
                     body_start(&c->body, c->loop, c->fd, head, head_len, part ? part : &nothing));
}

void conn_send_more(struct conn *c)
{
    continue_sending(c, body_send(&c->body, c->loop, c->fd));
}

void conn_on_body_ready(struct body *body)
{
    struct conn *c = container_of(body, struct conn, body);

    conn_send_more(c);
    conn_run(c);
}
