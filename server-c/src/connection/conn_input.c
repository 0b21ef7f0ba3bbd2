/* SPDX-License-Identifier: MIT */
/* conn_input.c — bytes from the client: receives, keeps and skips them.
 *
 * They are received into a buffer that all connections of the loop share. Only bytes that are left
 * when the event is over are copied to memory of the connection, so an idle connection has none. */
#include "connection/conn_state.h"

#include <string.h>

void conn_release_input(struct conn *c)
{
    if (!c->input_is_shared)
        free(c->in);
    c->in = NULL;
    c->in_pos = c->in_len = c->in_cap = 0;
    c->input_is_shared = false;
}

/* Content that nobody wants is read to its end, so that the next request can be found (RFC 9112
 * section 9.3). */
void conn_skip_body(struct conn *c)
{
    uint32_t available = c->in_len - c->in_pos;
    uint32_t skipped = c->drain < available ? (uint32_t)c->drain : available;

    c->in_pos += skipped;
    c->drain -= skipped;
    c->state = c->drain > 0 ? CONN_DRAINING : CONN_READING;
}

void conn_settle_input(struct conn *c)
{
    uint32_t left = c->in_len - c->in_pos;
    char *own;

    if (left == 0 && (c->state == CONN_READING || c->state == CONN_DRAINING)) {
        conn_release_input(c);
        return;
    }
    if (!c->input_is_shared)
        return;
    own = malloc(left ? left : 1);
    if (!own) {
        conn_close(c, END_NO_RESOURCES);
        return;
    }
    memcpy(own, c->in + c->in_pos, left);
    if (c->transfer)
        c->transfer->ex.head = own;
    c->in = own;
    c->in_pos = 0;
    c->in_len = c->in_cap = left;
    c->input_is_shared = false;
}

/* Makes room after the bytes that are there. The limit of a head's length bounds the growth. */
static bool grow_input(struct conn *c)
{
    uint32_t cap = c->in_cap < 1024 ? 2048 : c->in_cap * 2;
    char *grown;

    if (c->in_pos > 0) {
        memmove(c->in, c->in + c->in_pos, c->in_len - c->in_pos);
        c->in_len -= c->in_pos;
        c->in_pos = 0;
    }
    if (c->in_len < c->in_cap)
        return true;
    grown = realloc(c->in, cap);
    if (!grown)
        return false;
    c->in = grown;
    c->in_cap = cap;
    return true;
}

/* A short read means that nothing is left to receive, and saves a system call to find out. Not if
 * the poller has reported the end of input or urgent data: the end is reported only once, with the
 * last bytes, and a read stops at urgent data. Then `reads_to_end` says to read until the kernel
 * has nothing. */
static enum conn_input receive_into(struct conn *c, char *room, size_t cap, size_t *len)
{
    bool has_more = false;
    ssize_t n = transport_receive(&c->transport, room, cap, &has_more);

    c->has_input = has_more || (n > 0 && c->reads_to_end);
    if (n > 0) {
        *len = (size_t)n;
        return INPUT_SOME;
    }
    if (transport_is_for_later(n))
        return INPUT_NONE;
    return n == 0 ? INPUT_END : INPUT_BROKEN;
}

enum conn_input conn_receive(struct conn *c)
{
    enum conn_input input;
    size_t len = 0;

    if (c->in) {
        if (!grow_input(c))
            return INPUT_NO_ROOM;
        input = receive_into(c, c->in + c->in_len, c->in_cap - c->in_len, &len);
    } else {
        input = receive_into(c, c->loop->input, LOOP_INPUT_BYTES, &len);
        if (input == INPUT_SOME) {
            c->in = c->loop->input;
            c->input_is_shared = true;
        }
    }
    c->in_len += (uint32_t)len;
    return input;
}

void conn_linger(struct conn *c)
{
    size_t len = 0;
    enum conn_input input = receive_into(c, c->loop->input, LOOP_INPUT_BYTES, &len);

    if (input == INPUT_END || input == INPUT_BROKEN || len > c->drain)
        conn_close(c, c->ends_for);
    else
        c->drain -= len;
}
