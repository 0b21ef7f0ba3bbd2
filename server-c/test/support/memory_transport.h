/* SPDX-License-Identifier: MIT */
/* A transport without a socket: delivers what a client says, and takes what is sent, a limited
 * number of bytes at a time. */
#ifndef FARMSTEAD_MEMORY_TRANSPORT_H
#define FARMSTEAD_MEMORY_TRANSPORT_H

#include "net/transport.h"

#include "base/util.h"
#include "check.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MEMORY_BYTES_MAX 1000000

struct memory_transport {
    const char *input; /* what the client says */
    size_t input_len, input_pos;
    size_t input_most;  /* most bytes per call */
    bool input_ends;    /* after `input` its end follows; else the client is silent */
    bool is_reset;      /* the client has reset the connection */
    size_t output_most; /* most bytes taken per call */
    bool output_stops;  /* every other call takes nothing */
    size_t output_cap;  /* how much the client takes in all; SIZE_MAX: everything */
    char output[MEMORY_BYTES_MAX + 1];
    size_t output_len;
    int64_t unsent; /* of them the client's host has not acknowledged; negative: it can't say */
    int calls;
    bool is_ended, is_closed;
};

static ssize_t memory_receive(struct transport *transport, void *room, size_t cap, bool *has_more)
{
    struct memory_transport *memory = transport->state;
    size_t n = (size_t)smaller_of(cap, memory->input_most);

    *has_more = false;
    if (memory->is_reset)
        return -ECONNRESET;
    n = (size_t)smaller_of(n, memory->input_len - memory->input_pos);
    if (n == 0)
        return memory->input_ends ? 0 : -EAGAIN;
    memcpy(room, memory->input + memory->input_pos, n);
    memory->input_pos += n;
    *has_more = memory->input_pos < memory->input_len || memory->input_ends;
    return (ssize_t)n;
}

static ssize_t memory_send(struct transport *transport, const struct iovec *bytes, int count,
                           bool goes_on)
{
    struct memory_transport *memory = transport->state;
    size_t room = (size_t)smaller_of(memory->output_most, memory->output_cap - memory->output_len);
    size_t sent = 0, offered = 0;

    (void)goes_on;
    CHECK_TRUE(!memory->is_ended && !memory->is_closed, "bytes after the end");
    if (memory->is_reset)
        return -EPIPE;
    if (memory->output_stops && memory->calls++ % 2 == 0)
        room = 0;
    for (int i = 0; i < count; i++) {
        size_t n = (size_t)smaller_of(bytes[i].iov_len, room - sent);
        CHECK(memory->output_len + n <= MEMORY_BYTES_MAX);
        memcpy(memory->output + memory->output_len, bytes[i].iov_base, n);
        memory->output_len += n;
        sent += n;
        offered += bytes[i].iov_len;
    }
    if (sent < offered && memory->output_len < memory->output_cap)
        eventfd_write(transport->fd, 1); /* an event reports that it can take more */
    return sent > 0 ? (ssize_t)sent : -EAGAIN;
}

static int64_t memory_unsent(struct transport *transport)
{
    return ((struct memory_transport *)transport->state)->unsent;
}

static int memory_end(struct transport *transport)
{
    struct memory_transport *memory = transport->state;

    memory->is_ended = true;
    return memory->is_reset ? -ENOTCONN : 0;
}

static void memory_close(struct transport *transport)
{
    struct memory_transport *memory = transport->state;

    CHECK_TRUE(!memory->is_closed, "closed twice");
    memory->is_closed = true;
    close(transport->fd);
}

/* Writing to its descriptor reports input, and room for output. */
static struct transport memory_transport_open(struct memory_transport *memory)
{
    static const struct transport_kind kind = {
        .receive = memory_receive,
        .send = memory_send,
        .unsent = memory_unsent,
        .end = memory_end,
        .close = memory_close,
    };

    return (struct transport){&kind, memory, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
}

/* Blanks the values of Date, which may differ by a second. */
static inline void blank_dates(char *text)
{
    for (char *date = text; (date = strstr(date, "\r\nDate: ")) != NULL; date += 8)
        memset(date + 8, '-', strcspn(date + 8, "\r"));
}

#endif
